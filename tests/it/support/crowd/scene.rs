//! The vertices of scenes of any format, in the order in which a crowd draws them.

use crate::support::abc_app::mesh_vertices;
use crate::support::prelude::*;
use bevy_classic_models::lithtech::surface_flags;

/// The vertices of a scene, in the order in which a crowd draws them.
pub fn scene_vertices(world: &mut World, root: Entity) -> Vec<PosedVertex> {
    match world.get::<AbcInstance>(root) {
        Some(_) => abc_vertices(world, root),
        None => alo_vertices(world, root),
    }
}

/// Groups meshes by a key. Groups are in the order of their first meshes.
fn grouped<K: PartialEq>(meshes: impl Iterator<Item = (K, Entity)>) -> Vec<Entity> {
    let mut groups: Vec<(K, Vec<Entity>)> = Vec::new();
    for (key, entity) in meshes {
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, entities)) => entities.push(entity),
            None => groups.push((key, vec![entity])),
        }
    }
    groups
        .into_iter()
        .flat_map(|(_, entities)| entities)
        .collect()
}

/// The sub-meshes that an Alamo model shows, ordered as a crowd merges them.
fn alo_meshes(world: &mut World, root: Entity) -> Vec<Entity> {
    let instance = world.get::<AloInstance>(root).unwrap();
    let (model, parts) = (instance.model().clone(), instance.parts().to_vec());
    let mut found = Vec::new();
    for part in parts {
        // A crowd also has the meshes that only their bones hide.
        if !world.get::<AloPart>(part).is_some_and(|part| part.shown) {
            continue;
        }
        for child in world.get::<Children>(part).into_iter().flatten() {
            let index = world.get::<AloSubmeshIndex>(*child);
            if let Some(index) = index.filter(|_| world.get::<Mesh3d>(*child).is_some()) {
                found.push(((index.mesh, index.submesh), *child));
            }
        }
    }
    found.sort_unstable();
    grouped(found.into_iter().map(|((mesh, submesh), entity)| {
        let material = model.meshes[mesh].submeshes[submesh].material.as_ref();
        let meshes = world.resource::<Assets<Mesh>>();
        let mesh = meshes.get(&world.get::<Mesh3d>(entity).unwrap().0).unwrap();
        let has = |attribute| mesh.attribute(attribute).is_some();
        let key = (
            material.unwrap().id(),
            world.get::<NotShadowCaster>(entity).is_some(),
            [
                has(Mesh::ATTRIBUTE_UV_1),
                has(Mesh::ATTRIBUTE_TANGENT),
                has(Mesh::ATTRIBUTE_COLOR),
            ],
        );
        (key, entity)
    }))
}

fn alo_vertices(world: &mut World, root: Entity) -> Vec<PosedVertex> {
    let mut vertices = Vec::new();
    let mut state = bevy::ecs::system::SystemState::<WorldVertices>::new(world);
    for entity in alo_meshes(world, root) {
        let is_visible = world.get::<InheritedVisibility>(entity).unwrap().get();
        let positions = state.get(world).unwrap().positions(entity).unwrap();
        vertices.extend(positions.into_iter().map(|position| (position, is_visible)));
    }
    vertices
}

fn abc_vertices(world: &World, root: Entity) -> Vec<PosedVertex> {
    let instance = world.get::<AbcInstance>(root).unwrap();
    let meshes = instance.meshes().iter();
    let shown = meshes
        .filter(|mesh| *world.get::<Visibility>(**mesh).unwrap() != Visibility::Hidden)
        .map(|mesh| {
            let node = world.get::<AbcMesh>(*mesh).unwrap().node;
            let flags = node.map_or(0, |node| surface_flags(instance.model().nodes[node].flags));
            (flags, *mesh)
        });
    let positions = grouped(shown)
        .into_iter()
        .flat_map(|mesh| mesh_vertices(world, mesh));
    positions.map(|position| (position, true)).collect()
}
