//! Asset sources in memory with the file name rules of other systems.

use crate::support::prelude::*;
use bevy::asset::io::VecReader;
use futures_lite::stream;
use std::collections::BTreeSet;

/// The rules of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rules {
    /// Case-sensitive, as on Linux.
    Exact,
    /// Case-insensitive, and ignores trailing dots and spaces, as on Windows. Lists the stored names.
    AnyCase,
    /// Case-sensitive without directory listings, as a web server.
    Unlisted,
}

/// Files by path.
#[derive(Clone)]
pub struct Disk {
    rules: Rules,
    files: Arc<BTreeMap<String, Vec<u8>>>,
}

impl Disk {
    pub fn new(rules: Rules, files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let files = Arc::new(files.into_iter().collect());
        Self { rules, files }
    }

    /// The form of a path that the disk compares.
    fn key(&self, path: &str) -> String {
        match self.rules {
            Rules::AnyCase => {
                let parts = path.split(['/', '\\']);
                let parts = parts.map(|part| part.trim_end_matches([' ', '.']).to_uppercase());
                parts.collect::<Vec<_>>().join("/")
            }
            Rules::Exact | Rules::Unlisted => path.to_owned(),
        }
    }

    /// The names of the entries of a folder; none if the folder does not exist.
    fn list(&self, folder: &Path) -> BTreeSet<String> {
        let folder = self.key(&folder.to_string_lossy());
        let depth = folder.split('/').filter(|part| !part.is_empty()).count();
        let mut names = BTreeSet::new();
        for path in self.files.keys() {
            let parts: Vec<&str> = path.split('/').collect();
            let is_in = depth < parts.len() && self.key(&parts[..depth].join("/")) == folder;
            names.extend(is_in.then(|| parts[depth].to_owned()));
        }
        names
    }
}

impl AssetReader for Disk {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let key = self.key(&path.to_string_lossy());
        let mut files = self.files.iter();
        let found = files.find(|(path, _)| self.key(path) == key);
        let (_, bytes) = found.ok_or_else(|| AssetReaderError::NotFound(path.to_owned()))?;
        Ok(VecReader::new(bytes.clone()))
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        Err::<VecReader, _>(AssetReaderError::NotFound(path.to_owned()))
    }

    async fn read_directory<'a>(
        &'a self,
        path: &'a Path,
    ) -> Result<Box<PathStream>, AssetReaderError> {
        let names = self.list(path);
        if self.rules == Rules::Unlisted || names.is_empty() {
            return Err(AssetReaderError::NotFound(path.to_owned()));
        }
        let paths: Vec<PathBuf> = names.into_iter().map(|name| path.join(name)).collect();
        Ok(Box::new(stream::iter(paths)))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        Ok(self.rules != Rules::Unlisted && !self.list(path).is_empty())
    }
}
