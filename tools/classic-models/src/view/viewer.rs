//! What a window and an image have in common. It must not know either.

use crate::view::camera::framing::framing_plugin;
use crate::view::camera::orbit::orbit_plugin;
use crate::view::draw::floor::floor_plugin;
use crate::view::draw::light::light_plugin;
use crate::view::draw::overlays::{Overlays, overlays_plugin};
use crate::view::draw::pointer::pointer_plugin;
use crate::view::models::models_plugin;
use crate::view::models::particle_systems::particle_systems_plugin;
use crate::view::open::args::Args;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::root::NightTime;
use classic_models_support::stage::StagePlugin;

/// Loads, arranges and draws models as the command line requests. Needs Bevy's plugins,
/// [`FramingStyle`](crate::view::camera::framing::FramingStyle) and [`FilesToLoad`](crate::view::models::FilesToLoad).
pub struct ViewerPlugin {
    pub args: Args,
    /// Whether it draws the grid, and models are placed by all their poses.
    pub has_window: bool,
}

impl Plugin for ViewerPlugin {
    fn build(&self, app: &mut App) {
        let Self { args, has_window } = self;
        let overlays = Overlays::of(args, *has_window);
        let by_clip = !has_window && !args.bounds;
        app.add_plugins((
            ClassicModelsPlugins,
            StagePlugin,
            models_plugin,
            (orbit_plugin, framing_plugin),
            (overlays_plugin, floor_plugin, light_plugin, pointer_plugin),
            particle_systems_plugin,
        ))
        .insert_resource(Row::new(args.view(), args.aspect(), by_clip))
        .insert_resource(overlays)
        .insert_resource(args.stage.lighting())
        .insert_resource(NightTime(args.night))
        .insert_resource(args.clone());
        if let Some(color) = args.stage.background {
            app.insert_resource(ClearColor(color));
        }
    }
}
