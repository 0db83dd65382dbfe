//! Bounding boxes of points.

/// Minimum and maximum corner of the bounding box of points; zeros if there are none.
pub(super) fn bounds_of(points: impl Iterator<Item = [f32; 3]>) -> [[f32; 3]; 2] {
    let bounds_of_point = |point| [point, point];
    let union = |a: [[f32; 3]; 2], b: [[f32; 3]; 2]| {
        let corner = |side: usize, select: fn(f32, f32) -> f32| {
            core::array::from_fn(|axis| select(a[side][axis], b[side][axis]))
        };
        [corner(0, f32::min), corner(1, f32::max)]
    };
    points
        .map(bounds_of_point)
        .reduce(union)
        .unwrap_or_default()
}
