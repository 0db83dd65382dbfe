//! Builds the scene of a model, which is one entity.

use crate::formats::quake::asset::{MdlAssetLabel, MdlModel};
use crate::formats::quake::components::MdlMesh;
use crate::formats::quake::settings::MdlLoaderSettings;
use crate::geometry::axes::z_up_forward_x;
use bevy::asset::LoadContext;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::NoAutoAabb;
use bevy::prelude::*;
use std::sync::Arc;

pub(crate) fn scene(
    model: &Arc<MdlModel>,
    settings: &MdlLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Handle<WorldAsset> {
    let path = load_context.path();
    let name = path.path().file_stem().unwrap_or_default();
    let name = Name::new(name.to_string_lossy().into_owned());
    let transform = if settings.convert_axes {
        z_up_forward_x().transform(settings.scale)
    } else {
        Transform::from_scale(Vec3::splat(settings.scale))
    };
    let (min, max) = model.poses.bounds();
    let mut world = World::new();
    let mut entity = world.spawn((
        name,
        transform,
        Visibility::default(),
        Mesh3d(model.mesh.clone()),
        Aabb::from_min_max(min, max),
        NoAutoAabb,
        MdlMesh(model.clone()),
    ));
    if let Some(material) = model.material(0, 0) {
        entity.insert(MeshMaterial3d(material.clone()));
    }
    load_context.add_labeled_asset(MdlAssetLabel::Scene.to_string(), WorldAsset::new(world))
}
