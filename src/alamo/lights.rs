//! The lights of a model as Bevy's.

use crate::alamo::alo::{Light, LightKind};
use bevy::color::Color;
use bevy::ecs::bundle::Bundle;
use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::world::EntityWorldMut;
use bevy::light::{DirectionalLight, PointLight, SpotLight, light_consts};
use bevy::reflect::Reflect;
use core::f32::consts::{FRAC_PI_2, PI};

/// Illuminance in lux of a surface that a light of the games lights with intensity 1: that of
/// Bevy's own directional light, against which such models are seen.
pub const FULL_LIGHT: f32 = light_consts::lux::AMBIENT_DAYLIGHT;

/// On the entity of a model's light: what the file says of it, in the file's units.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
pub struct AloLight {
    /// Its index in the file.
    pub index: usize,
    /// Factor of the colour.
    pub intensity: f32,
    /// Where it begins to fade.
    pub far_attenuation_start: f32,
    /// Where it has faded to nothing.
    pub far_attenuation_end: f32,
}

impl AloLight {
    pub(super) fn new(index: usize, light: &Light<'_>) -> Self {
        Self {
            index,
            intensity: light.intensity,
            far_attenuation_start: light.far_attenuation_start,
            far_attenuation_end: light.far_attenuation_end,
        }
    }
}

/// Gives an entity the light. It shines along −Z of its bone, as Bevy's do.
///
/// `scale` is Bevy units per unit of the file.
pub(super) fn insert_light(entity: &mut EntityWorldMut<'_>, light: &Light<'_>, scale: f32) {
    match light.light_kind() {
        LightKind::Omni => entity.insert(point(light, scale)),
        LightKind::Directional => entity.insert(directional(light)),
        LightKind::Spot => entity.insert(spot(light, scale)),
    };
}

fn color(light: &Light<'_>) -> Color {
    let [r, g, b] = light.color;
    Color::srgb(r, g, b)
}

fn directional(light: &Light<'_>) -> impl Bundle + use<> {
    DirectionalLight {
        color: color(light),
        illuminance: FULL_LIGHT * light.intensity.max(0.0),
        ..DirectionalLight::default()
    }
}

fn point(light: &Light<'_>, scale: f32) -> impl Bundle + use<> {
    PointLight {
        color: color(light),
        intensity: lumens(light, scale),
        range: range(light, scale),
        ..PointLight::default()
    }
}

fn spot(light: &Light<'_>, scale: f32) -> impl Bundle + use<> {
    let (inner_angle, outer_angle) = half_angles(light);
    SpotLight {
        color: color(light),
        intensity: lumens(light, scale),
        range: range(light, scale),
        inner_angle,
        outer_angle,
        ..SpotLight::default()
    }
}

fn range(light: &Light<'_>, scale: f32) -> f32 {
    (light.far_attenuation_end * scale.abs()).max(0.0)
}

/// The luminous power that gives [`FULL_LIGHT`] × intensity where the games' light begins to fade.
///
/// The games' lights are equally bright up to the start of their attenuation and fade to nothing at
/// its end; Bevy's fade with the square of the distance from the beginning, with an illuminance of
/// lumens / (4 π distance²). They agree at the start, or half way to the end if that is farther.
fn lumens(light: &Light<'_>, scale: f32) -> f32 {
    let start = light
        .far_attenuation_start
        .max(0.5 * light.far_attenuation_end);
    let distance = (start * scale).abs();
    FULL_LIGHT * light.intensity.max(0.0) * 4.0 * PI * distance * distance
}

/// The file has whole angles in radians, Bevy wants them from the axis.
fn half_angles(light: &Light<'_>) -> (f32, f32) {
    let outer = (0.5 * light.falloff).clamp(0.0, FRAC_PI_2);
    ((0.5 * light.hotspot).clamp(0.0, outer), outer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn light() -> Light<'static> {
        Light {
            name: "lamp".into(),
            bone: None,
            kind: 2,
            color: [1.0, 0.5, 0.0],
            intensity: 2.0,
            far_attenuation_end: 40.0,
            far_attenuation_start: 30.0,
            hotspot: 0.75,
            falloff: 0.785,
        }
    }

    #[test]
    fn cones_are_halved_and_ordered() {
        assert_eq!(half_angles(&light()), (0.375, 0.3925));
        let wide = Light {
            hotspot: 9.0,
            falloff: 4.0,
            ..light()
        };
        assert_eq!(half_angles(&wide), (FRAC_PI_2, FRAC_PI_2));
        let omni = Light {
            hotspot: -0.017,
            falloff: -0.017,
            ..light()
        };
        assert_eq!(half_angles(&omni), (0.0, 0.0));
    }

    #[test]
    fn illuminance_at_the_start_of_fading_is_the_files() {
        let lumens = lumens(&light(), 0.1);
        let illuminance = lumens / (4.0 * PI * 3.0 * 3.0);
        assert!(
            (illuminance - 2.0 * FULL_LIGHT).abs() < 1.0,
            "{illuminance}"
        );
        assert!((range(&light(), 0.1) - 4.0).abs() < 1e-6);
    }
}
