//! Every kind of file × every kind of edit × every format: what is spawned follows, and keeps what was chosen
//! about it in every frame. Once in a folder, seen by the real watcher, and once in memory.

use crate::gpuless;
use crate::reload_subjects::{Format, Kind, PLACEHOLDER};
use crate::support::log;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long edits may take to be seen. The watcher waits for 0.3 s.
const PATIENCE: Duration = Duration::from_secs(20);

/// After which nothing more comes of an edit.
const QUIET: Duration = Duration::from_millis(800);

/// What is done to a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Act {
    /// It is written to, from its beginning.
    Write(u8),
    /// It is written to, but only half of it.
    WriteHalf(u8),
    /// It is written to, and is no file of its kind.
    WriteNonsense,
    Remove,
    /// It is removed, and written at once.
    Replace(u8),
    /// A file of its folder that was there before is renamed to it.
    RenameInside(u8),
    /// A file from elsewhere is renamed to it.
    RenameFromOutside(u8),
    /// It is renamed to a name that nobody knows, and written: so do some editors.
    BackUp(u8),
    /// It is written in a folder that is looked into earlier.
    WriteNearer(u8),
}

/// An act, the version that shows when it is seen, and how many errors it is.
type Step = (Act, u8, usize);

/// A way to edit.
struct Edit {
    name: &'static str,
    /// The version that is there at first, if any.
    first: Option<u8>,
    steps: Vec<Step>,
    kinds: &'static [Kind],
}

const ALL: &[Kind] = &[
    Kind::Model,
    Kind::Meta,
    Kind::Picture,
    Kind::PictureMeta,
    Kind::Animation,
    Kind::Palette,
];
const FILES: &[Kind] = &[Kind::Model, Kind::Picture, Kind::Animation, Kind::Palette];
const WISHED: &[Kind] = &[Kind::Picture, Kind::Animation, Kind::Palette];
const METAS: &[Kind] = &[Kind::Meta, Kind::PictureMeta];

fn edits() -> Vec<Edit> {
    use Act::*;
    let edit = |name, first, steps: &[Step], kinds| Edit {
        name,
        first,
        steps: steps.to_vec(),
        kinds,
    };
    vec![
        edit("touched", Some(1), &[(Write(1), 1, 0)], ALL),
        edit("written to", Some(1), &[(Write(2), 2, 0)], ALL),
        edit("replaced", Some(1), &[(Replace(2), 2, 0)], ALL),
        edit("renamed inside", Some(1), &[(RenameInside(2), 2, 0)], ALL),
        edit(
            "renamed from outside",
            Some(1),
            &[(RenameFromOutside(2), 2, 0)],
            ALL,
        ),
        edit("backed up", Some(1), &[(BackUp(2), 2, 0)], ALL),
        edit(
            "in two halves",
            Some(1),
            &[(WriteHalf(2), 1, 1), (Write(2), 2, 0)],
            ALL,
        ),
        edit(
            "broken",
            Some(1),
            &[(WriteNonsense, 1, 1), (Write(2), 2, 0)],
            ALL,
        ),
        edit(
            "deleted",
            Some(1),
            &[(Remove, 1, 0), (Write(2), 2, 0)],
            FILES,
        ),
        edit(
            "deleted, renamed",
            Some(1),
            &[(Remove, 1, 0), (RenameInside(2), 2, 0)],
            FILES,
        ),
        // Without one everything is as by default.
        edit(
            "deleted",
            Some(2),
            &[(Remove, 1, 0), (Write(2), 2, 0)],
            METAS,
        ),
        edit("comes", None, &[(Write(2), 2, 0)], METAS),
        edit("comes", None, &[(Write(2), 2, 0), (Write(3), 3, 0)], WISHED),
        edit(
            "comes by renaming",
            None,
            &[(RenameInside(2), 2, 0)],
            WISHED,
        ),
        edit(
            "comes from outside",
            None,
            &[(RenameFromOutside(2), 2, 0)],
            WISHED,
        ),
        edit(
            "comes nearer",
            Some(1),
            &[(WriteNearer(2), 2, 0)],
            &[Kind::Picture],
        ),
    ]
}

/// One place in the table.
struct Cell {
    name: String,
    format: Format,
    kind: Kind,
    first: Option<u8>,
    steps: Vec<Step>,
    /// The model's folder, from the root.
    folder: String,
    root: Entity,
    /// The version that shows.
    shown: u8,
    /// What went wrong.
    flaws: Vec<String>,
    errors: usize,
}

impl Cell {
    /// Of some edits; the log is all tests', so that files need names of their own.
    fn all(test: &str, is_meant: impl Fn(&Edit) -> bool) -> Vec<Self> {
        let mut cells = Vec::new();
        for edit in edits().iter().filter(|edit| is_meant(edit)) {
            for format in [Format::Mdl, Format::Alo, Format::Abc, Format::Lgw] {
                let kinds = format.kinds().iter().copied();
                for kind in kinds.filter(|kind| edit.kinds.contains(kind)) {
                    let name = format!("{format:?} {kind:?} {}", edit.name);
                    cells.push(Self {
                        folder: format!("{test}-{}/Models", name.replace([' ', ','], "-")),
                        name,
                        format,
                        kind,
                        first: edit.first,
                        steps: edit.steps.clone(),
                        root: Entity::PLACEHOLDER,
                        shown: edit.first.unwrap_or(match kind {
                            Kind::Meta | Kind::PictureMeta => 1,
                            Kind::Picture if format != Format::Abc => PLACEHOLDER,
                            // A plain skin, no clip, the game's palette.
                            Kind::Picture => 7,
                            _ => 0,
                        }),
                        flaws: Vec::new(),
                        errors: 0,
                    });
                }
            }
        }
        cells
    }

    fn path(&self, kind: Kind) -> String {
        format!("{}/{}", self.folder, self.format.file(kind))
    }

    fn model(&self) -> String {
        self.path(Kind::Model)
    }

    /// Whether the file is in the folder that is looked into second.
    fn is_far(&self) -> bool {
        matches!(self.steps[0].0, Act::WriteNearer(_))
    }

    /// All files that are there before anything is edited.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for kind in self.format.kinds() {
            let version = match kind {
                _ if *kind == self.kind => self.first,
                Kind::Meta | Kind::PictureMeta => None,
                _ => Some(1),
            };
            let path = match *kind == self.kind && self.is_far() {
                true => self.path(*kind).replace("/Models/", "/Textures/"),
                false => self.path(*kind),
            };
            let file = version.map(|version| (path, self.format.contents(*kind, version)));
            files.extend(file);
        }
        if self.format == Format::Abc {
            let plain = crate::support::abc_stage::dtx(&[[7, 9, 9, 255]; 64]);
            files.push((format!("{}/plain.dtx", self.folder), plain));
        }
        files
    }

    /// Looks at what shows in this frame.
    fn look(&mut self, world: &World, expected: u8) -> bool {
        if let Err(flaw) = self.format.keeps(world, self.root) {
            self.flaws.push(format!("in some frame it is {flaw}"));
        }
        let shown = self.format.shown(world, self.root, self.kind);
        if shown != Some(self.shown) && shown != Some(expected) {
            self.flaws.push(format!("in some frame it shows {shown:?}"));
        }
        shown == Some(expected)
    }

    /// How many different errors there are about the cell's files.
    fn count_errors(&self) -> usize {
        let folder = &self.folder;
        let mut errors = log::errors_of(&["bevy_asset", "bevy_classic_models"]);
        errors.retain(|error| error.contains(folder.as_str()));
        errors.sort();
        errors.dedup();
        errors.len()
    }
}

/// Where the files are.
enum Disk {
    Folder { root: TempDir, outside: TempDir },
    Memory(Dir),
}

impl Disk {
    fn put(&self, path: &str, bytes: &[u8]) {
        match self {
            Self::Folder { root, .. } => put(&root.path().join(path), bytes),
            Self::Memory(files) => match path.strip_suffix(".meta") {
                Some(path) => files.insert_meta(Path::new(path), bytes.to_vec()),
                None => files.insert_asset(Path::new(path), bytes.to_vec()),
            },
        }
    }

    fn remove(&self, path: &str) {
        match self {
            Self::Folder { root, .. } => std::fs::remove_file(root.path().join(path)).unwrap(),
            Self::Memory(files) => {
                let _ = match path.strip_suffix(".meta") {
                    Some(path) => files.remove_metadata(Path::new(path)),
                    None => files.remove_asset(Path::new(path)),
                };
            }
        }
    }

    /// Puts a file beside another, to be renamed later.
    fn prepare(&self, cell: &Cell) {
        let Self::Folder { root, outside } = self else {
            return;
        };
        for (act, ..) in &cell.steps {
            let (folder, version) = match act {
                Act::RenameInside(version) => (root.path(), version),
                Act::RenameFromOutside(version) => (outside.path(), version),
                _ => continue,
            };
            // Bevy takes what ends in `.meta` for what it says.
            let end = if METAS.contains(&cell.kind) {
                ".meta"
            } else {
                ""
            };
            let path = folder.join(&cell.folder).join(format!("saved{end}"));
            put(&path, &cell.format.contents(cell.kind, *version));
        }
    }

    fn act(&self, cell: &Cell, act: Act) {
        let path = cell.path(cell.kind);
        let contents = |version| cell.format.contents(cell.kind, version);
        let end = if METAS.contains(&cell.kind) {
            ".meta"
        } else {
            ""
        };
        let rename = |from: &Path, version| match self {
            Self::Folder { root, .. } => {
                let from = from.join(&cell.folder).join(format!("saved{end}"));
                std::fs::rename(from, root.path().join(&path)).unwrap();
            }
            Self::Memory(_) => self.put(&path, &contents(version)),
        };
        match act {
            Act::Write(version) | Act::WriteNearer(version) => self.put(&path, &contents(version)),
            Act::WriteHalf(version) => {
                let whole = contents(version);
                self.put(&path, &whole[..whole.len() / 2]);
            }
            Act::WriteNonsense => self.put(&path, b"nonsense"),
            Act::Remove => self.remove(&path),
            Act::Replace(version) => {
                self.remove(&path);
                self.put(&path, &contents(version));
            }
            Act::BackUp(version) => {
                if let Self::Folder { root, .. } = self {
                    let place = root.path().join(&path);
                    let backup = root.path().join(&cell.folder).join(format!("backup{end}"));
                    std::fs::rename(place, backup).unwrap();
                }
                self.put(&path, &contents(version));
            }
            Act::RenameInside(version) => rename(self.root(), version),
            Act::RenameFromOutside(version) => rename(self.outside(), version),
        }
    }

    fn root(&self) -> &Path {
        match self {
            Self::Folder { root, .. } => root.path(),
            Self::Memory(_) => Path::new(""),
        }
    }

    fn outside(&self) -> &Path {
        match self {
            Self::Folder { outside, .. } => outside.path(),
            Self::Memory(_) => Path::new(""),
        }
    }
}

fn put(path: &PathBuf, bytes: &[u8]) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// An app in which all cells are spawned.
struct Table {
    app: App,
    disk: Disk,
    cells: Vec<Cell>,
    /// Settings are the handles' of the models themselves, and Bevy loads anew what somebody holds.
    _models: Vec<UntypedHandle>,
}

impl Table {
    fn new(mut cells: Vec<Cell>, disk: Disk) -> Self {
        log::listen();
        for cell in &cells {
            for (path, bytes) in cell.files() {
                disk.put(&path, &bytes);
            }
            disk.prepare(cell);
        }
        let mut app = App::new();
        if let Disk::Memory(files) = &disk {
            let root = files.clone();
            let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
                Box::new(MemoryAssetReader { root: root.clone() })
            };
            app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader));
        }
        // In memory there is nothing to watch, but Bevy loads anew what has only labels left.
        app.add_plugins(gpuless::plugins(disk.root(), true))
            .add_plugins(ClassicModelsPlugin::default());
        gpuless::finish(&mut app);
        let server = app.world().resource::<AssetServer>().clone();
        let load = |cell: &Cell| cell.format.load(&server, cell.model());
        let models: Vec<UntypedHandle> = cells.iter().map(load).collect();
        let are_loaded = |_: &mut World| {
            let mut models = models.iter();
            models.all(|model| server.is_loaded_with_dependencies(model))
        };
        assert!(gpuless::wait_until(&mut app, are_loaded), "loading");
        for cell in &mut cells {
            cell.root = cell.format.spawn(app.world_mut(), &cell.model());
        }
        let are_there = |world: &mut World| {
            let mut cells = cells.iter();
            cells.all(|cell| cell.format.is_settled(world, cell.root))
        };
        if !gpuless::wait_until(&mut app, are_there) {
            let kept = |cell: &Cell| cell.format.keeps(app.world(), cell.root);
            let kept = cells.iter().map(|cell| (&cell.name, kept(cell)));
            panic!(
                "{:#?}",
                kept.filter(|(_, kept)| kept.is_err()).collect::<Vec<_>>()
            );
        }
        Self {
            app,
            disk,
            cells,
            _models: models,
        }
    }

    /// All cells' steps, each at the same time.
    fn run(mut self) {
        let most = self.cells.iter().map(|cell| cell.steps.len()).max();
        for number in 0..most.unwrap_or(0) {
            self.step(number);
        }
        let mut flawed = 0;
        for cell in &mut self.cells {
            cell.flaws.dedup();
            let is_good = cell.flaws.is_empty();
            flawed += usize::from(!is_good);
            let verdict = if is_good { "follows" } else { "DOES NOT" };
            println!("{:40} {verdict} {}", cell.name, cell.flaws.join("; "));
        }
        assert_eq!(flawed, 0, "of {} cells", self.cells.len());
    }

    fn step(&mut self, number: usize) {
        for cell in &mut self.cells {
            cell.errors = cell.count_errors();
            if let Some((act, ..)) = cell.steps.get(number) {
                self.disk.act(cell, *act);
            }
        }
        self.reload(number);
        let begun = Instant::now();
        let mut quiet_since = None;
        loop {
            gpuless::step(&mut self.app, 0.0);
            std::thread::sleep(Duration::from_millis(2));
            let world = self.app.world();
            let mut are_done = true;
            for cell in &mut self.cells {
                let Some((_, expected, errors)) = cell.steps.get(number).copied() else {
                    continue;
                };
                are_done &= cell.look(world, expected);
                are_done &= errors == 0 || cell.count_errors() > cell.errors;
            }
            let quiet_since = quiet_since.get_or_insert_with(Instant::now);
            if !are_done {
                *quiet_since = Instant::now();
            }
            if quiet_since.elapsed() > QUIET || begun.elapsed() > PATIENCE {
                break;
            }
        }
        self.conclude(number);
    }

    /// In memory nobody watches.
    fn reload(&self, number: usize) {
        if !matches!(self.disk, Disk::Memory(_)) {
            return;
        }
        let server = self.app.world().resource::<AssetServer>();
        for cell in &self.cells {
            let Some((act, ..)) = cell.steps.get(number) else {
                continue;
            };
            let path = cell.path(cell.kind);
            let path = path.strip_suffix(".meta").unwrap_or(&path).to_owned();
            match cell.kind {
                _ if *act == Act::Remove && !METAS.contains(&cell.kind) => {}
                Kind::Palette => server.reload(cell.model()),
                _ if cell.first.is_none() && !METAS.contains(&cell.kind) => {
                    server.reload(path);
                    server.reload(cell.model());
                }
                _ => server.reload(path),
            }
        }
    }

    fn conclude(&mut self, number: usize) {
        for cell in &mut self.cells {
            let Some((act, expected, errors)) = cell.steps.get(number).copied() else {
                continue;
            };
            let shown = cell.format.shown(self.app.world(), cell.root, cell.kind);
            if shown != Some(expected) {
                cell.flaws.push(format!("{shown:?} after {act:?}"));
            }
            let found = cell.count_errors() - cell.errors;
            if found != errors {
                cell.flaws.push(format!("{found} errors of {act:?}"));
            }
            cell.shown = expected;
        }
    }
}

#[test]
fn every_edit_of_every_file_in_a_folder_is_followed() {
    let [root, outside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    Table::new(Cell::all("saved", |_| true), Disk::Folder { root, outside }).run();
}

#[test]
fn every_edit_of_every_file_in_memory_is_followed() {
    // Without a watcher a way to save is as good as another, and what comes nearer is not known.
    let is_meant = |edit: &Edit| {
        let act = edit.steps[0].0;
        matches!(
            act,
            Act::Write(_) | Act::WriteHalf(_) | Act::WriteNonsense | Act::Remove
        )
    };
    let files = Disk::Memory(Dir::default());
    Table::new(Cell::all("kept", is_meant), files).run();
}
