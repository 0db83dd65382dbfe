//! Lights, proxies and dazzles of Alamo models.

use crate::alo::skeleton::{Skeleton, is_turned_light, stated_name};
use crate::scene::{Node, Scene};
use classic_model_formats::alo::{Dazzle, Light, Proxy};
use core::f32::consts::PI;
use serde_json::Value;

/// What is connected to bones beside meshes.
#[derive(Default)]
pub struct Objects {
    pub lights: Vec<Light<'static>>,
    pub proxies: Vec<Proxy<'static>>,
    pub dazzles: Vec<Dazzle<'static>>,
}

/// All lights, proxies and dazzles. `scale` is in meters per unit.
pub fn objects(scene: &Scene, skeleton: &Skeleton, scale: f32) -> Objects {
    let mut objects = Objects::default();
    let mut nodes: Vec<(usize, &Node)> = scene.nodes.iter().enumerate().collect();
    // The order of a converted model.
    nodes.sort_by_key(|(_, node)| {
        node.extras
            .get("index")
            .and_then(Value::as_u64)
            .unwrap_or(u64::MAX)
    });
    for (index, node) in nodes {
        let bone = skeleton.place(index).0 as u32;
        if let Some(proxy) = node.extras.get("proxy") {
            objects.proxies.push(proxy_of(node, proxy, bone));
        } else if let Some(dazzle) = node.extras.get("dazzle").and_then(stored::<Dazzle<'_>>) {
            objects.dazzles.push(Dazzle { bone, ..dazzle });
        } else if let Some(light) = node.extras.get("light").and_then(stored::<Light<'_>>) {
            objects.lights.push(Light {
                bone: Some(bone),
                ..light
            });
        } else if let Some(light) = node
            .light
            .as_ref()
            .filter(|_| !is_turned_light(scene, node))
        {
            objects.lights.push(light_of(node, light, bone, scale));
        }
    }
    objects
}

/// The values that a converted model has in its `extras`.
fn stored<T: serde::de::DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// A proxy has the name of its node, which is that of a file with tags.
fn proxy_of(node: &Node, values: &Value, bone: u32) -> Proxy<'static> {
    let flag = |name: &str| values.get(name).and_then(Value::as_bool).filter(|it| *it);
    Proxy {
        name: stated_name(node).to_owned().into(),
        bone,
        hidden: flag("hidden"),
        alt_decrease_stay_hidden: flag("altDecreaseStayHidden"),
    }
}

/// A light of `KHR_lights_punctual`: the inverse of what the way out does.
fn light_of(node: &Node, light: &Value, bone: u32, scale: f32) -> Light<'static> {
    let number = |value: Option<&Value>| value.and_then(Value::as_f64).map(|it| it as f32);
    let kind = match light.get("type").and_then(Value::as_str) {
        Some("directional") => 1,
        Some("spot") => 2,
        _ => 0,
    };
    let intensity = number(light.get("intensity")).unwrap_or(1.0);
    // Without a range, a light fades where it is as bright as one percent of a full light.
    let range = number(light.get("range")).unwrap_or_else(|| (intensity / (0.01 * PI)).sqrt());
    let half = 0.5 * range;
    let spot = |name: &str, default: f32| {
        number(light.get("spot").and_then(|it| it.get(name))).unwrap_or(default)
    };
    let color = light.get("color").and_then(Value::as_array);
    let channel = |index: usize| number(color.and_then(|color| color.get(index))).unwrap_or(1.0);
    Light {
        name: stated_name(node).to_owned().into(),
        bone: Some(bone),
        kind,
        color: [0, 1, 2].map(|index| crate::skin::srgb(channel(index))),
        intensity: match kind {
            1 => intensity / PI,
            _ => intensity / (PI * half * half).max(f32::MIN_POSITIVE),
        },
        far_attenuation_end: range / scale,
        far_attenuation_start: half / scale,
        hotspot: 2.0 * spot("innerConeAngle", 0.0),
        falloff: 2.0 * spot("outerConeAngle", PI / 4.0),
    }
}
