//! Manifests from and to the text of a file.

use crate::manifest::check::values::check;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::error::ManifestError;
use crate::manifest::read::ron_error;
use crate::manifest::read::spans::options;
use classic_model_formats::read::TextPosition;
use ron::Deserializer;
use ron::ser::PrettyConfig;

/// Deserializes a manifest, without checking its values.
pub(crate) fn from_ron(text: &str) -> Result<ModelManifest, ManifestError> {
    let reader = Deserializer::from_str_with_options(text, &options());
    let mut reader = reader.map_err(|error| ron_error::at_deserializer(&error, text))?;
    let manifest = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().clone();
        ron_error::at_value(&reader.span_error(error.into_inner()), &path, text)
    })?;
    let end = reader.end();
    end.map_err(|error| ron_error::at_deserializer(&reader.span_error(error), text))?;
    Ok(manifest)
}

impl ModelManifest {
    /// Writes the manifest as the text of a file, without fields that have their default value. [`parse`](crate::manifest::parse)
    /// returns an equal manifest, except for [`files`](Self::files), which is not written.
    ///
    /// # Errors
    /// [`ManifestError`] if [`parse`](crate::manifest::parse) would reject the manifest.
    pub fn to_ron(&self) -> Result<String, ManifestError> {
        check(self).map_err(|problem| problem.in_text(""))?;
        let pretty = PrettyConfig::new().new_line("\n").compact_arrays(false);
        let text = options().to_string_pretty(self, pretty);
        let mut text = text.map_err(|error| ManifestError {
            position: TextPosition { line: 1, column: 1 },
            message: error.to_string(),
        })?;
        text.push('\n');
        Ok(text)
    }
}
