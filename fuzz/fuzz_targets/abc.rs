//! Parses arbitrary bytes as an ABC model, poses it, reduces its detail, writes it and parses the result.

#![no_main]

use classic_model_formats::abc::parse;
use classic_model_formats::abc::write::{AbcDocument, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse(bytes) else { return };
    for level in [0, 1, file.geometry.lods] {
        let count = file.geometry.vertices.len() as u32;
        let vertices = file.geometry.lod(level).vertices();
        assert!(vertices.iter().all(|index| *index < count));
    }
    file.geometry.normals();
    for animation in [None, Some(0), file.animations.len().checked_sub(1)] {
        for seconds in [0.0, 0.05, f32::MAX] {
            let poses = file.node_poses(animation, seconds);
            let mut rotations = poses.iter().flat_map(|pose| pose.rotation);
            assert!(rotations.all(f32::is_finite));
            let positions = file.vertex_positions(animation, seconds);
            assert!(
                positions
                    .as_flattened()
                    .iter()
                    .all(|value| value.is_finite())
            );
            file.vertex_positions_in_model(animation, seconds);
        }
    }
    // Strings may exceed the length limit of the format after their conversion to UTF-8.
    let document = AbcDocument::from(&file);
    if let Ok(written) = write(&document) {
        assert_eq!(AbcDocument::from(&parse(&written).unwrap()), document);
    }
});
