//! A sheet: where the charts of solids lie in a picture, and what a painter may want to know of
//! each of its texels.

use super::picture::{Picture, channel};
use super::shape::{Corner, Face, Finish, Solid};
use super::sky::Sky;
use crate::maths::mix;
use bevy::math::{UVec2, Vec2, Vec3};
use std::collections::BTreeMap;

/// Texels are painted twice as fine as they are written.
const FINE: u32 = 2;
/// Texels around each chart.
const GAP: f32 = 2.0;
/// Units in which things hide the sky, if nothing else is said.
const REACH: f32 = 2.2;
/// Texels that share one look at what hides the sky, along each side.
const COARSE: usize = 4;

/// A rectangle of the sheet.
struct Chart {
    /// The least point on it, in units.
    least: Vec2,
    /// The size of it, in units.
    size: Vec2,
    /// Where the least point is, in texels.
    origin: Vec2,
    /// Texels per unit.
    density: f32,
}

/// Where charts lie.
pub struct Sheet {
    /// Its size in texels, as it is written.
    size: UVec2,
    charts: BTreeMap<&'static str, Chart>,
    /// How far away things hide the sky.
    reach: f32,
}

/// What is known of a texel.
#[derive(Clone, Copy)]
pub struct Texel<'a> {
    /// The face it lies on.
    pub face: &'a Face,
    /// Where it is on the model.
    pub at: Vec3,
    /// Where its face looks.
    pub normal: Vec3,
    /// Where it is on the chart, in units.
    pub uv: Vec2,
    /// The least and the greatest point of its face on the chart.
    pub bounds: [Vec2; 2],
    /// How far away the nearest edge of its face is that sticks out.
    pub edge: f32,
    /// How much of the sky it sees, 0 to 1.
    pub open: f32,
}

/// What a painter says of a texel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ink {
    /// Its colour.
    pub color: Vec3,
    /// The alpha of the base picture.
    pub alpha: f32,
    /// How far it sticks out, in units.
    pub height: f32,
    /// How much it shines: the alpha of the normal map.
    pub gloss: f32,
}

impl Sheet {
    /// Packs the charts of solids, as large as they fit. `weight` says how finely a chart is painted.
    pub fn new(solids: &[&Solid], size: UVec2, weight: impl Fn(&str, Finish) -> f32) -> Self {
        let mut found: BTreeMap<&'static str, (Vec2, Vec2, f32)> = BTreeMap::new();
        for face in solids.iter().flat_map(|solid| &solid.faces) {
            let weight = weight(face.chart, face.finish);
            let entry = (Vec2::INFINITY, Vec2::NEG_INFINITY, weight);
            let (least, greatest, _) = found.entry(face.chart).or_insert(entry);
            for corner in &face.corners {
                *least = least.min(corner.uv);
                *greatest = greatest.max(corner.uv);
            }
        }
        let mut density = 80.0;
        loop {
            let charts = found.iter().map(|(name, (least, greatest, weight))| {
                let chart = Chart {
                    least: *least,
                    size: *greatest - *least,
                    origin: Vec2::ZERO,
                    density: density * weight,
                };
                (*name, chart)
            });
            let mut sheet = Self {
                size,
                charts: charts.collect(),
                reach: REACH,
            };
            if sheet.pack() || density < 1.0 {
                return sheet;
            }
            density -= 0.25;
        }
    }

    /// The same, painted as if things hid the sky only within this many units.
    pub fn reaching(self, reach: f32) -> Self {
        Self { reach, ..self }
    }

    /// Places the charts, the highest first; tells whether they fit.
    fn pack(&mut self) -> bool {
        let room = |chart: &Chart| (chart.size * chart.density + 2.0 * GAP).ceil().as_uvec2();
        let mut order: Vec<_> = self.charts.iter_mut().collect();
        order.sort_by_key(|(name, chart)| (core::cmp::Reverse(room(chart).y), **name));
        let mut filled = vec![0; self.size.x as usize];
        for (_, chart) in order {
            let size = room(chart);
            if size.x > self.size.x {
                return false;
            }
            let columns = |x: usize| x..x + size.x as usize;
            let top = |x: usize| filled[columns(x)].iter().max().copied().unwrap_or(0);
            let places = 0..=filled.len() - size.x as usize;
            let x = places.min_by_key(|x| top(*x)).unwrap_or_default();
            let top = top(x);
            if top + size.y > self.size.y {
                return false;
            }
            chart.origin = UVec2::new(x as u32, top).as_vec2() + GAP;
            filled[columns(x)].fill(top + size.y);
        }
        true
    }

    /// Where a point of a chart is, in texels.
    fn place(&self, chart: &str, uv: Vec2) -> Vec2 {
        let chart = &self.charts[chart];
        chart.origin + (uv - chart.least) * chart.density
    }

    /// Where a point of a face's chart is, 0 to 1.
    pub fn uv(&self, face: &Face, uv: Vec2) -> Vec2 {
        self.place(face.chart, uv) / self.size.as_vec2()
    }

    /// Texels per unit of a chart that is painted with weight 1.
    pub fn density(&self) -> f32 {
        self.charts
            .values()
            .map(|chart| chart.density)
            .fold(0.0, f32::max)
    }

    /// The base picture and the normal map, the latter green up. Solids on other sheets hide the sky.
    pub fn paint(&self, solids: &[&Solid], ink: impl Fn(&Texel<'_>) -> Ink) -> [Picture; 2] {
        let size = self.size * FINE;
        let (width, height) = (size.x as usize, size.y as usize);
        let mut texels: Vec<Option<(Texel<'_>, bool)>> = vec![None; width * height];
        for solid in solids {
            let faces = solid.faces.iter().enumerate();
            for (number, face) in faces.filter(|(_, face)| self.charts.contains_key(face.chart)) {
                self.cover(solid, number, face, |at, texel| {
                    let index = at.y as usize * width + at.x as usize;
                    texels[index].get_or_insert((texel, solid.ghost));
                });
            }
        }
        self.darken(solids, &mut texels, width);
        let inks: Vec<Option<Ink>> = texels
            .iter()
            .map(|texel| texel.as_ref().map(|(texel, _)| ink(texel)))
            .collect();
        let scale = FINE as f32 * self.density();
        let base = |index: usize| {
            let ink = inks[index]?;
            Some([ink.color.x, ink.color.y, ink.color.z, ink.alpha].map(channel))
        };
        let bump = |index: usize| {
            let ink = inks[index]?;
            let beside = |step: isize| {
                let other = inks.get(index.checked_add_signed(step)?).copied().flatten();
                other.map(|other| other.height)
            };
            let slope = |step: isize| {
                let (before, after) = (beside(-step), beside(step));
                let steps = f32::from(u8::from(before.is_some()) + u8::from(after.is_some()));
                let way = after.unwrap_or(ink.height) - before.unwrap_or(ink.height);
                way * scale / steps.max(1.0)
            };
            let normal = Vec3::new(-slope(1), slope(width as isize), 1.0).normalize() * 0.5 + 0.5;
            Some([normal.x, normal.y, normal.z, ink.gloss].map(channel))
        };
        [
            spread(size, base, [60, 60, 60, 0]),
            spread(size, bump, [128, 128, 255, 0]),
        ]
    }

    /// Calls back for each texel whose centre a face covers.
    fn cover<'a>(
        &self,
        solid: &Solid,
        number: usize,
        face: &'a Face,
        mut found: impl FnMut(UVec2, Texel<'a>),
    ) {
        let normal = face.normal().normalize_or(Vec3::Z);
        let sharp = sharp_edges(solid, number);
        let uvs = || face.corners.iter().map(|corner| corner.uv);
        let bounds = [
            uvs().fold(Vec2::INFINITY, Vec2::min),
            uvs().fold(Vec2::NEG_INFINITY, Vec2::max),
        ];
        for triangle in face.triangles() {
            let corners = triangle.map(|corner| face.corners[corner]);
            let places = corners
                .map(|corner| self.place(face.chart, corner.uv) * FINE as f32 - Vec2::splat(0.5));
            let [a, b, c] = places;
            let area = (b - a).perp_dot(c - a);
            if area == 0.0 {
                continue;
            }
            let (least, greatest) = (a.min(b).min(c).ceil(), a.max(b).max(c).floor());
            for y in least.y as u32..=greatest.y.max(0.0) as u32 {
                for x in least.x as u32..=greatest.x.max(0.0) as u32 {
                    let at = UVec2::new(x, y);
                    let part =
                        |from: Vec2, to: Vec2| (to - from).perp_dot(at.as_vec2() - from) / area;
                    let parts = [part(b, c), part(c, a), part(a, b)];
                    if parts.iter().any(|part| *part < -1e-4) {
                        continue;
                    }
                    let mean = |of: fn(&Corner) -> Vec3| {
                        (0..3)
                            .map(|corner| of(&corners[corner]) * parts[corner])
                            .sum::<Vec3>()
                    };
                    let position = mean(|corner| corner.at);
                    let distances = sharp.iter().map(|[from, to]| {
                        let way = *to - *from;
                        let along = (position - *from).dot(way) / way.length_squared();
                        position.distance(*from + way * along.clamp(0.0, 1.0))
                    });
                    let texel = Texel {
                        face,
                        at: position,
                        normal,
                        uv: mean(|corner| corner.uv.extend(0.0)).truncate(),
                        bounds,
                        edge: distances.fold(f32::INFINITY, f32::min),
                        open: 1.0,
                    };
                    found(at, texel);
                }
            }
        }
    }

    /// Finds out how much of the sky texels see.
    fn darken(&self, solids: &[&Solid], texels: &mut [Option<(Texel<'_>, bool)>], width: usize) {
        let sky = Sky::new(solids, self.reach);
        let columns = width / COARSE;
        let mut looks: Vec<Option<(&'static str, f32)>> =
            vec![None; texels.len() / COARSE / COARSE];
        for (index, texel) in texels.iter().enumerate() {
            let look = (index / width / COARSE) * columns + index % width / COARSE;
            if let (Some((texel, false)), None) = (texel, looks[look]) {
                looks[look] = Some((texel.face.chart, sky.open(texel.at, texel.normal)));
            }
        }
        for (index, texel) in texels.iter_mut().enumerate() {
            let Some((texel, false)) = texel else {
                continue;
            };
            // Between the four nearest looks that are on the same chart.
            let at = Vec2::new((index % width) as f32, (index / width) as f32) + 0.5;
            let at = at / COARSE as f32 - 0.5;
            let (corner, way) = (at.floor(), at - at.floor());
            let (mut sum, mut weights) = (0.0, 1e-6);
            for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                let place = (corner + Vec2::new(x, y)).max(Vec2::ZERO).as_uvec2();
                let look = looks.get(place.y as usize * columns + place.x as usize);
                if let Some(Some((chart, open))) = look
                    && *chart == texel.face.chart
                {
                    let weight = mix(1.0 - way.x, way.x, x) * mix(1.0 - way.y, way.y, y) + 1e-3;
                    sum += open * weight;
                    weights += weight;
                }
            }
            texel.open = sum / weights;
        }
    }
}

/// The picture of what there is, and of what is nearest to it around it.
fn spread(size: UVec2, texel: impl Fn(usize) -> Option<[u8; 4]>, otherwise: [u8; 4]) -> Picture {
    let width = size.x as usize;
    let mut all: Vec<_> = (0..width * size.y as usize).map(texel).collect();
    for _ in 0..12 {
        let before = all.clone();
        for (index, texel) in all
            .iter_mut()
            .enumerate()
            .filter(|(_, texel)| texel.is_none())
        {
            let steps = [-1, 1, -(width as isize), width as isize];
            *texel = steps.iter().find_map(|step| {
                let other = index.checked_add_signed(*step)?;
                before.get(other).copied().flatten()
            });
        }
    }
    let texels = all.into_iter().map(|texel| texel.unwrap_or(otherwise));
    Picture {
        size,
        texels: texels.collect(),
    }
    .halved()
}

/// The edges of a face that stick out: where the next face turns away by more than 20°.
fn sharp_edges(solid: &Solid, number: usize) -> Vec<[Vec3; 2]> {
    let face = &solid.faces[number];
    let normal = face.normal().normalize_or_zero();
    let count = face.corners.len();
    let same = |a: Vec3, b: Vec3| a.distance_squared(b) < 1e-6;
    let edges = (0..count).map(|index| [index, (index + 1) % count].map(|at| face.corners[at].at));
    let is_sharp = |[a, b]: &[Vec3; 2]| {
        let mut others = solid.faces.iter().enumerate().filter(|(other, face)| {
            let has = |point: Vec3| face.corners.iter().any(|corner| same(corner.at, point));
            *other != number && has(*a) && has(*b)
        });
        others.any(|(_, other)| other.normal().normalize_or_zero().dot(normal) < 0.94)
    };
    edges.filter(is_sharp).collect()
}
