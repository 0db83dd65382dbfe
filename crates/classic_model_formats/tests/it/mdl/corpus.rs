//! Real Quake models: all of them parse, and are what is said of them.

use classic_model_formats::mdl::parse;
use classic_model_formats::mdl::write::MdlDocument;
use classic_models_fixtures::corpus::{corpus, corpus_models};
use sha2::{Digest, Sha256};

#[test]
fn every_model_is_written_back_as_it_was() {
    for (name, bytes) in corpus_models("every_model_is_written_back_as_it_was") {
        let file = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let length = bytes.len() - file.trailing_bytes as usize;
        let written = MdlDocument::from(&file).to_bytes();
        assert!(
            written == bytes[..length],
            "{name} is written otherwise than it was read"
        );
    }
}

#[test]
fn the_manifest_is_true() {
    let Some(folder) = corpus("the_manifest_is_true") else {
        return;
    };
    let manifest = std::fs::read_to_string(folder.join("quake/MANIFEST.tsv")).unwrap();
    let mut models = 0;
    for line in manifest.lines().skip(1) {
        let columns: Vec<_> = line.split('\t').collect();
        let [name, size, sha, notes] = columns[..] else {
            panic!("{line}");
        };
        let bytes = std::fs::read(folder.join("quake").join(name)).unwrap();
        assert_eq!(bytes.len().to_string(), size, "{name}");
        assert_eq!(hex(&Sha256::digest(&bytes)), sha, "{name}");
        let file = parse(&bytes).unwrap();
        let pictures: u32 = file.skins.iter().map(|skin| skin.pictures).sum();
        let said = format!(
            "nv={} nt={} frames={} poses={} skins={}/{} {}x{} flags={} sync={} trail={}",
            file.st_vertices.len(),
            file.triangles.len(),
            file.frames.len(),
            file.poses.len(),
            file.skins.len(),
            pictures,
            file.header.skin_width,
            file.header.skin_height,
            file.header.flags,
            file.header.sync_type,
            file.trailing_bytes
        );
        assert!(notes.starts_with(&said), "{name}: {said} / {notes}");
        models += 1;
    }
    assert_eq!(models, 23);
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
