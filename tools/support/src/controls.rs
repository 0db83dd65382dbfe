//! Keys that several examples have: Space pauses, the left and right arrow keys turn the camera.

use bevy::prelude::*;

/// Radians per second.
const TURNING_SPEED: f32 = 0.8;

/// Adds the keys. The camera turns around the point that it looks at.
pub struct ControlsPlugin {
    /// The point.
    pub center: Vec3,
}

impl Plugin for ControlsPlugin {
    fn build(&self, app: &mut App) {
        let center = self.center;
        let turn = move |keys: Res<ButtonInput<KeyCode>>,
                         time: Res<Time<Real>>,
                         mut camera: Single<&mut Transform, With<Camera3d>>| {
            let pressed = |key| f32::from(u8::from(keys.pressed(key)));
            let direction = pressed(KeyCode::ArrowRight) - pressed(KeyCode::ArrowLeft);
            let angle = direction * TURNING_SPEED * time.delta_secs();
            camera.rotate_around(center, Quat::from_rotation_y(angle));
        };
        app.add_systems(Update, (pause, turn));
    }
}

fn pause(keys: Res<ButtonInput<KeyCode>>, mut time: ResMut<Time<Virtual>>) {
    if keys.just_pressed(KeyCode::Space) {
        if time.is_paused() {
            time.unpause();
        } else {
            time.pause();
        }
    }
}
