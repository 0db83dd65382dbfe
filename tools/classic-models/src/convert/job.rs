//! Converts one file to the bytes of another one.

use crate::convert::files::Files;
use crate::convert::model::Request;
use crate::convert::options::{Options, Output};
use crate::convert::{abc, alo, lgw, mdl, particles, textures};
use crate::file_format::{FileFormat, is_texture};
use bevy_classic_models::texture::Pixels;
use classic_model_formats::archive::detect;
use std::path::{Path, PathBuf};

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
        match self.kind {
            Output::Png => picture(&bytes, &self.input),
            Output::Model(_) if is_texture(&self.input) => {
                Err("a texture can only be converted to .png".to_owned())
            }
            Output::Model(container) => {
                let request = Request {
                    path: &self.input,
                    files,
                    options,
                };
                let converted = match FileFormat::of(&self.input, &bytes) {
                    FileFormat::Abc => abc::convert(&bytes, &request),
                    FileFormat::Alo => alo::convert(&bytes, &request),
                    FileFormat::Lgw => lgw::convert(&bytes, &request),
                    FileFormat::Mdl => {
                        let converted = mdl::convert(&bytes, &request);
                        converted.map_err(|error| self.archive_error(&bytes).unwrap_or(error))
                    }
                    FileFormat::Particles => particles::convert(&bytes, &request),
                    FileFormat::Dtx => Err("a texture can only be converted to .png".to_owned()),
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
        }
    }
}

impl Job {
    /// The error of a file that is an archive.
    fn archive_error(&self, bytes: &[u8]) -> Option<String> {
        let format = detect(bytes, &self.input).ok()?;
        let name = self.input.display();
        format.map(|_| {
            format!("an archive: name a model in it, as in {name}/PATH; `classic-models list {name}` prints the paths")
        })
    }
}

fn picture(bytes: &[u8], path: &Path) -> Result<Written, String> {
    let pixels = Pixels::decode(bytes, path).map_err(|error| error.to_string())?;
    Ok(Written {
        bytes: textures::png(&pixels)?,
        warnings: Vec::new(),
    })
}
