//! The visibility of parts. It depends on the part and on the bone that it is connected to, not on the bones above.

use crate::convert::alo::parts::{self, Part};
use crate::convert::clip::{Animated, Clip, Keys, VISIBILITY};
use crate::convert::document::Document;
use crate::convert::options::Visibility;
use bevy_classic_models::alamo::ConvertedAlo;
use bevy_classic_models::alamo::ala::{AlaBone, AlaFile, bit};
use serde_json::{Map, Value, json};

/// The visibility of a model's parts.
pub struct Visibilities<'a> {
    model: &'a ConvertedAlo<'a>,
    parts: &'a [Part],
    how: Visibility,
}

impl<'a> Visibilities<'a> {
    pub fn new(model: &'a ConvertedAlo<'a>, parts: &'a [Part], how: Visibility) -> Self {
        Self { model, parts, how }
    }

    /// Sets the visibility of all parts at rest.
    pub fn set(&self, document: &mut Document) {
        for part in self.parts {
            if self.at_rest(part) {
                continue;
            }
            match self.how {
                Visibility::Extension => {
                    document.extend_node(part.node, VISIBILITY, json!({ "visible": false }));
                }
                // The transform of a skinned mesh has no effect.
                Visibility::Scale if part.is_skinned => remove_from_scene(document, part),
                Visibility::Scale => {
                    if let Some(node) = document.root.nodes.get_mut(part.node.value()) {
                        node.scale = Some([0.0; 3]);
                    }
                    // The scale has no effect on lights.
                    document.remove_from_node(part.node, parts::EXTENSION);
                }
            }
        }
    }

    fn at_rest(&self, part: &Part) -> bool {
        let bone = self.model.bones.get(part.bone);
        part.is_shown && bone.is_none_or(|bone| bone.visible)
    }

    /// Animates the visibility of the parts. `bones` are those of the animation that match the model. Returns the parts
    /// whose visibility is lost.
    pub fn animate(
        &self,
        document: &mut Document,
        clip: &mut Clip,
        file: &AlaFile<'_>,
        bones: &[&AlaBone<'_>],
    ) -> Vec<String> {
        let mut lost = Vec::new();
        for part in self.parts {
            let Some(keys) = self.keys(part, file, bones) else {
                continue;
            };
            match self.how {
                Visibility::Extension => {
                    let rest = json!({ "visible": self.at_rest(part) });
                    document.extend_node(part.node, VISIBILITY, rest);
                    clip.visibility(document, part.node, &keys);
                }
                // The transform of a skinned mesh has no effect.
                Visibility::Scale if part.is_skinned => lost.push(self.lost(part)),
                Visibility::Scale => {
                    let scale = |shown: &bool| if *shown { part.scale } else { [0.0; 3] };
                    let keys = Keys {
                        times: keys.times,
                        values: keys.values.iter().map(scale).collect(),
                        steps: true,
                    };
                    clip.animate(document, part.node, Animated::Scale, &keys);
                }
            }
        }
        lost
    }

    /// The visibility tracks of bones without parts that are ever shown or can be, by their indices: the frames at which they
    /// change, after 1 for visible or 0 at the start. No node shows them.
    pub fn unseen(&self, file: &AlaFile<'_>) -> Map<String, Value> {
        let is_seen = |bone: u32| {
            self.parts.iter().any(|part| {
                let is_lost = part.is_skinned && self.how == Visibility::Scale;
                part.is_shown && !is_lost && part.bone == bone as usize
            })
        };
        let unseen = file.bones.iter().filter(|bone| !is_seen(bone.index));
        let track = |bone: &AlaBone<'_>| {
            let track = bone.visibility?;
            let mut values = vec![u32::from(bit(track, 0))];
            values.extend(
                (1..file.frames).filter(|frame| bit(track, *frame) != bit(track, frame - 1)),
            );
            Some((bone.index.to_string(), json!(values)))
        };
        unseen.filter_map(track).collect()
    }

    /// How a skinned mesh whose visibility is animated differs from the original.
    fn lost(&self, part: &Part) -> String {
        let remains = match self.at_rest(part) {
            true => "always visible",
            false => "always hidden",
        };
        format!(
            "mesh \"{}\" is skinned, so its visibility cannot be animated by scale: it is {remains}",
            part.name
        )
    }

    /// When a part is shown and hidden. `None` if it is as at rest.
    fn keys(&self, part: &Part, file: &AlaFile<'_>, bones: &[&AlaBone<'_>]) -> Option<Keys<bool>> {
        if !part.is_shown {
            return None;
        }
        // A bone without a record keeps the model's flag. One with a record, but without a track, is visible.
        let bone = bones.iter().find(|it| it.index as usize == part.bone)?;
        let is_shown = |frame| bone.visibility.is_none_or(|track| bit(track, frame));
        let last = file.frames.saturating_sub(1);
        let mut keys = Keys {
            times: vec![0.0],
            values: vec![is_shown(0)],
            steps: true,
        };
        for frame in 1..=last {
            let shown = is_shown(frame);
            if keys.values.last() != Some(&shown) {
                keys.times.push(frame as f32 / file.fps);
                keys.values.push(shown);
            }
        }
        if keys.values == [self.at_rest(part)] {
            return None;
        }
        let end = file.seconds();
        if keys.times.last().is_some_and(|last| *last < end) {
            keys.times.push(end);
            keys.values.push(is_shown(last));
        }
        Some(keys)
    }
}

/// Removes the node of a part from the scene. It remains outside, for the way back.
fn remove_from_scene(document: &mut Document, part: &Part) {
    for scene in &mut document.root.scenes {
        scene.nodes.retain(|node| node.value() != part.node.value());
    }
}
