//! The layout of a skin, and the data of its texels for the painter.

use super::math::{Transform, cos, sin};
use super::piece::Piece;
use super::surface::{Face, Side};
use bevy::prelude::*;
use std::collections::BTreeMap;

/// Texels between islands, so that filtering does not mix them.
const GAP: u32 = 2;

/// The layout of the islands of all surfaces.
pub struct Atlas {
    /// Size of the skin, both halves together.
    pub size: UVec2,
    islands: BTreeMap<&'static str, UVec2>,
}

impl Atlas {
    /// Packs the islands of pieces into a skin of at least the given width, with the smallest
    /// height.
    pub fn new(pieces: &[Piece], width: u32) -> Self {
        let surfaces = pieces.iter().flat_map(|piece| &piece.surfaces);
        let sizes: BTreeMap<_, _> = surfaces
            .map(|surface| (surface.name, surface.size))
            .collect();
        let mut sizes: Vec<_> = sizes.into_iter().collect();
        sizes.sort_by_key(|(name, size)| (core::cmp::Reverse(size.y), *name));

        // The highest first; each goes as far up as it fits beside and below the islands before it.
        let widest = sizes.iter().map(|(_, size)| size.x + GAP).max();
        let half_width = widest
            .unwrap_or_default()
            .max(width / 2)
            .next_multiple_of(2);
        let mut filled = vec![0; half_width as usize];
        let mut islands = BTreeMap::new();
        for (name, size) in sizes {
            let size = size + GAP;
            let columns = |x: usize| x..x + size.x as usize;
            let top = |x: usize| filled[columns(x)].iter().max().copied().unwrap_or(0);
            let starts = 0..=filled.len().saturating_sub(size.x as usize);
            let x = starts.min_by_key(|x| top(*x)).unwrap_or_default();
            let top = top(x);
            islands.insert(name, UVec2::new(x as u32, top) + GAP / 2);
            filled[columns(x)].fill(top + size.y);
        }
        let bottom = filled.into_iter().max().unwrap_or_default();
        let size = UVec2::new(2 * half_width, bottom.next_multiple_of(4));
        Self { size, islands }
    }

    /// The upper left texel of a surface's island on the front half.
    pub fn island(&self, name: &str) -> UVec2 {
        self.islands.get(name).copied().unwrap_or_default()
    }

    /// The horizontal offset of the back half, in texels.
    pub fn half_width(&self) -> u32 {
        self.size.x / 2
    }

    /// All texels that appear on the model, with the given bone transforms.
    ///
    /// If several pieces share an island, the first one defines its texels.
    pub fn texels(
        &self,
        pieces: &[Piece],
        solid: usize,
        bones: &[Transform],
        reach: f32,
    ) -> Vec<Texel> {
        let occlusion = AmbientOcclusion::new(&pieces[..solid], bones, reach);
        let mut texels = BTreeMap::<(u32, u32), Texel>::new();
        let mut names = Vec::new();
        for piece in pieces {
            let bone = &bones[piece.bone];
            for surface in &piece.surfaces {
                if names.contains(&surface.name) {
                    continue;
                }
                names.push(surface.name);
                let island = self.island(surface.name);
                for face in &surface.faces {
                    let shift = match face.side {
                        Side::Front => UVec2::ZERO,
                        Side::Back => UVec2::new(self.half_width(), 0),
                    };
                    let normal = (bone.rotation * face.normal()).normalize_or(Vec3::Z);
                    let all = face.corners.iter().map(|corner| corner.st.as_ivec2());
                    let first = all.clone().fold(IVec2::MAX, IVec2::min);
                    let last = all.fold(IVec2::MIN, IVec2::max);
                    for (st, local) in covered(face) {
                        let at = st.as_uvec2() + island + shift;
                        let position = bone.point(local);
                        texels.entry((at.y, at.x)).or_insert_with(|| Texel {
                            at,
                            surface: surface.name,
                            side: face.side,
                            cell: face.cell,
                            island: st,
                            from: st - first,
                            to: last - st,
                            local,
                            position,
                            normal,
                            visibility: occlusion.visibility(position, normal),
                        });
                    }
                }
            }
        }
        texels.into_values().collect()
    }
}

/// A texel that appears on the model.
pub struct Texel {
    /// Its position on the skin.
    pub at: UVec2,
    /// Name of its surface.
    pub surface: &'static str,
    /// The half of the skin that it is on.
    pub side: Side,
    /// Column and row of its face.
    pub cell: [usize; 2],
    /// Its position on its island.
    pub island: IVec2,
    /// Texels from the left and upper edge of its face.
    pub from: IVec2,
    /// Texels to the right and lower edge of its face.
    pub to: IVec2,
    /// Its position in the space of its piece.
    pub local: Vec3,
    /// Its position in model space.
    pub position: Vec3,
    /// The normal of its face.
    pub normal: Vec3,
    /// Ambient visibility: 0 in a deep corner, 1 without anything near.
    pub visibility: f32,
}

/// Texels of a face's island whose centers it covers, and their positions.
fn covered(face: &Face) -> Vec<(IVec2, Vec3)> {
    let mut covered = Vec::new();
    for corners in face.triangles() {
        let [a, b, c] = corners.map(|corner| face.corners[corner]);
        let st = [a, b, c].map(|corner| corner.st.as_ivec2());
        let area = (st[1] - st[0]).perp_dot(st[2] - st[0]);
        if area == 0 {
            continue;
        }
        let min = st[0].min(st[1]).min(st[2]);
        let max = st[0].max(st[1]).max(st[2]);
        for t in min.y..=max.y {
            for s in min.x..=max.x {
                let at = IVec2::new(s, t);
                let part = |from: usize, to: usize| {
                    (st[to] - st[from]).perp_dot(at - st[from]) as f32 / area as f32
                };
                let parts = [part(1, 2), part(2, 0), part(0, 1)];
                if parts.iter().all(|part| *part >= 0.0) {
                    let position =
                        a.position * parts[0] + b.position * parts[1] + c.position * parts[2];
                    covered.push((at, position));
                }
            }
        }
    }
    covered
}

/// Computes which part of the sky is visible from a point, if only the model itself occludes it.
struct AmbientOcclusion {
    pieces: Vec<Blocker>,
    directions: Vec<Vec3>,
    reach: f32,
}

/// The triangles of a piece, and their bounding sphere.
struct Blocker {
    center: Vec3,
    radius: f32,
    triangles: Vec<[Vec3; 3]>,
}

impl AmbientOcclusion {
    fn new(pieces: &[Piece], bones: &[Transform], reach: f32) -> Self {
        let blocker = |piece: &Piece| {
            let bone = &bones[piece.bone];
            let faces = piece.surfaces.iter().flat_map(|surface| &surface.faces);
            let triangles: Vec<_> = faces
                .flat_map(|face| {
                    let posed = |corner: usize| bone.point(face.corners[corner].position);
                    face.triangles().map(move |triangle| triangle.map(posed))
                })
                .collect();
            let corners = || triangles.iter().flatten();
            let center = corners().sum::<Vec3>() / corners().count().max(1) as f32;
            let distances = corners().map(|corner| corner.distance(center));
            Blocker {
                center,
                radius: distances.fold(0.0, f32::max),
                triangles,
            }
        };
        // Evenly distributed over the sphere: a Fibonacci spiral.
        let count = 96_u16;
        let directions = (0..count).map(|index| {
            let z = 1.0 - (f32::from(index) + 0.5) / f32::from(count) * 2.0;
            let turns = f32::from(index) * 0.618_034;
            let across = (1.0 - z * z).sqrt();
            Vec3::new(cos(turns) * across, sin(turns) * across, z)
        });
        Self {
            pieces: pieces.iter().map(blocker).collect(),
            directions: directions.collect(),
            reach,
        }
    }

    fn visibility(&self, position: Vec3, normal: Vec3) -> f32 {
        let from = position + normal * 0.05;
        let near = |piece: &&Blocker| piece.center.distance(from) < piece.radius + self.reach;
        let near: Vec<_> = self.pieces.iter().filter(near).collect();
        let (mut visibility, mut all) = (0.0, 0.0);
        for direction in &self.directions {
            let weight = direction.dot(normal);
            if weight <= 0.0 {
                continue;
            }
            let hits = near
                .iter()
                .filter_map(|piece| piece.ray_distance(from, *direction));
            let nearest = hits.fold(self.reach, f32::min);
            visibility += weight * nearest / self.reach;
            all += weight;
        }
        visibility / all
    }
}

impl Blocker {
    /// The distance at which a ray hits one of the triangles.
    fn ray_distance(&self, from: Vec3, direction: Vec3) -> Option<f32> {
        let to_center = self.center - from;
        let along = to_center.dot(direction);
        let beside = to_center.length_squared() - along * along;
        if beside > self.radius * self.radius || along < -self.radius {
            return None;
        }
        let hits = self.triangles.iter();
        let hits = hits.filter_map(|triangle| ray_distance(triangle, from, direction));
        hits.reduce(f32::min)
    }
}

/// The distance at which a ray hits a triangle.
pub fn ray_distance([a, b, c]: &[Vec3; 3], from: Vec3, direction: Vec3) -> Option<f32> {
    let (ab, ac) = (b - a, c - a);
    let across = direction.cross(ac);
    let determinant = ab.dot(across);
    if determinant.abs() < 1e-6 {
        return None;
    }
    let from = from - a;
    let beside = from.cross(ab);
    let (u, v) = (
        from.dot(across) / determinant,
        direction.dot(beside) / determinant,
    );
    let distance = ac.dot(beside) / determinant;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && distance > 0.0).then_some(distance)
}
