//! Collision trees: boxes halved at the median of their triangles.

use super::build::bounds_of;
use crate::alamo::alo::file::Tree;
use crate::alamo::alo::records::{TreeNode, place};
use zerocopy::little_endian::U16;

/// Triangles of a leaf, at most: those of most real trees.
const LEAF: usize = 4;

type Bounds = [[f32; 3]; 2];

/// What the arrays of a [`Tree`] borrow from.
#[derive(Clone, Debug)]
pub struct TreeBuffers {
    bounds: Bounds,
    nodes: Vec<TreeNode>,
    triangles: Vec<U16>,
}

/// A triangle by its number, and the box around it.
#[derive(Clone, Copy)]
struct Item {
    triangle: u16,
    bounds: Bounds,
}

/// A node that is yet to be made of some of the items.
struct Task {
    node: usize,
    parent: Bounds,
    begin: usize,
    end: usize,
}

impl TreeBuffers {
    /// A tree of the triangles with these corners; `None` if there are none, or more than the 65 536
    /// that a tree can name.
    pub fn new(triangles: &[[[f32; 3]; 3]]) -> Option<Self> {
        if triangles.is_empty() || triangles.len() > 1 << 16 {
            return None;
        }
        let item = |(triangle, corners): (u16, &[[f32; 3]; 3])| Item {
            triangle,
            bounds: bounds_of(corners.iter().copied()),
        };
        let mut items: Vec<Item> = (0..=u16::MAX).zip(triangles).map(item).collect();
        let bounds = bounds_of(triangles.as_flattened().iter().copied());
        let nodes = nodes(&mut items, bounds);
        Some(Self {
            bounds,
            nodes,
            triangles: items.iter().map(|item| item.triangle.into()).collect(),
        })
    }

    /// A tree that borrows these.
    pub fn tree(&self) -> Tree<'_> {
        Tree {
            bounds: self.bounds,
            nodes: &self.nodes,
            triangles: &self.triangles,
        }
    }
}

/// The nodes over `items`, which are brought into the order of the leaves.
fn nodes(items: &mut [Item], bounds: Bounds) -> Vec<TreeNode> {
    let leaf = TreeNode {
        min: [0; 3],
        max: [255; 3],
        triangle_count: U16::ZERO,
        link: U16::ZERO,
    };
    let mut nodes = vec![leaf];
    let mut tasks = vec![Task {
        node: 0,
        parent: bounds,
        begin: 0,
        end: items.len(),
    }];
    while let Some(task) = tasks.pop() {
        let next = nodes.len();
        let (Some(node), Some(part)) = (
            nodes.get_mut(task.node),
            items.get_mut(task.begin..task.end),
        ) else {
            continue;
        };
        (node.min, node.max) = quantized(around(part), task.parent);
        if part.len() <= LEAF {
            node.triangle_count = (part.len() as u16).into();
            node.link = (task.begin as u16).into();
            continue;
        }
        node.link = (next as u16).into();
        let parent = node.bounds(task.parent);
        let middle = task.begin + halve(part);
        for (node, begin, end) in [(next, task.begin, middle), (next + 1, middle, task.end)] {
            nodes.push(leaf);
            tasks.push(Task {
                node,
                parent,
                begin,
                end,
            });
        }
    }
    nodes
}

fn around(items: &[Item]) -> Bounds {
    bounds_of(items.iter().flat_map(|item| item.bounds))
}

/// Brings the lower half of items along the longest axis to the front, and tells how many they are.
fn halve(items: &mut [Item]) -> usize {
    let [min, max] = around(items);
    let extent = |axis: &usize| max[*axis] - min[*axis];
    let axis = (0..3).max_by(|a, b| extent(a).total_cmp(&extent(b)));
    let axis = axis.unwrap_or_default();
    let centre = |item: &Item| item.bounds[0][axis] + item.bounds[1][axis];
    let half = items.len() / 2;
    items.select_nth_unstable_by(half, |a, b| centre(a).total_cmp(&centre(b)));
    half
}

/// The narrowest box of steps within the parent's that holds a box.
fn quantized(bounds: Bounds, parent: Bounds) -> ([u8; 3], [u8; 3]) {
    let steps: [(u8, u8); 3] = core::array::from_fn(|axis| {
        let [min, max] = bounds.map(|corner| corner[axis]);
        let [least, greatest] = parent.map(|corner| corner[axis]);
        // All steps of a flat box are one place.
        if least >= greatest {
            return (0, 255);
        }
        let below = |step: &u8| place(least, greatest, *step) <= min;
        let above = |step: &u8| place(least, greatest, *step) >= max;
        let lower = (0..=255).rev().find(below).unwrap_or(0);
        (lower, (lower..=255).find(above).unwrap_or(255))
    });
    (steps.map(|(lower, _)| lower), steps.map(|(_, upper)| upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A sheet with a wave in it, of `2 · size²` triangles.
    fn sheet(size: u16) -> Vec<[[f32; 3]; 3]> {
        let point = |x: u16, y: u16| {
            let (x, y) = (f32::from(x) * 0.7, f32::from(y) * 1.3);
            [x, y, (x * 0.4).sin() * 3.0 + y * 0.1]
        };
        let cell = |x, y| {
            let [a, b] = [point(x, y), point(x + 1, y)];
            let [c, d] = [point(x, y + 1), point(x + 1, y + 1)];
            [[a, b, c], [b, d, c]]
        };
        let cells = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        cells.flat_map(|(x, y)| cell(x, y)).collect()
    }

    #[test]
    fn boxes_hold_their_triangles_and_leaves_hold_each_once() {
        for size in [1, 2, 9, 40] {
            let triangles = sheet(size);
            let buffers = TreeBuffers::new(&triangles).unwrap();
            let tree = buffers.tree();
            let mut seen = vec![0; triangles.len()];
            for (node, [min, max]) in tree.nodes.iter().zip(tree.boxes()) {
                let count = usize::from(node.triangle_count.get());
                assert!(count <= LEAF);
                let first = usize::from(node.link.get());
                for triangle in tree.triangles.iter().skip(first).take(count) {
                    let triangle = usize::from(triangle.get());
                    seen[triangle] += 1;
                    for axis in 0..3 {
                        for corner in triangles[triangle] {
                            let inside = min[axis]..=max[axis];
                            assert!(inside.contains(&corner[axis]), "{corner:?}");
                        }
                    }
                }
            }
            assert!(seen.iter().all(|count| *count == 1));
        }
    }

    #[test]
    fn there_is_no_tree_of_nothing_or_of_too_much() {
        assert!(TreeBuffers::new(&[]).is_none());
        assert!(TreeBuffers::new(&vec![[[0.0; 3]; 3]; (1 << 16) + 1]).is_none());
        let most = vec![[[1.0; 3]; 3]; 1 << 16];
        let tree = TreeBuffers::new(&most).unwrap();
        assert!(tree.nodes.len() <= 1 << 16);
    }
}
