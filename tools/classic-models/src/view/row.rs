//! The row in which models are shown, and their positions in it: plain values only.

use crate::view::camera::orbit::{FOV, Orbit};
use crate::view::models::viewed_model::ModelBounds;
use crate::view::open::args::View;
use bevy::prelude::*;
use classic_models_support::stage::{corners, fit};

/// All models from left to right.
#[derive(Resource)]
pub struct Row {
    pub models: Vec<Entity>,
    /// The index of the model that the panel shows.
    pub selected: usize,
    /// The rotation of a camera that sees no model hidden by another.
    pub view: Quat,
    /// The width of the picture that the models are to fill, divided by its height.
    pub aspect: f32,
    /// Whether the bounds of a Quake model contain only its current clip, not all its poses.
    pub by_clip: bool,
}

impl Row {
    pub fn new(view: View, aspect: f32, by_clip: bool) -> Self {
        Self {
            models: Vec::new(),
            selected: 0,
            view: Orbit::new(view).rotation(),
            aspect,
            by_clip,
        }
    }

    pub fn selected(&self) -> Option<Entity> {
        self.models.get(self.selected).copied()
    }
}

/// The systems that position the models in a row.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RowLayout;

/// The most rows.
const ROWS: usize = 5;

/// A gap between models, as a share of the width of each.
const GAP: f32 = 0.15;

/// A gap between rows, as a share of the height of the row at the back. Boxes around models leave gaps of their own.
const ROW_GAP: f32 = 0.01;

impl ModelBounds {
    /// The range of the corners along an axis.
    fn range(self, axis: Vec3) -> (f32, f32) {
        let places = corners(self.min, self.max).map(|corner| corner.dot(axis));
        union(places.map(|place| (place, place)))
    }
}

/// The smallest range around others.
fn union(ranges: impl IntoIterator<Item = (f32, f32)>) -> (f32, f32) {
    let ranges = ranges.into_iter();
    let none = (f32::INFINITY, f32::NEG_INFINITY);
    ranges.fold(none, |(a, b), (low, high)| (a.min(low), b.max(high)))
}

/// The count of rows with which models fill the most of a picture, seen by a camera with this rotation. `aspect` is the width
/// of the picture divided by its height.
pub fn best_rows(models: &[ModelBounds], rotation: Quat, aspect: f32) -> usize {
    let most = ROWS.min(models.len()).max(1);
    let candidates = (1..=most).filter_map(|rows| {
        let places = in_rows(models, rotation, rows)?;
        Some((rows, filled(models, &places, rotation, aspect)))
    });
    let best = candidates.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map_or(1, |(rows, _)| rows)
}

/// The positions of models on the ground in this many rows. Models are from left to right, the first in the row at the back.
/// `None` if rows would hide others, because the camera looks along the ground.
pub fn in_rows(models: &[ModelBounds], rotation: Quat, rows: usize) -> Option<Vec<Vec3>> {
    let (right, up) = (rotation * Vec3::X, rotation * Vec3::Y);
    // From above, the top of the picture is back.
    let back = (up - Vec3::Y * up.y).normalize_or(rotation * Vec3::NEG_Z);
    let rise = back.dot(up);
    if rows > 1 && rise < 0.1 {
        return None;
    }
    let split = split(models, right, rows);
    let mut places = vec![Vec3::ZERO; models.len()];
    let mut depth = 0.0;
    let mut top: Option<f32> = None;
    // From the front to the back.
    for row in split.iter().rev() {
        let ranges: Vec<(usize, ModelBounds, f32)> = row_of(models, row, right);
        let (low, high) = union(ranges.iter().map(|(_, model, _)| model.range(up)));
        if let Some(top) = top {
            depth += (top - low + ROW_GAP * (high - low)).max(0.0) / rise;
        }
        top = Some(high);
        for (index, _, offset) in ranges {
            let center = match split.len() {
                1 => 0.0,
                _ => row_center(models, row, right),
            };
            places[index] = right * (offset - center) + back * depth;
        }
    }
    Some(places)
}

/// The indices of the models in each row, so that all rows are about as wide.
fn split(models: &[ModelBounds], right: Vec3, rows: usize) -> Vec<Vec<usize>> {
    let width = |model: &ModelBounds| {
        let (low, high) = model.range(right);
        (high - low).max(1e-6)
    };
    let total: f32 = models.iter().map(width).sum();
    let mut split = vec![Vec::new(); rows];
    let mut before = 0.0;
    for (index, model) in models.iter().enumerate() {
        let width = width(model);
        let row = ((before + width / 2.0) / total * rows as f32) as usize;
        split[row.min(rows - 1)].push(index);
        before += width;
    }
    split.retain(|row| !row.is_empty());
    split
}

/// The models of a row with their offsets to the right. The first one's origin is at 0.
fn row_of(models: &[ModelBounds], row: &[usize], right: Vec3) -> Vec<(usize, ModelBounds, f32)> {
    let mut end = None;
    let placed = row.iter().filter_map(|index| {
        let model = *models.get(*index)?;
        let (low, high) = model.range(right);
        let gap = GAP * (high - low);
        let offset = end.map_or(0.0, |end| end + gap - low);
        end = Some(offset + high + gap);
        Some((*index, model, offset))
    });
    placed.collect()
}

/// The middle of a row.
fn row_center(models: &[ModelBounds], row: &[usize], right: Vec3) -> f32 {
    let placed = row_of(models, row, right);
    let ranges = placed.iter().map(|(_, model, offset)| {
        let (low, high) = model.range(right);
        (low + offset, high + offset)
    });
    let (low, high) = union(ranges);
    (low + high) / 2.0
}

/// The share of a picture that the models fill.
fn filled(models: &[ModelBounds], places: &[Vec3], rotation: Quat, aspect: f32) -> f32 {
    let placed = || models.iter().zip(places);
    let points: Vec<Vec3> = placed()
        .flat_map(|(of, at)| corners(of.min + at, of.max + at))
        .collect();
    let Some((eye, _)) = fit(&points, rotation, FOV, aspect) else {
        return 0.0;
    };
    let slope = (FOV / 2.0).tan();
    let of_model = |(model, at): (&ModelBounds, &Vec3)| {
        let seen = corners(model.min + at, model.max + at).map(|corner| {
            let seen = rotation.inverse() * (corner - eye);
            // From −1 to 1 in the picture.
            Vec2::new(seen.x / aspect, seen.y) / (-seen.z * slope).max(1e-6)
        });
        let low = seen.into_iter().reduce(Vec2::min).unwrap_or_default();
        let high = seen.into_iter().reduce(Vec2::max).unwrap_or_default();
        let size = (high - low) / 2.0;
        size.x * size.y
    };
    placed().map(of_model).sum()
}

#[cfg(test)]
mod row_layout_tests {
    use super::{ModelBounds, best_rows, filled, in_rows};
    use crate::view::camera::orbit::Orbit;
    use crate::view::open::args::View;
    use bevy::prelude::*;

    /// Boxes of these widths, 2 high and 2 deep.
    fn boxes(widths: &[f32]) -> Vec<ModelBounds> {
        let extent = |width: &f32| ModelBounds {
            min: Vec3::new(-width / 2.0, 0.0, -1.0),
            max: Vec3::new(width / 2.0, 2.0, 1.0),
        };
        widths.iter().map(extent).collect()
    }

    fn rotation(view: View) -> Quat {
        Orbit::new(view).rotation()
    }

    #[test]
    fn one_model_stays_at_the_origin() {
        for view in [View::Front, View::Top, View::Iso] {
            let (models, rotation) = (boxes(&[3.0]), rotation(view));
            assert_eq!(best_rows(&models, rotation, 1.8), 1);
            assert_eq!(in_rows(&models, rotation, 1), Some(vec![Vec3::ZERO]));
        }
    }

    #[test]
    fn many_models_fill_more_of_the_picture_in_rows() {
        let models = boxes(&[2.0; 12]);
        for view in [View::Top, View::Iso] {
            let rotation = rotation(view);
            let rows = best_rows(&models, rotation, 1.8);
            let filled = |rows| {
                let places = in_rows(&models, rotation, rows).unwrap();
                filled(&models, &places, rotation, 1.8)
            };
            let (more, less) = (filled(rows), filled(1));
            assert!(more > 1.8 * less, "{view:?}: {more} {less}");
        }
    }

    #[test]
    fn rows_do_not_hide_others() {
        let models = boxes(&[2.0; 4]);
        // Along the ground, only the first row would be visible.
        for view in [View::Front, View::Side] {
            assert_eq!(in_rows(&models, rotation(view), 2), None);
        }
        let rotation = rotation(View::Iso);
        let places = in_rows(&models, rotation, 2).unwrap();
        let up = rotation * Vec3::Y;
        let range = |index: usize| {
            let (low, high) = models[index].range(up);
            let at = places[index].dot(up);
            (low + at, high + at)
        };
        let front_top = range(2).1.max(range(3).1);
        let back_bottom = range(0).0.min(range(1).0);
        assert!(back_bottom > front_top, "{back_bottom} {front_top}");
    }

    #[test]
    fn models_of_a_row_do_not_overlap() {
        let models = boxes(&[2.0, 9.0, 1.0]);
        let rotation = rotation(View::Front);
        let places = in_rows(&models, rotation, 1).unwrap();
        let right = rotation * Vec3::X;
        let ends = |index: usize| {
            let (low, high) = models[index].range(right);
            let at = places[index].dot(right);
            (low + at, high + at)
        };
        assert!(ends(0).1 < ends(1).0 && ends(1).1 < ends(2).0);
    }
}
