//! What a window and an image have in common. It must not know either.

use crate::view::abc_gizmos::AbcGizmosPlugin;
use crate::view::abc_models::AbcModelsPlugin;
use crate::view::alo_clips::AloClipsPlugin;
use crate::view::alo_gizmos::AloGizmosPlugin;
use crate::view::alo_pointer::AloPointerPlugin;
use crate::view::alo_trees::AloTreesPlugin;
use crate::view::args::Args;
use crate::view::camera::OrbitPlugin;
use crate::view::framing::FramingPlugin;
use crate::view::gizmos::GizmosPlugin;
use crate::view::lgw_models::LgwModelsPlugin;
use crate::view::models::ModelsPlugin;
use crate::view::overlay::{OverlayPlugin, Overlays};
use crate::view::particle_systems::ParticleSystemsPlugin;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::root::NightTime;
use classic_models_support::stage::StagePlugin;

/// Loads, arranges and draws models as the command line requests. Needs Bevy's plugins,
/// [`FramingStyle`](crate::view::framing::FramingStyle) and [`FilesToLoad`](crate::view::models::FilesToLoad).
pub struct ViewerPlugin {
    pub args: Args,
    /// Whether it draws the grid, and models are placed by all their poses.
    pub has_window: bool,
}

impl Plugin for ViewerPlugin {
    fn build(&self, app: &mut App) {
        let Self { args, has_window } = self;
        let overlays = Overlays {
            grid: *has_window,
            ..Overlays::of(args)
        };
        let by_clip = !has_window && !args.bounds;
        app.add_plugins((
            ClassicModelsPlugins,
            StagePlugin,
            (
                ModelsPlugin,
                AloClipsPlugin,
                AbcModelsPlugin,
                LgwModelsPlugin,
            ),
            (OrbitPlugin, FramingPlugin),
            OverlayPlugin,
            (GizmosPlugin, AloGizmosPlugin, AbcGizmosPlugin),
            (AloTreesPlugin, AloPointerPlugin),
            ParticleSystemsPlugin,
        ))
        .insert_resource(Row::new(args.view, args.aspect(), by_clip))
        .insert_resource(overlays)
        .insert_resource(NightTime(args.night))
        .insert_resource(args.clone());
    }
}
