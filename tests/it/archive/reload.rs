//! Archives and loose files that change while their assets are in use.

use super::sources::meta;
use crate::support::archives::{FORMATS, Games, Text, TextLoader, Way, packed};
use crate::support::prelude::*;
use crate::support::sample_files::files;
use futures_lite::AsyncReadExt;

const WAYS: [Way; 2] = [Way::Rename, Way::Write];

/// An app with a watched source.
struct Watched {
    app: TestApp,
    activity: Activity,
    loader: TextLoader,
}

impl TestWorld for Watched {
    fn app(&self) -> &App {
        self.app.app()
    }

    fn app_mut(&mut self) -> &mut App {
        self.app.app_mut()
    }
}

impl Watched {
    fn new(source: &ArchiveSource) -> Self {
        Self::with_id(source, AssetSourceId::Default)
    }

    fn with_id(source: &ArchiveSource, id: impl Into<AssetSourceId<'static>>) -> Self {
        log::listen();
        let activity = Activity::default();
        let mut builder = source.clone().into_builder();
        let (mut reader, observer) = (builder.reader, activity.clone());
        builder.reader = Box::new(move || Box::new(observer.observe(reader())));
        let mut app = App::new();
        app.register_asset_source(id, builder);
        let plugins = gpuless::plugins(Path::new("unused"), true);
        let mut app = TestApp::with_sources(app, plugins);
        let loader = TextLoader::default();
        app.app
            .init_asset::<Text>()
            .register_asset_loader(loader.clone());
        Self {
            app,
            activity,
            loader,
        }
    }

    fn load(&mut self, path: &'static str) -> Handle<Text> {
        let handle = self.app.load::<Text>(path);
        let _ = self.app.finish_load(&handle);
        self.take_loads();
        handle
    }

    fn text(&mut self, handle: &Handle<Text>) -> String {
        let texts = self.app.assets::<Text>();
        texts
            .get(handle)
            .map_or_else(String::new, |it| it.0.clone())
    }

    /// Waits until an asset has a text, and until all loads have ended.
    #[track_caller]
    fn wait_for(&mut self, handle: &Handle<Text>, text: &str) {
        let is_there = gpuless::wait_until(&mut self.app.app, |world| {
            let texts = world.resource::<Assets<Text>>();
            texts.get(handle).is_some_and(|it| it.0 == text)
        });
        let found = self.text(handle);
        assert!(is_there, "expected {text:?}, found {found:?}");
        self.settle();
    }

    /// Runs frames until all loads have ended.
    #[track_caller]
    fn settle(&mut self) {
        let mut quiet = Quiet::new(&self.activity);
        self.wait("the loads do not end", |_| quiet.is_reached(false));
    }

    /// The sorted paths of the texts that were loaded since the last call, each once.
    fn take_loads(&mut self) -> Vec<String> {
        let mut loads = core::mem::take(&mut *self.loader.loads.lock().unwrap());
        loads.sort();
        loads.dedup();
        loads
    }
}

#[test]
fn only_changed_entries_are_reloaded() {
    for way in WAYS {
        for format in FORMATS {
            let games = Games::new();
            let archive = format!("a.{format}");
            games.pack(
                &archive,
                &[("A/1.TXT", "one"), ("A/2.TXT", "two"), ("A/3.TXT", "old")],
            );
            let source = games.source([&archive]);
            let mut app = Watched::new(&source);
            let [one, two] = ["a/1.txt", "a/2.txt"].map(|path| app.load(path));
            let three = ["a/3.txt", "A/3.TXT"].map(|path| app.load(path));

            // All entries move, and one has other bytes.
            let new = [
                ("A/0.TXT", "another file"),
                ("A/1.TXT", "one"),
                ("A/2.TXT", "two"),
                ("A/3.TXT", "new"),
            ];
            games.update(way, &archive, &new);
            app.wait_for(&three[1], "new");
            app.wait_for(&three[0], "new");
            assert_eq!(app.take_loads(), ["A/3.TXT", "a/3.txt"], "{way:?} {format}");

            // The same size in the same place.
            let newer =
                new.map(|(path, text)| (path, text.replace("new", "NEW").replace("two", "TWO")));
            games.update(way, &archive, &newer);
            app.wait_for(&two, "TWO");
            app.wait_for(&three[0], "NEW");
            assert_eq!(
                app.take_loads(),
                ["A/3.TXT", "a/2.txt", "a/3.txt"],
                "{way:?} {format}"
            );
            assert_eq!(app.text(&one), "one");
            assert_eq!(source.locate("a/0.txt").unwrap().size, 12);
        }
    }
}

/// Reads in parts, or nothing, depending on the extension. Records the paths of loads.
#[derive(Clone, Default, TypePath)]
struct PartLoader {
    loads: Arc<Mutex<Vec<String>>>,
}

impl AssetLoader for PartLoader {
    type Asset = Text;
    type Settings = ();
    type Error = std::io::Error;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<Text, std::io::Error> {
        let path = load_context.path().path().to_string_lossy().into_owned();
        let length = match &*path {
            "a.none" => 0,
            "a.start" => 4,
            _ => usize::MAX,
        };
        self.loads.lock().unwrap().push(path);
        let mut bytes = Vec::new();
        let mut part = [0; 3];
        while bytes.len() < length {
            let count = reader.read(&mut part).await?;
            if count == 0 {
                break;
            }
            bytes.extend_from_slice(&part[..count]);
        }
        Ok(Text(String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn extensions(&self) -> &[&str] {
        &["none", "start", "parts"]
    }
}

#[test]
fn entries_are_reloaded_only_if_bytes_that_were_read_may_have_changed() {
    for way in WAYS {
        let games = Games::new();
        let mut files = [
            ("a.none", "none"),
            ("a.start", "start and rest"),
            ("a.parts", "read in parts"),
            ("a.txt", "text"),
        ];
        games.pack("a.pak", &files);
        let source = games.source(["a.pak"]);
        let mut app = Watched::new(&source);
        let loader = PartLoader::default();
        app.app.app.register_asset_loader(loader.clone());
        let [_none, _start, parts, text] =
            ["a.none", "a.start", "a.parts", "a.txt"].map(|path| app.load(path));
        app.settle();
        let take = || {
            let mut loads = core::mem::take(&mut *loader.loads.lock().unwrap());
            loads.sort();
            loads.dedup();
            loads
        };
        assert_eq!(take(), ["a.none", "a.parts", "a.start"], "{way:?}");

        // No hash is known of an entry of which only the start was read.
        files[3].1 = "new text";
        games.update(way, "a.pak", &files);
        app.wait_for(&text, "new text");
        assert_eq!(take(), ["a.start"], "{way:?}");
        for (_, text) in &mut files {
            *text = "newer";
        }
        games.update(way, "a.pak", &files);
        app.wait_for(&parts, "newer");
        app.wait_for(&text, "newer");
        assert_eq!(take(), ["a.parts", "a.start"], "{way:?}");
    }
}

#[test]
fn entries_that_are_being_read_are_reloaded() {
    for way in WAYS {
        let games = Games::new();
        games.pack("a.pak", &[("a.txt", "a"), ("b.txt", "b"), ("c.txt", "c")]);
        let source = games.source(["a.pak"]);
        let mut app = Watched::with_id(&source, "game");
        let [_a, _b, c] = ["game://a.txt", "game://b.txt", "game://c.txt"].map(|it| app.load(it));
        app.settle();
        let server = app.server();
        let game = server.get_source("game").unwrap();
        let open = |path: &'static str| block_on(game.reader().read(Path::new(path))).unwrap();
        let in_flight = open("a.txt");
        drop(open("b.txt"));

        games.update(
            way,
            "a.pak",
            &[("a.txt", "a"), ("b.txt", "b"), ("c.txt", "2")],
        );
        // The open reader keeps the loads from ending.
        let mut loads = Vec::new();
        let loader = app.loader.clone();
        gpuless::wait_until(&mut app.app.app, |_| {
            loads.append(&mut loader.loads.lock().unwrap());
            ["a.txt", "c.txt"]
                .iter()
                .all(|path| loads.iter().any(|it| it == path))
        });
        drop(in_flight);
        app.wait_for(&c, "2");
        loads.extend(app.take_loads());
        loads.sort();
        loads.dedup();
        assert_eq!(loads, ["a.txt", "c.txt"], "{way:?}");
        // Without open readers, bytes count.
        games.update(
            way,
            "a.pak",
            &[("a.txt", "a"), ("b.txt", "b"), ("c.txt", "3")],
        );
        app.wait_for(&c, "3");
        assert_eq!(app.take_loads(), ["c.txt"], "{way:?}");
    }
}

#[test]
fn entries_that_come_and_go_are_followed() {
    for way in WAYS {
        let games = Games::new();
        games.pack("a.pak", &[("a.txt", "a1"), ("b.txt", "b1")]);
        let source = games.source(["a.pak"]);
        let mut app = Watched::new(&source);
        let [a, b, c] = ["a.txt", "b.txt", "C.TXT"].map(|path| app.load(path));
        let server = app.server();
        assert!(matches!(server.load_state(&c), LoadState::Failed(_)));
        let folder: Handle<LoadedFolder> = server.load_folder("");
        app.app.wait_loaded(&folder);
        app.take_loads();

        games.update(
            way,
            "a.pak",
            &[("a.txt", "a1"), ("b.txt", "b1"), ("c.txt", "c1")],
        );
        app.wait_for(&c, "c1");
        assert_eq!(app.asset(&folder).handles.len(), 3);
        // The folder loads the listed spelling of the new file too.
        assert_eq!(app.take_loads(), ["C.TXT", "c.txt"]);

        // A removed entry keeps its asset until it exists again.
        games.update(way, "a.pak", &[("a.txt", "a2"), ("c.txt", "c1")]);
        app.wait_for(&a, "a2");
        assert_eq!(app.take_loads(), ["a.txt"]);
        assert_eq!(app.text(&b), "b1");
        games.update(
            way,
            "a.pak",
            &[("a.txt", "a2"), ("b.txt", "b2"), ("c.txt", "c1")],
        );
        app.wait_for(&b, "b2");
        assert_eq!(app.take_loads(), ["b.txt"]);
    }
}

#[test]
fn loose_files_that_come_and_go_win_and_lose() {
    let games = Games::new();
    games.pack("a.pak", &[("text/a.txt", "archived"), ("text/b.txt", "b")]);
    games.put("loose/readme.txt", "");
    let source = games.source(["a.pak", "loose"]);
    let mut app = Watched::new(&source);
    let [a, b, upper] = ["text/a.txt", "text/b.txt", "TEXT/A.TXT"].map(|path| app.load(path));

    // In a new folder, spelled in another case.
    games.put("loose/Text/A.txt", "loose");
    app.wait_for(&a, "loose");
    app.wait_for(&upper, "loose");
    games.put("loose/Text/A.txt", "edited");
    app.wait_for(&a, "edited");
    app.wait_for(&upper, "edited");
    let located = source.locate("text/a.txt").unwrap();
    assert_eq!((located.layer, located.path.as_str()), (1, "Text/A.txt"));

    // An archive below it that changes does not reload it.
    app.take_loads();
    games.pack(
        "a.pak",
        &[("text/a.txt", "archived 2"), ("text/b.txt", "b 2")],
    );
    app.wait_for(&b, "b 2");
    assert_eq!(app.take_loads(), ["text/b.txt"]);

    games.remove("loose/Text/A.txt");
    app.wait_for(&a, "archived 2");
    app.wait_for(&upper, "archived 2");
    // A whole folder that is moved in and out.
    games.put("outside/a.txt", "moved");
    std::fs::remove_dir(games.path("loose/Text")).unwrap();
    std::fs::rename(games.path("outside"), games.path("loose/TEXT")).unwrap();
    app.wait_for(&a, "moved");
    std::fs::rename(games.path("loose/TEXT"), games.path("outside")).unwrap();
    app.wait_for(&a, "archived 2");
    assert_eq!(app.text(&b), "b 2");
}

#[test]
fn loaded_folders_follow_loose_files_spelled_in_other_cases() {
    let games = Games::new();
    games.pack("a.pak", &[("text/a.txt", "archived")]);
    games.put("loose/readme.md", "");
    let source = games.source(["a.pak", "loose"]);
    let mut app = Watched::new(&source);
    let server = app.server();
    let folder: Handle<LoadedFolder> = server.load_folder("text");
    app.app.wait_loaded(&folder);
    let names = |world: &World| {
        let folders = world.resource::<Assets<LoadedFolder>>();
        let handles = folders.get(&folder).into_iter().flat_map(|it| &it.handles);
        let mut names: Vec<String> = handles.map(|it| it.path().unwrap().to_string()).collect();
        names.sort();
        names
    };
    assert_eq!(names(app.app.world()), ["text/a.txt"]);
    let a = app.load("text/a.txt");
    games.put("loose/TEXT/A.TXT", "loose");
    app.wait_for(&a, "loose");
    games.put("loose/TEXT/New.txt", "new");
    gpuless::wait_until(&mut app.app.app, |world| names(world).len() == 2);
    assert_eq!(names(app.app.world()), ["text/New.txt", "text/a.txt"]);
}

#[test]
fn loose_files_below_an_archive_do_not_reload_it() {
    let games = Games::new();
    games.put("quake/id1/a.txt", "loose");
    games.pack("quake/id1/pak0.pak", &[("a.txt", "archived")]);
    let source = ArchiveSource::quake(games.path("quake"), ["id1"]).unwrap();
    let mut app = Watched::new(&source);
    let [a, b] = ["a.txt", "b.txt"].map(|path| app.load(path));
    games.put("quake/id1/a.txt", "edited");
    games.put("quake/id1/b.txt", "added");
    app.wait_for(&b, "added");
    assert_eq!(app.take_loads(), ["b.txt"]);
    assert_eq!(app.text(&a), "archived");
    // Without the entry, the loose file is found.
    games.replace("quake/id1/pak0.pak", &[("c.txt", "c")]);
    app.wait_for(&a, "edited");
}

#[test]
fn half_written_archives_keep_their_files_with_one_warning() {
    for format in FORMATS {
        let games = Games::new();
        let archive = format!("a.{format}");
        let long = "long ".repeat(10_000);
        let old = [("a.txt", "a old"), ("long.txt", &long), ("z.txt", "z old")];
        games.pack(&archive, &old);
        let path = games.path(&archive);
        let source = ArchiveSource::new().archive(&path).unwrap();
        let mut app = Watched::new(&source);
        let [a, z, long_text] = ["a.txt", "z.txt", "long.txt"].map(|path| app.load(path));

        let other = long.replace("long", "LONG");
        let new = packed(
            &archive,
            &[("a.txt", "a new"), ("long.txt", &other), ("z.txt", "z new")],
        );
        let warnings = || log::warnings_with(&format!("{}: ", path.display()));
        for end in [new.len() / 2, new.len() / 2 + 100] {
            std::fs::write(&path, &new[..end]).unwrap();
            app.wait(format, |_| !warnings().is_empty());
        }
        app.settle();
        assert_eq!(app.text(&a), "a old");
        assert_eq!(app.take_loads(), [""; 0], "{format}");

        std::fs::write(&path, &new).unwrap();
        app.wait_for(&a, "a new");
        app.wait_for(&z, "z new");
        assert_eq!(app.text(&long_text), other);
        assert_eq!(warnings().len(), 1, "{format}: {:?}", warnings());
    }
}

#[test]
fn removed_archives_keep_their_files() {
    let games = Games::new();
    games.pack("a.pak", &[("a.txt", "old")]);
    let source = games.source(["a.pak"]);
    let mut app = Watched::new(&source);
    let a = app.load("a.txt");
    games.remove("a.pak");
    let path = games.path("a.pak").display().to_string();
    app.wait_until(|_| !log::warnings_with(&path).is_empty());
    assert_eq!(app.text(&a), "old");
    games.pack("a.pak", &[("a.txt", "new")]);
    app.wait_for(&a, "new");
}

#[test]
fn meta_files_that_change_reload_archived_files() {
    let games = Games::new();
    games.pack("a.pak", &[("A.txt", "a"), ("b.txt", "b")]);
    games.put("loose/readme.txt", "");
    let source = games.source(["loose", "a.pak"]);
    let mut app = Watched::with_id(&source, "game");
    let [a, b] = ["game://a.txt", "game://b.txt"].map(|path| app.load(path));
    games.put("loose/a.txt.meta", meta(" 1"));
    app.wait_for(&a, "a 1");
    games.put("loose/a.txt.meta", meta(" 2"));
    app.wait_for(&a, "a 2");
    games.remove("loose/a.txt.meta");
    app.wait_for(&a, "a");
    assert_eq!(app.take_loads(), ["a.txt"]);
    assert_eq!(app.text(&b), "b");
}

#[test]
fn settings_in_folders_that_are_added_and_removed_are_followed() {
    let games = Games::new();
    games.pack("a.pak", &[("text/a.txt", "a"), ("text/b.txt", "b")]);
    games.put("loose/readme.txt", "");
    games.put("outside/a.txt.meta", meta(" 1"));
    games.put("outside/deep/c.txt.meta", meta(" 1"));
    let source = games.source(["loose", "a.pak"]);
    let mut app = Watched::with_id(&source, "game");
    let [a, b] = ["game://text/a.txt", "game://text/b.txt"].map(|path| app.load(path));
    // There is one event for the folder, and none for the settings in it.
    std::fs::rename(games.path("outside"), games.path("loose/Text")).unwrap();
    app.wait_for(&a, "a 1");
    assert_eq!(app.take_loads(), ["text/a.txt"]);
    assert_eq!((app.text(&a), app.text(&b)), ("a 1".into(), "b".into()));
}

/// The path of the texture of a loaded model.
fn texture(world: &World, alo: &Handle<Alo>) -> Option<String> {
    let model = &world.resource::<Assets<Alo>>().get(alo)?.model;
    let material = model.meshes[0].submeshes[0].material.as_ref()?;
    let materials = world.resource::<Assets<AloMaterial>>();
    let texture = &materials.get(material)?.base.base_color_texture;
    texture.as_ref()?.path().map(ToString::to_string)
}

#[test]
fn skins_that_are_added_to_an_archive_replace_those_of_the_model() {
    for way in WAYS {
        let games = Games::new();
        let bytes = tetrahedron().to_bytes();
        let model = ("progs/a.mdl", &bytes);
        games.pack("a.pk3", &[model]);
        let mut app = Watched::new(&games.source(["a.pk3"]));
        let handle = app
            .app
            .load_with("progs/a.mdl", |settings: &mut MdlLoaderSettings| {
                settings.external_skins = true;
            });
        app.app.wait_loaded(&handle);
        app.settle();
        let path = |world: &World| {
            let models = world.resource::<Assets<Mdl>>();
            let skin = models.get(&handle)?.skins[0].images[0].image.clone();
            skin.path().map(ToString::to_string)
        };
        assert_eq!(
            path(app.app.world()).as_deref(),
            Some("progs/a.mdl#Skin0/Image0")
        );
        let skin = tga(&[[0; 4]; 4]);
        games.update(
            way,
            "a.pk3",
            &[model, ("Textures/Progs/A.mdl_0.tga", &skin)],
        );
        app.wait(&format!("{way:?}"), |world| {
            path(world).as_deref() == Some("textures/progs/a.mdl_0.tga")
        });
    }
}

#[test]
fn models_use_files_that_are_added_to_their_source() {
    for way in WAYS {
        for id in [AssetSourceId::Default, "game".into()] {
            let games = Games::new();
            let (path, unit) = &files()[0];
            let (hull, image) = (REFERENCES[0].1, &files()[4].1);
            let (clip_path, clip) = (REFERENCES[1].1, &files()[5].1);
            let model = [(&**path, unit)];
            games.pack("a.meg", &model);
            games.put("loose/art/readme.txt", "");
            let source = games.source(["a.meg", "loose"]);
            let mut app = Watched::with_id(&source, id.clone());
            let prefix = id.as_str().map_or(String::new(), |id| format!("{id}://"));
            let alo: Handle<Alo> = app.app.load(format!("{prefix}{path}"));
            app.app.wait_loaded(&alo);
            assert_eq!(texture(app.app.world(), &alo), None);
            app.settle();

            // A texture in the archive.
            games.update(way, "a.meg", &[(&**path, unit), (hull, image)]);
            let expected = format!("{prefix}{}", hull.to_lowercase());
            app.wait(&format!("{way:?} {id}"), |world| {
                texture(world, &alo).as_deref() == Some(&*expected)
            });

            // A clip in the folder.
            games.put(&format!("loose/{clip_path}"), clip);
            app.wait(&format!("{way:?} {id}"), |world| {
                let alos = world.resource::<Assets<Alo>>();
                alos.get(&alo).is_some_and(|alo| !alo.animations.is_empty())
            });
        }
    }
}
