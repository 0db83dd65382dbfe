//! A name in a listed folder of a layer.

/// A name in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ListedName {
    pub name: String,
    pub is_folder: bool,
}
