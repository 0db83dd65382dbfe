//! Shapes that several parts of the courier share.

use crate::alamo::loft::{Ring, rings, skin};
use crate::alamo::profile::Profile;
use crate::alamo::shape::{Charts, Corner, Face, Finish, SIDEWAYS, Solid, Station, block, prism};
use crate::math::{Transform, cos, sin};
use bevy::prelude::*;

/// A surface over rows of points; all rows have the same length.
pub struct Surface {
    /// Its faces, row by row.
    pub solid: Solid,
    /// The count of faces per row.
    pub faces: usize,
}

impl Surface {
    /// Lofts between rows of points; `closed` rows end where they begin.
    pub fn new(chart: &'static str, rows: &[Vec<Vec3>], closed: bool) -> Self {
        Self {
            solid: skin(chart, rows, closed),
            faces: rows[0].len() - usize::from(!closed),
        }
    }

    /// A surface of revolution around Z. `outline` lists the position along the axis and the
    /// radius.
    pub fn revolved(chart: &'static str, outline: &[[f32; 2]], sides: usize) -> Self {
        let circles: Vec<Ring> = outline
            .iter()
            .map(|[along, radius]| Ring::circle(*along, *radius))
            .collect();
        Self::new(chart, &rings(sides, &circles), true)
    }

    /// A pipe along a path in the plane across `up`; it is open at both ends.
    pub fn pipe(chart: &'static str, path: &[Vec3], radius: f32, sides: usize, up: Vec3) -> Self {
        let radii = vec![radius; path.len()];
        Self::hose(chart, path, &radii, sides, up)
    }

    /// Like [`pipe`](Self::pipe), with a radius for each point.
    pub fn hose(chart: &'static str, path: &[Vec3], radii: &[f32], sides: usize, up: Vec3) -> Self {
        let row = |index: usize| {
            let (before, after) = (index.saturating_sub(1), (index + 1).min(path.len() - 1));
            let along = (path[after] - path[before]).normalize_or(Vec3::Y);
            let beside = up.cross(along).normalize_or(Vec3::X);
            let above = along.cross(beside);
            let point = |side: usize| {
                let turns = side as f32 / sides as f32;
                path[index] + (beside * cos(turns) + above * sin(turns)) * radii[index]
            };
            (0..sides).map(point).collect()
        };
        let rows: Vec<Vec<Vec3>> = (0..path.len()).map(row).collect();
        Self::new(chart, &rows, true)
    }

    /// Returns the surface, transformed.
    pub fn transformed(self, transform: &Transform) -> Self {
        Self {
            solid: self.solid.transformed(transform),
            ..self
        }
    }

    /// Its mirror image on the other side.
    pub fn mirrored(&self) -> Self {
        Self {
            solid: self.solid.clone().mirrored(|bone| bone),
            faces: self.faces,
        }
    }
}

/// Triangles from a point to a ring of points, which is counter-clockwise around the direction to
/// the point.
pub fn dome(chart: &'static str, top: Vec3, ring: &[Vec3]) -> Solid {
    let corner = |at: Vec3| Corner {
        at,
        uv: Vec2::new(at.x, -at.y),
        bones: [0; 2],
        second: 0.0,
    };
    let face = |index: usize| Face {
        chart,
        finish: Finish::Own,
        round: true,
        corners: [top, ring[index], ring[(index + 1) % ring.len()]]
            .map(corner)
            .into(),
    };
    Solid {
        faces: (0..ring.len()).map(face).collect(),
        ghost: false,
    }
}

/// A domed lid, as of hub caps: triangles around the center of a ring.
pub fn lid(chart: &'static str, along: f32, radius: f32, height: f32, sides: usize) -> Solid {
    let ring = Ring::circle(along, radius).points(sides);
    dome(chart, Vec3::Z * (along + height), &ring)
}

/// A flat face with its own texture. `corners` are counter-clockwise on the visible side.
pub fn pane(chart: &'static str, corners: &[(Vec3, [f32; 2])]) -> Solid {
    let corner = |(at, uv): &(Vec3, [f32; 2])| Corner {
        at: *at,
        uv: Vec2::from_array(*uv),
        bones: [0; 2],
        second: 0.0,
    };
    let face = Face {
        chart,
        finish: Finish::Own,
        round: false,
        corners: corners.iter().map(corner).collect(),
    };
    Solid {
        faces: vec![face],
        ghost: false,
    }
}

/// A box around a point with one chart; `half` is half its size. Its edges are beveled or sharp.
pub fn cuboid(
    chart: &'static str,
    finish: Finish,
    at: [f32; 3],
    half: [f32; 3],
    bevel: f32,
) -> Solid {
    let profile = Profile::rectangle(half[0], half[1], bevel);
    beam([chart; 3], finish, [-half[2], half[2]], &profile, bevel)
        .transformed(&Transform::from_xyz(at[0], at[1], at[2]))
}

/// Like [`block`], but without bevel faces if the bevel is zero.
fn beam(charts: Charts, finish: Finish, ends: [f32; 2], profile: &Profile, bevel: f32) -> Solid {
    if bevel > 0.0 {
        return block(charts, finish, ends, profile, bevel);
    }
    prism(charts, finish, &ends.map(|end| Station::new(end, profile)))
}

/// A bar of a rectangular profile from one point to another.
pub fn bar(chart: &'static str, finish: Finish, [from, to]: [Vec3; 2], half: [f32; 2]) -> Solid {
    let along = (to - from).normalize_or(Vec3::Z);
    let across = along.cross(Vec3::X).normalize_or(Vec3::Y);
    let rotation = Mat3::from_cols(across.cross(along), across, along);
    let profile = Profile::rectangle(half[0], half[1], 0.0);
    let transform = Transform {
        rotation,
        translation: from,
    };
    beam([chart; 3], finish, [0.0, from.distance(to)], &profile, 0.0).transformed(&transform)
}

/// The transform that rotates a part with axis Z across the vehicle.
pub fn axle(x: f32, y: f32, z: f32) -> Transform {
    Transform::from_xyz(x, y, z).rotated(SIDEWAYS)
}

/// The solids and their mirror images.
pub fn both(solids: Vec<Solid>) -> Vec<Solid> {
    let others: Vec<Solid> = solids
        .iter()
        .map(|solid| solid.clone().mirrored(|bone| bone))
        .collect();
    solids.into_iter().chain(others).collect()
}

/// Returns the solid with renamed charts.
pub fn renamed(mut solid: Solid, names: &[(&str, &'static str)]) -> Solid {
    for face in &mut solid.faces {
        let new = names.iter().find(|(old, _)| *old == face.chart);
        face.chart = new.map_or(face.chart, |(_, new)| new);
    }
    solid
}
