//! Code that all formats share: components that change a model at runtime, and the search for files that a model names.
//!
//! Insert the components on the root, the entity that was spawned with a `ClassicModel` or a `WorldAssetRoot`. A hot
//! reload keeps the root and its components. It respawns all entities below the root and applies the components again.

// For maintainers: code that parses files, and code for a single format, does not belong here.

#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod animation;
mod appearance;
mod axes;
mod bone_visibility;
mod clip_files;
mod clip_layers;
mod clip_lookup;
mod clip_ref;
#[cfg(feature = "_clips")]
mod clip_step;
mod clips;
mod concurrent_loads;
mod crowd;
mod environment;
#[cfg(feature = "_clips")]
mod event_frames;
mod extensions;
mod file_names;
mod find;
mod folder_stamp;
mod follow_velocity;
mod formats;
mod found_clip;
mod image_assets;
mod instance;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
mod instance_rows;
mod labels;
mod load_error;
mod load_tracker;
mod loading;
mod loading_checks;
#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod lods;
mod masks;
mod matching;
mod model_events;
mod model_info;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
mod names;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
mod normals;
mod overrides;
mod parts;
mod pattern;
mod play;
#[cfg(feature = "_clips")]
mod playing;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
mod pose_table;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
mod pose_texture;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
mod poses;
#[cfg(any(feature = "lgw", feature = "lithtech"))]
mod position_limit;
mod random_seed;
#[cfg(feature = "collision")]
mod raycast;
mod ready;
mod rebind_textures;
mod reload;
mod remove_unused;
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
pub(crate) use animation::has_curve_for;
#[cfg(any(feature = "lithtech", all(feature = "alamo", feature = "crowd")))]
pub(crate) use animation::node;
#[cfg(feature = "lithtech")]
pub(crate) use animation::{
    ActiveClips, EventTrack, FrameTimes, SINGLE_FRAME_SECONDS, TrackEvent, keyframe_at,
};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use animation::{
    Animator, BoneName, ClipDriver, ClipParts, ClipPlayer, ClipProvider, ClipSource, EventDriver,
    Frames, GraphAssets, Rotation, SelectedClips, SharedGraphs, Skeleton, Translation,
    add_animation, edited_clips, follow_player, is_clip_loading, is_edited_copy, link_bones,
    on_animator_removed, slerp,
};
#[cfg(any(feature = "alamo", all(feature = "lithtech", feature = "crowd")))]
pub(crate) use animation::{FrameRate, Scale};
pub(crate) use appearance::path_of_skin;
pub use appearance::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
pub use axes::{Axes, z_up_forward_minus_y, z_up_forward_x};
pub(crate) use axes::{Mirror, SceneScale};
pub use bone_visibility::BoneVisibility;
#[cfg(feature = "alamo")]
pub(crate) use bone_visibility::visibility;
pub(crate) use bone_visibility::{BoneAttachments, connected_visibility};
pub(crate) use clip_files::ClipFiles;
pub use clip_layers::{ClipLayer, ClipLayers, LayerFinished, LayerId};
pub use clip_ref::{ClipRef, Repeat};
#[cfg(feature = "quake")]
pub(crate) use clip_step::ClipStep;
pub use clips::{ModelClips, NamedClip};
pub(crate) use concurrent_loads::RunningLoad;
pub(crate) use crowd::CrowdMesh;
pub use crowd::{Crowd, CrowdBone};
pub(crate) use crowd::{crowd_bone_entity, find_crowd_bone};
pub use environment::{BillboardCamera, NightTime, Wind};
#[cfg(feature = "quake")]
pub(crate) use event_frames::event_frames;
pub(crate) use extensions::all_cases;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub(crate) use file_names::has_extension;
#[cfg(feature = "alamo")]
pub(crate) use file_names::uppercased;
pub(crate) use find::clean_path;
#[cfg(feature = "lithtech")]
pub(crate) use find::with_extensions;
pub use find::{FileFinder, FileSearch, NotFound};
#[cfg(all(feature = "archives", not(target_arch = "wasm32")))]
pub(crate) use folder_stamp::FolderStamp;
pub use follow_velocity::FollowVelocity;
use follow_velocity::follow_velocity;
pub(crate) use formats::{ModelFormats, reserve_model_loader};
#[cfg(feature = "_clips")]
pub(crate) use found_clip::{CountFrames, FoundClip, found_clip};
pub(crate) use instance::SharedModel;
pub use instance::{ModelFormat, ModelInstance};
pub(crate) use labels::{CROWD, SCENE, is_model_in_use, scene_path};
pub use load_error::ModelLoadError;
pub(crate) use load_error::first_line;
pub(crate) use load_tracker::LoadTracker;
#[cfg(any(
    feature = "alamo",
    feature = "lgw",
    feature = "lithtech",
    feature = "quake"
))]
pub(crate) use loading::ModelLoad;
pub(crate) use loading::{InvalidSetting, ModelLoading, ModelSettings, check_positive};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use loading_checks::add_loading_check;
pub(crate) use loading_checks::{LoadingChecks, is_asset_loading};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use lods::{HasLods, choose_levels, reset_level};
pub use masks::{BoneMask, ModelMasks};
#[cfg(feature = "alamo")]
pub(crate) use matching::equals_folded;
pub(crate) use matching::folded;
pub(crate) use matching::same_name;
pub use model_events::{ClipEvent, ModelEvent, ModelEvents};
#[cfg(feature = "quake")]
pub(crate) use model_events::{PassedEvent, send_events};
pub(crate) use model_info::transformed_bounds;
pub use model_info::{ModelClip, ModelPose};
pub(crate) use model_info::{ModelInfo, NamedEntity};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use model_info::{frame_at, merged, named_bones};
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub use names::Names;
#[cfg(feature = "alamo")]
pub(crate) use names::named_folded;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub(crate) use names::{index_names, missing_part, named};
#[cfg(feature = "lithtech")]
pub(crate) use normals::MeanNormal;
#[cfg(any(feature = "alamo", feature = "lgw"))]
pub(crate) use normals::replace_missing;
pub(crate) use overrides::{LoaderOverride, LoaderOverrides};
#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use parts::DistanceLod;
use parts::on_distances_removed;
pub use parts::{DamageStage, LodDistances, ModelLod, PartVisibility};
pub(crate) use pattern::Pattern;
pub(crate) use play::ResolvedClip;
pub(crate) use play::ResolvedPlay;
pub use play::{ClipFinished, PlayClip, Playback};
#[cfg(feature = "quake")]
pub(crate) use playing::{ClipSelection, wrap};
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
pub(crate) use pose_table::PoseMaterial;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
pub use pose_table::PoseTable;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
pub(crate) use pose_texture::add_pose_table;
#[cfg(any(
    feature = "lithtech",
    feature = "quake",
    all(feature = "alamo", feature = "crowd")
))]
pub use poses::{PoseBlend, PosePair};
#[cfg(any(feature = "lgw", feature = "lithtech"))]
pub(crate) use position_limit::is_position_in_range;
pub(crate) use random_seed::RandomSeed;
#[cfg(all(feature = "collision", feature = "alamo"))]
pub(crate) use raycast::uv_at;
#[cfg(feature = "collision")]
pub use raycast::{Backfaces, ColliderMesh, ModelRayCastSettings, ModelRayCastVisibility};
#[cfg(feature = "collision")]
pub(crate) use raycast::{EMPTY_BOX, Index, Pending, SurfaceTriangles, TIE, transformed, uvs};
#[cfg(all(
    feature = "collision",
    any(feature = "lgw", feature = "lithtech", feature = "quake")
))]
pub(crate) use raycast::{
    HitPart, HitPartKind, PartViews, PosedVertices, Surface, SurfaceHit, Surfaces,
};
use ready::on_root_removed;
pub(crate) use ready::{ReadyScenes, SceneFormat};
pub(crate) use rebind_textures::{HasTextures, rebind_changed_textures};
use reload::register_respawn;
pub(crate) use reload::{Reloads, SceneModel};
pub(crate) use remove_unused::remove_unused;
pub(crate) use resolve_clip::resolve_clips;
pub(crate) use shaders::{embedded_shader, preload_shader};
pub(crate) use shared_images::insert_image;
#[cfg(feature = "lithtech")]
pub(crate) use skin_materials::apply_skin;
#[cfg(any(feature = "lithtech", feature = "quake"))]
pub(crate) use skin_materials::{ActiveMaterials, SkinMaterials};
#[cfg(feature = "lithtech")]
pub(crate) use skins::ActiveImage;
pub(crate) use skins::ActiveSkin;
use skins::{apply_loaded_skins, choose_skins};
pub(crate) use skins::{preload_skin, unknown_skin_warning};
#[cfg(feature = "alamo")]
pub(crate) use spawn_early::SpawnEarly;
pub(crate) use unlabeled::{UnlabeledScenes, register_unlabeled_loader};
pub(crate) use warnings::{ModelWarnings, WarningLog, update_warning_log};
#[cfg(all(feature = "archives", not(target_arch = "wasm32")))]
pub(crate) use watch::ARCHIVE_WATCH_WARNING;
#[cfg(all(
    feature = "archives",
    feature = "file_watcher",
    not(target_arch = "wasm32")
))]
pub(crate) use watch::files_below;

use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy::reflect::GetTypeRegistration;
use bevy::transform::TransformSystems;

/// System sets of this crate, all in `PostUpdate`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ClassicModelsSystems {
    /// Advances clips. Changes to [`PlayClip`] in `Update` take effect in the same frame.
    Play,
    /// Applies skins and colors, and shows or hides parts.
    Appearance,
    /// Writes the poses of the members of crowds, after all animations.
    Crowds,
    /// Rotates billboards toward the camera, the light or the wind, after all animations.
    Billboards,
}

/// Registers a format by the component of its scenes. Adds [`ScenePlugin`] first if it is missing.
pub(crate) fn add_format<S: SceneFormat + GetTypeRegistration>(app: &mut App) {
    if !app.is_plugin_added::<ScenePlugin>() {
        app.add_plugins(ScenePlugin);
    }
    register_respawn::<S>(app);
    // A scene can only contain registered types.
    app.register_type::<S>().add_observer(on_root_removed::<S>);
}

/// Registers the components, resources and systems that all formats share.
pub(crate) struct ScenePlugin;

impl Plugin for ScenePlugin {
    fn build(&self, app: &mut App) {
        register_loading(app);
        loading_checks::register(app);
        reload::register(app);
        shaders::register(app);
        warnings::register(app);
        app.register_type::<PlayClip>()
            .register_type::<Playback>()
            // A scene can only contain registered types.
            .register_type::<Mirror>()
            .register_type::<ModelSkin>()
            .register_type::<PlayerColors>()
            .register_type::<TeamColor>()
            .register_type::<Crowd>()
            .register_type::<ModelSkins>()
            .register_type::<ModelClips>()
            .register_type::<ModelEvents>()
            .register_type::<ClipLayers>()
            .register_type::<ModelMasks>()
            .register_type::<FollowVelocity>()
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
            .add_message::<LayerFinished>()
            .add_observer(on_distances_removed)
            .add_systems(
                PostUpdate,
                (follow_velocity, resolve_clips)
                    .chain()
                    .before(ClassicModelsSystems::Play),
            )
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

/// Registers the resources and systems that loaders need.
fn register_loading(app: &mut App) {
    load_tracker::register(app);
    // Requires `ConcurrentLoads`, which `load_tracker` registers.
    find::register(app);
    watch::register(app);
    app.init_resource::<LoaderOverrides>();
}
