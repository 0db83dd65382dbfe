//! LithTech models that change while they play, compared with the reference in every step. `reload_matrix` has all kinds of
//! edits, with Bevy's file watcher.

use crate::support::abc::{bytes, figure, node, track};
use crate::support::abc_app::{FILE, drawn};
use crate::support::abc_reference::Reference;
use crate::support::abc_stage::{control, dtx};
use crate::support::prelude::*;
use bevy_classic_models::lithtech::AbcNode;
use bevy_classic_models::lithtech::abc::parse;

/// A spawned model whose file is edited.
struct Edited {
    app: TestApp,
    root: Entity,
}

impl Edited {
    /// Continues the clip of `bundle` for some seconds.
    fn new(document: &AbcDocument, bundle: impl Bundle, seconds: f32) -> Self {
        let mut app = TestApp::new(&[(FILE, bytes(document))]);
        app.keep_loaded(FILE);
        let root = app.spawn_ready("model.abc#Scene", bundle);
        app.step(0.0);
        app.step(seconds);
        Self { app, root }
    }

    fn current(&self) -> Arc<AbcModel> {
        let instance = self.app.get::<AbcInstance>(self.root);
        instance.model().clone()
    }

    fn time(&self) -> f32 {
        self.app.get::<Playback>(self.root).time
    }

    fn save(&mut self, bytes: Vec<u8>) {
        self.app.replace(FILE, bytes);
        self.app.step(0.0);
    }

    /// Saves a model, and asserts that the clip's time stays the same.
    #[track_caller]
    fn edit(&mut self, document: &AbcDocument) {
        let (before, old) = (self.time(), self.current());
        self.save(bytes(document));
        assert!(!Arc::ptr_eq(&old, &self.current()));
        let moved = (self.time() - before).abs();
        assert!(moved < 1e-6, "the clip's time changed");
    }

    /// Asserts that the instance shows the document's model at the clip's time.
    #[track_caller]
    fn assert_shows(&mut self, document: &AbcDocument, level: usize) {
        let reference = Reference::new(document);
        let vertices = reference.vertices(Some(0), self.time().into());
        let expected = reference.drawn(level, false, true);
        let found = drawn(&mut self.app, self.root);
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
    let mut edited = Edited::new(&first, PlayClip::looping(0_usize), 0.05);
    edited.assert_plays(&first, 0);
    for document in [
        grown(&first),
        moved(&first),
        with_node(&first),
        without_deform(&first),
        moved(&without_deform(&first)),
        first.clone(),
    ] {
        edited.edit(&document);
        edited.assert_plays(&document, 0);
        let nodes = edited.app.get::<AbcInstance>(edited.root).nodes();
        assert_eq!(nodes.len(), document.nodes.len());
        assert_eq!(
            edited.current().deforms.is_empty(),
            document.nodes[FLAG_NODE].deform_vertices.is_empty()
        );
    }
    // No nodes of the previous models are left.
    assert_eq!(edited.app.count::<AbcNode>(), first.nodes.len());
    // A truncated file, a file with a wrong value, and a file of another format change nothing.
    let valid = bytes(&grown(&first));
    let mut wrong_value = valid.clone();
    wrong_value[40..44].copy_from_slice(&[255; 4]);
    for broken in [&valid[..valid.len() / 2], &wrong_value, b"Ogawa"] {
        let before = edited.current();
        edited.save(broken.to_vec());
        assert!(Arc::ptr_eq(&before, &edited.current()));
        edited.assert_plays(&first, 0);
    }
    edited.edit(&grown(&first));
    edited.assert_plays(&grown(&first), 0);
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
    let mut edited = Edited::new(&first, bundle, 0.05);
    // The full model has 4 triangles, and its two coarser levels 3 and 2. The default shares skip the first.
    for (document, expected) in [
        (&first, &[0, 2][..]),
        (&fewer, &[0, 1]),
        (&none, &[0]),
        (&first, &[0, 2]),
    ] {
        edited.edit(document);
        let levels = edited.current();
        let numbers = levels.levels.iter().map(|level| level.number);
        assert!(numbers.eq(expected.iter().copied()));
        edited.assert_plays(document, *expected.last().unwrap() as usize);
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
    let mut edited = Edited::new(&first, PlayClip::looping(0_usize), 0.25);
    edited.save(bytes(&shorter));
    assert!((0.0..=0.1).contains(&edited.time()), "{}", edited.time());
    edited.assert_plays(&shorter, 0);
    // Only one other clip remains.
    let mut fewer = first.clone();
    fewer.animations.remove(0);
    fewer.animations[0].name = "Another".into();
    edited.edit(&fewer);
    edited.assert_plays(&fewer, 0);
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
