//! Two concurrent loads of one file. The load that read the older contents ends last.

use crate::reload_matrix::subjects::{Format, Kind};
use crate::support::prelude::*;

fn assert_newest_file_is_used(format: Format) {
    let is_file = |kind: &&Kind| !matches!(kind, Kind::Meta | Kind::TextureMeta);
    let kinds = format.kinds().iter().filter(is_file);
    let files: Vec<(String, Vec<u8>)> = kinds
        .map(|kind| (format.file(*kind), format.contents(*kind, 1)))
        .collect();
    let mut files: Vec<(&str, Vec<u8>)> = files
        .iter()
        .map(|(path, contents)| (&**path, contents.clone()))
        .collect();
    let plain = crate::support::abc_stage::dtx(&[[7, 9, 9, 255]; 64]);
    files.push(("plain.dtx", plain));
    let (mut test, held) = TestApp::with_held_files(&files);
    let (app, files) = (&mut test.app, test.files.clone());
    let server = app.server();
    let path = format.file(Kind::Model);
    let model = format.load(&server, path.clone());
    assert!(gpuless::wait_until(app, |_| server.is_loaded_with_dependencies(&model)));
    let root = format.spawn(app.world_mut(), &path);
    assert!(gpuless::wait_until(app, |world| format.is_ready(world, root)));

    let edit = |version| {
        let contents = format.contents(Kind::Model, version);
        files.insert_asset(Path::new(&path), contents);
        server.reload(path.clone());
    };
    held.hold_next(&path);
    edit(2);
    assert!(gpuless::wait_until(app, |_| held.is_waiting()));
    edit(3);
    let shown = |world: &World| format.shown(world, root, Kind::Model);
    assert!(gpuless::wait_until(app, |world| shown(world) == Some(3)));
    held.release();
    let mut seen = Vec::new();
    test.run_until_idle(0.0, |world| seen.extend(shown(world)));
    seen.dedup();
    assert_eq!(seen.last(), Some(&3), "{format:?}: {seen:?}");
    // The model was reloaded with the settings of its handle.
    let world = test.app.world();
    assert_eq!(format.check_state(world, root), Ok(()), "{format:?}");
    let others = format.kinds().iter().filter(|kind| **kind != Kind::Model);
    for kind in others.filter(is_file) {
        assert_eq!(
            format.shown(world, root, *kind),
            Some(1),
            "{format:?} {kind:?}"
        );
    }
}

#[test]
fn the_newest_file_is_used_whichever_load_ends_last() {
    for format in [Format::Mdl, Format::Alo, Format::Abc, Format::Lgw] {
        assert_newest_file_is_used(format);
    }
}
