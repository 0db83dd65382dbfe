//! What all formats share: the components that change a model at runtime, and the search for the files that a model names.
//!
//! They belong on the root, which is the entity that was spawned with a `ClassicModel` or a `WorldAssetRoot`. The root
//! survives a hot reload, while everything below it is despawned and respawned; then the components are applied again.

// For maintainers: bytes of files, and what only one format has, do not belong here.

#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod animation;
mod appearance;
mod axes;
mod clip_files;
mod clip_lookup;
mod clip_ref;
mod clips;
mod concurrent_loads;
mod environment;
mod extensions;
mod file_names;
mod find;
mod formats;
mod found_clip;
mod image_assets;
mod instance;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod instance_rows;
mod labels;
mod load_error;
mod load_tracker;
mod loading;
#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod lods;
mod matching;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
mod names;
#[cfg(any(feature = "lgw", feature = "lithtech"))]
mod near;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
mod normals;
mod overrides;
mod parts;
#[cfg(any(feature = "manifest", feature = "file_watcher"))]
mod pattern;
mod play;
#[cfg(feature = "_clips")]
mod playing;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod pose_table;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod pose_texture;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod poses;
mod ready;
mod rebind_textures;
mod reload;
mod resolve_clip;
mod shaders;
mod shared_images;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod skin_materials;
mod skins;
mod spawn_early;
mod unlabeled;
mod warnings;
mod watch;

#[cfg(feature = "alamo")]
pub(crate) use animation::{ActiveClip, FrameRate, Scale, says};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use animation::{
    ActiveClips, Animator, ClipDriver, ClipParts, ClipPlayer, ClipProvider, ClipSource, Frames,
    GraphAssets, Rotation, Skeleton, Translation, edited_clips, follow_player, is_in_use,
    link_bones, node, on_animator_removed, slerp,
};
#[cfg(feature = "lithtech")]
pub(crate) use animation::{EventTrack, FrameTimes, STILL, trigger_events};
pub(crate) use appearance::path_of_skin;
pub use appearance::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
pub use axes::{Axes, z_up_forward_minus_y, z_up_forward_x};
pub(crate) use axes::{Mirror, SceneScale};
pub(crate) use clip_files::ClipFiles;
pub use clip_ref::{ClipRef, Repeat};
pub use clips::{ModelClips, NamedClip};
pub use environment::{BillboardCamera, NightTime, Wind};
pub(crate) use extensions::all_cases;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub(crate) use file_names::has_extension;
#[cfg(feature = "alamo")]
pub(crate) use file_names::raised;
#[cfg(any(feature = "lithtech", feature = "manifest"))]
pub(crate) use find::clean_path;
#[cfg(feature = "lithtech")]
pub(crate) use find::in_kinds;
pub use find::{FileFinder, FileSearch, NotFound};
pub(crate) use formats::{ModelFormats, register_model_loader, reserve_model_loader};
pub(crate) use found_clip::FoundClip;
pub(crate) use instance::SharedModel;
pub use instance::{ModelFormat, ModelInstance};
pub use load_error::ModelLoadError;
pub(crate) use load_tracker::LoadTracker;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) use loading::ModelLoad;
pub(crate) use loading::{BadSetting, ModelLoading, ModelSettings, check_positive};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use lods::{HasLods, choose_levels, reset_level};
pub(crate) use matching::folded;
#[cfg(feature = "alamo")]
pub(crate) use matching::is_folded;
pub(crate) use matching::same_name;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub use names::Names;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub(crate) use names::{index_names, missing_part, named};
#[cfg(any(feature = "lgw", feature = "lithtech"))]
pub(crate) use near::is_near;
#[cfg(feature = "lithtech")]
pub(crate) use normals::MeanNormal;
#[cfg(any(feature = "alamo", feature = "lgw"))]
pub(crate) use normals::replace_missing;
pub(crate) use overrides::{LoaderOverride, LoaderOverrides};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use parts::DistanceLod;
use parts::on_distances_removed;
pub use parts::{DamageStage, LodDistances, ModelLod, PartVisibility};
#[cfg(feature = "manifest")]
pub(crate) use pattern::Pattern;
#[cfg(feature = "quake")]
pub(crate) use play::ResolvedClip;
pub(crate) use play::ResolvedPlay;
pub use play::{ClipFinished, PlayClip, Playback};
#[cfg(feature = "quake")]
pub(crate) use playing::{ClipSelection, wrap};
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use pose_table::PoseMaterial;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub use pose_table::PoseTable;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use pose_texture::add_pose_table;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub use poses::{PoseBlend, PosePair};
use ready::on_root_removed;
pub(crate) use ready::{ReadyScenes, SceneFormat};
pub(crate) use rebind_textures::{HasTextures, follow_pictures};
use reload::follow_scenes;
pub(crate) use reload::{Reloads, SceneModel};
pub(crate) use resolve_clip::resolve_clips;
pub(crate) use shaders::{embedded_shader, hold_shader};
pub(crate) use shared_images::insert_image;
#[cfg(feature = "lithtech")]
pub(crate) use skin_materials::apply_skin;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use skin_materials::{ActiveMaterials, SkinMaterials};
#[cfg(feature = "lithtech")]
pub(crate) use skins::ActiveImage;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use skins::ActiveSkin;
pub(crate) use skins::preload_skin;
use skins::{apply_loaded_skins, choose_skins};
#[cfg(feature = "alamo")]
pub(crate) use spawn_early::SpawnEarly;
pub(crate) use unlabeled::{UnlabeledSceneLoader, UnlabeledScenes};
pub(crate) use warnings::ModelWarnings;
pub(crate) use warnings::{WarningLog, forget_changed_warnings};

use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy::reflect::GetTypeRegistration;
use bevy::transform::TransformSystems;

/// When this crate's systems run, all in `PostUpdate`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassicModelsSystems {
    /// Clips advance. Changes that `Update` made to [`PlayClip`] show in the same frame.
    Play,
    /// Skins and colours are applied, parts are shown and hidden.
    Appearance,
    /// Billboards turn to the camera, the light or the wind, after all animations.
    Billboards,
}

/// Registers a format by the component of its scenes, after what all formats share.
pub(crate) fn add_format<S: SceneFormat + GetTypeRegistration>(app: &mut App) {
    if !app.is_plugin_added::<ScenePlugin>() {
        app.add_plugins(ScenePlugin);
    }
    follow_scenes::<S>(app);
    // A scene may hold only what is registered.
    app.register_type::<S>().add_observer(on_root_removed::<S>);
}

/// Registers what all formats share.
pub(crate) struct ScenePlugin;

impl Plugin for ScenePlugin {
    fn build(&self, app: &mut App) {
        register_loading(app);
        {
            reload::register(app);
            shaders::register(app);
        }
        warnings::register(app);
        app.register_type::<PlayClip>()
            .register_type::<Playback>()
            // A scene may hold only what is registered.
            .register_type::<Mirror>()
            .register_type::<ModelSkin>()
            .register_type::<PlayerColors>()
            .register_type::<TeamColor>()
            .register_type::<ModelSkins>()
            .register_type::<ModelClips>()
            .register_type::<ModelLod>()
            .register_type::<LodDistances>()
            .register_type::<DamageStage>()
            .register_type::<PartVisibility>()
            .register_type::<BillboardCamera>()
            .register_type::<Wind>()
            .register_type::<NightTime>()
            .init_resource::<Wind>()
            .init_resource::<NightTime>()
            .add_message::<ClipFinished>()
            .add_observer(on_distances_removed)
            .add_systems(PostUpdate, resolve_clips.before(ClassicModelsSystems::Play))
            .add_systems(
                PostUpdate,
                (choose_skins, apply_loaded_skins)
                    .chain()
                    .before(ClassicModelsSystems::Appearance),
            )
            .configure_sets(
                PostUpdate,
                (ClassicModelsSystems::Play, ClassicModelsSystems::Appearance)
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::CalculateBounds),
            );
    }

    fn finish(&self, app: &mut App) {
        image_assets::ensure_images(app);
    }
}

/// What loaders need.
fn register_loading(app: &mut App) {
    load_tracker::register(app);
    // It needs what the line before registers.
    find::register(app);
    watch::register(app);
    app.init_resource::<LoaderOverrides>();
}
