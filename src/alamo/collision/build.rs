//! Makes a tree for queries of a file's: checks, fits boxes, folds nodes.

use super::grid::Grid;
use super::node::{Node, WIDTH};
use super::triangle::is_degenerate;
use super::{CollisionTree, TreeError, TreeLink};
use bevy::math::Vec3A;
use core::ops::Range;

/// Nodes that a walk may have to remember, of nearly all trees. Those that need more are walked
/// with the long stack, which takes longer to lay out.
pub(super) const SHORT_STACK: usize = 32;

/// Nodes that a walk can remember at all.
pub(super) const LONG_STACK: usize = 1024;

/// Triangles up to which a subtree becomes a leaf.
const LEAF: usize = 4;

/// A subtree of the file's tree: the box around its triangles, and their number.
#[derive(Clone, Copy)]
struct Part {
    min: Vec3A,
    max: Vec3A,
    count: usize,
}

impl Part {
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

/// What the arrays of the mesh say, checked.
struct Source<'a> {
    links: &'a [TreeLink],
    map: &'a [u16],
    positions: Box<[[f32; 3]]>,
    indices: &'a [[u16; 3]],
}

impl CollisionTree {
    /// A tree for queries, from that of a file.
    ///
    /// `nodes` are the file's nodes, the root first; `map` the triangles that leaves name by ranges;
    /// `positions` and `indices` the sub-mesh's, three indices a triangle; those behind the last
    /// whole triangle are ignored. Time and memory are linear in their lengths. A tree without nodes
    /// is right, and nothing is met in it.
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
        let (parts, kept) = source.parts();
        let root = parts.first().copied().unwrap_or(Part::EMPTY);
        let grid = match root.count {
            0 => Grid::new(Vec3A::ZERO, Vec3A::ZERO),
            _ => Grid::new(root.min, root.max),
        };
        let Fold {
            nodes,
            corners,
            triangles,
            need,
            ..
        } = Fold::new(&source, &parts, &kept, &grid).fold()?;
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

/// Links must lead forward, so that walks end, and to each node from one. No two leaves may share
/// triangles, so that there are no more of them than the file has.
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

/// The map must name triangles that exist, and each once.
fn check_map(map: &[u16], count: usize) -> Result<(), TreeError> {
    let mut named = vec![false; count];
    for (entry, triangle) in map.iter().enumerate() {
        let triangle = usize::from(*triangle);
        match named.get_mut(triangle) {
            None => {
                return Err(TreeError::TriangleOutOfRange {
                    entry,
                    triangle,
                    count,
                });
            }
            Some(true) => return Err(TreeError::SharedTriangle { entry, triangle }),
            Some(named) => *named = true,
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

/// The power of two that brings the greatest coordinate to between 1 and 2.
pub(super) fn check_positions(positions: &[[f32; 3]]) -> Result<f32, TreeError> {
    const MANTISSA: u32 = f32::MANTISSA_DIGITS - 1;
    // Of numbers without sign the bits are in the order of the numbers, and those of infinity and
    // NaN come last.
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
    // Exponents are biased by 127; those of a power of two and of its inverse make 254. The least
    // and the greatest have no inverse.
    let exponent = (reach >> MANTISSA).clamp(1, 253);
    Ok(f32::from_bits((254 - exponent) << MANTISSA))
}

pub(super) fn scaled(positions: &[[f32; 3]], scale: f32) -> Box<[[f32; 3]]> {
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

    fn triangle(&self, triangle: u16) -> Part {
        match self.corners(triangle) {
            Some(corners) if !is_degenerate(corners) => {
                let [a, b, c] = corners;
                Part {
                    min: a.min(b).min(c),
                    max: a.max(b).max(c),
                    count: 1,
                }
            }
            _ => Part::EMPTY,
        }
    }

    /// The part under each node, and whether the triangle of each entry of the map has area.
    fn parts(&self) -> (Vec<Part>, Vec<bool>) {
        let mut parts = vec![Part::EMPTY; self.links.len()];
        let mut kept = vec![false; self.map.len()];
        // Children stand behind their parents, so they come first here.
        for (index, node) in self.links.iter().enumerate().rev() {
            let mut part = Part::EMPTY;
            if node.triangle_count == 0 {
                for child in children(node) {
                    part = part.with(parts.get(child).copied().unwrap_or(part));
                }
            } else {
                let entries = entries(node);
                let map = self.map.get(entries.clone()).unwrap_or_default();
                let kept = kept.get_mut(entries).unwrap_or_default();
                for (triangle, kept) in map.iter().zip(kept) {
                    let triangle = self.triangle(*triangle);
                    *kept = triangle.count > 0;
                    part = part.with(triangle);
                }
            }
            if let Some(slot) = parts.get_mut(index) {
                *slot = part;
            }
        }
        (parts, kept)
    }
}

/// The entries of the map that a leaf names.
fn entries(node: &TreeLink) -> Range<usize> {
    let first = usize::from(node.link);
    first..first + usize::from(node.triangle_count)
}

fn children(node: &TreeLink) -> [usize; 2] {
    [node.link.into(), usize::from(node.link) + 1]
}

/// A node that is yet to be filled.
struct Task {
    node: usize,
    source: usize,
    /// Nodes that a walk remembers when it comes here.
    remembered: usize,
}

/// The new tree while it is made.
struct Fold<'a> {
    source: &'a Source<'a>,
    parts: &'a [Part],
    /// Whether the triangle of each entry of the map has area.
    kept: &'a [bool],
    grid: &'a Grid,
    /// Nodes of which a leaf is yet to be made.
    below: Vec<usize>,
    nodes: Vec<Node>,
    corners: Vec<[u16; 3]>,
    triangles: Vec<u16>,
    need: usize,
}

impl<'a> Fold<'a> {
    fn new(source: &'a Source<'a>, parts: &'a [Part], kept: &'a [bool], grid: &'a Grid) -> Self {
        let count = parts.first().map_or(0, |root| root.count);
        Self {
            source,
            parts,
            kept,
            grid,
            below: Vec::new(),
            nodes: Vec::with_capacity(count / WIDTH),
            corners: Vec::with_capacity(count),
            triangles: Vec::with_capacity(count),
            need: 0,
        }
    }

    fn part(&self, node: usize) -> Part {
        self.parts.get(node).copied().unwrap_or(Part::EMPTY)
    }

    fn fold(mut self) -> Result<Self, TreeError> {
        if self.part(0).count == 0 {
            return Ok(self);
        }
        self.nodes.push(Node::EMPTY);
        let mut tasks = vec![Task {
            node: 0,
            source: 0,
            remembered: 0,
        }];
        while let Some(task) = tasks.pop() {
            let (children, count) = self.children(task.source);
            self.need = self.need.max(task.remembered + count);
            let mut node = Node::EMPTY;
            for (at, child) in children.into_iter().take(count).enumerate() {
                let part = self.part(child);
                let bounds = self.grid.quantize(part.min, part.max);
                if self.is_leaf(child) {
                    let first = self.triangles.len() as u16;
                    self.copy(child);
                    node.set(at, bounds, part.count as u16, first);
                    continue;
                }
                node.set(at, bounds, 0, self.nodes.len() as u16);
                tasks.push(Task {
                    node: self.nodes.len(),
                    source: child,
                    remembered: task.remembered + count - 1,
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
        self.part(node).count <= LEAF
            || self
                .source
                .links
                .get(node)
                .is_none_or(|node| node.triangle_count > 0)
    }

    /// The subtrees that become the children of one node: those of a node, of which the one with the
    /// largest surface is opened until there are enough.
    fn children(&self, node: usize) -> ([usize; WIDTH], usize) {
        let mut found = [node; WIDTH];
        let mut urges = [None; WIDTH];
        let mut len = 1;
        urges[0] = self.urge(node);
        while len < WIDTH {
            let mut open = 0;
            for at in 1..len {
                open = if urges[at] > urges[open] { at } else { open };
            }
            let link = self.source.links.get(found[open]);
            let (Some(link), Some(_)) = (link, urges[open]) else {
                break;
            };
            let [mut first, second] = children(link);
            // One of them may have no triangles, but not both.
            if self.part(first).count == 0 {
                first = second;
            } else if self.part(second).count > 0 {
                (found[len], urges[len]) = (second, self.urge(second));
                len += 1;
            }
            (found[open], urges[open]) = (first, self.urge(first));
        }
        (found, len)
    }

    /// How much better it is to open a node than others; none if it cannot be opened.
    ///
    /// What would be a leaf is opened last: where places are free, smaller leaves cost nothing.
    fn urge(&self, node: usize) -> Option<(bool, f32)> {
        let link = self.source.links.get(node)?;
        let Part { min, max, count } = self.part(node);
        let [x, y, z] = (max - min).to_array();
        (link.triangle_count == 0).then_some((count > LEAF, x * y + y * z + z * x))
    }

    /// Copies the triangles of a subtree.
    fn copy(&mut self, node: usize) {
        self.below.push(node);
        while let Some(node) = self.below.pop() {
            let Some(link) = self.source.links.get(node) else {
                continue;
            };
            if link.triangle_count == 0 {
                let [first, second] = children(link);
                self.below.extend([second, first]);
                continue;
            }
            let map = self.source.map.get(entries(link)).unwrap_or_default();
            let kept = self.kept.get(entries(link)).unwrap_or_default();
            for (triangle, kept) in map.iter().zip(kept) {
                if let Some(corners) = self.source.indices.get(usize::from(*triangle))
                    && *kept
                {
                    self.corners.push(*corners);
                    self.triangles.push(*triangle);
                }
            }
        }
    }
}
