//! The plugins of the examples. An example runs in a window, or without one:
//!
//! ```text
//! --capture FILE     saves an image without a window
//! --time SECONDS     the moment of the image; 0 by default
//! --seconds SECONDS  an animated image that begins at that moment: PNG or GIF
//! --size WxH         the size of the image in pixels; 1280x720 by default
//! --frames COUNT     renders so many frames without a window, and prints the time per frame and the texts
//! ```

use super::headless::Headless;
use super::images::{self, Alpha};
use super::options::{ImageSize, Options};
use super::studio::MeasuredText;
use super::{capture, headless, samples};
use bevy::app::PluginGroupBuilder;
use bevy::asset::UnapprovedPathMode;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Seconds between two frames without a window. An image is the same in every run.
const STEP: f32 = 1.0 / 30.0;

/// `DefaultPlugins`, which with `--capture` or `--frames` do not open a window.
pub struct ExamplePlugins {
    files: Files,
    task: Option<Task>,
    size: UVec2,
}

/// The folder of the assets.
enum Files {
    Samples,
    /// A folder whose files are watched.
    Watched(PathBuf),
}

/// Edits files in the first folder, and saves images in the second.
pub type CaptureEdits = fn(&mut Headless, &Path, &Path) -> Result<(), Box<dyn Error>>;

/// What an example does without a window.
#[derive(Clone)]
enum Task {
    Capture {
        file: PathBuf,
        time: f32,
        seconds: Option<f32>,
    },
    CaptureEdits {
        files: PathBuf,
        images: PathBuf,
        capture: CaptureEdits,
    },
    Measure {
        frames: u32,
    },
}

impl ExamplePlugins {
    /// The plugins of an example without options of its own.
    pub fn from_env() -> Self {
        Self::with_options(&[]).0
    }

    /// The plugins of an example that has these options too, and the options.
    pub fn with_options(own: &[&str]) -> (Self, Options) {
        let known = [own, &["capture", "time", "seconds", "size", "frames"]].concat();
        let options = Options::from_env(&known);
        let capture = options.get("capture").map(|file| Task::Capture {
            file,
            time: options.get("time").unwrap_or(0.0),
            seconds: options.get("seconds"),
        });
        let frames = options.get("frames");
        let task = capture.or(frames.map(|frames| Task::Measure { frames }));
        let plugins = Self {
            files: Files::Samples,
            task,
            size: image_size(&options),
        };
        (plugins, options)
    }

    /// The plugins of an example that edits the files of a folder. Its option `--capture FOLDER` runs `capture`
    /// without a window, once the models are loaded.
    pub fn with_edits(files: &Path, capture: CaptureEdits) -> Self {
        let options = Options::from_env(&["capture", "size"]);
        let task = options.get("capture").map(|images| Task::CaptureEdits {
            files: files.to_owned(),
            images,
            capture,
        });
        Self {
            files: Files::Watched(files.to_owned()),
            task,
            size: image_size(&options),
        }
    }
}

fn image_size(options: &Options) -> UVec2 {
    options.get::<ImageSize>("size").unwrap_or_default().0
}

impl PluginGroup for ExamplePlugins {
    fn build(self) -> PluginGroupBuilder {
        let (folder, is_watched) = match self.files {
            Files::Samples => (samples(), false),
            Files::Watched(folder) => (folder, true),
        };
        match self.task {
            Some(task) => headless::plugins(&folder, is_watched)
                .enable::<LogPlugin>()
                .add(HeadlessPlugin {
                    task,
                    size: self.size,
                }),
            None => DefaultPlugins.set(AssetPlugin {
                file_path: folder.to_string_lossy().into_owned(),
                unapproved_path_mode: UnapprovedPathMode::Allow,
                watch_for_changes_override: is_watched.then_some(true),
                ..default()
            }),
        }
    }
}

/// Runs the app without a window.
struct HeadlessPlugin {
    task: Task,
    size: UVec2,
}

impl Plugin for HeadlessPlugin {
    fn build(&self, app: &mut App) {
        let (task, size) = (self.task.clone(), self.size);
        app.set_runner(move |app| run(app, &task, size));
    }
}

fn run(mut app: App, task: &Task, size: UVec2) -> AppExit {
    if !matches!(task, Task::Measure { .. }) {
        app.add_observer(hide_text);
        capture::pause_cameras(&mut app);
    }
    let mut headless = capture::start(app, size);
    capture::wait_for_models(&mut headless);
    let result = match task {
        Task::Capture {
            file,
            time,
            seconds,
        } => save(&mut headless, file, *time, *seconds),
        Task::CaptureEdits {
            files,
            images,
            capture,
        } => capture(&mut headless, files, images),
        Task::Measure { frames } => {
            measure(&mut headless, *frames);
            Ok(())
        }
    };
    result.map_or_else(
        |error| {
            error!("{error}");
            AppExit::error()
        },
        |()| AppExit::Success,
    )
}

fn hide_text(text: On<Add, MeasuredText>, mut commands: Commands) {
    commands.entity(text.entity).insert(Visibility::Hidden);
}

fn save(
    headless: &mut Headless,
    file: &Path,
    time: f32,
    seconds: Option<f32>,
) -> Result<(), Box<dyn Error>> {
    let steps = (time / STEP).ceil();
    for _ in 0..steps as u32 {
        headless.step(time / steps);
    }
    match seconds {
        Some(seconds) => {
            capture::save_animation(headless, seconds, images::RATE, Alpha::Opaque, file)?;
        }
        None => capture::save(headless, file)?,
    }
    Ok(())
}

fn measure(headless: &mut Headless, frames: u32) {
    let start = Instant::now();
    for _ in 0..frames {
        headless.step(STEP);
        capture::wait_for_gpu(headless);
    }
    let milliseconds = start.elapsed().as_secs_f64() * 1e3 / f64::from(frames.max(1));
    println!("{milliseconds:.1} ms per frame");
    let world = headless.app.world_mut();
    for text in world.query::<&Text>().iter(world) {
        println!("{}", text.0);
    }
}
