//! Parses arbitrary bytes as a DTX texture, decodes it, writes it and parses the result.

#![no_main]

use classic_model_formats::dtx::parse;
use classic_model_formats::dtx::write::{DtxDocument, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse(bytes) else { return };
    for (index, level) in file.levels.iter().enumerate() {
        let texels = level.width as usize * level.height as usize;
        for image in [file.rgba(index), file.emissive(index)].iter().flatten() {
            assert_eq!(image.len(), 4 * texels);
        }
    }
    let document = DtxDocument::from(&file);
    if let Ok(written) = write(&document) {
        assert_eq!(DtxDocument::from(&parse(&written).unwrap()), document);
    }
});
