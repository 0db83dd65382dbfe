//! The lattice that boxes are kept in: 65 536 steps along the mesh's longest side.
//!
//! One lattice serves all nodes, so that a ray is brought into it once.

use bevy::math::Vec3A;

/// Free steps around the mesh, so that no box needs more than there are.
const MARGIN: f32 = 2.0;

/// Steps by which boxes are wider than their triangles on each side, before they are rounded outward.
///
/// A ray's origin is at most [`NEAR`] radii from the centre: 65 536 · 4 · √3 / 2 steps, which 24 bits
/// of mantissa hold to within 0.02; and tests on triangles err by as little. So half a step keeps
/// all hits. It also keeps planes off the origins of rays, so that no distance is 0 · ∞.
const PAD: f32 = 0.5;

/// Radii of the mesh within which a ray may begin; others are moved up.
const NEAR: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub min: Vec3A,
    pub max: Vec3A,
    pub steps_per_unit: f32,
    pub center: Vec3A,
    /// Radius of a ball around the centre that holds the mesh.
    pub radius: f32,
    /// Square of the distance from the centre within which a ray may begin.
    pub near_squared: f32,
}

impl Grid {
    pub(super) fn new(min: Vec3A, max: Vec3A) -> Self {
        let reach = min.abs().max(max.abs()).max_element();
        // A mesh without extent gets a lattice all the same.
        let extent = (max - min).max_element().max(reach * f32::EPSILON);
        let steps = f32::from(u16::MAX) - 2.0 * MARGIN;
        let steps_per_unit = if extent > 0.0 { steps / extent } else { 1.0 };
        let radius = 0.5
            * (max - min)
                .length()
                .max(f32::from(u16::MAX) / steps_per_unit);
        Self {
            min,
            max,
            steps_per_unit,
            center: 0.5 * (min + max),
            radius,
            near_squared: (NEAR * radius) * (NEAR * radius),
        }
    }

    #[inline(always)]
    pub(super) fn place(&self, point: Vec3A) -> Vec3A {
        (point - self.min) * self.steps_per_unit + MARGIN
    }

    /// Where a corner of a box is, but not outside the mesh.
    pub(super) fn point(&self, steps: [u16; 3]) -> Vec3A {
        let place = Vec3A::from(steps.map(f32::from)) - MARGIN;
        (self.min + place / self.steps_per_unit).clamp(self.min, self.max)
    }

    /// The corners of a box in the grid, but none so far up that it reaches boxes that are not there.
    pub(super) fn places(&self, min: Vec3A, max: Vec3A) -> [Vec3A; 2] {
        let last = Vec3A::splat(f32::from(u16::MAX) - 1.0);
        [self.place(min), self.place(max).min(last)]
    }

    /// The least box of whole steps that holds a box with some room to spare.
    pub(super) fn quantize(&self, min: Vec3A, max: Vec3A) -> [[u16; 3]; 2] {
        // Casts round towards zero, and saturate.
        let [x, y, z] = (self.place(min) - PAD).to_array();
        let lower = [x as u16, y as u16, z as u16];
        let [x, y, z] = (self.place(max) + PAD + 1.0).to_array();
        [lower, [x as u16, y as u16, z as u16]]
    }
}
