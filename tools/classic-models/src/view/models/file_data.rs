//! Data of models that their scenes do not have: of LithTech models, whose files are read again, the bounds of all poses and the
//! positions of vertices that a shader moves; of LGW models, the materials; of Alamo models, the parts by name.

use crate::view::models::viewed_model::{ModelBounds, ViewedModel};
use crate::view::open::files::Folders;
use bevy::mesh::{MeshTag, VertexAttributeValues};
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloModel, AloPartKind, AloProxyInfo};
use bevy_classic_models::gpu::PoseBlend;
use bevy_classic_models::lgw::{LgwInstance, LgwMaterial};
use bevy_classic_models::lithtech::abc::AbcFile;
use bevy_classic_models::lithtech::{
    AbcInstance, AbcLoaderSettings, AbcMesh, ConvertedAbc, ConvertedDeform,
};
use bevy_classic_models::prelude::*;
use classic_models_support::stage::corners;

/// A position and a normal.
type Vertex = (Vec3, Vec3);

/// The vertices of a deforming mesh in every pose. On the entity of the mesh.
#[derive(Component)]
pub struct Poses(ConvertedDeform);

/// Counts of a model's file. On the root of the model.
#[derive(Component, Clone, Copy)]
pub struct FileCounts {
    pub vertices: u32,
    /// Levels of detail, not counting the full model.
    pub lods: u32,
}

/// Reads the files of models that were spawned or respawned, and computes their bounds.
pub fn read_files(
    mut commands: Commands,
    folders: Res<Folders>,
    models: Query<(Entity, &ViewedModel, &AbcInstance), Changed<AbcInstance>>,
    meshes: Query<&AbcMesh, With<MeshTag>>,
) {
    for (root, model, instance) in &models {
        // The file existed when it was loaded. If it cannot be read now, deformed vertices and counts are left out.
        let bytes = folders.read(&model.file).unwrap_or_default();
        let Ok(contents) = ConvertedAbc::load(&bytes, &AbcLoaderSettings::default()) else {
            let bounds = instance.model().bounds;
            let corners = corners(bounds.min.into(), bounds.max.into());
            commands.entity(root).insert(ModelBounds::around(corners));
            continue;
        };
        let geometry = &contents.file.geometry;
        let counts = FileCounts {
            vertices: geometry.base_vertices,
            lods: geometry.lods,
        };
        let bounds = ModelBounds::around(all_positions(&contents.file));
        commands.entity(root).insert((counts, bounds));
        for entity in instance.meshes() {
            let node = meshes.get(*entity).ok().and_then(|mesh| mesh.node);
            let deform = contents.deforms.iter().find(|of| Some(of.node) == node);
            if let Some(deform) = deform {
                commands.entity(*entity).insert(Poses(deform.clone()));
            }
        }
    }
}

/// The positions of the full model's vertices in the keyframes of all animations.
fn all_positions(file: &AbcFile<'_>) -> impl Iterator<Item = Vec3> {
    let animations = file.animations.iter().enumerate();
    let moments = animations.flat_map(|(index, animation)| {
        let keyframes = animation.keyframes.iter();
        keyframes.map(move |keyframe| (Some(index), keyframe.time as f32 / 1000.0))
    });
    // The bind pose, for models without animations.
    let moments = moments.chain([(None, 0.0)]);
    let count = file.geometry.base_vertices as usize;
    let positions = moments.flat_map(move |(animation, seconds)| {
        let positions = file.vertex_positions_in_model(animation, seconds);
        positions.into_iter().take(count)
    });
    // The file's space is left-handed.
    positions.map(|[x, y, z]| Vec3::new(x, y, -z))
}

impl Poses {
    /// The deformed vertices of the mesh in a pose of an instance, with their indices.
    pub fn shown(&self, mesh: &Mesh, shown: PoseBlend) -> Option<Vec<(usize, Vertex)>> {
        let slots = mesh.try_attribute(Mesh::ATTRIBUTE_UV_1).ok()?;
        let VertexAttributeValues::Float32x2(slots) = slots else {
            return None;
        };
        let moved = slots.iter().enumerate();
        let moved = moved.filter(|(_, [slot, _])| *slot >= 0.0);
        let vertices = moved.filter_map(|(index, [slot, _])| {
            let (position, normal) = self.0.vertex(shown, *slot as u32)?;
            Some((index, (position, normal.unwrap_or_default())))
        });
        Some(vertices.collect())
    }
}

/// The materials of a model, in file order. On its root.
#[derive(Component)]
pub struct ModelMaterials(pub Vec<LgwMaterial>);

impl ModelMaterials {
    /// The textures that were found.
    pub fn images(&self) -> impl Iterator<Item = &Handle<Image>> {
        let images = self.0.iter().flat_map(|material| &material.textures);
        // The placeholder of a missing texture has no path.
        images.flatten().filter(|image| image.path().is_some())
    }
}

/// Sets [`ModelMaterials`] of models that were spawned or respawned.
pub fn keep_materials(
    mut commands: Commands,
    models: Query<(Entity, &LgwInstance), Changed<LgwInstance>>,
    assets: Res<Assets<LgwMaterial>>,
) {
    for (root, instance) in &models {
        let materials = instance.model().materials.iter();
        let materials = materials.filter_map(|info| assets.get(&info.material).cloned());
        let materials = ModelMaterials(materials.collect());
        commands.entity(root).insert(materials);
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

/// The level count of a model's deepest tree.
pub fn levels(model: &AloModel) -> usize {
    let submeshes = model.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    let trees = submeshes.filter_map(|submesh| submesh.tree.as_ref());
    trees.map(|tree| tree.levels()).max().unwrap_or(0)
}
