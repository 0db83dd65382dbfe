//! Converts the lights of a model to Bevy lights.

use crate::spawn::scene::insert;
use bevy::light::SimulationLightSystems;
use bevy::prelude::*;
use classic_model_formats::alo::{Light, LightKind};
use core::f32::consts::{FRAC_PI_2, PI};

/// The illuminance, in lux, of a surface lit by a light of the games with intensity 1. It equals the default
/// illuminance of Bevy's directional light.
pub const FULL_LIGHT: f32 = light_consts::lux::AMBIENT_DAYLIGHT;

/// The smallest relative change of scale that updates a light. Rotations change the computed scale by less, because of
/// rounding.
const SCALE_TOLERANCE: f32 = 1e-4;

/// On the entity of a light of a model: the values of the file, in the file's units.
///
/// The range and intensity of the entity's `PointLight` or `SpotLight` are computed from these values and the entity's
/// world scale. The illuminance of a `DirectionalLight` is computed from these values only. They are written when this
/// component or the scale changes. To dim a light, change `intensity` here.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloLight {
    /// Index of the light in the file.
    pub index: usize,
    /// A factor for the color.
    pub intensity: f32,
    /// The distance at which the light begins to fade.
    pub far_attenuation_start: f32,
    /// The distance at which the light has faded to 0.
    pub far_attenuation_end: f32,
}

/// On the entity of a light: the values from which its range and intensity were computed.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Clone, Debug, PartialEq)]
struct AppliedLight {
    light: AloLight,
    /// The world scale.
    scale: f32,
}

impl AloLight {
    pub(crate) fn new(index: usize, light: &Light<'_>) -> Self {
        Self {
            index,
            intensity: light.intensity,
            far_attenuation_start: light.far_attenuation_start,
            far_attenuation_end: light.far_attenuation_end,
        }
    }

    fn illuminance(&self) -> f32 {
        FULL_LIGHT * self.intensity.max(0.0)
    }

    fn range(&self, scale: f32) -> f32 {
        (self.far_attenuation_end * scale.abs()).max(0.0)
    }

    /// The luminous power, in lumens, that gives [`FULL_LIGHT`] × intensity at the start of the games' attenuation.
    ///
    /// The games' lights have constant brightness up to the start of their attenuation, and fade to 0 at its end.
    /// Bevy's lights have an illuminance of lumens / (4 π distance²). Both agree at the start of the attenuation, or at
    /// half of its end distance if that is greater.
    fn lumens(&self, scale: f32) -> f32 {
        let start = self
            .far_attenuation_start
            .max(0.5 * self.far_attenuation_end);
        let distance = start * scale;
        self.illuminance() * 4.0 * PI * distance * distance
    }
}

/// Adds the light's components to an entity. It shines along −Z of its bone, as Bevy's lights do.
///
/// `scale` is the loader's scale, in Bevy units per unit of the file.
pub(crate) fn insert_light(
    world: &mut World,
    entity: Entity,
    index: usize,
    light: &Light<'_>,
    scale: f32,
) {
    let values = AloLight::new(index, light);
    match light.light_kind() {
        LightKind::Omni => insert(world, entity, point(light, &values, scale)),
        LightKind::Directional => insert(world, entity, directional(light, &values)),
        LightKind::Spot => insert(world, entity, spot(light, &values, scale)),
    }
    let light = values.clone();
    insert(world, entity, (values, AppliedLight { light, scale }));
}

fn color(light: &Light<'_>) -> Color {
    let [r, g, b] = light.color;
    Color::srgb(r, g, b)
}

fn directional(light: &Light<'_>, values: &AloLight) -> impl Bundle + use<> {
    DirectionalLight {
        color: color(light),
        illuminance: values.illuminance(),
        ..DirectionalLight::default()
    }
}

fn point(light: &Light<'_>, values: &AloLight, scale: f32) -> impl Bundle + use<> {
    PointLight {
        color: color(light),
        intensity: values.lumens(scale),
        range: values.range(scale),
        ..PointLight::default()
    }
}

fn spot(light: &Light<'_>, values: &AloLight, scale: f32) -> impl Bundle + use<> {
    let (inner_angle, outer_angle) = half_angles(light);
    SpotLight {
        color: color(light),
        intensity: values.lumens(scale),
        range: values.range(scale),
        inner_angle,
        outer_angle,
        ..SpotLight::default()
    }
}

/// The inner and outer cone angles from the axis, in radians. The file has full angles.
fn half_angles(light: &Light<'_>) -> (f32, f32) {
    let outer = (0.5 * light.falloff).clamp(0.0, FRAC_PI_2);
    ((0.5 * light.hotspot).clamp(0.0, outer), outer)
}

/// Adds the system that updates lights when their world scale changes.
pub(crate) struct LightPlugin;

impl Plugin for LightPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<AloLight>()
            .register_type::<AppliedLight>()
            .add_systems(
                PostUpdate,
                update_lights
                    .after(TransformSystems::Propagate)
                    .before(SimulationLightSystems::UpdateBounds)
                    .before(SimulationLightSystems::AssignLightsToClusters)
                    .before(SimulationLightSystems::UpdateLightFrusta),
            );
    }
}

/// Matches lights whose scale or values may have changed.
type LightChanged = Or<(Changed<GlobalTransform>, Changed<AloLight>)>;

/// A light, and the components that depend on its values and its scale.
type ScaledLight = (
    &'static AloLight,
    &'static mut AppliedLight,
    &'static GlobalTransform,
    Option<&'static mut PointLight>,
    Option<&'static mut SpotLight>,
    Option<&'static mut DirectionalLight>,
);

/// Writes range and intensity of the lights if their scale or values changed.
fn update_lights(mut lights: Query<ScaledLight, LightChanged>) {
    for (light, mut applied, transform, point, spot, directional) in &mut lights {
        let scale = mean_scale(transform);
        let is_same_scale = (scale - applied.scale).abs() <= SCALE_TOLERANCE * applied.scale.abs();
        let is_edited = applied.light != *light;
        if !is_edited && (is_same_scale || !scale.is_finite()) {
            continue;
        }
        if is_edited {
            applied.light = light.clone();
        }
        if scale.is_finite() {
            applied.scale = scale;
        }
        let (range, lumens) = (light.range(applied.scale), light.lumens(applied.scale));
        if let Some(mut point) = point {
            (point.range, point.intensity) = (range, lumens);
        }
        if let Some(mut spot) = spot {
            (spot.range, spot.intensity) = (range, lumens);
        }
        if let Some(mut directional) = directional
            && is_edited
        {
            directional.illuminance = light.illuminance();
        }
    }
}

/// The geometric mean of the scales along the three axes.
fn mean_scale(transform: &GlobalTransform) -> f32 {
    transform.affine().matrix3.determinant().abs().cbrt()
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
    fn cone_angles_are_halved_and_inner_is_at_most_outer() {
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
    fn illuminance_at_the_start_of_attenuation_matches_the_file() {
        let light = AloLight::new(0, &light());
        let lumens = light.lumens(0.1);
        let illuminance = lumens / (4.0 * PI * 3.0 * 3.0);
        assert!(
            (illuminance - 2.0 * FULL_LIGHT).abs() < 1.0,
            "{illuminance}"
        );
        assert!((light.range(0.1) - 4.0).abs() < 1e-6);
    }
}
