//! Reloading LithTech models and skins that change on disk while in use, with Bevy's real file watcher.

use crate::manifest::reload::Folder;
use crate::support::abc::{bytes, figure, node, track};
use crate::support::abc_app::drawn_in;
use crate::support::abc_reference::Reference;
use crate::support::abc_stage::{control, dtx};
use crate::support::prelude::*;
use bevy_classic_models::lithtech::AbcNode;
use bevy_classic_models::lithtech::abc::parse;

/// An app that watches a folder with one model, which it spawns.
struct Watched {
    app: Folder,
    file: &'static str,
    root: Entity,
    /// How often the model was saved.
    edits: usize,
    /// Kept because Bevy reloads only assets with live handles.
    model: Handle<Abc>,
}

impl Watched {
    fn new(file: &'static str, document: &AbcDocument, bundle: impl Bundle) -> Self {
        log::listen();
        let mut app = Folder::watching(&[(file, bytes(document))]);
        let model: Handle<Abc> = app.server().load(file);
        let scene = app.server().load(format!("{file}#Scene"));
        let root = app.spawn_entity((WorldAssetRoot(scene), bundle));
        app.wait_for(root);
        let mut watched = Self {
            app,
            file,
            root,
            edits: 0,
            model,
        };
        watched.save(document);
        watched
    }

    /// Shows the start of the clip, and then continues for 0.05 s.
    fn start(&mut self) {
        self.app.step(0.0);
        self.app.step(0.05);
    }

    fn current(&self) -> Arc<AbcModel> {
        let instance = self.app.get::<AbcInstance>(self.root);
        instance.model().clone()
    }

    fn time(&self) -> f32 {
        self.app.get::<Playback>(self.root).time
    }

    /// Saves a model to the file, and waits until the instance shows it.
    #[track_caller]
    fn save(&mut self, document: &AbcDocument) {
        self.edits += 1;
        // Bevy may load a file more often than it was saved, so each save has its own mark.
        let mark = format!("edit {}", self.edits);
        let marked = AbcDocument {
            command_string: mark.clone(),
            ..document.clone()
        };
        self.app.save(self.file, bytes(&marked));
        let root = self.root;
        self.app.wait("the edit to be loaded", |world| {
            let instance = world.get::<AbcInstance>(root).unwrap();
            *instance.model().command_string == *mark
        });
        self.app.step(0.0);
        self.app.step(0.0);
    }

    /// Saves a model like [`Self::save`], and asserts that the clip's time stays the same.
    #[track_caller]
    fn edit(&mut self, document: &AbcDocument) {
        let before = self.time();
        self.save(document);
        assert!(
            (self.time() - before).abs() < 1e-6,
            "the clip's time changed"
        );
    }

    /// Asserts that the instance shows the document's model at the clip's time.
    #[track_caller]
    fn assert_shows(&mut self, document: &AbcDocument, level: usize) {
        let reference = Reference::new(document);
        let vertices = reference.vertices(Some(0), self.time().into());
        let expected = reference.drawn(level, false, true);
        let found = drawn_in(self.app.app.world(), self.root);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            let mut position = vertices[expected.vertex];
            position.z = -position.z;
            let error = found.as_dvec3().distance(position);
            assert!(error < 1e-2, "{expected:?}: {found}, expected {position}");
        }
    }

    /// Continues playback, and compares after each step.
    #[track_caller]
    fn assert_plays(&mut self, document: &AbcDocument, level: usize) {
        self.assert_shows(document, level);
        for _ in 0..3 {
            let before = self.time();
            self.app.step(0.03);
            assert_ne!(before, self.time(), "the clip does not advance");
            self.assert_shows(document, level);
        }
    }

    fn errors(&self) -> Vec<String> {
        let mut errors = log::errors_of(&["bevy_asset"]);
        errors.retain(|text| text.contains(self.file));
        errors
    }
}

/// The document with larger vertex positions.
fn grown(document: &AbcDocument) -> AbcDocument {
    let mut document = document.clone();
    for vertex in &mut document.geometry.vertices {
        vertex.position = vertex.position.map(|it| (it.get() * 1.5).into());
    }
    document
}

/// The document with other keys in its first clip.
fn moved(document: &AbcDocument) -> AbcDocument {
    let mut document = document.clone();
    for track in &mut document.animations[0].tracks {
        for (index, key) in track.keys.iter_mut().enumerate() {
            key.translation[1] = (2.0 * index as f32).into();
        }
        for position in &mut track.deform {
            position[2] = 255 - position[2];
        }
    }
    document
}

/// The document with an additional node, as the last child of the root.
fn with_node(document: &AbcDocument) -> AbcDocument {
    let mut document = document.clone();
    let index = document.nodes.len() as u16;
    document.nodes.push(node("Extra", index, 0, 0));
    document.nodes[0].children += 1;
    for animation in &mut document.animations {
        let keys = vec![([1.0, 2.0, 3.0], IDENTITY_ROTATION); animation.keyframes.len()];
        animation.tracks.push(track(&keys));
    }
    document
}

/// The document without deforming vertices.
fn without_deform(document: &AbcDocument) -> AbcDocument {
    let mut document = document.clone();
    document.nodes[FLAG_NODE].deform_vertices.clear();
    for animation in &mut document.animations {
        animation.tracks[FLAG_NODE].deform.clear();
    }
    for (index, vertex) in document.geometry.vertices.iter_mut().enumerate() {
        if usize::from(vertex.node) == FLAG_NODE {
            vertex.position = [index % 6, index / 6, 1].map(|it| (it as f32).into());
        }
    }
    document
}

#[test]
fn every_kind_of_edit_shows_during_playback() {
    let first = banner();
    let mut watched = Watched::new("edited.abc", &first, PlayClip::looping(0_usize));
    watched.start();
    watched.assert_plays(&first, 0);
    for document in [
        grown(&first),
        moved(&first),
        with_node(&first),
        without_deform(&first),
        moved(&without_deform(&first)),
        first.clone(),
    ] {
        watched.edit(&document);
        watched.assert_plays(&document, 0);
        let nodes = watched.app.get::<AbcInstance>(watched.root).nodes();
        assert_eq!(nodes.len(), document.nodes.len());
        assert_eq!(
            watched.current().deforms.is_empty(),
            document.nodes[FLAG_NODE].deform_vertices.is_empty()
        );
    }
    // No nodes of the previous models are left.
    assert_eq!(watched.app.count::<AbcNode>(), first.nodes.len());
    assert_eq!(watched.errors(), Vec::<String>::new());
}

#[test]
fn broken_file_changes_nothing_until_fixed() {
    let first = banner();
    let mut watched = Watched::new("broken.abc", &first, PlayClip::looping(0_usize));
    watched.start();
    let valid = bytes(&grown(&first));
    // A truncated file, a file with a wrong value, and a file of another format.
    let mut wrong_value = valid.clone();
    wrong_value[40..44].copy_from_slice(&[255; 4]);
    let mut logged = 0;
    for broken in [&valid[..valid.len() / 2], &wrong_value, b"Ogawa"] {
        let before = watched.current();
        watched.app.save(watched.file, broken);
        let path = watched.file;
        watched.app.wait("the error to be logged", |_| {
            let errors = log::errors_of(&["bevy_asset"]);
            errors.iter().filter(|text| text.contains(path)).count() > logged
        });
        watched.app.wait_until_idle();
        let errors = watched.errors();
        // Bevy may load an asset with a live handle twice, and the watcher may report a write as two changes.
        assert!(errors.len() <= logged + 4, "{errors:#?}");
        for error in &errors[logged..] {
            assert!(
                error.contains("broken.abc: ABC: ") && error.contains("at offset"),
                "{error}"
            );
        }
        logged = errors.len();
        assert!(Arc::ptr_eq(&before, &watched.current()));
        watched.assert_plays(&first, 0);
    }
    watched.edit(&grown(&first));
    watched.assert_plays(&grown(&first), 0);
    let server = watched.app.server();
    assert!(matches!(
        server.load_state(&watched.model),
        LoadState::Loaded
    ));
}

#[test]
fn removed_lod_falls_back_to_the_coarsest() {
    let first = figure();
    let mut fewer = first.clone();
    fewer.geometry.vertices.pop();
    fewer.geometry.lod_starts.pop();
    let mut none = fewer.clone();
    none.geometry.vertices.pop();
    none.geometry.lod_starts.pop();
    let bundle = (PlayClip::looping(0_usize), ModelLod(2));
    let mut watched = Watched::new("levels.abc", &first, bundle);
    watched.start();
    // The full model has 4 triangles, and its two coarser levels 3 and 2. The default shares skip the first.
    let numbers = |watched: &Watched| -> Vec<u32> {
        let model = watched.current();
        model.levels.iter().map(|level| level.number).collect()
    };
    for (document, expected) in [
        (&first, &[0, 2][..]),
        (&fewer, &[0, 1]),
        (&none, &[0]),
        (&first, &[0, 2]),
    ] {
        if document != &first || watched.current().levels.len() == 1 {
            watched.edit(document);
        }
        assert_eq!(numbers(&watched), expected);
        watched.assert_plays(document, *expected.last().unwrap() as usize);
    }
}

#[test]
fn shortened_or_removed_clip_keeps_a_valid_time() {
    let first = banner();
    let mut shorter = first.clone();
    let animation = &mut shorter.animations[0];
    animation.length = 100;
    animation.keyframes.pop();
    for track in &mut animation.tracks {
        track.keys.pop();
        let left = track.deform.len() / 3 * 2;
        track.deform.truncate(left);
    }
    let mut watched = Watched::new("shorter.abc", &first, PlayClip::looping(0_usize));
    watched.app.step(0.0);
    watched.app.step(0.25);
    watched.save(&shorter);
    assert!((0.0..=0.1).contains(&watched.time()), "{}", watched.time());
    watched.assert_plays(&shorter, 0);
    // Only one other clip remains.
    let mut fewer = first.clone();
    fewer.animations.remove(0);
    fewer.animations[0].name = "Another".into();
    watched.edit(&fewer);
    watched.assert_plays(&fewer, 0);
}

const SKINNED: &str = "model.abc";
const SKIN: &str = "model.dtx";

/// Asserts that the model is rendered with a skin of these texels.
#[track_caller]
fn assert_skin(stage: &mut Stage, root: Entity, texels: &[[u8; 4]], context: &str) {
    let bytes = bytes(&tower(None));
    let mesh = control(&parse(&bytes).unwrap(), Shown::new(0, 0.0));
    for view in VIEWS {
        stage.move_camera(view);
        let image = stage.add_levels(texels);
        let material = stage.add_material(matte(Some(image)));
        let expected = stage.capture_controls(root, vec![(mesh.clone(), material)]);
        let shown = stage.capture();
        shown.assert_matches(&expected, &format!("{context} from {view}"));
    }
}

/// Waits until the image of a model's skin starts with a texel.
fn wait_for_skin(stage: &mut Stage, root: Entity, texel: [u8; 4]) {
    stage.wait_for("the skin is reloaded", |world| {
        let instance = world.get::<AbcInstance>(root).unwrap();
        let image = &instance.model().skins[0].image;
        let images = world.resource::<Assets<Image>>();
        let data = images.get(image).and_then(|image| image.data.as_ref());
        data.is_some_and(|data| data.starts_with(&texel))
    });
}

#[test]
fn edited_skin_shows_and_broken_skin_keeps_the_previous() {
    let first = colors([255; 4]);
    let mut second = first.clone();
    second.reverse();
    let third = vec![[10, 200, 190, 255]; 8 * 8];
    let mut stage = Stage::watching(&[(SKINNED, bytes(&tower(None))), (SKIN, dtx(&first))]);
    let path = stage.folder().join(SKIN);
    let root = stage.spawn_abc(SKINNED, AbcLoaderSettings::default(), ());
    let model = |stage: &mut Stage| {
        let instance = stage.get::<AbcInstance>(root);
        instance.model().clone()
    };
    let before = model(&mut stage);
    assert_skin(&mut stage, root, &first, "the first skin");
    std::fs::write(&path, dtx(&second)).unwrap();
    wait_for_skin(&mut stage, root, second[0]);
    assert_skin(&mut stage, root, &second, "the second skin");
    // A truncated skin.
    std::fs::write(&path, &dtx(&third)[..1230]).unwrap();
    stage.wait_for("the error is logged", |_| {
        let errors = log::errors_of(&["bevy_asset"]);
        let mut errors = errors.iter().filter(|text| text.contains(SKIN));
        errors.any(|text| text.contains("DTX: mip level 0 at offset 1196"))
    });
    stage.wait_until_idle();
    assert_skin(&mut stage, root, &second, "while the skin is broken");
    std::fs::write(&path, dtx(&third)).unwrap();
    wait_for_skin(&mut stage, root, third[0]);
    assert_skin(&mut stage, root, &third, "the third skin");
    assert!(
        Arc::ptr_eq(&before, &model(&mut stage)),
        "the model was reloaded"
    );
}
