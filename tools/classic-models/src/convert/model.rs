//! What the conversions of all models have in common: their input and their result.

use crate::convert::document::Document;
use crate::convert::files::Files;
use crate::convert::options::Options;
use crate::convert::textures::Textures;
use std::collections::BTreeMap;
use std::path::Path;

/// A model to convert.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The path of the model: of a file, or of an entry of an archive.
    pub path: &'a Path,
    pub files: &'a Files,
    pub options: &'a Options,
}

impl<'a> Request<'a> {
    /// The textures of the model.
    pub fn textures(&self) -> Textures<'a> {
        Textures::new(self.files, self.options, self.path)
    }
}

/// A converted model.
pub struct Converted {
    pub document: Document,
    /// Problems of the file, then those of textures.
    pub warnings: Vec<String>,
}

/// The content of the file to write.
pub struct Written {
    pub bytes: Vec<u8>,
    /// More files for its folder, by their names: textures and animations.
    pub beside: BTreeMap<String, Vec<u8>>,
    pub warnings: Vec<String>,
}

impl Written {
    /// A single file.
    pub fn new(bytes: Vec<u8>, warnings: Vec<String>) -> Self {
        Self {
            bytes,
            beside: BTreeMap::new(),
            warnings,
        }
    }
}

/// The name of a model: that of its file without the extension.
pub fn model_name(path: &Path) -> String {
    path.file_stem()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}
