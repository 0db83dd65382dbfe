//! Which Alamo clips belong to which models: as in the games, by the longest name of a model with which a clip begins.

use crate::file_format::has_extension;
use crate::paths::game::key;
use crate::validate::game::problem::{Kind, Problem};
use crate::validate::game::selection::Checked;
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// A clip of a model.
pub struct Clip {
    /// The index of the file.
    pub file: usize,
    /// The name in lower case, such as `move_00`.
    pub name: String,
}

/// The clips of all models, by the indices of the models' files.
pub fn by_model(files: &[Checked]) -> HashMap<usize, Vec<Clip>> {
    let with = |extension: &'static str| {
        let files = files.iter().enumerate();
        files.filter_map(move |(index, file)| {
            let path = Path::new(&file.shown);
            has_extension(path, extension).then(|| (key(&path.with_extension("")), index))
        })
    };
    let models: HashMap<String, usize> = with("alo").collect();
    let mut clips: HashMap<usize, Vec<Clip>> = HashMap::new();
    for (stem, file) in with("ala") {
        let mut ends = stem.rmatch_indices('_').map(|(end, _)| end);
        let model = ends.find_map(|end| {
            let (model, name) = stem.split_at_checked(end)?;
            let name = name.strip_prefix('_').filter(|name| !name.is_empty())?;
            Some((*models.get(model)?, name.to_owned()))
        });
        if let Some((model, name)) = model {
            clips.entry(model).or_default().push(Clip { file, name });
        }
    }
    clips
}

/// The clips that the game does not find: it counts their numbers from 00 to the first that is missing.
pub fn missing(clips: &[Clip], files: &[Checked]) -> Vec<Problem> {
    let names: HashSet<&str> = clips.iter().map(|clip| clip.name.as_str()).collect();
    let problem = |clip: &Clip| {
        let (kind, number) = clip.name.rsplit_once('_')?;
        let is_number = number.len() == 2 && number.bytes().all(|it| it.is_ascii_digit());
        let before = number
            .parse::<u8>()
            .ok()
            .filter(|_| is_number)?
            .checked_sub(1)?;
        let before = format!("{kind}_{before:02}");
        let file = files.get(clip.file).filter(|file| file.is_selected)?;
        let message = format!("the game does not find this clip: {before} is missing");
        let is_missing = !names.contains(before.as_str());
        is_missing.then(|| Problem::new(Kind::MissingClip, &file.shown, message))
    };
    clips.iter().filter_map(problem).collect()
}
