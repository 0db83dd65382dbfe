//! A model of UFO: Aftermath that is edited by hand while it is in use, seen by the real watcher.

use crate::gpuless;
use crate::support::lgw::BICYCLE;
use crate::support::log;
use bevy::prelude::*;
use bevy_classic_models::lgw::LgwModel;
use bevy_classic_models::lgw::{Lgw, LgwInstance};
use bevy_classic_models::prelude::*;
use std::sync::Arc;
use tempfile::TempDir;

/// An app without a GPU that watches a folder with one model in it.
struct Edited {
    app: App,
    folder: TempDir,
    file: &'static str,
    root: Entity,
    /// Kept, because Bevy reloads only what somebody holds.
    _model: Handle<Lgw>,
}

impl Edited {
    fn new(file: &'static str) -> Self {
        log::listen();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), BICYCLE).unwrap();
        let mut app = App::new();
        app.add_plugins(gpuless::plugins(folder.path(), true))
            .add_plugins(ClassicModelsPlugins);
        gpuless::finish(&mut app);
        let server = app.world().resource::<AssetServer>();
        let _model = server.load(file);
        let scene = server.load(format!("{file}#Scene"));
        let parts = PartVisibility::new(["Mesh02"]);
        let root = app.world_mut().spawn((WorldAssetRoot(scene), parts)).id();
        let mut edited = Self {
            app,
            folder,
            file,
            root,
            _model,
        };
        edited.wait("it is there", |world| {
            world.get::<LgwInstance>(root).is_some()
        });
        edited
    }

    #[track_caller]
    fn wait(&mut self, what: &str, done: impl FnMut(&mut World) -> bool) {
        assert!(
            gpuless::wait_until(&mut self.app, done),
            "in vain until {what}"
        );
    }

    fn save(&self, text: &str) {
        std::fs::write(self.folder.path().join(self.file), text).unwrap();
    }

    /// Saves a text of a sound model, and waits until it is seen.
    #[track_caller]
    fn edit(&mut self, text: &str, is_seen: impl Fn(&LgwModel) -> bool) {
        self.save(text);
        let root = self.root;
        self.wait("the edit is seen", |world| {
            let instance = world.get::<LgwInstance>(root);
            instance.is_some_and(|instance| is_seen(instance.model()))
        });
        // What is spawned anew is dressed in the next frame.
        gpuless::step(&mut self.app, 0.0);
    }

    fn model(&self) -> Arc<LgwModel> {
        let instance = self.app.world().get::<LgwInstance>(self.root).unwrap();
        instance.model().clone()
    }

    /// The visibility of each mesh, by its name.
    fn seen(&self) -> Vec<(String, Visibility)> {
        let instance = self.app.world().get::<LgwInstance>(self.root).unwrap();
        let world = self.app.world();
        let mesh = |entity: &Entity| {
            let name = world.get::<Name>(*entity).unwrap().to_string();
            (name, *world.get::<Visibility>(*entity).unwrap())
        };
        instance.meshes().iter().map(mesh).collect()
    }
}

#[test]
fn an_edit_shows_and_what_was_chosen_stays() {
    let mut edited = Edited::new("edited.lgw");
    let other = BICYCLE
        .replace("Mesh01", "Frame")
        .replace("-87.154137", "-90");
    edited.edit(&other, |model| !model.meshes_named("Frame").is_empty());
    let bounds = edited.model().bounds.unwrap();
    assert_eq!(bounds.min.x, -90.0);
    use Visibility::{Hidden, Inherited};
    let expected = [("Frame", Inherited), ("Mesh02", Hidden)];
    let expected = expected.map(|(name, visibility)| (name.to_owned(), visibility));
    assert_eq!(edited.seen(), expected);
    // There and back again, with a mesh less.
    let begin = other.find("  MESH \"Mesh02\"").unwrap();
    let end = other.find("END_OF_MODEL").unwrap();
    let fewer = format!("{}{}", &other[..begin], &other[end..]);
    edited.edit(&fewer, |model| model.meshes.len() == 1);
    assert_eq!(edited.seen().len(), 1);
    edited.edit(BICYCLE, |model| model.meshes.len() == 2);
    assert_eq!(edited.seen()[1], ("Mesh02".to_owned(), Hidden));
}

#[test]
fn a_broken_edit_is_told_with_its_line_and_changes_nothing() {
    let mut edited = Edited::new("slip.lgw");
    let before = edited.model();
    // What happens to who types: a number too few, a quote too few, an end too few.
    let slips = [
        (
            "VERTS 10",
            "VERTS 11",
            "slip.lgw:30:5: LGW: mesh 0 \"Mesh01\" / VERTS has 80",
        ),
        (
            "8.602158 0.498448 0.603164 0.962625",
            "8.602158 0.603164 0.962625",
            "VERTS (line 21 has 7 numbers instead of 8) has 79",
        ),
        (
            "-87.908000 81.735000",
            "-87.908000 5 81.735000",
            "VERTS (line 26 has 9 numbers instead of 8) has 81",
        ),
        (
            "VERTS 10",
            "VERT 10",
            "after the unknown key \"VERT\" at 19:5: mesh 0 \"Mesh01\" / group 0",
        ),
        (
            "MESH \"Mesh01\"",
            "MESH \"Mesh01",
            "slip.lgw:16:8: LGW: MESH",
        ),
        (
            "END_OF_GROUP 0\n  END_OF_MESH \"Mesh01\"",
            "END_OF_MESH",
            "slip.lgw:34:7: LGW: mesh 0",
        ),
    ];
    for (text, slip, expected) in slips {
        assert!(BICYCLE.contains(text), "{text}");
        edited.save(&BICYCLE.replacen(text, slip, 1));
        let told = || {
            let errors = log::errors_of(&["bevy_asset"]);
            errors.into_iter().find(|error| error.contains(expected))
        };
        edited.wait(expected, |_| told().is_some());
        // Bevy may load the good text once more, so it is told by what it says.
        assert_eq!(edited.model().bounds, before.bounds);
        assert_eq!(edited.model().meshes[0].vertices, 10);
        assert_eq!(edited.seen().len(), 2);
    }
    // The next edit is as good as if nothing had been.
    edited.edit(&BICYCLE.replace("Mesh01", "Mended"), |model| {
        !model.meshes_named("Mended").is_empty()
    });
}

#[test]
fn warnings_are_told_with_their_line() {
    let mut edited = Edited::new("warned.lgw");
    let text = BICYCLE.replace("DIFFUSE_COLOR", "SHININESS 5 DIFFUSE_COLOR");
    edited.edit(&text, |model| !model.warnings.is_empty());
    let warning = edited.model().warnings[0].clone();
    let position = warning.position.unwrap();
    assert_eq!((position.line, position.column), (6, 7), "{warning}");
    assert!(!log::warnings_with("warned.lgw:6:7: ").is_empty());
}
