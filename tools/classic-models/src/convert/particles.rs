//! Particle systems as text, in which all values can be edited: RON, with the names of `docs/particles.md`.

use crate::convert::model::Written;
use crate::file_format::FileFormat;
use classic_model_formats::particles::plugins::{self, PluginFile, is_plugin_system};
use classic_model_formats::particles::{self, ParticleFile};
use classic_model_formats::read::Warning;
use ron::extensions::Extensions;
use ron::ser::PrettyConfig;
use serde_json::Value;
use std::path::Path;

/// Converts the bytes of a particle system to text.
///
/// # Errors
/// If the file is damaged, or is not a particle system.
pub fn to_text(path: &Path, bytes: &[u8]) -> Result<Written, String> {
    if FileFormat::known(path, bytes) != Some(FileFormat::Particles) {
        return Err("only particle systems can be converted to .ron".to_owned());
    }
    let config = PrettyConfig::new()
        .extensions(Extensions::IMPLICIT_SOME)
        .indentor("  ")
        .compact_arrays(true);
    let file = ParsedSystem::parse(bytes)?;
    let text = match &file {
        ParsedSystem::Emitters(file) => ron::ser::to_string_pretty(file, config),
        ParsedSystem::Plugins(file) => ron::ser::to_string_pretty(file, config),
    };
    let mut text = text.map_err(|error| error.to_string())?;
    text.push('\n');
    Ok(Written::new(text.into_bytes(), file.warnings()))
}

/// Converts text to the bytes of a particle system.
///
/// # Errors
/// If the text has errors, or has values that the format cannot store.
pub fn from_text(bytes: &[u8]) -> Result<Written, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| format!("RON: {error}"))?;
    let options = ron::Options::default().with_default_extension(Extensions::IMPLICIT_SOME);
    let emitters = options.from_str(text).map(ParsedSystem::Emitters);
    let file = emitters.or_else(|error| {
        let plugins = options.from_str(text).map(ParsedSystem::Plugins);
        // The text is meant to be of the format that more of it fits.
        plugins.map_err(|other| match other.span.start > error.span.start {
            true => other,
            false => error,
        })
    });
    let file = file.map_err(|error| format!("RON: {}: {}", error.span, error.code))?;
    file.written()
}

/// A particle system of either format.
pub enum ParsedSystem<'a> {
    /// Of Empire at War.
    Emitters(ParticleFile<'a>),
    /// Of Universe at War.
    Plugins(PluginFile<'a>),
}

impl<'a> ParsedSystem<'a> {
    /// Parses a file.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, String> {
        let parsed = match is_plugin_system(bytes) {
            true => plugins::parse(bytes).map(Self::Plugins),
            false => particles::parse(bytes).map(Self::Emitters),
        };
        parsed.map_err(|error| error.to_string())
    }

    /// The flaws of the file.
    pub fn warnings(&self) -> Vec<String> {
        let warnings: &[Warning] = match self {
            Self::Emitters(file) => &file.warnings,
            Self::Plugins(file) => &file.warnings,
        };
        warnings.iter().map(ToString::to_string).collect()
    }

    /// All values.
    ///
    /// # Errors
    /// If JSON has no such value.
    pub fn to_json(&self) -> serde_json::Result<Value> {
        match self {
            Self::Emitters(file) => serde_json::to_value(file),
            Self::Plugins(file) => serde_json::to_value(file),
        }
    }

    /// The values of [`to_json`](Self::to_json).
    ///
    /// # Errors
    /// If they are not those of a particle system.
    pub fn from_json(values: &Value) -> serde_json::Result<Self> {
        // Only emitters made of plug-ins have a creator.
        let is_plugins = values["emitters"][0].get("creator").is_some();
        match is_plugins {
            true => serde_json::from_value(values.clone()).map(Self::Plugins),
            false => serde_json::from_value(values.clone()).map(Self::Emitters),
        }
    }

    /// The bytes of the file.
    ///
    /// # Errors
    /// If the format cannot store a value.
    pub fn written(&self) -> Result<Written, String> {
        let bytes = match self {
            Self::Emitters(file) => particles::write::write(file),
            Self::Plugins(file) => plugins::write::write(file),
        };
        let bytes = bytes.map_err(|error| error.to_string())?;
        Ok(Written::new(bytes, Vec::new()))
    }
}
