//! Pictures of LGW models that change on disk while they are in use, seen by the real watcher.

use crate::support::alo_stage::tga;
use crate::support::lgw_stage::{BEFORE, Pixel, Quad, dds, material, model, texture};
use crate::support::log;
use crate::support::stage::Stage;
use bevy::prelude::*;
use bevy_classic_models::lgw::text::{Material, Texture, TextureMode};
use bevy_classic_models::lgw::{LgwInstance, LgwLoaderSettings};
use std::sync::Arc;

const MODEL: &str = "wall.lgw";
const PICTURE: &str = "repainted.tga";

/// One picture in four ways.
fn materials() -> Vec<Material<'static>> {
    let wrapped = |mode| Texture {
        wrap: [true; 2],
        mipmaps: true,
        ..texture(PICTURE, mode)
    };
    let ways = [
        texture(PICTURE, TextureMode::Modulate),
        wrapped(TextureMode::Modulate),
        texture(PICTURE, TextureMode::Replace),
        wrapped(TextureMode::Replace),
    ];
    let ways = ways.into_iter().enumerate();
    ways.map(|(id, texture)| material(id, vec![texture]))
        .collect()
}

struct Wall {
    stage: Stage,
    root: Entity,
    quads: Vec<Quad>,
}

impl Wall {
    fn new(picture: Vec<u8>) -> Self {
        let quads: Vec<Quad> = (0..4).map(|index| Quad::in_grid(index, 4)).collect();
        let model = model(&materials(), &quads);
        let mut stage = Stage::watching(&[(MODEL, model), (PICTURE, picture)]);
        let settings = LgwLoaderSettings {
            unlit: true,
            ..LgwLoaderSettings::default()
        };
        let root = stage.spawn_lgw(MODEL, settings);
        stage.view_from(BEFORE);
        Self { stage, root, quads }
    }

    fn save(&self, bytes: &[u8]) {
        std::fs::write(self.stage.folder().join(PICTURE), bytes).unwrap();
    }

    /// The one colour of each quad; none where there are several.
    fn colors(&mut self) -> Vec<Option<[u8; 3]>> {
        let picture = self.stage.capture();
        let seen = self.stage.seen(&self.quads).pixels;
        let color = |quad: usize| {
            let both = seen.iter().zip(&picture.0);
            let own = both.filter(|(pixel, _)| matches!(pixel, Pixel::Of(of) if of.quad == quad));
            let mut colors: Vec<[u8; 3]> = own.map(|(_, [r, g, b, _])| [*r, *g, *b]).collect();
            colors.dedup();
            <[_; 1]>::try_from(colors).ok().map(|[color]| color)
        };
        (0..self.quads.len()).map(color).collect()
    }

    #[track_caller]
    fn wait_for(&mut self, color: [u8; 3]) {
        for _ in 0..100 {
            if self.colors() == [Some(color); 4] {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        panic!("{:?} is never {color:?}", self.colors());
    }

    #[track_caller]
    fn wait_for_errors(&mut self, count: usize) {
        let errors = || {
            let errors = log::errors_of(&["bevy_asset", "bevy_classic_models"]);
            errors
                .iter()
                .filter(|error| error.contains(PICTURE))
                .count()
        };
        self.stage
            .headless
            .wait_until("the error is logged", |_| errors() >= count);
        for _ in 0..50 {
            self.stage.headless.step(0.0);
        }
        assert_eq!(errors(), count);
    }
}

fn plain([r, g, b]: [u8; 3]) -> Vec<u8> {
    tga(&[[r, g, b, 255]; 64])
}

#[test]
fn a_picture_is_renewed_in_all_ways_in_which_it_is_sampled() {
    let [red, green, blue] = [[200, 30, 40], [20, 180, 60], [40, 50, 220]];
    let mut wall = Wall::new(plain(red));
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
    wall.wait_for_errors(1);
    assert_eq!(wall.colors(), [Some(green); 4]);

    // One of another kind, which no shader may be given: an error for each way.
    let face = vec![vec![[9, 9, 9, 255]; 64]];
    wall.save(&dds(&vec![face; 6]));
    wall.wait_for_errors(5);
    assert_eq!(wall.colors(), [Some(green); 4]);

    for color in [blue, red, blue] {
        wall.save(&plain(color));
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
    let mut wall = Wall::new(b"half".to_vec());
    assert_eq!(wall.colors(), [None; 4]);
    wall.save(&plain(green));
    wall.wait_for(green);
}
