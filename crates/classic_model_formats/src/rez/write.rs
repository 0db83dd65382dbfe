//! Writes `.rez` archives: for mods, test fixtures and tools.

use super::records::*;
use crate::archive::{
    ArchiveFile, Tree, check_paths, check_written, encode, offset32, write_header,
};
use zerocopy::IntoBytes;

pub use crate::write::WriteError;

/// Writes an archive of version 1. The data follow the header, then the folders, the root at the end. [`open`](super::open) reads
/// the same files.
///
/// Paths are stored in upper case, because the games do not find files with an extension in lower case. All times are 0.
///
/// # Errors
/// A [`WriteError`] for values that the format cannot store: paths that are not relative, that are equal except for case, or
/// that have characters outside of Windows-1252, folders deeper than 64, and more than 4 GiB.
pub fn write(files: &[ArchiveFile]) -> Result<Vec<u8>, WriteError> {
    check_paths(files)?;
    let tree = Tree::new(files)?;
    let mut writer = Writer {
        tree: &tree,
        out: vec![0; size_of::<Header>()],
        ranges: vec![(0, 0); tree.nodes.len()],
        longest_folder_name: 0,
        longest_name: 0,
    };
    writer.data()?;
    let (root_start, root_size) = writer.folder(&tree.root)?;
    let Writer {
        mut out,
        longest_folder_name,
        longest_name,
        ..
    } = writer;
    let header = Header {
        first_line_end: LINE_END,
        file_type: padded("RezMgr Version 1 Copyright (C) 1995 MONOLITH INC."),
        second_line_end: LINE_END,
        title: padded("LithTech Resource File"),
        text_end: TEXT_END,
        version: 1.into(),
        root_start: root_start.into(),
        root_size: root_size.into(),
        root_time: 0.into(),
        next_write: offset32(out.len())?.into(),
        time: 0.into(),
        longest_keys: 0.into(),
        longest_folder_name: longest_folder_name.into(),
        longest_name: longest_name.into(),
        longest_comment: 1.into(),
        is_sorted: 1,
    };
    write_header(&mut out, header.as_bytes());
    check_written(&super::open(out.as_slice())?, files)?;
    Ok(out)
}

/// A text, padded with blanks.
fn padded(text: &str) -> [u8; 60] {
    let mut padded = [b' '; 60];
    for (byte, from) in padded.iter_mut().zip(text.bytes()) {
        *byte = from;
    }
    padded
}

struct Writer<'a> {
    tree: &'a Tree<'a>,
    out: Vec<u8>,
    /// The offset and size of the data of each node.
    ranges: Vec<(u32, u32)>,
    /// In bytes, with the NUL.
    longest_folder_name: u32,
    longest_name: u32,
}

impl Writer<'_> {
    /// Writes the bytes of all files.
    fn data(&mut self) -> Result<(), WriteError> {
        for (node, range) in self.tree.nodes.iter().zip(&mut self.ranges) {
            if node.children.is_none() {
                *range = (offset32(self.out.len())?, offset32(node.file.bytes.len())?);
                self.out.extend(&node.file.bytes);
            }
        }
        Ok(())
    }

    /// Writes the block of a folder behind those of its folders, and returns its offset and size.
    fn folder(&mut self, children: &[usize]) -> Result<(u32, u32), WriteError> {
        let tree = self.tree;
        for (index, node) in tree.nodes(children) {
            if let Some(children) = &node.children {
                let range = self.folder(children)?;
                if let Some(slot) = self.ranges.get_mut(index) {
                    *slot = range;
                }
            }
        }
        let begin = self.out.len();
        for (index, node) in tree.nodes(children) {
            let (start, size) = self.ranges.get(index).copied().unwrap_or_default();
            let name = node.name.to_ascii_uppercase();
            let (start, size) = (start.into(), size.into());
            if node.children.is_some() {
                let name = encode(encoding_rs::WINDOWS_1252, &name, node.file)?;
                self.longest_folder_name = self.longest_folder_name.max(offset32(name.len() + 1)?);
                self.out.extend(FOLDER.to_le_bytes());
                self.out.extend(
                    FolderRecord {
                        start,
                        size,
                        time: 0.into(),
                    }
                    .as_bytes(),
                );
                self.out.extend(&name);
                self.out.push(0);
                continue;
            }
            let (name, extension) = split_extension(&name);
            let name = encode(encoding_rs::WINDOWS_1252, name, node.file)?;
            let extension = encode(encoding_rs::WINDOWS_1252, extension, node.file)?;
            let mut file_type = [0; 4];
            for (slot, byte) in file_type.iter_mut().zip(extension.iter().rev()) {
                *slot = *byte;
            }
            self.longest_name = self.longest_name.max(offset32(name.len() + 1)?);
            let record = FileRecord {
                start,
                size,
                time: 0.into(),
                id: offset32(index)?.into(),
                file_type,
                keys: 0.into(),
            };
            self.out.extend(FILE.to_le_bytes());
            self.out.extend(record.as_bytes());
            self.out.extend(&name);
            // The ends of the name and of an empty comment.
            self.out.extend([0, 0]);
        }
        Ok((offset32(begin)?, offset32(self.out.len() - begin)?))
    }
}

/// The name and the extension that is stored as its type: one to four characters.
fn split_extension(name: &str) -> (&str, &str) {
    match name.rsplit_once('.') {
        Some((stem, extension)) if (1..=4).contains(&extension.chars().count()) => {
            (stem, extension)
        }
        _ => (name, ""),
    }
}
