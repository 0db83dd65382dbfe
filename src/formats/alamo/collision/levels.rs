//! The boxes of a tree by level, for drawing.

use crate::formats::alamo::collision::node::{Node, WIDTH, count_and_link};
use crate::formats::alamo::collision::tree::CollisionTree;
use bevy::math::bounding::Aabb3d;
use core::iter::successors;

impl CollisionTree {
    /// The count of levels of [`boxes`](Self::boxes). 0 if there are no triangles.
    pub fn levels(&self) -> usize {
        match self.nodes_by_level().count() {
            0 => 0,
            nodes => nodes + 1,
        }
    }

    /// The boxes of one level, in the mesh's space. For drawing: it allocates.
    ///
    /// These are the boxes that queries test, not those of the file. Level 0 is the box around all
    /// triangles, as in [`bounds`](Self::bounds); level 1 is the root's children, and so on. A leaf's box
    /// is at its own level only. A box may exceed its triangles by 2/65531 of the mesh's longest side.
    /// Levels from [`levels`](Self::levels) on are empty.
    pub fn boxes(&self, level: usize) -> impl Iterator<Item = Aabb3d> {
        let whole = self.bounds().filter(|_| level == 0);
        let above = level.checked_sub(1);
        let nodes = above.and_then(|above| self.nodes_by_level().nth(above));
        let parts = nodes.into_iter().flatten();
        whole
            .into_iter()
            .chain(parts.flat_map(|node| self.boxes_of(node)))
    }

    /// A set of boxes that together contain all triangles: the boxes of one level, and the leaves above
    /// it. Each comes with its own level. From [`levels`](Self::levels) on, the set is all leaves.
    pub fn partition(&self, level: usize) -> impl Iterator<Item = (usize, Aabb3d)> {
        let whole = self.bounds().filter(|_| level == 0);
        let levels = (1..=level).zip(self.nodes_by_level());
        let parts = levels.flat_map(move |(own, nodes)| {
            let boxes = move |node: &Node| {
                let children = (0..WIDTH).filter(|child| own == level || node.is_leaf(*child));
                let bounds: Vec<_> = children
                    .filter_map(|child| self.box_of(node, child))
                    .collect();
                bounds.into_iter().map(move |bounds| (own, bounds))
            };
            nodes.into_iter().flat_map(boxes)
        });
        whole.map(|whole| (0, whole)).into_iter().chain(parts)
    }

    /// The inner nodes of each level: the root, then its children, and so on.
    pub(crate) fn nodes_by_level(&self) -> impl Iterator<Item = Vec<&Node>> {
        let below = |nodes: &Vec<&Node>| -> Vec<&Node> {
            let children = nodes.iter().flat_map(|node| node.nodes());
            children.filter_map(|link| self.nodes.get(link)).collect()
        };
        let has_nodes = |nodes: &Vec<&Node>| !nodes.is_empty();
        let root = self.nodes.first().map(|root| vec![root]);
        successors(root, move |nodes| Some(below(nodes)).filter(has_nodes))
    }

    pub(crate) fn boxes_of(&self, node: &Node) -> impl Iterator<Item = Aabb3d> {
        (0..WIDTH).filter_map(|child| self.box_of(node, child))
    }

    fn box_of(&self, node: &Node, child: usize) -> Option<Aabb3d> {
        let corners = node.bounds(child)?;
        let [min, max] = corners.map(|corner| self.grid.position(corner) * self.unscale);
        Some(Aabb3d { min, max })
    }
}

impl Node {
    fn is_leaf(&self, child: usize) -> bool {
        count_and_link(self.child(child)).0 > 0
    }

    /// The links of the children that are inner nodes.
    fn nodes(&self) -> impl Iterator<Item = usize> {
        let used = (0..WIDTH).filter(|child| self.bounds(*child).is_some());
        let children = used.map(|child| count_and_link(self.child(child)));
        children.filter_map(|(count, link)| (count == 0).then_some(link))
    }
}
