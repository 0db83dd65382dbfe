//! Rendered Alamo models whose textures are missing or broken.

use crate::alo::render::{FILE, box_control, compare, matte_parameters, one_box};
use crate::support::alo_stage::image;
use crate::support::prelude::*;

/// Spawns a model some of whose textures cannot be loaded.
fn spawn_unloadable(stage: &mut Stage, path: &'static str) -> Entity {
    let server = stage.server();
    let scene = server.load(AloAssetLabel::Scene.from_asset(path));
    let root = stage.spawn_entity(WorldAssetRoot(scene));
    stage.wait_for("the model is spawned", |world| {
        world.get::<AloInstance>(root).is_some()
    });
    stage.wait_until_idle();
    root
}

#[test]
fn blended_meshes_with_unloadable_textures_are_outlines() {
    let mut stage = Stage::dark(&[]);
    let broken_png = || Some(b"\x89PNG\r\n\x1a\nbroken".to_vec());
    for shader in ["MeshAdditive.fx", "MeshAlpha.fx"] {
        let mut covered = Vec::new();
        for (name, file) in [
            ("white.tga", Some(tga(&quarters([255; 4])))),
            ("colors.tga", None),
            ("colors.tga", Some(vec![0, 0, 2, 0])),
            ("colors.png", broken_png()),
        ] {
            let parameters = vec![
                Parameter::float4("Specular", [0.0; 4]),
                Parameter::float4("Emissive", [1.0; 4]),
                Parameter::texture("BaseTexture", name),
            ];
            let mut files = vec![(FILE, one_box(shader, "alD3dVertNU2", parameters))];
            files.extend(file.map(|file| (name, file)));
            let path = stage.add_files(&files);
            let root = spawn_unloadable(&mut stage, path);
            covered.push(stage.capture().covered());
            stage.despawn(root);
        }
        let [whole, outlines @ ..] = &covered[..] else {
            unreachable!()
        };
        let is_small = |outline: &usize| *outline > 200 && 4 * outline < *whole;
        assert!(outlines.iter().all(is_small), "{shader}: {covered:?}");
    }
}

#[test]
fn model_with_unloadable_textures_is_visible() {
    // A broken PNG for Bevy's loader, a broken TGA for this crate's loader, and a missing file. Color textures get a
    // placeholder. Normal maps and masks have no effect.
    let mut stage = Stage::new(&[]);
    let broken_png = || Some(b"\x89PNG\r\n\x1a\nbroken".to_vec());
    for (shader, name, file) in [
        ("MeshBumpColorize.fx", "colors.png", broken_png()),
        ("MeshBumpColorize.fx", "colors.tga", Some(vec![0, 0, 2, 0])),
        ("MeshBumpColorize.fx", "colors.tga", None),
        // In this shader alpha is both opacity and gloss.
        ("Tree.fx", "colors.png", broken_png()),
        ("Tree.fx", "colors.tga", Some(vec![0, 0, 2, 0])),
    ] {
        let mut parameters = matte_parameters(name);
        parameters.push(Parameter::texture("NormalTexture", "bumps.png"));
        parameters.push(Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]));
        let mut files = vec![
            (FILE, one_box(shader, "alD3dVertNU2U3U3", parameters)),
            ("bumps.png", b"\x89PNG\r\n\x1a\nbroken".to_vec()),
        ];
        files.extend(file.clone().map(|file| (name, file)));
        let path = stage.add_files(&files);
        let root = spawn_unloadable(&mut stage, path);
        let checkers: Vec<_> = (0..64)
            .map(|index| match (index % 8 + index / 8) % 2 {
                0 => [255, 0, 255, 255],
                _ => [0, 0, 0, 255],
            })
            .collect();
        let mut image = image(&checkers, true);
        image.sampler = bevy::image::ImageSampler::nearest();
        let texture = stage.add_asset(image);
        let context = format!("{shader}, {name}, file exists: {}", file.is_some());
        compare(&mut stage, root, &context, |stage| {
            box_control(stage, matte(Some(texture.clone())))
        });
        stage.despawn(root);
    }
}
