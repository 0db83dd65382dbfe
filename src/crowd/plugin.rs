//! Registers the crowds of a format with an app.

use crate::appearance::parts::choose_levels;
use crate::appearance::rebind_textures::rebind_changed_textures;
use crate::appearance::skins::ActiveMaterials;
use crate::crowd::bones::{despawn_unused_bones, pose_bones};
use crate::crowd::clips::{is_baking, update_clips, upload_clips};
use crate::crowd::format::{CrowdFormat, CrowdMaterial};
use crate::crowd::members::{CrowdScene, write_poses};
use crate::crowd::meshes::update_meshes;
use crate::crowd::models::CrowdModels;
use crate::crowd::skinning::add_crowd_shader;
use crate::gpu::pose_table::{PoseTable, add_pose_table};
use crate::load::reloads::add_loading_check;
use crate::root::environment::ClassicModelsSystems;
use bevy::app::AnimationSystems;
use bevy::asset::AssetEventSystems;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;
use bevy::render::renderer::RenderDevice;

/// Marks apps that have the systems that no format needs a second time.
#[derive(Resource)]
struct HasCrowds;

/// Adds the crowds of a format to an app.
pub(crate) fn add_crowds<F: CrowdFormat>(app: &mut App) {
    add_crowd_shader(app);
    app.add_plugins(MaterialPlugin::<CrowdMaterial<F>>::default())
        .init_resource::<PoseTable<CrowdMaterial<F>>>()
        .init_resource::<CrowdModels<F>>()
        .init_resource::<ActiveMaterials<F::Base>>()
        // A scene may hold only what is registered.
        .register_type::<CrowdScene>();
    rebind_changed_textures::<CrowdMaterial<F>>(app);
    add_loading_check(app, is_baking::<F>);
    app.add_systems(
        PostUpdate,
        (
            (update_clips::<F>, write_poses::<F>, upload_clips::<F>).chain(),
            pose_bones::<F>.before(despawn_unused_bones),
        )
            .chain()
            .in_set(ClassicModelsSystems::Crowds),
    )
    .add_systems(
        PostUpdate,
        update_meshes::<F>
            .after(choose_levels::<F>)
            .in_set(ClassicModelsSystems::Appearance),
    );
    if !app.world().contains_resource::<HasCrowds>() {
        app.insert_resource(HasCrowds);
        app.add_systems(
            PostUpdate,
            despawn_unused_bones.in_set(ClassicModelsSystems::Crowds),
        )
        .configure_sets(
            PostUpdate,
            ClassicModelsSystems::Crowds
                .after(AnimationSystems)
                .after(ClassicModelsSystems::Appearance)
                .before(AssetEventSystems)
                .before(TransformSystems::Propagate)
                .before(VisibilitySystems::CalculateBounds)
                .before(VisibilitySystems::VisibilityPropagate),
        );
    }
}

/// Adds the parts that need the renderer. Call it in [`Plugin::finish`](bevy::app::Plugin::finish).
pub(crate) fn finish_crowds<F: CrowdFormat>(app: &mut App) {
    add_pose_table::<CrowdMaterial<F>>(app);
    if let Some(device) = app.world().get_resource::<RenderDevice>() {
        let size = device.limits().max_texture_dimension_2d;
        let mut models = app.world_mut().resource_mut::<CrowdModels<F>>();
        models.max_texture_size = size;
    }
}
