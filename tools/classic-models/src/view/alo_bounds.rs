//! Computes the bounds of Alamo models in their rest pose, and of particle systems.

use crate::view::model_bounds::ModelBounds;
use crate::view::particle_bounds::particle_corners;
use crate::view::particle_systems::ParticleFile;
use bevy::math::Affine3A;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloInstance, AloParticleSystem, AloParticles};
use bevy_classic_models::alamo::{AloModel, AloSceneRoot};
use classic_models_support::stage::corners;

/// The root of a scene.
type SceneRoot = (
    &'static Transform,
    &'static ChildOf,
    Option<&'static AloParticleSystem>,
);

/// Computes the bounds of Alamo models that were spawned or respawned. Those of a particle system
/// contain its particles.
pub fn measure_alo(
    mut commands: Commands,
    instances: Query<(Entity, &AloInstance, &Transform), Changed<AloInstance>>,
    (meshes, particles): (Res<Assets<Mesh>>, Res<Assets<AloParticles>>),
    scenes: Query<SceneRoot, With<AloSceneRoot>>,
) {
    for (entity, instance, root) in &instances {
        let mut scenes = scenes.iter();
        let scene = scenes.find(|(_, parent, _)| parent.parent() == entity);
        let to_scene = scene.map_or(Affine3A::IDENTITY, |(scene, ..)| scene.compute_affine());
        let to_row = Affine3A::from_quat(root.rotation) * to_scene;
        let system = scene.and_then(|(.., system)| system);
        let points = match system.and_then(|system| particles.get(&system.0)) {
            Some(particles) => particle_corners(particles).to_vec(),
            None => points(instance.model(), &meshes),
        };
        let points = points.into_iter();
        let bounds = ModelBounds::around(points.map(|point| to_row.transform_point3(point)));
        let mut root = commands.entity(entity);
        root.insert(bounds);
        match system {
            Some(system) => root.insert(ParticleFile(system.0.clone())),
            None => root.remove::<ParticleFile>(),
        };
    }
}

/// The positions that the bounds contain: the vertices of the meshes that are drawn. If there are none, the vertices of
/// all meshes; otherwise bones and dazzles.
fn points(model: &AloModel, meshes: &Assets<Mesh>) -> Vec<Vec3> {
    let shown = vertices(model, meshes, true);
    if !shown.is_empty() {
        return shown;
    }
    let all = vertices(model, meshes, false);
    if !all.is_empty() {
        return all;
    }
    let bones = model.bones.iter();
    let mut points: Vec<Vec3> = bones.map(|b| b.bind_pose.translation.into()).collect();
    points.extend(model.dazzles.iter().flat_map(|dazzle| {
        let bone = model.bones.get(dazzle.bone as usize);
        let center = Vec3::from_array(dazzle.position);
        let radius = Vec3::splat(dazzle.radius);
        let around = corners(center - radius, center + radius);
        bone.map(|bone| around.map(|corner| bone.bind_pose.transform_point3(corner)))
            .into_iter()
            .flatten()
    }));
    let (low, high) = points
        .iter()
        .fold((Vec3::MAX, Vec3::MIN), |(low, high), p| {
            (low.min(*p), high.max(*p))
        });
    if (high - low).max_element() < 1e-3 {
        points.extend(corners(low - 1.0, high + 1.0));
    }
    points
}

/// The vertices of meshes in the rest pose. `only_shown` leaves out hidden meshes, coarser LODs and damage stages.
fn vertices(model: &AloModel, meshes: &Assets<Mesh>, only_shown: bool) -> Vec<Vec3> {
    let mut points = Vec::new();
    for mesh in &model.meshes {
        let tags = &mesh.tags;
        let shows = (tags.lod.is_none() || tags.lod == model.lod(0))
            && tags.alt.is_none_or(|alt| alt == 0)
            && !mesh.hidden
            && model.is_bone_visible(mesh.bone);
        if only_shown && !shows {
            continue;
        }
        for submesh in mesh.submeshes.iter().filter(|s| s.material.is_some()) {
            // Skinned vertices are in the model's space already.
            let bone = model.bones.get(mesh.bone);
            let bone = bone.filter(|_| submesh.palette.is_empty());
            let to_model = bone.map_or(Affine3A::IDENTITY, |bone| bone.bind_pose);
            let mesh = submesh.mesh.as_ref().and_then(|mesh| meshes.get(mesh));
            if let Some(corners) = mesh.and_then(triangle_corners) {
                points.extend(corners.into_iter().map(|at| to_model.transform_point3(at)));
            } else {
                let (min, max) = (submesh.bounds.min.into(), submesh.bounds.max.into());
                points.extend(corners(min, max).map(|corner| to_model.transform_point3(corner)));
            }
        }
    }
    points
}

/// The corners of a mesh's triangles, unless its data are only on the GPU.
fn triangle_corners(mesh: &Mesh) -> Option<Vec<Vec3>> {
    let VertexAttributeValues::Float32x3(positions) =
        mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?
    else {
        return None;
    };
    let indices = mesh.try_indices().ok()?.iter();
    let corners = indices.filter_map(|index| positions.get(index));
    Some(corners.map(|at| Vec3::from_array(*at)).collect())
}
