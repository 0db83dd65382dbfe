//! Where the values of a manifest are in its text. RON's own reader finds them, so that nothing here has to know how
//! they are written.

use super::problem::Step;
use super::read::options;
use core::fmt;
use ron::{Deserializer, Error};
use serde::de::{self, DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The offset of a value, or of the innermost value around it that is there. What follows the value need not be
/// well formed.
pub(super) fn place(text: &str, steps: &[Step<'_>]) -> usize {
    let mut depths = (0..=steps.len()).rev();
    let found = depths.find_map(|depth| find(text, steps.get(..depth)?));
    found.unwrap_or_default()
}

/// The offset of a value, if it is there.
fn find(text: &str, steps: &[Step<'_>]) -> Option<usize> {
    let mut reader = Deserializer::from_str_with_options(text, &options()).ok()?;
    match (Seeker { steps }).deserialize(&mut reader) {
        Err(Error::Message(message)) if message == FOUND => {
            Some(text.len() - reader.remainder().len())
        }
        _ => None,
    }
}

/// The error that stops the reader in front of the value.
const FOUND: &str = "found";

/// Leads RON's reader to a value.
struct Seeker<'a> {
    steps: &'a [Step<'a>],
}

impl<'de> DeserializeSeed<'de> for Seeker<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        match self.steps {
            [] => Err(D::Error::custom(FOUND)),
            _ => reader.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Seeker<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values within values")
    }

    fn visit_some<D: de::Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        let steps = self.steps.strip_prefix(&[Step::Inner]);
        let steps = steps.unwrap_or(self.steps);
        Seeker { steps }.deserialize(reader)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Some((Step::Element(index), steps)) = self.steps.split_first() else {
            return Ok(());
        };
        for _ in 0..*index {
            elements.next_element::<IgnoredAny>()?;
        }
        elements.next_element_seed(Seeker { steps })?;
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Some((Step::Field(name) | Step::Key(name), steps)) = self.steps.split_first() else {
            return Ok(());
        };
        while let Some(key) = entries.next_key::<String>()? {
            if key == *name {
                return entries.next_value_seed(Seeker { steps });
            }
            entries.next_value::<IgnoredAny>()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::manifest::problem::Step::{Element, Field, Inner, Key};

    const TEXT: &str = r##"#![enable(implicit_some)]
// model: "no"
Manifest /* ( */ (
    notes: ["scale: 3, (", r#"a "quoted" ("#, b"\"", 'x', '\'', '(' ],
    r#scale: 2.0,
    clips: [(name: "a)"), (name: "b", frames: (1, 2),),],
    skins: {"red": "r.dtx", "b\"l": "b", "gr\\en": Some("g.dtx")},
    last: [],
)"##;

    fn rest(steps: &[Step<'_>]) -> &'static str {
        &TEXT[place(TEXT, steps)..]
    }

    #[test]
    fn values_are_found_by_their_steps() {
        assert!(rest(&[Field("scale")]).starts_with("2.0"));
        let clip = [Field("clips"), Element(1)];
        assert!(rest(&clip).starts_with("(name: \"b\""));
        let second = [Field("clips"), Element(1), Field("frames"), Element(1)];
        assert!(rest(&second).starts_with("2)"));
        assert!(rest(&[Field("skins"), Key("red")]).starts_with("\"r.dtx\""));
        assert!(rest(&[Field("skins"), Key("b\"l")]).starts_with("\"b\""));
        assert!(rest(&[Field("skins"), Key("gr\\en")]).starts_with("Some("));
        assert!(rest(&[Field("skins"), Key("gr\\en"), Inner]).starts_with("\"g.dtx\""));
        assert!(rest(&[Field("skins"), Key("red"), Inner]).starts_with("\"r.dtx\""));
        assert!(rest(&[Field("last")]).starts_with("[]"));
    }

    #[test]
    fn what_is_not_there_is_where_it_would_be() {
        assert!(rest(&[]).starts_with("Manifest"));
        assert!(rest(&[Field("model")]).starts_with("Manifest"));
        assert!(rest(&[Field("clips"), Element(7)]).starts_with("[(name"));
        assert!(rest(&[Field("skins"), Key("blue")]).starts_with("{\"red\""));
        assert_eq!(place("", &[Field("a")]), 0);
    }

    #[test]
    fn what_follows_a_value_may_be_malformed() {
        assert_eq!(place("(a: 1, b: [2, \"c", &[Field("b"), Element(1)]), 14);
        assert_eq!(place("(a: (1, @", &[Field("a"), Element(1)]), 8);
        assert_eq!(place("(a: (1, @", &[Field("a"), Element(2)]), 4);
    }
}
