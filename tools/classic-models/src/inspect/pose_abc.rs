//! Positions of the vertices of LithTech models.
//!
//! The positions of nodes and skinned meshes are those of the spawned model. The positions of deforming vertices in
//! their nodes come from the file, because the plugin has them only on the GPU, quantized to two bytes.

use crate::inspect::description::{Failure, Posed};
use crate::inspect::pose::{Poser, no_clip};
use bevy::asset::AssetPath;
use bevy::ecs::system::RunSystemOnce;
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::{self, AbcFile};
use bevy_classic_models::lithtech::{
    Abc, AbcAnimator, AbcInstance, AbcLoaderSettings, AbcMesh, MAX_SCENE_DEPTH,
};
use classic_models_support::gpuless;
use classic_models_support::world_vertices::WorldVertices;

/// The drawn meshes and the nodes of a spawned model.
#[derive(Default)]
struct Drawn {
    meshes: Vec<DrawnMesh>,
    /// The transform of each node to world space.
    nodes: Vec<Affine3A>,
}

struct DrawnMesh {
    /// The node of the mesh; `None` for the mesh of all nodes without a mesh of their own.
    node: Option<usize>,
    /// Positions of the corners of its triangles.
    triangles: Vec<[Vec3; 3]>,
}

impl Poser {
    /// Measures a model. `None` if nothing is drawn.
    pub(crate) fn pose_abc(
        &mut self,
        path: AssetPath<'static>,
        bytes: &[u8],
    ) -> Result<Option<Posed>, Failure> {
        let file = abc::parse(bytes)?;
        let clip = self.clip_of(&file)?;
        let seconds = self.request.seconds();
        if file.depth() > MAX_SCENE_DEPTH {
            return Ok(Posed::of(file_positions(&file, clip, seconds)));
        }
        let abc = self.load_as(path, |settings: &mut AbcLoaderSettings| {
            settings.load_textures = false;
            settings.lod_shares = Vec::new();
        })?;
        let root = self.spawn(&abc, |abc: &Abc| &abc.scene);
        let posed = self.draw(root, clip).and_then(|drawn| {
            let mut posed = Posed::of(positions(&file, &drawn, clip, seconds));
            if let Some(clip) = clip {
                self.add_stride(root, clip.into(), &mut posed)?;
            }
            Ok(posed)
        });
        self.despawn(root);
        posed
    }

    /// The index of the requested clip: the first with this exact name, otherwise the first with this name in any case.
    /// Without a request, the first clip if any.
    fn clip_of(&self, file: &AbcFile<'_>) -> Result<Option<usize>, Failure> {
        let names = || file.animations.iter().map(|animation| &*animation.name);
        let Some(wanted) = &self.request.animation else {
            return Ok(names().next().map(|_| 0));
        };
        let found = names().position(|name| name == wanted);
        let found = found.or_else(|| names().position(|name| name.eq_ignore_ascii_case(wanted)));
        match found {
            Some(index) => Ok(Some(index)),
            None => Err(no_clip(
                &wanted.as_str().into(),
                &names().collect::<Vec<_>>(),
            )),
        }
    }

    /// The drawn meshes at the requested time.
    fn draw(&mut self, root: Entity, clip: Option<usize>) -> Result<Drawn, Failure> {
        self.await_on::<AbcInstance>(root)?;
        if let Some(clip) = clip {
            let play = self.still(clip);
            self.app.world_mut().entity_mut(root).insert(play);
            self.await_clip(|world| {
                let animator = world.get::<AbcAnimator>(root);
                animator.is_some_and(|animator| animator.clip().is_some())
            })?;
        }
        gpuless::step(&mut self.app, 0.0);
        let world = self.app.world_mut();
        let drawn = world.run_system_once_with(drawn, root);
        drawn.map_err(Failure::new)
    }
}

/// The drawn meshes and the nodes of a model.
fn drawn(
    root: In<Entity>,
    instances: Query<&AbcInstance>,
    meshes: Query<&AbcMesh>,
    transforms: Query<&GlobalTransform>,
    world_vertices: WorldVertices,
) -> Drawn {
    let Ok(instance) = instances.get(*root) else {
        return Drawn::default();
    };
    let mesh = |entity: &Entity| {
        Some(DrawnMesh {
            node: meshes.get(*entity).ok()?.node,
            triangles: triangles(*entity, &world_vertices)?,
        })
    };
    let node = |entity: &Entity| transforms.get(*entity).map(GlobalTransform::affine);
    Drawn {
        meshes: instance.meshes().iter().filter_map(mesh).collect(),
        nodes: instance
            .nodes()
            .iter()
            .map(|entity| node(entity).unwrap_or_default())
            .collect(),
    }
}

/// Positions of the corners of a mesh's triangles.
fn triangles(entity: Entity, world_vertices: &WorldVertices) -> Option<Vec<[Vec3; 3]>> {
    let vertices = world_vertices.positions(entity)?;
    let indices = world_vertices.mesh(entity)?.indices()?;
    let corners = indices.iter().map(|index| vertices.get(index).copied());
    let corners: Option<Vec<Vec3>> = corners.collect();
    Some(corners?.as_chunks().0.to_vec())
}

/// Positions of the file's vertices that triangles use, for a model whose nodes are too deep for a scene.
fn file_positions(file: &AbcFile<'_>, clip: Option<usize>, seconds: f32) -> Vec<Vec3> {
    let positions = file.vertex_positions_in_model(clip, seconds);
    let positions = positions.into_iter().zip(used(file));
    let used = positions.filter_map(|(position, is_used)| is_used.then_some(position));
    used.map(|[x, y, z]| Vec3::new(x, y, -z)).collect()
}

/// For each vertex of a file, whether a triangle uses it.
fn used(file: &AbcFile<'_>) -> Vec<bool> {
    let mut used = vec![false; file.geometry.vertices.len()];
    let triangles = file.geometry.triangles.iter();
    for index in triangles.flat_map(|triangle| triangle.indices()) {
        if let Some(used) = used.get_mut(index as usize) {
            *used = true;
        }
    }
    used
}

/// Positions of the file's vertices that triangles use.
fn positions(file: &AbcFile<'_>, drawn: &Drawn, clip: Option<usize>, seconds: f32) -> Vec<Vec3> {
    let geometry = &file.geometry;
    let mut positions = drawn_positions(file, &drawn.meshes);
    for index in file.nodes.iter().flat_map(|node| node.deform_vertices) {
        if let Some(position) = positions.get_mut(usize::from(index.get())) {
            *position = None;
        }
    }
    // For the deforming vertices, those without a drawn mesh, and those that only degenerate triangles use.
    let in_nodes = file.vertex_positions(clip, seconds);
    let in_world = |index: usize| {
        let node = geometry.vertices.get(index)?.node;
        let [x, y, z] = *in_nodes.get(index)?;
        let node = drawn.nodes.get(usize::from(node))?;
        Some(node.transform_point3(Vec3::new(x, y, -z)))
    };
    let positions = positions.into_iter().zip(used(file)).enumerate();
    let used = positions.filter(|(_, (_, is_used))| *is_used);
    used.filter_map(|(index, (position, _))| position.or_else(|| in_world(index)))
        .collect()
}

/// The position of each vertex of the file in the drawn meshes. The meshes' triangles are in the order of the file.
fn drawn_positions(file: &AbcFile<'_>, meshes: &[DrawnMesh]) -> Vec<Option<Vec3>> {
    let geometry = &file.geometry;
    let mut positions = vec![None; geometry.vertices.len()];
    let node = |vertex: u32| {
        let vertex = geometry.vertices.get(vertex as usize);
        vertex.map_or(0, |vertex| usize::from(vertex.node))
    };
    let full = geometry.lod(0).triangles;
    let has_own = |node| meshes.iter().any(|mesh| mesh.node == Some(node));
    for mesh in meshes {
        let is_in = |[first, ..]: &[u32; 3]| match mesh.node {
            Some(of_mesh) => of_mesh == node(*first),
            None => !has_own(node(*first)),
        };
        let corners = full.iter().map(|triangle| triangle.vertices);
        for ([a, b, c], triangle) in corners.filter(is_in).zip(&mesh.triangles) {
            // Mirroring reverses the triangles, unless the file's flag says that they are reversed already.
            let drawn = match file.transform().flip_geometry {
                true => [a, b, c],
                false => [a, c, b],
            };
            for (vertex, position) in drawn.into_iter().zip(triangle) {
                // The mesh of a node cannot follow another node. No real file has such vertices.
                if mesh.node.is_none_or(|of_mesh| of_mesh == node(vertex))
                    && let Some(entry) = positions.get_mut(vertex as usize)
                {
                    *entry = Some(*position);
                }
            }
        }
    }
    positions
}
