//! Converts particle systems of the Alamo engine. glTF has no particles, so all values are in `extras`.

use crate::convert::document::{Document, Placement, node};
use crate::convert::extras::extras;
use crate::convert::model::{Converted, Request, model_name};
use bevy_classic_models::alamo::particles;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Converts the bytes of a file.
///
/// # Errors
/// If the file is damaged.
pub fn convert(bytes: &[u8], request: &Request<'_>) -> Result<Converted, String> {
    let name = model_name(request.path);
    let mut document = Document::new(&name);
    let mut root = node(&name, Placement::IDENTITY);
    let (values, warnings) = describe(bytes)?;
    root.extras = extras(&json!({ "format": "alo particles", "particles": values }));
    document.add_node(None, root);
    Ok(Converted {
        document,
        warnings,
        textures: BTreeSet::new(),
    })
}

/// The values of a particle system, in the file's units, and its warnings.
///
/// # Errors
/// If the file is damaged.
pub fn describe(bytes: &[u8]) -> Result<(Value, Vec<String>), String> {
    let file = particles::parse(bytes).map_err(|error| error.to_string())?;
    let warnings = file.warnings.iter().map(ToString::to_string).collect();
    let values = serde_json::to_value(&file).map_err(|error| error.to_string())?;
    Ok((values, warnings))
}
