//! Measures how much of the area beside the panels models fill, in rendered images.

use super::{Framing, FramingStyle};
use crate::view::camera::orbit::Orbit;
use crate::view::capture::sheet::show_only;
use crate::view::capture::{start, wait_for_models};
use crate::view::draw::visible_points::is_glow;
use crate::view::models::FilesToLoad;
use crate::view::open::args::{View, parse};
use crate::view::open::shown::Shown;
use crate::view::row::Row;
use bevy::camera::Viewport;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloInstance, AloSubmeshIndex};
use classic_models_support::headless::Headless;
use std::path::PathBuf;

/// The size of the images.
const SIZE: UVec2 = UVec2::new(320, 240);

/// The areas beside panels: all of the window, beside both lists, and beside one list above the log.
const AREAS: [(UVec2, UVec2); 3] = [
    (UVec2::ZERO, SIZE),
    (UVec2::new(70, 10), UVec2::new(180, 200)),
    (UVec2::new(90, 10), UVec2::new(230, 130)),
];

/// Frames after which a model is framed and everything is drawn.
const FRAMES: usize = 6;

fn sample(name: &str) -> PathBuf {
    let samples = classic_models_support::samples().join("models");
    samples.join(name)
}

/// An app without a window that frames the visible parts.
fn app(models: &[&str]) -> Headless {
    let paths = models.iter().map(|name| sample(name).display().to_string());
    let shown = Shown::open(parse(paths)).unwrap();
    let mut headless = start(&shown, SIZE);
    headless.app.insert_resource(FramingStyle::Visible);
    headless
}

fn spawn_camera(headless: &mut Headless) {
    let target = headless.render_target();
    let camera = (Orbit::new(View::Iso), target);
    headless.app.world_mut().spawn(camera);
}

/// Frames all models in an area, and returns the smallest rectangle around the drawn pixels.
fn drawn(headless: &mut Headless, (position, size): (UVec2, UVec2)) -> URect {
    let world = headless.app.world_mut();
    let mut cameras = world.query_filtered::<&mut Camera, With<Orbit>>();
    cameras.single_mut(world).unwrap().viewport = Some(Viewport {
        physical_position: position,
        physical_size: size,
        ..default()
    });
    // The size of the viewport is known after a frame.
    headless.step(0.0);
    headless.app.insert_resource(Framing::All);
    for _ in 0..FRAMES {
        headless.step(0.0);
    }
    assert_eq!(*headless.app.world().resource::<Framing>(), Framing::Done);
    let image = headless.capture();
    let pixels = image.data.as_deref().unwrap();
    let (pixels, _) = pixels.as_chunks::<4>();
    let background = pixels[0];
    let mut found: Option<URect> = None;
    for (index, pixel) in (0..).zip(pixels) {
        let differs = |channel: usize| pixel[channel].abs_diff(background[channel]) > 8;
        if (0..3).any(differs) {
            let at = UVec2::new(index % SIZE.x, index / SIZE.x);
            let one = URect::from_corners(at, at + 1);
            found = Some(found.map_or(one, |found| found.union(one)));
        }
    }
    found.expect("something is drawn")
}

/// Hides beams and glows, which are not framed.
fn hide_glows(headless: &mut Headless) {
    let world = headless.app.world_mut();
    let hide = |models: Query<(Entity, &AloInstance)>,
                children: Query<&Children>,
                mut meshes: Query<(&AloSubmeshIndex, &mut Visibility)>| {
        for (root, instance) in &models {
            for entity in children.iter_descendants(root) {
                if let Ok((of, mut visibility)) = meshes.get_mut(entity)
                    && is_glow(instance, of)
                {
                    *visibility = Visibility::Hidden;
                }
            }
        }
    };
    world.run_system_cached(hide).unwrap();
}

/// Asserts that a rectangle is in an area, and fills three quarters of its width or height.
#[track_caller]
fn assert_filled(drawn: URect, area: (UVec2, UVec2), what: &str) {
    let free = URect::from_corners(area.0, area.0 + area.1);
    let is_inside = free.contains(drawn.min) && free.contains(drawn.max);
    let share = drawn.size().as_vec2() / free.size().as_vec2();
    let filled = share.max_element();
    // A pixel at each side is covered partly.
    assert!(
        is_inside && (0.72..=0.78).contains(&filled),
        "{what}: {drawn:?} fills {share} of {free:?}"
    );
    let center = (drawn.center().as_vec2() - free.center().as_vec2()).abs();
    assert!(center.max_element() <= 3.0, "{what}: {drawn:?} in {free:?}");
}

#[test]
fn each_sample_fills_three_quarters_of_the_free_area() {
    let mut headless = app(&["crate.alo"]);
    let names = [
        "crate.alo",
        "walker.alo",
        "warden.abc",
        "sentry.mdl",
        "courier.lgw",
    ];
    // Rendering takes time, so each sample is in one area.
    for (name, area) in names.into_iter().zip(AREAS.into_iter().cycle()) {
        headless.app.insert_resource(FilesToLoad::default());
        // Removes the camera of the previous sample.
        show_only(&mut headless, &sample(name));
        wait_for_models(&mut headless);
        spawn_camera(&mut headless);
        hide_glows(&mut headless);
        let drawn = drawn(&mut headless, area);
        assert_filled(drawn, area, name);
    }
}

#[test]
fn several_models_fill_three_quarters_of_the_free_area() {
    let models = ["crate.alo", "warden.abc", "crystal.mdl", "sentry.mdl"];
    let mut headless = app(&models);
    spawn_camera(&mut headless);
    wait_for_models(&mut headless);
    assert_eq!(headless.app.world().resource::<Row>().models.len(), 4);
    for area in AREAS {
        let drawn = drawn(&mut headless, area);
        assert_filled(drawn, area, "four models");
    }
}
