//! All steps without a window: a picture of each, and a failure where one had not the effect that it should.

use crate::events;
use crate::folder::Folder;
use crate::row::{Row, Target};
use crate::show::{Outcome, Show};
use crate::steps::{Expect, STEPS};
use crate::support::headless::{Headless, plugins};
use crate::support::pictures::save;
use bevy::prelude::*;
use bevy_classic_models::prelude::ClassicModel;
use std::path::Path;
use std::time::Duration;

const SIZE: UVec2 = UVec2::new(1280, 600);

/// Rows of pixels above and below the models, in which there is text.
const TEXT: [u32; 2] = [80, 70];

/// Frames in which everything that is drawn reaches the GPU.
const SETTLING: usize = 2;

/// How often a picture is taken until it stays the same.
const ATTEMPTS: usize = 20;

/// How far the models move between steps, in seconds and frames.
const MOVES: (f32, usize) = (0.12, 3);

/// Takes all steps.
pub fn run(folder: Folder, pictures: &Path) -> Result<(), String> {
    std::fs::create_dir_all(pictures).map_err(|error| error.to_string())?;
    let mut app = App::new();
    events::watch(&mut app, folder.path());
    app.add_plugins(plugins(folder.path(), true));
    crate::add_contents(&mut app, folder);
    let mut headless = Headless::start(app, SIZE);
    let target = headless.render_target();
    headless.app.insert_resource(Target(target));
    headless.wait_until("all models are there", |world| {
        let Some(row) = world.get_resource::<Row>() else {
            return false;
        };
        STEPS.iter().all(|step| (step.look)(world, row).is_some())
    });
    let mut failures = 0;
    for number in 1..=STEPS.len() {
        for _ in 0..MOVES.1 {
            headless.step(MOVES.0);
        }
        let outcome = take(&mut headless, number, pictures)?;
        let verdict = if outcome.is_good { "ok" } else { "FAILED" };
        failures += usize::from(!outcome.is_good);
        println!("{number:2} {verdict}: {}", STEPS[number - 1].caption);
        println!("   {}", outcome.words);
    }
    match failures {
        0 => Ok(()),
        _ => Err(format!(
            "{failures} steps had not the effect that they should"
        )),
    }
}

/// Takes a step, and compares what is drawn before and after.
fn take(headless: &mut Headless, number: usize, pictures: &Path) -> Result<Outcome, String> {
    let before = still(headless)?;
    with_show(headless, Show::begin);
    let mut outcome = loop {
        headless.step(0.0);
        if let Some(outcome) = with_show(headless, Show::watch) {
            break outcome;
        }
        std::thread::sleep(Duration::from_millis(4));
    };
    let after = still(headless)?;
    let is_same = models_in(&before) == models_in(&after);
    let is_to_be = STEPS[number - 1].expect != Expect::Change;
    if is_same != is_to_be {
        outcome.is_good = false;
        let what = if is_same { "did not change" } else { "changed" };
        outcome.words = format!("{}. But what is drawn {what}", outcome.words);
    }
    save(after, &pictures.join(format!("{number:02}.png")))?;
    Ok(outcome)
}

fn with_show<T>(headless: &mut Headless, act: impl FnOnce(&mut Show, &mut World) -> T) -> T {
    let world = headless.app.world_mut();
    world.resource_scope(|world, mut show: Mut<Show>| act(&mut show, world))
}

/// A picture that is the same as the one before, so that all is there.
fn still(headless: &mut Headless) -> Result<Image, String> {
    headless.wait_until("all that is asked for is there", is_all_there);
    let mut last: Option<Image> = None;
    for _ in 0..ATTEMPTS {
        for _ in 0..SETTLING {
            headless.step(0.0);
        }
        let picture = headless.capture();
        if last.is_some_and(|last| last.data == picture.data) {
            return Ok(picture);
        }
        last = Some(picture);
    }
    Err("what is drawn does not come to rest".to_owned())
}

/// Whether all models are spawned, those that hang on others among them.
fn is_all_there(world: &mut World) -> bool {
    let mut roots = world.query_filtered::<Option<&WorldAssetRoot>, With<ClassicModel>>();
    let server = world.resource::<AssetServer>();
    let is_there = |root: Option<&WorldAssetRoot>| {
        root.is_some_and(|root| server.is_loaded_with_dependencies(&root.0))
    };
    roots.iter(world).all(is_there)
}

/// The pixels between the texts.
fn models_in(picture: &Image) -> Option<&[u8]> {
    let bytes_in_row = 4 * SIZE.x as usize;
    let [above, below] = TEXT.map(|rows| rows as usize * bytes_in_row);
    let all = picture.data.as_ref()?;
    all.get(above..all.len().checked_sub(below)?)
}
