//! Outlines of prisms.

use crate::math::{cos, sin};
use bevy::math::Vec2;

/// An outline, counter-clockwise.
#[derive(Clone, Debug)]
pub struct Profile {
    core: Vec<Vec2>,
    bevel: f32,
    round: bool,
}

impl Profile {
    /// A convex polygon with beveled corners.
    pub fn polygon(points: &[[f32; 2]], bevel: f32) -> Self {
        Self {
            core: points.iter().copied().map(Vec2::from_array).collect(),
            bevel,
            round: false,
        }
    }

    /// A rectangle around the axis; `x` and `y` are half its sides.
    pub fn rectangle(x: f32, y: f32, bevel: f32) -> Self {
        Self::polygon(&[[-x, -y], [x, -y], [x, y], [-x, y]], bevel)
    }

    /// A circle around the axis.
    pub fn circle(corners: u16, radius: f32) -> Self {
        let corner = |index: u16| {
            let turns = (f32::from(index) + 0.5) / f32::from(corners);
            Vec2::new(cos(turns), sin(turns)) * radius
        };
        Self {
            core: (0..corners).map(corner).collect(),
            bevel: 0.0,
            round: true,
        }
    }

    /// Returns the outline with all edges moved inward.
    pub fn inset(&self, by: f32) -> Self {
        let count = self.core.len();
        let inward = |index: usize| {
            let edge = self.core[(index + 1) % count] - self.core[index % count];
            edge.perp().normalize_or_zero()
        };
        let corner = |(index, at): (usize, &Vec2)| {
            let (a, b) = (inward(index + count - 1), inward(index));
            *at + (a + b) * by / (1.0 + a.dot(b))
        };
        Self {
            core: self.core.iter().enumerate().map(corner).collect(),
            ..*self
        }
    }

    /// Returns the outline, scaled per axis.
    pub fn stretched(&self, x: f32, y: f32) -> Self {
        Self {
            core: self.core.iter().map(|at| *at * Vec2::new(x, y)).collect(),
            ..*self
        }
    }

    /// Returns the outline, translated.
    pub fn moved(&self, x: f32, y: f32) -> Self {
        Self {
            core: self.core.iter().map(|at| *at + Vec2::new(x, y)).collect(),
            ..*self
        }
    }

    /// Its points, and whether the edge from each to the next is round.
    pub fn points(&self) -> Vec<(Vec2, bool)> {
        if self.bevel == 0.0 {
            return self.core.iter().map(|at| (*at, self.round)).collect();
        }
        let count = self.core.len();
        let cut = |index: usize| {
            let at = self.core[index];
            let towards = |other: usize| {
                let edge = self.core[other % count] - at;
                at + edge.normalize_or_zero() * self.bevel.min(0.4 * edge.length())
            };
            [
                (towards(index + count - 1), true),
                (towards(index + 1), false),
            ]
        };
        (0..count).flat_map(cut).collect()
    }
}
