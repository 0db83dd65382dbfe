//! Real LithTech pictures: all of them are read and written back.

use classic_model_formats::dtx;
use classic_model_formats::dtx::write::{DtxDocument, write_unchecked};
use classic_models_fixtures::corpus::{corpus_paths as files, read};

/// Where the command string of a picture with one is. Tools left bytes behind its NUL.
const COMMAND_STRING: core::ops::Range<usize> = 36..164;

#[test]
fn every_real_picture_is_read_and_written_back() {
    let test = "every_real_picture_is_read_and_written_back";
    let Some((_, files)) = files(test, "dtx") else {
        return;
    };
    let (mut with_alpha, mut with_glow, mut texels) = (0, 0, 0);
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
            "{what} is written otherwise than it was read"
        );
        for (number, level) in file.levels.iter().enumerate() {
            let [width, height] = [file.width, file.height].map(|side| side >> number);
            assert_eq!((level.width, level.height), (width, height), "{what}");
            let count = width as usize * height as usize;
            // Blocks are not decoded here.
            let rgba = file.rgba(number);
            assert_eq!(
                rgba.is_some(),
                file.palette.is_some() || !is_blocks(&file),
                "{what}"
            );
            assert!(rgba.is_none_or(|rgba| rgba.len() == count * 4), "{what}");
            texels += count;
        }
        with_alpha += usize::from(!file.alpha_levels.is_empty());
        with_glow += usize::from(file.is_full_bright());
    }
    println!(
        "{} pictures, {texels} texels; {with_alpha} with alpha, {with_glow} with unlit texels",
        files.len()
    );
}

fn is_blocks(file: &dtx::DtxFile<'_>) -> bool {
    use dtx::DtxTexels::{Bc1, Bc2, Bc3};
    matches!(file.texels, Bc1 | Bc2 | Bc3)
}
