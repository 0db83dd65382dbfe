//! How much light comes to a place.

use super::shape::Solid;
use crate::atlas::hit;
use crate::maths::{cos, sin};
use bevy::math::Vec3;

/// Tells how much of the sky a point of the model sees, if the model itself is all that hides it.
pub struct Sky {
    blockers: Vec<(Vec3, f32, Vec<[Vec3; 3]>)>,
    directions: Vec<Vec3>,
    reach: f32,
}

impl Sky {
    /// Every solid but those that are not there at the same time. Things that are farther away than
    /// `reach` hide nothing.
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
            let centre = corners().sum::<Vec3>() / corners().count().max(1) as f32;
            let distances = corners().map(|corner| corner.distance(centre));
            (centre, distances.fold(0.0, f32::max), triangles)
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

    /// 0 in a deep corner, 1 where nothing is near.
    pub fn open(&self, at: Vec3, normal: Vec3) -> f32 {
        let from = at + normal * 0.02;
        let near =
            |(centre, radius, _): &&(Vec3, f32, _)| centre.distance(from) < radius + self.reach;
        let near: Vec<_> = self.blockers.iter().filter(near).collect();
        let (mut open, mut all) = (0.0, 0.0);
        for direction in &self.directions {
            let weight = direction.dot(normal);
            if weight <= 0.0 {
                continue;
            }
            let mut nearest = self.reach;
            for (centre, radius, triangles) in &near {
                let to_centre = *centre - from;
                let along = to_centre.dot(*direction);
                let beside = to_centre.length_squared() - along * along;
                if beside > radius * radius || along < -radius {
                    continue;
                }
                let hits = triangles.iter();
                let hits = hits.filter_map(|triangle| hit(triangle, from, *direction));
                nearest = hits.fold(nearest, f32::min);
            }
            open += weight * nearest / self.reach;
            all += weight;
        }
        open / all
    }
}
