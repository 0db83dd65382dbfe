//! Images in place of the skins of a model.

use crate::support::prelude::*;
use bevy_classic_models::quake::MdlModel;

const RED: [u8; 4] = [255, 0, 0, 255];
const GREEN: [u8; 4] = [0, 255, 0, 255];

fn image(color: [u8; 4]) -> Vec<u8> {
    tga(&[color; 4])
}

fn app_with(images: &[(&'static str, [u8; 4])]) -> TestApp {
    let images = images.iter().map(|(path, color)| (*path, image(*color)));
    let model = ("progs/a.mdl", tetrahedron().to_bytes());
    let files: Vec<_> = [model].into_iter().chain(images).collect();
    TestApp::new(&files)
}

fn load(app: &mut TestApp) -> Handle<Mdl> {
    let handle = app.load_with("progs/a.mdl", |settings: &mut MdlLoaderSettings| {
        settings.external_skins = true;
    });
    app.wait_loaded(&handle);
    handle
}

/// The paths of the images of all skins, with those of their fullbright images. Labels are of images in the file.
fn images(model: &MdlModel) -> Vec<Vec<String>> {
    let path = |handle: &Handle<Image>| handle.path().map_or(String::new(), ToString::to_string);
    let skins = model.skins.iter();
    skins
        .map(|skin| {
            let images = skin.images.iter();
            images
                .map(|image| match &image.fullbright {
                    Some(fullbright) => format!("{} + {}", path(&image.image), path(fullbright)),
                    None => path(&image.image),
                })
                .collect()
        })
        .collect()
}

#[test]
fn images_replace_and_add_skins_by_the_rules_of_darkplaces() {
    let mut app = app_with(&[
        ("Progs/A.mdl_0.TGA", RED),
        ("TEXTURES/Progs/A.mdl_0.tga", GREEN),
        ("progs/a.mdl_0_luma.tga", RED),
        ("progs/a.mdl_0_GLOW.tga", RED),
        ("override/progs/a.mdl_1_1.tga", RED),
        ("progs/a.mdl_1_1.tga", GREEN),
        ("progs/a.mdl_1_1_luma.tga", GREEN),
        // A group has images, not one of its own.
        ("progs/a.mdl_1.tga", RED),
        ("progs/a.mdl_2.tga", GREEN),
        ("progs/a.mdl_3.tga", RED),
        // Behind a gap.
        ("progs/a.mdl_5.tga", RED),
        // Fullbright images need an image.
        ("progs/a.mdl_1_0_glow.tga", RED),
    ]);
    let handle = load(&mut app);
    let model = app.asset(&handle).model.clone();
    let expected: [&[&str]; 4] = [
        &["TEXTURES/Progs/A.mdl_0.tga + progs/a.mdl_0_GLOW.tga"],
        &[
            "progs/a.mdl#Skin1/Image0",
            "override/progs/a.mdl_1_1.tga + progs/a.mdl_1_1_luma.tga",
        ],
        &["progs/a.mdl_2.tga"],
        &["progs/a.mdl_3.tga"],
    ];
    assert_eq!(images(&model), expected);
    // Images of the file that are replaced are not made.
    for (label, is_made) in [("Skin0/Image0", false), ("Skin1/Image0", true)] {
        let path = format!("progs/a.mdl#{label}");
        let set = |settings: &mut MdlLoaderSettings| settings.external_skins = true;
        let image = app.load_with::<Image, _>(path, set);
        assert_eq!(app.finish_load(&image).is_loaded(), is_made, "{label}");
    }
    assert_eq!(model.skins[1].images.len(), 2);
    assert!(model.skins[1].timing.is_some());
    let material = model.material(0, 0).unwrap().clone();
    let material = app.asset(&material);
    let skin = &model.skins[0].images[0];
    assert_eq!(material.base.base_color_texture, Some(skin.image.clone()));
    assert_eq!(material.base.emissive_texture, skin.fullbright);
    assert_eq!(material.base.emissive, LinearRgba::WHITE);
    let plain = model.material(2, 0).unwrap().clone();
    assert_eq!(app.asset(&plain).base.emissive, LinearRgba::BLACK);
    let texels = app.asset(&skin.image.clone()).data.clone().unwrap();
    assert_eq!(texels[..4], GREEN);
}

#[test]
fn skins_of_the_file_are_used_without_the_setting() {
    let mut app = app_with(&[("progs/a.mdl_0.tga", RED), ("progs/a.mdl_2.tga", RED)]);
    let handle = app.load::<Mdl>("progs/a.mdl");
    app.wait_loaded(&handle);
    let model = app.asset(&handle).model.clone();
    assert_eq!(images(&model).concat().len(), 3);
    assert!(
        images(&model)
            .concat()
            .iter()
            .all(|path| path.contains('#'))
    );
}

#[test]
fn player_colors_have_no_effect_on_replaced_skins() {
    let mut app = app_with(&[("progs/a.mdl_0.tga", RED)]);
    let handle = load(&mut app);
    let colors = PlayerColors {
        shirt: 4,
        pants: 13,
    };
    let root = app.spawn_ready("progs/a.mdl#Scene", colors);
    app.step(0.0);
    let mesh = app.animator(root).mesh();
    let material = app.get::<MeshMaterial3d<MdlMaterial>>(mesh).0.clone();
    let model = app.asset(&handle).model.clone();
    assert_eq!(Some(&material), model.material(0, 0));
    // Images are freed with the model.
    let image = model.skins[0].images[0].image.id();
    app.despawn(root);
    drop((handle, model, material));
    app.wait("the image is freed", |world| {
        !world.resource::<Assets<Image>>().contains(image)
    });
}

#[test]
fn images_that_change_are_shown() {
    let mut app = app_with(&[("progs/a.mdl_0.tga", RED)]);
    let handle = load(&mut app);
    let model = app.asset(&handle).model.clone();
    app.replace("progs/a.mdl_0.tga", image(GREEN));
    let shown = model.skins[0].images[0].image.clone();
    assert_eq!(app.asset(&shown).data.as_ref().unwrap()[..4], GREEN);
}
