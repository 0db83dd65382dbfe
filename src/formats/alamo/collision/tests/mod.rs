//! Tests of collision trees: generated meshes, and reference results computed from all triangles.

pub(crate) mod malformed;
pub(crate) mod meshes;
pub(crate) mod points;
pub(crate) mod poses;
pub(crate) mod rays;
pub(crate) mod reference;
mod scales;

use crate::formats::alamo::collision::tree::{CollisionTree, TreeError, TreeLink};
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
        let corners = triangles.as_flattened();
        let positions = corners.iter().map(Vec3::to_array).collect();
        let indices = (0..corners.len() as u16).collect();
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
        let center = |triangle| self.triangle(triangle).map(|at| at / 3.0).into_iter().sum();
        let centers: Vec<Vec3> = (0..self.triangle_count()).map(center).collect();
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
        let corners = self.indices.as_chunks().0[triangle];
        corners.map(|corner: u16| Vec3::from(self.positions[usize::from(corner)]))
    }

    pub fn triangle_count(&self) -> usize {
        self.indices.len() / 3
    }

    pub fn tree(&self) -> CollisionTree {
        self.try_tree().unwrap()
    }

    pub fn try_tree(&self) -> Result<CollisionTree, TreeError> {
        let links = self.links.iter().copied();
        CollisionTree::new(links, &self.map, &self.positions, &self.indices)
    }

    /// The mesh with other positions.
    pub fn moved(&self, mut position: impl FnMut(Vec3) -> Vec3) -> Self {
        let moved = |at: &[f32; 3]| position(Vec3::from(*at)).to_array();
        Self {
            positions: self.positions.iter().map(moved).collect(),
            ..self.clone()
        }
    }

    pub fn scaled(&self, scale: f32) -> Self {
        self.moved(|at| at * scale)
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
