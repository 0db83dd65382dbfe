//! Builds collision trees with the surface area heuristic, which minimizes the expected cost of ray casts.
//!
//! The probability that a ray which hits a box also hits a box inside it is the ratio of their surface areas. A node
//! is split where the sum of area times triangle tests is least. All positions between the centers of triangles are
//! tried, along each axis.

use crate::alo::file::Tree;
use crate::alo::records::{TreeNode, dequantize};
use crate::alo::write::bounds::bounds_of;
use zerocopy::little_endian::U16;

/// Maximum triangle count of a leaf, as in most real trees.
const MAX_LEAF: usize = 4;

/// Maximum triangle count of a leaf in trees of at most [`SMALL_TREE`] triangles.
///
/// Smaller leaves make queries faster in small trees. In large trees they do not, and make loading slower.
const MAX_LEAF_OF_SMALL_TREE: usize = 2;

/// Maximum triangle count of a small tree.
const SMALL_TREE: usize = 64;

/// Maximum depth of a tree, as in real files; the root has depth 0.
///
/// A tree of this depth can have 2^25 leaves, far more than needed, so unbalanced splits remain possible.
const MAX_DEPTH: u32 = 25;

/// Cost of visiting a leaf, in triangle tests.
///
/// Measured: with 0, nearest-hit queries are as fast, but trees are a sixth larger, because leaves are less full.
const LEAF_COST: usize = 4;

/// Minimum and maximum corner.
type Bounds = [[f32; 3]; 2];

/// The arrays that a [`Tree`] borrows.
#[derive(Clone, Debug)]
pub struct TreeBuffers {
    bounds: Bounds,
    nodes: Vec<TreeNode>,
    triangles: Vec<U16>,
}

/// A triangle's index and bounding box.
#[derive(Clone, Copy)]
struct Item {
    triangle: u16,
    bounds: Bounds,
}

/// Limits on splits, which depend on the triangle count.
#[derive(Clone, Copy)]
struct Limits {
    /// Maximum triangle count of a leaf.
    max_leaf: usize,
    /// The triangle count of a first child is a multiple of this.
    step: usize,
}

impl Limits {
    fn new(count: usize) -> Self {
        Self {
            max_leaf: if count > SMALL_TREE {
                MAX_LEAF
            } else {
                MAX_LEAF_OF_SMALL_TREE
            },
            // Links have 16 bits, so a tree has at most 65 536 nodes, and half as many leaves. With steps of 2, only one
            // leaf can have a single triangle.
            step: if count > 1 << 15 { 2 } else { 1 },
        }
    }
}

/// A node to be built of the items from `begin` to `end`.
struct Task {
    node: usize,
    /// The box of the node's parent.
    parent: Bounds,
    depth: u32,
    begin: usize,
    end: usize,
}

impl TreeBuffers {
    /// Builds a tree of triangles, given by the positions of their corners.
    ///
    /// `None` if there are no triangles or more than 65 536, the limit of the format's 16-bit triangle indices.
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
        let limits = Limits::new(items.len());
        let nodes = build_nodes(&mut items, bounds, |items, levels| {
            split(items, levels, limits)
        });
        Some(Self {
            bounds,
            nodes,
            triangles: items.iter().map(|item| item.triangle.into()).collect(),
        })
    }

    /// A tree that borrows the arrays.
    pub fn tree(&self) -> Tree<'_> {
        Tree {
            bounds: self.bounds,
            nodes: &self.nodes,
            triangles: &self.triangles,
        }
    }
}

/// Builds the nodes over `items`, and sorts the items into the order of the leaves.
///
/// `split` gets a node's items and the count of levels that remain below the node. It sorts the items and returns how
/// many of them go to the first child, or `None` if the node is a leaf.
fn build_nodes(
    items: &mut [Item],
    bounds: Bounds,
    split: impl Fn(&mut [Item], u32) -> Option<usize>,
) -> Vec<TreeNode> {
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
        depth: 0,
        begin: 0,
        end: items.len(),
    }];
    while let Some(task) = tasks.pop() {
        let next = nodes.len();
        let (Some(node), Some(items)) = (
            nodes.get_mut(task.node),
            items.get_mut(task.begin..task.end),
        ) else {
            continue;
        };
        (node.min, node.max) = quantize(bounds_of_items(items), task.parent);
        let depth = task.depth + 1;
        let Some(first) = split(items, MAX_DEPTH.saturating_sub(depth)) else {
            node.triangle_count = (items.len() as u16).into();
            node.link = (task.begin as u16).into();
            continue;
        };
        node.link = (next as u16).into();
        let parent = node.bounds(task.parent);
        let middle = task.begin + first;
        for (node, begin, end) in [(next, task.begin, middle), (next + 1, middle, task.end)] {
            nodes.push(leaf);
            tasks.push(Task {
                node,
                parent,
                depth,
                begin,
                end,
            });
        }
    }
    nodes
}

fn bounds_of_items(items: &[Item]) -> Bounds {
    bounds_of(items.iter().flat_map(|item| item.bounds))
}

fn half_area([min, max]: Bounds) -> f64 {
    // In f64, because products of large coordinates can overflow f32.
    let side = |axis: usize| f64::from(max[axis]) - f64::from(min[axis]);
    let [x, y, z] = [side(0), side(1), side(2)];
    x * y + y * z + z * x
}

/// Twice the center of an item's box along an axis.
fn doubled_center(item: &Item, axis: usize) -> f32 {
    item.bounds[0][axis] + item.bounds[1][axis]
}

/// Sorts items by their centers along an axis. Ties are ordered by triangle, so that the result is deterministic.
fn sort(items: &mut [Item], axis: usize) {
    items.sort_unstable_by(|a, b| {
        let order = doubled_center(a, axis).total_cmp(&doubled_center(b, axis));
        order.then(a.triangle.cmp(&b.triangle))
    });
}

/// Maximum depth of a tree of `count` triangles that is split only at medians.
fn median_depth(count: usize) -> u32 {
    count
        .div_ceil(MAX_LEAF_OF_SMALL_TREE)
        .next_power_of_two()
        .ilog2()
}

/// Sorts items for the split of least cost and returns how many go to the first child; `None` if they fit into a leaf.
///
/// Subtrees of `levels` levels are deep enough for both sides.
fn split(items: &mut [Item], levels: u32, limits: Limits) -> Option<usize> {
    if items.len() <= limits.max_leaf {
        return None;
    }
    // The boxes of collinear items have no area, so all splits cost the same.
    if half_area(bounds_of_items(items)) <= 0.0 {
        return Some(split_at_median(items, limits.step));
    }
    // Cost, axis and item count of the first child.
    let mut best: Option<(f64, usize, usize)> = None;
    for axis in 0..3 {
        sort(items, axis);
        let costs = split_costs(items, limits.max_leaf);
        for (first, cost) in costs
            .into_iter()
            .enumerate()
            .skip(limits.step)
            .step_by(limits.step)
        {
            let larger = first.max(items.len() - first);
            // At equal costs, as of coincident triangles, the most balanced split.
            let order = |&(best_cost, _, best_first): &(f64, usize, usize)| {
                let best_larger = best_first.max(items.len() - best_first);
                cost.total_cmp(&best_cost).then(larger.cmp(&best_larger))
            };
            if median_depth(larger) <= levels
                && best.as_ref().is_none_or(|best| order(best).is_lt())
            {
                best = Some((cost, axis, first));
            }
        }
    }
    let Some((_, axis, first)) = best else {
        return Some(split_at_median(items, limits.step));
    };
    sort(items, axis);
    Some(first)
}

/// The cost of each split: element `n` is the cost if the first `n` items go to the first child.
fn split_costs(items: &[Item], max_leaf: usize) -> Vec<f64> {
    let tests = |count: usize| (count + LEAF_COST * count.div_ceil(max_leaf)) as f64;
    let mut costs = vec![0.0; items.len()];
    let mut bounds = None;
    for (index, (item, cost)) in items.iter().zip(&mut costs).enumerate().rev() {
        *cost = half_area(*extend(&mut bounds, item)) * tests(items.len() - index);
    }
    let mut bounds = None;
    for (index, (item, cost)) in items.iter().zip(costs.iter_mut().skip(1)).enumerate() {
        *cost += half_area(*extend(&mut bounds, item)) * tests(index + 1);
    }
    costs
}

/// Extends a box by an item's box.
fn extend<'a>(bounds: &'a mut Option<Bounds>, item: &Item) -> &'a Bounds {
    let old = bounds.unwrap_or(item.bounds);
    bounds.insert(bounds_of([old, item.bounds].as_flattened().iter().copied()))
}

/// Sorts items along the longest axis of their bounding box and returns the count of the lower half, rounded up to a
/// multiple of `step`.
fn split_at_median(items: &mut [Item], step: usize) -> usize {
    let [min, max] = bounds_of_items(items);
    let extent = |axis: &usize| max[*axis] - min[*axis];
    let axis = (0..3).max_by(|a, b| extent(a).total_cmp(&extent(b)));
    sort(items, axis.unwrap_or_default());
    items.len().div_ceil(2).next_multiple_of(step)
}

/// The smallest quantized box, relative to the parent's box, that contains `bounds`.
fn quantize(bounds: Bounds, parent: Bounds) -> ([u8; 3], [u8; 3]) {
    let steps: [(u8, u8); 3] = core::array::from_fn(|axis| {
        let [min, max] = bounds.map(|corner| corner[axis]);
        let [parent_min, parent_max] = parent.map(|corner| corner[axis]);
        // All steps of a flat box are the same coordinate.
        if parent_min >= parent_max {
            return (0, 255);
        }
        let is_below = |step: &u8| dequantize(parent_min, parent_max, *step) <= min;
        let is_above = |step: &u8| dequantize(parent_min, parent_max, *step) >= max;
        let lower = (0..=255).rev().find(is_below).unwrap_or(0);
        (lower, (lower..=255).find(is_above).unwrap_or(255))
    });
    (steps.map(|(lower, _)| lower), steps.map(|(_, upper)| upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A wavy grid of `2 · size²` triangles.
    fn wavy_grid(size: u16) -> Vec<[[f32; 3]; 3]> {
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
    fn boxes_contain_their_triangles_and_each_triangle_is_in_one_leaf() {
        for size in [1, 2, 9, 40] {
            let triangles = wavy_grid(size);
            let buffers = TreeBuffers::new(&triangles).unwrap();
            let tree = buffers.tree();
            let mut leaf_counts = vec![0; triangles.len()];
            for (node, [min, max]) in tree.nodes.iter().zip(tree.boxes()) {
                let count = usize::from(node.triangle_count.get());
                assert!(count <= MAX_LEAF);
                let first = usize::from(node.link.get());
                for triangle in tree.triangles.iter().skip(first).take(count) {
                    let triangle = usize::from(triangle.get());
                    leaf_counts[triangle] += 1;
                    for axis in 0..3 {
                        for corner in triangles[triangle] {
                            let inside = min[axis]..=max[axis];
                            assert!(inside.contains(&corner[axis]), "{corner:?}");
                        }
                    }
                }
            }
            assert!(leaf_counts.iter().all(|count| *count == 1));
        }
    }

    /// The depth of each node.
    fn depths(nodes: &[TreeNode]) -> Vec<u32> {
        let mut depths = vec![0; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            if node.triangle_count.get() == 0 {
                let child = usize::from(node.link.get());
                assert!(child > index, "node {index} links back to {child}");
                depths[child] = depths[index] + 1;
                depths[child + 1] = depths[index] + 1;
            }
        }
        depths
    }

    /// The expected count of box and triangle tests for a ray that hits the root's box.
    fn expected_tests(tree: &Tree) -> f64 {
        let boxes = tree.boxes();
        let each = tree.nodes.iter().zip(&boxes).map(|(node, bounds)| {
            let count = usize::from(node.triangle_count.get());
            half_area(*bounds) * count.max(1) as f64
        });
        each.sum::<f64>() / half_area(boxes[0])
    }

    /// A tree that is split only at medians.
    fn median_tree(triangles: &[[[f32; 3]; 3]]) -> TreeBuffers {
        let mut buffers = TreeBuffers::new(triangles).unwrap();
        let bounds = |corners: &[[f32; 3]; 3]| bounds_of(corners.iter().copied());
        let mut items: Vec<Item> = (0..)
            .zip(triangles)
            .map(|(triangle, corners)| Item {
                triangle,
                bounds: bounds(corners),
            })
            .collect();
        buffers.nodes = build_nodes(&mut items, buffers.bounds, |items, _| {
            (items.len() > MAX_LEAF).then(|| split_at_median(items, 1))
        });
        buffers
    }

    /// A disk of triangles that grow from the center outwards.
    fn disk(count: u16) -> Vec<[[f32; 3]; 3]> {
        let point = |spoke: u16, ring: u16| {
            let (angle, size) = (f32::from(spoke) * 0.37, 1.1_f32.powi(ring.into()));
            [angle.cos() * size, angle.sin() * size, size * 0.2]
        };
        let triangles = |spoke| {
            (0..40).map(move |ring| {
                let corner = point(spoke, ring);
                [corner, point(spoke + 1, ring), point(spoke, ring + 1)]
            })
        };
        (0..count).flat_map(triangles).collect()
    }

    /// Two distant cubes of twelve triangles each.
    fn cubes() -> Vec<[[f32; 3]; 3]> {
        let corner = |bits: usize| [0, 1, 2].map(|axis| (bits >> axis & 1) as f32);
        let faces = [
            [0, 2, 1, 3],
            [4, 5, 6, 7],
            [0, 1, 4, 5],
            [2, 6, 3, 7],
            [0, 4, 2, 6],
            [1, 3, 5, 7],
        ];
        let cube = |offset: f32| {
            let at = move |bits| corner(bits).map(|coordinate| coordinate + offset);
            faces
                .iter()
                .flat_map(move |[a, b, c, d]| [[at(*a), at(*b), at(*c)], [at(*c), at(*b), at(*d)]])
        };
        cube(0.0).chain(cube(9.0)).collect()
    }

    #[test]
    fn rays_cost_at_most_as_much_as_in_a_median_tree() {
        for (triangles, max_ratio) in [
            (wavy_grid(9), 0.75),
            (wavy_grid(40), 0.8),
            (disk(17), 0.9),
            (cubes(), 1.0),
        ] {
            let ours = expected_tests(&TreeBuffers::new(&triangles).unwrap().tree());
            let median = expected_tests(&median_tree(&triangles).tree());
            assert!(
                ours <= max_ratio * median,
                "{ours} tests instead of at most {max_ratio} * {median}"
            );
        }
    }

    #[test]
    fn depth_and_node_count_stay_within_limits() {
        // Each triangle is as large as all before it together, so the cheapest split separates it from them.
        let growing = |count: u16, from: [f32; 3]| {
            let triangle = move |index: u16| {
                let size = 2.0_f32.powi(index.into());
                [0.0, 1.0, 2.0].map(|side| [from[0] + size, from[1] + size * side, from[2]])
            };
            (0..count).map(triangle)
        };
        let many = (0..15 * 15 * 15_u16).flat_map(|index| {
            let cell = [index % 15, index / 15 % 15, index / 225];
            growing(14, cell.map(|cell| f32::from(cell) * 65_536.0))
        });
        let point_on_line = |index: u16| [f32::from(index), 0.0, 0.0];
        for (triangles, max_depth) in [
            (growing(120, [0.0; 3]).collect(), MAX_DEPTH),
            (many.collect(), MAX_DEPTH),
            (vec![[[1.0, 2.0, 3.0]; 3]; 5000], median_depth(5000)),
            (
                vec![[[0.0; 3], [1.0; 3], [1.0, 0.0, 2.0]]; 5000],
                median_depth(5000),
            ),
            (
                (0..5000)
                    .map(|index| {
                        let point = point_on_line(index);
                        [point, point, point_on_line(index + 1)]
                    })
                    .collect(),
                median_depth(5000),
            ),
            (vec![[[f32::NAN; 3]; 3]; 99], median_depth(99)),
            (
                vec![[[f32::MAX; 3], [f32::MIN; 3], [0.0; 3]]; 99],
                median_depth(99),
            ),
        ] {
            let buffers = TreeBuffers::new(&triangles).unwrap();
            let depth = depths(&buffers.nodes).into_iter().max();
            assert!(depth <= Some(max_depth), "{depth:?} > {max_depth}");
            assert!(buffers.nodes.len() < 1 << 16);
            let mut listed: Vec<_> = buffers
                .triangles
                .iter()
                .map(|triangle| triangle.get())
                .collect();
            listed.sort_unstable();
            assert!(listed.into_iter().map(usize::from).eq(0..triangles.len()));
        }
    }

    #[test]
    fn only_1_to_65_536_triangles_make_a_tree() {
        assert!(TreeBuffers::new(&[]).is_none());
        assert!(TreeBuffers::new(&vec![[[0.0; 3]; 3]; (1 << 16) + 1]).is_none());
        let triangles = vec![[[1.0; 3]; 3]; 1 << 16];
        let tree = TreeBuffers::new(&triangles).unwrap();
        assert!(tree.nodes.len() <= 1 << 16);
    }
}
