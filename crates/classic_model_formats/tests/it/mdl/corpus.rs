//! Real Quake models: all of them parse, are written back unchanged, and match the corpus manifest.

use crate::prelude::*;
use classic_model_formats::mdl::parse;
use classic_models_fixtures::corpus::corpus_mdl;
use sha2::{Digest, Sha256};

#[test]
fn real_models_are_written_back_unchanged() {
    for (name, bytes) in corpus_mdl("real_models_are_written_back_unchanged") {
        let file = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let length = bytes.len() - file.trailing_bytes as usize;
        let written = MdlDocument::from(&file).to_bytes();
        assert!(
            written == bytes[..length],
            "{name}: the written bytes differ from the file"
        );
    }
}

#[test]
fn real_models_match_the_corpus_manifest() {
    let Some(folder) = corpus("real_models_match_the_corpus_manifest") else {
        return;
    };
    let manifest = std::fs::read_to_string(folder.join("quake/MANIFEST.tsv")).unwrap();
    let mut models = 0;
    for line in manifest.lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        let [name, size, sha, notes] = columns[..] else {
            panic!("manifest line without 4 columns: {line:?}");
        };
        let bytes = std::fs::read(folder.join("quake").join(name)).unwrap();
        assert_eq!(bytes.len().to_string(), size, "{name}");
        assert_eq!(hex(&Sha256::digest(&bytes)), sha, "{name}");
        let file = parse(&bytes).unwrap();
        let images: u32 = file.skins.iter().map(|skin| skin.image_count).sum();
        let summary = format!(
            "nv={} nt={} frames={} poses={} skins={}/{} {}x{} flags={} sync={} trail={}",
            file.st_vertices.len(),
            file.triangles.len(),
            file.frames.len(),
            file.poses.len(),
            file.skins.len(),
            images,
            file.header.skin_width,
            file.header.skin_height,
            file.header.flags,
            file.header.sync_type,
            file.trailing_bytes
        );
        assert!(
            notes.starts_with(&summary),
            "{name}: {summary:?}, but the manifest has {notes:?}"
        );
        models += 1;
    }
    assert_eq!(models, 23);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
