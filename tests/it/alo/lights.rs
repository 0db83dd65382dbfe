//! Lights of spawned Alamo models.

use crate::alo::scene::{FILE, SCENE, app, get, part};
use crate::support::alo::clean;
use crate::support::prelude::*;

#[test]
fn lights_become_bevy_lights() {
    let (mut app, root) = app(clean());
    let omni = part(&mut app, root, "Omni");
    let light: PointLight = get(&mut app, omni);
    assert_eq!(light.range, 40.0);
    // Twice the full light at distance 20, half of the range.
    let illuminance = light.intensity / (4.0 * core::f32::consts::PI * 20.0 * 20.0);
    assert!((illuminance / (2.0 * FULL_LIGHT) - 1.0).abs() < 1e-5);
    let sun = part(&mut app, root, "Sun");
    let light: DirectionalLight = get(&mut app, sun);
    assert_eq!(light.illuminance, 2.0 * FULL_LIGHT);
    assert_eq!(light.color, Color::srgb(1.0, 0.9, 0.8));
    let lamp = part(&mut app, root, "Lamp");
    let light: SpotLight = get(&mut app, lamp);
    assert_eq!((light.inner_angle, light.outer_angle), (0.375, 0.3925));
    let light: AloLight = get(&mut app, lamp);
    assert_eq!((light.index, light.far_attenuation_start), (2, 10.0));
    // Lights point along −Z of their bone, as in Bevy. A bone without a rotation points down.
    app.step(0.0);
    let direction = get::<GlobalTransform>(&mut app, omni).forward();
    assert!(direction.abs_diff_eq(Vec3::NEG_Y, 1e-5), "{direction:?}");
}

/// The range of the light `Omni` of [`clean`], and its intensity relative to scale 1.
fn omni(app: &mut TestApp, root: Entity) -> [f32; 2] {
    let omni = part(app, root, "Omni");
    let light: PointLight = get(app, omni);
    let unscaled = 2.0 * FULL_LIGHT * 4.0 * core::f32::consts::PI * 20.0 * 20.0;
    [light.range, light.intensity / unscaled]
}

#[track_caller]
fn assert_near(found: [f32; 2], expected: [f32; 2]) {
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-3 * b.abs();
    assert!(
        found.iter().zip(&expected).all(is_near),
        "{found:?}, expected {expected:?}"
    );
}

#[test]
fn lights_scale_with_their_root() {
    let mut app = TestApp::new(&[(FILE, clean())]);
    let scale = |scale: f32| Transform::from_scale(Vec3::splat(scale));
    let root = app.spawn_ready(SCENE, scale(0.05));
    app.step(0.0);
    assert_near(omni(&mut app, root), [2.0, 0.0025]);
    let lamp = part(&mut app, root, "Lamp");
    let small: SpotLight = get(&mut app, lamp);
    app.apply(root, scale(1.0));
    assert_near(omni(&mut app, root), [40.0, 1.0]);
    let unscaled: SpotLight = get(&mut app, lamp);
    assert_near(
        [small.range, small.intensity],
        [0.05 * unscaled.range, 0.0025 * unscaled.intensity],
    );
    // Signs are ignored, and the geometric mean of an uneven scale applies.
    let mirrored = Transform::from_scale(Vec3::new(-2.0, 4.0, 1.0));
    app.apply(root, mirrored);
    assert_near(omni(&mut app, root), [80.0, 4.0]);
    // The illuminance of a sun does not depend on scale.
    let sun = part(&mut app, root, "Sun");
    let sun: DirectionalLight = get(&mut app, sun);
    assert_eq!(sun.illuminance, 2.0 * FULL_LIGHT);
}

#[test]
fn lights_follow_alo_light_and_keep_user_changes() {
    let (mut app, root) = app(clean());
    let (lamp, sun) = (part(&mut app, root, "Omni"), part(&mut app, root, "Sun"));
    app.get_mut::<PointLight>(lamp).intensity = 7.0;
    for step in 0..20 {
        let transform = Transform::from_xyz(step as f32, 0.0, 0.0)
            .with_rotation(Quat::from_rotation_y(0.3 * step as f32));
        app.apply(root, transform);
    }
    assert_eq!(get::<PointLight>(&mut app, lamp).intensity, 7.0);
    for light in [lamp, sun] {
        app.get_mut::<AloLight>(light).intensity = 0.5;
    }
    app.step(0.0);
    assert_near(omni(&mut app, root), [40.0, 0.25]);
    let sun: DirectionalLight = get(&mut app, sun);
    assert_eq!(sun.illuminance, 0.5 * FULL_LIGHT);
    // A model with scale 0 has no light. The light returns with the scale.
    for (scale, expected) in [(0.0, [0.0, 0.0]), (2.0, [80.0, 1.0])] {
        let scale = Transform::from_scale(Vec3::splat(scale));
        app.apply(root, scale);
        assert_near(omni(&mut app, root), expected);
    }
}
