//! Takes the steps, and sees what comes of them.

use crate::captions::{Caption, say};
use crate::events::Heard;
use crate::folder::Folder;
use crate::row::Row;
use crate::steps::{Expect, STEPS, Step};
use bevy::diagnostic::FrameCount;
use bevy::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

/// Between the end of one step and the next.
const PAUSE: Duration = Duration::from_secs(4);
/// How long what is to come may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long nothing must change to be taken for nothing.
const STILL: Duration = Duration::from_millis(1200);
/// Letters that fit on a line.
const LONGEST: usize = 130;

/// Where the show is.
#[derive(Resource)]
pub struct Show {
    folder: Folder,
    /// The step that is next, or being taken.
    step: usize,
    taken: Option<Taken>,
    ended: Instant,
}

/// A step that was taken.
struct Taken {
    /// What was to be seen before.
    before: String,
    at: Instant,
    frame: u32,
}

/// What came of a step.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether that is what was to come.
    pub is_good: bool,
    pub words: String,
}

impl Show {
    pub fn new(folder: Folder) -> Self {
        Self {
            folder,
            step: 0,
            taken: None,
            ended: Instant::now(),
        }
    }

    /// The step that is next, or being taken.
    pub fn step(&self) -> Option<&'static Step> {
        STEPS.get(self.step)
    }

    /// Its number, from 1.
    pub fn number(&self) -> usize {
        self.step + 1
    }

    /// Takes the next step. Its model must be there.
    pub fn begin(&mut self, world: &mut World) {
        let Some(step) = self.step() else {
            return;
        };
        let before = look(step, world).unwrap_or_default();
        let mut heard = world.resource_mut::<Heard>();
        *heard = Heard::default();
        let text = format!("{} of {}: {}", self.number(), STEPS.len(), step.caption);
        say(world, Caption::Step, &text);
        let words = match (step.edit)(&self.folder, step.file) {
            Ok(()) => String::new(),
            Err(error) => format!("{}: {error}", step.file),
        };
        say(world, Caption::Outcome, &words);
        self.taken = Some(Taken {
            before,
            at: Instant::now(),
            frame: world.resource::<FrameCount>().0,
        });
    }

    /// Looks what has come of the step that was taken; `None` as long as that is open.
    pub fn watch(&mut self, world: &mut World) -> Option<Outcome> {
        let (step, taken) = (self.step()?, self.taken.as_ref()?);
        let outcome = taken.outcome(step, world)?;
        say(world, Caption::Outcome, &outcome.words);
        self.taken = None;
        self.step += 1;
        self.ended = Instant::now();
        Some(outcome)
    }
}

fn look(step: &Step, world: &World) -> Option<String> {
    (step.look)(world, world.get_resource::<Row>()?)
}

impl Taken {
    fn outcome(&self, step: &Step, world: &World) -> Option<Outcome> {
        let now = look(step, world).unwrap_or_else(|| "nothing is there".to_owned());
        let has_changed = now != self.before;
        let failure = self.failure(step, world);
        let waited = self.at.elapsed();
        let told = |is_good, words| Some(Outcome { is_good, words });
        match step.expect {
            Expect::Change if has_changed => {
                let words = format!("{} -> {now}. {}", self.before, self.delay(step, world));
                told(true, words)
            }
            Expect::Error | Expect::Nothing if has_changed => told(
                false,
                format!("{} -> {now}, but it was not to", self.before),
            ),
            Expect::Error if failure.is_some() && waited > STILL => told(true, failure?),
            Expect::Nothing if failure.is_some() => told(false, failure?),
            Expect::Nothing if waited > STILL => told(true, format!("still {now}")),
            _ if waited > PATIENCE => told(false, format!("still {now}, in vain")),
            _ => None,
        }
    }

    /// What the asset server says of the file.
    fn failure(&self, step: &Step, world: &World) -> Option<String> {
        let mut failures = world.resource::<Heard>().failures.iter();
        let (_, why) = failures.find(|(path, _)| path == step.file)?;
        // Bevy's words come before the loader's.
        let why = why.split_once("Loader': ").map_or(&**why, |(_, why)| why);
        let line = why.lines().next().unwrap_or_default();
        Some(line.chars().take(LONGEST).collect())
    }

    /// How soon it came, in seconds after the edit and in frames after the watcher's event.
    fn delay(&self, step: &Step, world: &World) -> String {
        let now = world.resource::<FrameCount>().0;
        let name = Path::new(step.file).file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        let name = name.trim_end_matches(".meta");
        let mut edits = world.resource::<Heard>().edits.iter();
        let event = edits.find(|(event, _)| event.contains(name));
        let after_edit = self.at.elapsed().as_secs_f32();
        match event {
            Some((_, frame)) => format!(
                "{after_edit:.2} s after the edit, {} frames after the watcher's event",
                now.saturating_sub(*frame)
            ),
            None => format!(
                "{after_edit:.2} s and {} frames after the edit",
                now.saturating_sub(self.frame)
            ),
        }
    }
}

/// Goes on by itself, or when space is pressed.
pub fn play(world: &mut World) {
    world.resource_scope(|world, mut show: Mut<Show>| {
        let keys = world.resource::<ButtonInput<KeyCode>>();
        let is_asked = keys.just_pressed(KeyCode::Space);
        if show.taken.is_some() {
            show.watch(world);
        } else if is_asked || show.ended.elapsed() > PAUSE {
            let is_there = show.step().is_some_and(|step| look(step, world).is_some());
            if is_there {
                show.begin(world);
            }
        }
    });
}
