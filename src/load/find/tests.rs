//! Tests of searches in asset sources in memory.

use crate::load::concurrent::ConcurrentLoads;
use crate::load::find::paths::{clean_path, with_extensions};
use crate::load::find::*;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{
    AssetReader, AssetReaderError, AssetSourceBuilder, AssetSourceId, PathStream, Reader, VecReader,
};
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use bevy::tasks::block_on;
use classic_models_support::gpuless::{PATIENCE, Patience};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// An asset reader in memory that records which folders are listed.
struct Listed {
    files: MemoryAssetReader,
    folders: Arc<Mutex<Vec<PathBuf>>>,
}

impl AssetReader for Listed {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        AssetReader::read(&self.files, path).await
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        Err::<VecReader, _>(AssetReaderError::NotFound(path.to_owned()))
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        self.folders.lock().unwrap().push(path.to_owned());
        AssetReader::read_directory(&self.files, path).await
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        AssetReader::is_directory(&self.files, path).await
    }
}

/// A web server that has some files, and answers with its start page otherwise, as those of bundlers for development do.
struct WebServer {
    files: MemoryAssetReader,
    requests: Arc<Mutex<Vec<PathBuf>>>,
}

impl AssetReader for WebServer {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.requests.lock().unwrap().push(path.to_owned());
        let bytes = match AssetReader::read(&self.files, path).await {
            Ok(mut file) => {
                let mut bytes = Vec::new();
                Reader::read_to_end(&mut file, &mut bytes).await?;
                bytes
            }
            Err(_) => b"\n<!DOCTYPE html>\n<html><body></body></html>".to_vec(),
        };
        Ok(VecReader::new(bytes))
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        AssetReader::read(self, path).await
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        Err(AssetReaderError::NotFound(path.to_owned()))
    }

    async fn is_directory<'a>(&'a self, _: &'a Path) -> Result<bool, AssetReaderError> {
        Ok(false)
    }
}

struct Stage {
    finder: FileFinder,
    folders: Arc<Mutex<Vec<PathBuf>>>,
    files: Dir,
}

impl Stage {
    fn new(files: &[&str]) -> Self {
        let root = Dir::default();
        for path in files {
            root.insert_asset(Path::new(path), Vec::new());
        }
        let files = root.clone();
        let folders = Arc::<Mutex<Vec<PathBuf>>>::default();
        let listed = folders.clone();
        let reader = move || -> Box<dyn ErasedAssetReader> {
            let files = MemoryAssetReader { root: root.clone() };
            let folders = listed.clone();
            Box::new(Listed { files, folders })
        };
        let mut app = App::new();
        app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
            .add_plugins((TaskPoolPlugin::default(), AssetPlugin::default()));
        let server = app.world().resource::<AssetServer>().clone();
        Self {
            finder: FileFinder::new(server),
            folders,
            files,
        }
    }

    /// A stage whose searches share listings.
    fn shared(files: &[&str]) -> Self {
        let mut stage = Self::new(files);
        stage.finder.folders = Some(SourceFolders::new(None));
        stage
    }

    fn add(&self, path: &str) {
        self.files.insert_asset(Path::new(path), Vec::new());
    }

    /// Finds a texture for a model in the folder `many`.
    fn texture_of(&self, model: &str, name: &str) -> Option<String> {
        let model = AssetPath::from(format!("many/{model}.alo"));
        let found = block_on(self.finder.begin(model, None).find_texture(name, &[]));
        found.ok().map(|path| path.to_string())
    }

    /// The count of listings of a folder since the last call.
    fn listings(&self, folder: &str) -> usize {
        let mut folders = self.folders.lock().unwrap();
        let count = folders.iter().filter(|listed| *listed == Path::new(folder));
        let count = count.count();
        folders.clear();
        count
    }

    /// Finds a texture for `art/Models/ship.alo`.
    fn texture(&self, name: &str, folders: &[&str]) -> Option<String> {
        let model = AssetPath::from("art/Models/ship.alo");
        let folders: Vec<String> = folders.iter().map(|&folder| folder.into()).collect();
        let found = block_on(self.finder.begin(model, None).find_texture(name, &folders));
        found.ok().map(|path| path.to_string())
    }
}

#[test]
fn textures_are_found_with_any_case_and_extension() {
    let stage = Stage::new(&["Art/TEXTURES/Hull.DDS", "Art/Models/other.tga"]);
    let expected = Some("Art/TEXTURES/Hull.DDS".to_owned());
    assert_eq!(stage.texture("hull.tga", &["art/textures"]), expected);
    assert_eq!(stage.texture("HULL", &["Art\\Textures"]), expected);
    let authors = r"W:\Project\Art\hull.tga";
    assert_eq!(stage.texture(authors, &["art/textures"]), expected);
    assert_eq!(stage.texture("hulk.tga", &["art/textures"]), None);
}

#[test]
fn all_extensions_are_tried_in_a_folder_before_the_next_folder() {
    let near = "art/Models/hull.tga";
    let far = "art/Textures/hull.dds";
    let named = "more/hull.tga";
    let twin = "more/hull.dds";
    let root = "hull.dds";
    let found = |files: &[&str]| Stage::new(files).texture("hull.tga", &["more"]).unwrap();
    assert_eq!(found(&[near, far, named, twin, root]), near);
    assert_eq!(found(&[far, named, twin, root]), far);
    assert_eq!(found(&[named, twin, root]), named);
    assert_eq!(found(&[twin, root]), twin);
    assert_eq!(found(&[root]), root);
}

#[test]
fn first_folder_is_searched_before_all_others() {
    let below = "Game/art/hull.dds";
    let bare = "Game/hull.tga";
    let near = "art/Models/hull.tga";
    let found = |files: &[&str]| {
        let stage = Stage::new(files);
        let model = AssetPath::from("art/Models/ship.lgw");
        let mut search = stage.finder.begin(model, None);
        let found = block_on(search.find_texture_from(Some("game"), r"ART\hull.tga", &[]));
        found.map(|path| path.to_string())
    };
    assert_eq!(found(&[near, bare, below]).unwrap(), below);
    assert_eq!(found(&[near, bare]).unwrap(), bare);
    assert_eq!(found(&[near]).unwrap(), near);
    let tried = found(&[]).unwrap_err().tried;
    assert_eq!(tried[0], "game/ART/hull.tga");
    assert_eq!(tried.last().unwrap(), "hull.dds");
}

#[test]
fn files_are_listed_by_extension_and_folder() {
    let stage = Stage::new(&[
        "Art/Models/b.ALA",
        "Art/Models/a.ala",
        "Art/Models/a.alo",
        "Art/Models/deep/c.ala",
        "Other/d.Ala",
        "e.ala",
    ]);
    let listed = |folders: &[&str]| {
        let model = AssetPath::from("art/models/ship.alo");
        let folders: Vec<String> = folders.iter().map(|&folder| folder.into()).collect();
        let mut search = stage.finder.begin(model, None);
        let found = block_on(search.files_beginning("", &folders, &["ala"]));
        found.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(listed(&[]), ["Art/Models/a.ala", "Art/Models/b.ALA"]);
    let more = ["Art/Models/a.ala", "Art/Models/b.ALA", "Other/d.Ala"];
    assert_eq!(listed(&["other", "missing", r"ART\Models"]), more);
}

#[test]
fn hidden_files_are_found_by_exact_name_only() {
    let stage = Stage::new(&["art/.new/hull.tga", "art/Models/.hull.dds", "a/b.tga"]);
    assert_eq!(
        stage.texture("hull.tga", &["art/.new"]).unwrap(),
        "art/.new/hull.tga"
    );
    assert_eq!(
        stage.texture(".hull.dds", &[]).unwrap(),
        "art/Models/.hull.dds"
    );
    assert_eq!(stage.texture(".cab.dds", &["art/.old"]), None);
}

#[test]
fn folders_are_not_found_as_textures() {
    let stage = Stage::new(&["art/Models/hull/x.txt", "art/Models/hull.tga"]);
    assert_eq!(stage.texture("hull", &[]).unwrap(), "art/Models/hull.tga");
}

#[test]
fn a_search_lists_each_folder_once() {
    let stage = Stage::new(&["art/Models/ship.alo", "art/Textures/a.dds", "b.dds"]);
    assert_eq!(stage.texture(r"deep\c.tga", &["art"]), None);
    let mut listed = stage.folders.lock().unwrap().clone();
    let all = listed.len();
    listed.sort();
    listed.dedup();
    assert_eq!(listed.len(), all);
    assert_eq!(all, 4, "the root, art, Models, Textures");
}

#[test]
fn each_extension_of_a_texture_is_tried_once() {
    let tried = |name| {
        let tried = candidates(Path::new("ship.alo"), None, name, &[], as_texture);
        let tried = tried.iter().map(|path| path.to_string_lossy().into_owned());
        tried.collect::<Vec<_>>()
    };
    assert_eq!(tried("hull.tga"), ["hull.tga", "hull.dds"]);
    assert_eq!(tried("hull.png"), ["hull.png", "hull.dds", "hull.tga"]);
    assert_eq!(tried("hull"), ["hull.dds", "hull.tga"]);
    assert_eq!(
        tried("hull.v2"),
        ["hull.v2.dds", "hull.v2.tga", "hull.dds", "hull.tga"]
    );
    assert_eq!(
        tried(r"a\hull.dds"),
        ["a/hull.dds", "a/hull.tga", "hull.dds", "hull.tga"]
    );
}

#[test]
fn skins_of_lithtech_models_are_tried_as_dtx_first() {
    let tried = |name| {
        let as_skin = |name: &Path| with_extensions(name, &["dtx", "dds", "tga"]);
        let tried = candidates(Path::new("hero.abc"), None, name, &[], as_skin);
        let tried = tried.iter().map(|path| path.to_string_lossy().into_owned());
        tried.collect::<Vec<_>>()
    };
    assert_eq!(tried("hero"), ["hero.dtx", "hero.dds", "hero.tga"]);
    assert_eq!(tried("hero.dtx"), ["hero.dtx", "hero.dds", "hero.tga"]);
    assert_eq!(tried("hero.tga"), ["hero.tga", "hero.dtx", "hero.dds"]);
    assert_eq!(tried("hero.v2")[..2], ["hero.v2.dtx", "hero.v2.dds"]);
}

#[test]
fn names_never_leave_the_source() {
    assert_eq!(
        clean_path(r"C:\art\..\..\gfx\Palette.lmp"),
        Path::new("art/gfx/Palette.lmp")
    );
    assert_eq!(clean_path("/etc/passwd"), Path::new("etc/passwd"));
    assert_eq!(clean_path("../.."), Path::new(""));
    assert_eq!(clean_path(r"W:hull.tga"), Path::new("hull.tga"));
    assert_eq!(
        clean_path(r".. \art. \hull.tga. "),
        Path::new("art/hull.tga")
    );
}

#[test]
fn folders_are_tried_once_in_order() {
    let tried = candidates(
        Path::new("progs/Models/ogre.mdl"),
        None,
        r"gfx\palette.lmp",
        &["gfx".into()],
        as_named,
    );
    let tried: Vec<_> = tried.iter().map(|path| path.to_string_lossy()).collect();
    assert_eq!(
        tried,
        [
            "progs/Models/gfx/palette.lmp",
            "progs/Models/palette.lmp",
            "progs/Textures/gfx/palette.lmp",
            "progs/Textures/palette.lmp",
            "gfx/gfx/palette.lmp",
            "gfx/palette.lmp",
            "palette.lmp",
        ]
    );
}

#[test]
fn searches_share_listings() {
    let stage = Stage::shared(&["many/Hull.dds"]);
    for model in ["a", "b", "c"] {
        let found = stage.texture_of(model, "HULL.tga");
        assert_eq!(found.as_deref(), Some("many/Hull.dds"));
        assert_eq!(stage.texture_of(model, "missing.tga"), None);
    }
    assert_eq!(stage.listings("many"), 1);
}

#[test]
fn changes_are_noticed_after_a_frame_without_loads() {
    let stage = Stage::shared(&["many/Hull.dds"]);
    let mut app = App::new();
    app.init_resource::<ConcurrentLoads>()
        .insert_resource(stage.finder.folders.clone().unwrap())
        .add_systems(PreUpdate, remove_untimed);
    let loads = app.world().resource::<ConcurrentLoads>().clone();
    let load = loads.begin("many/a.alo".into());
    assert!(stage.texture_of("a", "hull.dds").is_some());
    stage.add("many/NEW.TGA");
    app.update();
    app.update();
    assert_eq!(stage.texture_of("b", "new.tga"), None, "a model is loading");
    assert_eq!(stage.listings("many"), 1);
    drop(load);
    app.update();
    let found = stage.texture_of("b", "new.tga");
    assert_eq!(found.as_deref(), Some("many/NEW.TGA"), "added");
    assert_eq!(stage.listings("many"), 1);
    stage.files.remove_asset(Path::new("many/Hull.dds"));
    stage.files.remove_asset(Path::new("many/NEW.TGA"));
    stage.add("many/new.tga");
    app.update();
    assert_eq!(stage.texture_of("c", "hull.dds"), None, "removed");
    let found = stage.texture_of("d", "NEW.tga");
    assert_eq!(found.as_deref(), Some("many/new.tga"), "renamed");
    assert_eq!(stage.listings("many"), 1);
}

#[test]
fn a_changed_folder_on_disk_is_listed_again() {
    let folder = tempfile::tempdir().unwrap();
    let folders = SourceFolders::new(Some(folder.path().to_owned()));
    let reader = FileAssetReader::new(folder.path());
    let has = |name: &str| {
        let index = folders.get(&reader, &AssetSourceId::Default, Path::new(""));
        block_on(index).is_some_and(|index| !index.matching(name).is_empty())
    };
    assert!(!has("hull.tga"));
    std::fs::write(folder.path().join("HULL.tga"), "").unwrap();
    assert!(has("hull.tga"));
    std::fs::remove_file(folder.path().join("HULL.tga")).unwrap();
    assert!(!has("hull.tga"));
}

#[test]
fn pages_of_web_servers_are_not_files() {
    let root = Dir::default();
    for (path, bytes) in [
        ("art/Textures/hull.dds", &b"DDS "[..]),
        ("art/models/lower.tga", b"tga"),
        ("empty.tga", b""),
    ] {
        root.insert_asset(Path::new(path), bytes.to_vec());
    }
    let requests = Arc::<Mutex<Vec<PathBuf>>>::default();
    let sent = requests.clone();
    let reader = move || -> Box<dyn ErasedAssetReader> {
        let files = MemoryAssetReader { root: root.clone() };
        let requests = sent.clone();
        Box::new(WebServer { files, requests })
    };
    let mut app = App::new();
    app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
        .add_plugins((TaskPoolPlugin::default(), AssetPlugin::default()));
    let finder = FileFinder::new(app.world().resource::<AssetServer>().clone());
    let model = AssetPath::from("art/Models/ship.alo");
    let texture = |name: &str| {
        let found = block_on(finder.begin(model.clone(), None).find_texture(name, &[]));
        found.ok().map(|path| path.to_string())
    };
    let found = |path: &str| Some(path.to_owned());
    assert_eq!(texture("hull.tga"), found("art/Textures/hull.dds"));
    assert_eq!(texture("LOWER.tga"), found("art/models/lower.tga"));
    assert_eq!(texture("empty.tga"), found("empty.tga"));
    requests.lock().unwrap().clear();
    assert_eq!(texture("missing.tga"), None);
    let mut requests = requests.lock().unwrap();
    let count = requests.len();
    requests.sort();
    requests.dedup();
    assert_eq!(requests.len(), count, "each path is requested once");
}

#[test]
fn unlistable_sources_are_tried_once() {
    let stage = Stage::shared(&[]);
    for model in ["a", "b"] {
        assert_eq!(stage.texture_of(model, "hull.tga"), None);
    }
    assert_eq!(stage.folders.lock().unwrap().len(), 1);
}

/// A loader whose loads wait for `may_search`, then search for another file.
#[derive(TypePath)]
struct HeldLoader {
    finder: FileFinder,
    has_begun: Arc<AtomicBool>,
    may_search: Arc<AtomicBool>,
}

#[derive(Asset, TypePath)]
struct Held(Option<String>);

impl AssetLoader for HeldLoader {
    type Asset = Held;
    type Settings = ();
    type Error = std::io::Error;

    async fn load(
        &self,
        _: &mut dyn Reader,
        _: &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<Held, std::io::Error> {
        self.has_begun.store(true, Ordering::SeqCst);
        while !self.may_search.load(Ordering::SeqCst) {
            futures_lite::future::yield_now().await;
        }
        let mut search = self.finder.begin(load_context.path().clone(), None);
        let found = search.find("OTHER.held", &[]);
        Ok(Held(found.await.ok().map(|path| path.to_string())))
    }

    fn extensions(&self) -> &[&str] {
        &["held"]
    }
}

fn update_until(app: &mut App, mut is_done: impl FnMut(&App) -> bool) {
    let mut patience = Patience::new(PATIENCE);
    while !patience.is_exhausted() {
        app.update();
        if is_done(app) {
            return;
        }
        patience.wait();
    }
    panic!("the condition was not met");
}

/// Tests with an asset processor, which watches files.
#[cfg(feature = "file_watcher")]
mod processed {
    use super::*;
    use bevy::asset::processor::{FileTransactionLogFactory, ProcessorState};

    /// An app with an asset processor for the files of a folder.
    fn processing_app(folder: &Path, is_watched: bool) -> App {
        let path = |name| folder.join(name).to_string_lossy().into_owned();
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin::default(),
            AssetPlugin {
                mode: AssetMode::Processed,
                use_asset_processor_override: Some(true),
                watch_for_changes_override: Some(is_watched),
                file_path: path("files"),
                processed_file_path: path("processed"),
                ..AssetPlugin::default()
            },
        ));
        let log = FileTransactionLogFactory {
            file_path: folder.join("log"),
        };
        let processor = app.world().resource::<AssetProcessor>();
        processor.data().set_log_factory(Box::new(log)).unwrap();
        crate::load::concurrent::register(&mut app);
        register(&mut app);
        app.init_asset::<Held>();
        app
    }

    fn add_held_loader(app: &mut App) -> [Arc<AtomicBool>; 2] {
        let [has_begun, may_search] = [(); 2].map(|()| Arc::new(AtomicBool::new(false)));
        let loader = HeldLoader {
            finder: FileFinder::of(app.world()),
            has_begun: has_begun.clone(),
            may_search: may_search.clone(),
        };
        app.register_asset_loader(loader);
        app.finish();
        app.cleanup();
        [has_begun, may_search]
    }

    fn processor_state(app: &App) -> ProcessorState {
        block_on(app.world().resource::<AssetProcessor>().get_state())
    }

    /// The asset processor waits for the load of a file before it writes that file. A deadlock occurs if the load waits for
    /// the processor.
    #[test]
    fn files_are_found_while_the_asset_processor_waits_for_the_load() {
        let folder = tempfile::tempdir().unwrap();
        let model_path = folder.path().join("files/model.held");
        std::fs::create_dir_all(model_path.parent().unwrap()).unwrap();
        std::fs::write(&model_path, "first").unwrap();
        std::fs::write(model_path.with_file_name("other.held"), "other").unwrap();
        // Processes all files before the second app watches them, so that it does not load any file twice.
        let mut app = processing_app(folder.path(), false);
        add_held_loader(&mut app);
        update_until(&mut app, |app| {
            processor_state(app) == ProcessorState::Finished
        });
        let mut app = processing_app(folder.path(), true);
        let [has_begun, may_search] = add_held_loader(&mut app);
        let model: Handle<Held> = app.world().resource::<AssetServer>().load("model.held");
        update_until(&mut app, |app| {
            has_begun.load(Ordering::SeqCst) && processor_state(app) == ProcessorState::Finished
        });
        std::fs::write(&model_path, "second").unwrap();
        update_until(&mut app, |app| {
            processor_state(app) == ProcessorState::Processing
        });
        may_search.store(true, Ordering::SeqCst);
        update_until(&mut app, |app| {
            app.world().resource::<Assets<Held>>().contains(&model)
        });
        let assets = app.world().resource::<Assets<Held>>();
        assert_eq!(assets.get(&model).unwrap().0.as_deref(), Some("other.held"));
        update_until(&mut app, |app| {
            processor_state(app) == ProcessorState::Finished
        });
    }
}

#[test]
fn only_paths_of_manifests_name_sources() {
    for (path, expected) in [
        ("arc://models/x.abc", "arc://models/x.abc"),
        (r"arc://a\..\b/x.abc", "arc://a/b/x.abc"),
        ("c://models/x.abc", "models/x.abc"),
        (r"W:\models\x.abc", "models/x.abc"),
        ("a/b://x.abc", "a/x.abc"),
    ] {
        assert_eq!(clean_source_path(path), Path::new(expected), "{path}");
    }
    assert_eq!(clean_path("arc://x.abc"), Path::new("x.abc"));
}
