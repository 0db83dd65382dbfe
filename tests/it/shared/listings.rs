//! Files added, renamed and removed in folders whose listing loads share.

use crate::support::prelude::*;
use crate::support::sample_files::wall;

/// An asset source, and whether Bevy watches it.
enum Source {
    Memory(Dir),
    Folder { root: TempDir, is_watched: bool },
}

impl Source {
    fn all() -> [Self; 3] {
        let folder = |is_watched| Self::Folder {
            root: tempfile::tempdir().unwrap(),
            is_watched,
        };
        [Self::Memory(Dir::default()), folder(false), folder(true)]
    }

    fn add(&self, path: &str, bytes: Vec<u8>) {
        match self {
            Self::Memory(files) => files.insert_asset(Path::new(path), bytes),
            Self::Folder { root, .. } => {
                let path = root.path().join(path);
                std::fs::create_dir_all(path.parent().unwrap()).unwrap();
                std::fs::write(path, bytes).unwrap();
            }
        }
    }

    fn rename(&self, from: &str, to: &str) {
        match self {
            Self::Memory(files) => {
                let file = files.remove_asset(Path::new(from)).unwrap();
                files.insert_asset(Path::new(to), file.value().to_vec());
            }
            Self::Folder { root, .. } => {
                std::fs::rename(root.path().join(from), root.path().join(to)).unwrap();
            }
        }
    }

    fn remove(&self, path: &str) {
        match self {
            Self::Memory(files) => assert!(files.remove_asset(Path::new(path)).is_some()),
            Self::Folder { root, .. } => std::fs::remove_file(root.path().join(path)).unwrap(),
        }
    }

    fn app(&self) -> TestApp {
        let mut app = App::new();
        let plugins = match self {
            Self::Memory(files) => {
                let root = files.clone();
                let reader = move || Box::new(MemoryAssetReader { root: root.clone() }) as Box<_>;
                app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
                gpuless::plugins(Path::new("unused"), false)
            }
            Self::Folder { root, is_watched } => gpuless::plugins(root.path(), *is_watched),
        };
        TestApp::with_sources(app, plugins)
    }
}

/// The path of a model's texture, if it was found.
fn texture_path(world: &World, model: &Handle<Lgw>) -> Option<String> {
    let model = world.resource::<Assets<Lgw>>().get(model)?;
    let materials = world.resource::<Assets<LgwMaterial>>();
    let material = materials.get(&model.materials[0].material)?;
    let path = material.textures[0].as_ref()?.path()?;
    Some(path.without_label().to_string())
}

#[test]
fn changes_in_large_folders_are_found() {
    for source in Source::all() {
        let image = || tga(&quarters([255; 4]));
        for index in 0..300 {
            source.add(&format!("many/{index}.dat"), vec![0]);
        }
        for name in ["first", "added", "renamed", "removed"] {
            let model = wall(&format!("{name}.TGA"));
            source.add(&format!("many/{name}.lgw"), model.into());
        }
        for name in ["first", "renamed", "removed"] {
            source.add(&format!("many/{name}.tga"), image());
        }
        let mut app = source.app();
        let first = app.load::<Lgw>("many/first.lgw");
        app.wait_loaded(&first);
        assert!(texture_path(app.world(), &first).is_some());

        // Folders in memory are listed again after a frame in which no model was loading.
        app.app.update();
        app.app.update();
        // All names differ from the models' in case, and none of the models was loaded before.
        source.add("many/Added.Tga", image());
        source.rename("many/renamed.tga", "many/Renamed.Tga");
        source.remove("many/removed.tga");
        let load = |app: &mut TestApp, name: &str| app.load::<Lgw>(format!("many/{name}.lgw"));
        let [added, renamed, removed] =
            ["added", "renamed", "removed"].map(|name| load(&mut app, name));
        for (model, expected) in [
            (&added, Some("many/Added.Tga")),
            (&renamed, Some("many/Renamed.Tga")),
            (&removed, None),
        ] {
            app.wait_loaded(model);
            let is_found = |world: &mut World| texture_path(world, model).as_deref() == expected;
            app.wait(&format!("{expected:?}"), is_found);
        }

        // A reload does not reuse the listing of the previous load.
        source.rename("many/Renamed.Tga", "many/RENAMED.TGA");
        app.reload("many/renamed.lgw");
        let is_found = |world: &mut World| {
            texture_path(world, &renamed).as_deref() == Some("many/RENAMED.TGA")
        };
        app.wait_until(is_found);
    }
}
