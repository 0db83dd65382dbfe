//! `Serialize` implementations that cannot be derived. Nothing else belongs here.

use super::records::{TreeNode, Vertices};
use serde::ser::{Serialize, SerializeSeq, Serializer};
use zerocopy::little_endian::{U16, U32};

impl Serialize for Vertices<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl Serialize for TreeNode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (
            self.min,
            self.max,
            self.triangle_count.get(),
            self.link.get(),
        )
            .serialize(serializer)
    }
}

/// Serializes little-endian numbers as a sequence of numbers.
pub(super) fn serialize_u16s<S: Serializer>(values: &[U16], to: S) -> Result<S::Ok, S::Error> {
    let mut seq = to.serialize_seq(Some(values.len()))?;
    for value in values {
        seq.serialize_element(&value.get())?;
    }
    seq.end()
}

/// Serializes little-endian numbers as a sequence of numbers.
pub(super) fn serialize_u32s<S: Serializer>(values: &[U32], to: S) -> Result<S::Ok, S::Error> {
    let mut seq = to.serialize_seq(Some(values.len()))?;
    for value in values {
        seq.serialize_element(&value.get())?;
    }
    seq.end()
}
