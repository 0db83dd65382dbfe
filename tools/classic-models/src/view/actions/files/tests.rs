//! Opening files in an app without a GPU that is otherwise the viewer.

use super::{act_on_files, first_list, take_dropped};
use crate::paths::game::GameKind;
use crate::view::actions::action::Action;
use crate::view::camera::framing::Framing;
use crate::view::models::models_plugin;
use crate::view::models::viewed_model::ViewedModel;
use crate::view::open::args::{View, parse};
use crate::view::open::browser::{Browser, Place};
use crate::view::open::recent::Recent;
use crate::view::open::shown::Shown;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugins;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::quake::MdlInstance;
use classic_models_support::gpuless;
use std::path::{Path, PathBuf};

fn samples(path: &str) -> PathBuf {
    let samples = classic_models_support::samples();
    samples.canonicalize().unwrap().join(path)
}

/// The viewer without a model.
struct Viewer(App);

impl Viewer {
    fn new() -> Self {
        let Shown { args, folders, .. } = Shown::open(parse([""; 0])).unwrap();
        let mut app = App::new();
        folders.register(&mut app);
        app.add_plugins((
            gpuless::plugins(&folders.assets, false),
            ClassicModelsPlugins,
        ))
        .add_plugins(models_plugin)
        .insert_resource(Row::new(View::Iso, 1.8, false))
        .insert_resource(Framing::Done)
        .init_resource::<Browser>()
        .init_resource::<Recent>()
        .insert_resource(args)
        .add_message::<Action>()
        .add_message::<FileDragAndDrop>()
        .add_systems(Update, (take_dropped, act_on_files).chain());
        gpuless::finish(&mut app);
        Self(app)
    }

    fn act(&mut self, action: Action) {
        self.0.world_mut().write_message(action);
        gpuless::step(&mut self.0, 0.0);
    }

    /// Drops files on the window. Returns the actions of this frame.
    fn drop_files(&mut self, files: &[PathBuf]) -> Vec<Action> {
        let window = self.0.world_mut().spawn_empty().id();
        for path_buf in files.iter().cloned() {
            let drop = FileDragAndDrop::DroppedFile { window, path_buf };
            self.0.world_mut().write_message(drop);
        }
        let actions = self.0.world().resource::<Messages<Action>>();
        let mut cursor = actions.get_cursor_current();
        gpuless::step(&mut self.0, 0.0);
        let actions = self.0.world().resource::<Messages<Action>>();
        cursor.read(actions).cloned().collect()
    }

    fn browser(&self) -> &Browser {
        self.0.world().resource::<Browser>()
    }

    /// The labels of the listed files.
    fn listed(&self) -> Vec<&str> {
        let browser = self.browser();
        let entries = (0..browser.counts().1).filter_map(|index| browser.matching(index));
        entries.map(|entry| &*entry.label).collect()
    }

    /// The names of the shown models.
    fn shown(&self) -> Vec<&str> {
        let row = self.0.world().resource::<Row>();
        let models = row.models.iter();
        models
            .map(|model| &*self.0.world().get::<ViewedModel>(*model).unwrap().name)
            .collect()
    }

    fn selected(&self) -> usize {
        self.0.world().resource::<Row>().selected
    }

    /// Waits until the selected model has a component.
    #[track_caller]
    fn wait_for<C: Component>(&mut self) {
        let model = self.0.world().resource::<Row>().selected().unwrap();
        let is_spawned = gpuless::wait_until(&mut self.0, |world| world.get::<C>(model).is_some());
        let problem = &self.0.world().get::<ViewedModel>(model).unwrap().problem;
        assert!(is_spawned, "{problem:?}");
    }
}

#[test]
fn archives_are_opened_while_the_app_runs() {
    let mut viewer = Viewer::new();
    viewer.act(Action::Open(samples("archives")));
    assert_eq!(viewer.browser().place, Place::Folder);
    let listed = viewer.listed();
    // The folder is also that of a game.
    assert!(listed.contains(&GameKind::Aftermath.title()), "{listed:?}");
    assert!(listed.contains(&"pak0.pak"), "{listed:?}");
    viewer.act(Action::Open(samples("archives/pak0.pak")));
    assert_eq!(viewer.browser().place, Place::Archive);
    assert_eq!(viewer.listed(), ["crystal.mdl"]);
    viewer.act(Action::NextModel);
    assert_eq!(viewer.shown(), ["crystal.mdl"]);
    viewer.wait_for::<MdlInstance>();
    viewer.act(Action::BrowseUp);
    assert_eq!(viewer.browser().root, samples("archives"));
    let recent = viewer.0.world().resource::<Recent>().files();
    let latest = samples("archives/pak0.pak/progs/crystal.mdl");
    assert_eq!(recent, [latest, samples("archives/pak0.pak")]);
}

#[test]
fn folders_and_archives_of_the_command_line_are_listed() {
    for (place, file) in [
        ("archives/pak0.pak", "crystal.mdl"),
        ("models", "walker.alo"),
    ] {
        let path = samples(place).display().to_string();
        let args = [&*path];
        let shown = Shown::open(parse(args)).unwrap();
        assert!(shown.models.is_empty(), "{:?}", shown.models);
        let listed = shown.listed.as_deref();
        let browser = first_list(listed, &shown.models, &shown.folders).unwrap();
        assert_eq!(browser.root, samples(place));
        let mut entries = (0..browser.counts().1).filter_map(|index| browser.matching(index));
        assert!(entries.any(|entry| entry.label == file), "{place}");
        // An image is of all models in the folder. It needs models, not an archive.
        let args = parse([&args[..], &["--capture", "a.png"]].concat());
        let models = Shown::open(args).map_or(0, |shown| shown.models.len());
        assert_eq!(models > 1, place == "models", "{place}: {models}");
    }
    let [folder, model] = ["models", "archives/pak0.pak/progs/crystal.mdl"].map(samples);
    let args = [model.into_os_string(), folder.into_os_string()];
    let shown = Shown::open(parse(&args)).unwrap();
    assert_eq!((shown.models.len(), shown.listed.is_some()), (1, true));
    let args = [&args[..], &[samples("archives").into_os_string()]].concat();
    let error = Shown::open(parse(args)).err().unwrap();
    assert!(error.contains("only one folder or archive"), "{error}");
}

#[test]
fn the_list_follows_opened_files() {
    let mut viewer = Viewer::new();
    viewer.act(Action::Open(samples("archives/pak0.pak")));
    let model = samples("models/crystal.mdl");
    viewer.act(Action::Add(model.clone()));
    assert_eq!(viewer.browser().root, samples("archives/pak0.pak"));
    viewer.act(Action::Open(model.clone()));
    assert_eq!(viewer.browser().root, samples("models"));
    assert!(viewer.browser().is_opened(&model));
    viewer.act(Action::Open(
        samples("archives/pak0.pak").join("progs/crystal.mdl"),
    ));
    assert_eq!(viewer.browser().root, samples("archives/pak0.pak"));
    assert_eq!(viewer.shown(), ["crystal.mdl"]);
}

#[test]
fn games_are_opened_while_the_app_runs() {
    let mut viewer = Viewer::new();
    let folder = samples("archives");
    viewer.act(Action::OpenGame(GameKind::Aftermath, folder));
    assert_eq!(viewer.browser().place, Place::Game);
    assert_eq!(viewer.listed(), ["courier.lgw"]);
    viewer.act(Action::PreviousModel);
    viewer.wait_for::<LgwInstance>();
    viewer.act(Action::BrowseUp);
    assert_eq!(viewer.browser().place, Place::Folder);
    // A folder without the files of the game.
    viewer.act(Action::OpenGame(GameKind::Quake, samples("skins")));
    assert_eq!(viewer.browser().place, Place::Folder);
}

#[test]
fn models_are_added_selected_and_closed() {
    let mut viewer = Viewer::new();
    for name in ["crystal.mdl", "sentry.mdl", "brazier.mdl"] {
        viewer.act(Action::Add(samples("models").join(name)));
    }
    assert_eq!(viewer.selected(), 2);
    viewer.act(Action::NextModel);
    assert_eq!(viewer.selected(), 0);
    viewer.act(Action::PreviousModel);
    viewer.act(Action::PreviousModel);
    assert_eq!(viewer.selected(), 1);
    viewer.act(Action::Close(0));
    assert_eq!(viewer.shown(), ["sentry.mdl", "brazier.mdl"]);
    assert_eq!(viewer.selected(), 0);
    viewer.act(Action::Close(5));
    viewer.act(Action::Open(samples("models/crystal.mdl")));
    assert_eq!(viewer.shown(), ["crystal.mdl"]);
    viewer.wait_for::<MdlInstance>();
    viewer.act(Action::Close(0));
    assert!(viewer.shown().is_empty());
}

#[test]
fn dropped_files_are_opened_beside_the_others() {
    let mut viewer = Viewer::new();
    let model = |name: &str| samples("models").join(name);
    viewer.drop_files(&[model("crystal.mdl"), model("sentry.mdl")]);
    assert_eq!(viewer.shown(), ["crystal.mdl", "sentry.mdl"]);
    viewer.wait_for::<MdlInstance>();
    let hovered = FileDragAndDrop::HoveredFile {
        window: viewer.0.world_mut().spawn_empty().id(),
        path_buf: model("brazier.mdl"),
    };
    viewer.0.world_mut().write_message(hovered);
    gpuless::step(&mut viewer.0, 0.0);
    assert_eq!(viewer.shown().len(), 2, "it is not dropped yet");
    // Folders and archives are listed, and the models stay.
    viewer.drop_files(&[samples("models")]);
    assert_eq!(viewer.browser().place, Place::Folder);
    viewer.drop_files(&[samples("archives/warden.rez")]);
    assert_eq!(viewer.listed(), ["warden.abc"]);
    assert_eq!(viewer.shown(), ["crystal.mdl", "sentry.mdl"]);
    // A texture becomes a skin, and an animation waits for its model.
    let skin = samples("skins/warden.dtx");
    let actions = viewer.drop_files(std::slice::from_ref(&skin));
    assert!(actions.contains(&Action::SkinFile(skin)), "{actions:?}");
    viewer.drop_files(&[model("walker_MOVE_00.ala"), PathBuf::from("/no/such/file")]);
    assert_eq!(viewer.shown(), ["crystal.mdl", "sentry.mdl"]);
    viewer.drop_files(&[model("walker.alo")]);
    assert_eq!(viewer.shown(), ["crystal.mdl", "sentry.mdl", "walker.alo"]);
    viewer.wait_for::<AloInstance>();
}

#[test]
fn files_that_cannot_be_opened_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.pak");
    std::fs::write(&broken, "PACK").unwrap();
    let text = folder.path().join("notes.txt");
    std::fs::write(&text, "notes").unwrap();
    let mut viewer = Viewer::new();
    viewer.act(Action::Open(samples("models/crystal.mdl")));
    for path in [
        &broken,
        &text,
        &broken.join("a.mdl"),
        Path::new("/no/such/folder"),
    ] {
        viewer.act(Action::Open(path.to_path_buf()));
        assert_eq!(viewer.shown(), ["crystal.mdl"], "{path:?}");
    }
}
