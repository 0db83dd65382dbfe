//! The kinds of edits, and the kinds of files that each applies to.

use crate::reload_matrix::subjects::Kind;

/// A change of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FileChange {
    /// Overwrites the file with a version.
    Write(u8),
    /// Overwrites the file with the first half of a version.
    WriteHalf(u8),
    /// Overwrites the file with invalid contents.
    WriteInvalid,
    Remove,
    /// Removes the file and writes a version at once.
    Replace(u8),
    /// Renames an existing file of the same folder to it.
    RenameInside(u8),
    /// Renames a file from outside the asset folder to it.
    RenameFromOutside(u8),
    /// Renames the file to a backup and writes a version, as some editors do.
    BackUp(u8),
    /// Writes a version to the folder that is searched first.
    WriteInFirstFolder(u8),
    /// Writes into the archive, so that its entry has a version.
    WriteEntry(u8),
    /// Renames another archive, whose entry has a version, over the archive.
    ReplaceArchive(u8),
    /// Overwrites the archive with the first half of one whose entry has a version.
    WriteHalfArchive(u8),
    /// Writes a version to the folder that wins over the archive.
    Override(u8),
    /// Removes the file from the folder that wins over the archive.
    RemoveOverride,
}

/// A change, the version that is shown afterwards, and the count of errors that it causes.
pub type Step = (FileChange, u8, usize);

/// A named sequence of changes.
pub struct Edit {
    pub name: &'static str,
    /// The initial version; none if there is no file at first.
    pub first: Option<u8>,
    pub steps: Vec<Step>,
    pub kinds: &'static [Kind],
}

const ALL: &[Kind] = &[
    Kind::Model,
    Kind::Meta,
    Kind::Texture,
    Kind::TextureMeta,
    Kind::Animation,
    Kind::Palette,
    Kind::Manifest,
    Kind::AttachedManifest,
    Kind::AttachedModel,
    Kind::Skin,
];
const FILES: &[Kind] = &[
    Kind::Model,
    Kind::Texture,
    Kind::Animation,
    Kind::Palette,
    Kind::Manifest,
    Kind::AttachedManifest,
    Kind::AttachedModel,
    Kind::Skin,
];
const DEPENDENCIES: &[Kind] = &[
    Kind::Texture,
    Kind::Animation,
    Kind::Palette,
    Kind::AttachedManifest,
    Kind::AttachedModel,
    Kind::Skin,
];
pub const METAS: &[Kind] = &[Kind::Meta, Kind::TextureMeta];

fn edit(name: &'static str, first: Option<u8>, steps: &[Step], kinds: &'static [Kind]) -> Edit {
    Edit {
        name,
        first,
        steps: steps.to_vec(),
        kinds,
    }
}

/// Edits of files in a folder.
pub fn edits() -> Vec<Edit> {
    use FileChange::*;
    vec![
        edit("touched", Some(1), &[(Write(1), 1, 0)], ALL),
        edit("written to", Some(1), &[(Write(2), 2, 0)], ALL),
        edit("replaced", Some(1), &[(Replace(2), 2, 0)], ALL),
        edit("renamed inside", Some(1), &[(RenameInside(2), 2, 0)], ALL),
        edit(
            "renamed from outside",
            Some(1),
            &[(RenameFromOutside(2), 2, 0)],
            ALL,
        ),
        edit("backed up", Some(1), &[(BackUp(2), 2, 0)], ALL),
        edit(
            "in two halves",
            Some(1),
            &[(WriteHalf(2), 1, 1), (Write(2), 2, 0)],
            ALL,
        ),
        edit(
            "broken",
            Some(1),
            &[(WriteInvalid, 1, 1), (Write(2), 2, 0)],
            ALL,
        ),
        edit(
            "deleted",
            Some(1),
            &[(Remove, 1, 0), (Write(2), 2, 0)],
            FILES,
        ),
        edit(
            "deleted, renamed",
            Some(1),
            &[(Remove, 1, 0), (RenameInside(2), 2, 0)],
            FILES,
        ),
        // Without the file, the default settings apply.
        edit(
            "deleted",
            Some(2),
            &[(Remove, 1, 0), (Write(2), 2, 0)],
            METAS,
        ),
        edit("added", None, &[(Write(2), 2, 0)], METAS),
        edit(
            "added",
            None,
            &[(Write(2), 2, 0), (Write(3), 3, 0)],
            DEPENDENCIES,
        ),
        edit(
            "added by renaming",
            None,
            &[(RenameInside(2), 2, 0)],
            DEPENDENCIES,
        ),
        edit(
            "added from outside",
            None,
            &[(RenameFromOutside(2), 2, 0)],
            DEPENDENCIES,
        ),
        edit(
            "added in the first folder",
            Some(1),
            &[(WriteInFirstFolder(2), 2, 0)],
            &[Kind::Texture],
        ),
    ]
}

/// Edits of archives, and of the folder that wins over them.
pub fn archive_edits() -> Vec<Edit> {
    use FileChange::*;
    vec![
        edit("rewritten", Some(1), &[(WriteEntry(2), 2, 0)], FILES),
        edit(
            "in a replaced archive",
            Some(1),
            &[(ReplaceArchive(2), 2, 0), (ReplaceArchive(1), 1, 0)],
            FILES,
        ),
        edit(
            "in a half-written archive",
            Some(1),
            &[(WriteHalfArchive(2), 1, 0), (WriteEntry(2), 2, 0)],
            FILES,
        ),
        edit(
            "overridden",
            Some(1),
            &[(Override(2), 2, 0), (RemoveOverride, 1, 0)],
            FILES,
        ),
        // Archives have no settings of assets.
        edit(
            "overridden",
            None,
            &[(Override(2), 2, 0), (RemoveOverride, 1, 0)],
            METAS,
        ),
        edit("added", None, &[(WriteEntry(2), 2, 0)], DEPENDENCIES),
        edit(
            "added in a folder",
            None,
            &[(Override(2), 2, 0)],
            DEPENDENCIES,
        ),
    ]
}
