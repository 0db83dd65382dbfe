//! Ambient occlusion of solids.

use super::shape::Solid;
use crate::atlas::ray_distance;
use crate::math::{cos, sin};
use bevy::math::Vec3;

/// Computes which part of the sky is visible from a point, if only the model itself occludes it.
pub struct AmbientOcclusion {
    blockers: Vec<(Vec3, f32, Vec<[Vec3; 3]>)>,
    directions: Vec<Vec3>,
    reach: f32,
}

impl AmbientOcclusion {
    /// Collects the triangles of every solid that is not a ghost. Triangles farther away than
    /// `reach` occlude nothing.
    pub fn new(solids: &[&Solid], reach: f32) -> Self {
        let blocker = |solid: &&Solid| {
            let faces = solid.faces.iter();
            let triangles: Vec<_> = faces
                .flat_map(|face| {
                    let at = |corner: usize| face.corners[corner].at;
                    face.triangles().map(move |triangle| triangle.map(at))
                })
                .collect();
            let corners = || triangles.iter().flatten();
            let center = corners().sum::<Vec3>() / corners().count().max(1) as f32;
            let distances = corners().map(|corner| corner.distance(center));
            (center, distances.fold(0.0, f32::max), triangles)
        };
        let count = 64_u16;
        let directions = (0..count).map(|index| {
            let z = 1.0 - (f32::from(index) + 0.5) / f32::from(count) * 2.0;
            let turns = f32::from(index) * 0.618_034;
            let across = (1.0 - z * z).sqrt();
            Vec3::new(cos(turns) * across, sin(turns) * across, z)
        });
        let solid = solids.iter().filter(|solid| !solid.ghost);
        Self {
            blockers: solid.map(blocker).collect(),
            directions: directions.collect(),
            reach,
        }
    }

    /// Returns 0 in a deep corner, 1 without anything near.
    pub fn visibility(&self, at: Vec3, normal: Vec3) -> f32 {
        let from = at + normal * 0.02;
        let near =
            |(center, radius, _): &&(Vec3, f32, _)| center.distance(from) < radius + self.reach;
        let near: Vec<_> = self.blockers.iter().filter(near).collect();
        let (mut visibility, mut all) = (0.0, 0.0);
        for direction in &self.directions {
            let weight = direction.dot(normal);
            if weight <= 0.0 {
                continue;
            }
            let mut nearest = self.reach;
            for (center, radius, triangles) in &near {
                let to_center = *center - from;
                let along = to_center.dot(*direction);
                let beside = to_center.length_squared() - along * along;
                if beside > radius * radius || along < -radius {
                    continue;
                }
                let hits = triangles.iter();
                let hits = hits.filter_map(|triangle| ray_distance(triangle, from, *direction));
                nearest = hits.fold(nearest, f32::min);
            }
            visibility += weight * nearest / self.reach;
            all += weight;
        }
        visibility / all
    }
}
