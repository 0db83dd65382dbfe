//! Replaces `ron_text` and `spans` in builds without the feature `manifest`: every text is an error.

use super::manifest_error::ManifestError;
use super::model_manifest::ModelManifest;
use super::problem::Step;
use crate::read::TextPosition;

pub(super) fn from_ron(_: &str) -> Result<ModelManifest, ManifestError> {
    Err(ManifestError {
        position: TextPosition { line: 1, column: 1 },
        message: "manifests need the feature `manifest` of bevy_classic_models".to_owned(),
    })
}

pub(super) fn field_names(_: &str) -> Vec<String> {
    Vec::new()
}

pub(super) fn find_offset(_: &str, _: &[Step<'_>]) -> usize {
    0
}
