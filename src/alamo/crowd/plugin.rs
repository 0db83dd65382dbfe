//! Registers crowds with an app.

use crate::alamo::animation::AloAnimator;
use crate::alamo::asset::Alo;
use crate::alamo::components::{AloCrowdScene, AloInstance};
use crate::alamo::crowd::bones::pose_bones;
use crate::alamo::crowd::material::{AloCrowdMaterial, AloPoseTable};
use crate::alamo::crowd::model::CrowdModels;
use crate::alamo::crowd::parts::{color_crowds, update_looks};
use crate::alamo::crowd::poses::{is_baking, update_clips, upload_clips, write_poses};
use crate::crowd::{add_crowd_shader, despawn_unused_bones};
use crate::scene::{
    ClassicModelsSystems, ModelFormats, add_loading_check, add_pose_table, choose_levels,
    follow_player, rebind_changed_textures,
};
use bevy::app::{AnimationSystems, App, Plugin, PostUpdate};
use bevy::asset::AssetEventSystems;
use bevy::camera::visibility::VisibilitySystems;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::pbr::MaterialPlugin;
use bevy::render::renderer::RenderDevice;
use bevy::transform::TransformSystems;

/// Crowds of Alamo models.
pub(in crate::alamo) struct AloCrowdPlugin;

impl Plugin for AloCrowdPlugin {
    fn build(&self, app: &mut App) {
        add_crowd_shader(app);
        app.add_plugins(MaterialPlugin::<AloCrowdMaterial>::default())
            .init_resource::<AloPoseTable>()
            .init_resource::<CrowdModels>()
            .register_type::<AloCrowdScene>();
        rebind_changed_textures::<AloCrowdMaterial>(app);
        add_loading_check(app, is_baking);
        app.world_mut()
            .get_resource_or_init::<ModelFormats>()
            .add_crowd::<Alo>(|model| model.crowd.as_ref());
        app.add_systems(
            PostUpdate,
            (
                (update_looks, color_crowds)
                    .after(choose_levels::<AloInstance>)
                    .in_set(ClassicModelsSystems::Appearance),
                (
                    (update_clips, write_poses, upload_clips).chain(),
                    pose_bones,
                    despawn_unused_bones,
                )
                    .chain()
                    .in_set(ClassicModelsSystems::Crowds),
            ),
        )
        .configure_sets(
            PostUpdate,
            ClassicModelsSystems::Crowds
                .after(AnimationSystems)
                .after(ClassicModelsSystems::Appearance)
                .after(follow_player::<AloAnimator>)
                .before(AssetEventSystems)
                .before(TransformSystems::Propagate)
                .before(VisibilitySystems::CalculateBounds)
                .before(VisibilitySystems::VisibilityPropagate),
        );
    }

    fn finish(&self, app: &mut App) {
        add_pose_table::<AloCrowdMaterial>(app);
        if let Some(device) = app.world().get_resource::<RenderDevice>() {
            let size = device.limits().max_texture_dimension_2d;
            app.world_mut()
                .resource_mut::<CrowdModels>()
                .max_texture_size = size;
        }
    }
}
