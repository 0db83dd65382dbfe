//! Makes the scene of a model: one entity per mesh.

use crate::formats::lgw::asset::{LgwAssetLabel, LgwMeshInfo, LgwModel};
use crate::formats::lgw::components::{LgwMesh, LgwScene};
use crate::formats::lgw::settings::{LgwLoaderSettings, LgwUpAxis};
use crate::geometry::axes::{Axes, Mirror, z_up_forward_minus_y};
use bevy::asset::LoadContext;
use bevy::camera::primitives::Aabb;
use bevy::prelude::*;
use std::sync::Arc;

pub(crate) fn scene(
    model: &Arc<LgwModel>,
    settings: &LgwLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Handle<WorldAsset> {
    let axes = match settings.up_axis {
        LgwUpAxis::Z if settings.convert_axes => z_up_forward_minus_y(),
        LgwUpAxis::Y | LgwUpAxis::Z => Axes {
            rotation: Quat::IDENTITY,
        },
    };
    let path = load_context.path();
    let name = path.path().file_stem().unwrap_or_default();
    let mut world = World::new();
    let root = (
        Name::new(name.to_string_lossy().into_owned()),
        axes.transform(settings.scale),
        Visibility::default(),
        LgwScene(model.clone()),
        Mirror(settings.mirror()),
    );
    let root = world.spawn(root).id();
    for (index, mesh) in model.meshes.iter().enumerate() {
        spawn_mesh(&mut world, root, model, (index, mesh));
    }
    let scene = WorldAsset::new(world);
    load_context.add_labeled_asset(LgwAssetLabel::Scene.to_string(), scene)
}

fn spawn_mesh(
    world: &mut World,
    root: Entity,
    model: &LgwModel,
    (index, mesh): (usize, &LgwMeshInfo),
) {
    let mut entity = world.spawn((
        Name::new(mesh.name.to_string()),
        Transform::IDENTITY,
        Visibility::Inherited,
        LgwMesh { index },
        ChildOf(root),
    ));
    if let (Some(handle), Some(bounds)) = (&mesh.mesh, mesh.bounds) {
        let aabb = Aabb::from_min_max(bounds.min.into(), bounds.max.into());
        entity.insert((Mesh3d(handle.clone()), aabb));
        if let Some(material) = model.render_material(mesh) {
            material.insert(entity);
        }
    }
}
