//! The lights of Alamo models, by `KHR_lights_punctual`.

use crate::convert::alo::parts::Parts;
use crate::convert::material::linear;
use bevy_classic_models::alamo::alo::{Light, LightKind};
use serde_json::{Value, json};
use std::f32::consts::{FRAC_PI_2, PI};

pub const EXTENSION: &str = "KHR_lights_punctual";

/// The illuminance, in lux, of a light with the intensity 1. It shows a white surface white in programs without exposure, such as
/// three.js.
const FULL_LIGHT: f32 = PI;

/// The largest half angle of a cone. The nearest `f32` to π/2 is larger than π/2, which glTF does not allow.
const MAX_CONE: f32 = FRAC_PI_2.next_down();

/// Adds all lights. `scale` is in meters per unit of the file.
pub fn add(parts: &mut Parts<'_>, scale: f32) {
    let lights = &parts.model.file.lights;
    for light in lights {
        let is_shown = parts.is_selected(&light.name);
        let values = serde_json::to_value(light).unwrap_or_default();
        let bone = light.bone.unwrap_or(0) as usize;
        let node = parts.add_part(bone, &light.name, &json!({ "light": values }), is_shown);
        let index = parts
            .document
            .push_extension(EXTENSION, "lights", describe(light, scale));
        parts
            .document
            .extend_node(node, EXTENSION, json!({ "light": index }));
    }
}

fn describe(light: &Light<'_>, scale: f32) -> Value {
    // From 0 to the largest value that JSON and other programs can use. It is 0 for NaN.
    let positive = |value: f32| if value > 0.0 { value.min(1e9) } else { 0.0 };
    let illuminance = FULL_LIGHT * positive(light.intensity);
    let start = light
        .far_attenuation_start
        .max(0.5 * light.far_attenuation_end);
    let distance = positive(start * scale);
    // Equal to the file's at the start of the attenuation.
    let candela = positive(illuminance * distance * distance);
    let range = positive(light.far_attenuation_end * scale);
    let kind = light.light_kind();
    let mut value = json!({
        "name": light.name,
        "color": linear(light.color),
        "type": match kind {
            LightKind::Omni => "point",
            LightKind::Directional => "directional",
            LightKind::Spot => "spot",
        },
        "intensity": match kind {
            LightKind::Directional => positive(illuminance),
            LightKind::Omni | LightKind::Spot => candela,
        },
    });
    if kind != LightKind::Directional && range > 0.0 {
        value["range"] = json!(range);
    }
    if kind == LightKind::Spot {
        // The file has full angles. The inner cone must be smaller than the outer one.
        let outer = (0.5 * positive(light.falloff)).clamp(0.001, MAX_CONE);
        let inner = (0.5 * positive(light.hotspot)).min(outer * 0.999);
        value["spot"] = json!({ "innerConeAngle": inner, "outerConeAngle": outer });
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_any_light_are_valid() {
        for (kind, number) in [
            (0, f32::NAN),
            (1, -1.0),
            (2, f32::INFINITY),
            (2, 0.5),
            (2, PI),
            (9, 1e30),
        ] {
            let light = Light {
                name: "lamp".into(),
                bone: None,
                kind,
                color: [number, 0.5, 2.0],
                intensity: number,
                far_attenuation_end: number,
                far_attenuation_start: number,
                hotspot: number,
                falloff: number,
            };
            let value = describe(&light, 2.0);
            assert!(value["intensity"].as_f64().unwrap() >= 0.0, "{value}");
            for channel in value["color"].as_array().unwrap() {
                assert!((0.0..=1.0).contains(&channel.as_f64().unwrap()), "{value}");
            }
            if kind == 2 {
                let spot = &value["spot"];
                let [inner, outer] =
                    ["innerConeAngle", "outerConeAngle"].map(|key| spot[key].as_f64().unwrap());
                assert!(inner < outer && outer <= std::f64::consts::FRAC_PI_2);
            }
        }
    }
}
