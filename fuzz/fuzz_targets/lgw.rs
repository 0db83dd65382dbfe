//! Parses arbitrary bytes as an LGW model with each tolerance, writes it and parses the result.

#![no_main]

use classic_model_formats::lgw::{LgwFile, Tolerance, parse, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for tolerance in [Tolerance::Strict, Tolerance::Normal, Tolerance::Lenient] {
        let Ok(mut file) = parse(bytes, tolerance) else {
            continue;
        };
        for mesh in &file.meshes {
            let count = mesh.vertices.len();
            let mut indices = mesh.triangles().flatten();
            assert!(indices.all(|index| (index as usize) < count));
            let positions = mesh.vertices.positions.as_flattened();
            assert!(positions.iter().all(|value| value.is_finite()));
        }
        file.warnings.clear();
        // Lenient parsing may return a file that cannot be written.
        if let Ok(written) = write(&file) {
            let reparsed = parse(&written, Tolerance::Strict).unwrap();
            let warnings = Vec::new();
            assert_eq!(
                LgwFile {
                    warnings,
                    ..reparsed
                },
                file
            );
        }
    }
});
