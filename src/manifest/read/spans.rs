//! Finds the byte offsets of values in the text of a manifest. It uses the RON deserializer, so it needs no knowledge
//! of the syntax.

use crate::manifest::read::error::Step;
use core::fmt;
use ron::extensions::Extensions;
use ron::{Deserializer, Error, Options};
use serde::de::{
    self, DeserializeSeed, Deserializer as _, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

/// The maximum nesting of values. Valid manifests have four levels.
const MAX_NESTING: usize = 32;

/// The options of every reader and writer of manifests.
pub(crate) fn options() -> Options {
    Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME)
        .with_recursion_limit(MAX_NESTING)
}

/// The offset of a value. If it does not exist, the offset of the innermost existing value around it. The text after
/// the value may be malformed.
pub(crate) fn find_offset(text: &str, steps: &[Step<'_>]) -> usize {
    let mut depths = (0..=steps.len()).rev();
    let found = depths.find_map(|depth| find(text, steps.get(..depth)?));
    found.unwrap_or_default()
}

/// The names of the fields that the text of a valid manifest sets.
pub(crate) fn field_names(text: &str) -> Vec<String> {
    let deserializer = Deserializer::from_str_with_options(text, &options()).ok();
    let names = deserializer.and_then(|mut of| of.deserialize_any(FieldNames).ok());
    names.unwrap_or_default()
}

/// Collects the names of fields.
struct FieldNames;

impl<'de> Visitor<'de> for FieldNames {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a manifest")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Vec<String>, A::Error> {
        let mut names = Vec::new();
        while let Some(name) = entries.next_key()? {
            entries.next_value::<IgnoredAny>()?;
            names.push(name);
        }
        Ok(names)
    }
}

/// The offset of a value, if it exists.
fn find(text: &str, steps: &[Step<'_>]) -> Option<usize> {
    let mut deserializer = Deserializer::from_str_with_options(text, &options()).ok()?;
    match (Seeker { steps }).deserialize(&mut deserializer) {
        Err(Error::Message(message)) if message == FOUND => {
            Some(text.len() - deserializer.remainder().len())
        }
        _ => None,
    }
}

/// The error that stops the deserializer before the value.
const FOUND: &str = "found";

/// Moves the RON deserializer to a value.
struct Seeker<'a> {
    steps: &'a [Step<'a>],
}

impl<'de> DeserializeSeed<'de> for Seeker<'_> {
    type Value = ();

    fn deserialize<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.steps {
            [] => Err(D::Error::custom(FOUND)),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Seeker<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("values within values")
    }

    fn visit_some<D: de::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        let steps = self.steps.strip_prefix(&[Step::Inner]);
        let steps = steps.unwrap_or(self.steps);
        Seeker { steps }.deserialize(deserializer)
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
    use crate::manifest::read::error::Step::{Element, Field, Inner, Key};

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
        &TEXT[find_offset(TEXT, steps)..]
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
    fn fields_are_listed() {
        let names = ["notes", "scale", "clips", "skins", "last"];
        assert_eq!(field_names(TEXT), names);
        assert_eq!(field_names("()"), [""; 0]);
        assert_eq!(field_names("("), [""; 0]);
    }

    #[test]
    fn missing_values_have_the_offset_of_their_container() {
        assert!(rest(&[]).starts_with("Manifest"));
        assert!(rest(&[Field("model")]).starts_with("Manifest"));
        assert!(rest(&[Field("clips"), Element(7)]).starts_with("[(name"));
        assert!(rest(&[Field("skins"), Key("blue")]).starts_with("{\"red\""));
        assert_eq!(find_offset("", &[Field("a")]), 0);
    }

    #[test]
    fn text_after_a_value_may_be_malformed() {
        assert_eq!(
            find_offset("(a: 1, b: [2, \"c", &[Field("b"), Element(1)]),
            14
        );
        assert_eq!(find_offset("(a: (1, @", &[Field("a"), Element(1)]), 8);
        assert_eq!(find_offset("(a: (1, @", &[Field("a"), Element(2)]), 4);
    }
}
