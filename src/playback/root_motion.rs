//! Moves roots as their clips have moved their models.

use crate::root::environment::ClassicModelsSystems;
use crate::root::motion::{ClipMotion, RootMotion};
use bevy::prelude::*;

/// Registers the systems, once for all formats.
pub(crate) fn register(app: &mut App) {
    app.add_systems(
        PostUpdate,
        (
            begin.before(ClassicModelsSystems::Play),
            move_roots
                .after(ClassicModelsSystems::Play)
                .before(ClassicModelsSystems::Appearance),
        ),
    );
}

/// Forgets the movements of the last frame: players write only those of the models that play a clip.
fn begin(mut motions: Query<&mut ClipMotion>) {
    for mut motion in &mut motions {
        *motion.bypass_change_detection() = ClipMotion::default();
    }
}

fn move_roots(mut roots: Query<(&RootMotion, &ClipMotion, &mut Transform)>) {
    for (motion, ClipMotion(moved), mut transform) in &mut roots {
        if motion.moves_root && *moved != default() {
            transform.translation = transform.transform_point(moved.translation);
            // A mirrored root turns the other way.
            let is_mirrored = transform.scale.x * transform.scale.z < 0.0;
            let turn = moved.rotation();
            let turn = if is_mirrored { turn.inverse() } else { turn };
            transform.rotation = (transform.rotation * turn).normalize();
        }
    }
}
