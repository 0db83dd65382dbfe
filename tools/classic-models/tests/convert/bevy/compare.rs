//! Compares the views and the bones of original and converted models.

use super::stage::{BACKGROUND, Subject, View, descendants};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;

/// The share of a view that a model covers at least.
const LEAST_COVERAGE: f32 = 0.05;

/// The share of the covered pixels that only one of the models covers, at most: those at edges.
const DIFFERENT_COVERAGE: f32 = 0.002;

/// The same for materials without an equal in glTF: additive blending becomes alpha blending.
const DIFFERENT_BLENDING: f32 = 0.02;

/// The share of the pixels that both cover whose colors differ, at most: those at edges, and between texels.
const DIFFERENT_COLORS: f32 = 0.005;

/// The difference between the channels of equal colors, of 255.
const COLOR_TOLERANCE: u8 = 8;

/// The distance between equal joints. Models have the radius 1.
const JOINT_TOLERANCE: f32 = 1e-3;

/// Which pixels the original and the converted model cover.
pub struct Silhouettes {
    pixels: usize,
    /// Pixels that only one of them covers.
    different: usize,
    /// The colors of pixels that both cover.
    common: Vec<[[u8; 3]; 2]>,
}

impl Silhouettes {
    pub fn of(original: &View, converted: &View) -> Self {
        let mut silhouettes = Self {
            pixels: original.len(),
            different: 0,
            common: Vec::new(),
        };
        for (original, converted) in original.iter().zip(converted) {
            match [original, converted].map(|pixel| is_different(*pixel, BACKGROUND)) {
                [true, true] => silhouettes.common.push([*original, *converted]),
                [false, false] => {}
                _ => silhouettes.different += 1,
            }
        }
        silhouettes
    }

    /// Asserts that the models cover the same pixels.
    #[track_caller]
    pub fn assert_equal(&self, has_equal_colors: bool, what: &str) {
        let common = self.common.len() as f32;
        let coverage = common / self.pixels as f32;
        assert!(coverage > LEAST_COVERAGE, "{what}: {coverage} is covered");
        let share = self.different as f32 / common;
        let limit = match has_equal_colors {
            true => DIFFERENT_COVERAGE,
            false => DIFFERENT_BLENDING,
        };
        assert!(share < limit, "{what}: {share} differs");
    }

    /// Asserts that pixels that both models cover have equal colors.
    #[track_caller]
    pub fn assert_equal_colors(&self, what: &str) {
        let pairs = self.common.iter();
        let different = pairs.filter(|[a, b]| is_different(*a, *b)).count();
        let share = different as f32 / self.common.len() as f32;
        assert!(share < DIFFERENT_COLORS, "{what}: {share} differs in color");
    }
}

fn is_different(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter()
        .zip(b)
        .any(|(a, b)| a.abs_diff(b) > COLOR_TOLERANCE)
}

/// Asserts that each bone of the original is where a node with its name is in the converted model.
#[track_caller]
pub fn assert_same_bones(world: &mut World, subject: &Subject<'_>, what: &str) {
    let bones = world.run_system_cached_with(
        |In(root): In<Entity>, models: ModelQuery| models.bones(root),
        subject.original,
    );
    let position = |entity: Entity| {
        let root = if descendants(world, subject.original).contains(&entity) {
            subject.original
        } else {
            subject.converted
        };
        let root = world.get::<Transform>(root).unwrap().translation;
        world.get::<GlobalTransform>(entity).unwrap().translation() - root
    };
    let nodes = descendants(world, subject.converted);
    for bone in bones.unwrap() {
        let same_name = nodes.iter().filter(|node| {
            let name = world.get::<Name>(**node);
            name.is_some_and(|name| name.as_str() == bone.name)
        });
        let expected = position(bone.entity);
        let distances = same_name.map(|node| position(*node).distance(expected));
        let nearest = distances.fold(f32::INFINITY, f32::min);
        assert!(
            nearest < JOINT_TOLERANCE,
            "{what}: bone {} is {nearest} away",
            bone.name
        );
    }
}
