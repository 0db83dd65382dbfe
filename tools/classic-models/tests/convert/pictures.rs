//! Textures as PNG images.

use crate::{Folder, samples};
use bevy_classic_models::texture::Pixels;
use std::io::Cursor;

/// The texels of a PNG image, as red, green, blue and alpha.
pub fn decode(bytes: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut data = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut data).unwrap();
    match info.color_type {
        png::ColorType::Rgba => data,
        png::ColorType::Rgb => {
            let (texels, _) = data.as_chunks::<3>();
            texels
                .iter()
                .flat_map(|[r, g, b]| [*r, *g, *b, 255])
                .collect()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_texture_becomes_its_texels() {
    let folder = Folder::new();
    let textures = [
        "textures/crate.dds",
        "textures/walker_glass.tga",
        "skins/warden.dtx",
    ];
    for name in textures {
        let path = samples().join(name);
        folder.convert(&[&path.display().to_string(), "picture.png", "--force"]);
        let pixels = Pixels::decode(&std::fs::read(&path).unwrap(), &path).unwrap();
        let png = std::fs::read(folder.path("picture.png")).unwrap();
        assert_eq!(decode(&png), pixels.rgba, "{name}");
    }
}

#[test]
fn textures_are_no_models_and_models_are_no_textures() {
    let folder = Folder::new();
    folder.write("a.tga", b"no image");
    let texture = samples().join("textures/crate.dds").display().to_string();
    let model = samples().join("models/crate.alo").display().to_string();
    for (input, output, error) in [
        (&*texture, "crate.glb", "only be converted to .dds"),
        (
            &model,
            "crate.png",
            "only be converted to .glb, .gltf and .html",
        ),
        ("a.tga", "a.png", "TGA"),
    ] {
        let result = folder.run(&[input, output]);
        assert_eq!(result.status.code(), Some(1), "{input}");
        let text = String::from_utf8(result.stderr).unwrap();
        assert!(text.contains(input) && text.contains(error), "{text}");
        assert!(!folder.path(output).exists());
    }
}
