//! Registers the crowds of a format with an app, and bakes their clips.

use crate::appearance::parts::choose_levels;
use crate::appearance::rebind_textures::rebind_changed_textures;
use crate::appearance::skins::ActiveMaterials;
use crate::crowd::bones::{despawn_unused_bones, pose_bones};
use crate::crowd::format::{CrowdFormat, CrowdMaterial};
use crate::crowd::members::{CrowdMember, write_poses};
use crate::crowd::meshes::{aabb, update_meshes};
use crate::crowd::models::CrowdModels;
use crate::crowd::pose_texture::PoseLines;
use crate::crowd::skinning::add_crowd_shader;
use crate::gpu::pose_table::{LINE_BYTES, PoseTable, add_pose_table, write_lines};
use crate::load::reloads::add_loading_check;
use crate::playback::skeletal::clips::edited;
use crate::playback::skeletal::pose_source::ClipOrigin;
use crate::root::environment::ClassicModelsSystems;
use bevy::app::AnimationSystems;
use bevy::asset::AssetEventSystems;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;
use bevy::render::render_asset::{RenderAssets, prepare_assets};
use bevy::render::renderer::{RenderDevice, RenderQueue};
use bevy::render::texture::GpuImage;
use bevy::render::{MainWorld, Render, RenderApp, RenderSystems};

/// Marks apps that have the systems that no format needs a second time.
#[derive(Resource)]
struct HasCrowds;

/// Adds the crowds of a format to an app.
pub(crate) fn add_crowds<F: CrowdFormat>(app: &mut App) {
    add_crowd_shader(app);
    app.add_plugins(MaterialPlugin::<CrowdMaterial<F>>::default())
        .init_resource::<PoseTable<CrowdMaterial<F>>>()
        .init_resource::<CrowdModels<F>>()
        .init_resource::<ActiveMaterials<F::Base>>();
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
    let Some(device) = app.world().get_resource::<RenderDevice>() else {
        return;
    };
    let size = device.limits().max_texture_dimension_2d;
    let mut models = app.world_mut().resource_mut::<CrowdModels<F>>();
    models.max_texture_size = size;
    app.init_resource::<PoseLines>();
    let Some(render_app) = app.get_sub_app_mut(RenderApp) else {
        return;
    };
    if !render_app.world().contains_resource::<PoseLines>() {
        render_app
            .init_resource::<PoseLines>()
            .add_systems(ExtractSchedule, extract_lines)
            .add_systems(
                Render,
                write_pose_lines
                    .in_set(RenderSystems::PrepareAssets)
                    .after(prepare_assets::<GpuImage>)
                    .before(RenderSystems::Render)
                    .run_if(resource_exists::<RenderQueue>),
            );
    }
}

/// Moves the lines of pose textures to the render world.
fn extract_lines(mut main: ResMut<MainWorld>, mut pending: ResMut<PoseLines>) {
    let Some(mut new) = main.get_resource_mut::<PoseLines>() else {
        return;
    };
    let PoseLines { replaced, lines } = core::mem::take(new.bypass_change_detection());
    pending
        .lines
        .retain(|lines| !replaced.contains(&lines.image));
    pending.lines.extend(lines);
}

/// Writes the lines whose images are prepared.
fn write_pose_lines(
    mut pending: ResMut<PoseLines>,
    images: Res<RenderAssets<GpuImage>>,
    queue: Res<RenderQueue>,
) {
    pending.lines.retain(|lines| {
        let end = lines.first + lines.bytes.len() as u32 / LINE_BYTES;
        let image = images.get(lines.image);
        let image = image.filter(|image| image.texture_descriptor.size.height >= end);
        if let Some(image) = image {
            write_lines(&queue, image, lines.first, &lines.bytes);
        }
        image.is_none()
    });
}

/// Retires edited clips, stores the clips whose tasks have finished, and drops what no member shows any more.
pub(crate) fn update_clips<F: CrowdFormat>(
    mut models: ResMut<CrowdModels<F>>,
    mut file_events: MessageReader<AssetEvent<F::ClipFile>>,
    mut clip_events: MessageReader<AssetEvent<AnimationClip>>,
) {
    let (files, clips) = (edited(&mut file_events), edited(&mut clip_events));
    let models = models.bypass_change_detection();
    for model in models.iter_mut() {
        // A skin may hold images.
        model.appearances.remove_dropped();
        let (crowd_clips, mut target) = model.clips();
        if !files.is_empty() || !clips.is_empty() {
            crowd_clips.retire(|clip, origin| match origin {
                ClipOrigin::Model => false,
                ClipOrigin::Clip => clips.contains(&clip),
                ClipOrigin::File(file) => {
                    clips.contains(&clip) || files.contains(&file.typed_debug_checked())
                }
            });
        }
        crowd_clips.finish(&mut target);
        crowd_clips.free_unused(target.texture);
    }
}

/// Uploads the clips that were baked, and updates the boxes of the members' meshes.
pub(crate) fn upload_clips<F: CrowdFormat>(
    mut models: ResMut<CrowdModels<F>>,
    mut images: ResMut<Assets<Image>>,
    mut writes: Option<ResMut<PoseLines>>,
    mut materials: ResMut<Assets<CrowdMaterial<F>>>,
    members: Query<&CrowdMember<F>>,
    mut boxes: Query<&mut Aabb>,
) {
    let models = models.bypass_change_detection();
    let mut is_any_resized = false;
    for model in models.iter_mut() {
        if !model.texture.is_changed() {
            continue;
        }
        is_any_resized |= model.mesh_bounds != model.bounds;
        model.mesh_bounds = model.bounds;
        if !model.texture.upload(&mut images, writes.as_deref_mut()) {
            continue;
        }
        for (material, _) in model.appearances.materials() {
            // Marks the material as changed, so that it binds the new texture.
            if let Some(material) = materials.get_mut(&material) {
                material.into_inner();
            }
        }
    }
    if !is_any_resized {
        return;
    }
    for member in &members {
        let Some(model) = models.get(member.slot) else {
            continue;
        };
        let bounds = aabb(model.bounds);
        for mesh in &member.meshes {
            if let Ok(mut current) = boxes.get_mut(*mesh)
                && (current.center, current.half_extents) != (bounds.center, bounds.half_extents)
            {
                *current = bounds;
            }
        }
    }
}

/// Whether the clip of a member is being baked.
pub(crate) fn is_baking<F: CrowdFormat>(_: &World, entity: EntityRef<'_>) -> bool {
    let member = entity.get::<CrowdMember<F>>();
    member.is_some_and(|member| member.is_baking)
}
