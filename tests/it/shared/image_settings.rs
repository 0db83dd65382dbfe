//! Which loader settings apply to the images of models.

use crate::support::abc::{bytes, figure};
use crate::support::lgw_stage::Quad;
use crate::support::lgw_stage::{model, texture};
use crate::support::prelude::*;
use bevy_classic_models::lithtech::dtx::write::write;

/// A PNG file of one texel, (255, 128, 64).
const PNG: &[u8] = b"\x89PNG\x0d\x0a\x1a\x0a\x00\x00\x00\x0dIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde\x00\x00\x00\x0cIDATx\x9cc\xf8\xdf\xe0\x00\x00\x04A\x01\xc0\x0c\xd1\xed\x91\x00\x00\x00\x00IEND\xaeB`\x82";

/// The image of a file. Waits until it is loaded.
fn image(app: &mut TestApp, path: &'static str) -> Image {
    app.wait(&format!("{path} was not loaded"), |world| {
        let handle = world.resource::<AssetServer>().get_handle::<Image>(path);
        let images = world.resource::<Assets<Image>>();
        handle.is_some_and(|handle| images.contains(&handle))
    });
    let handle = app.server().get_handle::<Image>(path);
    app.asset(&handle.unwrap()).clone()
}

#[test]
fn skins_from_settings_and_components_repeat() {
    let files = [
        ("model.abc", bytes(&figure())),
        ("setting.png", PNG.to_vec()),
        ("component.png", PNG.to_vec()),
    ];
    let mut app = TestApp::new(&files);
    let settings = |settings: &mut AbcLoaderSettings| settings.skins = vec!["setting.png".into()];
    let model: Handle<Abc> = app.load_with("model.abc", settings);
    app.wait_loaded(&model);
    let skin = ModelSkin::from("component.png");
    app.spawn_ready("model.abc#Scene", skin);
    let [from_setting, from_component] =
        ["setting.png", "component.png"].map(|path| image(&mut app, path).sampler);
    let repeating = ClassicImageSettings::default().sampler;
    assert_eq!(from_setting, repeating);
    assert_eq!(from_component, repeating);
}

/// Whether an image has the settings of [`load_raw`].
fn is_raw(image: &Image) -> bool {
    image.texture_descriptor.format == TextureFormat::Rgba8Unorm
        && image.sampler == ImageSampler::nearest()
}

/// Loads an image with settings that no model requests.
fn load_raw(app: &mut TestApp, path: &'static str) -> Handle<Image> {
    let settings = |settings: &mut ClassicImageSettings| {
        settings.is_srgb = false;
        settings.sampler = ImageSampler::nearest();
    };
    let handle = app.load_with(path, settings);
    app.wait_loaded(&handle);
    assert!(is_raw(&image(app, path)));
    handle
}

/// A DTX skin whose second half is full-bright.
fn glowing() -> Vec<u8> {
    let indices: Vec<u8> = (0..64)
        .map(|texel| if texel < 32 { 1 } else { 255 })
        .collect();
    let mut colors = vec![[90, 60, 30]; 256];
    colors[255] = [255, 200, 0];
    let mut skin = DtxDocument::indexed(8, 8, &colors, &indices);
    skin.flags |= texture_flags::FULL_BRIGHT;
    write(&skin).unwrap()
}

#[test]
fn requesting_the_glow_keeps_the_settings_of_the_image() {
    for is_skin in [true, false] {
        let files = [
            ("tetra.mdl", tetrahedron().to_bytes()),
            ("x.dtx", glowing()),
        ];
        let mut app = TestApp::new(&files);
        let handle = load_raw(&mut app, "x.dtx");
        let held: Option<Handle<Image>> = if is_skin {
            app.spawn_ready("tetra.mdl#Scene", ModelSkin::from("x.dtx"));
            None
        } else {
            Some(app.load("x.dtx#Glow"))
        };
        let glow = image(&mut app, "x.dtx#Glow");
        assert_eq!(glow.width(), 8, "the skin has a glow");
        app.step(0.0);
        assert!(is_raw(&image(&mut app, "x.dtx")), "{is_skin}");
        drop((handle, held));
    }
}

#[test]
fn an_edited_meta_file_applies_after_the_glow_was_requested() {
    let mut app = TestApp::new(&[("x.dtx", glowing())]);
    let handle = load_raw(&mut app, "x.dtx");
    let _glow: Handle<Image> = app.load("x.dtx#Glow");
    image(&mut app, "x.dtx#Glow");
    let meta = r#"(
        meta_format_version: "1.0",
        asset: Load(
            loader: "bevy_classic_models::texture::loader::ClassicImageLoader",
            settings: (asset_usage: ("MAIN_WORLD")),
        ),
    )"#;
    app.files
        .insert_meta(Path::new("x.dtx"), meta.as_bytes().to_vec());
    app.reload("x.dtx");
    app.wait("the new settings are not applied", |world| {
        let images = world.resource::<Assets<Image>>();
        let usage = images.get(&handle).map(|image| image.asset_usage);
        usage == Some(RenderAssetUsages::MAIN_WORLD)
    });
}

#[test]
fn a_resampled_image_keeps_the_original_image() {
    let materials = [material(
        0,
        vec![texture("sheet.tga", TextureMode::Modulate)],
    )];
    let quads = [Quad::in_grid(0, 1)];
    let files = [
        ("wall.lgw", model(&materials, &quads)),
        ("sheet.tga", tga(&[[9, 99, 199, 255]; 16])),
    ];
    let mut app = TestApp::new(&files);
    let _image = load_raw(&mut app, "sheet.tga");
    let wall: Handle<Lgw> = app.load("wall.lgw");
    app.wait_loaded(&wall);
    app.step(0.0);
    let sampled = "sheet.tga#Sampled/ClampU,ClampV,NoMips,Colors,Flat";
    let sampled = image(&mut app, sampled);
    assert_ne!(sampled.sampler, ImageSampler::nearest());
    assert!(is_raw(&image(&mut app, "sheet.tga")));
}
