//! The grid to which boxes are quantized: 65 536 steps along the mesh's longest side.
//!
//! All nodes share one grid, so that a ray is transformed into it once.

use bevy::math::Vec3A;

/// Unused steps around the mesh, so that padded boxes stay within the grid.
const MARGIN: f32 = 2.0;

/// Steps by which boxes exceed their triangles on each side, before they are rounded outward.
///
/// A ray's origin is at most [`NEAR`] radii from the center: 65 536 · 4 · √3 / 2 steps. 24 bits of
/// mantissa represent that with an error of at most 0.02, and the errors of triangle tests are as small.
/// So half a step keeps all hits. It also keeps planes off the origins of rays: no distance is 0 · ∞.
const PAD: f32 = 0.5;

/// The greatest distance of a ray's origin from the center, in radii of the mesh. Farther origins are
/// moved along their rays.
const NEAR: f32 = 4.0;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Grid {
    pub min: Vec3A,
    pub max: Vec3A,
    pub steps_per_unit: f32,
    pub center: Vec3A,
    /// Radius of a sphere around the center that contains the mesh.
    pub radius: f32,
    /// Square of the greatest distance of a ray's origin from the center.
    pub near_squared: f32,
}

impl Grid {
    pub(crate) fn new(min: Vec3A, max: Vec3A) -> Self {
        let reach = min.abs().max(max.abs()).max_element();
        // Avoids an extent of zero, unless the mesh is a point at the origin.
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

    /// A scaled position in steps of the grid.
    #[inline(always)]
    pub(crate) fn steps_at(&self, point: Vec3A) -> Vec3A {
        (point - self.min) * self.steps_per_unit + MARGIN
    }

    /// The scaled position of a box's corner, clamped to the bounds of the mesh.
    pub(crate) fn position(&self, steps: [u16; 3]) -> Vec3A {
        let steps = Vec3A::from(steps.map(f32::from)) - MARGIN;
        (self.min + steps / self.steps_per_unit).clamp(self.min, self.max)
    }

    /// The corners of a box in steps, limited so that the box does not overlap the empty boxes of nodes.
    pub(crate) fn steps_of_box(&self, min: Vec3A, max: Vec3A) -> [Vec3A; 2] {
        let last = Vec3A::splat(f32::from(u16::MAX) - 1.0);
        [self.steps_at(min), self.steps_at(max).min(last)]
    }

    /// The smallest box of whole steps that contains a box padded by [`PAD`].
    pub(crate) fn quantize(&self, min: Vec3A, max: Vec3A) -> [[u16; 3]; 2] {
        // Casts round towards zero and saturate.
        let [x, y, z] = (self.steps_at(min) - PAD).to_array();
        let lower = [x as u16, y as u16, z as u16];
        let [x, y, z] = (self.steps_at(max) + PAD + 1.0).to_array();
        [lower, [x as u16, y as u16, z as u16]]
    }
}
