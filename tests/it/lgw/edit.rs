//! A model of UFO: Aftermath that is edited by hand while it is in use, with Bevy's file watcher.

use crate::manifest::reload::Folder;
use crate::support::prelude::*;

/// An app that watches a folder with one model in it.
struct Edited {
    app: Folder,
    file: &'static str,
    root: Entity,
    /// Bevy reloads only assets with a strong handle.
    _model: Handle<Lgw>,
}

impl Edited {
    fn new(file: &'static str) -> Self {
        log::listen();
        let mut app = Folder::watching(&[(file, BICYCLE.into())]);
        let _model = app.server().load(file);
        let scene = app.server().load(format!("{file}#Scene"));
        let parts = PartVisibility::hidden(["Mesh02"]);
        let root = app.spawn_entity((WorldAssetRoot(scene), parts));
        app.wait_for(root);
        Self {
            app,
            file,
            root,
            _model,
        }
    }

    fn save(&self, text: &str) {
        self.app.save(self.file, text);
    }

    /// Saves a valid text, and waits until it applies.
    #[track_caller]
    fn edit(&mut self, text: &str, is_applied: impl Fn(&LgwModel) -> bool) {
        self.save(text);
        let root = self.root;
        self.app.wait("the edit applies", |world| {
            let instance = world.get::<LgwInstance>(root);
            instance.is_some_and(|instance| is_applied(instance.model()))
        });
        // Components of the root apply in the frame after the respawn.
        gpuless::step(&mut self.app.app, 0.0);
    }

    fn model(&self) -> Arc<LgwModel> {
        let instance = self.app.get::<LgwInstance>(self.root);
        instance.model().clone()
    }

    /// The name and visibility of each mesh.
    fn visibilities(&self) -> Vec<(String, Visibility)> {
        let instance = self.app.get::<LgwInstance>(self.root);
        let world = self.app.app.world();
        let mesh = |entity: &Entity| {
            let name = world.get::<Name>(*entity).unwrap().to_string();
            (name, *world.get::<Visibility>(*entity).unwrap())
        };
        instance.meshes().iter().map(mesh).collect()
    }
}

#[test]
fn an_edit_applies_and_keeps_the_components() {
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
    assert_eq!(edited.visibilities(), expected);
    // One mesh less, and then the original text.
    let begin = other.find("  MESH \"Mesh02\"").unwrap();
    let end = other.find("END_OF_MODEL").unwrap();
    let fewer = format!("{}{}", &other[..begin], &other[end..]);
    edited.edit(&fewer, |model| model.meshes.len() == 1);
    assert_eq!(edited.visibilities().len(), 1);
    edited.edit(BICYCLE, |model| model.meshes.len() == 2);
    assert_eq!(edited.visibilities()[1], ("Mesh02".to_owned(), Hidden));
}

#[test]
fn a_broken_edit_is_an_error_with_its_line_and_keeps_the_model() {
    let mut edited = Edited::new("typo.lgw");
    let before = edited.model();
    // Typical typos: a missing or additional number, a missing quote, a missing end.
    let typos = [
        (
            "VERTS 10",
            "VERTS 11",
            "typo.lgw:30:5: LGW: mesh 0 \"Mesh01\" / VERTS has 80",
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
            "typo.lgw:16:8: LGW: MESH",
        ),
        (
            "END_OF_GROUP 0\n  END_OF_MESH \"Mesh01\"",
            "END_OF_MESH",
            "typo.lgw:34:7: LGW: mesh 0",
        ),
    ];
    for (text, typo, expected) in typos {
        assert!(BICYCLE.contains(text), "{text}");
        edited.save(&BICYCLE.replacen(text, typo, 1));
        let found = || {
            let errors = log::errors_of(&["bevy_asset"]);
            errors.into_iter().find(|error| error.contains(expected))
        };
        edited.app.wait(expected, |_| found().is_some());
        // Bevy may load the valid text once more, so the contents are compared and not the `Arc`.
        assert_eq!(edited.model().bounds, before.bounds);
        assert_eq!(edited.model().meshes[0].vertices, 10);
        assert_eq!(edited.visibilities().len(), 2);
    }
    // The next valid edit applies.
    edited.edit(&BICYCLE.replace("Mesh01", "Fixed"), |model| {
        !model.meshes_named("Fixed").is_empty()
    });
}

#[test]
fn warnings_have_line_and_column() {
    let mut edited = Edited::new("warned.lgw");
    let text = BICYCLE.replace("DIFFUSE_COLOR", "SHININESS 5 DIFFUSE_COLOR");
    edited.edit(&text, |model| !model.warnings.is_empty());
    let warning = edited.model().warnings[0].clone();
    let position = warning.position.unwrap();
    assert_eq!((position.line, position.column), (6, 7), "{warning}");
    assert!(!log::warnings_with("warned.lgw:6:7: ").is_empty());
}
