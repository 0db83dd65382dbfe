//! Surfaces, and their layout on the skin.
//!
//! The samples follow the unwrapping convention of the format. The skin has a front half and, to
//! the right of it, a back half of the same layout. A surface is folded along its middle: its left
//! side is on the front half and its right side at the same position of the back half. Points on
//! the fold (the *seam*) are stored only once: triangles on the back add half the skin width to
//! them.

use super::math::{cos, sin};
use bevy::prelude::*;

/// A half of the skin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The left half.
    Front,
    /// The right half.
    Back,
}

/// A corner of a [`Face`].
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// Its position in the space of its piece.
    pub position: Vec3,
    /// Its position on its island of the skin, in texels.
    pub st: UVec2,
    /// Whether it is on the fold between front and back.
    pub seam: bool,
}

/// A flat part of a surface.
#[derive(Clone, Debug)]
pub struct Face {
    /// The half of the skin that it is on.
    pub side: Side,
    /// Its column and row in the surface's grid.
    pub cell: [usize; 2],
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
        let at = |index: usize| self.corners[index].position;
        self.triangles()
            .map(|[a, b, c]| (at(b) - at(a)).cross(at(c) - at(a)))
            .sum()
    }
}

/// A surface with one connected area on the skin, its island. Surfaces of the same name share one.
#[derive(Clone, Debug)]
pub struct Surface {
    /// Its name, for the painter.
    pub name: &'static str,
    /// Size of its island in texels, on each half of the skin.
    pub size: UVec2,
    /// Its faces.
    pub faces: Vec<Face>,
}

/// An outline across the X axis.
#[derive(Clone, Debug)]
pub struct Section {
    /// Its position along the axis.
    pub x: f32,
    /// Its left half, as Y and Z: from the middle of the top to the middle of the bottom.
    pub outline: Vec<Vec2>,
}

impl Section {
    /// A section of an outline, scaled by Y and Z and moved up.
    pub fn new(x: f32, outline: &[[f32; 2]], stretch: [f32; 2], up: f32) -> Self {
        let scale_point = |&[y, z]: &[f32; 2]| Vec2::new(y * stretch[0], z * stretch[1] + up);
        Self {
            x,
            outline: outline.iter().map(scale_point).collect(),
        }
    }

    /// A regular polygon of `2 * steps` corners.
    pub fn round(x: f32, radius: f32, steps: u16) -> Self {
        let corner = |step| {
            let turns = f32::from(step) / f32::from(2 * steps);
            // Exactly on the fold; the computed sine is not exactly zero.
            let y = if step % steps == 0 { 0.0 } else { sin(turns) };
            Vec2::new(y, cos(turns)) * radius
        };
        Self {
            x,
            outline: (0..=steps).map(corner).collect(),
        }
    }

    fn point(&self, row: usize, side: Side) -> Vec3 {
        let Vec2 { x: y, y: z } = self.outline[row];
        match side {
            Side::Front => Vec3::new(self.x, y, z),
            Side::Back => Vec3::new(self.x, -y, z),
        }
    }
}

/// Lofts a surface over sections, which are listed from the front (the greatest X) to the back.
///
/// On the skin it is a rectangle: front to back runs right, top to bottom runs down. Every face is
/// a rectangle in it, which is easy to paint. Its size is the mean size of the faces in its row and
/// column.
pub fn loft(name: &'static str, sections: &[Section], texels_per_unit: f32) -> Surface {
    let rows = sections[0].outline.len();
    let columns = sections.len();
    let point = |column: usize, row| sections[column].point(row, Side::Front);
    let across = |column| {
        let lengths = (0..rows).map(|row| point(column, row).distance(point(column + 1, row)));
        lengths.sum::<f32>() / rows as f32
    };
    let down = |row| {
        let lengths =
            (0..columns).map(|column| point(column, row).distance(point(column, row + 1)));
        lengths.sum::<f32>() / columns as f32
    };
    let s = running_sum((0..columns - 1).map(across), texels_per_unit);
    let t = running_sum((0..rows - 1).map(down), texels_per_unit);

    let mut faces = Vec::new();
    for side in [Side::Front, Side::Back] {
        for column in 0..columns - 1 {
            for row in 0..rows - 1 {
                let corner = |column: usize, row: usize| Corner {
                    position: sections[column].point(row, side),
                    st: UVec2::new(s[column], t[row]),
                    seam: row == 0 || row == rows - 1,
                };
                let corners = vec![
                    corner(column, row),
                    corner(column, row + 1),
                    corner(column + 1, row + 1),
                    corner(column + 1, row),
                ];
                faces.extend(face(side, [column, row], corners));
            }
        }
    }
    Surface {
        name,
        size: UVec2::new(s[columns - 1] + 1, t[rows - 1] + 1),
        faces,
    }
}

/// The direction of a [`cap`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Facing {
    /// +X.
    Forward,
    /// −X.
    Backward,
}

/// Closes a section with a flat surface.
pub fn cap(name: &'static str, section: &Section, facing: Facing, texels_per_unit: f32) -> Surface {
    let top = section
        .outline
        .iter()
        .map(|at| at.y)
        .fold(f32::MIN, f32::max);
    let st = |at: &Vec2| {
        (Vec2::new(at.x, top - at.y) * texels_per_unit)
            .round()
            .as_uvec2()
    };
    let rows = section.outline.len();
    let faces = [Side::Front, Side::Back].into_iter().filter_map(|side| {
        let corner = |row: usize| Corner {
            position: section.point(row, side),
            st: st(&section.outline[row]),
            seam: row == 0 || row == rows - 1,
        };
        let mut corners: Vec<_> = (0..rows).map(corner).collect();
        if facing == Facing::Forward {
            corners.reverse();
        }
        face(side, [0, 0], corners)
    });
    let size = section.outline.iter().map(st).fold(UVec2::ZERO, UVec2::max);
    Surface {
        name,
        size: size + 1,
        faces: faces.collect(),
    }
}

/// A face without coincident corners. `corners` are in order for the front side.
fn face(side: Side, cell: [usize; 2], mut corners: Vec<Corner>) -> Option<Face> {
    corners.dedup_by_key(|corner| corner.position);
    if corners.len() > 1 && corners[0].position == corners[corners.len() - 1].position {
        corners.pop();
    }
    if side == Side::Back {
        corners.reverse();
    }
    (corners.len() > 2).then_some(Face {
        side,
        cell,
        corners,
    })
}

/// Running sums of lengths, in whole texels, so that every edge is on a texel's center.
fn running_sum(lengths: impl Iterator<Item = f32>, texels_per_unit: f32) -> Vec<u32> {
    let mut sums = vec![0];
    for length in lengths {
        let texels = (length * texels_per_unit).round().max(1.0) as u32;
        sums.push(sums[sums.len() - 1] + texels);
    }
    sums
}
