//! Draws the proxies and lights of Alamo models.

use crate::view::gizmos::{GizmoText, ModelSizes, OnTop, shade};
use crate::view::overlay::Overlays;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloProxy;
use bevy_classic_models::alamo::{AloLight, AloPart};

const PROXY: Color = Color::srgb(0.45, 0.85, 1.0);

/// Draws the proxies and lights if [`Overlays`] enables them.
pub struct AloGizmosPlugin;

impl Plugin for AloGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(
            PostUpdate,
            (
                draw_proxies.run_if(|o: Res<Overlays>| o.proxies),
                draw_lights.run_if(|o: Res<Overlays>| o.lights),
            )
                .after(TransformSystems::Propagate),
        );
    }
}

fn draw_proxies(
    proxies: Query<(Entity, &AloPart, &GlobalTransform, &InheritedVisibility), With<AloProxy>>,
    sizes: ModelSizes,
    labels: GizmoText,
    mut gizmos: Gizmos<OnTop>,
) {
    for (entity, part, transform, visibility) in &proxies {
        let at = transform.translation();
        gizmos.axes(*transform, 0.025 * sizes.size(entity));
        let color = shade(PROXY, visibility.get());
        labels.write(&mut gizmos, at, &part.name, color);
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
    sizes: ModelSizes,
    labels: GizmoText,
    mut gizmos: Gizmos<OnTop>,
) {
    for (entity, part, transform, visibility, point, spot, directional) in &lights {
        let at = transform.translation();
        let forward = *transform.forward();
        let shows = visibility.get();
        let size = sizes.size(entity);
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
        labels.write(&mut gizmos, at, &part.name, color);
    }
}
