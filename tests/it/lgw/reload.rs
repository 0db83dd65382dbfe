//! Pictures of LGW models that change on disk while they are in use, seen by the real watcher.

use crate::gpuless::Patience;
use crate::support::alo_stage::tga;
use crate::support::lgw_stage::{BEFORE, Pixel, Quad, dds, material, model, texture};
use crate::support::log;
use crate::support::stage::Stage;
use bevy::prelude::*;
use bevy_classic_models::lgw::text::{Material, Texture, TextureMode};
use bevy_classic_models::lgw::{LgwInstance, LgwLoaderSettings};
use std::sync::Arc;

const MODEL: &str = "wall.lgw";

/// One picture in four ways.
fn materials(picture: &'static str) -> Vec<Material<'static>> {
    let wrapped = |mode| Texture {
        wrap: [true; 2],
        mipmaps: true,
        ..texture(picture, mode)
    };
    let ways = [
        texture(picture, TextureMode::Modulate),
        wrapped(TextureMode::Modulate),
        texture(picture, TextureMode::Replace),
        wrapped(TextureMode::Replace),
    ];
    let ways = ways.into_iter().enumerate();
    ways.map(|(id, texture)| material(id, vec![texture]))
        .collect()
}

struct Wall {
    picture: &'static str,
    stage: Stage,
    root: Entity,
    quads: Vec<Quad>,
}

impl Wall {
    fn new(picture: &'static str, bytes: Vec<u8>) -> Self {
        let quads: Vec<Quad> = (0..4).map(|index| Quad::in_grid(index, 4)).collect();
        let model = model(&materials(picture), &quads);
        let mut stage = Stage::watching(&[(MODEL, model), (picture, bytes)]);
        let settings = LgwLoaderSettings {
            unlit: true,
            ..LgwLoaderSettings::default()
        };
        let root = stage.spawn_lgw(MODEL, settings);
        stage.view_from(BEFORE);
        Self {
            picture,
            stage,
            root,
            quads,
        }
    }

    fn save(&self, bytes: &[u8]) {
        std::fs::write(self.stage.folder().join(self.picture), bytes).unwrap();
    }

    /// Whether all quads are of one colour, but for what is dithered.
    fn is_all(&mut self, color: [u8; 3]) -> bool {
        let picture = self.stage.capture();
        let seen = self.stage.seen(&self.quads).pixels;
        let both = seen.iter().zip(&picture.0);
        let mut own = both.filter(|(pixel, _)| matches!(pixel, Pixel::Of(_)));
        own.all(|(_, shown)| color.iter().zip(shown).all(|(a, b)| a.abs_diff(*b) < 3))
    }

    #[track_caller]
    fn wait_for(&mut self, color: [u8; 3]) {
        let mut patience = Patience::new(2000);
        while !self.is_all(color) {
            assert!(!patience.is_exhausted(), "it is never {color:?}");
            patience.wait();
        }
    }

    /// Waits until an error of the picture's file is logged, and fails if there are others than it.
    /// Bevy may load a file once more than it was saved.
    #[track_caller]
    fn wait_for_error(&mut self, expected: &[&str]) {
        let picture = self.picture;
        let errors = || {
            let mut errors = log::errors_of(&["bevy_asset", "bevy_classic_models"]);
            errors.retain(|error| error.contains(picture));
            errors.sort();
            errors.dedup();
            errors
        };
        let last = expected[expected.len() - 1];
        self.stage.headless.wait_until("the error is logged", |_| {
            errors().iter().any(|error| error.contains(last))
        });
        self.stage.wait_until_idle();
        let errors = errors();
        let is_expected = |error: &String| expected.iter().any(|of| error.contains(of));
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
fn a_picture_is_renewed_in_all_ways_in_which_it_is_sampled() {
    let [red, green, blue] = [[200, 30, 40], [20, 180, 60], [40, 50, 220]];
    let mut wall = Wall::new("repainted.tga", plain(red));
    let model = |wall: &mut Wall| {
        let root = wall.root;
        let instance = wall.stage.world().get::<LgwInstance>(root).unwrap();
        instance.model().clone()
    };
    let old = model(&mut wall);
    wall.wait_for(red);
    wall.save(&plain(green));
    wall.wait_for(green);

    // A broken one: one error, and the last good one stays.
    wall.save(&plain(red)[..50]);
    wall.wait_for_error(&["more than the 50 bytes"]);
    assert!(wall.is_all(green));

    // One of another kind, which no shader may be given.
    let face = vec![vec![[9, 9, 9, 255]; 64]];
    wall.save(&dds(&vec![face; 6]));
    wall.wait_for_error(&[
        "more than the 50 bytes",
        "a cube map where a flat picture is needed",
    ]);
    assert!(wall.is_all(green));

    // Of the same size and of others.
    for (color, side) in [(blue, 8), (red, 32), (blue, 5)] {
        wall.save(&sized(color, side));
        wall.wait_for(color);
    }
    assert!(
        Arc::ptr_eq(&old, &model(&mut wall)),
        "the model is loaded anew"
    );
}

#[test]
fn a_picture_that_is_broken_at_first_is_seen_once_it_is_whole() {
    let green = [20, 180, 60];
    let mut wall = Wall::new("unfinished.tga", b"half".to_vec());
    assert!(!wall.is_all(green));
    wall.save(&plain(green));
    wall.wait_for(green);
}
