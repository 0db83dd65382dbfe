//! Describes manifests: the fields that are set, and the problems that `validate` finds.

use crate::inspect::description::{Description, Failure};
use crate::messages::counted;
use crate::validate::checker::problems;
use bevy_classic_models::manifest::{ModelManifest, parse};
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Describes a manifest. Without `file`, only its text is checked, such as in an archive.
///
/// # Errors
/// If the text is not valid.
pub fn describe(bytes: &[u8], file: Option<&Path>) -> Result<Description, Failure> {
    let manifest = parse(bytes).map_err(|error| Failure {
        position: Some(error.position),
        ..Failure::new(error)
    })?;
    let problems = file.map(|file| problems(file, None, &[]));
    let fields = fields(&manifest)?;
    let object = json!({
        "format": "manifest",
        "fields": fields,
        "valid": problems.as_ref().map(Vec::is_empty),
        "problems": problems,
    });
    let write = |text: &mut String| {
        writeln!(text, "  manifest of a model")?;
        for (field, value) in fields.as_object().into_iter().flatten() {
            writeln!(text, "  {field}: {}", short(value))?;
        }
        match problems.as_deref() {
            None => writeln!(text, "  valid text; extract it to check its files")?,
            Some([]) => writeln!(text, "  valid")?,
            Some(problems) => {
                writeln!(text, "  {}:", counted(problems.len() as u64, "problem"))?;
                for problem in problems {
                    writeln!(text, "    {problem}")?;
                }
            }
        }
        Ok(())
    };
    let is_faulty = problems.as_ref().is_some_and(|found| !found.is_empty());
    Ok(Description {
        is_faulty,
        ..Description::new(object, [""; 0], write)
    })
}

/// The fields that are set, with the model and the extended manifest first.
fn fields(manifest: &ModelManifest) -> Result<Value, Failure> {
    let fields = serde_json::to_value(manifest).map_err(Failure::new)?;
    let mut fields = fields.as_object().cloned().unwrap_or_default();
    fields.retain(|_, value| value != "");
    Ok(fields.into())
}

/// Names and numbers; of others the count of values, or their names.
fn short(value: &Value) -> String {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    match value {
        Value::Array(values) if values.iter().any(|value| value.is_object()) => {
            let named = |value: &Value| Some(text(value.get("name").or(value.get("model"))?));
            let names: Vec<String> = values.iter().filter_map(named).collect();
            let others = values.len() - names.len();
            let mut parts = names;
            if others > 0 {
                parts.push(format!("{others} without a name"));
            }
            parts.join(", ")
        }
        Value::Array(values) => values.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Object(values) => {
            let values = values.iter();
            let values = values.map(|(name, value)| format!("{name} {}", short(value)));
            values.collect::<Vec<_>>().join(", ")
        }
        value => text(value),
    }
}
