//! LithTech models: parsing, writing, LODs and poses. The tests use `abc::sample_model`, and [`Offsets`] for offsets in its
//! file.

mod corpus;
mod malformed;
mod mutations;
mod reading;
mod sampling;

use crate::prelude::*;
use classic_model_formats::abc::write::{AnimationDocument, TrackDocument, write_unchecked};
use classic_model_formats::abc::{NodeKey, TransformInfo, parse};
use classic_models_fixtures::abc_full::sample_model;
use classic_models_fixtures::abc_malformed::{Offsets, edited, minimal, patched};
use zerocopy::little_endian::F32;

fn warnings(file: &AbcFile<'_>) -> Vec<String> {
    file.warnings.iter().map(ToString::to_string).collect()
}
