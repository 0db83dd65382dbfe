//! Every kind of file × every kind of edit × every format: instances apply the edit, and keep their components in every
//! frame. Tested in a folder with Bevy's file watcher, in archives with a folder above them, and in memory.

use crate::reload_matrix::disk::{Archives, Disk};
use crate::reload_matrix::edits::{Edit, FileChange, METAS, Step, archive_edits, edits};
use crate::reload_matrix::subjects::{Format, Kind};
use crate::support::archives;
use crate::support::prelude::*;

/// Turns of the task pool without progress after which the test stops waiting for an edit.
const PATIENCE: usize = 10_000;

/// The end of the warning about an archive that is not complete.
const INCOMPLETE: &str = "the files of the archive stay as they were";

/// Modules whose errors are counted for the cells.
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

/// One combination of format, kind of file, and edit.
pub struct Cell {
    name: String,
    pub format: Format,
    pub kind: Kind,
    /// The initial version of the file; none if there is no file at first.
    pub first: Option<u8>,
    /// The extension of the cell's archive, if files are in archives.
    pub archive: &'static str,
    pub steps: Vec<Step>,
    /// The model's folder, from the root.
    pub folder: String,
    root: Entity,
    /// The version that the model shows.
    shown: u8,
    /// Messages about failed expectations.
    failures: Vec<String>,
    /// The errors about the cell's files so far.
    errors: HashSet<String>,
    /// The count of errors before the last edit.
    errors_before: usize,
    /// Whether a warning has named the cell's archive since the last edit.
    is_incomplete: bool,
    /// Whether the expected result of the step was reached.
    is_done: bool,
}

impl Cell {
    /// The cells of the edits that pass a filter. `test` makes file names unique, because all tests share the log.
    fn all(test: &str, filter: impl Fn(&Edit) -> bool) -> Vec<Self> {
        let mut cells = Vec::new();
        for edit in edits().iter().filter(|edit| filter(edit)) {
            for format in FORMATS {
                cells.extend(Self::of_edit(edit, format));
            }
        }
        for cell in &mut cells {
            cell.folder = format!("{test}-{}/Models", cell.name.replace([' ', ','], "-"));
        }
        cells
    }

    /// The cells of a format in archives, which are of all formats. Some have short paths only.
    fn in_archives(format: Format) -> Vec<Self> {
        let edits = archive_edits();
        let cells = edits.iter().flat_map(|edit| Self::of_edit(edit, format));
        let mut cells: Vec<Self> = cells.collect();
        let formats = archives::FORMATS.into_iter().cycle();
        for ((index, cell), archive) in cells.iter_mut().enumerate().zip(formats) {
            cell.folder = format!("packed-{format:?}-{index}/models");
            cell.archive = archive;
        }
        cells
    }

    /// The cells of an edit, without folders.
    fn of_edit(edit: &Edit, format: Format) -> impl Iterator<Item = Self> {
        let kinds = format.kinds().iter().copied();
        let kinds = kinds.filter(|kind| edit.kinds.contains(kind));
        kinds.map(move |kind| Self {
            name: format!("{format:?} {kind:?} {}", edit.name),
            format,
            kind,
            first: edit.first,
            archive: "",
            steps: edit.steps.clone(),
            folder: String::new(),
            root: Entity::PLACEHOLDER,
            shown: edit.first.unwrap_or_else(|| format.shown_without(kind)),
            failures: Vec::new(),
            errors: HashSet::new(),
            errors_before: 0,
            is_incomplete: false,
            is_done: false,
        })
    }

    pub fn path(&self, kind: Kind) -> String {
        format!("{}/{}", self.folder, self.format.file(kind))
    }

    fn model(&self) -> String {
        self.path(self.format.spawned_kind())
    }

    /// Whether the file is in the folder that is searched second.
    fn is_in_second_folder(&self) -> bool {
        matches!(self.steps[0].0, FileChange::WriteInFirstFolder(_))
    }

    /// All files, the edited one with a version.
    pub fn files(&self, version: Option<u8>) -> Vec<(String, Vec<u8>)> {
        let mut files = Vec::new();
        for kind in self.format.kinds() {
            let version = match kind {
                _ if *kind == self.kind => version,
                Kind::Meta | Kind::TextureMeta => None,
                _ => Some(1),
            };
            let path = match *kind == self.kind && self.is_in_second_folder() {
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

    /// The reason why the model does not show all files yet.
    fn unsettled(&self, world: &World) -> Option<String> {
        if let Err(failure) = self.format.check_state(world, self.root) {
            return Some(failure);
        }
        let is_shown = |kind: &&Kind| match self.kind {
            // Both set the scale of the model.
            Kind::Meta => **kind != Kind::Manifest,
            other => self.first.is_some() || !self.format.needs(**kind, other),
        };
        let mut kinds = self.format.kinds().iter().filter(is_shown);
        kinds.find_map(|kind| {
            let shown = self.format.shown(world, self.root, *kind);
            let expected = if *kind == self.kind { self.shown } else { 1 };
            (shown != Some(expected)).then(|| format!("{kind:?} shows {shown:?}"))
        })
    }

    /// Checks this frame. Returns whether the expected version is shown.
    fn check_frame(&mut self, world: &World, expected: u8) -> bool {
        if let Err(failure) = self.format.check_state(world, self.root) {
            self.failures.push(format!("in a frame: {failure}"));
        }
        let shown = self.format.shown(world, self.root, self.kind);
        if shown != Some(self.shown) && shown != Some(expected) {
            self.failures.push(format!("in a frame: shows {shown:?}"));
        }
        shown == Some(expected)
    }

    /// Whether a change has its effect, apart from what the model shows.
    fn has_reports(&self, change: FileChange, errors: usize) -> bool {
        let is_reported = !matches!(change, FileChange::WriteHalfArchive(_)) || self.is_incomplete;
        is_reported && self.new_errors() >= errors
    }

    /// The count of different errors that the last edit has caused.
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
    log: Log,
    /// Keeps the loader settings. Bevy reloads only assets with a strong handle.
    _models: Vec<UntypedHandle>,
}

impl Table {
    fn new(mut cells: Vec<Cell>, disk: Disk) -> Self {
        log::listen();
        let log = Log {
            errors: log::NewLines::errors_of(MODULES),
            warnings: log::NewLines::warnings_of(MODULES),
        };
        for cell in &cells {
            disk.fill(cell);
        }
        let mut app = App::new();
        let mut loads = disk.register(&mut app, &cells);
        // In memory there is no watcher, but with `watch_for_changes` Bevy reloads assets of which only labels are in use.
        app.add_plugins(gpuless::plugins(disk.root(), true))
            .add_plugins(ClassicModelsPlugins);
        gpuless::finish(&mut app);
        gpuless::run_on_one_thread(&mut app);
        let server = app.server();
        let load = |cell: &Cell| cell.format.load(&server, cell.model());
        let models: Vec<UntypedHandle> = cells.iter().map(load).collect();
        // A manifest with a missing file is loaded, but not all of its dependencies are.
        let is_ready = |(cell, model): (&Cell, &UntypedHandle)| match cell.first {
            Some(_) => server.is_loaded_with_dependencies(model),
            None => {
                let state = server.recursive_dependency_load_state(model);
                server.is_loaded(model) && (state.is_loaded() || state.is_failed())
            }
        };
        let are_loaded = |_: &mut World| cells.iter().zip(&models).all(is_ready);
        app.wait("loading", are_loaded);
        for cell in &mut cells {
            cell.root = cell.format.spawn(app.world_mut(), &cell.model());
        }
        let is_ready = |world: &mut World| cells.iter().all(|cell| cell.unsettled(world).is_none());
        if !gpuless::wait_until(&mut app, is_ready) {
            let unsettled = |cell: &Cell| Some((cell.name.clone(), cell.unsettled(app.world())?));
            panic!(
                "{:#?}",
                cells.iter().filter_map(unsettled).collect::<Vec<_>>()
            );
        }
        for cell in &cells {
            cell.format.change(app.world_mut(), cell.root);
        }
        // Folders without modification times are listed again only after a frame without loads.
        loads.run_until_idle(&mut app, 0.0, |_| false);
        Self {
            app,
            loads,
            disk,
            cells,
            log,
            _models: models,
        }
    }

    /// Runs the steps of all cells at the same time.
    fn run(self) {
        let count = self.cells.len();
        assert_eq!(self.count_failed(), 0, "failed of {count} cells");
    }

    /// Like [`run`](Self::run). Returns the count of cells that have failed.
    fn count_failed(mut self) -> usize {
        let most = self.cells.iter().map(|cell| cell.steps.len()).max();
        for step in 0..most.unwrap_or(0) {
            self.step(step);
        }
        let mut failed = 0;
        for cell in &mut self.cells {
            cell.failures.dedup();
            let is_ok = cell.failures.is_empty();
            failed += usize::from(!is_ok);
            let result = if is_ok { "ok" } else { "FAILED" };
            println!("{:40} {result} {}", cell.name, cell.failures.join("; "));
        }
        failed
    }

    fn step(&mut self, step: usize) {
        self.log.sort(&mut self.cells);
        for cell in &mut self.cells {
            cell.errors_before = cell.errors.len();
            cell.is_incomplete = false;
            cell.is_done = false;
            if let Some((change, ..)) = cell.steps.get(step) {
                self.disk.apply(cell, *change);
            }
        }
        self.reload(step);
        self.wait_until_done(step);
        // Further effects of the edits.
        let (cells, log) = (&mut self.cells, &mut self.log);
        self.loads.run_until_idle(&mut self.app, 0.0, |world| {
            check_frame(cells, log, world, step);
            false
        });
        self.conclude(step);
    }

    /// Waits until all cells reach the result of the step, or until there is no progress for long.
    fn wait_until_done(&mut self, step: usize) {
        let mut patience = gpuless::Patience::new(PATIENCE);
        while !patience.is_exhausted() {
            gpuless::step(&mut self.app, 0.0);
            let world = self.app.world();
            let (is_progress, are_all_done) =
                check_frame(&mut self.cells, &mut self.log, world, step);
            if are_all_done {
                return;
            }
            if is_progress {
                patience.reset();
            }
            patience.wait();
        }
    }

    /// Reloads edited files in memory, where there is no watcher.
    fn reload(&self, step: usize) {
        if !matches!(self.disk, Disk::Memory(_)) {
            return;
        }
        let server = self.app.server();
        for cell in &self.cells {
            let Some((change, ..)) = cell.steps.get(step) else {
                continue;
            };
            let path = cell.path(cell.kind);
            let path = path.strip_suffix(".meta").unwrap_or(&path).to_owned();
            match cell.kind {
                _ if *change == FileChange::Remove && !METAS.contains(&cell.kind) => {}
                _ if cell.first.is_none() && !METAS.contains(&cell.kind) => {
                    server.reload(path);
                    server.reload(cell.path(cell.format.referrer(cell.kind)));
                    if cell.kind == Kind::Palette && step > 0 {
                        server.reload(cell.path(cell.format.palette_user()));
                    }
                }
                Kind::Palette => server.reload(cell.path(cell.format.palette_user())),
                _ => server.reload(path),
            }
        }
    }

    fn conclude(&mut self, step: usize) {
        for cell in &mut self.cells {
            let Some((change, expected, errors)) = cell.steps.get(step).copied() else {
                continue;
            };
            let shown = cell.format.shown(self.app.world(), cell.root, cell.kind);
            if shown != Some(expected) {
                cell.failures
                    .push(format!("shows {shown:?} after {change:?}"));
            }
            if matches!(change, FileChange::WriteHalfArchive(_)) && !cell.is_incomplete {
                cell.failures
                    .push("no warning about the archive".to_owned());
            }
            let found = cell.new_errors();
            if found != errors {
                cell.failures
                    .push(format!("{found} errors of {change:?}, expected {errors}"));
            }
            cell.shown = expected;
        }
    }
}

/// The errors and warnings that are not sorted yet.
struct Log {
    errors: log::NewLines,
    warnings: log::NewLines,
}

impl Log {
    /// Adds the new lines to the cells of their files.
    fn sort(&mut self, cells: &mut [Cell]) {
        for mut error in self.errors.take() {
            // Bevy may append a backtrace.
            error.truncate(error.find('\n').unwrap_or(error.len()));
            let mut cells = cells.iter_mut();
            if let Some(cell) = cells.find(|cell| error.contains(&cell.folder)) {
                cell.errors.insert(error);
            }
        }
        let warnings = self.warnings.take().into_iter();
        for warning in warnings.filter(|warning| warning.contains(INCOMPLETE)) {
            let mut cells = cells.iter_mut();
            if let Some(cell) = cells.find(|cell| warning.contains(&cell.folder)) {
                cell.is_incomplete = true;
            }
        }
    }
}

/// Checks all cells in this frame. Returns whether a further cell has reached the result of the step, and whether all have.
fn check_frame(cells: &mut [Cell], log: &mut Log, world: &World, step: usize) -> (bool, bool) {
    log.sort(cells);
    let (mut is_progress, mut are_all_done) = (false, true);
    for cell in cells {
        let Some((change, expected, errors)) = cell.steps.get(step).copied() else {
            continue;
        };
        let is_shown = cell.check_frame(world, expected);
        let is_done = is_shown && cell.has_reports(change, errors);
        is_progress |= is_done && !cell.is_done;
        cell.is_done = is_done;
        are_all_done &= is_done;
    }
    (is_progress, are_all_done)
}

#[test]
fn every_edit_in_a_watched_folder_is_applied() {
    let [root, outside] = [(); 2].map(|()| tempfile::tempdir().unwrap());
    Table::new(Cell::all("saved", |_| true), Disk::Folder { root, outside }).run();
}

#[test]
fn every_edit_of_archives_is_applied() {
    let count_failed = |format| {
        let cells = Cell::in_archives(format);
        Table::new(cells, Disk::Archives(Archives::new())).count_failed()
    };
    let failed: usize = FORMATS.into_iter().map(count_failed).sum();
    assert_eq!(failed, 0, "failed cells");
}

#[test]
fn every_edit_in_memory_is_applied() {
    // Without a watcher all ways of saving are equal, and files added in the first folder are not detected.
    let filter = |edit: &Edit| {
        let change = edit.steps[0].0;
        matches!(
            change,
            FileChange::Write(_)
                | FileChange::WriteHalf(_)
                | FileChange::WriteInvalid
                | FileChange::Remove
        )
    };
    let files = Disk::Memory(Dir::default());
    Table::new(Cell::all("kept", filter), files).run();
}
