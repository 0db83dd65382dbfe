//! The rays of all probes and that of the mouse, and how long they take.

use crate::choices::Choices;
use crate::eye::Eye;
use crate::field::Field;
use crate::figures::{Figures, Sample};
use crate::swarm::Swarm;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_classic_models::alamo::{AloRayCast, AloRayCastSettings, AloRayHit};
use std::time::Instant;

/// Casts the rays.
pub struct CastingPlugin;

impl Plugin for CastingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Choices>()
            .init_resource::<Met>()
            .init_resource::<Mouse>()
            .init_resource::<Figures>()
            .add_systems(
                PostUpdate,
                // Parts are where they are drawn in this frame, and what hides them is known.
                cast.in_set(Casting)
                    .run_if(resource_exists::<Field>)
                    .after(TransformSystems::Propagate)
                    .after(VisibilitySystems::MarkNewlyHiddenEntitiesInvisible),
            );
    }
}

/// When rays are cast.
#[derive(SystemSet, Clone, Debug, PartialEq, Eq, Hash)]
pub struct Casting;

/// What the rays of this frame met.
#[derive(Resource, Default)]
pub struct Met {
    /// Of each probe.
    pub probes: Vec<Option<(Entity, AloRayHit)>>,
    /// Under the mouse.
    pub mouse: Option<(Entity, AloRayHit)>,
}

/// Where the mouse is, in logical pixels.
#[derive(Resource, Default)]
pub struct Mouse(pub Option<Vec2>);

/// Not part of the plugin: without a window there is no mouse to follow.
pub fn follow_mouse(window: Single<&Window, With<PrimaryWindow>>, mut mouse: ResMut<Mouse>) {
    mouse.0 = window.cursor_position();
}

fn cast(
    mut rays: AloRayCast,
    choices: Res<Choices>,
    swarm: Res<Swarm>,
    mouse: Res<Mouse>,
    eyes: Query<(&Camera, &GlobalTransform), With<Eye>>,
    mut met: ResMut<Met>,
    mut figures: ResMut<Figures>,
) {
    let settings = AloRayCastSettings::default()
        .with_visibility(choices.visibility)
        .with_backfaces(choices.backfaces);
    let near = settings.with_max_distance(swarm.reach);
    met.probes.clear();
    // The first ray of a system takes note of what has moved.
    let start = Instant::now();
    let mut nearest = |ray: &Ray3d| rays.cast_ray(*ray, &near).first().copied();
    met.probes
        .extend(swarm.rays.iter().take(1).map(&mut nearest));
    let first = start.elapsed();
    met.probes
        .extend(swarm.rays.iter().skip(1).map(&mut nearest));
    figures.add(Sample {
        rays: met.probes.len(),
        hits: met.probes.iter().flatten().count(),
        first,
        all: start.elapsed(),
    });
    let looking = mouse.0.and_then(|at| {
        let (camera, eye) = eyes.iter().next()?;
        camera.viewport_to_world(eye, at).ok()
    });
    met.mouse = looking.and_then(|ray| rays.cast_ray(ray, &settings).first().copied());
}
