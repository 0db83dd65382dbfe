//! Converts the collision trees of a file's sub-meshes for queries.

use crate::formats::alamo::collision::error::TreeError;
use crate::formats::alamo::collision::tree::{CollisionTree, TreeLink};
use classic_model_formats::alo;
use classic_model_formats::alo::{Submesh, Tree};
use classic_model_formats::read::Warning;
use zerocopy::little_endian::U16;

/// Converts the tree of a sub-mesh. An invalid tree is dropped with a warning.
pub(crate) fn collision_tree(
    mesh: &alo::Mesh<'_>,
    submesh: &Submesh<'_>,
    positions: &[[f32; 3]],
    warnings: &mut Vec<Warning>,
) -> Option<CollisionTree> {
    match query_tree(submesh.tree.as_ref()?, positions, submesh.indices) {
        Ok(tree) => Some(tree),
        Err(error) => {
            let name = &mesh.name;
            warnings.push(Warning {
                offset: 0,
                position: None,
                message: format!("a collision tree of mesh {name:?} is dropped: {error}"),
            });
            None
        }
    }
}

fn query_tree(
    tree: &Tree<'_>,
    positions: &[[f32; 3]],
    indices: &[U16],
) -> Result<CollisionTree, TreeError> {
    let links = tree.nodes.iter().map(|node| TreeLink {
        triangle_count: node.triangle_count.get(),
        link: node.link.get(),
    });
    let map: Vec<u16> = tree.triangles.iter().map(|index| index.get()).collect();
    let indices: Vec<u16> = indices.iter().map(|index| index.get()).collect();
    CollisionTree::new(links, &map, positions, &indices)
}
