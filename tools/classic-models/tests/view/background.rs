//! The background of images, and transparency.

use crate::image;
use bevy::color::Srgba;
use image::{Rgba, RgbaImage};

fn rendered(model: &str, background: &str, options: &[&str]) -> RgbaImage {
    let options = [&["--background", background, "--size", "96x72"], options].concat();
    let bytes = image(model, &options);
    image::load_from_memory(&bytes).unwrap().into_rgba8()
}

/// The largest difference between the image over a color, computed in linear light, and the image with that background.
fn largest_difference(transparent: &RgbaImage, opaque: &RgbaImage, background: u8) -> u8 {
    let linear = |value: u8| Srgba::gamma_function(f32::from(value) / 255.0);
    let over = |channel: u8, alpha: u8| {
        let alpha = f32::from(alpha) / 255.0;
        let sum = linear(channel) * alpha + linear(background) * (1.0 - alpha);
        (Srgba::gamma_function_inverse(sum) * 255.0).round() as u8
    };
    let pixels = transparent.pixels().zip(opaque.pixels());
    let differences = pixels.flat_map(|(Rgba([r, g, b, a]), Rgba(expected))| {
        let over = [*r, *g, *b].map(|channel| over(channel, *a));
        [0, 1, 2].map(|channel| over[channel].abs_diff(expected[channel]))
    });
    differences.max().unwrap()
}

#[test]
fn transparent_images_over_a_color_are_those_with_this_background() {
    for (model, options) in [
        ("warden.abc", &[][..]),
        // Glass.
        ("courier.lgw", &[]),
        // Smoke, without flames.
        ("p_smoke_small.alo", &["--time", "1.5"]),
    ] {
        let transparent = rendered(model, "none", options);
        let partial = transparent.pixels().filter(|it| (1..255).contains(&it[3]));
        assert!(partial.count() > 20, "{model}");
        assert_eq!(transparent.get_pixel(0, 0), &Rgba([0; 4]), "{model}");
        // Dark colors have large steps: 8 of 255 is a 400th of the light of white.
        for (background, value, most) in [("000000", 0, 8), ("ffffff", 255, 4), ("808080", 128, 4)]
        {
            let opaque = rendered(model, background, options);
            assert_eq!(opaque.get_pixel(0, 0), &Rgba([value, value, value, 255]));
            let difference = largest_difference(&transparent, &opaque, value);
            assert!(difference <= most, "{model} {background}: {difference}");
        }
    }
}

/// Light is added to the background, which straight alpha cannot express. Over black, it is the same.
#[test]
fn light_looks_the_same_over_black() {
    let options = ["--time", "0.2"];
    let transparent = rendered("p_explosion.alo", "none", &options);
    let opaque = rendered("p_explosion.alo", "000000", &options);
    let difference = largest_difference(&transparent, &opaque, 0);
    assert!(difference <= 8, "{difference}");
    let glow = transparent.pixels().filter(|it| it[3] > 0 && it[0] > 200);
    assert!(glow.count() > 50);
}
