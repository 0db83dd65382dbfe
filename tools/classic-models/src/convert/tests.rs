//! Conversions of randomly damaged files: no panic, and each result is a valid document.

use crate::convert::document::Container;
use crate::convert::files::Files;
use crate::convert::model::{Converted, Request};
use crate::convert::{abc, alo, lgw, mdl, options};
use classic_models_fixtures::{alo as alo_fixtures, mutations};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One in this many mutated files is converted. The parsers' tests read all of them.
const PART: usize = 25;

/// Whether it is the turn of one more file of a test. Each test has its own count, so that it always converts the same files.
fn is_turn(count: &AtomicUsize) -> bool {
    count.fetch_add(1, Ordering::Relaxed).is_multiple_of(PART)
}

/// Converts a file, and reads the result.
fn check(path: &Path, convert: impl Fn(&Request<'_>) -> Result<Converted, String>) {
    let (files, options) = (Files::default(), options::parse(&[]));
    let request = Request {
        path,
        files: &files,
        options: &options,
    };
    if let Ok(converted) = convert(&request) {
        let bytes = converted.document.write(Container::Glb).unwrap();
        gltf::Gltf::from_slice(&bytes).unwrap();
    }
}

/// A test of a format: its mutated files and its conversion.
macro_rules! mutated {
    ($name:ident, $for_each:path, $convert:path) => {
        #[test]
        fn $name() {
            static COUNT: AtomicUsize = AtomicUsize::new(0);
            $for_each(|bytes| {
                if is_turn(&COUNT) {
                    check(Path::new("missing/unit"), |request| {
                        $convert(bytes, request)
                    });
                }
            });
        }
    };
}

mutated!(damaged_abc, mutations::for_each_abc, abc::convert);
mutated!(damaged_alo, mutations::for_each_alo, alo::convert);
mutated!(damaged_lgw, mutations::for_each_lgw, lgw::convert);
mutated!(damaged_mdl, mutations::for_each_mdl, mdl::convert);
mutated!(
    damaged_particles,
    mutations::for_each_particles,
    alo::convert_particles
);

#[test]
fn damaged_animations() {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    mutations::for_each_ala(|bytes| {
        if is_turn(&COUNT) {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("unit_MOVE_00.ala"), bytes).unwrap();
            let path = folder.path().join("unit.alo");
            let model = alo_fixtures::clean();
            check(&path, |request| alo::convert(&model, request));
        }
    });
}
