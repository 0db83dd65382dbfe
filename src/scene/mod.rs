//! What all formats share: the components that change a model at runtime, and the search for the files that a model names.
//!
//! They belong on the root, which is the entity that was spawned with a `ClassicModel` or a `WorldAssetRoot`. The root
//! survives a hot reload, while everything below it is despawned and respawned; then the components are applied again.

// For maintainers: bytes of files, and what only one format has, do not belong here.

#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod animation;
mod axes;
mod bind;
mod clip_files;
mod clip_ref;
mod clips;
mod concurrent_loads;
mod extensions;
mod find;
mod instance;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod instance_rows;
mod labels;
mod loading;
mod lods;
mod look;
mod matching;
mod model_asset;
mod names;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
mod normals;
mod overrides;
mod parts;
mod play;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod pose_table;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod pose_texture;
#[cfg(any(feature = "lithtech", feature = "quake"))]
mod poses;
mod reload;
mod shaders;
mod shared_images;
mod stated;
mod surroundings;
mod told;
mod watch;
mod worn;

#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use animation::{
    Animator, Binder, ClipDriver, ClipParts, ClipPlayer, ClipSource, Frames, GraphAssets, Lane,
    Lanes, Rotation, STILL, Scale, Skeleton, Translation, edited_clips, follow_player, is_in_use,
    link_bones, node, on_animator_removed, says, slerp,
};
#[cfg(feature = "lithtech")]
pub(crate) use animation::{EventTrack, trigger_events};
pub use axes::{Axes, z_up_forward_minus_y, z_up_forward_x};
pub(crate) use axes::{Mirror, is_near};
pub(crate) use bind::{Pictured, follow_pictures};
pub(crate) use clip_files::ClipFiles;
pub use clip_ref::{ClipRef, Repeat};
pub use clips::{ModelClips, NamedClip};
pub(crate) use concurrent_loads::RunningLoad;
pub(crate) use extensions::all_cases;
pub(crate) use find::clean_path;
pub use find::{FileFinder, FileSearch, NotFound};
use instance::on_root_removed;
pub(crate) use instance::{
    FoundClip, NamedPart, ReadyScene, ReadyScenes, SceneFormat, SharedModel,
};
pub use instance::{ModelFormat, ModelInstance};
pub use loading::ModelLoadError;
#[cfg(feature = "quake")]
pub(crate) use loading::check_nonzero;
pub(crate) use loading::{BadSetting, ModelLoad, ModelLoading, ModelSettings, check_positive};
use lods::on_distances_removed;
pub(crate) use lods::{Leveled, SceneScale, choose_levels, reset_level};
pub use look::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
pub(crate) use look::{path_of_skin, team_color_tag};
#[cfg(feature = "manifest")]
pub(crate) use matching::Pattern;
pub(crate) use matching::{folded, has_extension, is_folded, raised, same_name};
pub(crate) use model_asset::ModelAsset;
pub use names::Names;
pub(crate) use names::{index_names, named};
#[cfg(feature = "lithtech")]
pub(crate) use normals::MeanNormal;
#[cfg(any(feature = "alamo", feature = "lgw"))]
pub(crate) use normals::replace_missing;
pub(crate) use overrides::{LoaderOverride, LoaderOverrides};
pub(crate) use parts::DistanceLod;
pub use parts::{HiddenParts, LodDistances, ModelAlt, ModelLod};
pub use play::{ClipFinished, PlayClip, Playback};
pub(crate) use play::{Stated, StatedClip, wrap};
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use pose_table::PoseMaterial;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub use pose_table::PoseTable;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use pose_texture::add_pose_table;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub use poses::{PoseBlend, PosePair};
use reload::follow_scenes;
pub(crate) use reload::{Reloads, SceneModel, SpawnEarly};
pub(crate) use shaders::{embedded_shader, hold_shader};
pub(crate) use shared_images::{ensure_images, insert_image};
pub(crate) use stated::{Chosen, state_clips};
pub use surroundings::{BillboardCamera, NightTime, Wind};
pub(crate) use told::{Said, Told, follow_said};
#[cfg(feature = "manifest")]
pub(crate) use worn::preload_skin;
pub(crate) use worn::{Wardrobe, WornMaterials, WornPicture, WornSkin, wear};
use worn::{choose_skins, put_on_pictures};

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
    Look,
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
        reload::register(app);
        // It needs what the line before registers.
        find::register(app);
        told::register(app);
        shaders::register(app);
        watch::register(app);
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
            .register_type::<ModelAlt>()
            .register_type::<HiddenParts>()
            .register_type::<BillboardCamera>()
            .register_type::<Wind>()
            .register_type::<NightTime>()
            .init_resource::<Wind>()
            .init_resource::<NightTime>()
            .init_resource::<LoaderOverrides>()
            .add_message::<ClipFinished>()
            .add_observer(on_distances_removed)
            .add_systems(PostUpdate, state_clips.before(ClassicModelsSystems::Play))
            .add_systems(
                PostUpdate,
                (choose_skins, put_on_pictures)
                    .chain()
                    .before(ClassicModelsSystems::Look),
            )
            .configure_sets(
                PostUpdate,
                (ClassicModelsSystems::Play, ClassicModelsSystems::Look)
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::CalculateBounds),
            );
    }

    fn finish(&self, app: &mut App) {
        ensure_images(app);
    }
}
