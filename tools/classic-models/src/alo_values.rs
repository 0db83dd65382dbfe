//! Values of Alamo models as JSON.

use bevy_classic_models::alamo::alo::{ParameterValue, Submesh};
use serde_json::{Map, Value, json};

/// The parameters of a sub-mesh's shader by name.
pub fn parameters(submesh: &Submesh<'_>, number: fn(f32) -> Value) -> Map<String, Value> {
    let parameters = submesh.parameters.iter();
    let named = parameters.map(|parameter| {
        let value = match &parameter.value {
            ParameterValue::Int(value) => json!(value),
            ParameterValue::Float(value) => number(*value),
            ParameterValue::Float3(value) => json!(value.map(number)),
            ParameterValue::Float4(value) => json!(value.map(number)),
            ParameterValue::Texture(value) => json!(value),
        };
        (parameter.name.to_string(), value)
    });
    named.collect()
}
