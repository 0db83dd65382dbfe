//! Shapes that several parts of the courier are made of.

use crate::alamo::loft::{Ring, rings, skin};
use crate::alamo::profile::Profile;
use crate::alamo::shape::{Charts, Corner, Face, Finish, SIDEWAYS, Solid, Station, block, prism};
use crate::maths::{Place, cos, sin};
use bevy::math::{Mat3, Vec2, Vec3};

/// A surface over rows of equally many points.
pub struct Surface {
    /// Its faces, row by row.
    pub solid: Solid,
    /// How many faces a row has.
    pub faces: usize,
}

impl Surface {
    /// Between rows of points; `closed` rows end where they begin.
    pub fn new(chart: &'static str, rows: &[Vec<Vec3>], closed: bool) -> Self {
        Self {
            solid: skin(chart, rows, closed),
            faces: rows[0].len() - usize::from(!closed),
        }
    }

    /// What a turner makes: `outline` is of distances along the axis, Z, and from it.
    pub fn turned(chart: &'static str, outline: &[[f32; 2]], sides: usize) -> Self {
        let circles: Vec<Ring> = outline
            .iter()
            .map(|[along, radius]| Ring::circle(*along, *radius))
            .collect();
        Self::new(chart, &rings(sides, &circles), true)
    }

    /// A pipe along a path that bends across `up` only; it is open at both ends.
    pub fn pipe(chart: &'static str, path: &[Vec3], radius: f32, sides: usize, up: Vec3) -> Self {
        let radii = vec![radius; path.len()];
        Self::hose(chart, path, &radii, sides, up)
    }

    /// The same with a radius for each point.
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

    /// The same at a place.
    pub fn at(self, place: &Place) -> Self {
        Self {
            solid: self.solid.at(place),
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

/// Triangles from a point to a ring of points, counter-clockwise around the way to the point.
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

/// A rounded lid, as of hub caps: triangles around the middle of a ring.
pub fn lid(chart: &'static str, along: f32, radius: f32, height: f32, sides: usize) -> Solid {
    let ring = Ring::circle(along, radius).points(sides);
    dome(chart, Vec3::Z * (along + height), &ring)
}

/// A flat face of corners that are counter-clockwise where it is seen from, with a picture of its own.
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

/// A box around a point, by half its sides, with one chart. Its edges are beveled, or sharp.
pub fn cuboid(
    chart: &'static str,
    finish: Finish,
    at: [f32; 3],
    half: [f32; 3],
    bevel: f32,
) -> Solid {
    let profile = Profile::rectangle(half[0], half[1], bevel);
    beam([chart; 3], finish, [-half[2], half[2]], &profile, bevel)
        .at(&Place::at(at[0], at[1], at[2]))
}

/// As [`block`], without any faces for bevels of no size.
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
    let turn = Mat3::from_cols(across.cross(along), across, along);
    let profile = Profile::rectangle(half[0], half[1], 0.0);
    let place = Place { turn, at: from };
    beam([chart; 3], finish, [0.0, from.distance(to)], &profile, 0.0).at(&place)
}

/// Where something that was turned around Z stands, its axis across the vehicle.
pub fn axle(x: f32, y: f32, z: f32) -> Place {
    Place::at(x, y, z).turned(SIDEWAYS)
}

/// The same solids, and their mirror images.
pub fn both(solids: Vec<Solid>) -> Vec<Solid> {
    let others: Vec<Solid> = solids
        .iter()
        .map(|solid| solid.clone().mirrored(|bone| bone))
        .collect();
    solids.into_iter().chain(others).collect()
}

/// The same with its charts under other names.
pub fn renamed(mut solid: Solid, names: &[(&str, &'static str)]) -> Solid {
    for face in &mut solid.faces {
        let new = names.iter().find(|(old, _)| *old == face.chart);
        face.chart = new.map_or(face.chart, |(_, new)| new);
    }
    solid
}
