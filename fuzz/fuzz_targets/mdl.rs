//! Parses arbitrary bytes as a Quake model, writes it and parses the result.

#![no_main]

use classic_model_formats::mdl::parse;
use classic_model_formats::mdl::write::MdlDocument;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(file) = parse(bytes) else { return };
    let vertices = file.st_vertices.len();
    for triangle in file.triangles {
        let corners = triangle.vertices.map(|vertex| vertex.get());
        assert!(corners.iter().all(|corner| (*corner as usize) < vertices));
    }
    for frame in &file.frames {
        assert!((frame.first_pose + frame.pose_count) as usize <= file.poses.len());
    }
    for pose in &file.poses {
        assert_eq!(pose.vertices.len(), vertices);
    }
    let document = MdlDocument::from(&file);
    let written = document.to_bytes();
    // Not the documents, because times may be NaN.
    let reparsed = MdlDocument::from(&parse(&written).unwrap());
    assert_eq!(reparsed.to_bytes(), written);
});
