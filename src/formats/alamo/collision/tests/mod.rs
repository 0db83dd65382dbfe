//! Tests of collision trees: generated meshes, and reference results computed from all triangles.

pub(crate) mod levels;
pub(crate) mod malformed;
pub(crate) mod meshes;
pub(crate) mod points;
pub(crate) mod poses;
pub(crate) mod random_meshes;
pub(crate) mod rays;
pub(crate) mod reference;
pub(crate) mod scales;
pub(crate) mod winding;

use crate::formats::alamo::collision::tree::{CollisionTree, TreeLink};
use crate::geometry::ray_settings::Backfaces;
use bevy::math::DVec3;
use bevy::prelude::*;

/// A mesh and its tree, as a file stores them.
#[derive(Clone, Default)]
pub(crate) struct Sample {
    pub links: Vec<TreeLink>,
    pub map: Vec<u16>,
    pub positions: Vec<[f32; 3]>,
    pub indices: Vec<u16>,
}

impl Sample {
    /// A mesh of triangles without shared vertices, and a tree with leaves of up to `leaf` triangles.
    pub fn new(triangles: &[[Vec3; 3]], leaf: usize) -> Self {
        let positions: Vec<[f32; 3]> = triangles
            .as_flattened()
            .iter()
            .map(Vec3::to_array)
            .collect();
        let indices = (0..positions.len() as u16).collect();
        Self::from_indexed(positions, indices, leaf)
    }

    /// An indexed mesh, and a tree with leaves of up to `leaf` triangles, split at medians.
    pub fn from_indexed(positions: Vec<[f32; 3]>, indices: Vec<u16>, leaf: usize) -> Self {
        let mut sample = Self {
            links: vec![TreeLink::default()],
            map: (0..(indices.len() / 3) as u16).collect(),
            positions,
            indices,
        };
        let mut tasks = vec![(0, 0, sample.map.len())];
        while let Some((node, begin, end)) = tasks.pop() {
            if end - begin <= leaf {
                sample.links[node] = TreeLink {
                    triangle_count: (end - begin) as u16,
                    link: begin as u16,
                };
                continue;
            }
            let next = sample.links.len();
            sample.links[node].link = next as u16;
            sample.links.extend([TreeLink::default(); 2]);
            let middle = (begin + end) / 2;
            sample.split_at_median(begin, end, middle);
            tasks.extend([(next, begin, middle), (next + 1, middle, end)]);
        }
        sample
    }

    /// Reorders a range of the map so that `middle` splits it along its longest axis.
    fn split_at_median(&mut self, begin: usize, end: usize, middle: usize) {
        let centers: Vec<Vec3> = (0..self.indices.len() / 3)
            .map(|triangle| {
                self.triangle(triangle)
                    .into_iter()
                    .map(|corner| corner / 3.0)
                    .sum()
            })
            .collect();
        let center = |triangle: &u16| centers[usize::from(*triangle)];
        let entries = &mut self.map[begin..end];
        let min = entries.iter().map(center).fold(Vec3::MAX, Vec3::min);
        let max = entries.iter().map(center).fold(Vec3::MIN, Vec3::max);
        let axis = (max - min).max_position();
        entries.select_nth_unstable_by(middle - begin, |a, b| {
            center(a)[axis].total_cmp(&center(b)[axis])
        });
    }

    pub fn triangle(&self, triangle: usize) -> [Vec3; 3] {
        let corner =
            |corner| Vec3::from(self.positions[usize::from(self.indices[3 * triangle + corner])]);
        [corner(0), corner(1), corner(2)]
    }

    pub fn triangle_count(&self) -> usize {
        self.indices.len() / 3
    }

    pub fn tree(&self) -> CollisionTree {
        self.try_tree().unwrap()
    }

    pub fn try_tree(
        &self,
    ) -> Result<CollisionTree, crate::formats::alamo::collision::error::TreeError> {
        let links = self.links.iter().copied();
        CollisionTree::new(links, &self.map, &self.positions, &self.indices)
    }

    pub fn scaled(&self, scale: f32) -> Self {
        let scaled = |position: &[f32; 3]| position.map(|at| at * scale);
        Self {
            positions: self.positions.iter().map(scaled).collect(),
            ..self.clone()
        }
    }

    /// The nearest hit, computed from all triangles in double precision.
    pub fn nearest(&self, ray: Ray3d, max: f32, backfaces: Backfaces) -> ReferenceHit {
        let mut reference = ReferenceHit {
            distance: None,
            is_uncertain: false,
            distances: Vec::new(),
        };
        for triangle in 0..self.triangle_count() {
            reference.add(self.triangle(triangle), ray, max, backfaces);
        }
        reference.distances.sort_by(f64::total_cmp);
        reference
    }
}

/// The result of testing all triangles.
pub(crate) struct ReferenceHit {
    /// The least distance of a certain hit.
    pub distance: Option<f64>,
    /// Whether rounding can change a hit: the ray passes an edge or ends at a triangle.
    pub is_uncertain: bool,
    /// Distances of all hits, certain or not.
    pub distances: Vec<f64>,
}

impl ReferenceHit {
    /// Möller and Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection" (1997).
    fn add(&mut self, corners: [Vec3; 3], ray: Ray3d, max: f32, backfaces: Backfaces) {
        const TOLERANCE: f64 = 1e-5;
        let [a, b, c] = corners.map(DVec3::from);
        let (ab, ac) = (b - a, c - a);
        let direction = DVec3::from(*ray.direction);
        let across = direction.cross(ac);
        let det = ab.dot(across);
        let size = ab.length() * ac.length();
        if det == 0.0 || (det < 0.0 && backfaces == Backfaces::Cull) {
            self.is_uncertain |= det.abs() < TOLERANCE * size;
            return;
        }
        let from = DVec3::from(ray.origin) - a;
        let far = from.length() + ab.length() + ac.length();
        let turned = from.cross(ab);
        let [u, v] = [from.dot(across), direction.dot(turned)].map(|part| part / det);
        let distance = ac.dot(turned) / det;
        // The distance from an edge within which a hit is uncertain, relative to the triangle's size.
        let tolerance = TOLERANCE * far * (ab.length().max(ac.length())) / det.abs();
        let least = u.min(v).min(1.0 - u - v);
        if least < -tolerance {
            return;
        }
        let ends = [0.0, f64::from(max)].map(|end| (distance - end).abs());
        let at_end = ends.iter().any(|end| *end < tolerance * far);
        if (distance < 0.0 || distance > f64::from(max)) && !at_end {
            return;
        }
        self.distances.push(distance);
        if least < tolerance || at_end {
            self.is_uncertain = true;
            return;
        }
        self.distance = Some(self.distance.map_or(distance, |other| other.min(distance)));
    }
}

/// A pseudorandom number generator: SplitMix64.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from -1 to 1.
    pub fn number(&mut self) -> f32 {
        (self.bits() >> 40) as f32 / (1 << 23) as f32 - 1.0
    }

    pub fn point(&mut self) -> Vec3 {
        Vec3::from_array([(); 3].map(|()| self.number()))
    }

    pub fn direction(&mut self) -> Dir3 {
        loop {
            if let Ok(direction) = Dir3::new(self.point()) {
                return direction;
            }
        }
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }
}

/// A ray from one point towards another. `None` if they are the same.
pub(crate) fn ray(from: Vec3, to: Vec3) -> Option<Ray3d> {
    let direction = Dir3::new((DVec3::from(to) - DVec3::from(from)).normalize().as_vec3()).ok()?;
    Some(Ray3d::new(from, direction))
}
