//! The ways to edit files, and which kinds of files each is tried with.

use crate::reload_matrix::subjects::Kind;

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Act {
    /// It is written to, from its beginning.
    Write(u8),
    /// It is written to, but only half of it.
    WriteHalf(u8),
    /// It is written to, and is no file of its kind.
    WriteNonsense,
    Remove,
    /// It is removed, and written at once.
    Replace(u8),
    /// A file of its folder that was there before is renamed to it.
    RenameInside(u8),
    /// A file from elsewhere is renamed to it.
    RenameFromOutside(u8),
    /// It is renamed to a name that nobody knows, and written: so do some editors.
    BackUp(u8),
    /// It is written in a folder that is looked into earlier.
    WriteNearer(u8),
}

/// An act, the version that shows when it is seen, and how many errors it is.
pub type Step = (Act, u8, usize);

/// A way to edit.
pub struct Edit {
    pub name: &'static str,
    /// The version that is there at first, if any.
    pub first: Option<u8>,
    pub steps: Vec<Step>,
    pub kinds: &'static [Kind],
}

const ALL: &[Kind] = &[
    Kind::Model,
    Kind::Meta,
    Kind::Picture,
    Kind::PictureMeta,
    Kind::Animation,
    Kind::Palette,
    Kind::Manifest,
    Kind::Held,
    Kind::HeldModel,
    Kind::Skin,
];
const FILES: &[Kind] = &[
    Kind::Model,
    Kind::Picture,
    Kind::Animation,
    Kind::Palette,
    Kind::Manifest,
    Kind::Held,
    Kind::HeldModel,
    Kind::Skin,
];
const WISHED: &[Kind] = &[
    Kind::Picture,
    Kind::Animation,
    Kind::Palette,
    Kind::Held,
    Kind::HeldModel,
    Kind::Skin,
];
pub const METAS: &[Kind] = &[Kind::Meta, Kind::PictureMeta];

pub fn edits() -> Vec<Edit> {
    use Act::*;
    let edit = |name, first, steps: &[Step], kinds| Edit {
        name,
        first,
        steps: steps.to_vec(),
        kinds,
    };
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
            &[(WriteNonsense, 1, 1), (Write(2), 2, 0)],
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
        // Without one everything is as by default.
        edit(
            "deleted",
            Some(2),
            &[(Remove, 1, 0), (Write(2), 2, 0)],
            METAS,
        ),
        edit("comes", None, &[(Write(2), 2, 0)], METAS),
        edit("comes", None, &[(Write(2), 2, 0), (Write(3), 3, 0)], WISHED),
        edit(
            "comes by renaming",
            None,
            &[(RenameInside(2), 2, 0)],
            WISHED,
        ),
        edit(
            "comes from outside",
            None,
            &[(RenameFromOutside(2), 2, 0)],
            WISHED,
        ),
        edit(
            "comes nearer",
            Some(1),
            &[(WriteNearer(2), 2, 0)],
            &[Kind::Picture],
        ),
    ]
}
