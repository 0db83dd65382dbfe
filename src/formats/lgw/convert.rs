//! The conversion of a file to Bevy's types, before they become assets.

use crate::formats::lgw::limits;
use crate::formats::lgw::meshes::ConvertedMesh;
use crate::formats::lgw::settings::LgwLoaderSettings;
use classic_model_formats::lgw as text;
use classic_model_formats::lgw::LgwFile;
use classic_model_formats::read::{ParseError, Warning};
use core::mem::take;

/// A parsed model with its meshes converted to Bevy's.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ConvertedLgw<'a> {
    /// The parsed file, without its meshes and warnings.
    pub file: LgwFile<'a>,
    /// The converted meshes, in file order.
    pub meshes: Vec<ConvertedMesh>,
    /// The warnings of the parser and of the conversion.
    pub warnings: Vec<Warning>,
}

impl<'a> ConvertedLgw<'a> {
    /// Parses a file and converts its meshes.
    ///
    /// # Errors
    /// A [`ParseError`] with line and column: see [`text::parse`].
    pub fn load(bytes: &'a [u8], settings: &LgwLoaderSettings) -> Result<Self, ParseError> {
        let mut file = text::parse(bytes, settings.tolerance)?;
        limits::check_limits(&file, bytes.len())?;
        let mut warnings = take(&mut file.warnings);
        // Takes the meshes, so that each is freed when it is converted.
        let meshes = take(&mut file.meshes).into_iter().enumerate();
        let meshes = meshes
            .map(|(index, mesh)| ConvertedMesh::new(index, mesh, settings, &mut warnings))
            .collect();
        Ok(Self {
            file,
            meshes,
            warnings,
        })
    }
}
