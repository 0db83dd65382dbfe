//! The first bytes of files, which decide about models.

use super::FileSearch;
use bevy::asset::AssetPath;

impl FileSearch<'_> {
    /// The first bytes of a file; `None` if it has not so many, or cannot be read. Should they change,
    /// the model is loaded anew.
    pub(crate) async fn start(&mut self, path: &AssetPath<'_>, length: usize) -> Option<Vec<u8>> {
        // Inside the asset processor nothing is noted, and the unprocessed source is searched.
        let is_processed = self.finder.is_processed() && self.hopes.is_some();
        let start = self.finder.start_of(path, length, is_processed);
        let found = start.await;
        self.inputs.add(&found);
        if let Some(hopes) = &mut self.hopes {
            hopes.start(path.path(), length, found.clone());
        }
        found
    }
}
