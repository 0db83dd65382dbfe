//! `Serialize` implementations that cannot be derived. Nothing else belongs here.

use super::file::{QuaternionTrack, VectorTrack};
use serde::ser::{Serialize, Serializer};
use zerocopy::little_endian::{I16, U16};

impl Serialize for VectorTrack<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|words| words.map(U16::get)))
    }
}

impl Serialize for QuaternionTrack<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter().map(|words| words.map(I16::get)))
    }
}
