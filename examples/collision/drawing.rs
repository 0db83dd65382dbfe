//! The rays, what they meet, and the boxes of the parts that they meet.

use crate::casting::{Casting, Met};
use crate::choices::{Boxes, Choices};
use crate::field::Field;
use crate::support::places::Places;
use crate::swarm::Swarm;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloColliderGizmos, AloRayHit, ShowAloColliderGizmo};

const RAY: Color = Color::srgba(0.35, 0.75, 1.0, 0.55);
const MISS: Color = Color::srgba(0.5, 0.55, 0.6, 0.14);
/// Nothing of a walker has it.
const HIT: Color = Color::srgb(1.0, 0.2, 0.9);
const NORMAL: Color = Color::srgb(1.0, 0.85, 0.3);
const EDGES: Color = Color::srgb(0.35, 0.95, 0.75);
const TRIANGLE: Color = Color::WHITE;

/// Lines that nothing hides.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OnTop;

/// Draws it.
pub struct DrawingPlugin;

impl Plugin for DrawingPlugin {
    fn build(&self, app: &mut App) {
        let thin = |depth_bias: f32| {
            let mut config = GizmoConfig {
                depth_bias,
                ..default()
            };
            config.line.width = 1.5;
            config
        };
        app.insert_gizmo_config(DefaultGizmoConfigGroup, thin(0.0))
            .insert_gizmo_config(OnTop, thin(-1.0))
            .insert_gizmo_config(AloColliderGizmos::default(), thin(0.0))
            .add_systems(
                PostUpdate,
                (
                    draw_rays.run_if(resource_exists::<Field>),
                    draw_pointed,
                    show_boxes,
                )
                    .after(Casting),
            );
    }
}

fn draw_rays(swarm: Res<Swarm>, met: Res<Met>, field: Res<Field>, mut gizmos: Gizmos) {
    let size = 0.03 * field.spacing;
    for (ray, hit) in swarm.rays.iter().zip(&met.probes) {
        gizmos.cross(Isometry3d::from_translation(ray.origin), 0.5 * size, RAY);
        let Some((_, hit)) = hit else {
            gizmos.line(ray.origin, ray.get_point(swarm.reach), MISS);
            continue;
        };
        gizmos.line(ray.origin, hit.point, RAY);
        gizmos.cross(Isometry3d::from_translation(hit.point), size, HIT);
        gizmos.line(hit.point, hit.point + hit.normal * 3.0 * size, NORMAL);
    }
}

/// The edges of the part under the mouse, and what was met of it.
fn draw_pointed(met: Res<Met>, places: Places, mut gizmos: Gizmos<OnTop>) {
    let Some((entity, hit)) = &met.mouse else {
        return;
    };
    for (number, [a, b, c]) in triangles(&places, *entity).into_iter().enumerate() {
        if number != hit.triangle as usize {
            gizmos.linestrip([a, b, c, a], EDGES.with_alpha(0.2));
        } else {
            gizmos.linestrip([a, b, c, a], TRIANGLE);
        }
    }
    mark(&mut gizmos, hit);
}

/// A ring around the point and an arrow along the normal, of the same size wherever they are.
fn mark(gizmos: &mut Gizmos<OnTop>, hit: &AloRayHit) {
    let size = 0.06 * hit.distance;
    let upright = Quat::from_rotation_arc(Vec3::Z, hit.normal);
    gizmos.circle(Isometry3d::new(hit.point, upright), 0.2 * size, HIT);
    gizmos.arrow(hit.point, hit.point + hit.normal * size, HIT);
}

/// The triangles of a part as it is drawn; none of one that is not.
fn triangles(places: &Places, entity: Entity) -> Vec<[Vec3; 3]> {
    let indices = places.mesh(entity).and_then(|mesh| mesh.try_indices().ok());
    let (Some(indices), Some(vertices)) = (indices, places.vertices(entity)) else {
        return Vec::new();
    };
    let corners: Vec<Vec3> = indices
        .iter()
        .filter_map(|index| vertices.get(index).copied())
        .collect();
    corners.as_chunks().0.to_vec()
}

/// Says which boxes are to be drawn.
fn show_boxes(
    mut commands: Commands,
    choices: Res<Choices>,
    met: Res<Met>,
    shown: Query<Entity, With<ShowAloColliderGizmo>>,
    mut store: ResMut<GizmoConfigStore>,
) {
    let (_, config) = store.config_mut::<AloColliderGizmos>();
    config.draw_all = choices.boxes == Boxes::All;
    config.visibility = choices.visibility;
    config.level = Some(choices.level);
    let hits = met.probes.iter().flatten().chain(&met.mouse);
    let hits = hits.filter(|_| choices.boxes == Boxes::Met);
    let mut wanted: HashMap<Entity, ShowAloColliderGizmo> = hits
        .map(|(entity, _)| (*entity, ShowAloColliderGizmo::default()))
        .collect();
    for entity in &shown {
        if wanted.remove(&entity).is_none() {
            commands.entity(entity).remove::<ShowAloColliderGizmo>();
        }
    }
    // A part may be gone when it is to get its box.
    for (entity, show) in wanted {
        commands.entity(entity).try_insert(show);
    }
}
