//! Unique names: programs find nodes, meshes, materials, images and animations by their names, but files repeat them.
//! It must not know the games' formats.

use crate::convert::extras::add_extra;
use gltf_json::{Extras, Root};
use std::collections::{HashMap, HashSet};

/// Makes all names of a kind unique. The name in the file is `extras.name` of what gets another one.
pub fn make_unique(root: &mut Root) {
    let mut nodes: Vec<Named<'_>> = root
        .nodes
        .iter_mut()
        .map(|node| {
            let is_light = |extensions: &gltf_json::extensions::scene::Node| {
                extensions.others.contains_key("KHR_lights_punctual")
            };
            let kind = match (&node.mesh, &node.extensions) {
                (Some(_), _) => Some("mesh"),
                (None, Some(extensions)) if is_light(extensions) => Some("light"),
                _ => None,
            };
            (&mut node.name, &mut node.extras, kind)
        })
        .collect();
    // The root, whose name is that of the file, is last, so that bones keep their names.
    if !nodes.is_empty() {
        nodes.rotate_left(1);
    }
    rename(nodes);
    let meshes = root.meshes.iter_mut();
    rename(meshes.map(|it| (&mut it.name, &mut it.extras, None)));
    let materials = root.materials.iter_mut();
    rename(materials.map(|it| (&mut it.name, &mut it.extras, None)));
    let images = root.images.iter_mut();
    rename(images.map(|it| (&mut it.name, &mut it.extras, None)));
    let animations = root.animations.iter_mut();
    rename(animations.map(|it| (&mut it.name, &mut it.extras, None)));
}

/// The name and the extras of an object, and the word that is appended to a name that another object has.
type Named<'a> = (&'a mut Option<String>, &'a mut Extras, Option<&'static str>);

fn rename<'a>(objects: impl IntoIterator<Item = Named<'a>>) {
    let objects: Vec<Named<'a>> = objects.into_iter().collect();
    let names = objects
        .iter()
        .map(|(name, _, kind)| (name.as_deref().unwrap_or_default(), *kind));
    let names = unique(&names.collect::<Vec<_>>());
    for ((name, extras, _), unique) in objects.into_iter().zip(names) {
        if let Some(old) = name.as_mut().filter(|old| **old != unique) {
            add_extra(extras, "name", old.as_str());
            *old = unique;
        }
    }
}

/// The names, each once. The first of equal ones remains. The others get their word, a number, or both: `barrel#2`.
pub fn unique(names: &[(&str, Option<&str>)]) -> Vec<String> {
    let mut used: HashSet<String> = names.iter().map(|(name, _)| (*name).to_owned()).collect();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut result = Vec::with_capacity(names.len());
    for (name, word) in names {
        if seen.insert(name) {
            result.push((*name).to_owned());
            continue;
        }
        let base = match word {
            Some(word) if !name.ends_with(word) => format!("{name} {word}"),
            _ => (*name).to_owned(),
        };
        if used.insert(base.clone()) {
            result.push(base);
            continue;
        }
        let count = counts.entry(base.clone()).or_insert(1);
        let unique = loop {
            *count += 1;
            let numbered = format!("{base}#{count}");
            if used.insert(numbered.clone()) {
                break numbered;
            }
        };
        result.push(unique);
    }
    result
}

#[cfg(test)]
mod tests {
    use super::unique;

    #[test]
    fn repeated_names_get_words_or_numbers_that_no_name_has() {
        let names = [
            ("barrel", None),
            ("barrel#2", None),
            ("barrel", None),
            ("barrel", Some("mesh")),
            ("barrel", Some("mesh")),
            ("barrel mesh", Some("mesh")),
            ("barrel mesh", Some("mesh")),
            ("hull", Some("mesh")),
            ("", None),
            ("", None),
        ];
        let expected = [
            "barrel",
            "barrel#2",
            "barrel#3",
            "barrel mesh#2",
            "barrel mesh#3",
            "barrel mesh",
            "barrel mesh#4",
            "hull",
            "",
            "#2",
        ];
        assert_eq!(unique(&names), expected);
    }

    #[test]
    fn many_equal_names_take_linear_time() {
        let names = vec![("bone", None); 50_000];
        assert_eq!(unique(&names).last().unwrap(), "bone#50000");
    }
}
