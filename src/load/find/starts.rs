//! Reads the first bytes of files that a model's result depends on.

use crate::load::find::FileSearch;
use bevy::asset::AssetPath;

impl FileSearch<'_> {
    /// The first `length` bytes of a file; `None` if it is shorter or cannot be read. The model is reloaded when they
    /// change.
    pub(crate) async fn start(&mut self, path: &AssetPath<'_>, length: usize) -> Option<Vec<u8>> {
        let start = self.finder.start_of(path, length, self.is_processed);
        let found = start.await;
        self.inputs.add(&found);
        if let Some(queries) = &mut self.queries {
            queries.add_start(path.path(), length, found.clone());
        }
        found
    }
}
