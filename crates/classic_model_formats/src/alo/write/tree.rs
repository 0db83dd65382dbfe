//! Collision trees: boxes parted where rays are expected to cost least.
//!
//! The surface area heuristic: a ray that meets a box meets one in it with the chance that the areas
//! of their surfaces tell. All places between the middles of triangles are tried, along each axis.

use crate::alo::file::Tree;
use crate::alo::records::{TreeNode, place};
use crate::alo::write::bounds::bounds_of;
use zerocopy::little_endian::U16;

/// Triangles of a leaf, at most: those of most real trees.
const LEAF: usize = 4;

/// The same of trees of at most [`SMALL`] triangles. Queries have room for more leaves in these; in
/// large ones smaller leaves make nothing faster, and loading slower.
const SMALL_LEAF: usize = 2;

const SMALL: usize = 64;

/// Depth of a tree, at most: that of real trees. Room for 2^25 leaves, so there is a choice.
const DEPTH: u32 = 25;

/// What it costs to come to a leaf, in tests of triangles. Measured: with 0, nearest hits are as fast
/// and trees a sixth larger, since leaves are less full.
const LEAF_COST: usize = 4;

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

/// What kind of tree is made.
#[derive(Clone, Copy)]
struct Rules {
    /// Triangles of a leaf, at most.
    leaf: usize,
    /// What the number of triangles of the first child is a multiple of.
    step: usize,
}

impl Rules {
    fn new(count: usize) -> Self {
        Self {
            leaf: if count > SMALL { LEAF } else { SMALL_LEAF },
            // A tree can have no more than 65 536 nodes, so no more than half as many leaves.
            step: if count > 1 << 15 { 2 } else { 1 },
        }
    }
}

/// A node that is yet to be made of some of the items.
struct Task {
    node: usize,
    parent: Bounds,
    depth: u32,
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
        let rules = Rules::new(items.len());
        let nodes = nodes(&mut items, bounds, |items, below| part(items, below, rules));
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
///
/// `part` brings some of them into an order, and tells how many go to the first child; none if they
/// are to be a leaf. It is told how deep the trees of both may be.
fn nodes(
    items: &mut [Item],
    bounds: Bounds,
    part: impl Fn(&mut [Item], u32) -> Option<usize>,
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
        (node.min, node.max) = quantized(around(items), task.parent);
        let depth = task.depth + 1;
        let Some(first) = part(items, DEPTH.saturating_sub(depth)) else {
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

fn around(items: &[Item]) -> Bounds {
    bounds_of(items.iter().flat_map(|item| item.bounds))
}

fn half_area([min, max]: Bounds) -> f64 {
    // Products of coordinates may be too large for single precision.
    let side = |axis: usize| f64::from(max[axis]) - f64::from(min[axis]);
    let [x, y, z] = [side(0), side(1), side(2)];
    x * y + y * z + z * x
}

/// Twice the middle of an item along an axis.
fn middle(item: &Item, axis: usize) -> f32 {
    item.bounds[0][axis] + item.bounds[1][axis]
}

/// Sorts items along an axis, always into the same order.
fn sort(items: &mut [Item], axis: usize) {
    items.sort_unstable_by(|a, b| {
        let order = middle(a, axis).total_cmp(&middle(b, axis));
        order.then(a.triangle.cmp(&b.triangle))
    });
}

/// How deep a tree of so many triangles is at most if it is halved all the way.
fn least_depth(count: usize) -> u32 {
    count.div_ceil(SMALL_LEAF).next_power_of_two().ilog2()
}

/// Brings items into the order in which the first of them, as many as are told, and the others cost
/// least; none if they are a leaf. Trees of `below` levels are enough for both.
fn part(items: &mut [Item], below: u32, rules: Rules) -> Option<usize> {
    if items.len() <= rules.leaf {
        return None;
    }
    // All parts of a line cost the same: nothing.
    if half_area(around(items)) <= 0.0 {
        return Some(halve(items, rules.step));
    }
    let mut least: Option<(f64, usize, usize)> = None;
    for axis in 0..3 {
        sort(items, axis);
        let costs = costs(items, rules.leaf);
        for (at, cost) in costs
            .into_iter()
            .enumerate()
            .skip(rules.step)
            .step_by(rules.step)
        {
            let other = items.len() - at;
            // Of equals, as of triangles in the same place, the one that halves best.
            let order = |&(least, _, found): &(f64, usize, usize)| {
                let larger = found.max(items.len() - found);
                cost.total_cmp(&least).then(at.max(other).cmp(&larger))
            };
            if least_depth(at.max(other)) <= below
                && least.as_ref().is_none_or(|least| order(least).is_lt())
            {
                least = Some((cost, axis, at));
            }
        }
    }
    let Some((_, axis, at)) = least else {
        return Some(halve(items, rules.step));
    };
    sort(items, axis);
    Some(at)
}

/// What each number of items costs if so many go to the first child.
fn costs(items: &[Item], leaf: usize) -> Vec<f64> {
    let load = |count: usize| (count + LEAF_COST * count.div_ceil(leaf)) as f64;
    let mut costs = vec![0.0; items.len()];
    let mut bounds = None;
    for (at, (item, cost)) in items.iter().zip(&mut costs).enumerate().rev() {
        *cost = half_area(*grown(&mut bounds, item)) * load(items.len() - at);
    }
    let mut bounds = None;
    for (at, (item, cost)) in items.iter().zip(costs.iter_mut().skip(1)).enumerate() {
        *cost += half_area(*grown(&mut bounds, item)) * load(at + 1);
    }
    costs
}

/// A box with an item added to it.
fn grown<'a>(bounds: &'a mut Option<Bounds>, item: &Item) -> &'a Bounds {
    let old = bounds.unwrap_or(item.bounds);
    bounds.insert(bounds_of([old, item.bounds].as_flattened().iter().copied()))
}

/// Brings the lower half of items along the longest axis to the front, and tells how many they are:
/// a multiple of `step`.
fn halve(items: &mut [Item], step: usize) -> usize {
    let [min, max] = around(items);
    let extent = |axis: &usize| max[*axis] - min[*axis];
    let axis = (0..3).max_by(|a, b| extent(a).total_cmp(&extent(b)));
    sort(items, axis.unwrap_or_default());
    items.len().div_ceil(2).next_multiple_of(step)
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

    /// Depth of each node.
    fn depths(nodes: &[TreeNode]) -> Vec<u32> {
        let mut depths = vec![0; nodes.len()];
        for (at, node) in nodes.iter().enumerate() {
            if node.triangle_count.get() == 0 {
                let child = usize::from(node.link.get());
                assert!(child > at, "links lead forward");
                depths[child] = depths[at] + 1;
                depths[child + 1] = depths[at] + 1;
            }
        }
        depths
    }

    /// Tests of boxes and triangles that a ray which meets the whole expects.
    fn cost(tree: &Tree) -> f64 {
        let boxes = tree.boxes();
        let each = tree.nodes.iter().zip(&boxes).map(|(node, bounds)| {
            let count = usize::from(node.triangle_count.get());
            half_area(*bounds) * count.max(1) as f64
        });
        each.sum::<f64>() / half_area(boxes[0])
    }

    /// The tree that halves at medians alone.
    fn halved(triangles: &[[[f32; 3]; 3]]) -> TreeBuffers {
        let mut buffers = TreeBuffers::new(triangles).unwrap();
        let bounds = |corners: &[[f32; 3]; 3]| bounds_of(corners.iter().copied());
        let mut items: Vec<Item> = (0..)
            .zip(triangles)
            .map(|(triangle, corners)| Item {
                triangle,
                bounds: bounds(corners),
            })
            .collect();
        buffers.nodes = nodes(&mut items, buffers.bounds, |items, _| {
            (items.len() > LEAF).then(|| halve(items, 1))
        });
        buffers
    }

    /// A ring of spokes of triangles, fine within and coarse without.
    fn ring(count: u16) -> Vec<[[f32; 3]; 3]> {
        let point = |at: u16, out: u16| {
            let (angle, size) = (f32::from(at) * 0.37, 1.1_f32.powi(out.into()));
            [angle.cos() * size, angle.sin() * size, size * 0.2]
        };
        let spoke =
            |at| (0..40).map(move |out| [point(at, out), point(at + 1, out), point(at, out + 1)]);
        (0..count).flat_map(spoke).collect()
    }

    /// Two cubes of twelve triangles, the one far from the other.
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
        let both = |moved: f32| {
            let at = move |bits| corner(bits).map(|place| place + moved);
            faces
                .iter()
                .flat_map(move |[a, b, c, d]| [[at(*a), at(*b), at(*c)], [at(*c), at(*b), at(*d)]])
        };
        both(0.0).chain(both(9.0)).collect()
    }

    #[test]
    fn rays_cost_less_than_in_a_tree_of_medians() {
        for (triangles, most) in [
            (sheet(9), 0.75),
            (sheet(40), 0.8),
            (ring(17), 0.9),
            (cubes(), 1.0),
        ] {
            let ours = cost(&TreeBuffers::new(&triangles).unwrap().tree());
            let medians = cost(&halved(&triangles).tree());
            assert!(ours <= most * medians, "{ours} {medians}");
        }
    }

    #[test]
    fn no_tree_is_too_deep_or_has_too_many_nodes() {
        // Each triangle is as large as all before it, so that nothing is better than to part it from
        // them.
        let growing = |count: u16, from: [f32; 3]| {
            let triangle = move |at: u16| {
                let size = 2.0_f32.powi(at.into());
                [0.0, 1.0, 2.0].map(|side| [from[0] + size, from[1] + size * side, from[2]])
            };
            (0..count).map(triangle)
        };
        let many = (0..15 * 15 * 15_u16).flat_map(|at| {
            let place = [at % 15, at / 15 % 15, at / 225];
            growing(14, place.map(|place| f32::from(place) * 65_536.0))
        });
        let line = |at: u16| [f32::from(at), 0.0, 0.0];
        for (triangles, deepest) in [
            (growing(120, [0.0; 3]).collect(), DEPTH),
            (many.collect(), DEPTH),
            (vec![[[1.0, 2.0, 3.0]; 3]; 5000], least_depth(5000)),
            (
                vec![[[0.0; 3], [1.0; 3], [1.0, 0.0, 2.0]]; 5000],
                least_depth(5000),
            ),
            (
                (0..5000)
                    .map(|at| [line(at), line(at), line(at + 1)])
                    .collect(),
                least_depth(5000),
            ),
            (vec![[[f32::NAN; 3]; 3]; 99], least_depth(99)),
            (
                vec![[[f32::MAX; 3], [f32::MIN; 3], [0.0; 3]]; 99],
                least_depth(99),
            ),
        ] {
            let buffers = TreeBuffers::new(&triangles).unwrap();
            let depth = depths(&buffers.nodes).into_iter().max();
            assert!(depth <= Some(deepest), "{depth:?} {deepest}");
            assert!(buffers.nodes.len() < 1 << 16);
            let mut named: Vec<_> = buffers
                .triangles
                .iter()
                .map(|triangle| triangle.get())
                .collect();
            named.sort_unstable();
            assert!(named.into_iter().map(usize::from).eq(0..triangles.len()));
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
