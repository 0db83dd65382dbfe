//! Collapses the edges of a mesh one by one, in order of least error: the squared distances of the edge's middle from the planes
//! of the original triangles (Garland and Heckbert's quadrics, at a fixed position). Open borders, texture seams and hard edges
//! are kept longer.
//!
//! An edge connects two spots. A spot is a position that one or more vertices of a node share. At a hard edge a spot has several
//! vertices, which are collapsed together so that no gap opens. A vertex without a partner on the other spot joins one with a
//! partner.

use super::quadric::Quadric;
use glam::DVec3;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// The mesh to simplify.
pub struct Input {
    /// For each vertex, the index of its spot: in order of the first vertices.
    pub spots: Vec<usize>,
    /// For each spot, the node of its vertices.
    pub nodes: Vec<u8>,
    /// For each spot, its positions in some poses: equally many for all.
    pub positions: Vec<Vec<DVec3>>,
    /// Corners of the triangles.
    pub triangles: Vec<[usize; 3]>,
    /// Texture coordinates of the corners.
    pub uvs: Vec<[[f32; 2]; 3]>,
}

/// The collapses of a mesh.
pub struct Collapsed {
    /// The two vertices that each new vertex replaces, the lower index first. New vertices come after those of the mesh.
    pub pairs: Vec<[usize; 2]>,
    /// For each triangle, the count of pairs after which it is gone.
    pub removed_at: Vec<Option<usize>>,
}

/// The weight of texture distortion relative to geometric error.
const TEXTURE_WEIGHT: f64 = 0.03;
/// The additional weight of a collapse that removes a hard edge.
const HARD_EDGE_WEIGHT: f64 = 0.06;
/// The weight of lost area, as when something thin collapses to a line. It exposes the background, which is as bad as an error of
/// the edge's length.
const AREA_LOSS_WEIGHT: f64 = 0.4;
/// The weights of open borders and of texture seams relative to the surface.
const BORDER_WEIGHT: f64 = 2.0;
const SEAM_WEIGHT: f64 = 0.25;
/// Minimum cosine of the rotation of a triangle's normal in a step.
const MIN_NORMAL_COSINE: f64 = 0.3;
/// Spots with more triangles are kept, because each collapse takes the time of all triangles around.
const MAX_TRIANGLES: usize = 256;

/// Collapses edges down to a count of triangles. Ends early if no edge can be collapsed or `max_vertices` are reached.
pub fn collapse(input: &Input, fewest: usize, max_vertices: usize) -> Collapsed {
    let mut mesh = Mesh::new(input);
    mesh.run(fewest, max_vertices);
    Collapsed {
        pairs: mesh.pairs,
        removed_at: mesh.removed_at,
    }
}

#[derive(Default)]
struct Spot {
    vertices: Vec<usize>,
    node: u8,
    positions: Vec<DVec3>,
    quadrics: Vec<Quadric>,
    /// The adjacent area, as the mean over the poses.
    area: f64,
    is_replaced: bool,
}

/// A mesh that is simplified.
struct Mesh {
    spots: Vec<Spot>,
    /// For each vertex, its spot.
    spot_of: Vec<usize>,
    /// For each vertex, its adjacent triangles.
    triangles_of: Vec<Vec<usize>>,
    corners: Vec<[usize; 3]>,
    removed_at: Vec<Option<usize>>,
    pairs: Vec<[usize; 2]>,
    /// The mean squared length of edges.
    mean_squared_length: f64,
    queue: BinaryHeap<Reverse<Candidate>>,
}

/// An edge that may be collapsed.
#[derive(PartialEq)]
struct Candidate {
    cost: f64,
    spots: [usize; 2],
}

impl Eq for Candidate {}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_cost = self.cost.total_cmp(&other.cost);
        by_cost.then(self.spots.cmp(&other.spots))
    }
}

impl Mesh {
    fn new(input: &Input) -> Self {
        let spots = input.positions.iter().zip(&input.nodes);
        let spots = spots.map(|(positions, node)| Spot {
            node: *node,
            positions: positions.clone(),
            quadrics: vec![Quadric::default(); positions.len()],
            ..Spot::default()
        });
        let mut mesh = Self {
            spots: spots.collect(),
            spot_of: input.spots.clone(),
            triangles_of: vec![Vec::new(); input.spots.len()],
            corners: input.triangles.clone(),
            removed_at: vec![None; input.triangles.len()],
            pairs: Vec::new(),
            mean_squared_length: 0.0,
            queue: BinaryHeap::new(),
        };
        for (vertex, spot) in input.spots.iter().enumerate() {
            mesh.spots[*spot].vertices.push(vertex);
        }
        for (triangle, corners) in input.triangles.iter().enumerate() {
            for corner in corners {
                mesh.triangles_of[*corner].push(triangle);
            }
        }
        let edges = mesh.add_quadrics(&input.uvs);
        let lengths = edges.iter().map(|edge| mesh.squared_length(*edge));
        mesh.mean_squared_length = lengths.sum::<f64>() / edges.len().max(1) as f64;
        for edge in edges {
            mesh.queue_edge(edge);
        }
        mesh
    }

    fn run(&mut self, fewest: usize, max_vertices: usize) {
        let mut left = self.corners.len();
        while left > fewest {
            let Some(Reverse(next)) = self.queue.pop() else {
                return;
            };
            let [a, b] = next.spots;
            if self.spots[a].is_replaced
                || self.spots[b].is_replaced
                || self.flips_triangle(next.spots)
            {
                continue;
            }
            let groups = self.groups(next.spots);
            let vertices = self.spots[a].vertices.len() + self.spots[b].vertices.len();
            if self.spot_of.len() + vertices - groups.len() > max_vertices {
                return;
            }
            left -= self.collapse_edge(next.spots, groups);
        }
    }

    /// The spots at the corners of a triangle.
    fn spots_at(&self, triangle: usize) -> [usize; 3] {
        self.corners[triangle].map(|vertex| self.spot_of[vertex])
    }

    fn poses(&self) -> usize {
        self.spots.first().map_or(0, |spot| spot.positions.len())
    }

    /// The normal of a triangle in a pose, and its area. The normal of a triangle without area is 0.
    fn plane(&self, spots: [usize; 3], pose: usize) -> (DVec3, f64) {
        oriented(spots.map(|spot| self.spots[spot].positions[pose]))
    }

    /// Sets the quadric and the area of each spot. Returns all edges.
    fn add_quadrics(&mut self, uvs: &[[[f32; 2]; 3]]) -> Vec<[usize; 2]> {
        // For each edge, its triangles, and the texture coordinates of its ends on each of them.
        type Sides = Vec<(usize, [[u32; 2]; 2])>;
        let mut edges: BTreeMap<[usize; 2], Sides> = BTreeMap::new();
        let poses = self.poses();
        for (triangle, uv) in uvs.iter().enumerate() {
            let spots = self.spots_at(triangle);
            for pose in 0..poses {
                let (normal, area) = self.plane(spots, pose);
                for spot in spots {
                    let spot = &mut self.spots[spot];
                    spot.quadrics[pose] += Quadric::plane(spot.positions[pose], normal, area);
                    spot.area += area / poses as f64;
                }
            }
            for (from, to) in [(0, 1), (1, 2), (2, 0)] {
                let mut ends = [(spots[from], uv[from]), (spots[to], uv[to])];
                ends.sort_by_key(|(spot, _)| *spot);
                let sides = edges.entry(ends.map(|(spot, _)| spot)).or_default();
                sides.push((triangle, ends.map(|(_, uv)| uv.map(f32::to_bits))));
            }
        }
        edges.retain(|[a, b], _| a != b);
        for (edge, sides) in &edges {
            let weight = match &sides[..] {
                [_] => BORDER_WEIGHT,
                [(_, one), (_, other)] if one == other => continue,
                _ => SEAM_WEIGHT,
            };
            for (triangle, _) in sides {
                self.add_edge_plane(*edge, *triangle, weight);
            }
        }
        edges.into_keys().collect()
    }

    /// Adds the plane through an edge and perpendicular to a triangle to the quadrics of both ends.
    fn add_edge_plane(&mut self, edge: [usize; 2], triangle: usize, weight: f64) {
        let corners = self.spots_at(triangle);
        for pose in 0..self.poses() {
            let [a, b] = edge.map(|spot| self.spots[spot].positions[pose]);
            let (normal, _) = self.plane(corners, pose);
            let outward = (b - a).cross(normal).normalize_or_zero();
            let plane = Quadric::plane(a, outward, weight * a.distance_squared(b));
            for spot in edge {
                self.spots[spot].quadrics[pose] += plane;
            }
        }
    }

    /// The greatest squared length of an edge in any pose.
    fn squared_length(&self, edge: [usize; 2]) -> f64 {
        let [one, other] = edge.map(|spot| self.spots[spot].positions.iter());
        let squares = one.zip(other).map(|(a, b)| a.distance_squared(*b));
        squares.fold(0.0, f64::max)
    }

    /// Queues an edge as a candidate, unless its ends are of two nodes.
    fn queue_edge(&mut self, edge: [usize; 2]) {
        let [one, other] = edge.map(|spot| &self.spots[spot]);
        if one.node != other.node || edge.iter().any(|spot| self.is_crowded(*spot)) {
            return;
        }
        let mut worst: f64 = 0.0;
        for pose in 0..self.poses() {
            let middle = one.positions[pose].midpoint(other.positions[pose]);
            let quadric = one.quadrics[pose] + other.quadrics[pose];
            worst = worst.max(quadric.error_at(middle));
        }
        let is_hard = one.vertices.len().max(other.vertices.len()) > self.groups(edge).len();
        let shift = match is_hard {
            true => TEXTURE_WEIGHT + HARD_EDGE_WEIGHT,
            false => TEXTURE_WEIGHT,
        };
        let squared_length = self.squared_length(edge);
        let moved = shift * squared_length * (one.area + other.area);
        let lost =
            AREA_LOSS_WEIGHT * (squared_length + self.mean_squared_length) * self.area_loss(edge);
        self.queue.push(Reverse(Candidate {
            cost: worst + moved + lost,
            spots: edge,
        }));
    }

    /// Whether a spot has too many vertices or triangles.
    fn is_crowded(&self, spot: usize) -> bool {
        let vertices = &self.spots[spot].vertices;
        let lists = vertices.iter().take(MAX_TRIANGLES + 1);
        let triangles: usize = lists.map(|vertex| self.triangles_of[*vertex].len()).sum();
        vertices.len().max(triangles) > MAX_TRIANGLES
    }

    /// The normals and areas of a triangle in a pose before and after a collapse.
    fn before_and_after(
        &self,
        triangle: usize,
        edge: [usize; 2],
        pose: usize,
    ) -> [(DVec3, f64); 2] {
        let spots = self.spots_at(triangle);
        let position = |spot: usize| self.spots[spot].positions[pose];
        let middle = position(edge[0]).midpoint(position(edge[1]));
        let after = spots.map(|spot| match edge.contains(&spot) {
            true => middle,
            false => position(spot),
        });
        [self.plane(spots, pose), oriented(after)]
    }

    /// The surface area that the collapse of an edge removes.
    fn area_loss(&self, edge: [usize; 2]) -> f64 {
        let triangles = self.triangles_around(&edge);
        let losses = (0..self.poses()).map(|pose| {
            let losses = triangles.iter().map(|triangle| {
                let [(_, before), (_, after)] = self.before_and_after(*triangle, edge, pose);
                before - after
            });
            losses.sum::<f64>()
        });
        losses.fold(0.0, f64::max)
    }

    /// Whether the collapse of an edge would rotate a triangle too far.
    fn flips_triangle(&self, edge: [usize; 2]) -> bool {
        let flips = |triangle: &usize| {
            let spots = self.spots_at(*triangle);
            let is_kept = !edge.iter().all(|spot| spots.contains(spot));
            is_kept
                && (0..self.poses()).any(|pose| {
                    let [(before, area), (after, _)] = self.before_and_after(*triangle, edge, pose);
                    area > 0.0 && before.dot(after) < MIN_NORMAL_COSINE
                })
        };
        self.triangles_around(&edge).iter().any(flips)
    }

    /// The remaining triangles around spots.
    fn triangles_around(&self, spots: &[usize]) -> BTreeSet<usize> {
        let vertices = spots.iter().flat_map(|spot| &self.spots[*spot].vertices);
        let triangles = vertices.flat_map(|vertex| &self.triangles_of[*vertex]);
        let is_left = |triangle: &usize| self.removed_at[*triangle].is_none();
        triangles.copied().filter(is_left).collect()
    }

    /// The groups of vertices of two spots that become one vertex each. Vertices that share an edge of a triangle are in one group.
    fn groups(&self, [a, b]: [usize; 2]) -> Vec<Vec<usize>> {
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for triangle in self.triangles_around(&[a]) {
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
    fn collapse_edge(&mut self, edge: [usize; 2], groups: Vec<Vec<usize>>) -> usize {
        let joined = self.spots.len();
        let touched = self.triangles_around(&edge);
        let mut vertices = Vec::new();
        for group in groups {
            // Vertices of the same spot are merged first, so that the last vertex is in the middle.
            let (at_a, at_b): (Vec<usize>, Vec<usize>) = group
                .into_iter()
                .partition(|of| self.spot_of[*of] == edge[0]);
            let ends = [(at_a, edge[0]), (at_b, edge[1])];
            let ends = ends.map(|(group, spot)| self.replace_all(&group, spot));
            let last: Vec<usize> = ends.into_iter().flatten().collect();
            vertices.extend(self.replace_all(&last, joined));
        }
        let [one, other] = edge.map(|spot| core::mem::take(&mut self.spots[spot]));
        for spot in edge {
            self.spots[spot].is_replaced = true;
        }
        for vertex in &vertices {
            self.spot_of[*vertex] = joined;
        }
        let positions = one.positions.iter().zip(&other.positions);
        let quadrics = one.quadrics.iter().zip(&other.quadrics);
        self.spots.push(Spot {
            vertices,
            node: one.node,
            positions: positions.map(|(a, b)| a.midpoint(*b)).collect(),
            quadrics: quadrics.map(|(a, b)| *a + *b).collect(),
            area: one.area + other.area,
            is_replaced: false,
        });
        self.finish_step(joined, &touched)
    }

    /// Merges vertices into one, two at a time. The new ones belong to `spot`.
    fn replace_all(&mut self, vertices: &[usize], spot: usize) -> Option<usize> {
        vertices.iter().copied().reduce(|one, other| {
            self.pairs.push([one.min(other), one.max(other)]);
            let new = self.spot_of.len();
            self.spot_of.push(spot);
            let merged = [one, other].map(|of| core::mem::take(&mut self.triangles_of[of]));
            let mut merged = merged.concat();
            merged.retain(|triangle| self.removed_at[*triangle].is_none());
            for triangle in &merged {
                for corner in &mut self.corners[*triangle] {
                    if *corner == one || *corner == other {
                        *corner = new;
                    }
                }
            }
            self.triangles_of.push(merged);
            new
        })
    }

    /// Records the removed triangles, and queues the changed edges. Returns the count of removed triangles.
    fn finish_step(&mut self, joined: usize, touched: &BTreeSet<usize>) -> usize {
        let mut lost = 0;
        for triangle in touched {
            let [a, b, c] = self.corners[*triangle];
            if a == b || b == c || c == a {
                self.removed_at[*triangle] = Some(self.pairs.len());
                lost += 1;
            }
        }
        let around = self.triangles_around(&[joined]).into_iter();
        let neighbors: BTreeSet<usize> = around
            .flat_map(|triangle| self.spots_at(triangle))
            .filter(|spot| *spot != joined)
            .collect();
        for spot in neighbors {
            self.queue_edge([spot, joined]);
        }
        lost
    }
}

/// The normal of a triangle and its area. The normal is 0 if the area is.
fn oriented([a, b, c]: [DVec3; 3]) -> (DVec3, f64) {
    let normal = (b - a).cross(c - a);
    (normal.normalize_or_zero(), normal.length() / 2.0)
}
