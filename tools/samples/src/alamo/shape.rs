//! Solids: prisms over outlines, with bevels and UV coordinates on charts.

use super::profile::Profile;
use crate::math::Transform;
use bevy::prelude::*;

/// Turns the axis of a prism to +X; its outline is then in Y and Z.
pub const SIDEWAYS: Mat3 = Mat3::from_cols(Vec3::Y, Vec3::Z, Vec3::X);
/// Turns the axis of a prism to −Y, the front; its outline is then in X and Z.
pub const FORWARD: Mat3 = Mat3::from_cols(Vec3::X, Vec3::Z, Vec3::NEG_Y);

/// The material of a face, for the painter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    /// Painted armor of the hull.
    Hull,
    /// Armor in the team color.
    Plate,
    /// Team-colored armor after a fire.
    Burnt,
    /// Dark metal of structural parts and mechanisms.
    Frame,
    /// Bare, polished metal.
    Steel,
    /// Yellow and black hazard paint.
    Hazard,
    /// Slats with dark gaps.
    Grill,
    /// A black hole.
    Bore,
    /// A face with its own texture.
    Own,
}

/// A corner of a face.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// Its position in model space.
    pub at: Vec3,
    /// Its position on its chart, in model units.
    pub uv: Vec2,
    /// The bones that move it.
    pub bones: [usize; 2],
    /// The weight of the second bone, 0 to 1.
    pub second: f32,
}

/// A flat, convex face.
#[derive(Clone, Debug)]
pub struct Face {
    /// The chart that it is on. Faces of several solids may share one.
    pub chart: &'static str,
    /// Its material.
    pub finish: Finish,
    /// Whether it belongs to a rounded shape, such as a bevel or the side of a tube.
    pub round: bool,
    /// Its corners, counter-clockwise when seen from outside.
    pub corners: Vec<Corner>,
}

impl Face {
    /// Its triangles, as indices into its corners.
    pub fn triangles(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        (2..self.corners.len()).map(|last| [0, last - 1, last])
    }

    /// The outward normal; its length is twice the area.
    pub fn normal(&self) -> Vec3 {
        let at = |index: usize| self.corners[index].at;
        self.triangles()
            .map(|[a, b, c]| (at(b) - at(a)).cross(at(c) - at(a)))
            .sum()
    }
}

/// Faces that belong together.
#[derive(Clone, Debug, Default)]
pub struct Solid {
    /// Its faces.
    pub faces: Vec<Face>,
    /// Whether it is ignored by ambient occlusion, because it is not visible together with the
    /// other solids.
    pub ghost: bool,
}

impl Solid {
    fn map(mut self, change: impl Fn(&mut Corner)) -> Self {
        let faces = self.faces.iter_mut();
        faces.flat_map(|face| &mut face.corners).for_each(change);
        self
    }

    /// Returns the solid, transformed.
    pub fn transformed(self, transform: &Transform) -> Self {
        self.map(|corner| corner.at = transform.point(corner.at))
    }

    /// Returns the solid with each point mapped by a function.
    pub fn bent(self, bend: impl Fn(Vec3) -> Vec3) -> Self {
        self.map(|corner| corner.at = bend(corner.at))
    }

    /// Returns the solid, attached to one bone.
    pub fn on_bone(self, bone: usize) -> Self {
        self.skinned(|_| ([bone; 2], 0.0))
    }

    /// Returns the solid, skinned to two bones; the function returns the bones of a point and the
    /// second weight.
    pub fn skinned(self, bind: impl Fn(Vec3) -> ([usize; 2], f32)) -> Self {
        self.map(|corner| (corner.bones, corner.second) = bind(corner.at))
    }

    /// Its mirror image on the other side of the model; `bone` maps each bone to its counterpart.
    pub fn mirrored(mut self, bone: impl Fn(usize) -> usize) -> Self {
        for face in &mut self.faces {
            face.corners.reverse();
        }
        self.map(|corner| {
            corner.at.x = -corner.at.x;
            corner.bones = corner.bones.map(&bone);
        })
    }

    /// Both halves of a shape; this is the half at +X.
    pub fn both(mut self) -> Self {
        let other = self.clone().mirrored(|bone| bone);
        self.faces.extend(other.faces);
        self
    }

    /// Returns the solid, marked as a ghost.
    pub fn ghost(self) -> Self {
        Self {
            ghost: true,
            ..self
        }
    }
}

/// An outline at a position along the axis of a prism.
#[derive(Clone, Debug)]
pub struct Station {
    along: f32,
    profile: Profile,
    soft: bool,
}

impl Station {
    /// An outline at a distance along the axis.
    pub fn new(along: f32, profile: &Profile) -> Self {
        Self {
            along,
            profile: profile.clone(),
            soft: false,
        }
    }

    /// Returns the station; the faces between it and the previous one are a bevel.
    pub fn soft(self) -> Self {
        Self { soft: true, ..self }
    }
}

/// The charts of a prism: around the axis, at its start, at its end. An empty name omits the faces.
pub type Charts = [&'static str; 3];

/// A solid over outlines with equal corner counts, listed along the axis.
pub fn prism(charts: Charts, finish: Finish, stations: &[Station]) -> Solid {
    let outlines: Vec<_> = stations
        .iter()
        .map(|station| station.profile.points())
        .collect();
    let count = outlines[0].len();
    let point = |station: usize, corner: usize| {
        outlines[station][corner % count]
            .0
            .extend(stations[station].along)
    };
    // Lengths on the chart are the average lengths on the solid.
    let around = |corner: usize| {
        let lengths = (0..stations.len())
            .map(|station| point(station, corner).distance(point(station, corner + 1)));
        lengths.sum::<f32>() / stations.len() as f32
    };
    let along = |station: usize| {
        let lengths =
            (0..count).map(|corner| point(station, corner).distance(point(station + 1, corner)));
        lengths.sum::<f32>() / count as f32
    };
    let u = running_sum((0..count).map(around));
    let v = running_sum((0..stations.len() - 1).map(along));
    let corner = |at: Vec3, uv: Vec2| Corner {
        at,
        uv,
        bones: [0; 2],
        second: 0.0,
    };
    let mut solid = Solid::default();
    for station in 0..stations.len() - 1 {
        for side in 0..count {
            let corners = [(0, 0), (0, 1), (1, 1), (1, 0)].map(|(next, beside)| {
                let uv = Vec2::new(u[side + beside], -v[station + next]);
                corner(point(station + next, side + beside), uv)
            });
            solid.faces.push(Face {
                chart: charts[0],
                finish,
                round: outlines[station][side].1 || stations[station + 1].soft,
                corners: corners.into(),
            });
        }
    }
    for (chart, station) in [(charts[1], 0), (charts[2], stations.len() - 1)] {
        if chart.is_empty() {
            continue;
        }
        let mut corners: Vec<_> = (0..count)
            .map(|index| {
                let at = point(station, index);
                corner(at, Vec2::new(at.x, -at.y))
            })
            .collect();
        if station == 0 {
            corners.reverse();
        }
        solid.faces.push(Face {
            chart,
            finish,
            round: false,
            corners,
        });
    }
    solid.faces.retain(|face| face.normal().length() > 1e-5);
    solid
}

/// A prism of one outline with beveled ends.
pub fn block(
    charts: Charts,
    finish: Finish,
    ends: [f32; 2],
    profile: &Profile,
    bevel: f32,
) -> Solid {
    let narrow = profile.inset(bevel);
    let stations = [
        Station::new(ends[0], &narrow),
        Station::new(ends[0] + bevel, profile).soft(),
        Station::new(ends[1] - bevel, profile),
        Station::new(ends[1], &narrow).soft(),
    ];
    prism(charts, finish, &stations)
}

/// A tube along a path in a plane of constant X.
pub fn tube(chart: &'static str, finish: Finish, path: &[Vec3], radius: f32, sides: u16) -> Solid {
    let circle = Profile::circle(sides, radius);
    let stations: Vec<_> = (0..path.len())
        .map(|index| Station::new(index as f32, &circle))
        .collect();
    let mut solid = prism([chart, chart, chart], finish, &stations);
    let along_path = |at: Vec3| {
        let index = at.z.round() as usize;
        let (before, after) = (index.saturating_sub(1), (index + 1).min(path.len() - 1));
        let along = (path[after] - path[before]).normalize_or(Vec3::Z);
        path[index] + Vec3::X * at.x + along.cross(Vec3::X).normalize_or(Vec3::Y) * at.y
    };
    let length = path[0].distance(path[path.len() - 1]) / (path.len() - 1) as f32;
    for corner in solid.faces.iter_mut().flat_map(|face| &mut face.corners) {
        corner.at = along_path(corner.at);
        corner.uv.y *= length;
    }
    solid
}

fn running_sum(lengths: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut sums = vec![0.0];
    for length in lengths {
        sums.push(sums[sums.len() - 1] + length);
    }
    sums
}
