//! The tags in the names of meshes, proxies and other parts: `_LOD1`, `_ALT2`.

/// A name and the tags in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AloTags {
    /// The level of detail: a higher number is finer. `None` belongs to every level.
    pub lod: Option<u32>,
    /// The damage stage: 0 is undamaged. `None` belongs to every stage.
    pub alt: Option<u32>,
    /// The name without its tags.
    pub stem: String,
}

impl AloTags {
    /// Finds the tags of a name (case-insensitive). A tag without a number is part of the stem.
    pub fn of(name: &str) -> Self {
        let mut stem = name.to_owned();
        let lod = remove(&mut stem, "_lod");
        let alt = remove(&mut stem, "_alt");
        Self { lod, alt, stem }
    }
}

/// Whether the part of a name shows the team's color.
pub(crate) fn begins_with_fc(name: &str) -> bool {
    name.get(..3)
        .is_some_and(|start| start.eq_ignore_ascii_case("FC_"))
}

/// Removes the last occurrence of a tag with a number from a name. Returns the number.
fn remove(name: &mut String, tag: &str) -> Option<u32> {
    let lower = name.to_ascii_lowercase();
    for (begin, _) in lower.rmatch_indices(tag) {
        let digits = &lower[begin + tag.len()..];
        let length = digits.bytes().take_while(u8::is_ascii_digit).count();
        if let Ok(number) = digits[..length].parse() {
            name.replace_range(begin..begin + tag.len() + length, "");
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_found_in_any_order_and_case() {
        for (name, lod, alt, stem) in [
            ("Hull", None, None, "Hull"),
            ("Hull_LOD1", Some(1), None, "Hull"),
            ("hull_alt2_lod10", Some(10), Some(2), "hull"),
            ("P_SMOKE_Alt3", None, Some(3), "P_SMOKE"),
            ("Cobalt_Alt", None, None, "Cobalt_Alt"),
            ("a_LOD99999999999", None, None, "a_LOD99999999999"),
            ("Ünï_LOD0", Some(0), None, "Ünï"),
        ] {
            let tags = AloTags::of(name);
            assert_eq!(
                (tags.lod, tags.alt, &*tags.stem),
                (lod, alt, stem),
                "{name}"
            );
        }
    }
}
