//! What the keys of several examples do: Space pauses, the left and right arrow keys turn the camera, digits choose,
//! other keys change to the next of some items.

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

/// The index of the digit key from 1 to 4 that was just pressed: 0 for the key 1.
pub fn pressed_digit(keys: &ButtonInput<KeyCode>) -> Option<usize> {
    const DIGITS: [KeyCode; 4] = [
        KeyCode::Digit1,
        KeyCode::Digit2,
        KeyCode::Digit3,
        KeyCode::Digit4,
    ];
    DIGITS.iter().position(|digit| keys.just_pressed(*digit))
}

/// The item after the current one. After the last item, and without a current one, this is the first. `None` without
/// items.
pub fn next<T>(items: &[T], is_current: impl FnMut(&T) -> bool) -> Option<&T> {
    let current = items.iter().position(is_current);
    let next = current.map_or(0, |current| current + 1);
    items.get(next).or(items.first())
}

#[cfg(test)]
mod tests {
    use super::next;

    #[test]
    fn next_repeats_after_the_last_item() {
        let items = ["a", "b", "c"];
        assert_eq!(next(&items, |item| *item == "a"), Some(&"b"));
        assert_eq!(next(&items, |item| *item == "c"), Some(&"a"));
        assert_eq!(next(&items, |_| false), Some(&"a"));
        assert_eq!(next::<&str>(&[], |_| true), None);
    }
}
