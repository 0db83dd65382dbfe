//! Textures of spawned Alamo models: how they are found, and models without them.

use crate::alo::scene::{model, spawn_with};
use crate::support::alo::edited;
use crate::support::prelude::*;

/// A model with this base texture and an unknown shader.
fn model_with_texture(file: &'static str) -> Vec<u8> {
    edited(&minimal(), |model| {
        let parameters = vec![Parameter::texture("BaseTexture", file)];
        model.meshes[0].submeshes[0].parameters = parameters;
        model.meshes[0].submeshes[0].shader = "MeshUnknown.fx".into();
    })
}

fn base_texture(app: &mut TestApp, root: Entity) -> Option<Handle<Image>> {
    let model = model(app, root);
    let material = model.meshes[0].submeshes[0].material.clone().unwrap();
    app.asset(&material).base.base_color_texture.clone()
}

#[test]
fn textures_are_found_in_any_case_and_in_texture_folders() {
    log::listen();
    // Windows paths, another case and another extension, in the sibling folder or a configured one.
    for (index, name, disk_path) in [
        (0, "EV_Hull.tga", "Art/TEXTURES/ev_hull.TGA"),
        (1, "D:\\work\\..\\EV_HULL.DDS", "Art/Models/Ev_Hull.tga"),
        (2, "ev_hull", "Shared/ev_HULL.tga"),
    ] {
        let path: &'static str = format!("Art/Models/m{index}.alo").leak();
        let mut app = TestApp::new(&[
            (path, model_with_texture(name)),
            (disk_path, tga(&quarters([255; 4]))),
        ]);
        let (root, _alo) = spawn_with(&mut app, path, |settings| {
            settings.texture_folders = vec!["shared".into()];
        });
        let texture = base_texture(&mut app, root).unwrap();
        let found = texture.path().unwrap();
        assert_eq!(found.to_string(), disk_path);
        assert_eq!(app.asset(&texture).width(), 16);
        assert!(!log::warnings_with("MeshUnknown.fx").is_empty());
    }
}

#[test]
fn model_with_missing_or_broken_texture_loads() {
    log::listen();
    let mut app = TestApp::new(&[("untextured.alo", model_with_texture("missing_alo_base.tga"))]);
    let root = app.spawn_ready("untextured.alo#Scene", ());
    let placeholder = base_texture(&mut app, root).unwrap();
    assert_eq!(placeholder, bevy_classic_models::texture::PLACEHOLDER_IMAGE);
    let warnings = log::expect_warnings("missing_alo_base", 1);
    assert!(warnings[0].contains("missing_alo_base.dds"), "{warnings:?}");

    let broken = tga(&quarters([255; 4]))[..40].to_vec();
    let mut app = TestApp::new(&[
        ("textured.alo", model_with_texture("broken_alo_base.tga")),
        ("broken_alo_base.tga", broken),
    ]);
    let handle: Handle<Alo> = app.load("textured.alo");
    assert!(!matches!(app.finish_load(&handle), LoadState::Failed(_)));
    let root = app.spawn_ready("textured.alo#Scene", ());
    let texture = base_texture(&mut app, root).unwrap();
    let image = app.asset(&texture);
    assert_eq!(image.width(), 8, "the placeholder's width");
    let errors = log::errors_of(&["bevy_classic_models"]);
    assert_eq!(
        errors
            .iter()
            .filter(|error| error.contains("broken_alo_base.tga"))
            .count(),
        1
    );
}
