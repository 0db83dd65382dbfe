//! Animations of Alamo models.

use crate::convert::alo::visibility::Visibilities;
use crate::convert::clip::{Animated, Clip, Keys};
use crate::convert::document::{Document, extras};
use bevy_classic_models::alamo::ala::{AlaBone, AlaFile, AlaPose, bit};
use bevy_classic_models::alamo::{AloBoneInfo, ConvertedAlo};
use gltf_json::{Index, Node};
use serde_json::json;
use std::collections::BTreeMap;

/// An animation, and the model that it is for.
pub struct Animation<'a> {
    pub model: &'a ConvertedAlo<'a>,
    /// The nodes of the model's bones.
    pub bones: &'a [Index<Node>],
    pub visibilities: &'a Visibilities<'a>,
    pub name: &'a str,
    pub file: &'a AlaFile<'a>,
}

impl Animation<'_> {
    /// The animation, and its problems, such as bones that do not match the model, and the visibility of meshes that is lost.
    pub fn convert(&self, document: &mut Document) -> (Clip, Vec<String>) {
        let warnings = self.file.warnings.iter();
        let mut problems: Vec<String> = warnings.map(ToString::to_string).collect();
        let mut bones: BTreeMap<u32, &AlaBone<'_>> = BTreeMap::new();
        for bone in &self.file.bones {
            match mismatch(&self.model.bones, bone) {
                Some(mismatch) => problems.push(format!("left out: {mismatch}")),
                // If two entries have the same bone index, the first is used.
                None => {
                    bones.entry(bone.index).or_insert(bone);
                }
            }
        }
        let mut clip = Clip::new(self.name, self.file.seconds().max(0.0));
        clip.extras = extras(&json!({ "frames": self.file.frames, "fps": self.file.fps }));
        for (index, bone) in &bones {
            if let Some(node) = self.bones.get(*index as usize) {
                self.add_bone(document, &mut clip, *node, bone);
            }
        }
        let bones: Vec<&AlaBone<'_>> = bones.into_values().collect();
        let lost = self
            .visibilities
            .animate(document, &mut clip, self.file, &bones);
        problems.extend(lost);
        // The first bone keeps its rest pose, so that an animation without tracks keeps its duration.
        if clip.is_empty()
            && let (Some(node), Some(bone)) = (self.bones.first(), self.model.bones.first())
        {
            let rest = bone.transform.translation.to_array();
            clip.hold(document, *node, Animated::Translation, rest);
        }
        (clip, problems)
    }

    fn add_bone(
        &self,
        document: &mut Document,
        clip: &mut Clip,
        node: Index<Node>,
        bone: &AlaBone<'_>,
    ) {
        let rest = self.model.bones.get(bone.index as usize);
        let rest = rest.map(|bone| bone.transform).unwrap_or_default();
        let first = self.file.sample(bone, 0.0);
        if bone.translation.is_some() {
            let keys = self.keys(bone, |pose| pose.translation);
            clip.animate(document, node, Animated::Translation, &keys);
        } else if first.translation != rest.translation.to_array() {
            clip.hold(document, node, Animated::Translation, first.translation);
        }
        if bone.rotation.is_some() {
            let keys = self.keys(bone, |pose| pose.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
            clip.rotations(document, node, keys);
        } else if let Some(rotation) = first.rotation
            && rotation != rest.rotation.to_array()
        {
            clip.hold(document, node, Animated::Rotation, rotation);
        }
        if bone.scale.is_some() {
            let keys = self.keys(bone, |pose| pose.scale);
            clip.animate(document, node, Animated::Scale, &keys);
        } else if first.scale != rest.scale.to_array() && !is_one(first.scale) {
            clip.hold(document, node, Animated::Scale, first.scale);
        }
    }

    /// The keys of a property that has a track: one per frame. A value that is held until the next frame gets a second key
    /// just before that frame.
    fn keys<const N: usize>(
        &self,
        bone: &AlaBone<'_>,
        value: impl Fn(&AlaPose) -> [f32; N],
    ) -> Keys<[f32; N]> {
        let file = self.file;
        let last = file.frames.saturating_sub(1);
        let holds = |frame: u32| bone.steps.is_some_and(|steps| bit(steps, frame));
        let steps = bone.steps.is_some() && (0..last).all(holds);
        let time = |frame: u32| frame as f32 / file.fps;
        let mut keys = Vec::new();
        for frame in 0..=last {
            let pose = value(&file.sample(bone, frame as f32));
            keys.push((time(frame), pose));
            if !steps && frame < last && holds(frame) {
                keys.push((time(frame + 1), pose));
            }
        }
        Keys {
            steps,
            ..Keys::ascending(keys)
        }
        .reduced()
    }
}

/// Why a bone of an animation does not match the bones of a model.
pub fn mismatch(bones: &[AloBoneInfo], bone: &AlaBone<'_>) -> Option<String> {
    let (index, name) = (bone.index, &bone.name);
    match bones.get(index as usize) {
        Some(found) if found.name.to_lowercase() == name.to_lowercase() => None,
        Some(found) => Some(format!(
            "bone {index} is \"{name}\" in the animation, but \"{}\" in the model",
            found.name
        )),
        None => Some(format!(
            "bone {index}, \"{name}\", is missing from the model"
        )),
    }
}

/// Whether a scale counts as 1. Exporters rounded the values that they wrote.
fn is_one(scale: [f32; 3]) -> bool {
    scale.iter().all(|scale| (scale - 1.0).abs() < 5e-6)
}
