//! Collapses the edges of a mesh one by one, in order of least error.
//!
//! An edge connects two spots. A spot is a position that one or more vertices of a node share. At a
//! hard edge a spot has several vertices, which are collapsed together so that no gap opens. A
//! vertex without a partner on the other spot joins one that has a partner.

use super::quadric::{Quadric, Vector, cross, dot, middle, minus, split};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// The mesh to simplify.
pub(super) struct Input {
    /// For each vertex, its node.
    pub(super) nodes: Vec<u8>,
    /// For each vertex, its positions in the poses that count; all vertices of a node have equally
    /// many.
    pub(super) positions: Vec<Vec<Vector>>,
    /// Corners of the triangles.
    pub(super) triangles: Vec<[usize; 3]>,
    /// Texture coordinates of the corners.
    pub(super) uvs: Vec<[[f32; 2]; 3]>,
    /// For each node, the weight of its surface; normally 1.
    pub(super) importance: Vec<f32>,
}

/// A step: the two vertices that the next new vertex replaces.
pub(super) type Step = [usize; 2];

/// The weight of texture distortion relative to geometric error.
const TEXTURE_WEIGHT: f64 = 0.03;
/// The additional weight of a collapse that removes a texture seam or a hard edge.
const HARD_EDGE_WEIGHT: f64 = 0.06;
/// The weight of lost area, as when something thin collapses to a line. It exposes the background,
/// which is as bad as an error of the edge's length.
const AREA_LOSS_WEIGHT: f64 = 0.4;
/// The weight of open borders relative to the surface.
const BORDER_WEIGHT: f64 = 2.0;
/// Minimum cosine of the rotation of a triangle's normal in a step.
const MIN_NORMAL_COSINE: f64 = 0.3;

struct Spot {
    vertices: Vec<usize>,
    node: u8,
    importance: f64,
    positions: Vec<Vector>,
    quadrics: Vec<Quadric>,
    /// The adjacent area, as the mean over the poses.
    area: f64,
    /// Whether it was replaced.
    is_replaced: bool,
    /// Count of changes to its neighborhood; invalidates older candidates.
    version: u32,
}

/// The simplification state of a mesh.
pub(super) struct Collapse {
    spots: Vec<Spot>,
    /// For each vertex, its spot.
    spot_of: Vec<usize>,
    /// The mean squared edge length.
    mean_squared_length: f64,
    /// For each vertex, its adjacent triangles.
    triangles_of_vertex: Vec<Vec<usize>>,
    corners: Vec<[usize; 3]>,
    /// For each triangle, the step that removed it.
    pub(super) removed_at: Vec<Option<usize>>,
    pub(super) steps: Vec<Step>,
    queue: BinaryHeap<Reverse<Candidate>>,
}

/// An edge that may be collapsed.
#[derive(PartialEq)]
struct Candidate {
    cost: f64,
    spots: [usize; 2],
    versions: [u32; 2],
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let by_cost = self.cost.total_cmp(&other.cost);
        by_cost
            .then(self.spots.cmp(&other.spots))
            .then(self.versions.cmp(&other.versions))
    }
}

impl Collapse {
    pub(super) fn new(input: &Input) -> Self {
        let mut spot_by_position: BTreeMap<(u8, Vec<[u64; 3]>), usize> = BTreeMap::new();
        let mut spots: Vec<Spot> = Vec::new();
        let mut spot_of = Vec::new();
        let importance = |node: u8| {
            let importance = input.importance.get(usize::from(node)).copied();
            f64::from(importance.unwrap_or(1.0))
        };
        for (vertex, (node, positions)) in input.nodes.iter().zip(&input.positions).enumerate() {
            // Adding 0.0 makes both zeros equal.
            let bits = positions
                .iter()
                .map(|position| position.map(|value| (value + 0.0).to_bits()));
            let spot = *spot_by_position
                .entry((*node, bits.collect()))
                .or_insert(spots.len());
            if spot == spots.len() {
                spots.push(Spot {
                    vertices: Vec::new(),
                    node: *node,
                    importance: importance(*node),
                    positions: positions.clone(),
                    quadrics: vec![Quadric::default(); positions.len()],
                    area: 0.0,
                    is_replaced: false,
                    version: 0,
                });
            }
            spots[spot].vertices.push(vertex);
            spot_of.push(spot);
        }
        let mut triangles_of_vertex = vec![Vec::new(); spot_of.len()];
        for (triangle, corners) in input.triangles.iter().enumerate() {
            for corner in corners {
                triangles_of_vertex[*corner].push(triangle);
            }
        }
        let mut collapse = Self {
            spots,
            spot_of,
            mean_squared_length: 0.0,
            triangles_of_vertex,
            corners: input.triangles.clone(),
            removed_at: vec![None; input.triangles.len()],
            steps: Vec::new(),
            queue: BinaryHeap::new(),
        };
        collapse.init_quadrics(&input.uvs);
        let edges = collapse.edges();
        let lengths = edges.iter().map(|ends| collapse.max_squared_length(*ends));
        collapse.mean_squared_length = lengths.sum::<f64>() / edges.len().max(1) as f64;
        for [a, b] in edges {
            collapse.queue_edge(a, b);
        }
        collapse
    }

    /// The count of remaining triangles.
    pub(super) fn remaining_triangles(&self) -> usize {
        self.removed_at.iter().filter(|lost| lost.is_none()).count()
    }

    /// Collapses edges down to `fewest` triangles. Stops early if no edge can be collapsed or if
    /// `max_vertices` is reached.
    pub(super) fn run(&mut self, fewest: usize, max_vertices: usize) {
        let mut left = self.remaining_triangles();
        while left > fewest {
            let Some(Reverse(next)) = self.queue.pop() else {
                return;
            };
            let [a, b] = next.spots;
            let is_new = |spot: usize, version| {
                let spot = &self.spots[spot];
                !spot.is_replaced && spot.version == version
            };
            if !is_new(a, next.versions[0])
                || !is_new(b, next.versions[1])
                || self.flips_triangle([a, b])
            {
                continue;
            }
            let groups = self.merge_groups(a, b);
            let members = self.spots[a].vertices.len() + self.spots[b].vertices.len();
            if self.spot_of.len() + members - groups.len() > max_vertices {
                return;
            }
            left -= self.collapse_edge(a, b, groups);
        }
    }

    /// The spots at the corners of a triangle.
    fn spots_at(&self, triangle: usize) -> [usize; 3] {
        self.corners[triangle].map(|vertex| self.spot_of[vertex])
    }

    /// All edges, each once.
    fn edges(&self) -> BTreeSet<[usize; 2]> {
        let sides = |triangle| {
            let [a, b, c] = self.spots_at(triangle);
            [[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)])
        };
        let all = (0..self.corners.len()).flat_map(sides);
        all.filter(|[a, b]| a != b).collect()
    }

    /// The position of a spot in a pose. Spots of other nodes may have fewer poses; their last one
    /// is repeated.
    fn position(&self, spot: usize, pose: usize) -> Vector {
        let positions = &self.spots[spot].positions;
        let position = positions.get(pose).or(positions.last());
        position.copied().unwrap_or_default()
    }

    /// The largest pose count of the spots.
    fn poses(&self, spots: &[usize]) -> usize {
        let poses = spots.iter().map(|spot| self.spots[*spot].positions.len());
        poses.max().unwrap_or(0)
    }

    /// The normal of a triangle in a pose; its length is twice the area.
    fn scaled_normal(&self, spots: [usize; 3], pose: usize) -> Vector {
        let [a, b, c] = spots.map(|spot| self.position(spot, pose));
        cross(minus(b, a), minus(c, a))
    }

    /// Initializes the quadric and the area of each spot.
    fn init_quadrics(&mut self, uvs: &[[[f32; 2]; 3]]) {
        // For each edge, its triangles, and the texture coordinates of its ends on each of them.
        type Sides = Vec<(usize, [[u32; 2]; 2])>;
        let mut edges: BTreeMap<[usize; 2], Sides> = BTreeMap::new();
        for (triangle, uv) in uvs.iter().enumerate() {
            let spots = self.spots_at(triangle);
            for pose in 0..self.poses(&spots) {
                let (normal, twice) = split(self.scaled_normal(spots, pose));
                for spot in spots {
                    let spot = &mut self.spots[spot];
                    if let (Some(quadric), Some(position)) =
                        (spot.quadrics.get_mut(pose), spot.positions.get(pose))
                    {
                        *quadric += Quadric::plane(*position, normal, twice / 2.0);
                        spot.area += twice / 2.0 / spot.positions.len() as f64;
                    }
                }
            }
            for (from, to) in [(0, 1), (1, 2), (2, 0)] {
                let mut ends = [(spots[from], uv[from]), (spots[to], uv[to])];
                ends.sort_by_key(|(spot, _)| *spot);
                let sides = edges.entry(ends.map(|(spot, _)| spot)).or_default();
                sides.push((triangle, ends.map(|(_, uv)| uv.map(f32::to_bits))));
            }
        }
        for (ends, sides) in edges {
            let weight = match &sides[..] {
                [_] => BORDER_WEIGHT,
                [(_, one), (_, other)] if one == other => continue,
                // A texture seam.
                _ => BORDER_WEIGHT / 8.0,
            };
            for (triangle, _) in sides {
                self.add_edge_plane(ends, triangle, weight);
            }
        }
    }

    /// Adds the plane through an edge and perpendicular to a triangle to the quadrics of both ends.
    fn add_edge_plane(&mut self, ends: [usize; 2], triangle: usize, weight: f64) {
        let corners = self.spots_at(triangle);
        for pose in 0..self.poses(&ends) {
            let [a, b] = ends.map(|spot| self.position(spot, pose));
            let along = minus(b, a);
            let (normal, _) = split(self.scaled_normal(corners, pose));
            let (outward, _) = split(cross(along, normal));
            for spot in ends {
                let by = Quadric::plane(a, outward, weight * dot(along, along));
                if let Some(quadric) = self.spots[spot].quadrics.get_mut(pose) {
                    *quadric += by;
                }
            }
        }
    }

    /// The greatest squared length of an edge in any pose.
    fn max_squared_length(&self, ends: [usize; 2]) -> f64 {
        let [one, other] = ends.map(|spot| self.spots[spot].positions.iter());
        let squares = one.zip(other).map(|(from, to)| {
            let edge = minus(*to, *from);
            dot(edge, edge)
        });
        squares.fold(0.0, f64::max)
    }

    /// Queues an edge as a candidate.
    fn queue_edge(&mut self, a: usize, b: usize) {
        let (one, other) = (&self.spots[a], &self.spots[b]);
        if one.node != other.node {
            return;
        }
        let poses = one.positions.iter().zip(&other.positions);
        let mut worst: f64 = 0.0;
        for (pose, (from, to)) in poses.enumerate() {
            let position = middle(*from, *to);
            let error =
                one.quadrics[pose].error_at(position) + other.quadrics[pose].error_at(position);
            worst = worst.max(error);
        }
        let matched = self.merge_groups(a, b).len();
        let is_hard = one.vertices.len().max(other.vertices.len()) > matched;
        let shift = if is_hard {
            TEXTURE_WEIGHT + HARD_EDGE_WEIGHT
        } else {
            TEXTURE_WEIGHT
        };
        let max_squared_length = self.max_squared_length([a, b]);
        let moved = shift * max_squared_length * (one.area + other.area);
        let lost = AREA_LOSS_WEIGHT
            * (max_squared_length + self.mean_squared_length)
            * self.area_loss([a, b]);
        let candidate = Candidate {
            cost: one.importance * (worst + moved + lost),
            spots: [a, b],
            versions: [one.version, other.version],
        };
        self.queue.push(Reverse(candidate));
    }

    /// The normal of a triangle before and after a collapse; its length is twice the area.
    fn normal_before_and_after(
        &self,
        triangle: usize,
        edge: [usize; 2],
        pose: usize,
    ) -> [Vector; 2] {
        let spots = self.spots_at(triangle);
        let position = |spot: usize| self.position(spot, pose);
        let to = middle(position(edge[0]), position(edge[1]));
        let [a, b, c] = spots.map(|spot| {
            if edge.contains(&spot) {
                to
            } else {
                position(spot)
            }
        });
        let after = cross(minus(b, a), minus(c, a));
        [self.scaled_normal(spots, pose), after]
    }

    /// The remaining triangles around the ends of an edge.
    fn triangles_around_edge(&self, [a, b]: [usize; 2]) -> BTreeSet<usize> {
        let mut triangles = self.triangles_around(a);
        triangles.extend(self.triangles_around(b));
        triangles
    }

    /// The surface area that the collapse of an edge removes.
    fn area_loss(&self, edge: [usize; 2]) -> f64 {
        let triangles = self.triangles_around_edge(edge);
        let losses = (0..self.spots[edge[0]].positions.len()).map(|pose| {
            let losses = triangles.iter().map(|triangle| {
                let both = self.normal_before_and_after(*triangle, edge, pose);
                let [before, after] = both.map(|scaled_normal| split(scaled_normal).1 / 2.0);
                before - after
            });
            losses.sum::<f64>()
        });
        losses.fold(0.0, f64::max)
    }

    /// The remaining triangles around a spot.
    fn triangles_around(&self, spot: usize) -> BTreeSet<usize> {
        let vertices = self.spots[spot].vertices.iter();
        let triangles =
            vertices.flat_map(|vertex| self.triangles_of_vertex[*vertex].iter().copied());
        triangles
            .filter(|triangle| self.removed_at[*triangle].is_none())
            .collect()
    }

    /// Whether the collapse of an edge would rotate a triangle too far.
    fn flips_triangle(&self, edge: [usize; 2]) -> bool {
        self.triangles_around_edge(edge)
            .into_iter()
            .any(|triangle| {
                let spots = self.spots_at(triangle);
                if edge.iter().all(|spot| spots.contains(spot)) {
                    return false;
                }
                (0..self.spots[edge[0]].positions.len()).any(|pose| {
                    let both = self.normal_before_and_after(triangle, edge, pose);
                    let [(before, area), (after, _)] = both.map(split);
                    area > 0.0 && dot(before, after) < MIN_NORMAL_COSINE
                })
            })
    }

    /// The groups of vertices of two spots that become one vertex each. Vertices that share an edge
    /// of a triangle are in one group.
    fn merge_groups(&self, a: usize, b: usize) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for triangle in self.triangles_around(a) {
            let corners = self.corners[triangle];
            let on = |spot: usize| corners.into_iter().find(|of| self.spot_of[*of] == spot);
            let (Some(one), Some(other)) = (on(a), on(b)) else {
                continue;
            };
            let mut group = vec![one, other];
            let touches = |of: &Vec<usize>| of.contains(&one) || of.contains(&other);
            group.extend(groups.extract_if(.., |of| touches(of)).flatten());
            group.sort_unstable();
            group.dedup();
            groups.push(group);
        }
        let all = self.spots[a].vertices.iter().chain(&self.spots[b].vertices);
        for vertex in all {
            if groups.iter().any(|group| group.contains(vertex)) {
                continue;
            }
            match groups.first_mut() {
                Some(group) => group.push(*vertex),
                None => groups.push(vec![*vertex]),
            }
        }
        groups
    }

    /// Collapses an edge. Returns the count of removed triangles.
    fn collapse_edge(&mut self, a: usize, b: usize, groups: Vec<Vec<usize>>) -> usize {
        let joined = self.spots.len();
        let touched = self.triangles_around_edge([a, b]);
        let mut vertices = Vec::new();
        for group in groups {
            // Vertices of the same spot are merged first, so that the last vertex is at the
            // midpoint.
            let (at_a, at_b): (Vec<usize>, Vec<usize>) =
                group.into_iter().partition(|of| self.spot_of[*of] == a);
            let ends = [(at_a, a), (at_b, b)].map(|(group, spot)| self.replace_all(&group, spot));
            let last: Vec<usize> = ends.into_iter().flatten().collect();
            vertices.extend(self.replace_all(&last, joined));
        }
        let (one, other) = (&self.spots[a], &self.spots[b]);
        let positions = one.positions.iter().zip(&other.positions);
        let quadrics = one.quadrics.iter().zip(&other.quadrics);
        let spot = Spot {
            positions: positions.map(|(from, to)| middle(*from, *to)).collect(),
            quadrics: quadrics
                .map(|(one, other)| {
                    let mut sum = *one;
                    sum += *other;
                    sum
                })
                .collect(),
            area: one.area + other.area,
            node: one.node,
            importance: one.importance,
            is_replaced: false,
            version: 0,
            vertices,
        };
        for vertex in &spot.vertices {
            self.spot_of[*vertex] = joined;
        }
        self.spots.push(spot);
        for replaced in [a, b] {
            self.spots[replaced].is_replaced = true;
        }
        self.finish_step(joined, &touched)
    }

    /// Merges vertices into one, two at a time; the new ones belong to `spot`.
    fn replace_all(&mut self, vertices: &[usize], spot: usize) -> Option<usize> {
        let mut left = vertices.iter().copied();
        let first = left.next()?;
        Some(left.fold(first, |one, other| {
            self.steps.push([one.min(other), one.max(other)]);
            let new = self.spot_of.len();
            self.spot_of.push(spot);
            let merged = [one, other].map(|of| core::mem::take(&mut self.triangles_of_vertex[of]));
            for triangle in merged.iter().flatten() {
                for corner in &mut self.corners[*triangle] {
                    if *corner == one || *corner == other {
                        *corner = new;
                    }
                }
            }
            self.triangles_of_vertex.push(merged.concat());
            new
        }))
    }

    /// Records the removed triangles, and queues the changed edges.
    fn finish_step(&mut self, joined: usize, touched: &BTreeSet<usize>) -> usize {
        let step = self.steps.len();
        let mut lost = 0;
        for triangle in touched {
            let [a, b, c] = self.corners[*triangle];
            if a == b || b == c || c == a {
                self.removed_at[*triangle] = Some(step);
                lost += 1;
            }
        }
        let neighbors: BTreeSet<usize> = self
            .triangles_around(joined)
            .into_iter()
            .flat_map(|triangle| self.spots_at(triangle))
            .filter(|spot| *spot != joined)
            .collect();
        for spot in neighbors {
            self.queue_edge(spot, joined);
        }
        lost
    }
}
