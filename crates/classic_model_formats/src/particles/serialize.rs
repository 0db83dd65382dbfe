//! `Serialize` implementations that cannot be derived. Nothing else belongs here.

use super::file::Key;
use serde::ser::{Serialize, Serializer};

impl Serialize for Key {
    /// Time and value.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.time, self.value].serialize(serializer)
    }
}
