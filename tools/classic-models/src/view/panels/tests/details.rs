//! Tests of the details panel: the search in its lists, skins and textures.

use super::{Driver, driver};
use crate::view::panels::data::{Preview, SkinRow, TextureRow};
use bevy_classic_models::prelude::ModelSkin;
use bevy_egui::egui::{Key, TextureId};
use std::path::PathBuf;

#[test]
fn cube_maps_have_all_faces_in_a_window() {
    let mut driver = driver();
    driver.data.details.textures = vec![TextureRow {
        name: "sky.dds".to_owned(),
        detail: "64 × 64, cube map".to_owned(),
        preview: Some(Preview {
            faces: (0..6).map(TextureId::User).collect(),
            size: [64, 64],
        }),
        is_missing: false,
    }];
    driver.settle();
    assert_eq!(driver.count_textures(), 6);
    driver.click("sky.dds");
    assert_eq!(driver.count_textures(), 12, "in the list and large");
    assert!(driver.has("+X, −X, +Y; −Y, +Z, −Z"));
    let title = driver.place("+X, −X, +Y; −Y, +Z, −Z");

    assert!(
        driver.free.contains_rect(title),
        "{title:?} in {:?}",
        driver.free
    );
    driver.key(Key::Escape);
    assert_eq!(driver.count_textures(), 6, "Escape closes the window");
}

#[test]
fn a_search_counts_its_matches_and_hides_lists_without_any() {
    let mut driver = driver();
    assert!(driver.has("Parts  (2)") && driver.has("Textures  (1)"));
    driver.state.details.text = "turret".to_owned();
    driver.settle();
    assert!(driver.has("Parts  (1)"), "{:?}", driver.texts());
    assert!(!driver.has("Textures  (1)") && !driver.has("Bones  (1)"));
}

#[test]
fn a_chosen_skin_is_not_reported_as_missing() {
    let mut driver = driver();
    let hint = |driver: &Driver| {
        let mut texts = driver.texts().into_iter();
        texts.any(|text| text.starts_with("The skin was not found"))
    };
    driver.data.details.skin_candidates = vec![PathBuf::from("game/Skins/hero.dtx")];
    driver.settle();
    assert!(hint(&driver));
    driver.data.details.skins = vec![SkinRow {
        label: "hero.dtx".to_owned(),
        skin: ModelSkin::Index(0),
        is_active: true,
    }];
    driver.settle();
    assert!(!hint(&driver));
}
