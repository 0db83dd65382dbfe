//! Random changes to playing models, in any order: poses and weights stay valid.

use crate::ala::play::{SCENE, ala, files, moves};
use crate::support::prelude::*;
use crate::support::random::Random;

const STEPS: usize = 2000;
const INSTANCES: usize = 6;
/// The greatest count of clips that a model may blend at once, however often its clip changes.
const MAX_ACTIVE_CLIPS: usize = 9;

/// Random clips and playback settings.
trait RandomClips {
    fn clip(&mut self, loaded: &Handle<AnimationClip>) -> ClipRef;
    fn play(&mut self, loaded: &Handle<AnimationClip>) -> PlayClip;
}

impl RandomClips for Random {
    fn clip(&mut self, loaded: &Handle<AnimationClip>) -> ClipRef {
        match self.below(8) {
            0..=4 => self
                .of(&["MOVE_00", "MOVE_01", "ATTACK_00", "FEW_00", "STILL_00"])
                .into(),
            5 => self.of(&[0_usize, 1, 2]).into(),
            6 => loaded.clone().into(),
            _ => self.of(&["JUGGLE_07", ""]).into(),
        }
    }

    fn play(&mut self, loaded: &Handle<AnimationClip>) -> PlayClip {
        let mut play = PlayClip::looping(self.clip(loaded)).with_speed(1.0);
        if self.below(2) == 0 {
            play.repeat = Repeat::Once;
        }
        if self.below(3) == 0 {
            play.speed = self.number();
        }
        if self.below(3) == 0 {
            play.start = Some(self.number());
        }
        play.fade = match self.below(4) {
            0 => self.number(),
            1 => 0.0,
            _ => self.of(&[0.1, 0.5, 3.0]),
        };
        play.paused = self.below(6) == 0;
        play
    }
}

/// Applies a random change to a model.
fn change_randomly(
    app: &mut TestApp,
    random: &mut Random,
    root: &mut Entity,
    loaded: &Handle<AnimationClip>,
) {
    let number = random.number();
    let choice = random.below(12);
    let mut entity = app.world().entity_mut(*root);
    match choice {
        0..=3 => {
            entity.insert(random.play(loaded));
        }
        4 => {
            entity.remove::<PlayClip>();
        }
        5 => {
            entity.insert((
                ModelLod(random.below(4) as u32),
                DamageStage(random.below(3) as u32),
            ));
        }
        6 => {
            if let Some(mut playback) = entity.get_mut::<Playback>() {
                playback.time = number;
            }
        }
        7 if random.below(3) == 0 => {
            entity.despawn();
            let play = random.play(loaded);
            *root = app.spawn(SCENE, play);
        }
        7 => {
            // Remove the scene for one frame, and keep the playback components.
            let scene = entity.take::<WorldAssetRoot>();
            app.step(0.01);
            app.insert(*root, scene.unwrap());
        }
        _ => {
            let change = random.below(6);
            let Some(mut play) = entity.get_mut::<PlayClip>() else {
                return;
            };
            match change {
                0 => play.speed = number,
                1 => play.fade = number,
                2 => play.start = Some(number),
                3 => play.paused = !play.paused,
                4 => play.interpolate = !play.interpolate,
                _ => play.repeat = random.of(&[Repeat::Loop, Repeat::Once]),
            }
        }
    }
}

/// Asserts that a model's transforms, weights and time are valid. Returns the count of active clips.
fn assert_valid(app: &mut TestApp, root: Entity, context: &str) -> usize {
    let world = app.app.world();
    let Some(instance) = world.get::<AloInstance>(root) else {
        return 0;
    };
    for bone in instance.bones() {
        let local = world.get::<Transform>(*bone).unwrap();
        let global = world.get::<GlobalTransform>(*bone).unwrap();
        assert!(
            local.is_finite() && global.affine().is_finite(),
            "{context}: {local:?}"
        );
        assert!(local.rotation.is_normalized(), "{context}: {local:?}");
    }
    let animator = world.get::<AloAnimator>(root).unwrap();
    assert!((0.0..=1.0).contains(&animator.weight()), "{context}");
    let active_clips = format!("{animator:?}").matches("ActiveClip {").count();
    if active_clips > 0 {
        let time = world.get::<Playback>(root).unwrap().time;
        assert!((0.0..=0.4001).contains(&time), "{context}: {time}");
    }
    active_clips
}

#[test]
fn random_changes_keep_models_valid() {
    let mut few = moves(3.0);
    few.bones.truncate(1);
    let mut still = moves(0.0);
    still.frames = 1;
    still.bones.truncate(2);
    let mut all = files();
    all.extend([
        ("art/Unit_FEW_00.ala", ala(&few)),
        ("art/Unit_STILL_00.ala", ala(&still)),
        ("far/Any.ala", ala(&moves(2.0))),
    ]);
    let mut app = TestApp::new(&all);
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let loaded: Handle<AnimationClip> = app.load("far/Any.ala#Clip");
    let mut random = Random(9);
    let mut roots = Vec::new();
    for _ in 0..INSTANCES {
        let play = random.play(&loaded);
        roots.push(app.spawn_ready(SCENE, play));
    }
    let (mut played, mut max_active_clips) = (0, 0);
    for step in 0..STEPS {
        let root = random.below(INSTANCES);
        change_randomly(&mut app, &mut random, &mut roots[root], &loaded);
        app.step(random.of(&[0.0, 0.004, 0.016, 0.05, 0.2]));
        for (index, root) in roots.iter().enumerate() {
            let active_clips =
                assert_valid(&mut app, *root, &format!("model {index} in step {step}"));
            played += usize::from(active_clips > 0);
            max_active_clips = max_active_clips.max(active_clips);
        }
    }
    println!("{played} poses, up to {max_active_clips} clips at a time");
    assert!(played > STEPS * INSTANCES / 2);
    assert!(
        max_active_clips > 3 && max_active_clips <= MAX_ACTIVE_CLIPS,
        "{max_active_clips}"
    );
}

/// Every frame starts a new fade.
#[test]
fn fade_in_every_frame_limits_active_clips() {
    let mut app = TestApp::new(&files());
    let alo = app.load::<Alo>("art/Unit.alo");
    app.wait_loaded(&alo);
    let root = app.spawn_ready(SCENE, ());
    let mut max_clips = 0;
    for frame in 0..600 {
        let clip = ["MOVE_00", "MOVE_01"][frame % 2];
        let play = PlayClip::looping(clip).with_fade(0.3);
        app.insert(root, play);
        app.step(1.0 / 60.0);
        max_clips = max_clips.max(assert_valid(&mut app, root, &format!("frame {frame}")));
    }
    assert!(max_clips <= MAX_ACTIVE_CLIPS, "{max_clips} active clips");
}
