//! Takes the steps, and sees what comes of them.

use crate::captions::{Caption, say};
use crate::events::Heard;
use crate::folder::Folder;
use crate::looks::Sight;
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
/// How long what has changed must stay as it is, so that all of it is there.
const SETTLED: Duration = Duration::from_millis(400);
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
    before: Sight,
    at: Instant,
    frame: u32,
    change: Option<Change>,
}

/// What has become of it. More may follow, such as a model that hangs on it.
struct Change {
    now: Option<Sight>,
    at: Instant,
    /// How soon it came.
    delay: String,
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
            change: None,
        });
    }

    /// Looks what has come of the step that was taken; `None` as long as that is open.
    pub fn watch(&mut self, world: &mut World) -> Option<Outcome> {
        let (step, taken) = (self.step()?, self.taken.as_mut()?);
        taken.follow(step, world);
        let outcome = taken.outcome(step, world)?;
        say(world, Caption::Outcome, &outcome.words);
        self.taken = None;
        self.step += 1;
        self.ended = Instant::now();
        Some(outcome)
    }
}

fn look(step: &Step, world: &World) -> Option<Sight> {
    (step.look)(world, world.get_resource::<Row>()?)
}

impl Taken {
    /// Looks whether something is other than before.
    fn follow(&mut self, step: &Step, world: &World) {
        let now = look(step, world);
        let last = self.change.as_ref().map(|change| &change.now);
        if last.map_or(now.as_ref() != Some(&self.before), |last| *last != now) {
            self.change = Some(Change {
                now,
                at: Instant::now(),
                delay: self.delay(step, world),
            });
        }
    }

    fn outcome(&self, step: &Step, world: &World) -> Option<Outcome> {
        let failure = self.failure(step, world);
        let waited = self.at.elapsed();
        let told = |is_good, words| Some(Outcome { is_good, words });
        let before = &self.before.words;
        if let Some(change) = &self.change {
            let Some(now) = &change.now else {
                // It goes for a moment at most.
                let words = format!("{before} -> nothing is there");
                return told(false, words).filter(|_| change.at.elapsed() > STILL);
            };
            let what = now.since(&self.before);
            return match step.expect {
                Expect::Change if change.at.elapsed() < SETTLED => None,
                Expect::Change => told(*now != self.before, format!("{what}. {}", change.delay)),
                _ => told(false, format!("{what}, but it was not to")),
            };
        }
        match step.expect {
            Expect::Error if failure.is_some() && waited > STILL => told(true, failure?),
            Expect::Nothing if failure.is_some() => told(false, failure?),
            Expect::Nothing if waited > STILL => told(true, format!("still {before}")),
            _ if waited > PATIENCE => told(false, format!("still {before}, in vain")),
            _ => None,
        }
    }

    /// What the asset server says of the file.
    fn failure(&self, step: &Step, world: &World) -> Option<String> {
        let mut failures = world.resource::<Heard>().failures.iter();
        let (_, why) = failures.find(|(path, _)| path == step.file)?;
        // Bevy's words come before the loader's.
        let why = why.split_once("Loader': ").map_or(&**why, |(_, why)| why);
        Some(shortened(why.lines().next().unwrap_or_default()))
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

/// As many of the words of a line as there is room for.
fn shortened(line: &str) -> String {
    if line.chars().count() <= LONGEST {
        return line.to_owned();
    }
    let start: String = line.chars().take(LONGEST - 4).collect();
    let words = start.rsplit_once(' ').map_or(&*start, |(words, _)| words);
    format!("{words} ...")
}
