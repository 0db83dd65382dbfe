//! Converts one file to the bytes of another one.

use crate::convert::files::Files;
use crate::convert::model::Request;
use crate::convert::options::{Options, Output};
use crate::convert::{abc, alo, lgw, mdl, particles, textures};
use crate::file_format::{FileFormat, has_extension, is_texture};
use bevy_classic_models::texture::Pixels;
use classic_model_formats::archive::detect;
use std::path::PathBuf;

/// The error of a texture that shall become a model.
const TEXTURE: &str = "a texture can only be converted to .png";

/// A file to convert, and the file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub input: PathBuf,
    pub output: PathBuf,
    pub kind: Output,
}

/// The content of the file to write.
pub struct Written {
    pub bytes: Vec<u8>,
    pub warnings: Vec<String>,
}

impl Job {
    /// Converts the file.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or cannot be converted to this kind of file.
    pub fn convert(&self, files: &Files, options: &Options) -> Result<Written, String> {
        let bytes = files.read(&self.input)?;
        let container = match self.kind {
            Output::Png => return self.picture(&bytes),
            Output::Model(container) => container,
        };
        if is_texture(&self.input) {
            return Err(TEXTURE.to_owned());
        }
        let format = FileFormat::known(&self.input, &bytes);
        let format = format.ok_or_else(|| self.unknown_error(&bytes))?;
        let request = Request {
            path: &self.input,
            files,
            options,
        };
        let converted = match format {
            FileFormat::Abc => abc::convert(&bytes, &request),
            FileFormat::Alo => alo::convert(&bytes, &request),
            FileFormat::Lgw => lgw::convert(&bytes, &request),
            FileFormat::Mdl => {
                let converted = mdl::convert(&bytes, &request);
                converted.map_err(|error| self.archive_error(&bytes).unwrap_or(error))
            }
            FileFormat::Particles => particles::convert(&bytes, &request),
            FileFormat::Dtx => Err(TEXTURE.to_owned()),
            FileFormat::Ala => Err(
                "an animation has no model: convert its .alo file, whose animations are found beside it"
                    .to_owned(),
            ),
        }?;
        let warnings = converted.warnings.into_iter().chain(converted.textures);
        Ok(Written {
            warnings: warnings.collect(),
            bytes: converted.document.write(container)?,
        })
    }

    fn picture(&self, bytes: &[u8]) -> Result<Written, String> {
        let format = FileFormat::known(&self.input, bytes);
        if !is_texture(&self.input) && format.is_some_and(|format| format != FileFormat::Dtx) {
            return Err("a model can only be converted to .glb or .gltf".to_owned());
        }
        let pixels = Pixels::decode(bytes, &self.input).map_err(|error| error.to_string())?;
        Ok(Written {
            bytes: textures::png(&pixels)?,
            warnings: Vec::new(),
        })
    }

    /// The error of a file whose format is not known.
    fn unknown_error(&self, bytes: &[u8]) -> String {
        if has_extension(&self.input, "ron") {
            return "a manifest: convert the model that it refers to".to_owned();
        }
        let error = "not a model: expected the first bytes or the extension of an .abc, .alo, .lgw or .mdl file";
        let archive = self.archive_error(bytes);
        archive.unwrap_or_else(|| error.to_owned())
    }

    /// The error of a file that is an archive.
    fn archive_error(&self, bytes: &[u8]) -> Option<String> {
        let format = detect(bytes, &self.input).ok()?;
        let name = self.input.display();
        format.map(|_| {
            format!("an archive: name a model in it, as in {name}/PATH; `classic-models list {name}` prints the paths")
        })
    }
}
