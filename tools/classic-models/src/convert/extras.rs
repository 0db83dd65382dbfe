//! Application data of the objects of a document. It must not know the games' formats.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// Adds a value to the application data of an object, unless it has one with this name.
pub fn add_extra(extras: &mut gltf_json::Extras, name: &str, value: impl Into<Value>) {
    let old = extras.take();
    let old = old.and_then(|raw| serde_json::from_str(raw.get()).ok());
    let mut values: Map<String, Value> = old.unwrap_or_default();
    values.entry(name).or_insert(value.into());
    *extras = self::extras(&Value::Object(values));
}

/// Application data of an object.
pub fn extras(value: &Value) -> gltf_json::Extras {
    RawValue::from_string(value.to_string()).ok()
}
