//! The boxes by levels, for drawing.

use super::CollisionTree;
use super::node::{Node, WIDTH, count_and_link};
use bevy::math::bounding::Aabb3d;
use core::iter::successors;

impl CollisionTree {
    /// Number of levels that [`boxes`](Self::boxes) tells of. 0 if there are no triangles.
    pub fn levels(&self) -> usize {
        match self.generations().count() {
            0 => 0,
            nodes => nodes + 1,
        }
    }

    /// The boxes of one level, in the mesh's space: for drawing, since it allocates.
    ///
    /// They are those that queries ask, which are not the file's: level 0 is the box around all
    /// triangles, as [`bounds`](Self::bounds) tells it, level 1 what the root is parted into, and so
    /// on. A leaf's box comes at its own level only, not again at the levels below it. Boxes may be
    /// wider than their triangles by two 65 531sts of the mesh's longest side. There are none from
    /// [`levels`](Self::levels) on.
    pub fn boxes(&self, level: usize) -> impl Iterator<Item = Aabb3d> {
        let whole = self.bounds().filter(|_| level == 0);
        let above = level.checked_sub(1);
        let nodes = above.and_then(|above| self.generations().nth(above));
        let parts = nodes.into_iter().flatten();
        whole
            .into_iter()
            .chain(parts.flat_map(|node| self.boxes_of(node)))
    }

    /// The boxes that hold all triangles between them at one level, each with its own level: those of
    /// the level, and the leaves above it. From [`levels`](Self::levels) on they are all leaves.
    pub fn partition(&self, level: usize) -> impl Iterator<Item = (usize, Aabb3d)> {
        let whole = self.bounds().filter(|_| level == 0);
        let generations = (1..=level).zip(self.generations());
        let parts = generations.flat_map(move |(own, nodes)| {
            let boxes = move |node: &Node| {
                let there = (0..WIDTH).filter(|child| own == level || node.is_leaf(*child));
                let bounds: Vec<_> = there.filter_map(|child| self.box_of(node, child)).collect();
                bounds.into_iter().map(move |bounds| (own, bounds))
            };
            nodes.into_iter().flat_map(boxes)
        });
        whole.map(|whole| (0, whole)).into_iter().chain(parts)
    }

    /// The root, then its children that are nodes, then theirs.
    pub(super) fn generations(&self) -> impl Iterator<Item = Vec<&Node>> {
        let below = |nodes: &Vec<&Node>| -> Vec<&Node> {
            let children = nodes.iter().flat_map(|node| node.nodes());
            children.filter_map(|link| self.nodes.get(link)).collect()
        };
        let there = |nodes: &Vec<&Node>| !nodes.is_empty();
        let root = self.nodes.first().map(|root| vec![root]);
        successors(root, move |nodes| Some(below(nodes)).filter(there))
    }

    pub(super) fn boxes_of(&self, node: &Node) -> impl Iterator<Item = Aabb3d> {
        (0..WIDTH).filter_map(|child| self.box_of(node, child))
    }

    fn box_of(&self, node: &Node, child: usize) -> Option<Aabb3d> {
        let corners = node.bounds(child)?;
        let [min, max] = corners.map(|corner| self.grid.point(corner) * self.unscale);
        Some(Aabb3d { min, max })
    }
}

impl Node {
    fn is_leaf(&self, child: usize) -> bool {
        count_and_link(self.child(child)).0 > 0
    }

    /// The links of the children that are nodes.
    fn nodes(&self) -> impl Iterator<Item = usize> {
        let there = (0..WIDTH).filter(|child| self.bounds(*child).is_some());
        let children = there.map(|child| count_and_link(self.child(child)));
        children.filter_map(|(count, link)| (count == 0).then_some(link))
    }
}
