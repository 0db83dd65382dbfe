//! The formats of archives that can be written.

use crate::file_format::has_extension;
use classic_model_formats::archive::ArchiveFile;
use classic_model_formats::pak::write::WriteError;
use classic_model_formats::{meg, pak, pk3, rez, vfs};
use std::path::Path;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArchiveFormat {
    Meg,
    Pak,
    Pk3,
    Rez,
    Vfs,
}

impl ArchiveFormat {
    /// The format of a file by its extension.
    pub fn of(path: &Path) -> Option<Self> {
        let formats = [
            ("meg", Self::Meg),
            ("pak", Self::Pak),
            ("pk3", Self::Pk3),
            ("kpf", Self::Pk3),
            ("rez", Self::Rez),
            ("vfs", Self::Vfs),
        ];
        let mut formats = formats.into_iter();
        let found = formats.find(|(extension, _)| has_extension(path, extension));
        found.map(|(_, format)| format)
    }

    /// Writes an archive.
    ///
    /// # Errors
    /// If the format cannot store a name, or the archive would be too long.
    pub fn write(self, files: &[ArchiveFile]) -> Result<Vec<u8>, WriteError> {
        match self {
            // The version of Empire at War.
            Self::Meg => meg::write::write(1, files),
            Self::Pak => pak::write::write(files),
            Self::Pk3 => pk3::write::write(files),
            Self::Rez => rez::write::write(files),
            Self::Vfs => vfs::write::write(files, |_| false),
        }
    }
}
