//! Deserialization of values with several notations, and of lists with a length limit.

use crate::root::play::ClipRef;
use crate::root::skins::ModelSkin;
use bevy::prelude::*;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Deserialize, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, Serializer};
use std::collections::BTreeMap;

/// The maximum length of a list. A limit is needed because the elements take more memory than their text.
pub(crate) const MAX_LIST_LENGTH: usize = 1024;

/// An item by its name or by its index in a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum NameOrIndex {
    /// A name, in any case.
    Name(String),
    /// An index from 0.
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
        struct NameOrIndexVisitor;
        impl Visitor<'_> for NameOrIndexVisitor {
            type Value = NameOrIndex;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name in quotes, or an index from 0")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<NameOrIndex, E> {
                Ok(NameOrIndex::Name(name.to_owned()))
            }

            fn visit_u64<E: Error>(self, index: u64) -> Result<NameOrIndex, E> {
                let index = usize::try_from(index);
                index.map(NameOrIndex::Index).map_err(E::custom)
            }
        }
        deserializer.deserialize_any(NameOrIndexVisitor)
    }
}

/// A list of at most [`MAX_LIST_LENGTH`] elements.
pub(crate) fn list<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    struct List<T>(PhantomData<T>);
    impl<'de, T: Deserialize<'de>> Visitor<'de> for List<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MAX_LIST_LENGTH} elements")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<T>, A::Error> {
            let mut list = Vec::new();
            while let Some(element) = elements.next_element()? {
                if list.len() == MAX_LIST_LENGTH {
                    return Err(A::Error::invalid_length(MAX_LIST_LENGTH + 1, &self));
                }
                list.push(element);
            }
            Ok(list)
        }
    }
    deserializer.deserialize_seq(List(PhantomData))
}

/// A map of lists, each with at most [`MAX_LIST_LENGTH`] elements. See [`map`].
pub(crate) fn map_of_lists<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, Vec<String>>, D::Error> {
    struct List(Vec<String>);
    impl<'de> Deserialize<'de> for List {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            list(deserializer).map(Self)
        }
    }
    let map: BTreeMap<String, List> = map(deserializer)?;
    Ok(map
        .into_iter()
        .map(|(key, List(list))| (key, list))
        .collect())
}

/// A map with at most [`MAX_LIST_LENGTH`] entries and without duplicate keys.
pub(crate) fn map<'de, V: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    struct Map<V>(PhantomData<V>);
    impl<'de, V: Deserialize<'de>> Visitor<'de> for Map<V> {
        type Value = BTreeMap<String, V>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a map of at most {MAX_LIST_LENGTH} entries")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
            let mut map = BTreeMap::new();
            while let Some(key) = entries.next_key::<String>()? {
                let is_duplicate = map.contains_key(&key);
                let value = MapValue {
                    is_duplicate,
                    value: PhantomData,
                };
                let value = entries.next_value_seed(value)?;
                if map.len() == MAX_LIST_LENGTH {
                    return Err(A::Error::invalid_length(MAX_LIST_LENGTH + 1, &self));
                }
                map.insert(key, value);
            }
            Ok(map)
        }
    }
    /// The value of a key. A duplicate key is rejected here, before the value is read, so that the error has the position
    /// of the value.
    struct MapValue<V> {
        is_duplicate: bool,
        value: PhantomData<V>,
    }
    impl<'de, V: Deserialize<'de>> DeserializeSeed<'de> for MapValue<V> {
        type Value = V;

        fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<V, D::Error> {
            if self.is_duplicate {
                return Err(D::Error::custom("duplicate name in a map"));
            }
            V::deserialize(deserializer)
        }
    }
    deserializer.deserialize_map(Map(PhantomData))
}

/// Colors as `"#rrggbb"` or `(red, green, blue)` from 0 to 1, both sRGB.
pub(crate) mod color {
    use super::*;

    struct Color(Srgba);

    /// Writes `"#rrggbb"` if eight bits per channel are exact, otherwise three numbers.
    pub(crate) fn serialize<S: Serializer>(
        color: &Option<Srgba>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        color.map(Color).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
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
            struct ColorVisitor;
            impl<'de> Visitor<'de> for ColorVisitor {
                type Value = Color;

                fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                    f.write_str("a color: \"#rrggbb\", or (red, green, blue) from 0 to 1")
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
            deserializer.deserialize_any(ColorVisitor)
        }
    }
}
