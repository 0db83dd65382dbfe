//! What the writers of archives share: the files to write, and the checks of their paths. Independent of any format.

use super::listing::MAX_DEPTH;
use super::names::{clean, folded};
use super::{Archive, ReadAt};
use crate::read::{ErrorKind, Quoted};
use crate::write::{WriteError, fail};
use std::collections::{HashMap, HashSet};

/// A file for the writer of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArchiveFile {
    /// The path from the root of the archive, with `/`.
    pub path: String,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

impl ArchiveFile {
    /// A file with this path and these bytes.
    pub fn new(path: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        Self {
            path: path.into(),
            bytes: bytes.into(),
        }
    }
}

/// The context of errors about a file.
pub(crate) fn file_context(file: &ArchiveFile) -> String {
    format!("file {}", Quoted(&file.path))
}

/// Fails with the reason why the format cannot store a file.
pub(crate) fn not_storable(file: &ArchiveFile, reason: &'static str) -> Result<(), WriteError> {
    fail(file_context(file), ErrorKind::NotStorable { reason })
}

/// Checks that the paths are relative, that no two are equal except for case, and that no file has the name of a folder.
pub(crate) fn check_paths(files: &[ArchiveFile]) -> Result<(), WriteError> {
    let mut paths = HashSet::new();
    for file in files {
        let is_clean = matches!(clean(&file.path), Ok((_, false)));
        if !is_clean || file.path.contains('\\') {
            not_storable(
                file,
                "a path must be relative, with `/`, without `.`, `..` and control characters",
            )?;
        }
        if !paths.insert(folded(&file.path)) {
            fail(file_context(file), ErrorKind::Repeated)?;
        }
    }
    for file in files {
        let path = folded(&file.path);
        let mut ends = path.match_indices('/').map(|(end, _)| end);
        if ends.any(|end| path.get(..end).is_some_and(|folder| paths.contains(folder))) {
            not_storable(file, "a file cannot have the name of a folder")?;
        }
    }
    Ok(())
}

/// Checks that a reader of the written archive finds these files, without warnings.
pub(crate) fn check_written<R: ReadAt>(
    archive: &Archive<R>,
    files: &[ArchiveFile],
) -> Result<(), WriteError> {
    let mut is_same = archive.warnings().is_empty() && archive.entries().len() == files.len();
    for file in files {
        is_same &= match archive.find_any_case(&file.path) {
            Some(entry) => archive.read(entry)? == file.bytes,
            None => false,
        };
    }
    if is_same {
        return Ok(());
    }
    let reason = "a reader of the archive would get other files than given";
    fail("archive", ErrorKind::NotStorable { reason })
}

/// Converts an offset or a size to the 32 bits of the formats.
pub(crate) fn offset32(value: usize) -> Result<u32, WriteError> {
    u32::try_from(value).map_err(|_| WriteError {
        context: "archive".to_owned(),
        kind: ErrorKind::LimitExceeded {
            limit: "an archive is at most 4 GiB long",
        },
    })
}

/// Overwrites the first bytes with a header.
pub(crate) fn write_header(out: &mut [u8], header: &[u8]) {
    for (byte, from) in out.iter_mut().zip(header) {
        *byte = *from;
    }
}

/// Encodes a name. Fails for characters that the encoding does not have.
pub(crate) fn encode(
    encoding: &'static encoding_rs::Encoding,
    name: &str,
    file: &ArchiveFile,
) -> Result<Vec<u8>, WriteError> {
    let (bytes, _, has_errors) = encoding.encode(name);
    if has_errors {
        not_storable(
            file,
            "the encoding of names does not have all characters of the path",
        )?;
    }
    Ok(bytes.into_owned())
}

/// A folder or a file of a [`Tree`].
#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub name: &'a str,
    /// A file with this name, or a file below the folder, for errors.
    pub file: &'a ArchiveFile,
    /// The indices of the nodes in a folder. `None` for a file.
    pub children: Option<Vec<usize>>,
}

/// The folders and files of an archive. Names are in the order of the files.
#[derive(Debug, Default)]
pub(crate) struct Tree<'a> {
    /// The indices of the nodes in the root.
    pub root: Vec<usize>,
    pub nodes: Vec<Node<'a>>,
}

impl<'a> Tree<'a> {
    /// Splits the paths of files, which [`check_paths`] must have accepted. Joins folders that differ in case.
    pub fn new(files: &'a [ArchiveFile]) -> Result<Self, WriteError> {
        let mut tree = Self::default();
        let mut folders: HashMap<String, usize> = HashMap::new();
        for file in files {
            if file.path.matches('/').count() > MAX_DEPTH {
                fail(file_context(file), ErrorKind::TooDeep { limit: MAX_DEPTH })?;
            }
            let mut parent = None;
            let mut start = 0;
            for (end, _) in file.path.match_indices('/') {
                let (path, name) = (file.path.get(..end), file.path.get(start..end));
                let key = folded(path.unwrap_or_default());
                let index = folders.get(&key).copied().unwrap_or_else(|| {
                    tree.add(parent, name.unwrap_or_default(), file, Some(Vec::new()))
                });
                folders.insert(key, index);
                (parent, start) = (Some(index), end + 1);
            }
            let name = file.path.get(start..).unwrap_or_default();
            tree.add(parent, name, file, None);
        }
        Ok(tree)
    }

    /// Adds a node to a folder, or to the root.
    fn add(
        &mut self,
        parent: Option<usize>,
        name: &'a str,
        file: &'a ArchiveFile,
        children: Option<Vec<usize>>,
    ) -> usize {
        let index = self.nodes.len();
        self.nodes.push(Node {
            name,
            file,
            children,
        });
        let siblings = match parent {
            None => Some(&mut self.root),
            Some(parent) => self
                .nodes
                .get_mut(parent)
                .and_then(|it| it.children.as_mut()),
        };
        if let Some(siblings) = siblings {
            siblings.push(index);
        }
        index
    }

    /// The nodes with these indices.
    pub fn nodes<'t>(
        &'t self,
        indices: &'t [usize],
    ) -> impl Iterator<Item = (usize, &'t Node<'a>)> {
        indices
            .iter()
            .filter_map(|index| Some((*index, self.nodes.get(*index)?)))
    }
}
