//! LithTech models and their skins that change on disk while they are in use, seen by the real watcher.

use crate::gpuless;
use crate::support::abc::{FLAG_NODE, IDENTITY_ROTATION, banner, bytes, figure, node, track};
use crate::support::abc_app::drawn_in;
use crate::support::abc_reference::Reference;
use crate::support::abc_stage::{Shown, colors, control, dtx, tower};
use crate::support::alo_stage::matte;
use crate::support::loads::Loads;
use crate::support::log;
use crate::support::stage::{Stage, VIEWS};
use bevy::asset::LoadState;
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcModel;
use bevy_classic_models::lithtech::abc::parse;
use bevy_classic_models::lithtech::abc::write::AbcDocument;
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::prelude::*;
use std::sync::Arc;
use tempfile::TempDir;

/// An app without a GPU that watches a folder with one model in it, which plays its first clip.
struct Watched {
    app: App,
    loads: Loads,
    folder: TempDir,
    file: &'static str,
    root: Entity,
    /// How often the file was saved.
    edits: usize,
    /// Kept, because Bevy reloads only what somebody holds.
    model: Handle<Abc>,
}

impl Watched {
    fn new(file: &'static str, document: &AbcDocument, bundle: impl Bundle) -> Self {
        log::listen();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(file), bytes(document)).unwrap();
        let mut app = App::new();
        let loads = Loads::from_folder(&mut app, folder.path(), true);
        app.add_plugins(gpuless::plugins(folder.path(), true))
            .add_plugins(ClassicModelsPlugins);
        gpuless::finish(&mut app);
        let model: Handle<Abc> = app.world().resource::<AssetServer>().load(file);
        let scene = app
            .world()
            .resource::<AssetServer>()
            .load(format!("{file}#Scene"));
        let root = app.world_mut().spawn((WorldAssetRoot(scene), bundle)).id();
        let mut watched = Self {
            app,
            loads,
            folder,
            file,
            root,
            edits: 0,
            model,
        };
        watched.wait("it is there", |world| {
            world.get::<AbcInstance>(root).is_some()
        });
        watched.save(document);
        watched
    }

    fn wait(&mut self, what: &str, done: impl FnMut(&mut World) -> bool) {
        assert!(
            gpuless::wait_until(&mut self.app, done),
            "in vain until {what}"
        );
    }

    /// Waits until everything that was saved is followed.
    fn wait_until_idle(&mut self) {
        self.loads.run_until_idle(&mut self.app, 0.0, |_| false);
    }

    fn step(&mut self, seconds: f32) {
        gpuless::step(&mut self.app, seconds);
    }

    fn write(&self, bytes: &[u8]) {
        std::fs::write(self.folder.path().join(self.file), bytes).unwrap();
    }

    fn current(&self) -> Arc<AbcModel> {
        let instance = self.app.world().get::<AbcInstance>(self.root).unwrap();
        instance.model().clone()
    }

    fn time(&self) -> f32 {
        self.app.world().get::<Playback>(self.root).unwrap().time
    }

    /// Saves another model, and waits until it is seen.
    #[track_caller]
    fn save(&mut self, document: &AbcDocument) {
        self.edits += 1;
        // Bevy may load a file once more than it was saved.
        let mark = format!("edit {}", self.edits);
        let marked = AbcDocument {
            command_string: mark.clone(),
            ..document.clone()
        };
        self.write(&bytes(&marked));
        let root = self.root;
        self.wait("the edit is seen", |world| {
            let instance = world.get::<AbcInstance>(root).unwrap();
            *instance.model().command_string == *mark
        });
        self.step(0.0);
        self.step(0.0);
    }

    /// Saves another model, and waits until it is seen. The clip's time stands until then, and after.
    #[track_caller]
    fn edit(&mut self, document: &AbcDocument) {
        let then = self.time();
        self.save(document);
        assert!((self.time() - then).abs() < 1e-6, "time jumps");
    }

    /// Fails unless what shows is the document's model at the clip's time.
    #[track_caller]
    fn assert_shows(&mut self, document: &AbcDocument, level: usize) {
        let reference = Reference::new(document);
        let vertices = reference.vertices(Some(0), self.time().into());
        let expected = reference.drawn(level, false, true);
        let found = drawn_in(self.app.world(), self.root);
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.as_flattened().iter().zip(expected.as_flattened()) {
            let mut place = vertices[expected.vertex];
            place.z = -place.z;
            let error = found.as_dvec3().distance(place);
            assert!(error < 1e-2, "{expected:?}: {found} is not {place}");
        }
    }

    /// Goes on playing, and compares.
    #[track_caller]
    fn assert_plays(&mut self, document: &AbcDocument, level: usize) {
        self.assert_shows(document, level);
        for _ in 0..3 {
            let before = self.time();
            self.step(0.03);
            assert_ne!(before, self.time(), "it stands");
            self.assert_shows(document, level);
        }
    }

    fn errors(&self) -> Vec<String> {
        let mut errors = log::errors_of(&["bevy_asset"]);
        errors.retain(|text| text.contains(self.file));
        errors
    }
}

/// With its vertices further out.
fn grown(document: &AbcDocument) -> AbcDocument {
    let mut document = document.clone();
    for vertex in &mut document.geometry.vertices {
        vertex.position = vertex.position.map(|it| (it.get() * 1.5).into());
    }
    document
}

/// With other keys in its first clip.
fn moved(document: &AbcDocument) -> AbcDocument {
    let mut document = document.clone();
    for track in &mut document.animations[0].tracks {
        for (number, key) in track.keys.iter_mut().enumerate() {
            key.translation[1] = (2.0 * number as f32).into();
        }
        for place in &mut track.deform {
            place[2] = 255 - place[2];
        }
    }
    document
}

/// With a node more, as the last child of the root.
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

/// With nothing that deforms.
fn stiff(document: &AbcDocument) -> AbcDocument {
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
fn every_kind_of_edit_shows_while_the_model_plays() {
    let first = banner();
    let mut watched = Watched::new("edited.abc", &first, PlayClip::looping(0_usize));
    watched.step(0.0);
    watched.step(0.05);
    watched.assert_plays(&first, 0);
    for document in [
        grown(&first),
        moved(&first),
        with_node(&first),
        stiff(&first),
        moved(&stiff(&first)),
        first.clone(),
    ] {
        watched.edit(&document);
        watched.assert_plays(&document, 0);
        let nodes = watched
            .app
            .world()
            .get::<AbcInstance>(watched.root)
            .unwrap()
            .nodes();
        assert_eq!(nodes.len(), document.nodes.len());
        assert_eq!(
            watched.current().deforms.is_empty(),
            document.nodes[FLAG_NODE].deform_vertices.is_empty()
        );
    }
    // Nothing is left over of the models before.
    let mut nodes = watched
        .app
        .world_mut()
        .query::<&bevy_classic_models::lithtech::AbcNode>();
    assert_eq!(nodes.iter(watched.app.world()).count(), first.nodes.len());
    assert_eq!(watched.errors(), Vec::<String>::new());
}

#[test]
fn a_broken_file_changes_nothing_until_it_is_whole() {
    let first = banner();
    let mut watched = Watched::new("broken.abc", &first, PlayClip::looping(0_usize));
    watched.step(0.0);
    watched.step(0.05);
    let whole = bytes(&grown(&first));
    // Half of it, and one that some number of is wrong.
    let mut wrong = whole.clone();
    wrong[40..44].copy_from_slice(&[255; 4]);
    let mut told = 0;
    for broken in [&whole[..whole.len() / 2], &wrong, b"Ogawa"] {
        let before = watched.current();
        watched.write(broken);
        let path = watched.file;
        watched.wait("the error is logged", |_| {
            let errors = log::errors_of(&["bevy_asset"]);
            errors.iter().filter(|text| text.contains(path)).count() > told
        });
        watched.wait_until_idle();
        let errors = watched.errors();
        // Bevy may try twice what somebody holds.
        assert!(errors.len() <= told + 2, "{errors:#?}");
        for error in &errors[told..] {
            assert!(
                error.contains("broken.abc: ABC: ") && error.contains("at offset"),
                "{error}"
            );
        }
        told = errors.len();
        assert!(Arc::ptr_eq(&before, &watched.current()));
        watched.assert_plays(&first, 0);
    }
    watched.edit(&grown(&first));
    watched.assert_plays(&grown(&first), 0);
    let server = watched.app.world().resource::<AssetServer>();
    assert!(matches!(
        server.load_state(&watched.model),
        LoadState::Loaded
    ));
}

#[test]
fn a_level_of_detail_that_is_gone_is_the_coarsest_that_is_left() {
    let first = figure();
    let mut fewer = first.clone();
    fewer.geometry.vertices.pop();
    fewer.geometry.lod_starts.pop();
    let mut none = fewer.clone();
    none.geometry.vertices.pop();
    none.geometry.lod_starts.pop();
    let bundle = (PlayClip::looping(0_usize), ModelLod(2));
    let mut watched = Watched::new("levels.abc", &first, bundle);
    watched.step(0.0);
    watched.step(0.05);
    // By its shares the full model has 4 triangles, and its two levels 3 and 2.
    let numbers = |watched: &Watched| -> Vec<u32> {
        watched
            .current()
            .levels
            .iter()
            .map(|level| level.number)
            .collect()
    };
    for (document, made) in [
        (&first, &[0, 2][..]),
        (&fewer, &[0, 1]),
        (&none, &[0]),
        (&first, &[0, 2]),
    ] {
        if document != &first || watched.current().levels.len() == 1 {
            watched.edit(document);
        }
        assert_eq!(numbers(&watched), made);
        watched.assert_plays(document, *made.last().unwrap() as usize);
    }
}

#[test]
fn clips_that_change_go_on_within_themselves() {
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
    watched.step(0.0);
    watched.step(0.25);
    watched.save(&shorter);
    assert!((0.0..=0.1).contains(&watched.time()), "{}", watched.time());
    watched.assert_plays(&shorter, 0);
    // The clip is gone with all others but one.
    let mut fewer = first.clone();
    fewer.animations.remove(0);
    fewer.animations[0].name = "Another".into();
    watched.edit(&fewer);
    watched.assert_plays(&fewer, 0);
}

const SKINNED: &str = "model.abc";
const SKIN: &str = "model.dtx";

/// What the model looks like with those texels.
#[track_caller]
fn assert_wears(stage: &mut Stage, root: Entity, texels: &[[u8; 4]], what: &str) {
    let bytes = bytes(&tower(None));
    let mesh = control(&parse(&bytes).unwrap(), Shown::new(0, 0.0));
    for view in VIEWS {
        stage.look_from(view);
        let image = stage.add_levels(texels);
        let material = stage.add_material(matte(Some(image)));
        let expected = stage.capture_instead(root, vec![(mesh.clone(), material)]);
        let shown = stage.capture();
        shown.assert_is(&expected, &format!("{what} from {view}"));
    }
}

/// Waits until the picture of a model's skin begins with a texel.
fn wait_for_skin(stage: &mut Stage, root: Entity, texel: [u8; 4]) {
    stage.headless.wait_until("the skin is seen", |world| {
        let instance = world.get::<AbcInstance>(root).unwrap();
        let image = &instance.model().skins[0].image;
        let images = world.resource::<Assets<Image>>();
        let data = images.get(image).and_then(|image| image.data.as_ref());
        data.is_some_and(|data| data.starts_with(&texel))
    });
}

#[test]
fn an_edited_skin_shows_and_a_broken_one_does_not() {
    let first = colors([255; 4]);
    let mut second = first.clone();
    second.reverse();
    let third = vec![[10, 200, 190, 255]; 8 * 8];
    let mut stage = Stage::watching(&[(SKINNED, bytes(&tower(None))), (SKIN, dtx(&first))]);
    let path = stage.folder().join(SKIN);
    let root = stage.spawn_abc(SKINNED, AbcLoaderSettings::default(), ());
    let model = |stage: &mut Stage| {
        let instance = stage.world().get::<AbcInstance>(root).unwrap();
        instance.model().clone()
    };
    let before = model(&mut stage);
    assert_wears(&mut stage, root, &first, "the first skin");
    std::fs::write(&path, dtx(&second)).unwrap();
    wait_for_skin(&mut stage, root, second[0]);
    assert_wears(&mut stage, root, &second, "the second skin");
    // A broken one.
    std::fs::write(&path, &dtx(&third)[..1230]).unwrap();
    stage.headless.wait_until("the error is logged", |_| {
        let errors = log::errors_of(&["bevy_asset"]);
        let mut errors = errors.iter().filter(|text| text.contains(SKIN));
        errors.any(|text| text.contains("DTX: mip level 0 at offset 1196"))
    });
    stage.wait_until_idle();
    assert_wears(&mut stage, root, &second, "while the skin is broken");
    std::fs::write(&path, dtx(&third)).unwrap();
    wait_for_skin(&mut stage, root, third[0]);
    assert_wears(&mut stage, root, &third, "the third skin");
    assert!(
        Arc::ptr_eq(&before, &model(&mut stage)),
        "the model is not loaded again"
    );
}
