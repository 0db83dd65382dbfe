//! Loads and plays every real Alamo animation of the corpus on its model, and compares all bones with the file.

use crate::support::prelude::*;
use bevy_classic_models::alamo::ala::{AlaBone, parse};
use bevy_classic_models::alamo::{AloAnimation, AloBoneInfo};

/// Tolerance: relative for values above 1, otherwise absolute. Frame times are rounded to `f32`.
const TOLERANCE: f32 = 1e-4;

/// Known bones of clips that their models lack: the clip's path and the bone's name.
const KNOWN_MISMATCHES: [(&str, &str); 0] = [];

/// An app with the corpus: models in one folder, animations in another.
struct Corpus {
    app: TestApp,
    models: Vec<&'static str>,
    clips: Vec<(&'static str, Vec<u8>)>,
}

impl Corpus {
    fn open(test: &str) -> Option<Self> {
        let folder = corpus(test)?;
        let in_folder = |folder: &str, files: Vec<(String, Vec<u8>)>| {
            let path = |name| &*format!("{folder}/{name}").leak();
            let files = files.into_iter();
            files
                .map(|(name, bytes)| (path(name), bytes))
                .collect::<Vec<_>>()
        };
        let models = in_folder("models", files_of(&folder, "alo"));
        let clips = in_folder("clips", files_of(&folder, "ala"));
        if clips.is_empty() {
            println!("{test}: skipped, the corpus has no animations");
            return None;
        }
        log::listen();
        Some(Self {
            app: TestApp::new(&[&models[..], &clips[..]].concat()),
            models: models.into_iter().map(|(path, _)| path).collect(),
            clips,
        })
    }

    /// Loads a model with its animations. Returns `None` if it fails to load.
    fn load(&mut self, path: &'static str) -> Option<Handle<Alo>> {
        let server = self.app.server();
        let set =
            |settings: &mut AloLoaderSettings| settings.animation_folders = vec!["clips".into()];
        let model = server.load_builder().with_settings(set).load(path);
        let state = self.app.finish_load(&model);
        matches!(state, LoadState::Loaded).then_some(model)
    }

    fn model(&mut self, alo: &Handle<Alo>) -> Arc<AloModel> {
        let models = self.app.assets::<Alo>();
        models.get(alo).unwrap().model.clone()
    }

    fn bytes(&self, path: &str) -> &[u8] {
        let mut clips = self.clips.iter();
        &clips.find(|(other, _)| *other == path).unwrap().1
    }
}

/// The expected transform and visibility of a bone. Without the track, the rotation is at rest, and the bone visible.
fn expected(
    file: &AlaFile<'_>,
    bone: &AlaBone<'_>,
    frame: f32,
    rest: &AloBoneInfo,
) -> (Transform, bool) {
    let AlaPose {
        translation,
        rotation,
        scale,
        visible,
    } = file.sample(bone, frame);
    let transform = Transform {
        translation: translation.into(),
        rotation: rotation.map_or(rest.transform.rotation, Quat::from_array),
        scale: scale.into(),
    };
    (transform, visible.unwrap_or(true))
}

#[track_caller]
fn assert_close(found: &Transform, expected: &Transform, context: &str) {
    let values = |transform: &Transform, rotation: Quat| -> Vec<f32> {
        let translation = transform.translation.to_array();
        let scale = transform.scale.to_array();
        [&translation[..], &scale[..], &rotation.to_array()[..]].concat()
    };
    // A quaternion and its opposite are the same rotation.
    let rotation = expected.rotation * found.rotation.dot(expected.rotation).signum();
    for (a, b) in values(found, found.rotation)
        .iter()
        .zip(values(expected, rotation))
    {
        let error = (a - b).abs() / b.abs().max(1.0);
        assert!(
            error <= TOLERANCE,
            "{context}: {found:?}, expected {expected:?}"
        );
    }
}

/// Shows a clip at six times and compares all bones. Returns the count of compared bones.
fn play(corpus: &mut Corpus, root: Entity, model: &AloModel, clip: &AloAnimation) -> usize {
    let path = clip.ala.path().unwrap().to_string();
    let bytes = corpus.bytes(&path).to_vec();
    let file = parse(&bytes).unwrap();
    let alas = corpus.app.assets::<Ala>();
    let mismatches = alas.get(&clip.ala).unwrap().mismatches(model);
    for mismatch in &mismatches {
        let known = KNOWN_MISMATCHES.contains(&(&*path, &*mismatch.name));
        assert!(known, "{path}: {mismatch}");
    }
    let last = (file.frames - 1) as f32;
    let mut compared = 0;
    for frame in [
        0.0,
        0.5,
        0.37 * last,
        last / 2.0,
        (last - 0.75).max(0.0),
        last,
    ] {
        let frame = frame.min(last);
        let time = frame / file.fps;
        let play = PlayClip::once(&*clip.name)
            .starting_at(time)
            .with_speed(0.0);
        corpus.app.insert(root, play);
        corpus.app.step(0.0);
        let world = corpus.app.app.world();
        let bones = world.get::<AloInstance>(root).unwrap().bones();
        for (index, (entity, rest)) in bones.iter().zip(&model.bones).enumerate() {
            let has_index = |bone: &&AlaBone<'_>| bone.index as usize == index;
            let track = file.bones.iter().find(has_index);
            let track = track.filter(|_| mismatches.iter().all(|other| other.index != index));
            let (transform, visible) = match track {
                Some(bone) => expected(&file, bone, frame, rest),
                None => (rest.transform, rest.visible),
            };
            let context = format!("{path}: {} at frame {frame}", rest.name);
            assert_close(
                world.get::<Transform>(*entity).unwrap(),
                &transform,
                &context,
            );
            let shown = world.get::<BoneVisibility>(*entity).unwrap().is_visible();
            assert_eq!(shown, visible, "{context}");
            compared += 1;
        }
    }
    compared
}

#[test]
fn real_animations_play_on_their_models() {
    let Some(mut corpus) = Corpus::open("real_animations_play_on_their_models") else {
        return;
    };
    let mut paired = Vec::new();
    let (mut models, mut compared) = (0, 0);
    for path in corpus.models.clone() {
        let Some(alo) = corpus.load(path) else {
            continue;
        };
        models += 1;
        let model = corpus.model(&alo);
        if model.animations.is_empty() {
            continue;
        }
        let scene: &'static str = format!("{path}#Scene").leak();
        let root = corpus.app.spawn_ready(scene, ());
        for clip in &model.animations {
            compared += play(&mut corpus, root, &model, clip);
            paired.push(clip.ala.path().unwrap().to_string());
        }
        corpus.app.despawn(root);
    }
    // Animations without a model must load too.
    let mut alone = Vec::new();
    for (path, _) in corpus.clips.clone() {
        let ala = corpus.app.load::<Ala>(path);
        assert!(
            matches!(corpus.app.finish_load(&ala), LoadState::Loaded),
            "{path}"
        );
        let ala = corpus.app.assets::<Ala>().get(&ala);
        assert_eq!(ala.unwrap().warnings, [], "{path}");
        if !paired.iter().any(|other| other == path) {
            alone.push(path);
        }
    }
    println!(
        "{} animations, {} on {models} models, {} without a model: {alone:?}; {compared} bones compared",
        corpus.clips.len(),
        paired.len(),
        alone.len()
    );
    let mut distinct = paired.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(
        distinct.len(),
        paired.len(),
        "an animation belongs to several models"
    );
    assert_eq!(paired.len() + alone.len(), corpus.clips.len());
    assert!(!paired.is_empty() && compared > 0);
    let warnings = log::warnings_with("clips/");
    assert_eq!(warnings.len(), KNOWN_MISMATCHES.len(), "{warnings:?}");
}
