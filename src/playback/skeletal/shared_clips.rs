//! Binds the tracks of clips to the bones of models by name, so that models with the same skeleton share clips.

use crate::load::names::{Names, folded, index_names, named, same_name};
use std::collections::{BTreeMap, HashMap, HashSet};

/// The names that the bones of a model have in clips of other models.
#[derive(Clone, Debug)]
pub struct ClipBones {
    names: Vec<Box<str>>,
    indices: Names,
}

impl ClipBones {
    /// `renamed` has the names in clips, by names in the model, in any case. `None` if it is empty: they are the same.
    pub(crate) fn new<'a>(
        bones: impl Iterator<Item = &'a str>,
        renamed: &BTreeMap<String, String>,
    ) -> Option<Self> {
        if renamed.is_empty() {
            return None;
        }
        let renamed = renamed.iter().map(|(own, other)| (folded(own), other));
        let renamed: HashMap<String, &String> = renamed.collect();
        let others: HashSet<String> = renamed.values().map(|name| folded(name)).collect();
        let name = |bone: &'a str| match renamed.get(&folded(bone)) {
            Some(name) => name,
            // Another bone has this name in clips.
            None if others.contains(&folded(bone)) => "",
            None => bone,
        };
        let names: Vec<Box<str>> = bones.map(|bone| name(bone).into()).collect();
        Some(Self {
            indices: index_names(names.iter().map(|name| &**name)),
            names,
        })
    }

    /// Binds the tracks of a clip of another model: see [`Binding::new`].
    pub(crate) fn bind<'a>(
        &'a self,
        tracks: impl Iterator<Item = (usize, &'a str)> + Clone,
    ) -> Binding {
        let names = self.names.iter().map(|name| &**name);
        Binding::new(names, &self.indices, tracks, true)
    }
}

/// For each bone of a model the track of a clip that animates it, and the tracks that animate none.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Binding {
    pub(crate) tracks: Vec<Option<usize>>,
    pub(crate) unbound: Vec<usize>,
}

impl Binding {
    /// Binds the tracks of a clip, each with the index and the name of its bone. `bones` are the names of the model's bones, and
    /// `names` their indices.
    ///
    /// A track animates the bone at its index, if that has its name. A track of a clip of another model (`is_shared`) otherwise
    /// animates the first bone with its name that no track animates yet. If several tracks are of one bone, the first is used.
    pub(crate) fn new<'a>(
        bones: impl Iterator<Item = &'a str>,
        names: &Names,
        tracks: impl Iterator<Item = (usize, &'a str)> + Clone,
        is_shared: bool,
    ) -> Self {
        let bones: Vec<&str> = bones.collect();
        let mut bound = vec![None; bones.len()];
        let mut rest = Vec::new();
        for (track, (bone, name)) in tracks.clone().enumerate() {
            match bones.get(bone) {
                Some(own) if same_name(own, name) => {
                    bound[bone].get_or_insert(track);
                }
                _ => rest.push((track, name)),
            }
        }
        let mut unbound = Vec::new();
        for (track, name) in rest {
            let mut bones = named(names, name).iter().filter(|_| is_shared);
            match bones.find(|bone| bound[**bone].is_none()) {
                Some(bone) => bound[*bone] = Some(track),
                None => unbound.push(track),
            }
        }
        Self {
            tracks: bound,
            unbound,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::names::index_names;

    fn bind(bones: &[&str], tracks: &[(usize, &str)], is_shared: bool) -> Binding {
        let names = index_names(bones.iter().copied());
        Binding::new(
            bones.iter().copied(),
            &names,
            tracks.iter().copied(),
            is_shared,
        )
    }

    #[test]
    fn tracks_of_other_models_are_bound_by_name() {
        let bones = ["Root", "Hip", "Flash", "flash", "Head"];
        let tracks = [
            (4, "HEAD"),
            (0, "Hip"),
            (9, "Flash"),
            (2, "Tail"),
            (3, "Flash"),
            (8, "Flash"),
            (4, "Head"),
        ];
        let found = bind(&bones, &tracks, true);
        assert_eq!(found.tracks, [None, Some(1), Some(2), Some(4), Some(0)]);
        assert_eq!(found.unbound, [3, 5]);
    }

    #[test]
    fn bones_can_have_other_names_in_clips() {
        let renamed = [("hip", "Pelvis"), ("HEAD", "hip")];
        let renamed = renamed.map(|(own, other)| (own.to_owned(), other.to_owned()));
        let bones = ["Hip", "Head", "Tail"].into_iter();
        let bones = ClipBones::new(bones, &renamed.clone().into());
        let tracks = [(0, "Hip"), (1, "pelvis"), (5, "Tail")];
        let found = bones.unwrap().bind(tracks.into_iter());
        assert_eq!(found.tracks, [Some(1), Some(0), Some(2)]);
        // A bone that has the name itself.
        let bones = ClipBones::new(["Pelvis", "Hip"].into_iter(), &renamed.into());
        let found = bones.unwrap().bind([(0, "Pelvis")].into_iter());
        assert_eq!(found.tracks, [None, Some(0)]);
        let none = ClipBones::new(["Hip"].into_iter(), &BTreeMap::new());
        assert!(none.is_none());
    }

    #[test]
    fn tracks_of_own_clips_are_bound_by_index() {
        let tracks = [(1, "hip"), (0, "Head"), (2, "Head"), (3, "Head")];
        let found = bind(&["Root", "Hip", "Head"], &tracks, false);
        assert_eq!(found.tracks, [None, Some(0), Some(2)]);
        assert_eq!(found.unbound, [1, 3]);
    }
}
