//! Counts the loads of an app in its asset source, so that tests can wait until all loads have ended.

use crate::gpuless::wait_until;
use crate::support::prelude::*;

/// Turns of the task pool within which a requested load must begin.
const PATIENCE: usize = 5000;

/// Files whose changes show that the watchers have reported all earlier changes. The first is written; the `.meta` file of
/// the second is added or removed.
const MARKERS: [&str; 2] = ["last-write.tga", "last-meta.tga"];

/// Settings that differ from the default in the sampler.
const META: &str = r#"(meta_format_version: "1.0", asset: Load(
    loader: "bevy_classic_models::texture::loader::ClassicImageLoader", settings: (sampler: Default)))"#;

/// The loads of an app.
pub struct Loads {
    activity: Activity,
    /// Exists if files are watched.
    marker: Option<Marker>,
}

impl Loads {
    /// Makes files in memory the app's default asset source. Call this before `AssetPlugin` is added.
    pub fn from_memory(app: &mut App, files: &Dir) -> Self {
        let root = files.clone();
        Self::from_reader(app, MemoryAssetReader { root })
    }

    /// Makes a reader the app's default asset source. Call this before `AssetPlugin` is added.
    pub fn from_reader(app: &mut App, reader: impl ErasedAssetReader + Clone) -> Self {
        let activity = Activity::default();
        let observer = activity.clone();
        let source = move || Box::new(observer.observe(Box::new(reader.clone()))) as Box<_>;
        app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(source));
        Self {
            activity,
            marker: None,
        }
    }

    /// Makes a folder the app's default asset source. Call this before `AssetPlugin` is added, and give that the same
    /// folder.
    pub fn from_folder(app: &mut App, folder: &Path, is_watched: bool) -> Self {
        let activity = Activity::default();
        let path = folder.to_string_lossy();
        let source = AssetSourceBuilder::platform_default(&path, None)
            .with_reader(observed_folder(&activity, &path));
        app.register_asset_source(AssetSourceId::Default, source);
        Self {
            activity,
            marker: is_watched.then(|| Marker::new(folder)),
        }
    }

    /// Makes a watched source the app's default asset source. It must contain the files of `folder`. Call this before
    /// `AssetPlugin` is added.
    pub fn from_source(app: &mut App, mut source: AssetSourceBuilder, folder: &Path) -> Self {
        let activity = Activity::default();
        let (mut reader, observer) = (source.reader, activity.clone());
        source.reader = Box::new(move || Box::new(observer.observe(reader())));
        app.register_asset_source(AssetSourceId::Default, source);
        Self {
            activity,
            marker: Some(Marker::new(folder)),
        }
    }

    /// The same with the asset processor. Does not wait for the processor itself.
    pub fn from_processed_folder(app: &mut App, folder: &Path, processed: &Path) -> Self {
        let activity = Activity::default();
        let [path, processed] = [folder, processed].map(Path::to_string_lossy);
        let source = AssetSourceBuilder::platform_default(&path, Some(&processed))
            .with_reader(observed_folder(&activity, &path))
            .with_processed_reader(observed_folder(&activity, &processed));
        app.register_asset_source(AssetSourceId::Default, source);
        Self {
            activity,
            marker: None,
        }
    }

    /// Reloads a file in use. Returns when the load has begun, and runs no frame.
    #[track_caller]
    pub fn begin_reload(&self, app: &App, path: &'static str) {
        let before = self.activity.begun();
        app.world().resource::<AssetServer>().reload(path);
        let mut patience = Patience::new(PATIENCE);
        while self.activity.begun() == before {
            assert!(!patience.is_exhausted(), "no load of {path} begins");
            patience.wait();
        }
    }

    /// Waits until all loads that need no frame have ended, and runs no frame.
    pub fn wait_without_frames(&self) {
        let mut quiet = Quiet::new(&self.activity);
        let mut patience = Patience::new(PATIENCE);
        while !quiet.is_reached(false) {
            assert!(!patience.is_exhausted(), "a load does not end");
            patience.wait();
        }
    }

    /// Runs frames of `seconds` each until all saved changes are reported and all loads have ended.
    ///
    /// `is_busy` is called in each frame, and returns whether other work is in progress.
    #[track_caller]
    pub fn run_until_idle(
        &mut self,
        app: &mut App,
        seconds: f32,
        mut is_busy: impl FnMut(&mut World) -> bool,
    ) {
        if let Some(marker) = &mut self.marker {
            marker.change(app);
            let is_reported = crate::gpuless::step_until(app, seconds, |world| {
                is_busy(world);
                marker.is_reported(world)
            });
            assert!(is_reported, "the watchers do not report a change");
        }
        let mut quiet = Quiet::new(&self.activity);
        let is_quiet = crate::gpuless::step_until(app, seconds, |world| {
            let is_busy = is_busy(world);
            quiet.is_reached(is_busy)
        });
        assert!(is_quiet, "the loads do not end");
    }
}

type Reader = Box<dyn ErasedAssetReader>;

fn observed_folder(
    activity: &Activity,
    folder: &str,
) -> impl FnMut() -> Reader + Send + Sync + 'static {
    let activity = activity.clone();
    let mut reader = AssetSource::get_default_reader(folder.to_owned());
    move || Box::new(activity.observe(reader()))
}

/// Two images: Bevy's watcher reports the change of one, this crate's watcher that of the other. Watchers report changes in
/// order, so when both changes are visible, all earlier changes were reported.
struct Marker {
    folder: PathBuf,
    images: Option<[Handle<Image>; 2]>,
    changes: u32,
}

impl Marker {
    fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            images: None,
            changes: 0,
        }
    }

    fn write(&self, file: &str, side: u32) {
        let texels = vec![[255; 4]; (side * side) as usize];
        std::fs::write(self.folder.join(file), tga(&texels)).unwrap();
    }

    fn load(&mut self, app: &mut App) {
        let server = app.world().resource::<AssetServer>();
        let images = MARKERS.map(|file| {
            self.write(file, 1);
            server.load(file)
        });
        self.images = Some(images);
        let is_loaded = wait_until(app, |world| self.is_reported(world));
        assert!(is_loaded, "the markers are not loaded");
    }

    fn change(&mut self, app: &mut App) {
        if self.images.is_none() {
            self.load(app);
        }
        self.changes += 1;
        let [written, described] = MARKERS;
        self.write(written, self.side());
        let meta = self.folder.join(format!("{described}.meta"));
        match self.has_meta() {
            true => std::fs::write(meta, META).unwrap(),
            false => std::fs::remove_file(meta).unwrap(),
        }
    }

    /// The width and height of the first image, in texels.
    fn side(&self) -> u32 {
        self.changes + 1
    }

    /// Whether the second image has a `.meta` file.
    fn has_meta(&self) -> bool {
        self.changes % 2 == 1
    }

    fn is_reported(&self, world: &World) -> bool {
        let images = world.resource::<Assets<Image>>();
        let Some([Some(written), Some(described)]) = self
            .images
            .as_ref()
            .map(|handles| handles.each_ref().map(|handle| images.get(handle)))
        else {
            return false;
        };
        let has_meta = matches!(described.sampler, ImageSampler::Default);
        written.width() == self.side() && has_meta == self.has_meta()
    }
}
