//! What is known of a LithTech model's file beyond the asset that its loader made: how much room all
//! its poses take, and where the vertices are that a shader moves, of which the GPU alone has what the
//! loader made. For that the file is read again.

use crate::view::models::ViewedModel;
use crate::view::rooms::Room;
use bevy::mesh::{MeshTag, VertexAttributeValues};
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::AbcFile;
use bevy_classic_models::lithtech::{AbcInstance, AbcLoaderSettings};
use bevy_classic_models::lithtech::{AbcMesh, ConvertedAbc, ConvertedDeform};
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::PoseBlend;
use classic_models_support::stage::corners;

/// A place and a normal.
type Vertex = (Vec3, Vec3);

/// On the entity of a mesh that deforms: its vertices in every pose.
#[derive(Component)]
pub struct Poses(ConvertedDeform);

/// How much there is in the file of a model. On its root.
#[derive(Component, Clone, Copy)]
pub struct FileCounts {
    pub vertices: u32,
    /// Levels of detail beside the full model.
    pub lods: u32,
}

/// Reads the files of models that were spawned, or spawned anew, and measures the models.
pub fn read_files(
    mut commands: Commands,
    models: Query<(Entity, &ViewedModel, &AbcInstance), Changed<AbcInstance>>,
    meshes: Query<&AbcMesh, With<MeshTag>>,
) {
    for (root, model, instance) in &models {
        // It was there when it was loaded. Else less is drawn, and less told.
        let bytes = std::fs::read(&model.file).unwrap_or_default();
        let Ok(contents) = ConvertedAbc::load(&bytes, &AbcLoaderSettings::default()) else {
            let bounds = instance.model().bounds;
            let corners = corners(bounds.min.into(), bounds.max.into());
            commands.entity(root).insert(Room::around(corners));
            continue;
        };
        let geometry = &contents.file.geometry;
        let counts = FileCounts {
            vertices: geometry.base_vertices,
            lods: geometry.lods,
        };
        let room = Room::around(all_places(&contents.file));
        commands.entity(root).insert((counts, room));
        for entity in instance.meshes() {
            let node = meshes.get(*entity).ok().and_then(|mesh| mesh.node);
            let deform = contents.deforms.iter().find(|of| Some(of.node) == node);
            if let Some(deform) = deform {
                commands.entity(*entity).insert(Poses(deform.clone()));
            }
        }
    }
}

/// Where the vertices of the full model are in the keyframes of all animations.
fn all_places(file: &AbcFile<'_>) -> impl Iterator<Item = Vec3> {
    let animations = file.animations.iter().enumerate();
    let moments = animations.flat_map(|(index, animation)| {
        let keyframes = animation.keyframes.iter();
        keyframes.map(move |keyframe| (Some(index), keyframe.time as f32 / 1000.0))
    });
    // And as it was built, if there are none.
    let moments = moments.chain([(None, 0.0)]);
    let count = file.geometry.base_vertices as usize;
    let places = moments.flat_map(move |(animation, seconds)| {
        let places = file.vertex_positions_in_model(animation, seconds);
        places.into_iter().take(count)
    });
    // From the file's left-handed space.
    places.map(|[x, y, z]| Vec3::new(x, y, -z))
}

impl Poses {
    /// The vertices of the mesh that are moved, by their indices, as an instance shows them.
    pub fn shown(&self, mesh: &Mesh, shown: PoseBlend) -> Option<Vec<(usize, Vertex)>> {
        let slots = mesh.try_attribute(Mesh::ATTRIBUTE_UV_1).ok()?;
        let VertexAttributeValues::Float32x2(slots) = slots else {
            return None;
        };
        let moved = slots.iter().enumerate();
        let moved = moved.filter(|(_, [slot, _])| *slot >= 0.0);
        let vertices = moved.filter_map(|(index, [slot, _])| {
            let (place, normal) = self.0.vertex(shown, *slot as u32)?;
            Some((index, (place, normal.unwrap_or_default())))
        });
        Some(vertices.collect())
    }
}
