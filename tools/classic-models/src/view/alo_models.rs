//! Alamo models: their loader settings, parts, team colors and bounds.

use crate::view::args::Args;
use crate::view::files::Folders;
use crate::view::model_bounds::ModelBounds;
use crate::view::particle_systems::ParticleFile;
use crate::view::particle_systems::particle_corners;
use crate::view::viewed_model::ViewedModel;
use bevy::math::Affine3A;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use bevy_classic_models::alamo::{
    Alo, AloInstance, AloLoaderSettings, AloModel, AloPartKind, AloParticleSystem, AloParticles,
    AloProxyInfo, AloSceneRoot,
};
use bevy_classic_models::prelude::*;
use classic_models_support::stage::corners;

/// Quake units per Alamo unit, so that models of both formats have similar sizes in the row.
const SCALE: f32 = 4.0;

/// The loader settings of models.
pub fn settings(folders: &Folders) -> impl Fn(&mut AloLoaderSettings) + Send + Sync + 'static {
    let textures = folders.texture_folders();
    move |settings| {
        settings.scale = SCALE;
        settings.texture_folders.extend(textures.iter().cloned());
    }
}

/// Spawns Alamo models that have been loaded.
pub fn spawn_alo(
    mut commands: Commands,
    args: Res<Args>,
    (assets, particles): (Res<Assets<Alo>>, Res<Assets<AloParticles>>),
    models: Query<(Entity, &ViewedModel), Without<WorldAssetRoot>>,
) {
    for (entity, model) in models.iter().filter(|(_, model)| model.manifest.is_none()) {
        let Some(alo) = model.asset(&assets) else {
            continue;
        };
        let mut entity = commands.entity(entity);
        entity.insert((
            WorldAssetRoot(alo.scene.clone()),
            ModelLod(args.lod.unwrap_or_default()),
            DamageStage(args.damage_stage.unwrap_or_default()),
            args.parts.applied_to(PartVisibility::default()),
        ));
        if let Some(team) = args.team {
            entity.insert(TeamColor(team));
        }
        if let Some(particles) = alo.particles.as_ref().and_then(|of| particles.get(of)) {
            info!("{}: {} emitters", model.name, particles.emitters.len());
            continue;
        }
        info!(
            "{}: {} bones, {} meshes, {} lights, {} proxies, {} dazzles, {} clips",
            model.name,
            alo.bones.len(),
            alo.meshes.len(),
            alo.lights.len(),
            alo.proxies.len(),
            alo.dazzles.len(),
            alo.animations.len()
        );
    }
}

/// Names and values of the team colors to choose from.
pub const TEAMS: [(&str, Color); 4] = [
    ("red", Color::srgb(0.75, 0.09, 0.09)),
    ("blue", Color::srgb(0.1, 0.25, 0.8)),
    ("green", Color::srgb(0.1, 0.6, 0.15)),
    ("yellow", Color::srgb(0.85, 0.7, 0.1)),
];

/// All parts of one kind with the same name.
pub struct Part {
    pub kind: AloPartKind,
    pub name: String,
    pub count: usize,
    /// Whether the file hides all of them.
    pub hidden: bool,
    /// Whether none of them is ever drawn, such as collision meshes and shadow volumes.
    pub is_data: bool,
}

/// The parts of a model: meshes, lights, proxies and dazzles, each kind in file order.
pub fn parts(model: &AloModel) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |kind, name: &str, hidden: bool, is_data: bool| {
        let same = |part: &&mut Part| part.kind == kind && part.name.eq_ignore_ascii_case(name);
        if let Some(part) = parts.iter_mut().find(same) {
            part.count += 1;
            part.hidden &= hidden;
            part.is_data &= is_data;
            return;
        }
        parts.push(Part {
            kind,
            name: name.to_owned(),
            count: 1,
            hidden,
            is_data,
        });
    };
    for mesh in &model.meshes {
        let is_data = mesh.submeshes.iter().all(|part| part.material.is_none());
        add(AloPartKind::Mesh, &mesh.name, mesh.hidden, is_data);
    }
    for light in &model.lights {
        add(AloPartKind::Light, &light.name, false, false);
    }
    for AloProxyInfo { proxy, .. } in &model.proxies {
        let hidden = proxy.hidden.unwrap_or(false);
        add(AloPartKind::Proxy, &proxy.name, hidden, false);
    }
    for dazzle in &model.dazzles {
        add(AloPartKind::Dazzles, &dazzle.name, dazzle.is_hidden, false);
    }
    parts
}

/// The index in [`TEAMS`] of a team color, if it is one of them.
pub fn team_index(team: Option<&TeamColor>) -> Option<usize> {
    let team = team?;
    TEAMS.iter().position(|(_, color)| *color == team.0)
}

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
