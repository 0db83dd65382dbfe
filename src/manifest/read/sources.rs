//! [`Sources`]: the texts of a manifest and of the manifests that it extends, and which of them sets a value. No files
//! are accessed.

use crate::load::names::folded;
use crate::manifest::read::error::{ManifestError, ManifestLoaderError};
use crate::manifest::read::problem::Step::{Field, Key};
use crate::manifest::read::problem::{Problem, Step};
use bevy::asset::AssetPath;
use std::collections::HashSet;

/// The text of one file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: AssetPath<'static>,
    /// Without a byte order mark.
    text: String,
    /// The names of the fields that the text sets, and `field/key` for each key of a map, case-folded.
    values: HashSet<String>,
}

/// The files that the values of a manifest are from.
#[derive(Debug)]
pub(crate) struct Sources {
    own: Source,
    /// The manifest that it extends, the one that this extends, and so on.
    bases: Vec<Source>,
}

impl Source {
    /// `fields` are the names of the fields that the text sets; `keys` are those of its maps, with their fields.
    pub(crate) fn new<'a>(
        path: AssetPath<'static>,
        text: &str,
        fields: Vec<String>,
        keys: impl Iterator<Item = (&'a str, &'a String)>,
    ) -> Self {
        let keys = keys.map(|(field, key)| map_key(field, key));
        Self {
            path,
            values: fields.into_iter().chain(keys).collect(),
            text: text.to_owned(),
        }
    }

    /// Whether the text sets a field.
    pub(crate) fn sets(&self, field: &str) -> bool {
        self.values.contains(field)
    }

    /// Whether the text sets a key of a map, in any case.
    pub(crate) fn sets_key(&self, field: &str, key: &str) -> bool {
        self.values.contains(&map_key(field, key))
    }

    /// The error for a problem with a value of this file.
    pub(crate) fn error(&self, problem: Problem<'_>) -> ManifestLoaderError {
        ManifestLoaderError::Manifest {
            path: self.path.to_string(),
            source: self.locate(problem),
        }
    }

    /// Adds the position in this file.
    pub(crate) fn locate(&self, problem: Problem<'_>) -> ManifestError {
        problem.in_text(&self.text)
    }
}

fn map_key(field: &str, key: &str) -> String {
    format!("{field}/{}", folded(key))
}

impl Sources {
    /// Each of `bases` is extended by the one before it, the first one by the manifest itself.
    pub(crate) fn new(own: Source, bases: Vec<Source>) -> Self {
        Self { own, bases }
    }

    /// Whether the manifest extends another one.
    pub(crate) fn has_bases(&self) -> bool {
        !self.bases.is_empty()
    }

    /// The file that a value is from. If none sets it, this is the manifest itself.
    pub(crate) fn of(&self, value: &[Step<'_>]) -> &Source {
        let sets = |source: &&Source| match value {
            [Field(field @ ("masks" | "skins")), Key(key), ..] => source.sets_key(field, key),
            [Field(field), ..] => source.sets(field),
            _ => true,
        };
        let mut sources = core::iter::once(&self.own).chain(&self.bases);
        sources.find(sets).unwrap_or(&self.own)
    }
}
