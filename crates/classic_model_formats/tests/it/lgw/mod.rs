//! UFO: Aftermath models as text: parsing of valid and malformed texts, and writing.

mod accepted;
mod errors;
mod parse;
mod random;
mod time;
mod warnings;

use crate::prelude::*;
use classic_model_formats::lgw::parse;
use classic_model_formats::read::TextPosition;
use classic_models_fixtures::lgw_malformed::*;

fn triangles(file: &LgwFile<'_>) -> Vec<[u32; 3]> {
    file.meshes[0].triangles().collect()
}
