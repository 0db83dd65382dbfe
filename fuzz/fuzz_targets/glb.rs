//! Reads arbitrary bytes as a glTF file, makes a model of each format, and parses it.

#![no_main]

use classic_model_formats::lgw::Tolerance;
use classic_models_gltf_import::{Dithering, Palette, Scene, abc, alo, lgw, mdl};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let no_files = |path: &str| Err(path.to_owned());
    let Ok(scene) = Scene::read(bytes, &no_files) else {
        return;
    };
    let options = alo::Options {
        scale: None,
        clips: &[],
    };
    if let Ok(made) = alo::convert(&scene, &options) {
        classic_model_formats::alo::parse(&made.bytes).unwrap();
        for clip in made.animations.values() {
            classic_model_formats::ala::parse(clip).unwrap();
        }
    }
    let options = abc::Options {
        name: "model",
        scale: None,
        clips: &[],
        lods: None,
    };
    if let Ok(made) = abc::convert(&scene, &options) {
        let _ = classic_model_formats::abc::write::write(&made.document).map(|bytes| {
            classic_model_formats::abc::parse(&bytes).unwrap();
        });
    }
    let options = mdl::Options {
        scale: None,
        palette: &Palette([[128; 3]; 256]),
        dithering: Dithering::None,
        hole_index: 255,
        precision: None,
        clips: &[],
        groups: &[],
    };
    if let Ok(made) = mdl::convert(&scene, &options) {
        classic_model_formats::mdl::parse(&made.document.to_bytes()).unwrap();
    }
    if let Ok(made) = lgw::convert(&scene, "model", None) {
        let _ = classic_model_formats::lgw::write(&made.file).map(|bytes| {
            classic_model_formats::lgw::parse(&bytes, Tolerance::Normal).unwrap();
        });
    }
});
