//! Names the parts of Alamo models under the mouse, and marks the hit.

use crate::view::actions::action::Action;
use crate::view::camera::framing::Framing;
use crate::view::camera::orbit::Orbit;
use crate::view::draw::overlays::{OnTop, Overlays};
use crate::view::open::args::Trees;
use crate::view::panels::input::PanelInput;
use bevy::camera::visibility::VisibilitySystems;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_classic_models::query::{
    ModelRayCast, ModelRayCastSettings, ModelRayCastVisibility, ModelRayHit,
};
use classic_models_support::names::PartNames;
use classic_models_support::world_vertices::WorldVertices;

const HIT: Color = Color::srgb(1.0, 0.2, 0.9);

/// The largest count of parts along the ray that are named.
const MAX_NAMES: usize = 3;

/// The most pixels between pressing and releasing the button of a click.
const CLICK: f32 = 3.0;

/// The position of the mouse in logical pixels, and descriptions of the parts there, the nearest first.
#[derive(Resource, Default)]
pub struct Pointer {
    pub at: Option<Vec2>,
    pub hits: Vec<String>,
}

/// Finds and marks the parts under [`Pointer::at`].
pub fn pointer_plugin(app: &mut App) {
    app.init_resource::<Pointer>().add_systems(
        PostUpdate,
        probe
            .after(VisibilitySystems::CalculateBounds)
            .after(VisibilitySystems::VisibilityPropagate),
    );
}

/// Sets [`Pointer::at`] to the position of the mouse, if it is beside the panels. Captures have no window and don't need it.
pub fn follow(
    window: Single<&Window, With<PrimaryWindow>>,
    input: Res<PanelInput>,
    mut pointer: ResMut<Pointer>,
) {
    pointer.at = window.cursor_position().filter(|at| input.is_free(*at));
}

/// Frames the part under the mouse when it is clicked. Drags are no clicks.
pub fn focus_on_click(
    buttons: Res<ButtonInput<MouseButton>>,
    pointer: Res<Pointer>,
    cameras: Query<(&Camera, &GlobalTransform), With<Orbit>>,
    mut rays: ModelRayCast,
    mut pressed: Local<Option<Vec2>>,
    mut actions: MessageWriter<Action>,
) {
    if buttons.just_pressed(MouseButton::Left) {
        *pressed = pointer.at;
    }
    if !buttons.just_released(MouseButton::Left) {
        return;
    }
    let (Some(from), Some(to)) = (pressed.take(), pointer.at) else {
        return;
    };
    if from.distance(to) > CLICK {
        return;
    }
    let ray = cameras.iter().next();
    let ray = ray.and_then(|(camera, eye)| camera.viewport_to_world(eye, to).ok());
    let hits = ray.map(|ray| rays.cast_ray(ray, &ModelRayCastSettings::default()));
    if let Some(hit) = hits.and_then(|hits| hits.first()) {
        actions.write(Action::Frame(Framing::Part(hit.part)));
    }
}

fn probe(
    mut pointer: ResMut<Pointer>,
    overlays: Res<Overlays>,
    cameras: Query<(&Camera, &GlobalTransform), With<Orbit>>,
    mut rays: ModelRayCast,
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
    let mut named = hits.iter().filter_map(|hit| Some((hit, names.of(hit)?)));
    let first = named.clone().next();
    pointer
        .hits
        .extend(named.by_ref().map(|(_, name)| name).take(MAX_NAMES));
    if let Some((hit, _)) = first {
        mark(&mut gizmos, hit);
        if let Some(corners) = triangle(&world_vertices, hit) {
            let [a, b, c] = corners;
            gizmos.linestrip([a, b, c, a], HIT);
        }
    }
}

/// Draws a ring around the hit and an arrow along the normal. Their size on the screen is constant.
fn mark(gizmos: &mut Gizmos<OnTop>, hit: &ModelRayHit) {
    let size = 0.03 * hit.distance;
    let upright = Quat::from_rotation_arc(Vec3::Z, hit.normal);
    gizmos.circle(Isometry3d::new(hit.point, upright), 0.2 * size, HIT);
    gizmos.arrow(hit.point, hit.point + hit.normal * size, HIT);
}

/// The corners of the triangle that was hit, if it is drawn.
fn triangle(world_vertices: &WorldVertices, hit: &ModelRayHit) -> Option<[Vec3; 3]> {
    let indices = world_vertices.mesh(hit.part)?.try_indices().ok()?;
    let vertices = world_vertices.positions(hit.part)?;
    let first = 3 * hit.triangle as usize;
    let mut corners = indices.iter().skip(first).map(|index| vertices.get(index));
    let mut corner = || corners.next()?.copied();
    Some([corner()?, corner()?, corner()?])
}
