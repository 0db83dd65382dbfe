//! Opens and closes files for the actions of the panels and for files that are dropped on the window.

use crate::file_format::{has_extension, is_manifest, is_model};
use crate::paths::archive_file::{Location, absolute, is_archive, locate};
use crate::paths::game::{self, Game, GameKind};
use crate::view::actions::action::Action;
use crate::view::camera::framing::Framing;
use crate::view::models::add;
use crate::view::models::clips::PendingClips;
use crate::view::open::browser::{Browser, Place};
use crate::view::open::files::Folders;
use crate::view::open::recent::Recent;
use crate::view::row::Row;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use std::path::{Path, PathBuf};

/// What opening a file changes.
#[derive(SystemParam)]
pub struct Opener<'w, 's> {
    commands: Commands<'w, 's>,
    server: Res<'w, AssetServer>,
    folders: Res<'w, Folders>,
    browser: ResMut<'w, Browser>,
    recent: ResMut<'w, Recent>,
    row: ResMut<'w, Row>,
    framing: ResMut<'w, Framing>,
    pending_clips: ResMut<'w, PendingClips>,
}

impl Opener<'_, '_> {
    /// Shows a model instead of all others and lists the files beside it, or shows it beside the others. Lists a folder or
    /// an archive. An animation plays on its model, and a texture becomes the skin of the selected model, which is returned.
    ///
    /// # Errors
    /// If the file cannot be opened.
    fn open(&mut self, path: &Path, beside: bool) -> Result<Option<Action>, String> {
        let path = absolute(path);
        if path.is_dir() {
            *self.browser = list_of(&path, &self.folders)?;
            return Ok(None);
        }
        self.folders.open_archive_of(&path)?;
        if has_extension(&path, "ala") {
            self.pending_clips.waiting.push(path);
        } else if has_extension(&path, "dtx") {
            return Ok(Some(Action::SkinFile(path)));
        } else if is_model(&path) || is_manifest(&path) {
            self.show(&path, beside);
        } else if matches!(locate(&path), Ok(Location::File)) && is_archive(&path) {
            self.recent.add(&path);
            *self.browser = list_of(&path, &self.folders)?;
        } else if path.exists() {
            return Err(named(&path, "neither a model nor an archive"));
        } else {
            return Err(named(&path, "no such file"));
        }
        Ok(None)
    }

    fn show(&mut self, path: &Path, beside: bool) {
        if !beside {
            for model in self.row.models.drain(..) {
                self.commands.entity(model).despawn();
            }
        }
        add(
            path,
            &mut self.commands,
            &self.folders,
            &self.server,
            &mut self.row,
        );
        // The files of a game are listed only with the game.
        if !beside
            && !self.browser.lists(path)
            && let Ok(browser) = list_of(&place_of(path), &self.folders)
        {
            *self.browser = browser;
        }
        self.browser.set_opened(path);
        self.recent.add(path);
        *self.framing = Framing::Opened;
    }

    fn open_game(&mut self, kind: GameKind, folder: &Path) -> Result<(), String> {
        let game = Game::open(kind, &[folder.to_path_buf()], &[])?;
        for warning in game.source.warnings() {
            warn!("{warning}");
        }
        let models = game::models(&game.source);
        *self.browser = Browser::of_models(Place::Game, game.root.clone(), models);
        self.folders.disk.mount(game.root, game.source);
        Ok(())
    }

    /// Lists the folder above the listed folder, archive or game.
    fn browse_up(&mut self) -> Result<(), String> {
        let root = self.browser.root.as_path();
        let above = match self.browser.place {
            // The game's own folder, which lists its archives.
            Place::Game if root.is_dir() => root.to_path_buf(),
            _ => root.parent().unwrap_or(root).to_path_buf(),
        };
        self.open(&above, false).map(drop)
    }

    /// Selects another model of the row. If there is only one, opens the file before or after it in the list.
    fn step(&mut self, forward: bool) -> Result<(), String> {
        let count = self.row.models.len();
        if count > 1 {
            let step = if forward { 1 } else { count - 1 };
            self.row.selected = (self.row.selected + step) % count;
            return Ok(());
        }
        match self.browser.neighbor(forward).map(Path::to_path_buf) {
            Some(path) => self.open(&path, false).map(drop),
            None => Ok(()),
        }
    }

    fn close(&mut self, index: usize) {
        if index >= self.row.models.len() {
            return;
        }
        let model = self.row.models.remove(index);
        self.commands.entity(model).despawn();
        if self.row.selected > index || self.row.selected >= self.row.models.len() {
            self.row.selected = self.row.selected.saturating_sub(1);
        }
        *self.framing = Framing::All;
    }
}

fn named(path: &Path, error: impl std::fmt::Display) -> String {
    format!("{}: {error}", path.display())
}

/// The list of a folder or an archive.
fn list_of(path: &Path, folders: &Folders) -> Result<Browser, String> {
    let path = absolute(path);
    if path.is_dir() {
        return Browser::of_folder(&path).map_err(|error| named(&path, error));
    }
    let source = folders.disk.open_archive(&path);
    let models = game::models(&source.map_err(|error| error.to_string())?);
    Ok(Browser::of_models(Place::Archive, path, models))
}

/// The folder or the archive of a file.
fn place_of(file: &Path) -> PathBuf {
    match locate(file) {
        Ok(Location::Entry { archive, .. }) => archive,
        _ => file.parent().unwrap_or(Path::new("")).to_path_buf(),
    }
}

/// The list of files at the start: the folder or the archive that is given, otherwise that of the first file.
///
/// # Errors
/// If the given folder or archive cannot be opened.
pub fn first_list(
    listed: Option<&Path>,
    files: &[PathBuf],
    folders: &Folders,
) -> Result<Browser, String> {
    let first = files.first().map(|file| absolute(file));
    let mut browser = match (listed, &first) {
        (Some(listed), _) => list_of(listed, folders)?,
        (None, Some(file)) => list_of(&place_of(file), folders).unwrap_or_default(),
        (None, None) => Browser::default(),
    };
    if let Some(file) = &first {
        browser.set_opened(file);
    }
    Ok(browser)
}

/// Opens and closes files.
pub fn act_on_files(
    mut actions: ParamSet<(MessageReader<Action>, MessageWriter<Action>)>,
    mut opener: Opener,
) {
    let read: Vec<Action> = actions.p0().read().cloned().collect();
    for action in read {
        let result = match &action {
            Action::Open(path) => opener.open(path, false),
            Action::Add(path) => opener.open(path, true),
            Action::BrowseUp => opener.browse_up().map(|()| None),
            Action::OpenGame(kind, folder) => opener.open_game(*kind, folder).map(|()| None),
            Action::NextModel => opener.step(true).map(|()| None),
            Action::PreviousModel => opener.step(false).map(|()| None),
            Action::Close(index) => {
                opener.close(*index);
                Ok(None)
            }
            _ => Ok(None),
        };
        match result {
            Ok(Some(next)) => _ = actions.p1().write(next),
            Ok(None) => {}
            Err(error) => error!("{error}"),
        }
    }
}

/// Opens files that are dropped on the window. Models are added to those that are shown.
pub fn take_dropped(mut drops: MessageReader<FileDragAndDrop>, mut actions: MessageWriter<Action>) {
    for drop in drops.read() {
        if let FileDragAndDrop::DroppedFile { path_buf, .. } = drop {
            actions.write(Action::Add(path_buf.clone()));
        }
    }
}

#[cfg(test)]
mod tests;
