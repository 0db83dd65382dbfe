//! What all formats share: the components that change a model at runtime, and the search for the files that a model names.
//!
//! They belong on the root, which is the entity that was spawned with a `ClassicModel` or a `WorldAssetRoot`. The root
//! survives a hot reload, while everything below it is despawned and respawned; then the components are applied again.

// For maintainers: bytes of files, and what only one format has, do not belong here.

#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod animation;
mod appearance;
mod axes;
#[cfg(feature = "manifest")]
mod clip_files;
#[cfg(any(feature = "_clips", feature = "manifest"))]
mod clip_lookup;
mod clip_ref;
mod clips;
#[cfg(feature = "_loaders")]
mod concurrent_loads;
mod environment;
#[cfg(feature = "_loaders")]
mod extensions;
#[cfg(feature = "_loaders")]
mod file_names;
#[cfg(feature = "_loaders")]
mod find;
#[cfg(feature = "manifest")]
mod found_clip;
mod image_assets;
mod instance;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod instance_rows;
#[cfg(feature = "_loaders")]
mod labels;
mod load_error;
#[cfg(feature = "_loaders")]
mod load_tracker;
#[cfg(feature = "_formats")]
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
#[cfg(feature = "_loaders")]
mod overrides;
mod parts;
#[cfg(any(
    feature = "manifest",
    all(feature = "_loaders", feature = "file_watcher")
))]
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
#[cfg(feature = "_formats")]
mod ready;
#[cfg(feature = "_formats")]
mod rebind_textures;
#[cfg(feature = "_formats")]
mod reload;
mod resolve_clip;
#[cfg(feature = "_formats")]
mod shaders;
#[cfg(feature = "_formats")]
mod shared_images;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod skin_materials;
mod skins;
mod spawn_early;
mod warnings;
#[cfg(feature = "_loaders")]
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
#[cfg(feature = "manifest")]
pub(crate) use clip_files::ClipFiles;
pub use clip_ref::{ClipRef, Repeat};
pub use clips::{ModelClips, NamedClip};
pub use environment::{BillboardCamera, NightTime, Wind};
#[cfg(feature = "_loaders")]
pub(crate) use extensions::all_cases;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub(crate) use file_names::has_extension;
#[cfg(feature = "alamo")]
pub(crate) use file_names::raised;
#[cfg(any(feature = "lithtech", feature = "manifest"))]
pub(crate) use find::clean_path;
#[cfg(feature = "lithtech")]
pub(crate) use find::in_kinds;
#[cfg(feature = "_loaders")]
pub use find::{FileFinder, FileSearch, NotFound};
#[cfg(feature = "manifest")]
pub(crate) use found_clip::FoundClip;
#[cfg(feature = "_loaders")]
pub(crate) use instance::SharedModel;
pub use instance::{ModelFormat, ModelInstance};
pub use load_error::ModelLoadError;
#[cfg(feature = "_loaders")]
pub(crate) use load_tracker::LoadTracker;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) use loading::ModelLoad;
#[cfg(feature = "quake")]
pub(crate) use loading::check_nonzero;
#[cfg(feature = "_formats")]
pub(crate) use loading::{BadSetting, ModelLoading, ModelSettings, check_positive};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use lods::{HasLods, choose_levels, reset_level};
#[cfg(any(feature = "alamo", feature = "lgw", feature = "manifest"))]
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
#[cfg(feature = "_loaders")]
pub(crate) use overrides::{LoaderOverride, LoaderOverrides};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use parts::DistanceLod;
use parts::on_distances_removed;
pub use parts::{DamageStage, LodDistances, ModelLod, PartVisibility};
#[cfg(feature = "manifest")]
pub(crate) use pattern::Pattern;
#[cfg(feature = "quake")]
pub(crate) use play::ResolvedClip;
#[cfg(any(feature = "manifest", feature = "quake"))]
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
#[cfg(feature = "_formats")]
use ready::on_root_removed;
#[cfg(feature = "_formats")]
pub(crate) use ready::{ReadyScenes, SceneFormat};
#[cfg(feature = "_formats")]
pub(crate) use rebind_textures::{HasTextures, follow_pictures};
#[cfg(feature = "_formats")]
use reload::follow_scenes;
#[cfg(feature = "_formats")]
pub(crate) use reload::{Reloads, SceneModel};
pub(crate) use resolve_clip::resolve_clips;
#[cfg(feature = "_formats")]
pub(crate) use shaders::{embedded_shader, hold_shader};
#[cfg(feature = "_formats")]
pub(crate) use shared_images::insert_image;
#[cfg(feature = "lithtech")]
pub(crate) use skin_materials::apply_skin;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use skin_materials::{ActiveMaterials, SkinMaterials};
#[cfg(feature = "lithtech")]
pub(crate) use skins::ActiveImage;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use skins::ActiveSkin;
#[cfg(feature = "manifest")]
pub(crate) use skins::preload_skin;
use skins::{apply_loaded_skins, choose_skins};
#[cfg(feature = "alamo")]
pub(crate) use spawn_early::SpawnEarly;
pub(crate) use warnings::ModelWarnings;
#[cfg(feature = "manifest")]
pub(crate) use warnings::{WarningLog, forget_changed_warnings};

use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::{IntoScheduleConfigs, SystemSet};
#[cfg(feature = "_formats")]
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
#[cfg(feature = "_formats")]
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
        #[cfg(feature = "_loaders")]
        register_loading(app);
        #[cfg(feature = "_formats")]
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
#[cfg(feature = "_loaders")]
fn register_loading(app: &mut App) {
    load_tracker::register(app);
    // It needs what the line before registers.
    find::register(app);
    watch::register(app);
    app.init_resource::<LoaderOverrides>();
}
