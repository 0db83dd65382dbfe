//! Values and lines of the descriptions of all formats.

use crate::engines::BrokenLimit;
use serde_json::Value;
use std::fmt::Write;

/// A number with the digits of its 32-bit float.
pub fn number(value: f32) -> Value {
    let digits = value.to_string().parse::<f64>();
    digits.map_or(Value::Null, Value::from)
}

/// The values as an array.
pub fn list<T>(values: &[T], to_json: impl FnMut(&T) -> Value) -> Value {
    values.iter().map(to_json).collect()
}

/// Writes a line for each limit of an engine.
pub fn write_limits(limits: &[BrokenLimit], text: &mut String) -> std::fmt::Result {
    for limit in limits {
        writeln!(text, "  limit: {limit}")?;
    }
    Ok(())
}

/// Writes a line for each warning.
pub fn write_warnings(warnings: &[String], text: &mut String) -> std::fmt::Result {
    for warning in warnings {
        writeln!(text, "  warning: {warning}")?;
    }
    Ok(())
}
