//! Builds a [`CollisionTree`] from a file's tree: validates it, fits the boxes to the triangles, and
//! collapses binary nodes to nodes of four children. Fits a tree to moved vertices.

use crate::formats::alamo::collision::node::{Grid, Node, WIDTH, count_and_link};
use crate::formats::alamo::collision::tree::{CollisionTree, TreeError, TreeLink};
use crate::formats::alamo::collision::triangle::is_degenerate;
use bevy::math::Vec3A;
use core::ops::Range;

/// Stack entries that are enough to traverse nearly all trees. Deeper trees use the long stack, which
/// takes longer to initialize.
pub(crate) const SHORT_STACK: usize = 32;

/// The most stack entries of a traversal. Trees that need more are rejected.
pub(crate) const LONG_STACK: usize = 1024;

/// The greatest triangle count at which a subtree becomes a leaf.
const LEAF: usize = 4;

/// A subtree of the file's tree: the box around its triangles, and their count.
#[derive(Clone, Copy)]
struct Subtree {
    min: Vec3A,
    max: Vec3A,
    count: usize,
}

impl Subtree {
    const EMPTY: Self = Self {
        min: Vec3A::INFINITY,
        max: Vec3A::NEG_INFINITY,
        count: 0,
    };

    fn with(self, other: Self) -> Self {
        Self {
            min: self.min.min(other.min),
            max: self.max.max(other.max),
            count: self.count + other.count,
        }
    }
}

/// The validated input arrays.
struct Source<'a> {
    links: &'a [TreeLink],
    map: &'a [u16],
    positions: Box<[[f32; 3]]>,
    indices: &'a [[u16; 3]],
}

impl CollisionTree {
    /// Builds a tree for queries from a file's tree. Time and memory are linear in the input.
    ///
    /// - `nodes`: the file's nodes, the root first. No nodes make an empty tree.
    /// - `map`: triangle indices; each leaf refers to a range of it.
    /// - `positions`, `indices`: those of the sub-mesh, three indices per triangle. Indices after the last
    ///   whole triangle are ignored.
    ///
    /// # Errors
    /// A [`TreeError`] if the nodes are not a tree, an index is out of range, or a position is not finite.
    pub fn new(
        nodes: impl IntoIterator<Item = impl Into<TreeLink>>,
        map: &[u16],
        positions: &[[f32; 3]],
        indices: &[u16],
    ) -> Result<Self, TreeError> {
        let links: Vec<TreeLink> = nodes.into_iter().map(Into::into).collect();
        let indices = indices.as_chunks().0;
        check_links(&links, map.len())?;
        check_map(map, indices.len())?;
        check_indices(indices, positions.len())?;
        let scale = check_positions(positions)?;
        let source = Source {
            links: &links,
            map,
            positions: scaled(positions, scale),
            indices,
        };
        let (subtrees, has_area) = source.subtrees();
        let root = subtrees.first().copied().unwrap_or(Subtree::EMPTY);
        let grid = match root.count {
            0 => Grid::new(Vec3A::ZERO, Vec3A::ZERO),
            _ => Grid::new(root.min, root.max),
        };
        let Collapse {
            nodes,
            corners,
            triangles,
            need,
            ..
        } = Collapse::new(&source, &subtrees, &has_area, &grid).run()?;
        Ok(Self {
            nodes: nodes.into(),
            corners: corners.into(),
            triangles: triangles.into(),
            positions: source.positions,
            scale,
            unscale: scale.recip(),
            grid,
            shallow: need <= SHORT_STACK,
        })
    }
}

/// Checks that children follow their parents, so that traversals end, and that each node has one parent.
/// No two leaves may share map entries, so that the tree has no more triangles than the file.
fn check_links(links: &[TreeLink], entries: usize) -> Result<(), TreeError> {
    let count = links.len();
    let mut reached = vec![false; count];
    let mut covered = vec![false; entries];
    for (node, at) in links.iter().enumerate() {
        let link = usize::from(at.link);
        if at.triangle_count > 0 {
            let end = link + usize::from(at.triangle_count);
            let Some(range) = covered.get_mut(link..end) else {
                let count = entries;
                return Err(TreeError::LeafOutOfRange { node, end, count });
            };
            if let Some(shared) = range.iter().position(|covered| *covered) {
                let entry = link + shared;
                return Err(TreeError::SharedEntry { node, entry });
            }
            range.fill(true);
            continue;
        }
        if link <= node {
            return Err(TreeError::BackwardLink { node, child: link });
        }
        for child in [link, link + 1] {
            match reached.get_mut(child) {
                None => return Err(TreeError::ChildOutOfRange { node, child, count }),
                Some(true) => return Err(TreeError::SharedChild { node, child }),
                Some(reached) => *reached = true,
            }
        }
    }
    Ok(())
}

/// Checks that the map's triangle indices are in range and unique.
fn check_map(map: &[u16], count: usize) -> Result<(), TreeError> {
    let mut is_mapped = vec![false; count];
    for (entry, triangle) in map.iter().enumerate() {
        let triangle = usize::from(*triangle);
        match is_mapped.get_mut(triangle) {
            None => {
                return Err(TreeError::TriangleOutOfRange {
                    entry,
                    triangle,
                    count,
                });
            }
            Some(true) => return Err(TreeError::SharedTriangle { entry, triangle }),
            Some(is_mapped) => *is_mapped = true,
        }
    }
    Ok(())
}

fn check_indices(indices: &[[u16; 3]], count: usize) -> Result<(), TreeError> {
    if count > 1 << 16 {
        return Err(TreeError::TooManyVertices { count });
    }
    let greatest = |most: u16, index: &u16| most.max(*index);
    let greatest = indices.as_flattened().iter().fold(0, greatest);
    if indices.is_empty() || usize::from(greatest) < count {
        return Ok(());
    }
    let outside = |vertex: &u16| usize::from(*vertex) >= count;
    let wrong = indices.as_flattened().iter().position(outside);
    let at = wrong.unwrap_or_default();
    Err(TreeError::VertexOutOfRange {
        triangle: at / 3,
        vertex: indices.as_flattened().get(at).map_or(0, |v| (*v).into()),
        count,
    })
}

/// Checks that all positions are finite. Returns the power of two that scales the greatest coordinate
/// to between 1 and 2.
pub(crate) fn check_positions(positions: &[[f32; 3]]) -> Result<f32, TreeError> {
    const MANTISSA: u32 = f32::MANTISSA_DIGITS - 1;
    // The bits of non-negative floats are ordered like their values; infinity and NaN come last.
    let size = |coordinate: f32| coordinate.to_bits() & !(1 << 31);
    let reach = positions
        .as_flattened()
        .iter()
        .fold(0, |most, coordinate| size(*coordinate).max(most));
    if reach >= f32::INFINITY.to_bits() {
        let wrong = |position: &[f32; 3]| position.iter().any(|at| !at.is_finite());
        let vertex = positions.iter().position(wrong).unwrap_or_default();
        return Err(TreeError::NotFinite { vertex });
    }
    // Exponents are biased by 127, so those of a power of two and its inverse add up to 254. The least
    // and the greatest exponent have no inverse.
    let exponent = (reach >> MANTISSA).clamp(1, 253);
    Ok(f32::from_bits((254 - exponent) << MANTISSA))
}

pub(crate) fn scaled(positions: &[[f32; 3]], scale: f32) -> Box<[[f32; 3]]> {
    let scaled = |[x, y, z]: &[f32; 3]| [x * scale, y * scale, z * scale];
    positions.iter().map(scaled).collect()
}

impl Source<'_> {
    fn corners(&self, triangle: u16) -> Option<[Vec3A; 3]> {
        let [a, b, c] = *self.indices.get(usize::from(triangle))?;
        let corner = |index: u16| {
            let position = self.positions.get(usize::from(index))?;
            Some(Vec3A::from(*position))
        };
        Some([corner(a)?, corner(b)?, corner(c)?])
    }

    /// One triangle as a subtree; empty if the triangle has no area.
    fn triangle(&self, triangle: u16) -> Subtree {
        match self.corners(triangle) {
            Some(corners) if !is_degenerate(corners) => {
                let [a, b, c] = corners;
                Subtree {
                    min: a.min(b).min(c),
                    max: a.max(b).max(c),
                    count: 1,
                }
            }
            _ => Subtree::EMPTY,
        }
    }

    /// The subtree of each node, and for each entry of the map whether its triangle has area.
    fn subtrees(&self) -> (Vec<Subtree>, Vec<bool>) {
        let mut subtrees = vec![Subtree::EMPTY; self.links.len()];
        let mut has_area = vec![false; self.map.len()];
        // Children follow their parents, so the reverse order visits them first.
        for (index, node) in self.links.iter().enumerate().rev() {
            let mut subtree = Subtree::EMPTY;
            if node.triangle_count == 0 {
                for child in children(node) {
                    subtree = subtree.with(subtrees.get(child).copied().unwrap_or(subtree));
                }
            } else {
                let entries = entries(node);
                let map = self.map.get(entries.clone()).unwrap_or_default();
                let has_area = has_area.get_mut(entries).unwrap_or_default();
                for (triangle, has_area) in map.iter().zip(has_area) {
                    let triangle = self.triangle(*triangle);
                    *has_area = triangle.count > 0;
                    subtree = subtree.with(triangle);
                }
            }
            if let Some(slot) = subtrees.get_mut(index) {
                *slot = subtree;
            }
        }
        (subtrees, has_area)
    }
}

/// The range of map entries of a leaf.
fn entries(node: &TreeLink) -> Range<usize> {
    let first = usize::from(node.link);
    first..first + usize::from(node.triangle_count)
}

fn children(node: &TreeLink) -> [usize; 2] {
    [node.link.into(), usize::from(node.link) + 1]
}

/// A node to fill.
struct Task {
    /// Index of the new node.
    node: usize,
    /// Index of the file's node.
    source: usize,
    /// Stack entries below this node during a traversal.
    stacked: usize,
}

/// The collapse of the file's binary tree to nodes of [`WIDTH`] children.
struct Collapse<'a> {
    source: &'a Source<'a>,
    subtrees: &'a [Subtree],
    /// For each entry of the map, whether its triangle has area.
    has_area: &'a [bool],
    grid: &'a Grid,
    /// The stack of [`copy`](Self::copy), kept for its memory.
    pending: Vec<usize>,
    nodes: Vec<Node>,
    corners: Vec<[u16; 3]>,
    triangles: Vec<u16>,
    /// Stack entries that a traversal needs.
    need: usize,
}

impl<'a> Collapse<'a> {
    fn new(
        source: &'a Source<'a>,
        subtrees: &'a [Subtree],
        has_area: &'a [bool],
        grid: &'a Grid,
    ) -> Self {
        let count = subtrees.first().map_or(0, |root| root.count);
        Self {
            source,
            subtrees,
            has_area,
            grid,
            pending: Vec::new(),
            nodes: Vec::with_capacity(count / WIDTH),
            corners: Vec::with_capacity(count),
            triangles: Vec::with_capacity(count),
            need: 0,
        }
    }

    fn subtree(&self, node: usize) -> Subtree {
        self.subtrees.get(node).copied().unwrap_or(Subtree::EMPTY)
    }

    fn run(mut self) -> Result<Self, TreeError> {
        if self.subtree(0).count == 0 {
            return Ok(self);
        }
        self.nodes.push(Node::EMPTY);
        let mut tasks = vec![Task {
            node: 0,
            source: 0,
            stacked: 0,
        }];
        while let Some(task) = tasks.pop() {
            let (children, count) = self.children(task.source);
            self.need = self.need.max(task.stacked + count);
            let mut node = Node::EMPTY;
            for (at, child) in children.into_iter().take(count).enumerate() {
                let subtree = self.subtree(child);
                let bounds = self.grid.quantize(subtree.min, subtree.max);
                if self.is_leaf(child) {
                    let first = self.triangles.len() as u16;
                    self.copy(child);
                    node.set(at, bounds, subtree.count as u16, first);
                    continue;
                }
                node.set(at, bounds, 0, self.nodes.len() as u16);
                tasks.push(Task {
                    node: self.nodes.len(),
                    source: child,
                    stacked: task.stacked + count - 1,
                });
                self.nodes.push(Node::EMPTY);
            }
            if let Some(slot) = self.nodes.get_mut(task.node) {
                *slot = node;
            }
        }
        if self.need > LONG_STACK {
            return Err(TreeError::TooDeep { need: self.need });
        }
        Ok(self)
    }

    fn is_leaf(&self, node: usize) -> bool {
        self.subtree(node).count <= LEAF
            || self
                .source
                .links
                .get(node)
                .is_none_or(|node| node.triangle_count > 0)
    }

    /// The file's nodes that become the children of one node, and their count: the node with the largest
    /// surface is split until there are [`WIDTH`].
    fn children(&self, node: usize) -> ([usize; WIDTH], usize) {
        let mut found = [node; WIDTH];
        let mut priorities = [None; WIDTH];
        let mut len = 1;
        priorities[0] = self.split_priority(node);
        while len < WIDTH {
            let mut split = 0;
            for at in 1..len {
                split = if priorities[at] > priorities[split] {
                    at
                } else {
                    split
                };
            }
            let link = self.source.links.get(found[split]);
            let (Some(link), Some(_)) = (link, priorities[split]) else {
                break;
            };
            let [mut first, second] = children(link);
            // One of them may have no triangles, but not both.
            if self.subtree(first).count == 0 {
                first = second;
            } else if self.subtree(second).count > 0 {
                (found[len], priorities[len]) = (second, self.split_priority(second));
                len += 1;
            }
            (found[split], priorities[split]) = (first, self.split_priority(first));
        }
        (found, len)
    }

    /// The priority of splitting a node; `None` for a leaf.
    ///
    /// Subtrees small enough for a leaf are split last: if a node has unused boxes, smaller leaves cost
    /// nothing.
    fn split_priority(&self, node: usize) -> Option<(bool, f32)> {
        let link = self.source.links.get(node)?;
        let Subtree { min, max, count } = self.subtree(node);
        let [x, y, z] = (max - min).to_array();
        (link.triangle_count == 0).then_some((count > LEAF, x * y + y * z + z * x))
    }

    /// Copies the triangles of a subtree.
    fn copy(&mut self, node: usize) {
        self.pending.push(node);
        while let Some(node) = self.pending.pop() {
            let Some(link) = self.source.links.get(node) else {
                continue;
            };
            if link.triangle_count == 0 {
                let [first, second] = children(link);
                self.pending.extend([second, first]);
                continue;
            }
            let map = self.source.map.get(entries(link)).unwrap_or_default();
            let has_area = self.has_area.get(entries(link)).unwrap_or_default();
            for (triangle, has_area) in map.iter().zip(has_area) {
                if let Some(corners) = self.source.indices.get(usize::from(*triangle))
                    && *has_area
                {
                    self.corners.push(*corners);
                    self.triangles.push(*triangle);
                }
            }
        }
    }
}

impl CollisionTree {
    /// A copy of the tree with other vertex positions, such as a pose of a skinned mesh.
    ///
    /// The boxes are fitted to the new positions in linear time. The hierarchy stays the same, so queries
    /// get slower the more the pose differs from the one that the file's tree was built for.
    ///
    /// Triangles that were left out because they had no area stay left out. Triangles that lose their
    /// area are lines or points: overlap and closest point queries find them; rays don't hit them, except
    /// a line through rounding.
    ///
    /// # Errors
    /// [`TreeError::VertexCount`] if the position count differs from the vertex count,
    /// [`TreeError::NotFinite`] if a position is not finite.
    pub fn with_positions(&self, positions: &[[f32; 3]]) -> Result<Self, TreeError> {
        let (count, expected) = (positions.len(), self.positions.len());
        if count != expected {
            return Err(TreeError::VertexCount { count, expected });
        }
        let scale = check_positions(positions)?;
        let mut tree = Self {
            nodes: self.nodes.clone(),
            corners: self.corners.clone(),
            triangles: self.triangles.clone(),
            positions: scaled(positions, scale),
            scale,
            unscale: scale.recip(),
            grid: self.grid,
            shallow: self.shallow,
        };
        let [min, max] = tree.bounds_of(0..tree.corners.len());
        tree.grid = if tree.triangles.is_empty() {
            Grid::new(Vec3A::ZERO, Vec3A::ZERO)
        } else {
            Grid::new(min, max)
        };
        tree.refit();
        Ok(tree)
    }

    /// Fits the boxes of all nodes.
    fn refit(&mut self) {
        // Children follow their parents, so the reverse order visits them first.
        for index in (0..self.nodes.len()).rev() {
            let Some(mut node) = self.nodes.get(index).copied() else {
                continue;
            };
            for child in 0..WIDTH {
                if node.bounds(child).is_none() {
                    continue;
                }
                let (count, link) = count_and_link(node.child(child));
                let bounds = if count > 0 {
                    let [min, max] = self.bounds_of(link..link + count);
                    self.grid.quantize(min, max)
                } else {
                    // The children are quantized already, so their union needs no rounding.
                    self.nodes.get(link).unwrap_or(&node).union()
                };
                node.set(child, bounds, count as u16, link as u16);
            }
            if let Some(slot) = self.nodes.get_mut(index) {
                *slot = node;
            }
        }
    }

    /// The minimum and maximum corner of the box around a range of triangles, scaled. The range is in the
    /// order of the leaves.
    fn bounds_of(&self, slots: Range<usize>) -> [Vec3A; 2] {
        let triangles = self.corners.get(slots).unwrap_or_default();
        let corners = triangles.as_flattened().iter();
        let positions = corners.filter_map(|index| self.positions.get(usize::from(*index)));
        let extend = |[min, max]: [Vec3A; 2], position: &[f32; 3]| {
            let position = Vec3A::from(*position);
            [min.min(position), max.max(position)]
        };
        positions.fold([Vec3A::INFINITY, Vec3A::NEG_INFINITY], extend)
    }
}
