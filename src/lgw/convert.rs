//! Everything that a file holds as Bevy's own values, before it becomes assets.

use crate::lgw::limits;
use crate::lgw::meshes::ConvertedMesh;
use crate::lgw::settings::LgwLoaderSettings;
use crate::lgw::text::{self, LgwFile};
use crate::read::{ParseError, Warning};
use core::mem::take;

/// A model with its meshes made.
#[derive(Clone, Debug)]
pub struct ConvertedLgw<'a> {
    /// The file, but for its meshes and warnings.
    pub file: LgwFile<'a>,
    /// Its meshes, in file order.
    pub meshes: Vec<ConvertedMesh>,
    /// Flaws that do no harm.
    pub warnings: Vec<Warning>,
}

impl<'a> ConvertedLgw<'a> {
    /// Reads a file.
    ///
    /// # Errors
    /// A [`ParseError`] with line and column: see [`text::parse`].
    pub fn load(bytes: &'a [u8], settings: &LgwLoaderSettings) -> Result<Self, ParseError> {
        let mut file = text::parse(bytes, settings.tolerance)?;
        limits::check(&file, bytes.len())?;
        let mut warnings = take(&mut file.warnings);
        // What is made takes the place of what it is made of.
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
