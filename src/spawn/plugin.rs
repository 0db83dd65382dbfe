//! Registers the components, resources and systems that all formats share.

use crate::appearance::skins;
use crate::geometry::axes::Mirror;
use crate::gpu::shaders;
use crate::load::overrides::LoaderOverrides;
use crate::load::{checks, find, images, reloads, tracker, warnings};
use crate::playback::follow_velocity::follow_velocity;
use crate::playback::resolve::resolve_clips;
use crate::root::clips::ModelClips;
use crate::root::crowd::Crowd;
use crate::root::environment::{BillboardCamera, NightTime, Wind};
use crate::root::events::ModelEvents;
use crate::root::follow_velocity::FollowVelocity;
use crate::root::layers::{ClipLayers, LayerFinished};
use crate::root::masks::ModelMasks;
use crate::root::parts::{
    DamageStage, LodDistances, ModelLod, PartVisibility, on_distances_removed,
};
use crate::root::play::{ClipFinished, PlayClip, Playback};
use crate::root::skins::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
use crate::root::space::BevySpace;
use crate::root::systems::ClassicModelsSystems;
use crate::spawn::attach::{
    AttachedToBone, despawn_empty_parents, detach_attachments, on_detached, update_attachments,
};
use crate::spawn::reload::register_respawn;
use crate::spawn::render_layers::propagate_layers;
use crate::spawn::scenes::{SceneFormat, on_root_removed};
use crate::spawn::{reload, unsupported};
use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::reflect::GetTypeRegistration;
use bevy::transform::TransformSystems;

/// Registers a format by the component of its scenes. Adds [`ModelsPlugin`] first if it is missing.
pub(crate) fn add_format<S: SceneFormat + GetTypeRegistration>(app: &mut App) {
    if !app.is_plugin_added::<ModelsPlugin>() {
        app.add_plugins(ModelsPlugin);
    }
    register_respawn::<S>(app);
    // A scene can only contain registered types.
    app.register_type::<S>().add_observer(on_root_removed::<S>);
}

/// Registers the components, resources and systems that all formats share.
pub(crate) struct ModelsPlugin;

impl Plugin for ModelsPlugin {
    fn build(&self, app: &mut App) {
        register_loading(app);
        checks::register(app);
        reloads::register(app);
        reload::register(app);
        shaders::register(app);
        skins::register(app);
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
            .configure_sets(
                PostUpdate,
                (ClassicModelsSystems::Play, ClassicModelsSystems::Appearance)
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::CalculateBounds),
            )
            .register_type::<AttachedToBone>()
            .register_type::<BevySpace>()
            .add_observer(detach_attachments)
            .add_observer(on_detached)
            .add_systems(
                PostUpdate,
                (
                    update_attachments,
                    despawn_empty_parents,
                    // After the meshes of crowds are spawned.
                    propagate_layers.after(ClassicModelsSystems::Appearance),
                )
                    .chain()
                    .before(TransformSystems::Propagate)
                    .before(VisibilitySystems::CalculateBounds),
            )
            // Bones of crowds that are spawned for attachments are posed in the same frame.
            .configure_sets(
                PostUpdate,
                ClassicModelsSystems::Crowds.after(update_attachments),
            );
        unsupported::register(app);
    }

    fn finish(&self, app: &mut App) {
        images::ensure_images(app);
    }
}

/// Registers the resources and systems that loaders need.
fn register_loading(app: &mut App) {
    tracker::register(app);
    // Requires `ConcurrentLoads`, which `tracker` registers.
    find::register(app);
    #[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
    crate::load::watch::files::register(app);
    app.init_resource::<LoaderOverrides>();
}
