//! Names the parts of Alamo models under the mouse, and marks the hit.

use crate::view::camera::Orbit;
use crate::view::camera::PANEL_WIDTH;
use crate::view::gizmos::OnTop;
use crate::view::overlay::Overlays;
use crate::view::trees::Trees;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_classic_models::alamo::{AloRayCast, AloRayHit};
use bevy_classic_models::model::{ModelRayCastSettings, ModelRayCastVisibility};
use classic_models_support::names::PartNames;
use classic_models_support::world_vertices::WorldVertices;

const HIT: Color = Color::srgb(1.0, 0.2, 0.9);

/// The largest count of parts along the ray that are named.
const MAX_NAMES: usize = 3;

/// The position of the mouse in logical pixels, and descriptions of the parts there, the nearest first.
#[derive(Resource, Default)]
pub struct Pointer {
    pub at: Option<Vec2>,
    pub hits: Vec<String>,
}

/// Finds and marks the parts under [`Pointer::at`].
pub struct AloPointerPlugin;

impl Plugin for AloPointerPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Pointer>().add_systems(
            PostUpdate,
            probe
                .after(TransformSystems::Propagate)
                .after(VisibilitySystems::VisibilityPropagate),
        );
    }
}

/// Sets [`Pointer::at`] to the mouse position, and writes the parts below the models. Captures have no window and don't
/// need it.
pub struct PointerLabelPlugin;

impl Plugin for PointerLabelPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn_label)
            .add_systems(Update, (follow, write_label));
    }
}

fn follow(window: Single<&Window, With<PrimaryWindow>>, mut pointer: ResMut<Pointer>) {
    pointer.at = window.cursor_position().filter(|at| at.x >= PANEL_WIDTH);
}

#[derive(Component)]
struct Label;

fn spawn_label(mut commands: Commands) {
    commands.spawn((
        Label,
        Text::default(),
        TextFont::from_font_size(13.0),
        Node {
            position_type: PositionType::Absolute,
            left: px(PANEL_WIDTH + 12.0),
            bottom: px(10),
            ..default()
        },
    ));
}

fn write_label(pointer: Res<Pointer>, mut label: Single<&mut Text, With<Label>>) {
    let text = pointer.hits.join("\nbehind it: ");
    label.set_if_neq(Text(text));
}

fn probe(
    mut pointer: ResMut<Pointer>,
    overlays: Res<Overlays>,
    cameras: Query<(&Camera, &GlobalTransform), With<Orbit>>,
    mut rays: AloRayCast,
    names: PartNames,
    world_vertices: WorldVertices,
    mut gizmos: Gizmos<OnTop>,
) {
    let ray = pointer.at.and_then(|at| {
        let (camera, eye) = cameras.iter().next()?;
        camera.viewport_to_world(eye, at).ok()
    });
    pointer.hits.clear();
    let Some(ray) = ray else {
        return;
    };
    // While the boxes of trees are drawn, rays also hit hulls that the file hides.
    let visibility = match overlays.trees {
        Trees::Off => ModelRayCastVisibility::Visible,
        Trees::Level(_) | Trees::All => ModelRayCastVisibility::Solid,
    };
    let settings = ModelRayCastSettings::default()
        .with_visibility(visibility)
        .never_early_exit();
    let hits = rays.cast_ray(ray, &settings);
    let names = hits.iter().filter_map(|(part, hit)| names.of(*part, hit));
    pointer.hits.extend(names.take(MAX_NAMES));
    if let Some((entity, hit)) = hits.first() {
        mark(&mut gizmos, hit);
        if let Some(corners) = triangle(&world_vertices, *entity, hit) {
            let [a, b, c] = corners;
            gizmos.linestrip([a, b, c, a], HIT);
        }
    }
}

/// Draws a ring around the hit and an arrow along the normal. Their size on the screen is constant.
fn mark(gizmos: &mut Gizmos<OnTop>, hit: &AloRayHit) {
    let size = 0.03 * hit.distance;
    let upright = Quat::from_rotation_arc(Vec3::Z, hit.normal);
    gizmos.circle(Isometry3d::new(hit.point, upright), 0.2 * size, HIT);
    gizmos.arrow(hit.point, hit.point + hit.normal * size, HIT);
}

/// The corners of the triangle that was hit, if it is drawn.
fn triangle(world_vertices: &WorldVertices, entity: Entity, hit: &AloRayHit) -> Option<[Vec3; 3]> {
    let indices = world_vertices.mesh(entity)?.try_indices().ok()?;
    let vertices = world_vertices.positions(entity)?;
    let first = 3 * hit.triangle as usize;
    let mut corners = indices.iter().skip(first).map(|index| vertices.get(index));
    let mut corner = || corners.next()?.copied();
    Some([corner()?, corner()?, corner()?])
}
