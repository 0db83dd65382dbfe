//! An index of the names in one folder.

use crate::load::names::{file_key, folded, has_extension, uppercased};
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::OnceLock;

/// The names of the files and folders in a folder, indexed by key and by extension.
#[derive(Debug, Default)]
pub(crate) struct Names {
    by_key: HashMap<String, Vec<String>>,
    /// For each extension in lower case: the names in upper case and as stored on disk, sorted. Built on first use,
    /// because most loads do not search by extension.
    by_extension: OnceLock<BTreeMap<String, Vec<(String, String)>>>,
}

impl Names {
    pub(crate) fn new(names: Vec<String>) -> Self {
        let mut all = Self::default();
        for name in names {
            all.by_key.entry(file_key(&name)).or_default().push(name);
        }
        all.by_key.values_mut().for_each(|names| names.sort());
        all
    }

    fn by_extension(&self) -> &BTreeMap<String, Vec<(String, String)>> {
        self.by_extension.get_or_init(|| {
            let mut all = BTreeMap::<_, Vec<_>>::new();
            for name in self.all() {
                let extension = Path::new(name).extension().unwrap_or_default();
                let extension = folded(&extension.to_string_lossy());
                let entry = (uppercased(name), name.clone());
                all.entry(extension).or_default().push(entry);
            }
            all.values_mut().for_each(|names| names.sort());
            all
        })
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &String> {
        self.by_key.values().flatten()
    }

    /// The names that begin with a prefix and have one of these extensions (case-insensitive).
    pub(crate) fn beginning<'a>(
        &'a self,
        prefix: &str,
        extensions: &'a [&str],
    ) -> impl Iterator<Item = &'a String> {
        let prefix = uppercased(prefix);
        let is_match =
            |extension: &str| has_extension(Path::new(&format!("x.{extension}")), extensions);
        let groups = self
            .by_extension()
            .iter()
            .filter(move |(extension, _)| is_match(extension));
        groups.flat_map(move |(_, names)| {
            let start = names.partition_point(|(upper, _)| *upper < prefix);
            let prefix = prefix.clone();
            let of_prefix = names[start..]
                .iter()
                .take_while(move |(upper, _)| upper.starts_with(&prefix));
            of_prefix.map(|(_, name)| name)
        })
    }

    /// The best match for a name: the exact name, otherwise a name that differs only in case, otherwise a name with the
    /// same key. The first in sort order if there are several.
    pub(crate) fn entry<'a>(&'a self, name: &str) -> Option<&'a String> {
        let same = self.by_key.get(&file_key(name))?;
        let rank = |entry: &&'a String| (*entry != name, folded(entry) != folded(name), *entry);
        same.iter().min_by_key(rank)
    }
}
