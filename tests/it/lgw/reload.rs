//! Textures of LGW models that change while they are in use, with Bevy's file watcher.

use crate::support::lgw_stage::Quad;
use crate::support::lgw_stage::{model, texture};
use crate::support::prelude::*;
use bevy_classic_models::lgw::lgw::{Material, Texture};

const MODEL: &str = "wall.lgw";

/// Materials that sample one texture in four ways.
fn materials(file: &'static str) -> Vec<Material<'static>> {
    let wrapped = |mode| Texture {
        wrap: [true; 2],
        mipmaps: true,
        ..texture(file, mode)
    };
    let textures = [
        texture(file, TextureMode::Modulate),
        wrapped(TextureMode::Modulate),
        texture(file, TextureMode::Replace),
        wrapped(TextureMode::Replace),
    ];
    super::texgen::materials(textures.map(|texture| vec![texture]))
}

struct Wall {
    /// The path of the texture.
    texture: &'static str,
    stage: Stage,
    root: Entity,
    /// Whether each pixel shows the inside of a quad.
    is_quad: Vec<bool>,
}

impl Wall {
    fn new(texture: &'static str, bytes: Vec<u8>) -> Self {
        let quads: Vec<Quad> = (0..4).map(|index| Quad::in_grid(index, 4)).collect();
        let model = model(&materials(texture), &quads);
        let mut stage = Stage::watching(&[(MODEL, model), (texture, bytes)]);
        let root = stage.spawn_lgw(MODEL, super::texgen::unlit());
        stage.view_from(FRONT_VIEW);
        let pixels = stage.fragments(&quads).pixels;
        let is_quad = pixels.iter().map(|pixel| matches!(pixel, Pixel::Quad(_)));
        Self {
            texture,
            stage,
            root,
            is_quad: is_quad.collect(),
        }
    }

    fn save(&self, bytes: &[u8]) {
        std::fs::write(self.stage.folder().join(self.texture), bytes).unwrap();
    }

    /// Whether all pixels of the quads have one color, except for dithering.
    fn is_all(&mut self, color: [u8; 3]) -> bool {
        let picture = self.stage.capture();
        let both = self.is_quad.iter().zip(&picture.0);
        let mut of_quads = both.filter(|(is_quad, _)| **is_quad);
        of_quads.all(|(_, shown)| color.iter().zip(shown).all(|(a, b)| a.abs_diff(*b) < 3))
    }

    #[track_caller]
    fn wait_for(&mut self, color: [u8; 3]) {
        let mut patience = Patience::new(2000);
        while !self.is_all(color) {
            assert!(
                !patience.is_exhausted(),
                "timeout: the quads are not {color:?}"
            );
            patience.wait();
        }
    }

    /// Waits until the last error about the texture is logged, and asserts that there are no others. Equal errors count once,
    /// because Bevy may load a file more often than it was saved.
    #[track_caller]
    fn wait_for_error(&mut self, expected: &[&str]) {
        let texture = self.texture;
        let errors = || {
            let mut errors = log::errors_with(texture);
            errors.sort();
            errors.dedup();
            errors
        };
        let last = expected[expected.len() - 1];
        self.stage.wait_for("the error is logged", |_| {
            errors().iter().any(|error| error.contains(last))
        });
        self.stage.wait_until_idle();
        let errors = errors();
        let is_expected = |error: &String| expected.iter().any(|text| error.contains(text));
        assert!(errors.iter().all(is_expected), "{errors:?}");
        assert_eq!(errors.len(), expected.len(), "{errors:?}");
    }
}

fn plain(color: [u8; 3]) -> Vec<u8> {
    sized(color, 8)
}

fn sized([r, g, b]: [u8; 3], side: usize) -> Vec<u8> {
    tga(&vec![[r, g, b, 255]; side * side])
}

#[test]
fn an_edited_texture_updates_in_every_sampling() {
    let [red, green, blue] = [[200, 30, 40], [20, 180, 60], [40, 50, 220]];
    let mut wall = Wall::new("repainted.tga", plain(red));
    let model = |wall: &mut Wall| {
        let root = wall.root;
        let instance = wall.stage.get::<LgwInstance>(root);
        instance.model().clone()
    };
    let old = model(&mut wall);
    wall.wait_for(red);
    wall.save(&plain(green));
    wall.wait_for(green);

    // A broken file: one error, and the last valid texture remains.
    wall.save(&plain(red)[..50]);
    wall.wait_for_error(&["too large for the 50 bytes"]);
    assert!(wall.is_all(green));

    // A texture of another dimension, which cannot be bound.
    let face = vec![vec![[9, 9, 9, 255]; 64]];
    wall.save(&dds(&vec![face; 6]));
    wall.wait_for_error(&[
        "too large for the 50 bytes",
        "a cube map in place of a 2D texture",
    ]);
    assert!(wall.is_all(green));

    // Of the same size, and of other sizes.
    for (color, side) in [(blue, 8), (red, 32), (blue, 5)] {
        wall.save(&sized(color, side));
        wall.wait_for(color);
    }
    assert!(
        Arc::ptr_eq(&old, &model(&mut wall)),
        "the model was reloaded"
    );
}

#[test]
fn a_texture_broken_at_first_is_used_once_it_is_valid() {
    let green = [20, 180, 60];
    let mut wall = Wall::new("unfinished.tga", b"half".to_vec());
    assert!(!wall.is_all(green));
    wall.save(&plain(green));
    wall.wait_for(green);
}
