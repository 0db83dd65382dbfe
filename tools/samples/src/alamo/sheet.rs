//! A texture sheet: the layout of the charts of solids, and the data of each texel for the painter.

use super::ambient_occlusion::AmbientOcclusion;
use super::image::{Image, channel};
use super::shape::{Corner, Face, Finish, Solid};
use crate::math::mix;
use bevy::prelude::*;
use std::collections::BTreeMap;

/// The supersampling factor: texels are painted at this many times the written resolution.
const FINE: u32 = 2;
/// Texels around each chart.
const GAP: f32 = 2.0;
/// Default range of ambient occlusion, in model units.
const REACH: f32 = 2.2;
/// Ambient occlusion is sampled once per this many texels along each side.
const COARSE: usize = 4;

/// A rectangle of the sheet.
struct Chart {
    /// Its smallest point, in units.
    least: Vec2,
    /// Its size, in units.
    size: Vec2,
    /// Position of its smallest point on the sheet, in texels.
    origin: Vec2,
    /// Texels per unit.
    density: f32,
}

/// The layout of the charts.
pub struct Sheet {
    /// Its written size in texels.
    size: UVec2,
    charts: BTreeMap<&'static str, Chart>,
    /// The range of ambient occlusion.
    reach: f32,
}

/// The data of a texel, for the painter.
#[derive(Clone, Copy)]
pub struct Texel<'a> {
    /// The face that it is on.
    pub face: &'a Face,
    /// Its position in model space.
    pub at: Vec3,
    /// The normal of its face.
    pub normal: Vec3,
    /// Its position on the chart, in units.
    pub uv: Vec2,
    /// The smallest and the largest point of its face on the chart.
    pub bounds: [Vec2; 2],
    /// The distance to the nearest convex edge of its face.
    pub edge: f32,
    /// Ambient visibility: the visible part of the sky, 0 to 1.
    pub visibility: f32,
}

/// The painted values of a texel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ink {
    /// Its color.
    pub color: Vec3,
    /// The alpha of the base texture.
    pub alpha: f32,
    /// Its height above the surface, in units.
    pub height: f32,
    /// Its gloss: the alpha of the normal map.
    pub gloss: f32,
}

impl Sheet {
    /// Packs the charts of solids at the highest density that fits. `weight` is the relative
    /// density of a chart.
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

    /// Returns the sheet with another range of ambient occlusion, in units.
    pub fn with_reach(self, reach: f32) -> Self {
        Self { reach, ..self }
    }

    /// Lays out the charts, the highest first. Returns whether they fit.
    fn pack(&mut self) -> bool {
        let padded_size =
            |chart: &Chart| (chart.size * chart.density + 2.0 * GAP).ceil().as_uvec2();
        let mut order: Vec<_> = self.charts.iter_mut().collect();
        order.sort_by_key(|(name, chart)| (core::cmp::Reverse(padded_size(chart).y), **name));
        let mut filled = vec![0; self.size.x as usize];
        for (_, chart) in order {
            let size = padded_size(chart);
            if size.x > self.size.x {
                return false;
            }
            let columns = |x: usize| x..x + size.x as usize;
            let top = |x: usize| filled[columns(x)].iter().max().copied().unwrap_or(0);
            let starts = 0..=filled.len() - size.x as usize;
            let x = starts.min_by_key(|x| top(*x)).unwrap_or_default();
            let top = top(x);
            if top + size.y > self.size.y {
                return false;
            }
            chart.origin = UVec2::new(x as u32, top).as_vec2() + GAP;
            filled[columns(x)].fill(top + size.y);
        }
        true
    }

    /// The position of a point of a chart, in texels.
    fn texel_position(&self, chart: &str, uv: Vec2) -> Vec2 {
        let chart = &self.charts[chart];
        chart.origin + (uv - chart.least) * chart.density
    }

    /// The texture coordinates of a point of a face's chart, 0 to 1.
    pub fn uv(&self, face: &Face, uv: Vec2) -> Vec2 {
        self.texel_position(face.chart, uv) / self.size.as_vec2()
    }

    /// Texels per unit of a chart with weight 1.
    pub fn density(&self) -> f32 {
        self.charts
            .values()
            .map(|chart| chart.density)
            .fold(0.0, f32::max)
    }

    /// The base texture and the normal map; the latter has green up. Solids on other sheets also
    /// occlude the sky.
    pub fn paint(&self, solids: &[&Solid], ink: impl Fn(&Texel<'_>) -> Ink) -> [Image; 2] {
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
        self.compute_visibility(solids, &mut texels, width);
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
                let rise = after.unwrap_or(ink.height) - before.unwrap_or(ink.height);
                rise * scale / steps.max(1.0)
            };
            let normal = Vec3::new(-slope(1), slope(width as isize), 1.0).normalize() * 0.5 + 0.5;
            Some([normal.x, normal.y, normal.z, ink.gloss].map(channel))
        };
        [
            spread(size, base, [60, 60, 60, 0]),
            spread(size, bump, [128, 128, 255, 0]),
        ]
    }

    /// Calls `visit` for each texel whose center a face covers.
    fn cover<'a>(
        &self,
        solid: &Solid,
        number: usize,
        face: &'a Face,
        mut visit: impl FnMut(UVec2, Texel<'a>),
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
            let positions = corners.map(|corner| {
                self.texel_position(face.chart, corner.uv) * FINE as f32 - Vec2::splat(0.5)
            });
            let [a, b, c] = positions;
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
                        let line = *to - *from;
                        let along = (position - *from).dot(line) / line.length_squared();
                        position.distance(*from + line * along.clamp(0.0, 1.0))
                    });
                    let texel = Texel {
                        face,
                        at: position,
                        normal,
                        uv: mean(|corner| corner.uv.extend(0.0)).truncate(),
                        bounds,
                        edge: distances.fold(f32::INFINITY, f32::min),
                        visibility: 1.0,
                    };
                    visit(at, texel);
                }
            }
        }
    }

    /// Computes the ambient visibility of the texels.
    fn compute_visibility(
        &self,
        solids: &[&Solid],
        texels: &mut [Option<(Texel<'_>, bool)>],
        width: usize,
    ) {
        let occlusion = AmbientOcclusion::new(solids, self.reach);
        let columns = width / COARSE;
        let mut samples: Vec<Option<(&'static str, f32)>> =
            vec![None; texels.len() / COARSE / COARSE];
        for (index, texel) in texels.iter().enumerate() {
            let sample = (index / width / COARSE) * columns + index % width / COARSE;
            if let (Some((texel, false)), None) = (texel, samples[sample]) {
                samples[sample] = Some((
                    texel.face.chart,
                    occlusion.visibility(texel.at, texel.normal),
                ));
            }
        }
        for (index, texel) in texels.iter_mut().enumerate() {
            let Some((texel, false)) = texel else {
                continue;
            };
            // Interpolates the four nearest samples that are on the same chart.
            let at = Vec2::new((index % width) as f32, (index / width) as f32) + 0.5;
            let at = at / COARSE as f32 - 0.5;
            let (corner, fraction) = (at.floor(), at - at.floor());
            let (mut sum, mut weights) = (0.0, 1e-6);
            for (x, y) in [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)] {
                let cell = (corner + Vec2::new(x, y)).max(Vec2::ZERO).as_uvec2();
                let sample = samples.get(cell.y as usize * columns + cell.x as usize);
                if let Some(Some((chart, visibility))) = sample
                    && *chart == texel.face.chart
                {
                    let weight = mix(1.0 - fraction.x, fraction.x, x)
                        * mix(1.0 - fraction.y, fraction.y, y)
                        + 1e-3;
                    sum += visibility * weight;
                    weights += weight;
                }
            }
            texel.visibility = sum / weights;
        }
    }
}

/// An image of the painted texels; the nearest ones extend into the gaps around them.
fn spread(size: UVec2, texel: impl Fn(usize) -> Option<[u8; 4]>, otherwise: [u8; 4]) -> Image {
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
    Image {
        size,
        texels: texels.collect(),
    }
    .halved()
}

/// The convex edges of a face: those at which the next face turns away by more than 20°.
fn sharp_edges(solid: &Solid, number: usize) -> Vec<[Vec3; 2]> {
    let face = &solid.faces[number];
    let normal = face.normal().normalize_or_zero();
    let count = face.corners.len();
    let same = |a: Vec3, b: Vec3| a.distance_squared(b) < 1e-6;
    let edges = (0..count).map(|index| [index, (index + 1) % count].map(|at| face.corners[at].at));
    let is_sharp = |[a, b]: &[Vec3; 2]| {
        let mut others = solid.faces.iter().enumerate().filter(|(other, face)| {
            let contains = |point: Vec3| face.corners.iter().any(|corner| same(corner.at, point));
            *other != number && contains(*a) && contains(*b)
        });
        others.any(|(_, other)| other.normal().normalize_or_zero().dot(normal) < 0.94)
    };
    edges.filter(is_sharp).collect()
}
