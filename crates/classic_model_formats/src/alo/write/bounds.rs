//! The box around points.

/// The least and the greatest corner of the box around points; zeros if there are none.
pub(super) fn bounds_of(points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let point = |at| [at, at];
    let both = |a: [[f32; 3]; 2], b: [[f32; 3]; 2]| {
        let pick = |side: usize, pick: fn(f32, f32) -> f32| {
            core::array::from_fn(|axis| pick(a[side][axis], b[side][axis]))
        };
        [pick(0, f32::min), pick(1, f32::max)]
    };
    points.map(point).reduce(both).unwrap_or_default()
}
