//! Reads the folders of a `.rez` archive.

use super::records::*;
use crate::archive::{
    Archive, Builder, Lookup, MAX_DEPTH, NameCase, OnePiece, ROOT, ReadAt, Record, Source,
    decode_1252, unrecognized, wrong_magic,
};
use crate::read::{Cursor, ErrorKind, Format, ParseError};
use std::collections::BTreeMap;

/// Opens an archive.
///
/// # Errors
/// A [`ParseError`] with the offset of the faulty value: if the header or a folder is damaged or encrypted, or the reader
/// fails. Harmless flaws are reported by [`Archive::warnings`] instead.
pub fn open<R: ReadAt>(reader: R) -> Result<Archive<R>, ParseError> {
    let source = Source::new(&reader, Format::Rez)?;
    let header = header(&source)?;
    let mut folders = Folders {
        source: &source,
        builder: Builder::new(Format::Rez, NameCase::Ignored, 0),
        blocks: BTreeMap::new(),
    };
    if header.second_line_end != LINE_END {
        let at = SECOND_LINE_END_OFFSET;
        folders.builder.warnings.warn("line end", at, || {
            "the header has no line end after its first text".to_owned()
        });
    }
    folders.builder.add_table(0, size_of::<Header>() as u64);
    let root = Block {
        start: header.root_start.get().into(),
        size: header.root_size.get().into(),
        folder: Some(ROOT),
        depth: 0,
    };
    folders.read(&root)?;
    let mut builder = folders.builder;
    builder.check_ranges(source.length, 0);
    let version = Some(header.version.get());
    Ok(Archive::new(
        reader,
        builder.finish(),
        version,
        Lookup::AnyCase,
        OnePiece,
    ))
}

fn header(source: &Source<'_>) -> Result<Header, ParseError> {
    let start = source.start(size_of::<Header>() as u64)?;
    let mut cursor = source.cursor(&start, 0);
    let first: &[u8; 2] = cursor.clone().record("first bytes")?;
    if *first != LINE_END {
        return Err(unrecognized(source, 8, "\"\\r\\nRezMgr\""));
    }
    let header: Header = *cursor.record("header")?;
    if header.text_end != TEXT_END {
        let kind = wrong_magic(
            "has no line end and byte 1A after 124 bytes of text, which a REZ header must have (WinRage and encrypted archives differ)",
        );
        return Err(source.error(TEXT_END_OFFSET, "end of the header's text", kind));
    }
    let version = header.version.get();
    if version != 1 {
        let kind = ErrorKind::UnsupportedVersion {
            found: version.into(),
            supported: 1,
            hint: "",
        };
        return Err(source.error(VERSION_OFFSET, "version", kind));
    }
    Ok(header)
}

/// The folders that were read so far.
struct Folders<'a> {
    source: &'a Source<'a>,
    builder: Builder,
    /// The ends of all blocks by their starts. No two overlap, so all of them together are not longer than the file.
    blocks: BTreeMap<u64, u64>,
}

/// The block of a folder's entries.
struct Block {
    start: u64,
    size: u64,
    /// The index of the folder. `None` if the folder is left out: then its entries are not read.
    folder: Option<u32>,
    /// The count of folders above.
    depth: usize,
}

impl Folders<'_> {
    /// Reads the entries of a folder and of its folders.
    fn read(&mut self, block: &Block) -> Result<(), ParseError> {
        let Block {
            start, size, depth, ..
        } = *block;
        let Some(folder) = block.folder.filter(|_| size > 0) else {
            return Ok(());
        };
        let name = self.builder.folder_name(folder);
        if depth > MAX_DEPTH {
            let kind = ErrorKind::TooDeep { limit: MAX_DEPTH };
            return Err(self.source.error(start, name, kind));
        }
        if self.is_block_used(start, start + size) {
            let other = "a folder that was read before";
            return Err(self.source.error(start, name, ErrorKind::Overlap { other }));
        }
        let bytes = self.source.bytes(start, size, name)?;
        self.blocks.insert(start, start + size);
        self.builder.add_table(start, size);
        let mut cursor = self.source.cursor(&bytes, start);
        while cursor.remaining() > 0 {
            let at = cursor.offset();
            match cursor.u32("kind of an entry")? {
                FILE => self.file(&mut cursor, folder, at)?,
                FOLDER => {
                    let record: FolderRecord = *cursor.record("folder")?;
                    let name = decode_1252(string(&mut cursor, "folder name")?);
                    let block = Block {
                        start: record.start.get().into(),
                        size: record.size.get().into(),
                        folder: self.builder.add_folder(folder, &name, at),
                        depth: depth + 1,
                    };
                    self.read(&block)?;
                }
                kind => {
                    let hint = " (0 is a file and 1 a folder; the archive is encrypted or damaged)";
                    let kind = ErrorKind::Unsupported {
                        value: kind.into(),
                        hint,
                    };
                    return Err(self.source.error(at, "kind of an entry", kind));
                }
            }
        }
        Ok(())
    }

    /// Whether a folder has used some of these bytes. A few folders that contain each other could have millions of entries.
    fn is_block_used(&self, start: u64, end: u64) -> bool {
        let before = self.blocks.range(..end).next_back();
        before.is_some_and(|(_, other_end)| *other_end > start)
    }

    fn file(&mut self, cursor: &mut Cursor<'_>, folder: u32, at: u64) -> Result<(), ParseError> {
        let record: FileRecord = *cursor.record("file")?;
        let stored = string(cursor, "file name")?;
        string(cursor, "comment")?;
        cursor.array::<[u8; 4]>(record.keys.get().into(), "keys of a file")?;
        let extension: Vec<u8> = record
            .file_type
            .iter()
            .rev()
            .copied()
            .filter(|byte| *byte != 0)
            .collect();
        let mut name = decode_1252(stored).into_owned();
        if !extension.is_empty() {
            name.push('.');
            name.push_str(&decode_1252(&extension));
        }
        let size = record.size.get();
        let record = Record {
            at,
            folder,
            start: record.start.get(),
            size,
            stored: size,
            ..Record::default()
        };
        self.builder.add_file_in_folder(&name, record);
        Ok(())
    }
}

/// Reads a string up to its NUL.
fn string<'a>(cursor: &mut Cursor<'a>, context: &str) -> Result<&'a [u8], ParseError> {
    let rest = cursor.clone().remainder();
    let Some(len) = rest.iter().position(|byte| *byte == 0) else {
        let what = "a NUL at its end";
        return Err(cursor.error(cursor.offset(), context, ErrorKind::Missing { what }));
    };
    cursor.take(len as u64 + 1, context)?;
    Ok(rest.get(..len).unwrap_or_default())
}
