//! Bevy's interface of a source, and its reader of one file.

use crate::archive::archive_file::ArchiveFile;
use crate::archive::asked::ReadReport;
use crate::archive::entry_path::EntryPath;
use crate::archive::layer::FoundFile;
use crate::archive::shared::Shared;
use bevy::asset::io::{
    AssetReader, AssetReaderError, PathStream, Reader, ReaderNotSeekableError, STACK_FUTURE_SIZE,
    SeekableReader, StackFuture,
};
use classic_model_formats::archive::Entry;
use classic_model_formats::read::{ErrorKind, ParseError};
use core::ops::Range;
use core::pin::Pin;
use core::task::{Context, Poll};
use futures_lite::{AsyncRead, AsyncSeek, stream};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Reads the files of a source.
pub(crate) struct ArchiveReader(pub Arc<Shared>);

impl AssetReader for ArchiveReader {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let entry_path = parse(path)?;
        let find = || self.0.layers.find(&entry_path);
        let (found, report) = self.0.asked.find(path, &entry_path, find);
        match found {
            Some((_, FoundFile::Entry(file, entry))) => {
                FileReader::of_entry(file, entry, report).ok_or_else(|| not_found(path))
            }
            Some((_, FoundFile::Loose(found))) => open_loose(path, found),
            None => Err(not_found(path)),
        }
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        match self.0.layers.find_meta(&parse(path)?) {
            Some(FoundFile::Loose(found)) => open_loose(path, found),
            _ => Err(not_found(path)),
        }
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        let paths = self.0.layers.list(&parse(path)?);
        let paths = paths.ok_or_else(|| not_found(path))?;
        Ok(Box::new(stream::iter(paths)))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        let entry_path = parse(path)?;
        if self.0.layers.has_folder(&entry_path) {
            return Ok(true);
        }
        match self.0.layers.find(&entry_path) {
            Some(_) => Ok(false),
            None => Err(not_found(path)),
        }
    }
}

fn not_found(path: &Path) -> AssetReaderError {
    AssetReaderError::NotFound(path.to_owned())
}

fn parse(path: &Path) -> Result<EntryPath, AssetReaderError> {
    EntryPath::new(path).ok_or_else(|| not_found(path))
}

/// Opens a file on disk for the asset with a path.
fn open_loose(path: &Path, found: PathBuf) -> Result<FileReader, AssetReaderError> {
    FileReader::of_loose(found).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => not_found(path),
        _ => error.into(),
    })
}

/// Reads a file of an archive or of a folder.
///
/// It opens no file before it is polled, so any count of loads can wait at once.
pub(crate) struct FileReader {
    content: Content,
    len: u64,
    position: u64,
    /// Collects what is read, if the source is watched. `None` once everything was read.
    report: Option<ReadReport>,
}

enum Content {
    Entry(ArchivedFile),
    Loose(LooseFile),
}

struct ArchivedFile {
    file: Arc<ArchiveFile>,
    entry: usize,
    /// The inflated bytes of a compressed entry, if it was read in parts.
    inflated: Option<Vec<u8>>,
}

struct LooseFile {
    path: PathBuf,
    file: Option<File>,
}

impl FileReader {
    /// A reader of an entry. `None` if the archive does not have it.
    pub fn of_entry(
        file: Arc<ArchiveFile>,
        entry: usize,
        report: Option<ReadReport>,
    ) -> Option<Self> {
        let len = file.archive.entry(entry)?.size();
        let content = ArchivedFile {
            file,
            entry,
            inflated: None,
        };
        Some(Self {
            content: Content::Entry(content),
            len,
            position: 0,
            report,
        })
    }

    /// A reader of a file on disk.
    pub fn of_loose(path: PathBuf) -> io::Result<Self> {
        let len = path.metadata()?.len();
        Ok(Self {
            content: Content::Loose(LooseFile { path, file: None }),
            len,
            position: 0,
            report: None,
        })
    }

    /// Reads everything from the position to the end.
    fn rest(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        let start = self.position;
        let bytes = match &mut self.content {
            Content::Entry(entry) => entry.read(start.min(self.len)..self.len)?,
            Content::Loose(_) if start > self.len => Vec::new(),
            Content::Loose(file) => file.rest(start, self.len)?,
        };
        self.note_read(&bytes);
        let count = bytes.len();
        self.position += count as u64;
        if buffer.is_empty() {
            *buffer = bytes;
        } else {
            buffer.extend_from_slice(&bytes);
        }
        Ok(count)
    }

    /// Reports bytes at the position.
    fn note_read(&mut self, bytes: &[u8]) {
        if let Some(report) = &mut self.report
            && report.read(self.position, bytes, self.len)
        {
            self.report = None;
        }
    }

    /// Fills the start of a buffer. Returns 0 at the end of the file.
    fn part(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = match &mut self.content {
            Content::Entry(entry) => {
                let start = self.position.min(self.len);
                let end = self.len.min(start.saturating_add(buffer.len() as u64));
                let bytes = entry.read_part(start..end)?;
                let count = bytes.len().min(buffer.len());
                buffer[..count].copy_from_slice(&bytes[..count]);
                self.note_read(&bytes[..count]);
                count
            }
            Content::Loose(_) if self.position >= self.len => 0,
            Content::Loose(file) => file.part(self.position, buffer)?,
        };
        self.position += count as u64;
        Ok(count)
    }
}

impl ArchivedFile {
    fn read(&self, range: Range<u64>) -> io::Result<Vec<u8>> {
        if let Some(bytes) = &self.inflated {
            return Ok(part_of(bytes, range));
        }
        let bytes = self.file.archive.read_range(self.entry()?, range);
        bytes.map_err(|error| self.error(&error))
    }

    /// Like [`read`](Self::read), for one of several parts. Inflates a compressed entry only once.
    fn read_part(&mut self, range: Range<u64>) -> io::Result<Vec<u8>> {
        let entry = self.entry()?;
        if self.inflated.is_none() && entry.is_compressed() {
            let bytes = self.file.archive.read(entry);
            self.inflated = Some(bytes.map_err(|error| self.error(&error))?);
        }
        self.read(range)
    }

    fn entry(&self) -> io::Result<Entry<'_>> {
        let entry = self.file.archive.entry(self.entry);
        entry.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// An error that names the archive and the entry.
    fn error(&self, error: &ParseError) -> io::Error {
        let kind = match &error.kind {
            ErrorKind::Io { kind, .. } => *kind,
            ErrorKind::Truncated { .. } => io::ErrorKind::UnexpectedEof,
            _ => io::ErrorKind::InvalidData,
        };
        io::Error::new(kind, format!("{}: {error}", self.file.path.display()))
    }
}

impl LooseFile {
    /// Reads everything from a position to the end. `len` is the expected length of the file.
    fn rest(&mut self, position: u64, len: u64) -> io::Result<Vec<u8>> {
        let file = self.at(position)?;
        let expected = usize::try_from(len.saturating_sub(position)).unwrap_or(usize::MAX);
        let mut bytes = Vec::new();
        let reserved = bytes.try_reserve_exact(expected);
        reserved.map_err(|error| io::Error::new(io::ErrorKind::OutOfMemory, error))?;
        file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn part(&mut self, position: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.at(position)?.read(buffer)
    }

    /// The opened file at a position.
    fn at(&mut self, position: u64) -> io::Result<&mut File> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => File::open(&self.path)?,
        };
        file.seek(SeekFrom::Start(position))?;
        Ok(self.file.insert(file))
    }
}

fn part_of(bytes: &[u8], range: Range<u64>) -> Vec<u8> {
    let start = usize::try_from(range.start).unwrap_or(usize::MAX);
    let end = usize::try_from(range.end).unwrap_or(usize::MAX);
    let part = bytes.get(start..end.min(bytes.len()));
    part.unwrap_or_default().to_vec()
}

impl AsyncRead for FileReader {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(self.part(buffer))
    }
}

impl AsyncSeek for FileReader {
    fn poll_seek(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        position: SeekFrom,
    ) -> Poll<io::Result<u64>> {
        let target = match position {
            SeekFrom::Start(offset) => Some(offset),
            SeekFrom::End(offset) => self.len.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        Poll::Ready(match target {
            Some(target) => {
                self.position = target;
                Ok(target)
            }
            None => Err(io::ErrorKind::InvalidInput.into()),
        })
    }
}

impl Reader for FileReader {
    fn read_to_end<'a>(
        &'a mut self,
        buffer: &'a mut Vec<u8>,
    ) -> StackFuture<'a, io::Result<usize>, STACK_FUTURE_SIZE> {
        StackFuture::from(async move { self.rest(buffer) })
    }

    fn seekable(&mut self) -> Result<&mut dyn SeekableReader, ReaderNotSeekableError> {
        Ok(self)
    }
}
