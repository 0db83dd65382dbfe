//! Blend modes over known backgrounds.

use super::stage::*;
use crate::support::prelude::*;
use classic_models_fixtures::particles::bytes;

/// The texture of the particles.
const TEXEL: [u8; 4] = [200, 120, 40, 160];
/// The tracks.
const COLOR: [u8; 4] = [180, 90, 220, 128];

/// A particle in front of the whole view.
fn wall(properties: Properties) -> Emitter<'static> {
    let mut emitter = emitter(Properties {
        in_bursts: true,
        bursts: 1,
        ..properties
    });
    let [red, green, blue, alpha] = COLOR.map(|value| Track::constant(value.into()));
    emitter.tracks.red = red;
    emitter.tracks.green = green;
    emitter.tracks.blue = blue;
    emitter.tracks.alpha = alpha;
    emitter.tracks.scale = Track::constant(500.0);
    emitter
}

fn decoded(value: f32) -> f32 {
    Color::srgb(value, 0.0, 0.0).to_linear().red
}

fn encoded(value: f32) -> f32 {
    Color::linear_rgb(value, 0.0, 0.0).to_srgba().red
}

/// The color of the middle of the image.
fn middle(stage: &mut Stage) -> [u8; 3] {
    let picture = stage.capture();
    let [r, g, b, _] = picture.0[120 * 320 + 160];
    [r, g, b]
}

/// The sRGB result of a blend mode for a channel: texture, track, and what is behind, in sRGB from 0 to 1.
type Blend = fn(f32, f32, f32) -> f32;

const ALPHA: f32 = 160.0 / 255.0 * (128.0 / 255.0);

fn opaque(texel: f32, color: f32, _: f32) -> f32 {
    encoded(decoded(texel) * decoded(color))
}

fn additive(texel: f32, color: f32, behind: f32) -> f32 {
    encoded((decoded(behind) + decoded(texel) * decoded(color)).min(1.0))
}

fn blended(texel: f32, color: f32, behind: f32) -> f32 {
    let front = decoded(texel) * decoded(color);
    encoded(decoded(behind) * (1.0 - ALPHA) + front * ALPHA)
}

fn modulated(texel: f32, color: f32, behind: f32) -> f32 {
    encoded(decoded(behind) * decoded((texel + color).min(1.0)))
}

fn hidden(_: f32, _: f32, behind: f32) -> f32 {
    behind
}

#[test]
fn blend_modes_are_exact() {
    let modes: [(u32, Blend); 14] = [
        (0, opaque),
        (1, additive),
        (2, blended),
        (3, modulated),
        (4, additive),
        (5, blended),
        (6, modulated),
        (7, blended),
        (8, hidden),
        (9, hidden),
        (10, hidden),
        (11, blended),
        (12, hidden),
        (13, blended),
    ];
    let texture = tga(&texels(16, |_, _| TEXEL));
    let mut stage = Stage::dark(&[]);
    for (mode, blend) in modes {
        let properties = Properties {
            blend_mode: mode,
            ..Properties::default()
        };
        let files = [
            ("p.alo", bytes(vec![wall(properties)])),
            ("atlas.tga", texture.clone()),
        ];
        let file = stage.add_files(&files);
        let system = stage.spawn_particles(file, upright());
        stage.simulate(system, SEED, 0.25);
        for background in [[0, 0, 0], [30, 100, 200], [255, 255, 255]] {
            let [r, g, b] = background;
            stage.insert_resource(ClearColor(Color::srgb_u8(r, g, b)));
            let found = middle(&mut stage);
            for channel in 0..3 {
                let share = |value: u8| f32::from(value) / 255.0;
                let expected = 255.0
                    * blend(
                        share(TEXEL[channel]),
                        share(COLOR[channel]),
                        share(background[channel]),
                    );
                let found = f32::from(found[channel]);
                assert!(
                    (found - expected).abs() <= 1.5,
                    "mode {mode} over {background:?}, channel {channel}: {found} instead of {expected}"
                );
            }
        }
        stage.despawn(system);
    }
}
