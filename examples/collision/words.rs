//! What is written on screen.

use crate::casting::Met;
use crate::choices::Choices;
use crate::figures::{Figures, per_frame};
use crate::swarm::Swarm;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloCollider, AloRayHit};
use bevy_classic_models::prelude::*;

/// Writes it.
pub struct WordsPlugin;

impl Plugin for WordsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn).add_systems(Update, write);
    }
}

#[derive(Component)]
struct Words;

fn spawn(mut commands: Commands) {
    commands.spawn((
        Words,
        Text::new("loading"),
        TextFont::from_font_size(15.0),
        Node {
            position_type: PositionType::Absolute,
            left: px(12),
            top: px(10),
            ..default()
        },
    ));
}

/// Names of what a ray met.
#[derive(SystemParam)]
struct Names<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    instances: Query<'w, 's, &'static AloInstance>,
}

impl Names<'_, '_> {
    fn of(&self, entity: Entity, hit: &AloRayHit) -> Option<String> {
        let mut above = self.parents.iter_ancestors(entity);
        let model = above
            .find_map(|root| self.instances.get(root).ok())?
            .model();
        let mesh = model.meshes.get(hit.mesh)?;
        let bone = model.bones.get(hit.bone)?;
        Some(format!(
            "{}, sub-mesh {}, triangle {}, bone {}, {:.1} away",
            mesh.name, hit.submesh, hit.triangle, bone.name, hit.distance
        ))
    }
}

fn write(
    walkers: Query<(), With<AloInstance>>,
    parts: Query<&InheritedVisibility, With<AloCollider>>,
    (swarm, met): (Res<Swarm>, Res<Met>),
    figures: Res<Figures>,
    choices: Res<Choices>,
    names: Names,
    mut words: Single<&mut Text, With<Words>>,
) {
    let (sum, frames) = figures.sum();
    let shown = parts.iter().filter(|shows| shows.get()).count();
    let pointed = met.mouse.and_then(|(entity, hit)| names.of(entity, &hit));
    words.0 = format!(
        "{} walkers, {} parts with collision trees, {shown} of them visible\n\
         {} probes, {:.0} % of their rays meet a part\n\
         {:.0} rays a second, {:.2} ms in each frame, {:.2} ms of it to note what has moved\n\
         rays meet what is {:?} (V), back faces: {:?} (F), boxes: {:?} (B), level {} (L)\n\
         under the mouse: {}",
        walkers.iter().count(),
        parts.iter().count(),
        swarm.rays.len(),
        sum.percent_hit(),
        sum.rays_per_second(),
        per_frame(sum.all, frames),
        per_frame(sum.first, frames),
        choices.visibility,
        choices.backfaces,
        choices.boxes,
        choices.level,
        pointed.as_deref().unwrap_or("nothing"),
    );
}
