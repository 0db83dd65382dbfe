//! Round trips of written models, the order of chunks, and the checks of the writer.

use super::*;
use crate::prelude::*;
use classic_model_formats::abc::write::write;

/// A modification of a model.
type Edit = fn(&mut AbcDocument);

fn round_trip(model: &AbcDocument) {
    let bytes = write(model).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!(AbcDocument::from(&file), *model);
    assert_eq!(write_unchecked(&AbcDocument::from(&file)), bytes);
}

#[test]
fn written_models_parse_to_the_same_values() {
    round_trip(&sample_model());
    round_trip(&minimal());
    for flips in [(false, true), (true, false), (true, true)] {
        let mut model = sample_model();
        model.transform_info = Some(TransformInfo {
            flip_geometry: flips.0,
            flip_animation: flips.1,
        });
        round_trip(&model);
    }
    let mut model = sample_model();
    model.transform_info = None;
    round_trip(&model);
    for animation in &mut model.animations {
        animation.dims = None;
    }
    round_trip(&model);
    model.animations.clear();
    round_trip(&model);
}

#[test]
fn valid_model_parses_without_warnings() {
    let bytes = write(&sample_model()).unwrap();
    let file = parse(&bytes).unwrap();
    assert_eq!(warnings(&file), [""; 0]);
    assert_eq!(file.geometry.lods, 3);
    let parents: Vec<_> = file.nodes.iter().map(|node| node.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(1), Some(0)]);
    assert_eq!(file.animations[0].seconds(), 0.3);
    assert_eq!(file.animations[1].seconds(), 0.0);
    assert_eq!(file.animations[0].keyframes[1].event, "FOOTSTEP_KEY");
    assert_eq!(file.animations[1].dims, Some([1.0, 2.0, 3.0]));
}

#[test]
fn records_are_borrowed_from_the_file() {
    let bytes = write(&sample_model()).unwrap();
    let file = parse(&bytes).unwrap();
    let range = bytes.as_ptr_range();
    assert!(range.contains(&file.geometry.vertices.as_ptr().cast()));
    assert!(range.contains(&file.animations[0].tracks[2].deform.as_ptr().cast()));
    assert!(range.contains(&file.nodes[1].name.as_ptr()));
}

#[test]
fn files_without_transform_info_are_flipped() {
    let mut model = sample_model();
    model.transform_info = None;
    let bytes = write(&model).unwrap();
    let transform = parse(&bytes).unwrap().transform();
    assert!(transform.flip_geometry && transform.flip_animation);
}

/// The name and the bytes of each chunk, including its name and link.
fn chunks(bytes: &[u8], offsets: &Offsets) -> Vec<(&'static str, Vec<u8>)> {
    let names = [
        "Header",
        "Geometry",
        "Nodes",
        "Animation",
        "AnimDims",
        "TransformInfo",
    ];
    let mut ends: Vec<u64> = names[1..].iter().map(|name| offsets.at(name)).collect();
    ends.push(bytes.len() as u64);
    let ends = ends.into_iter();
    let parts = names.into_iter().zip(ends).map(|(name, end)| {
        let part = &bytes[offsets.at(name) as usize..end as usize];
        (name, part.to_vec())
    });
    parts.collect()
}

/// Concatenates chunks and updates their links.
fn chained(chunks: Vec<(&str, Vec<u8>)>) -> Vec<u8> {
    let mut out = Vec::new();
    let last = chunks.len() - 1;
    for (index, (name, mut chunk)) in chunks.into_iter().enumerate() {
        let end = (out.len() + chunk.len()) as i32;
        let next = if index == last { -1 } else { end };
        chunk[2 + name.len()..][..4].copy_from_slice(&next.to_le_bytes());
        out.extend(chunk);
    }
    out
}

#[test]
fn chunks_may_have_any_order() {
    let model = sample_model();
    let bytes = write(&model).unwrap();
    let mut chunks = chunks(&bytes, &Offsets::of(&model));
    assert_eq!(chained(chunks.clone()), bytes);
    chunks[1..].reverse();
    let bytes = chained(chunks.clone());
    let file = parse(&bytes).unwrap();
    assert_eq!(AbcDocument::from(&file), model);
    assert_eq!(warnings(&file), [""; 0]);
}

#[test]
fn missing_and_repeated_chunks_are_errors_and_unknown_ones_warnings() {
    let model = sample_model();
    let bytes = write(&model).unwrap();
    let parts = chunks(&bytes, &Offsets::of(&model));
    for (position, name) in ["Geometry", "Nodes", "Animation"].into_iter().enumerate() {
        let mut without = parts.clone();
        without.remove(position + 1);
        let bytes = chained(without);
        let error = parse(&bytes).unwrap_err();
        assert_eq!(error.offset, bytes.len() as u64);
        assert!(matches!(error.kind, ErrorKind::Missing { what } if what.contains(name)));
    }
    for part in &parts {
        let mut twice = parts.clone();
        twice.push(part.clone());
        let error = parse(&chained(twice)).unwrap_err();
        assert_eq!(error.offset, bytes.len() as u64, "{error}");
        assert!(matches!(error.kind, ErrorKind::CountMismatch { .. }));
    }
    let mut strange = parts.clone();
    let strips = [&[9, 0][..], b"TriStrips", &[0; 4], &[7; 30]].concat();
    strange.insert(2, ("TriStrips", strips));
    let bytes = chained(strange);
    let file = parse(&bytes).unwrap();
    let offset = parts[0].1.len() + parts[1].1.len();
    let expected = format!("unknown chunk \"TriStrips\" is skipped (at offset {offset})");
    assert_eq!(warnings(&file), [expected]);
    assert_eq!(AbcDocument::from(&file), model);
}

#[test]
fn writing_rejects_values_that_the_format_cannot_store() {
    let cases: [(&str, Edit); 16] = [
        ("command string", |it| it.command_string = "x".repeat(501)),
        ("Geometry", |it| it.geometry.lod_starts.clear()),
        ("bounds", |it| it.geometry.bounds[1][2] = f32::NAN),
        ("triangle 1", |it| {
            it.geometry.triangles[1].vertices[0] = 8.into()
        }),
        ("Nodes", |it| it.nodes[0].children = 1),
        ("Nodes", |it| it.nodes[0].children = 3),
        ("node 0", |it| it.nodes[0].name = "x".repeat(501)),
        ("animation 0", |it| it.animations[0].name = "x".repeat(501)),
        ("keyframe 2 event", |it| {
            it.animations[0].keyframes[2].event = "x".repeat(501);
        }),
        ("keyframe 2 time", |it| {
            it.animations[0].keyframes[2].time = 5
        }),
        ("animation 0 \"Walk\" tracks", |it| {
            it.animations[0].tracks.pop();
        }),
        ("node 1 \"Body\" keys", |it| {
            it.animations[0].tracks[1].keys.pop();
        }),
        ("node 2 \"Flag\" deform", |it| {
            it.animations[0].tracks[2].deform.pop();
        }),
        ("node 1 \"Body\" scale", |it| {
            it.animations[0].tracks[1].deform_scale[0] = f32::INFINITY;
        }),
        ("AnimDims", |it| it.animations[1].dims = None),
        ("key 1", |it| {
            it.animations[0].tracks[0].keys[1].rotation[3] = f32::NAN.into();
        }),
    ];
    for (context, edit) in cases {
        let mut model = sample_model();
        edit(&mut model);
        let error = write(&model).unwrap_err().to_string();
        assert!(error.contains(context), "{context}: {error}");
    }
}

#[test]
fn strings_of_500_bytes_are_written() {
    let text = "x".repeat(500);
    let mut model = sample_model();
    model.command_string = text.clone();
    model.nodes[0].name = text.clone();
    model.animations[0].name = text.clone();
    model.animations[0].keyframes[2].event = text;
    let bytes = write(&model).unwrap();
    assert_eq!(AbcDocument::from(&parse(&bytes).unwrap()), model);
}
