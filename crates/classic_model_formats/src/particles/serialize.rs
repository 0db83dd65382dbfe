//! Implementations for `serde` that cannot be derived. Nothing else belongs here.

use super::file::Key;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

impl Serialize for Key {
    /// Time and value.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        [self.time, self.value].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Key {
    /// Time and value.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let [time, value] = Deserialize::deserialize(deserializer)?;
        Ok(Self { time, value })
    }
}
