//! Values that are written in more than one way, and lists that have an end.

use crate::scene::{ClipRef, ModelSkin};
use bevy::color::{Alpha, Srgba};
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;

/// How many elements a list may have: what they become takes more memory than their text.
pub(super) const LONGEST_LIST: usize = 1024;

/// Something by its name, or by its place in a list, of which the first is 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NameOrIndex {
    /// By its name, in any case.
    Name(String),
    /// By its place.
    Index(usize),
}

impl From<&str> for NameOrIndex {
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<usize> for NameOrIndex {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl From<NameOrIndex> for ClipRef {
    fn from(clip: NameOrIndex) -> Self {
        match clip {
            NameOrIndex::Name(name) => Self::Name(name),
            NameOrIndex::Index(index) => Self::Index(index),
        }
    }
}

impl From<NameOrIndex> for ModelSkin {
    fn from(skin: NameOrIndex) -> Self {
        match skin {
            NameOrIndex::Name(name) => Self::Name(name),
            NameOrIndex::Index(index) => Self::Index(index),
        }
    }
}

impl Serialize for NameOrIndex {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Name(name) => serializer.serialize_str(name),
            Self::Index(index) => serializer.serialize_u64(*index as u64),
        }
    }
}

impl<'de> Deserialize<'de> for NameOrIndex {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl Visitor<'_> for Either {
            type Value = NameOrIndex;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name in quotes, or a number from 0")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<NameOrIndex, E> {
                Ok(NameOrIndex::Name(name.to_owned()))
            }

            fn visit_u64<E: Error>(self, index: u64) -> Result<NameOrIndex, E> {
                let index = usize::try_from(index);
                index.map(NameOrIndex::Index).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A list of no more than [`LONGEST_LIST`].
pub(super) fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct List<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of no more than {LONGEST_LIST}")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(element) = elements.next_element()? {
                if list.len() == LONGEST_LIST {
                    return Err(A::Error::invalid_length(LONGEST_LIST + 1, &self));
                }
                list.push(element);
            }
            Ok(list)
        }
    }
    deserializer.deserialize_seq(List(PhantomData))
}

/// Texts by texts, no more than [`LONGEST_LIST`], each key once.
pub(super) fn map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, String>, D::Error> {
    struct Map;
    impl<'de> Visitor<'de> for Map {
        type Value = BTreeMap<String, String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a map of no more than {LONGEST_LIST}")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some(key) = entries.next_key::<String>()? {
                let is_taken = map.contains_key(&key);
                let value = entries.next_value_seed(ValueOf { is_taken })?;
                if map.len() == LONGEST_LIST {
                    return Err(A::Error::invalid_length(LONGEST_LIST + 1, &self));
                }
                map.insert(key, value);
            }
            Ok(map)
        }
    }
    /// The value of a key, which is refused before it is read so that the error is where the value begins.
    struct ValueOf {
        is_taken: bool,
    }
    impl<'de> DeserializeSeed<'de> for ValueOf {
        type Value = String;

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
            if self.is_taken {
                return Err(D::Error::custom("this name is there twice"));
            }
            String::deserialize(deserializer)
        }
    }
    deserializer.deserialize_map(Map)
}

/// Colours as `"#rrggbb"` or `(red, green, blue)` from 0 to 1, both sRGB.
pub(super) mod color {
    use super::*;

    struct Color(Srgba);

    /// As it is read: in eight bits a channel if they hold it.
    pub(in super::super) fn serialize<S: Serializer>(
        color: &Option<Srgba>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        color.map(Color).serialize(serializer)
    }

    pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Srgba>, D::Error> {
        let color = Option::<Color>::deserialize(deserializer)?;
        Ok(color.map(|color| color.0))
    }

    impl Serialize for Color {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            let opaque = self.0.with_alpha(1.0);
            let hex = opaque.to_hex();
            match Srgba::hex(&hex) {
                Ok(same) if same == opaque => serializer.serialize_str(&hex),
                _ => (opaque.red, opaque.green, opaque.blue).serialize(serializer),
            }
        }
    }

    impl<'de> Deserialize<'de> for Color {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct Written;
            impl<'de> Visitor<'de> for Written {
                type Value = Color;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a colour: \"#rrggbb\", or (red, green, blue) from 0 to 1")
                }

                fn visit_str<E: Error>(self, text: &str) -> Result<Color, E> {
                    let hex = text.strip_prefix('#').filter(|hex| hex.len() == 6);
                    let color = hex.and_then(|hex| Srgba::hex(hex).ok());
                    let unexpected = serde::de::Unexpected::Str(text);
                    let error = || E::invalid_value(unexpected, &self);
                    color.map(Color).ok_or_else(error)
                }

                fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Color, A::Error> {
                    let mut channels = [0.0; 3];
                    for (index, channel) in channels.iter_mut().enumerate() {
                        let part = parts.next_element()?;
                        *channel = part.ok_or_else(|| A::Error::invalid_length(index, &self))?;
                    }
                    Ok(Color(Srgba::rgb(channels[0], channels[1], channels[2])))
                }
            }
            deserializer.deserialize_any(Written)
        }
    }
}
