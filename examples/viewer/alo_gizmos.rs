//! What is drawn over Alamo models: edges, normals, boxes, bones, proxies and lights.

use crate::camera::{FOV, Orbit};
use crate::models::ViewedModel;
use crate::overlay::{BOUNDS, EDGES, NORMALS, OnSurface, Overlays};
use crate::rooms::AloRoom;
use crate::support::places::Places;
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloLight, AloPart, AloSubmeshOf};
use bevy_classic_models::prelude::*;

const BONE: Color = Color::srgb(1.0, 0.75, 0.3);
const PROXY: Color = Color::srgb(0.45, 0.85, 1.0);

/// Lines that nothing hides.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub struct OnTop;

/// Draws what [`Overlays`] says of Alamo models.
pub struct AloGizmosPlugin;

impl Plugin for AloGizmosPlugin {
    fn build(&self, app: &mut App) {
        let mut config = GizmoConfig {
            depth_bias: -1.0,
            ..default()
        };
        config.line.width = 1.5;
        app.insert_gizmo_config(OnTop, config).add_systems(
            PostUpdate,
            (
                draw_surface.run_if(|o: Res<Overlays>| o.wireframe || o.normals),
                draw_bounds.run_if(|o: Res<Overlays>| o.bounds),
                draw_bones.run_if(|o: Res<Overlays>| o.bones),
                draw_proxies.run_if(|o: Res<Overlays>| o.proxies),
                draw_lights.run_if(|o: Res<Overlays>| o.lights),
            )
                .after(TransformSystems::Propagate),
        );
    }
}

/// Writes names that face the camera.
#[derive(SystemParam)]
struct Letters<'w, 's> {
    cameras: Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<Orbit>>,
}

impl Letters<'_, '_> {
    /// Just right of a place, in letters of the same size wherever it is.
    fn write(&self, gizmos: &mut Gizmos<OnTop>, at: Vec3, text: &str, color: Color) {
        const PIXELS: f32 = 12.0;
        for (camera, eye) in &self.cameras {
            let height = camera.logical_viewport_size().map_or(720.0, |size| size.y);
            let depth = (at - eye.translation()).dot(*eye.forward());
            let size = PIXELS * 2.0 * (FOV / 2.0).tan() * depth / height;
            if size > 0.0 {
                let place = at + eye.right() * size * 0.5;
                let isometry = Isometry3d::new(place, eye.rotation());
                gizmos.text(isometry, text, size, Vec2::new(-0.5, 0.0), color);
            }
        }
    }
}

/// The model that an entity is a part of.
#[derive(SystemParam)]
struct Owners<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    rooms: Query<'w, 's, &'static AloRoom>,
}

impl Owners<'_, '_> {
    /// How large the model is.
    fn size(&self, part: Entity) -> f32 {
        let mut above = self.parents.iter_ancestors(part);
        let room = above.find_map(|entity| self.rooms.get(entity).ok());
        room.map_or(1.0, AloRoom::size)
    }
}

fn draw_surface(
    overlays: Res<Overlays>,
    submeshes: Query<(Entity, &InheritedVisibility), With<AloSubmeshOf>>,
    places: Places,
    owners: Owners,
    mut gizmos: Gizmos<OnSurface>,
) {
    let shown = submeshes.iter().filter(|(_, visibility)| visibility.get());
    for (entity, _) in shown {
        let (Some(mesh), Some(vertices)) = (places.mesh(entity), places.vertices(entity)) else {
            continue;
        };
        if overlays.wireframe
            && let Ok(indices) = mesh.try_indices()
        {
            let corners: Vec<Vec3> = indices
                .iter()
                .filter_map(|index| vertices.get(index).copied())
                .collect();
            for [a, b, c] in corners.as_chunks::<3>().0 {
                gizmos.linestrip([*a, *b, *c, *a], EDGES);
            }
        }
        if overlays.normals {
            let length = 0.02 * owners.size(entity);
            let normals = places.normals(entity).unwrap_or_default();
            for (at, normal) in vertices.iter().zip(&normals) {
                gizmos.line(*at, *at + *normal * length, NORMALS);
            }
        }
    }
}

fn draw_bounds(models: Query<(&AloRoom, &Transform), With<ViewedModel>>, mut gizmos: Gizmos) {
    for (room, transform) in &models {
        let center = (room.min + room.max) / 2.0 + transform.translation;
        let aabb = Aabb3d::new(center, (room.max - room.min) / 2.0);
        gizmos.aabb_3d(aabb, Transform::IDENTITY, BOUNDS);
    }
}

fn draw_bones(
    models: Query<(&AloInstance, &AloRoom)>,
    transforms: Query<&GlobalTransform>,
    visibilities: Query<&InheritedVisibility>,
    letters: Letters,
    mut gizmos: Gizmos<OnTop>,
) {
    for (instance, room) in &models {
        let place = |bone: usize| {
            let entity = instance.bones().get(bone)?;
            Some(transforms.get(*entity).ok()?.translation())
        };
        for (index, bone) in instance.model().bones.iter().enumerate() {
            let Some(at) = place(index) else {
                continue;
            };
            let entity = instance.bones().get(index);
            let visibility = entity.and_then(|entity| visibilities.get(*entity).ok());
            let color = shade(BONE, visibility.is_some_and(|shows| shows.get()));
            gizmos.cross(Isometry3d::from_translation(at), 0.006 * room.size(), color);
            if let Some(parent) = bone.parent.and_then(place) {
                gizmos.line_gradient(parent, at, color.with_alpha(0.2), color);
            }
            letters.write(&mut gizmos, at, &bone.name, color);
        }
    }
}

fn draw_proxies(
    proxies: Query<(Entity, &AloPart, &GlobalTransform, &InheritedVisibility), With<AloProxy>>,
    owners: Owners,
    letters: Letters,
    mut gizmos: Gizmos<OnTop>,
) {
    for (entity, part, transform, visibility) in &proxies {
        let at = transform.translation();
        gizmos.axes(*transform, 0.025 * owners.size(entity));
        let color = shade(PROXY, visibility.get());
        letters.write(&mut gizmos, at, &part.name, color);
    }
}

type Lights = (
    Entity,
    &'static AloPart,
    &'static GlobalTransform,
    &'static InheritedVisibility,
    Option<&'static PointLight>,
    Option<&'static SpotLight>,
    Option<&'static DirectionalLight>,
);

fn draw_lights(
    lights: Query<Lights, With<AloLight>>,
    owners: Owners,
    letters: Letters,
    mut gizmos: Gizmos<OnTop>,
) {
    for (entity, part, transform, visibility, point, spot, directional) in &lights {
        let at = transform.translation();
        let forward = *transform.forward();
        let shows = visibility.get();
        let size = owners.size(entity);
        let mut color = Color::WHITE;
        if let Some(point) = point {
            color = shade(point.color, shows);
            gizmos.sphere(at, point.range, color.with_alpha(0.25));
        } else if let Some(spot) = spot {
            color = shade(spot.color, shows);
            let (sin, cos) = spot.outer_angle.sin_cos();
            let rim = Isometry3d::new(at + forward * spot.range * cos, transform.rotation());
            let radius = spot.range * sin;
            gizmos.circle(rim, radius, color.with_alpha(0.5));
            for side in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
                gizmos.line(at, rim * (side * radius), color.with_alpha(0.5));
            }
        } else if let Some(directional) = directional {
            color = shade(directional.color, shows);
            gizmos.arrow(at, at + forward * 0.3 * size, color);
        }
        gizmos.cross(Isometry3d::from_translation(at), 0.015 * size, color);
        letters.write(&mut gizmos, at, &part.name, color);
    }
}

/// Paler if it does not show.
fn shade(color: Color, shows: bool) -> Color {
    color.with_alpha(if shows { 1.0 } else { 0.35 })
}
