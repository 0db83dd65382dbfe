//! Particle systems as text, in which all values can be edited: RON, with the names of `docs/particles.md`.

use crate::convert::model::Written;
use crate::file_format::FileFormat;
use classic_model_formats::particles::write::write;
use classic_model_formats::particles::{ParticleFile, parse};
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use std::path::Path;

/// Converts the bytes of a particle system to text.
///
/// # Errors
/// If the file is damaged, or is not a particle system.
pub fn to_text(path: &Path, bytes: &[u8]) -> Result<Written, String> {
    if FileFormat::known(path, bytes) != Some(FileFormat::Particles) {
        return Err("only particle systems can be converted to .ron".to_owned());
    }
    let file = parse(bytes).map_err(|error| error.to_string())?;
    let config = PrettyConfig::new()
        .extensions(Extensions::IMPLICIT_SOME)
        .indentor("  ")
        .compact_arrays(true);
    let mut text = ron::ser::to_string_pretty(&file, config).map_err(|error| error.to_string())?;
    text.push('\n');
    let warnings = file.warnings.iter().map(ToString::to_string).collect();
    Ok(Written::new(text.into_bytes(), warnings))
}

/// Converts text to the bytes of a particle system.
///
/// # Errors
/// If the text has errors, or has values that the format cannot store.
pub fn from_text(bytes: &[u8]) -> Result<Written, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("RON: {error}"))?;
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    let file = options
        .from_str(text)
        .map_err(|error| format!("RON: {}: {}", error.span, error.code))?;
    written(&file)
}

/// The bytes of a particle system.
///
/// # Errors
/// If the format cannot store a value.
pub fn written(file: &ParticleFile<'_>) -> Result<Written, String> {
    let bytes = write(file).map_err(|error| error.to_string())?;
    Ok(Written::new(bytes, Vec::new()))
}
