//! Two concurrent loads of one file. The load that read the older contents ends last.

use crate::gpuless;
use crate::reload_matrix::subjects::{Format, Kind};
use crate::support::activity::{Activity, Quiet};
use crate::support::app::TestApp;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{
    AssetReader, AssetReaderError, AssetSourceBuilder, AssetSourceId, PathStream, Reader,
    ReaderNotSeekableError, SeekableReader,
};
use bevy::prelude::*;
use futures_lite::AsyncRead;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

/// Files in memory. One read can be blocked after it has spawned_kind its file.
#[derive(Clone)]
struct Gate {
    files: MemoryAssetReader,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// The file whose next read is blocked.
    next: Option<PathBuf>,
    is_blocked: bool,
    is_released: bool,
    waker: Option<Waker>,
}

impl Gate {
    fn block_next(&self, path: &str) {
        *self.state.lock().unwrap() = State {
            next: Some(path.into()),
            ..State::default()
        };
    }

    fn is_blocked(&self) -> bool {
        self.state.lock().unwrap().is_blocked
    }

    fn release(&self) {
        let mut state = self.state.lock().unwrap();
        state.is_released = true;
        state.waker.take().unwrap().wake();
    }

    /// Whether to block this read of a file. Applies once.
    fn take_block(&self, path: &Path) -> bool {
        let mut state = self.state.lock().unwrap();
        let is_next = state.next.as_deref() == Some(path);
        if is_next {
            state.next = None;
        }
        is_next
    }
}

/// An open file with the contents that it had when it was spawned_kind.
struct GateReader<'a> {
    inner: Box<dyn Reader + 'a>,
    gate: Gate,
    /// Whether the read blocks until it is released.
    blocks: bool,
}

impl AsyncRead for GateReader<'_> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut [u8],
    ) -> Poll<std::io::Result<usize>> {
        let this = self.get_mut();
        let mut state = this.gate.state.lock().unwrap();
        if this.blocks && !state.is_released {
            state.is_blocked = true;
            state.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        drop(state);
        Pin::new(&mut this.inner).poll_read(context, buffer)
    }
}

impl Reader for GateReader<'_> {
    fn seekable(&mut self) -> Result<&mut dyn SeekableReader, ReaderNotSeekableError> {
        self.inner.seekable()
    }
}

impl AssetReader for Gate {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        Ok(GateReader {
            inner: Box::new(AssetReader::read(&self.files, path).await?),
            gate: self.clone(),
            blocks: self.take_block(path),
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

fn assert_newest_file_is_used(format: Format) {
    let files = Dir::default();
    for kind in format.kinds() {
        if !matches!(kind, Kind::Meta | Kind::TextureMeta) {
            let (path, contents) = (format.file(*kind), format.contents(*kind, 1));
            files.insert_asset(Path::new(&path), contents);
        }
    }
    let plain = crate::support::abc_stage::dtx(&[[7, 9, 9, 255]; 64]);
    files.insert_asset(Path::new("plain.dtx"), plain);
    let gate = Gate {
        files: MemoryAssetReader {
            root: files.clone(),
        },
        state: Arc::default(),
    };
    let activity = Activity::default();
    let (observed, reader) = (activity.clone(), gate.clone());
    let source = move || Box::new(observed.observe(Box::new(reader.clone()))) as Box<_>;
    let mut app = App::new();
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(source));
    let plugins = gpuless::plugins(Path::new("unused"), false);
    let mut app = TestApp::with_sources(app, plugins).app;
    let server = app.world().resource::<AssetServer>().clone();
    let path = format.file(Kind::Model);
    let model = format.load(&server, path.clone());
    assert!(gpuless::wait_until(&mut app, |_| server.is_loaded_with_dependencies(&model)));
    let root = format.spawn(app.world_mut(), &path);
    assert!(gpuless::wait_until(&mut app, |world| format.is_ready(world, root)));

    let edit = |version| {
        let contents = format.contents(Kind::Model, version);
        files.insert_asset(Path::new(&path), contents);
        server.reload(path.clone());
    };
    gate.block_next(&path);
    edit(2);
    assert!(gpuless::wait_until(&mut app, |_| gate.is_blocked()));
    edit(3);
    let shown = |world: &World| format.shown(world, root, Kind::Model);
    assert!(gpuless::wait_until(&mut app, |world| shown(world) == Some(3)));
    gate.release();
    let mut quiet = Quiet::new(&activity);
    let mut seen = Vec::new();
    assert!(gpuless::wait_until(&mut app, |world| {
        seen.extend(shown(world));
        quiet.is_reached(false)
    }));
    seen.dedup();
    assert_eq!(seen.last(), Some(&3), "{format:?}: {seen:?}");
    // The model was reloaded with the settings of its handle.
    let world = app.world();
    assert_eq!(format.check_state(world, root), Ok(()), "{format:?}");
    let others = format.kinds().iter().filter(|kind| **kind != Kind::Model);
    for kind in others.filter(|kind| !matches!(kind, Kind::Meta | Kind::TextureMeta)) {
        assert_eq!(
            format.shown(world, root, *kind),
            Some(1),
            "{format:?} {kind:?}"
        );
    }
}

#[test]
fn the_newest_file_is_used_whichever_load_ends_last() {
    for format in [Format::Mdl, Format::Alo, Format::Abc, Format::Lgw] {
        assert_newest_file_is_used(format);
    }
}
