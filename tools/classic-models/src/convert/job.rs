//! Converts one file to the bytes of another one.

use crate::convert::document::Container;
use crate::convert::files::Files;
use crate::convert::model::{Request, Written, model_name};
use crate::convert::options::{Options, Output};
use crate::convert::{abc, alo, back, html, images, lgw, mdl, particles};
use crate::file_format::{FileFormat, has_extension, is_gltf, is_image};
use crate::paths::archive_file::{self, Location, absolute};
use crate::paths::entry_pattern::check_name;
use crate::paths::game::{Game, NOT_FOUND};
use crate::paths::path_args::Selected;
use classic_model_formats::archive::detect;
use std::path::{Path, PathBuf};

/// The error of a texture that shall become a model.
const TEXTURE: &str = "a texture can only be converted to .dds, .dtx, .lmp, .png and .tga";

/// A file to convert, and the file to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub input: PathBuf,
    pub output: PathBuf,
    pub kind: Output,
}

impl Job {
    /// Converts the file.
    ///
    /// # Errors
    /// If it cannot be read, is damaged, or cannot be converted to this kind of file.
    pub fn convert(&self, files: &Files, options: &Options) -> Result<Written, String> {
        let bytes = files.read(&self.input)?;
        let container = match self.kind {
            Output::Dds | Output::Dtx | Output::Lmp | Output::Png | Output::Tga => {
                return self.image(&bytes, files, options);
            }
            Output::Ron => return particles::to_text(&self.input, &bytes),
            Output::Alo if !self.is_gltf(&bytes) => return particles::from_text(&bytes),
            Output::Alo | Output::Mdl | Output::Lgw | Output::Abc => {
                return self.back(&bytes, files, options);
            }
            Output::Html if self.is_gltf(&bytes) => {
                let scene = html::read(&bytes)?;
                return Ok(self.page(&bytes, !scene.has_meshes(), scene.warnings().to_vec()));
            }
            Output::Glb | Output::Html => Container::Glb,
            Output::Gltf => Container::Gltf,
        };
        if is_image(&self.input) {
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
            FileFormat::Particles => alo::convert_particles(&bytes, &request),
            FileFormat::Dtx => Err(TEXTURE.to_owned()),
            FileFormat::Ala => Err(
                "an animation has no model: convert its .alo file, whose animations are found beside it"
                    .to_owned(),
            ),
        }?;
        let has_meshes = !converted.document.root.meshes.is_empty();
        let bytes = converted.document.write(container)?;
        let warnings = converted.warnings;
        if self.kind == Output::Html {
            return Ok(self.page(&bytes, !has_meshes, warnings));
        }
        Ok(Written::new(bytes, warnings))
    }

    /// A page that shows a glTF file.
    fn page(&self, gltf: &[u8], is_empty: bool, mut warnings: Vec<String>) -> Written {
        if is_empty {
            warnings.push("has no meshes: the page is empty".to_owned());
        }
        Written::new(html::page(&model_name(&self.input), gltf), warnings)
    }

    /// Converts a glTF file to one of a game.
    fn back(&self, bytes: &[u8], files: &Files, options: &Options) -> Result<Written, String> {
        if !self.is_gltf(bytes) {
            let extension = self.kind.extension();
            return Err(format!(
                "only .glb and .gltf files can be converted to .{extension}"
            ));
        }
        let request = Request {
            path: &self.input,
            files,
            options,
        };
        match self.kind {
            Output::Alo => back::alo(bytes, &request, &self.output),
            Output::Lgw => back::lgw(bytes, &request),
            Output::Abc => back::abc(bytes, &request, &self.output),
            _ => back::mdl(bytes, &request),
        }
    }

    fn is_gltf(&self, bytes: &[u8]) -> bool {
        is_gltf(&self.input) || bytes.starts_with(b"glTF")
    }

    fn image(&self, bytes: &[u8], files: &Files, options: &Options) -> Result<Written, String> {
        let format = FileFormat::known(&self.input, bytes);
        if !is_image(&self.input) && format.is_some_and(|format| format != FileFormat::Dtx) {
            return Err("a model can only be converted to .glb, .gltf and .html".to_owned());
        }
        let request = Request {
            path: &self.input,
            files,
            options,
        };
        images::convert(bytes, self.kind, &request)
    }

    /// The error of a file whose format is not known.
    fn unknown_error(&self, bytes: &[u8]) -> String {
        if is_gltf(&self.input) {
            return "a glTF file can only be converted to .abc, .alo, .html, .lgw and .mdl"
                .to_owned();
        }
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
        format.map(|_| match archive_file::open_file(&self.input) {
            Err(error) => error.to_string(),
            Ok(_) => format!("an archive: name a model in it, as in {name}/PATH; `classic-models list {name}` prints the paths"),
        })
    }
}

/// A file to convert.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The path of the file, of an entry, or of a file of a game, which begins with the folder of the game.
    pub path: PathBuf,
    /// The absolute path of the file on the disk that has it: itself or an archive. `None` if the game does not have it.
    pub stored: Option<PathBuf>,
    /// The path in the game. `None` for other files.
    in_game: Option<PathBuf>,
    /// The path from the folder that stands for the file. `None` for files that are given or match a pattern.
    below: Option<PathBuf>,
    /// The path in the archive. `None` for other files.
    entry: Option<String>,
}

impl Input {
    /// A file on the disk, or an entry of an archive.
    pub fn of(Selected { path, below }: &Selected) -> Self {
        let (stored, entry) = match archive_file::locate(path) {
            Ok(Location::Entry { archive, entry }) => (absolute(&archive), Some(entry)),
            _ => (absolute(path), None),
        };
        Self {
            path: path.clone(),
            stored: Some(stored),
            in_game: None,
            below: below.clone(),
            entry,
        }
    }

    /// A file of a game, by its path in the game.
    pub fn of_game(game: &Game, path: &Path) -> Self {
        let stored = game.stored(path).map(|path| Selected { path, below: None });
        Self {
            path: game.root.join(path),
            stored: stored.and_then(|stored| Self::of(&stored).stored),
            in_game: Some(path.to_path_buf()),
            below: None,
            entry: None,
        }
    }

    /// Checks that the game has the file. Other files are checked when they are read.
    ///
    /// # Errors
    /// If the game does not have it. The path can be that of a file outside of the game then, which must not be read.
    pub fn check_found(&self) -> Result<(), String> {
        match self.stored {
            Some(_) => Ok(()),
            None => Err(NOT_FOUND.to_owned()),
        }
    }

    /// The path of the result in a folder, without extension. The results of files of a game and of a folder keep their folders.
    ///
    /// # Errors
    /// If the game does not have the file, or it is of a game or an archive, and a name that the result gets is not valid on
    /// every system, such as `..`.
    pub fn name(&self) -> Result<PathBuf, String> {
        let name = || self.path.file_name().map(PathBuf::from).unwrap_or_default();
        let path = match &self.in_game {
            Some(path) => path.clone(),
            None => self.below.clone().unwrap_or_else(name),
        };
        self.check_found()?;
        // Names of files on the disk are valid on this system.
        if self.in_game.is_none() && self.entry.is_none() {
            return Ok(path.with_extension(""));
        }
        let path = path.to_string_lossy().replace('\\', "/");
        path.split('/').try_for_each(check_name)?;
        let path: PathBuf = path.split('/').collect();
        Ok(path.with_extension(""))
    }
}
