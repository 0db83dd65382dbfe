//! Every kind of file × every kind of edit × every format: what is spawned follows, and keeps what was chosen
//! about it in every frame. Once in a folder, seen by the real watcher, and once in memory.

use crate::gpuless;
use crate::reload_matrix::disk::Disk;
use crate::reload_matrix::edits::{Act, Edit, METAS, Step, edits};
use crate::reload_matrix::subjects::{Format, Kind};
use crate::support::loads::Loads;
use crate::support::log;
use bevy::asset::io::memory::Dir;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::collections::HashSet;

/// Turns of the task pool without anything new after which nothing more is expected of an edit.
const PATIENCE: usize = 10_000;

/// Modules whose errors are told apart by cells.
const MODULES: &[&str] = &["bevy_asset", "bevy_classic_models"];

const FORMATS: [Format; 7] = [
    Format::Mdl,
    Format::Alo,
    Format::Abc,
    Format::Lgw,
    Format::Manifest,
    Format::ManifestOfAbc,
    Format::ManifestOfLgw,
];

/// One place in the table.
pub struct Cell {
    name: String,
    pub format: Format,
    pub kind: Kind,
    first: Option<u8>,
    pub steps: Vec<Step>,
    /// The model's folder, from the root.
    pub folder: String,
    root: Entity,
    /// The version that shows.
    shown: u8,
    /// What went wrong.
    flaws: Vec<String>,
    /// The errors about the cell's files so far, and how many they were before the last edit.
    errors: HashSet<String>,
    errors_before: usize,
    /// Whether what was waited for has been seen.
    is_done: bool,
}

impl Cell {
    /// Of some edits; the log is all tests', so that files need names of their own.
    fn all(test: &str, is_meant: impl Fn(&Edit) -> bool) -> Vec<Self> {
        let mut cells = Vec::new();
        for edit in edits().iter().filter(|edit| is_meant(edit)) {
            for format in FORMATS {
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
                        shown: edit.first.unwrap_or_else(|| format.shown_without(kind)),
                        flaws: Vec::new(),
                        errors: HashSet::new(),
                        errors_before: 0,
                        is_done: false,
                    });
                }
            }
        }
        cells
    }

    pub fn path(&self, kind: Kind) -> String {
        format!("{}/{}", self.folder, self.format.file(kind))
    }

    fn model(&self) -> String {
        self.path(self.format.opened())
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
                true => {
                    let second = format!("/{}/", self.format.second_folder());
                    self.path(*kind).replace("/Models/", &second)
                }
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

    /// Why not everything shows that is there.
    fn unsettled(&self, world: &World) -> Option<String> {
        if let Err(flaw) = self.format.keeps(world, self.root) {
            return Some(flaw);
        }
        let is_there = |kind: &&Kind| match self.kind {
            // Both say how large the model is.
            Kind::Meta => **kind != Kind::Manifest,
            other => self.first.is_some() || !self.format.needs(**kind, other),
        };
        let mut kinds = self.format.kinds().iter().filter(is_there);
        kinds.find_map(|kind| {
            let shown = self.format.shown(world, self.root, *kind);
            let expected = if *kind == self.kind { self.shown } else { 1 };
            (shown != Some(expected)).then(|| format!("{kind:?} shows {shown:?}"))
        })
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

    /// How many different errors the last edit has caused.
    fn new_errors(&self) -> usize {
        self.errors.len() - self.errors_before
    }
}

/// An app in which all cells are spawned.
struct Table {
    app: App,
    loads: Loads,
    disk: Disk,
    cells: Vec<Cell>,
    log: log::NewErrors,
    /// Settings are the handles' of the models themselves, and Bevy loads anew what somebody holds.
    _models: Vec<UntypedHandle>,
}

impl Table {
    fn new(mut cells: Vec<Cell>, disk: Disk) -> Self {
        log::listen();
        let log = log::NewErrors::of(MODULES);
        for cell in &cells {
            for (path, bytes) in cell.files() {
                disk.put(&path, &bytes);
            }
            disk.prepare(cell);
        }
        let mut app = App::new();
        let loads = match &disk {
            Disk::Memory(files) => Loads::from_memory(&mut app, files),
            Disk::Folder { root, .. } => Loads::from_folder(&mut app, root.path(), true),
        };
        // In memory there is nothing to watch, but Bevy loads anew what has only labels left.
        app.add_plugins(gpuless::plugins(disk.root(), true))
            .add_plugins(ClassicModelsPlugins);
        gpuless::finish(&mut app);
        let server = app.world().resource::<AssetServer>().clone();
        let load = |cell: &Cell| cell.format.load(&server, cell.model());
        let models: Vec<UntypedHandle> = cells.iter().map(load).collect();
        // A manifest that names a file which comes later is loaded, but not all that it names.
        let is_ready = |(cell, model): (&Cell, &UntypedHandle)| match cell.first {
            Some(_) => server.is_loaded_with_dependencies(model),
            None => {
                let state = server.recursive_dependency_load_state(model);
                server.is_loaded(model) && (state.is_loaded() || state.is_failed())
            }
        };
        let are_loaded = |_: &mut World| cells.iter().zip(&models).all(is_ready);
        assert!(gpuless::wait_until(&mut app, are_loaded), "loading");
        for cell in &mut cells {
            cell.root = cell.format.spawn(app.world_mut(), &cell.model());
        }
        let is_settled =
            |world: &mut World| cells.iter().all(|cell| cell.unsettled(world).is_none());
        if !gpuless::wait_until(&mut app, is_settled) {
            let of = |cell: &Cell| Some((cell.name.clone(), cell.unsettled(app.world())?));
            panic!("{:#?}", cells.iter().filter_map(of).collect::<Vec<_>>());
        }
        for cell in &cells {
            cell.format.change(app.world_mut(), cell.root);
        }
        Self {
            app,
            loads,
            disk,
            cells,
            log,
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
        sort_errors(&mut self.cells, &mut self.log);
        for cell in &mut self.cells {
            cell.errors_before = cell.errors.len();
            cell.is_done = false;
            if let Some((act, ..)) = cell.steps.get(number) {
                self.disk.act(cell, *act);
            }
        }
        self.reload(number);
        self.wait_until_done(number);
        // What the edits have caused besides.
        let (cells, log) = (&mut self.cells, &mut self.log);
        self.loads.run_until_idle(&mut self.app, 0.0, |world| {
            look(cells, log, world, number);
            false
        });
        self.conclude(number);
    }

    /// Waits until all cells show what the step leads to, or until none has for long.
    fn wait_until_done(&mut self, number: usize) {
        let mut patience = gpuless::Patience::new(PATIENCE);
        while !patience.is_exhausted() {
            gpuless::step(&mut self.app, 0.0);
            let world = self.app.world();
            let (is_new, are_all_done) = look(&mut self.cells, &mut self.log, world, number);
            if are_all_done {
                return;
            }
            if is_new {
                patience.reset();
            }
            patience.wait();
        }
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
                _ if cell.first.is_none() && !METAS.contains(&cell.kind) => {
                    server.reload(path);
                    server.reload(cell.path(cell.format.seeker(cell.kind)));
                    if cell.kind == Kind::Palette && number > 0 {
                        server.reload(cell.path(cell.format.colored()));
                    }
                }
                Kind::Palette => server.reload(cell.path(cell.format.colored())),
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
            let found = cell.new_errors();
            if found != errors {
                cell.flaws.push(format!("{found} errors of {act:?}"));
            }
            cell.shown = expected;
        }
    }
}

/// Gives each cell the new errors about its files.
fn sort_errors(cells: &mut [Cell], log: &mut log::NewErrors) {
    for mut error in log.take() {
        // Bevy may tell from where it comes.
        error.truncate(error.find('\n').unwrap_or(error.len()));
        let mut cells = cells.iter_mut();
        if let Some(cell) = cells.find(|cell| error.contains(&cell.folder)) {
            cell.errors.insert(error);
        }
    }
}

/// Looks at all cells in this frame. Whether something is seen that was not before, and whether all is that the step
/// leads to.
fn look(
    cells: &mut [Cell],
    log: &mut log::NewErrors,
    world: &World,
    number: usize,
) -> (bool, bool) {
    sort_errors(cells, log);
    let (mut is_new, mut are_all_done) = (false, true);
    for cell in cells {
        let Some((_, expected, errors)) = cell.steps.get(number).copied() else {
            continue;
        };
        let is_shown = cell.look(world, expected);
        let is_done = is_shown && cell.new_errors() >= errors;
        is_new |= is_done && !cell.is_done;
        cell.is_done = is_done;
        are_all_done &= is_done;
    }
    (is_new, are_all_done)
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
