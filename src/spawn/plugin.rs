//! Registers the components, resources and systems that all formats share.

use crate::appearance::skins;
use crate::gpu::shaders;
use crate::load::labels::{register_unlabeled_loader, reserve_extensions};
use crate::load::loading::{LoaderOverrides, ModelLoading};
use crate::load::{concurrent, find, loading, reloads, warnings};
use crate::playback::resolve::{follow_velocity, resolve_clips};
use crate::playback::root_motion;
use crate::playback::skeletal::propagate;
use crate::root::environment::{BillboardCamera, ClassicModelsSystems, NightTime, Wind};
use crate::root::events::ModelEvents;
use crate::root::layers::{ClipLayers, ModelMasks};
use crate::root::motion::RootMotion;
use crate::root::parts::{
    DamageStage, LodDistances, ModelLod, PartVisibility, on_distances_removed,
};
use crate::root::play::{FollowVelocity, ModelClips, PlayClip, Playback};
use crate::root::skins::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
use crate::root::spawning::{BevySpace, Crowd};
use crate::spawn::attach::{
    AttachedToBone, despawn_empty_parents, detach_attachments, on_detached, update_attachments,
};
use crate::spawn::format::{Format, ModelLoader};
use crate::spawn::formats::ModelFormats;
use crate::spawn::instance::RootCount;
use crate::spawn::render_layers::propagate_layers;
use crate::spawn::{scene, transforms, unsupported};
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;

/// Registers a format: its asset, its extensions, which are reserved for the loader that [`finish_format`] adds, and the
/// respawn of its models.
pub(crate) fn add_format<F: Format>(app: &mut App, extensions: &[String]) {
    if !app.is_plugin_added::<ModelsPlugin>() {
        app.add_plugins(ModelsPlugin);
    }
    app.init_asset::<F>();
    let mut formats = app.world_mut().get_resource_or_init::<ModelFormats>();
    // Bevy warns about two loaders of scenes with the same extension. One is enough, because it does not read the file.
    let unlabeled = formats.unknown(extensions);
    formats.add::<F>(extensions);
    register_unlabeled_loader::<F>(app, &unlabeled);
    reserve_extensions::<ModelLoader<F>>(app, extensions);
}

/// Adds the loader of a format. Call it in `Plugin::finish`: what loaders need of the app is known only then.
pub(crate) fn finish_format<F: Format>(
    app: &mut App,
    extensions: &[String],
    defaults: &F::Settings,
    state: F::State,
) {
    app.register_asset_loader(ModelLoader::<F> {
        loading: ModelLoading::of(app.world()),
        extensions: extensions.to_vec(),
        defaults: defaults.clone(),
        state,
    });
}

/// Registers the components, resources and systems that all formats share.
pub(crate) struct ModelsPlugin;

impl Plugin for ModelsPlugin {
    fn build(&self, app: &mut App) {
        register_loading(app);
        reloads::register(app);
        scene::register(app);
        propagate::register(app);
        root_motion::register(app);
        transforms::register(app);
        shaders::register(app);
        skins::register(app);
        warnings::register(app);
        app.register_type::<PlayClip>()
            .register_type::<Playback>()
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
            .register_type::<RootMotion>()
            .register_type::<ModelLod>()
            .register_type::<LodDistances>()
            .register_type::<DamageStage>()
            .register_type::<PartVisibility>()
            .register_type::<BillboardCamera>()
            .register_type::<Wind>()
            .register_type::<NightTime>()
            .init_resource::<RootCount>()
            .init_resource::<Wind>()
            .init_resource::<NightTime>()
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
        loading::ensure_images(app);
    }
}

/// Registers the resources and systems that loaders need.
fn register_loading(app: &mut App) {
    concurrent::register(app);
    // Requires `ConcurrentLoads`.
    find::register(app);
    #[cfg(all(feature = "file_watcher", not(target_arch = "wasm32")))]
    crate::load::watch::files::register(app);
    app.init_resource::<LoaderOverrides>();
}
