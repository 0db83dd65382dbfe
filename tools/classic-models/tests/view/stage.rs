//! The lights, the exposure and the floor of images.

use crate::{assert_same, image};
use bevy::color::Srgba;
use classic_models_support::comparison::difference;
use image::{Rgba, RgbaImage};

fn rendered(options: &[&str]) -> RgbaImage {
    let options = [&["--background", "none", "--size", "160x120"], options].concat();
    let bytes = image("crate.alo", &options);
    image::load_from_memory(&bytes).unwrap().into_rgba8()
}

fn linear(value: u8) -> f32 {
    Srgba::gamma_function(f32::from(value) / 255.0)
}

#[test]
fn each_stop_of_exposure_doubles_the_light() {
    let darker = rendered(&["--exposure", "-2"]);
    let brighter = rendered(&["--exposure", "-1"]);
    let mut count = 0;
    for (Rgba(dark), Rgba(bright)) in darker.pixels().zip(brighter.pixels()) {
        if dark[3] < 255 {
            continue;
        }
        for (dark, bright) in dark.iter().zip(bright).take(3) {
            // Both values are rounded and dithered.
            let [low, high] = [-1.5, 1.5].map(|step| {
                let value = (f32::from(*dark) + step) / 255.0;
                Srgba::gamma_function_inverse(2.0 * Srgba::gamma_function(value)) * 255.0
            });
            let range = low - 1.5..=high + 1.5;
            assert!(range.contains(&f32::from(*bright)), "{dark} {bright}");
            count += 1;
        }
    }
    assert!(count > 3000, "{count}");
}

#[test]
fn floors_have_the_shadow_of_the_model() {
    let model = rendered(&[]);
    let floor = rendered(&["--floor"]);
    let pixels = model.pixels().zip(floor.pixels());
    let only_floor = pixels.filter(|(model, floor)| model[3] == 0 && floor[3] > 240);
    let lights: Vec<f32> = only_floor.map(|(_, floor)| linear(floor[1])).collect();
    assert!(lights.len() > 300, "{}", lights.len());
    // Without shadows, the light is the same everywhere.
    let most = lights.iter().copied().fold(0.0, f32::max);
    let lit = lights.iter().filter(|light| **light > 0.9 * most).count();
    let shadowed = lights.iter().filter(|light| **light < 0.7 * most).count();
    assert!(lit > 100 && shadowed > 50, "{lit} {shadowed}");
    // The floor changes the model's pixels only at its feet.
    let same = model.pixels().zip(floor.pixels());
    let same = same.filter(|(model, floor)| model[3] == 255 && model == floor);
    let opaque = model.pixels().filter(|pixel| pixel[3] == 255).count();
    assert!(same.count() > opaque * 9 / 10);
}

#[test]
fn the_lights_of_a_game_differ_from_the_default_ones() {
    let image = |options: &[&str]| image("crate.alo", options);
    let studio = image(&["--light", "studio"]);
    assert_same(&image(&[]), &studio, "the default");
    assert_ne!(difference(&image(&["--light", "game"]), &studio), Ok(None));
}
