//! Events of clips (`ModelEvents`, `ModelEvent`) on all formats with clips.

use crate::ala::play::{ala, moves};
use crate::clips::named::{KINDS, Kind, app, named};
use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;

/// The times of the frames of each kind's clip, in seconds.
const TIMES: [&[f32]; 3] = [
    &[0.0, 0.1, 0.2],
    &[0.0, 0.1, 0.2, 0.3, 0.4],
    &[0.0, 0.1, 0.3],
];

/// The received events.
pub struct Received(Recorded<ModelEvent>);

impl Received {
    pub fn record(app: &mut TestApp) -> Self {
        Self(app.record())
    }

    /// Takes the events of all roots, with keyframe strings.
    pub fn take_all(&self) -> Vec<ModelEvent> {
        self.0.take()
    }

    /// Takes the events of a root that are not keyframe strings of the file. Returns their names.
    pub fn take(&self, root: Entity) -> Vec<String> {
        names_of(&self.take_all(), root)
    }
}

impl Received {
    /// Like [`take`](Self::take), of a model that plays a clip with [`every_frame`]. The keyframes of LithTech models have
    /// strings, which are sent together with those events.
    #[track_caller]
    pub fn take_with_strings(&self, root: Entity, kind: &Kind) -> Vec<String> {
        let events = self.take_all();
        let found = names_of(&events, root);
        if kind.scene.ends_with(".abc#Scene") {
            let own = events.iter().filter(|event| event.entity == root);
            let frames = own.filter_map(|event| STRINGS.iter().position(|it| *it == event.name));
            assert_eq!(names(&frames.collect::<Vec<_>>()), found, "strings");
        }
        found
    }
}

/// The strings of the keyframes of the LithTech model's clip.
const STRINGS: [&str; 3] = ["begin", "FOOTSTEP_KEY", "[play_sound:step]"];

/// The names of a root's events that are not keyframe strings of the file.
pub fn names_of(events: &[ModelEvent], root: Entity) -> Vec<String> {
    let own = events.iter().filter(|event| event.entity == root);
    let own = own.filter(|event| event.name.starts_with("frame"));
    own.map(|event| event.name.clone()).collect()
}

fn name(frame: usize) -> String {
    format!("frame {frame}")
}

pub fn names(frames: &[usize]) -> Vec<String> {
    frames.iter().copied().map(name).collect()
}

/// An event for each frame of a clip.
pub fn every_frame(clip: impl Into<ClipRef>, count: usize) -> ModelEvents {
    let clip = clip.into();
    ModelEvents::new(
        (0..count).map(|frame| ClipEvent::new(clip.clone(), frame as u32, name(frame))),
    )
}

/// All kinds, and the times of their frames.
pub fn kinds() -> impl Iterator<Item = (&'static Kind, &'static [f32])> {
    KINDS.iter().zip(TIMES)
}

#[test]
fn loops_send_the_event_of_each_frame_once_per_pass_and_in_order() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in kinds() {
        for (speed, count, step) in [
            (1.0_f32, 300, 0.013_f32),
            (0.3, 200, 0.05),
            (-1.0, 300, 0.013),
            (-0.7, 100, 0.09),
            // Several loops per step.
            (11.0, 40, 0.2),
            (-11.0, 40, 0.2),
        ] {
            let play = PlayClip::looping(kind.clip).with_speed(speed);
            let play = play.starting_at(0.0);
            let root = app.spawn_shown(kind.scene, (play, every_frame(kind.clip, times.len())));
            let context = format!("{} at speed {speed} in steps of {step}", kind.scene);
            assert_eq!(
                received.take(root),
                [""; 0],
                "{context}, before time passes"
            );
            app.steps(count, step);
            let found = received.take_with_strings(root, kind);
            // The first event is that of frame 0. In a loop, the frames follow each other cyclically.
            let next = |index: usize| match speed > 0.0 {
                true => index % times.len(),
                false => (times.len() - index % times.len()) % times.len(),
            };
            let expected: Vec<_> = (0..found.len()).map(next).map(name).collect();
            assert_eq!(found, expected, "{context}");
            let passes = count as f32 * step * speed.abs() / kind.seconds;
            let at_least = (passes - 0.01).floor() as usize * times.len();
            let range = at_least..=at_least + times.len() + 1;
            assert!(range.contains(&found.len()), "{context}: {}", found.len());
            app.despawn(root);
        }
    }
}

#[test]
fn clip_played_once_sends_each_event_once_and_the_last_at_its_end() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in kinds() {
        for speed in [1.0_f32, 0.4, -1.0, 50.0, -50.0] {
            let play = PlayClip::once(kind.clip).with_speed(speed);
            let root = app.spawn_shown(kind.scene, (play, every_frame(kind.clip, times.len())));
            let mut expected: Vec<_> = (0..times.len()).collect();
            if speed < 0.0 {
                expected.reverse();
            }
            app.steps(20, 0.06);
            let context = format!("{} at speed {speed}", kind.scene);
            assert!(app.get::<Playback>(root).finished, "{context}");
            let found = received.take_with_strings(root, kind);
            assert_eq!(found, names(&expected), "{context}");
            app.steps(5, 0.1);
            assert_eq!(received.take(root), [""; 0], "{context}, after the end");
            app.despawn(root);
        }
    }
}

#[test]
fn event_has_the_root_and_the_clip_frame_and_name_of_its_entry() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, _) in kinds() {
        let event = ClipEvent::new(kind.clip.to_uppercase(), 1, "frame of the shot");
        let bundle = (
            PlayClip::looping(kind.clip),
            ModelEvents::new([event.clone()]),
        );
        let root = app.spawn_shown(kind.scene, bundle);
        app.step(0.05);
        app.step(0.06);
        let events = received.take_all();
        let mut events = events.into_iter();
        let found = events.find(|found| found.name == event.name);
        let expected = ModelEvent {
            entity: root,
            name: event.name,
            clip: event.clip,
            frame: 1,
            bone: None,
        };
        assert_eq!(found, Some(expected), "{}", kind.scene);
        app.despawn(root);
    }
}

#[test]
fn paused_still_and_skipped_frames_send_nothing() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in kinds() {
        let play = PlayClip::looping(kind.clip);
        let bundle = (play, every_frame(kind.clip, times.len()));
        let root = app.spawn_shown(kind.scene, bundle);
        app.step(0.05);
        assert_eq!(
            received.take_with_strings(root, kind),
            names(&[0]),
            "{}",
            kind.scene
        );
        for change in [
            |play: &mut PlayClip| play.paused = true,
            |play: &mut PlayClip| (play.paused, play.speed) = (false, 0.0),
        ] {
            change(&mut app.get_mut::<PlayClip>(root));
            app.steps(5, 0.1);
            assert_eq!(
                received.take_with_strings(root, kind),
                [""; 0],
                "{}",
                kind.scene
            );
        }
        app.get_mut::<PlayClip>(root).speed = 1.0;
        for (time, expected, what) in [
            (times[1] + 0.02, &[][..], "over frame 1"),
            (times[1], &[1], "onto a frame"),
            (times[1] - 0.005, &[1], "backward to before a frame"),
            (f32::NAN, &[0], "to the start"),
            (0.0, &[0], "to the start again"),
            // In a looping clip, the end is the start.
            (kind.seconds, &[0], "to the end"),
        ] {
            app.get_mut::<Playback>(root).time = time;
            app.step(0.01);
            let found = received.take_with_strings(root, kind);
            assert_eq!(found, names(expected), "{}: {what}", kind.scene);
        }
        app.remove::<PlayClip>(root);
        app.steps(5, 0.1);
        assert_eq!(
            received.take_with_strings(root, kind),
            [""; 0],
            "{}: no clip",
            kind.scene
        );
        app.despawn(root);
    }
}

#[test]
fn only_the_clip_that_fades_in_sends_events() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in kinds() {
        let events = every_frame(kind.clip, times.len());
        let other = ClipEvent::new(kind.other, 0, "frame of the other");
        let all = events.0.iter().cloned().chain([other]);
        let bundle = (PlayClip::looping(kind.clip), ModelEvents::new(all));
        let root = app.spawn_shown(kind.scene, bundle);
        app.step(0.02);
        assert_eq!(received.take(root), names(&[0]), "{}", kind.scene);
        app.apply(root, PlayClip::looping(kind.other).with_fade(1.0));
        app.steps(6, 0.02);
        // The first clip would pass frame 1. The other may consist of a single frame, which it passes repeatedly.
        let events = received.take_all();
        let mut found = names_of(&events, root);
        found.dedup();
        assert_eq!(found, ["frame of the other"], "{}", kind.scene);
        assert!(events.iter().all(|event| event.clip != kind.clip));
        app.despawn(root);
    }
}

#[test]
fn events_of_named_clips_and_parts_are_sent_at_their_frames() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in kinds() {
        let clips = ModelClips::new([
            named("short", ClipRef::part(kind.clip, 1..3), 1.0, Repeat::Once),
            named("same", kind.clip, 1.0, Repeat::Loop),
        ]);
        let events = [
            ClipEvent::new("short", 0, "frame 0 of short"),
            ClipEvent::new("short", 2, "frame 2 of short, which it lacks"),
            ClipEvent::new("same", 0, "frame 0 of same"),
            ClipEvent::new(kind.clip, 0, "frame 0"),
            ClipEvent::new(kind.clip, 2, "frame 2"),
            ClipEvent::new(kind.clip, 1000, "frame 1000"),
            ClipEvent::new("unknown", 0, "frame of an unknown clip"),
        ];
        let play = PlayClip::from_manifest("Short");
        let root = app.spawn_shown(kind.scene, (clips, ModelEvents::new(events), play));
        app.steps(10, 0.05);
        let found = received.take(root);
        assert_eq!(found, ["frame 0 of short", "frame 2"], "{}", kind.scene);
        app.apply(root, PlayClip::once("same"));
        app.steps(10, 0.05);
        let found = received.take(root);
        let expected = ["frame 0 of same", "frame 0", "frame 2"];
        assert_eq!(found, expected, "{}", kind.scene);
        app.apply(root, PlayClip::once(ClipRef::part(kind.clip, 2..3)));
        app.step(times[2] - times[1]);
        app.steps(5, 0.1);
        assert_eq!(
            received.take(root),
            ["frame 2"],
            "{}: one frame",
            kind.scene
        );
        app.despawn(root);
    }
}

#[test]
fn events_may_change_while_a_clip_plays() {
    let mut app = app();
    let received = Received::record(&mut app);
    for (kind, times) in kinds() {
        let root = app.spawn_shown(kind.scene, PlayClip::looping(kind.clip));
        app.step(0.05);
        assert_eq!(received.take(root), [""; 0]);
        app.apply(root, every_frame(kind.clip, times.len()));
        app.step(0.1);
        assert_eq!(received.take(root), names(&[1]), "{}", kind.scene);
        let entry = ClipEvent::new(kind.clip, 2, "frame renamed");
        app.apply(root, ModelEvents::new([entry]));
        app.steps(2, 0.1);
        assert_eq!(received.take(root), ["frame renamed"], "{}", kind.scene);
        // A name in `ModelClips` that hides the clip of the file.
        let clips = [named(kind.clip, kind.other, 1.0, Repeat::Loop)];
        app.apply(root, ModelClips::new(clips));
        app.apply(root, PlayClip::looping(0));
        app.steps(10, 0.1);
        assert_eq!(received.take(root), [""; 0], "{}", kind.scene);
        app.remove::<(ModelClips, ModelEvents)>(root);
        app.steps(10, 0.1);
        assert_eq!(received.take(root), [""; 0], "{}", kind.scene);
        app.despawn(root);
    }
}

#[test]
fn no_event_is_sent_to_a_despawned_root() {
    let mut app = app();
    let received = Received::record(&mut app);
    app.app
        .add_observer(|event: On<ModelEvent>, mut commands: Commands| {
            if event.name == "frame 0" {
                commands.entity(event.entity).despawn();
            }
        });
    for (kind, times) in kinds() {
        // All frames are passed in one step.
        let play = PlayClip::once(kind.clip).with_speed(50.0);
        let root = app.spawn_shown(kind.scene, (play, every_frame(kind.clip, times.len())));
        app.step(0.1);
        assert_eq!(received.take(root), names(&[0]), "{}", kind.scene);
        assert!(!app.exists(root));
        app.step(0.1);
    }
}

/// An edit of a file of a kind.
struct Edit {
    file: &'static str,
    bytes: Vec<u8>,
    /// The time that passes after the edit, in seconds.
    step: f32,
    /// The frames that the clip passes in this time.
    frames: &'static [usize],
}

/// An edit of a file of each kind.
fn edits() -> [Edit; 3] {
    let mut quake = tetrahedron();
    quake.header.radius += 1.0;
    let mut clip = moves(2.0);
    // The frames are at 0, 0.05, 0.1, 0.15 and 0.2 seconds.
    clip.fps *= 2.0;
    let mut model = figure();
    model.command_string.push(' ');
    let edit = |file, bytes, step, frames| Edit {
        file,
        bytes,
        step,
        frames,
    };
    [
        edit("tetra.mdl", quake.to_bytes(), 0.1, &[2]),
        edit("art/unit_MOVE_00.ALA", ala(&clip), 0.1, &[3, 4, 0]),
        edit("model.abc", bytes(&model), 0.2, &[2, 0]),
    ]
}

#[test]
fn reload_neither_repeats_nor_loses_events() {
    let mut app = app();
    let received = Received::record(&mut app);
    for ((kind, times), edit) in kinds().zip(edits()) {
        let bundle = (
            PlayClip::looping(kind.clip),
            every_frame(kind.clip, times.len()),
        );
        let root = app.spawn_shown(kind.scene, bundle);
        app.step(0.05);
        app.step(0.08);
        assert_eq!(received.take(root), names(&[0, 1]), "{}", kind.scene);
        if !edit.file.ends_with("ALA") {
            app.keep_loaded(edit.file);
        }
        app.replace(edit.file, edit.bytes);
        app.steps(3, 0.0);
        assert_eq!(
            received.take(root),
            [""; 0],
            "{}: no time passed",
            kind.scene
        );
        app.step(edit.step);
        assert_eq!(received.take(root), names(edit.frames), "{}", kind.scene);
        app.despawn(root);
    }
}

#[test]
fn many_models_send_their_own_events() {
    let mut app = app();
    let received = Received::record(&mut app);
    let mut roots = Vec::new();
    for (kind, times) in kinds() {
        for speed in [1.0, 2.0] {
            let play = PlayClip::looping(kind.clip).with_speed(speed);
            let bundle = (play, every_frame(kind.clip, times.len()));
            roots.push((app.spawn_shown(kind.scene, bundle), speed));
        }
    }
    // Spawning takes frames, but no time passes in them.
    app.step(0.06);
    let events = received.take_all();
    for (root, speed) in roots {
        let own = events
            .iter()
            .filter(|event| event.entity == root && event.name.starts_with("frame"));
        let own: Vec<_> = own.map(|event| event.name.clone()).collect();
        let expected = if speed > 1.0 {
            names(&[0, 1])
        } else {
            names(&[0])
        };
        assert_eq!(own, expected);
    }
}
