//! The canopy: glass and its frame.

use super::cab::{DOWN, WINDSHIELD};
use crate::alamo::profile::Profile;
use crate::alamo::shape::{Finish, SIDEWAYS, Solid, Station, prism};
use crate::math::{Transform, pitch, roll};
use bevy::prelude::*;

/// Corners of the canopy from the side: the lower and the upper sill, the upper and the lower bend.
fn canopy_points() -> [Vec2; 4] {
    let up = Vec2::new(DOWN.y, -DOWN.x);
    let point = |down: f32, above: f32| WINDSHIELD + DOWN * down + up * above;
    [
        point(1.95, -0.02),
        point(0.2, -0.02),
        point(0.55, 0.32),
        point(1.5, 0.32),
    ]
}

/// The glass of the canopy.
pub fn glass() -> Vec<Solid> {
    let glass = Profile::polygon(&canopy_points().map(|at| at.to_array()), 0.0);
    let stations = [Station::new(0.0, &glass), Station::new(0.97, &glass)];
    vec![
        prism(["glass", "", "glass"], Finish::Own, &stations)
            .transformed(&Transform::from_xyz(0.0, 0.0, 0.0).rotated(SIDEWAYS))
            .both(),
    ]
}

/// The frame of the glass: three ribs of struts, and a sill at each end.
pub fn frame() -> Vec<Solid> {
    let [low, high, upper, lower] = canopy_points();
    let strut = |x: f32, from: Vec2, to: Vec2| {
        let line = to - from;
        let length = line.length();
        // Its axis goes from one point to the other, perpendicular to X.
        let along = Vec3::new(0.0, line.x, line.y) / length;
        let transform = Transform {
            rotation: Mat3::from_cols(Vec3::X, along.cross(Vec3::X), along),
            translation: Vec3::new(x, from.x, from.y),
        };
        let profile = Profile::rectangle(0.055, 0.055, 0.025);
        let stations = [
            Station::new(-0.03, &profile),
            Station::new(length + 0.03, &profile),
        ];
        prism(["canopy bar", "", ""], Finish::Frame, &stations).transformed(&transform)
    };
    let mut solids = Vec::new();
    for x in [-0.97, 0.0, 0.97] {
        solids.extend([
            strut(x, low, lower),
            strut(x, lower, upper),
            strut(x, upper, high),
        ]);
    }
    for (at, half) in [(high, 0.09), (low, 0.09), (lower, 0.05), (upper, 0.05)] {
        let transform = Transform::from_xyz(0.0, at.x, at.y).rotated(roll(31.0) * pitch(90.0));
        let profile = Profile::rectangle(half, half, 0.03);
        let stations = [Station::new(-1.03, &profile), Station::new(1.03, &profile)];
        let sill = prism(
            ["canopy sill", "canopy end", "canopy end"],
            Finish::Frame,
            &stations,
        );
        solids.push(sill.transformed(&transform));
    }
    solids
}
