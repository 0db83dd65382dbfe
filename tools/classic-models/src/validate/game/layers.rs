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
    let names = by_key.into_values();
    let mut problems: Vec<Problem> = names.flat_map(|files| of_name(game, &files)).collect();
    problems.extend(limits(game, engines));
    problems
}

/// The problems of a name, apart from case: the files in all layers that have it, by layer and stored path.
fn of_name(game: &SelectedGame, files: &[(usize, String)]) -> Vec<Problem> {
    let is_quake = game.kind == GameKind::Quake;
    let Some((_, path)) = files.first().filter(|_| is_quake || files.len() > 1) else {
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
    if is_quake && let Some(message) = case(game, &winner.path, files) {
        problems.push(Problem::new(Kind::Case, &winner.path, message));
    }
    problems
}

/// Why an engine that compares case may not find a file of this path.
fn case(game: &SelectedGame, path: &str, files: &[(usize, String)]) -> Option<String> {
    if let Some((layer, other)) = files.iter().find(|(_, other)| other != path) {
        let layer = layer_name(game, *layer);
        return Some(format!(
            "differs only in case from {other} in {layer}: engines that compare case have both files"
        ));
    }
    let has_upper = path.contains(|letter: char| letter.is_ascii_uppercase());
    has_upper.then(|| {
        "has upper-case letters: Quake finds files by the exact name, and asks for lower case"
            .to_owned()
    })
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
