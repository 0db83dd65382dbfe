//! Files in memory, of which one can be held: reads of it do not end until it is released.

use crate::support::prelude::*;
use futures_lite::AsyncRead;
use std::task::{Context, Waker};

/// An asset reader of files in memory. Clones share the held file.
#[derive(Clone)]
pub struct HeldFiles {
    files: MemoryAssetReader,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    held: Option<Held>,
    /// The count of releases so far.
    releases: usize,
    /// The reads that wait for the release.
    waiting: Vec<Waker>,
}

struct Held {
    path: PathBuf,
    /// Whether only one read is held.
    once: bool,
}

impl HeldFiles {
    pub fn new(files: &Dir) -> Self {
        Self {
            files: MemoryAssetReader {
                root: files.clone(),
            },
            state: Arc::default(),
        }
    }

    /// Holds all reads of a file that begin from now on.
    pub fn hold(&self, path: &str) {
        self.set(path, false);
    }

    /// Holds the next read of a file. It then has the contents that the file has when the read begins.
    pub fn hold_next(&self, path: &str) {
        self.set(path, true);
    }

    fn set(&self, path: &str, once: bool) {
        let path = path.into();
        self.state.lock().unwrap().held = Some(Held { path, once });
    }

    /// Whether a held read waits.
    pub fn is_waiting(&self) -> bool {
        !self.state.lock().unwrap().waiting.is_empty()
    }

    /// Ends all held reads, and holds no further ones.
    pub fn release(&self) {
        let mut state = self.state.lock().unwrap();
        state.held = None;
        state.releases += 1;
        for waker in state.waiting.drain(..) {
            waker.wake();
        }
    }

    /// The count of releases at which a new read of a file may end.
    fn end_of_read(&self, path: &Path) -> usize {
        let mut state = self.state.lock().unwrap();
        let held = state.held.as_ref().filter(|held| held.path == path);
        let Some(held) = held else {
            return 0;
        };
        if held.once {
            state.held = None;
        }
        state.releases + 1
    }
}

/// An open file, with the contents that it had when it was opened.
struct HeldReader<'a> {
    inner: Box<dyn Reader + 'a>,
    files: HeldFiles,
    /// The count of releases at which the read may end.
    end: usize,
}

impl AsyncRead for HeldReader<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let mut state = this.files.state.lock().unwrap();
        if state.releases < this.end {
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
            files: self.clone(),
            end: self.end_of_read(path),
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
