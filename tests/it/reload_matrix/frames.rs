//! Instances respawn in the frame in which their scene is reloaded, even if the file changes again at once.

use crate::reload_matrix::subjects::{Format, Kind};
use crate::support::prelude::*;

/// Whether an instance has the loaded model, which every load replaces.
fn is_current(world: &World, root: Entity, model: &UntypedHandle) -> Option<bool> {
    let id = model.id();
    if let Ok(id) = id.try_typed::<Mdl>() {
        let instance = world.get::<MdlInstance>(root)?.model();
        let loaded = world.resource::<Assets<Mdl>>().get(id)?;
        return Some(Arc::ptr_eq(instance, &loaded.model));
    }
    if let Ok(id) = id.try_typed::<Alo>() {
        let instance = world.get::<AloInstance>(root)?.model();
        let loaded = world.resource::<Assets<Alo>>().get(id)?;
        return Some(Arc::ptr_eq(instance, &loaded.model));
    }
    if let Ok(id) = id.try_typed::<Abc>() {
        let instance = world.get::<AbcInstance>(root)?.model();
        let loaded = world.resource::<Assets<Abc>>().get(id)?;
        return Some(Arc::ptr_eq(instance, &loaded.model));
    }
    let instance = world.get::<LgwInstance>(root)?.model();
    let loaded = world.resource::<Assets<Lgw>>().get(id.typed::<Lgw>())?;
    Some(Arc::ptr_eq(instance, &loaded.model))
}

fn assert_respawns_at_once(format: Format) {
    let mut app = TestApp::new(&[]);
    for kind in format.kinds() {
        if !matches!(kind, Kind::Meta | Kind::TextureMeta) {
            let path = format.file(*kind);
            let contents = format.contents(*kind, 1);
            app.save(&path, contents);
        }
    }
    let plain = crate::support::abc_stage::dtx(&[[7, 9, 9, 255]; 64]);
    app.save("plain.dtx", plain);
    let server = app.server();
    let path = format.file(Kind::Model);
    let model = format.load(&server, path.clone());
    let mut is_loaded = |_: &mut World| server.is_loaded_with_dependencies(&model);
    app.wait_until(&mut is_loaded);
    let root = format.spawn(app.world(), &path);
    let mut is_ready = |world: &mut World| format.is_ready(world, root);
    app.wait_until(&mut is_ready);
    for version in 2..12 {
        let contents = format.contents(Kind::Model, version);
        app.save(&path, contents);
        server.reload(path.clone());
        // The next edit follows at once, or a few frames later.
        let mut is_applied = |world: &mut World| {
            assert_eq!(is_current(world, root, &model), Some(true), "{format:?}");
            assert_eq!(format.check_state(world, root), Ok(()), "{format:?}");
            format.shown(world, root, Kind::Model) == Some(version)
        };
        app.wait_until(&mut is_applied);
        for _ in 0..version % 4 {
            app.step(0.0);
        }
    }
}

#[test]
fn instances_respawn_in_the_frame_of_the_reload() {
    for format in [Format::Mdl, Format::Alo, Format::Abc, Format::Lgw] {
        assert_respawns_at_once(format);
    }
}
