//! Takes edges out of a mesh one by one, those first that are missed least.
//!
//! An edge is one between two spots: places of one or more vertices of a node. At a hard edge of the
//! shading a spot has several, which go together, so that no gap opens; what has no partner on the other
//! spot joins one that has.

use super::quadric::{Quadric, Vector, cross, dot, middle, minus, split};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// What a mesh is made of.
pub(super) struct Input {
    /// For each vertex, its node.
    pub(super) nodes: Vec<u8>,
    /// For each vertex, its places in the poses that count; those of a node have equally many.
    pub(super) places: Vec<Vec<Vector>>,
    /// Corners of triangles.
    pub(super) triangles: Vec<[usize; 3]>,
    /// Texture coordinates of these.
    pub(super) uvs: Vec<[[f32; 2]; 3]>,
    /// For each node, how much its surface matters; 1 for most.
    pub(super) importance: Vec<f32>,
}

/// A step: the two vertices that the next new one replaces.
pub(super) type Step = [usize; 2];

/// How much it matters that a picture moves along the surface, beside that the surface moves.
const PICTURE: f64 = 0.03;
/// The same where the picture has a seam or the shading a hard edge that gets lost.
const HARD: f64 = 0.06;
/// How much it matters that surface goes altogether, as where something thin becomes a line: what is
/// behind it shows, which is as bad as if it had moved by as much as edges are long.
const LOSS: f64 = 0.4;
/// How much the open border of a surface matters, beside the surface.
const BORDER: f64 = 2.0;
/// Cosine of the angle by which a triangle may turn in a step.
const MOST_TURN: f64 = 0.3;

struct Spot {
    vertices: Vec<usize>,
    node: u8,
    importance: f64,
    places: Vec<Vector>,
    quadrics: Vec<Quadric>,
    /// Area around it, in the mean of poses.
    area: f64,
    /// Whether it was replaced.
    is_gone: bool,
    /// How often what is around it changed.
    version: u32,
}

/// A mesh that loses its edges.
pub(super) struct Collapse {
    spots: Vec<Spot>,
    /// For each vertex, its spot.
    spot_of: Vec<usize>,
    /// Square of how long edges are, in the mean.
    usual: f64,
    /// For each vertex, the triangles at it.
    around: Vec<Vec<usize>>,
    corners: Vec<[usize; 3]>,
    /// For each triangle, the step that took it.
    pub(super) lost_at: Vec<Option<usize>>,
    pub(super) steps: Vec<Step>,
    queue: BinaryHeap<Reverse<Candidate>>,
}

/// An edge that may go.
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
        let mut known: BTreeMap<(u8, Vec<[u64; 3]>), usize> = BTreeMap::new();
        let mut spots: Vec<Spot> = Vec::new();
        let mut spot_of = Vec::new();
        let importance = |node: u8| {
            let importance = input.importance.get(usize::from(node)).copied();
            f64::from(importance.unwrap_or(1.0))
        };
        for (vertex, (node, places)) in input.nodes.iter().zip(&input.places).enumerate() {
            // The two zeros are the same place.
            let bits = places
                .iter()
                .map(|place| place.map(|value| (value + 0.0).to_bits()));
            let spot = *known.entry((*node, bits.collect())).or_insert(spots.len());
            if spot == spots.len() {
                spots.push(Spot {
                    vertices: Vec::new(),
                    node: *node,
                    importance: importance(*node),
                    places: places.clone(),
                    quadrics: vec![Quadric::default(); places.len()],
                    area: 0.0,
                    is_gone: false,
                    version: 0,
                });
            }
            spots[spot].vertices.push(vertex);
            spot_of.push(spot);
        }
        let mut around = vec![Vec::new(); spot_of.len()];
        for (triangle, corners) in input.triangles.iter().enumerate() {
            for corner in corners {
                around[*corner].push(triangle);
            }
        }
        let mut collapse = Self {
            spots,
            spot_of,
            usual: 0.0,
            around,
            corners: input.triangles.clone(),
            lost_at: vec![None; input.triangles.len()],
            steps: Vec::new(),
            queue: BinaryHeap::new(),
        };
        collapse.weigh(&input.uvs);
        let edges = collapse.edges();
        let lengths = edges.iter().map(|ends| collapse.longest(*ends));
        collapse.usual = lengths.sum::<f64>() / edges.len().max(1) as f64;
        for [a, b] in edges {
            collapse.propose(a, b);
        }
        collapse
    }

    /// Triangles that are left.
    pub(super) fn left(&self) -> usize {
        self.lost_at.iter().filter(|lost| lost.is_none()).count()
    }

    /// Takes edges until there are no more triangles than this, no more that can go, or as many
    /// vertices as there may be.
    pub(super) fn run(&mut self, fewest: usize, most_vertices: usize) {
        let mut left = self.left();
        while left > fewest {
            let Some(Reverse(next)) = self.queue.pop() else {
                return;
            };
            let [a, b] = next.spots;
            let is_new = |spot: usize, version| {
                let spot = &self.spots[spot];
                !spot.is_gone && spot.version == version
            };
            if !is_new(a, next.versions[0]) || !is_new(b, next.versions[1]) || self.folds([a, b]) {
                continue;
            }
            let groups = self.groups(a, b);
            let members = self.spots[a].vertices.len() + self.spots[b].vertices.len();
            if self.spot_of.len() + members - groups.len() > most_vertices {
                return;
            }
            left -= self.join(a, b, groups);
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

    /// Where a spot is in a pose. Spots of other nodes may have fewer poses, and stay in the last.
    fn place(&self, spot: usize, pose: usize) -> Vector {
        let places = &self.spots[spot].places;
        let place = places.get(pose).or(places.last());
        place.copied().unwrap_or_default()
    }

    /// The poses of what has most of some spots.
    fn poses(&self, spots: &[usize]) -> usize {
        let poses = spots.iter().map(|spot| self.spots[*spot].places.len());
        poses.max().unwrap_or(0)
    }

    /// Twice the area of a triangle, across it, in a pose.
    fn across(&self, spots: [usize; 3], pose: usize) -> Vector {
        let [a, b, c] = spots.map(|spot| self.place(spot, pose));
        cross(minus(b, a), minus(c, a))
    }

    /// Sums up what keeps each spot where it is.
    fn weigh(&mut self, uvs: &[[[f32; 2]; 3]]) {
        // For each edge, how many triangles it has, and where each side is in the picture.
        type Sides = Vec<(usize, [[u32; 2]; 2])>;
        let mut edges: BTreeMap<[usize; 2], Sides> = BTreeMap::new();
        for (triangle, uv) in uvs.iter().enumerate() {
            let spots = self.spots_at(triangle);
            for pose in 0..self.poses(&spots) {
                let (normal, twice) = split(self.across(spots, pose));
                for spot in spots {
                    let spot = &mut self.spots[spot];
                    if let (Some(quadric), Some(place)) =
                        (spot.quadrics.get_mut(pose), spot.places.get(pose))
                    {
                        *quadric += Quadric::plane(*place, normal, twice / 2.0);
                        spot.area += twice / 2.0 / spot.places.len() as f64;
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
                [_] => BORDER,
                [(_, one), (_, other)] if one == other => continue,
                // A seam of the picture.
                _ => BORDER / 8.0,
            };
            for (triangle, _) in sides {
                self.fence(ends, triangle, weight);
            }
        }
    }

    /// Keeps the two ends of an edge in the plane through it that stands upon a triangle.
    fn fence(&mut self, ends: [usize; 2], triangle: usize, weight: f64) {
        let corners = self.spots_at(triangle);
        for pose in 0..self.poses(&ends) {
            let [a, b] = ends.map(|spot| self.place(spot, pose));
            let along = minus(b, a);
            let (normal, _) = split(self.across(corners, pose));
            let (outwards, _) = split(cross(along, normal));
            for spot in ends {
                let by = Quadric::plane(a, outwards, weight * dot(along, along));
                if let Some(quadric) = self.spots[spot].quadrics.get_mut(pose) {
                    *quadric += by;
                }
            }
        }
    }

    /// The square of how long an edge is where it is longest.
    fn longest(&self, ends: [usize; 2]) -> f64 {
        let [one, other] = ends.map(|spot| self.spots[spot].places.iter());
        let squares = one.zip(other).map(|(from, to)| {
            let way = minus(*to, *from);
            dot(way, way)
        });
        squares.fold(0.0, f64::max)
    }

    /// Queues an edge.
    fn propose(&mut self, a: usize, b: usize) {
        let (one, other) = (&self.spots[a], &self.spots[b]);
        if one.node != other.node {
            return;
        }
        let poses = one.places.iter().zip(&other.places);
        let mut worst: f64 = 0.0;
        for (pose, (from, to)) in poses.enumerate() {
            let place = middle(*from, *to);
            let error = one.quadrics[pose].at(place) + other.quadrics[pose].at(place);
            worst = worst.max(error);
        }
        let matched = self.groups(a, b).len();
        let is_hard = one.vertices.len().max(other.vertices.len()) > matched;
        let shift = if is_hard { PICTURE + HARD } else { PICTURE };
        let longest = self.longest([a, b]);
        let moved = shift * longest * (one.area + other.area);
        let lost = LOSS * (longest + self.usual) * self.loss([a, b]);
        let candidate = Candidate {
            cost: one.importance * (worst + moved + lost),
            spots: [a, b],
            versions: [one.version, other.version],
        };
        self.queue.push(Reverse(candidate));
    }

    /// Twice the area of a triangle, across it, before an edge goes and after that.
    fn before_and_after(&self, triangle: usize, edge: [usize; 2], pose: usize) -> [Vector; 2] {
        let spots = self.spots_at(triangle);
        let place = |spot: usize| self.place(spot, pose);
        let to = middle(place(edge[0]), place(edge[1]));
        let [a, b, c] = spots.map(|spot| {
            if edge.contains(&spot) {
                to
            } else {
                place(spot)
            }
        });
        let after = cross(minus(b, a), minus(c, a));
        [self.across(spots, pose), after]
    }

    /// The triangles around the ends of an edge that are left.
    fn triangles_around_edge(&self, [a, b]: [usize; 2]) -> BTreeSet<usize> {
        let mut triangles = self.triangles_around(a);
        triangles.extend(self.triangles_around(b));
        triangles
    }

    /// How much less surface there would be without an edge.
    fn loss(&self, edge: [usize; 2]) -> f64 {
        let triangles = self.triangles_around_edge(edge);
        let losses = (0..self.spots[edge[0]].places.len()).map(|pose| {
            let losses = triangles.iter().map(|triangle| {
                let both = self.before_and_after(*triangle, edge, pose);
                let [before, after] = both.map(|across| split(across).1 / 2.0);
                before - after
            });
            losses.sum::<f64>()
        });
        losses.fold(0.0, f64::max)
    }

    /// The triangles around a spot that are left.
    fn triangles_around(&self, spot: usize) -> BTreeSet<usize> {
        let vertices = self.spots[spot].vertices.iter();
        let triangles = vertices.flat_map(|vertex| self.around[*vertex].iter().copied());
        triangles
            .filter(|triangle| self.lost_at[*triangle].is_none())
            .collect()
    }

    /// Whether a triangle would turn too far if an edge went.
    fn folds(&self, edge: [usize; 2]) -> bool {
        self.triangles_around_edge(edge)
            .into_iter()
            .any(|triangle| {
                let spots = self.spots_at(triangle);
                if edge.iter().all(|spot| spots.contains(spot)) {
                    return false;
                }
                (0..self.spots[edge[0]].places.len()).any(|pose| {
                    let both = self.before_and_after(triangle, edge, pose);
                    let [(before, area), (after, _)] = both.map(split);
                    area > 0.0 && dot(before, after) < MOST_TURN
                })
            })
    }

    /// The vertices of two spots that become one each: those along an edge of a triangle together.
    fn groups(&self, a: usize, b: usize) -> Vec<Vec<usize>> {
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

    /// Takes an edge, and tells how many triangles went with it.
    fn join(&mut self, a: usize, b: usize, groups: Vec<Vec<usize>>) -> usize {
        let joined = self.spots.len();
        let touched = self.triangles_around_edge([a, b]);
        let mut vertices = Vec::new();
        for group in groups {
            // First those at the same place, for the last of all to be in the middle.
            let (at_a, at_b): (Vec<usize>, Vec<usize>) =
                group.into_iter().partition(|of| self.spot_of[*of] == a);
            let ends = [(at_a, a), (at_b, b)].map(|(group, spot)| self.replace_all(&group, spot));
            let last: Vec<usize> = ends.into_iter().flatten().collect();
            vertices.extend(self.replace_all(&last, joined));
        }
        let (one, other) = (&self.spots[a], &self.spots[b]);
        let places = one.places.iter().zip(&other.places);
        let quadrics = one.quadrics.iter().zip(&other.quadrics);
        let spot = Spot {
            places: places.map(|(from, to)| middle(*from, *to)).collect(),
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
            is_gone: false,
            version: 0,
            vertices,
        };
        for vertex in &spot.vertices {
            self.spot_of[*vertex] = joined;
        }
        self.spots.push(spot);
        for gone in [a, b] {
            self.spots[gone].is_gone = true;
        }
        self.tidy(joined, &touched)
    }

    /// Replaces vertices by one, two at a time; the new ones belong to `spot`.
    fn replace_all(&mut self, vertices: &[usize], spot: usize) -> Option<usize> {
        let mut left = vertices.iter().copied();
        let first = left.next()?;
        Some(left.fold(first, |one, other| {
            self.steps.push([one.min(other), one.max(other)]);
            let new = self.spot_of.len();
            self.spot_of.push(spot);
            let around = [one, other].map(|of| core::mem::take(&mut self.around[of]));
            for triangle in around.iter().flatten() {
                for corner in &mut self.corners[*triangle] {
                    if *corner == one || *corner == other {
                        *corner = new;
                    }
                }
            }
            self.around.push(around.concat());
            new
        }))
    }

    /// Notes which triangles went, and queues the edges that changed.
    fn tidy(&mut self, joined: usize, touched: &BTreeSet<usize>) -> usize {
        let step = self.steps.len();
        let mut lost = 0;
        for triangle in touched {
            let [a, b, c] = self.corners[*triangle];
            if a == b || b == c || c == a {
                self.lost_at[*triangle] = Some(step);
                lost += 1;
            }
        }
        let neighbours: BTreeSet<usize> = self
            .triangles_around(joined)
            .into_iter()
            .flat_map(|triangle| self.spots_at(triangle))
            .filter(|spot| *spot != joined)
            .collect();
        for spot in neighbours {
            self.propose(spot, joined);
        }
        lost
    }
}
