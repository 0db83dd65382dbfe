//! Real LithTech textures: round trips and sizes.

use crate::prelude::*;
use classic_model_formats::dtx::write::write_unchecked;
use classic_models_fixtures::corpus::{corpus_paths as files, read};

/// The offsets of the command string. It is not compared, because tools left arbitrary bytes after its NUL.
const COMMAND_STRING: core::ops::Range<usize> = 36..164;

#[test]
fn real_textures_round_trip() {
    let test = "real_textures_round_trip";
    let Some((_, files)) = files(test, "dtx") else {
        return;
    };
    let (mut with_alpha, mut full_bright, mut texels) = (0, 0, 0);
    for path in &files {
        let what = path.display();
        let bytes = read(path);
        let file = dtx::parse(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        for warning in &file.warnings {
            assert!(
                warning.message.contains("command string"),
                "{what}: {warning}"
            );
        }
        let mut written = write_unchecked(&DtxDocument::from(&file));
        if file.version != -2 {
            written[COMMAND_STRING].copy_from_slice(&bytes[COMMAND_STRING]);
        }
        assert!(
            written == bytes,
            "{what}: the written bytes differ from the file"
        );
        for (index, level) in file.levels.iter().enumerate() {
            let [width, height] = [file.width, file.height].map(|size| size >> index);
            assert_eq!((level.width, level.height), (width, height), "{what}");
            let count = width as usize * height as usize;
            // The crate does not decode blocks.
            let rgba = file.rgba(index);
            assert_eq!(
                rgba.is_some(),
                file.palette.is_some() || !is_blocks(&file),
                "{what}"
            );
            assert!(rgba.is_none_or(|rgba| rgba.len() == count * 4), "{what}");
            texels += count;
        }
        with_alpha += usize::from(!file.alpha_levels.is_empty());
        full_bright += usize::from(file.is_full_bright());
    }
    println!(
        "{} textures, {texels} texels; {with_alpha} with alpha, {full_bright} with unlit texels",
        files.len()
    );
}

fn is_blocks(file: &dtx::DtxFile<'_>) -> bool {
    use dtx::DtxTexelFormat::{Bc1, Bc2, Bc3};
    matches!(file.texel_format, Bc1 | Bc2 | Bc3)
}
