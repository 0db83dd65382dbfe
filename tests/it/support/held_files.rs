//! Files in memory, of which one can be held: reads of it do not end until it is released.

use bevy::asset::io::memory::MemoryAssetReader;
use bevy::asset::io::{
    AssetReader, AssetReaderError, PathStream, Reader, ReaderNotSeekableError, SeekableReader,
};
use futures_lite::AsyncRead;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// An asset reader of files in memory. Clones share the held file.
#[derive(Clone)]
pub struct HeldFiles {
    files: MemoryAssetReader,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    held: Option<PathBuf>,
    /// The reads that wait for the release.
    waiting: Vec<Waker>,
}

impl HeldFiles {
    pub fn new(files: MemoryAssetReader) -> Self {
        Self {
            files,
            state: Arc::default(),
        }
    }

    /// Holds a file from now on.
    pub fn hold(&self, path: &str) {
        self.state.lock().unwrap().held = Some(path.into());
    }

    /// Whether a read of the held file waits.
    pub fn is_waiting(&self) -> bool {
        !self.state.lock().unwrap().waiting.is_empty()
    }

    /// Ends all reads of the held file.
    pub fn release(&self) {
        let mut state = self.state.lock().unwrap();
        state.held = None;
        for waker in state.waiting.drain(..) {
            waker.wake();
        }
    }
}

/// An open file.
struct HeldReader<'a> {
    inner: Box<dyn Reader + 'a>,
    path: PathBuf,
    files: HeldFiles,
}

impl AsyncRead for HeldReader<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let mut state = this.files.state.lock().unwrap();
        if state.held.as_ref() == Some(&this.path) {
            state.waiting.push(context.waker().clone());
            return Poll::Pending;
        }
        drop(state);
        Pin::new(&mut this.inner).poll_read(context, buffer)
    }
}

impl Reader for HeldReader<'_> {
    fn seekable(&mut self) -> Result<&mut dyn SeekableReader, ReaderNotSeekableError> {
        self.inner.seekable()
    }
}

impl AssetReader for HeldFiles {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        Ok(HeldReader {
            inner: Box::new(AssetReader::read(&self.files, path).await?),
            path: path.to_owned(),
            files: self.clone(),
        })
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        AssetReader::read_meta(&self.files, path).await
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        AssetReader::read_directory(&self.files, path).await
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        AssetReader::is_directory(&self.files, path).await
    }
}
