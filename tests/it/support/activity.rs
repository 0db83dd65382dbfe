//! Asset readers that count their reads, so that tests can wait until all reads have ended.

use crate::support::prelude::*;
use bevy::asset::io::{STACK_FUTURE_SIZE, StackFuture};
use bevy::tasks::{IoTaskPool, Task};
use futures_lite::AsyncRead;
use std::task::Context;

/// Rounds without activity after which all loads are assumed to have ended.
const QUIET_ROUNDS: usize = 50;

/// The counts of reads that begun and that are open, shared by some readers.
#[derive(Clone, Default)]
pub struct Activity(Arc<Counters>);

#[derive(Default)]
struct Counters {
    begun: AtomicUsize,
    open: AtomicUsize,
}

impl Activity {
    /// Wraps a reader so that its reads are counted.
    pub fn observe(&self, inner: Box<dyn ErasedAssetReader>) -> Observed {
        Observed {
            inner,
            activity: self.clone(),
        }
    }

    /// The count of reads so far.
    pub fn begun(&self) -> usize {
        self.0.begun.load(Ordering::SeqCst)
    }

    /// The count of reads so far; `None` while a read is open.
    fn idle(&self) -> Option<usize> {
        let begun = self.begun();
        (self.0.open.load(Ordering::SeqCst) == 0).then_some(begun)
    }

    fn open(&self) -> Open {
        self.0.open.fetch_add(1, Ordering::SeqCst);
        self.0.begun.fetch_add(1, Ordering::SeqCst);
        Open(self.clone())
    }
}

/// A read that has not ended.
struct Open(Activity);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.0.open.fetch_sub(1, Ordering::SeqCst);
    }
}

pub struct Observed {
    inner: Box<dyn ErasedAssetReader>,
    activity: Activity,
}

impl AssetReader for Observed {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let open = self.activity.open();
        let inner = self.inner.read(path).await?;
        Ok(ObservedReader { inner, _open: open })
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let open = self.activity.open();
        let inner = self.inner.read_meta(path).await?;
        Ok(ObservedReader { inner, _open: open })
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        let _open = self.activity.open();
        self.inner.read_directory(path).await
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        let _open = self.activity.open();
        self.inner.is_directory(path).await
    }
}

struct ObservedReader<'a> {
    inner: Box<dyn Reader + 'a>,
    _open: Open,
}

impl AsyncRead for ObservedReader<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.get_mut().inner).poll_read(context, buffer)
    }
}

impl Reader for ObservedReader<'_> {
    fn read_to_end<'a>(
        &'a mut self,
        buffer: &'a mut Vec<u8>,
    ) -> StackFuture<'a, std::io::Result<usize>, STACK_FUTURE_SIZE> {
        self.inner.read_to_end(buffer)
    }

    fn seekable(&mut self) -> Result<&mut dyn SeekableReader, ReaderNotSeekableError> {
        self.inner.seekable()
    }
}

/// Detects that all loads have ended: many rounds without reads and without other activity. A round ends when the task pool
/// has run a task that was spawned at the beginning of the round, however long that takes.
pub struct Quiet {
    activity: Activity,
    rounds: usize,
    begun: usize,
    round: Option<Task<()>>,
}

impl Quiet {
    pub fn new(activity: &Activity) -> Self {
        Self {
            activity: activity.clone(),
            rounds: 0,
            begun: 0,
            round: None,
        }
    }

    /// Call this once in each frame. `was_active` is whether anything else happened in the frame.
    pub fn is_reached(&mut self, was_active: bool) -> bool {
        let idle = self.activity.idle();
        if was_active || idle != Some(self.begun) {
            self.begun = idle.unwrap_or(self.begun);
            self.rounds = 0;
        }
        if self.round.as_ref().is_none_or(Task::is_finished) {
            self.rounds += usize::from(self.round.is_some());
            self.round = Some(IoTaskPool::get().spawn(async {}));
        }
        self.rounds > QUIET_ROUNDS
    }
}
