//! Replaces `ron_text` and `spans` in builds without the feature `manifest`: every text is an error.

use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::error::ManifestError;
use crate::manifest::read::problem::Step;
use classic_model_formats::read::TextPosition;

pub(crate) fn from_ron(_: &str) -> Result<ModelManifest, ManifestError> {
    Err(ManifestError {
        position: TextPosition { line: 1, column: 1 },
        message: "manifests need the feature `manifest` of bevy_classic_models".to_owned(),
    })
}

pub(crate) fn field_names(_: &str) -> Vec<String> {
    Vec::new()
}

pub(crate) fn find_offset(_: &str, _: &[Step<'_>]) -> usize {
    0
}
