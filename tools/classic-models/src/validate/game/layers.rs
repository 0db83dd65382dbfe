//! The layers of a game: files that hide others, names that differ only in case, and limits of archives.

use crate::engines::{self, Engine};
use crate::paths::archive_file::open_file;
use crate::paths::game::{GameKind, key, stored_files};
use crate::validate::game::checks::findings::limit_problem;
use crate::validate::game::problem::{Kind, Problem, shown};
use crate::validate::game::selection::{SelectedGame, Selection};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// The problems of the game's layers that concern selected files.
pub fn problems(selection: &Selection, engines: &[Engine]) -> Vec<Problem> {
    let Some(game) = &selection.game else {
        return Vec::new();
    };
    let selected = selection.checked.iter().filter(|file| file.is_selected);
    let selected: HashSet<String> = selected.map(|file| key(Path::new(&file.shown))).collect();
    let mut by_key: HashMap<String, Vec<(usize, String)>> = HashMap::new();
    for (layer, path) in stored_files(&game.game.source) {
        let key = key(Path::new(&path));
        if selected.contains(&key) {
            by_key.entry(key).or_default().push((layer, path));
        }
    }
    let duplicates = by_key.into_values().filter(|files| files.len() > 1);
    let mut problems: Vec<Problem> = duplicates
        .flat_map(|files| of_duplicates(game, &files))
        .collect();
    problems.extend(limits(game, engines));
    problems
}

/// The problems of files with the same name, apart from case, in several layers.
fn of_duplicates(game: &SelectedGame, files: &[(usize, String)]) -> Vec<Problem> {
    let Some((_, path)) = files.first() else {
        return Vec::new();
    };
    let Some(winner) = game.game.source.locate(path) else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    let hidden = files.iter().filter(|(layer, _)| *layer < winner.layer);
    if let Some((layer, _)) = hidden.max_by_key(|(layer, _)| *layer) {
        let message = format!("hides the same file in {}", layer_name(game, *layer));
        problems.push(Problem::new(Kind::Shadowed, &winner.path, message));
    }
    // The other games ignore case.
    let other = files.iter().find(|(_, path)| *path != winner.path);
    if let (GameKind::Quake, Some((layer, path))) = (game.kind, other) {
        let message = format!(
            "differs only in case from {path} in {}: engines that compare case have both files",
            layer_name(game, *layer)
        );
        problems.push(Problem::new(Kind::Case, &winner.path, message));
    }
    problems
}

/// The limits that PAK archives exceed.
fn limits(game: &SelectedGame, engines: &[Engine]) -> Vec<Problem> {
    let layers = game.layers.iter().enumerate();
    let checked = layers.filter(|(index, _)| game.is_layer_of_mod(*index));
    let limits = checked.filter_map(|(index, layer)| {
        let archive = open_file(layer).ok()?;
        let file = layer_name(game, index);
        let broken = engines::of_archive(&archive, engines::or_all(engines)).into_iter();
        Some(broken.map(move |limit| limit_problem(&file, &limit, engines)))
    });
    limits.flatten().collect()
}

/// The path of a layer's archive or folder, from the folder of the game.
fn layer_name(game: &SelectedGame, layer: usize) -> String {
    let Some(layer) = game.layers.get(layer) else {
        return String::new();
    };
    match layer.strip_prefix(&game.game.root) {
        Ok(below) if !below.as_os_str().is_empty() => shown(below),
        _ => shown(layer),
    }
}
