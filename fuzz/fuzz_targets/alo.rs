//! Parses arbitrary bytes as an Alamo model, writes it and parses the result.

#![no_main]

use classic_model_formats::alo::parse;
use classic_model_formats::alo::write::write;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut file) = parse(bytes) else { return };
    file.warnings.clear();
    let submeshes = file.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    for tree in submeshes.filter_map(|submesh| submesh.tree.as_ref()) {
        assert_eq!(tree.boxes().len(), tree.nodes.len());
    }
    // Strings may exceed the length limit of the format after their conversion to UTF-8.
    if let Ok(written) = write(&file) {
        let mut reparsed = parse(&written).unwrap();
        reparsed.warnings.clear();
        assert_eq!(format!("{reparsed:?}"), format!("{file:?}"));
    }
});
