//! JSON values of numbers and lists.

use serde_json::Value;

/// A number with the digits of its 32-bit float.
pub fn number(value: f32) -> Value {
    let digits = value.to_string().parse::<f64>();
    digits.map_or(Value::Null, Value::from)
}

/// The values as an array.
pub fn list<T>(values: &[T], to_json: impl FnMut(&T) -> Value) -> Value {
    values.iter().map(to_json).collect()
}
