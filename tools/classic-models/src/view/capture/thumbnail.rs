//! An image of a model or a particle system for file managers.

use crate::view::camera::framing::{Framing, FramingStyle};
use crate::view::capture::sheet::problem;
use crate::view::capture::{SMALL, aim, shrink_views, start_with, wait_for_models};
use crate::view::models::particle_systems::{BoundsAtFullestTime, ParticleFile, fullest_time};
use crate::view::open::args;
use crate::view::open::shown::Shown;
use bevy::camera::Viewport;
use bevy::gizmos_render::GizmoRenderPlugin;
use bevy::light::DirectionalLightShadowMap;
use bevy::prelude::*;
use bevy::ui_render::UiRenderPlugin;
use bevy_classic_models::alamo::AloParticles;
use classic_models_support::headless::plugins;
use std::path::Path;

/// Framed models fill 0.75 of the picture; enlarged, 0.9.
const ZOOM: f32 = 1.2;

/// The width and height of the shadow map, in texels.
const SHADOW_MAP: usize = 1024;

/// The image of a file; square, on a transparent background.
///
/// # Errors
/// If it cannot be loaded.
pub fn image(file: &Path, size: u32) -> Result<Image, String> {
    let mut args = args::parse(["--background", "none"]);
    args.files = vec![file.to_owned()];
    args.size = Some(UVec2::splat(size));
    args.zoom = ZOOM;
    let mut shown = Shown::open(args)?;
    let size = UVec2::splat(size);
    let plugins = plugins(&shown.folders.assets, false)
        .disable::<UiRenderPlugin>()
        .disable::<GizmoRenderPlugin>();
    let mut headless = start_with(plugins, &shown, size, FramingStyle::Visible, "error");
    headless
        .app
        .insert_resource(BoundsAtFullestTime)
        .insert_resource(DirectionalLightShadowMap { size: SHADOW_MAP });
    wait_for_models(&mut headless);
    if let Some(problem) = problem(&mut headless) {
        return Err(problem);
    }
    let time = headless.app.world_mut().run_system_cached(particle_time);
    shown.args.time = time.map_err(|error| error.to_string())?;
    // A software renderer takes most of the time for pixels: only the frame of the image has all.
    let small = Viewport {
        physical_size: size / SMALL,
        ..default()
    };
    aim(&mut headless, &shown.args, Some(small), Framing::All);
    headless.begin_capture();
    headless.step(0.0);
    shrink_views(headless.app.world_mut(), true);
    Ok(headless.finish_capture())
}

/// The time at which a particle system that was opened as a file is shown.
fn particle_time(files: Query<&ParticleFile>, particles: Res<Assets<AloParticles>>) -> Option<f32> {
    let system = files.iter().find_map(|file| particles.get(&file.0))?;
    Some(fullest_time(system) as f32)
}
