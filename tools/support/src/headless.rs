//! Apps without a window that render to an image, one frame at a time.

use super::gpuless::Patience;
use bevy::app::{PluginsState, TerminalCtrlCHandlerPlugin};
use bevy::asset::UnapprovedPathMode;
use bevy::camera::RenderTarget;
use bevy::log::LogPlugin;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use std::path::Path;
use std::time::Duration;

/// Turns of the task pool after which [`Headless::wait_until`] gives up.
const PATIENCE: usize = 5000;

/// An app that renders to an image.
pub struct Headless {
    /// The app, ready for updates.
    pub app: App,
    /// The image. Give cameras the [`Headless::render_target`].
    pub target: Handle<Image>,
}

/// Bevy's default plugins without a window, a log, and everything that makes frames depend on the clock.
///
/// Relative asset paths start at `asset_root`. `watch` reloads assets whose files change.
pub fn plugins(asset_root: &Path, watch: bool) -> bevy::app::PluginGroupBuilder {
    DefaultPlugins
        .build()
        .disable::<WinitPlugin>()
        .disable::<LogPlugin>()
        .disable::<TerminalCtrlCHandlerPlugin>()
        .disable::<PipelinedRenderingPlugin>()
        .set(WindowPlugin {
            primary_window: None,
            exit_condition: ExitCondition::DontExit,
            ..default()
        })
        .set(RenderPlugin {
            synchronous_pipeline_compilation: true,
            ..default()
        })
        .set(AssetPlugin {
            file_path: asset_root.to_string_lossy().into_owned(),
            unapproved_path_mode: UnapprovedPathMode::Allow,
            watch_for_changes_override: Some(watch),
            ..default()
        })
}

impl Headless {
    /// Starts an app that has its plugins, and creates the image, `size` in pixels.
    pub fn start(mut app: App, size: UVec2) -> Self {
        while app.plugins_state() == PluginsState::Adding {
            bevy::tasks::tick_global_task_pools_on_main_thread();
        }
        app.finish();
        app.cleanup();
        // Each step has the given length, without Bevy's limit.
        let mut time = app.world_mut().resource_mut::<Time<Virtual>>();
        time.set_max_delta(Duration::MAX);
        let image = Image::new_target_texture(size.x, size.y, TextureFormat::Rgba8UnormSrgb, None);
        let target = app.world_mut().resource_mut::<Assets<Image>>().add(image);
        Self { app, target }
    }

    /// The render target for cameras.
    pub fn render_target(&self) -> RenderTarget {
        RenderTarget::Image(self.target.clone().into())
    }

    /// Runs one frame, `seconds` later than the previous one.
    pub fn step(&mut self, seconds: f32) {
        let step = Duration::from_secs_f32(seconds);
        self.app
            .insert_resource(TimeUpdateStrategy::ManualDuration(step));
        self.app.update();
    }

    /// Runs frames in which no time passes until `done` returns true. Frames in which the task pool that loads
    /// assets is busy with other tasks do not count. `what` names the condition in the panic message.
    ///
    /// # Panics
    /// If `done` never returns true, or if the app exits before.
    pub fn wait_until(&mut self, what: &str, mut done: impl FnMut(&mut World) -> bool) {
        let mut patience = Patience::new(PATIENCE);
        while !patience.is_exhausted() {
            self.step(0.0);
            if done(self.app.world_mut()) {
                return;
            }
            // A renderer that fails logs the error and exits the app.
            assert!(
                self.app.should_exit().is_none(),
                "the app ended before {what}"
            );
            patience.wait();
        }
        panic!("waited in vain until {what}");
    }

    /// The rendered image: sRGB, RGBA with 8 bits per channel.
    pub fn capture(&mut self) -> Image {
        self.capture_after(0.0)
    }

    /// The image of the next frame, `seconds` later than the last one.
    pub fn capture_after(&mut self, seconds: f32) -> Image {
        self.begin_capture();
        self.step(seconds);
        self.finish_capture()
    }

    /// Requests the image of the next frame. [`finish_capture`](Self::finish_capture) returns it after that frame.
    pub fn begin_capture(&mut self) {
        let shot = Screenshot::image(self.target.clone());
        let world = self.app.world_mut();
        world.insert_resource(Captured(None));
        world.spawn(shot).observe(
            |shot: On<ScreenshotCaptured>, mut captured: ResMut<Captured>| {
                captured.0 = Some(shot.image.clone());
            },
        );
    }

    /// Waits for the image that [`begin_capture`](Self::begin_capture) requested. No time passes in the app.
    pub fn finish_capture(&mut self) -> Image {
        self.wait_until("an image is taken", |world| {
            world.resource::<Captured>().0.is_some()
        });
        let mut captured = self.app.world_mut().resource_mut::<Captured>();
        captured.0.take().unwrap_or_default()
    }
}

#[derive(Resource)]
struct Captured(Option<Image>);
