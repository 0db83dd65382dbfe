//! The names of meshes with levels of detail, which Alamo models have in tags: `Hull_LOD1`. A higher number is finer, and a mesh with a
//! tag is drawn only at its own number.

use crate::alo::skeleton::stated_name;
use crate::scene::{Node, Scene};
use std::collections::BTreeMap;

/// Names the meshes of a scene.
pub struct Names<'a> {
    scene: &'a Scene,
    /// The number of the finest level.
    finest: usize,
}

impl<'a> Names<'a> {
    pub fn new(scene: &'a Scene) -> Self {
        let meshes = scene.nodes.iter().filter(|node| node.mesh.is_some());
        let number = |node: &Node| match split(stated_name(node)).1 {
            Some(number) => number,
            None => node.lod.map_or(0, |lod| lod.level),
        };
        Self {
            finest: meshes.map(number).max().unwrap_or(0),
            scene,
        }
    }

    /// The name of the mesh of a node. A level without a tag gets one, after the name of the finest level.
    pub fn of(&self, node: &Node) -> String {
        let own = stated_name(node);
        let Some(lod) = node.lod.filter(|_| split(own).1.is_none()) else {
            return own.to_owned();
        };
        let number = self.finest.saturating_sub(lod.level);
        format!("{}_LOD{number}", self.stem(node))
    }

    /// Warnings about meshes with fewer levels than others.
    pub fn warnings(&self) -> Vec<String> {
        let mut coarsest: BTreeMap<String, usize> = BTreeMap::new();
        let nodes = self.scene.nodes.iter().filter(|node| node.mesh.is_some());
        for (node, lod) in nodes.filter_map(|node| Some((node, node.lod?))) {
            let level = coarsest.entry(self.stem(node)).or_default();
            *level = lod.level.max(*level);
        }
        let most = coarsest.values().copied().max().unwrap_or(0);
        let fewer = coarsest.iter().filter(|(_, level)| **level < most);
        let warning = |(name, level): (&String, &usize)| {
            format!(
                "mesh {name:?} has {} levels of detail, and others have {}: it is not drawn at the coarsest",
                level + 1,
                most + 1
            )
        };
        fewer.map(warning).collect()
    }

    /// The name of the finest level, without its tag.
    fn stem(&self, node: &Node) -> String {
        let finest = node.lod.and_then(|lod| self.scene.nodes.get(lod.finest?));
        split(stated_name(finest.unwrap_or(node))).0
    }
}

/// A name without the tag of a level, and the number of the tag.
fn split(name: &str) -> (String, Option<usize>) {
    let lower = name.to_ascii_lowercase();
    for (start, tag) in lower.rmatch_indices("_lod") {
        let digits = start + tag.len();
        let rest = lower.get(digits..).unwrap_or_default();
        let length = rest
            .find(|it: char| !it.is_ascii_digit())
            .unwrap_or(rest.len());
        if let Ok(number) = rest.get(..length).unwrap_or_default().parse() {
            let mut stem = name.to_owned();
            stem.replace_range(start..digits + length, "");
            return (stem, Some(number));
        }
    }
    (name.to_owned(), None)
}
