//! Random clips, tables and seeks on all formats: models stay valid, and assets do not accumulate.

use crate::clips::named::{KINDS, Kind, app, named};
use crate::support::prelude::*;
use crate::support::random::Random;

const STEPS: usize = 3000;
const NAMES: [&str; 4] = ["a", "B", "run", "Walk"];

/// Random values for a kind of model.
trait RandomClips {
    fn random_part(&mut self, clip: ClipRef) -> ClipRef;
    fn random_clip(&mut self, kind: &Kind) -> ClipRef;
    fn random_table(&mut self, kind: &Kind) -> ModelClips;
    fn random_play(&mut self, kind: &Kind) -> PlayClip;
}

impl RandomClips for Random {
    fn random_part(&mut self, clip: ClipRef) -> ClipRef {
        let start = self.of(&[0, 0, 0, 1, 1, 1, 2, 4, 900, u32::MAX]);
        let end = self.of(&[0, 1, 2, 2, 3, 3, 4, 5, 900, u32::MAX]);
        ClipRef::Part {
            clip: clip.into(),
            frames: start..end,
        }
    }

    fn random_clip(&mut self, kind: &Kind) -> ClipRef {
        let clip = match self.below(6) {
            0..=1 => kind.clip.into(),
            2 => kind.other.into(),
            3 => self.below(4).into(),
            _ => self.of(&NAMES).into(),
        };
        match self.below(5) {
            0..=1 => self.random_part(clip),
            2 => {
                let part = self.random_part(clip);
                self.random_part(part)
            }
            _ => clip,
        }
    }

    fn random_table(&mut self, kind: &Kind) -> ModelClips {
        let count = self.below(6);
        let clip = |_| {
            let repeat = self.of(&[Repeat::Loop, Repeat::Once, Repeat::FromManifest]);
            let speed = match self.below(4) {
                0 => self.number(),
                _ => 1.0,
            };
            let clip = self.random_clip(kind);
            named(self.of(&NAMES), clip, speed, repeat)
        };
        ModelClips::new((0..count).map(clip))
    }

    fn random_play(&mut self, kind: &Kind) -> PlayClip {
        let mut play = PlayClip::from_manifest(self.random_clip(kind));
        play.repeat = self.of(&[Repeat::Loop, Repeat::Once, Repeat::FromManifest]);
        play.fade = self.of(&[0.0, 0.0, 0.1, 0.5, 3.0]);
        if self.below(4) == 0 {
            play.speed = self.number();
        }
        if self.below(4) == 0 {
            play.start = Some(self.number());
        }
        play
    }
}

fn change_randomly(app: &mut TestApp, random: &mut Random, root: Entity, kind: &Kind) {
    match random.below(8) {
        0..=2 => {
            app.insert(root, random.random_play(kind));
        }
        3..=4 => {
            app.insert(root, random.random_table(kind));
        }
        5 => {
            app.remove::<ModelClips>(root);
        }
        6 => {
            app.remove::<PlayClip>(root);
        }
        _ => {
            let time = random.number();
            if let Some(mut playback) = app.world().get_mut::<Playback>(root) {
                playback.time = time;
            }
        }
    }
}

/// Asserts the invariants of a model. Returns whether a clip plays on its bones.
fn assert_valid(app: &mut TestApp, root: Entity, what: &str) -> bool {
    let world = app.app.world();
    let mut is_playing = false;
    if let Some(playback) = world.get::<Playback>(root) {
        let time = playback.time;
        // Without a playing clip, the time can have any value.
        is_playing = app.find::<PlayClip>(root).is_some() && app.plays_clip(root);
        assert!(
            !is_playing || (0.0..=0.401).contains(&time),
            "{what}: {time}"
        );
    }
    let bones = world.get::<AloInstance>(root).map(AloInstance::bones);
    let nodes = world.get::<AbcInstance>(root).map(AbcInstance::nodes);
    for entity in bones.or(nodes).unwrap_or_default() {
        let transform = world.get::<Transform>(*entity).unwrap();
        assert!(
            transform.is_finite() && transform.rotation.is_normalized(),
            "{what}: {transform:?}"
        );
    }
    if let Some(animator) = world.get::<bevy_classic_models::quake::MdlInstance>(root) {
        let shown = animator.shown();
        let sequence = animator.sequence();
        let poses = sequence.first_pose..sequence.first_pose + sequence.pose_count;
        assert!(
            poses.contains(&shown.to.a) && poses.contains(&shown.to.b),
            "{what}: {shown:?}"
        );
        assert!(
            (0.0..=1.0).contains(&shown.to.towards_b),
            "{what}: {shown:?}"
        );
        assert!(
            (0.0..=1.0).contains(&shown.from_weight),
            "{what}: {shown:?}"
        );
    }
    is_playing
}

#[test]
fn random_clips_keep_models_valid() {
    let mut app = app();
    let mut random = Random(77);
    let mut roots = Vec::new();
    for number in 0..6 {
        let kind = &KINDS[number % 3];
        let root = app.spawn_ready(kind.scene, ());
        app.apply(root, random.random_play(kind));
        roots.push((root, kind));
    }
    let mut played = 0;
    for step in 0..STEPS {
        let (root, kind) = roots[random.below(roots.len())];
        change_randomly(&mut app, &mut random, root, kind);
        app.step(random.of(&[0.0, 0.004, 0.016, 0.05, 0.2]));
        for (number, (root, _)) in roots.iter().enumerate() {
            let what = format!("model {number} in step {step}");
            played += usize::from(assert_valid(&mut app, *root, &what));
        }
    }
    assert!(played > STEPS, "{played}");
}
