//! Animations of Alamo models.

use crate::convert::alo::visibility::Visibilities;
use crate::convert::clip::{Animated, Clip, Keys};
use crate::convert::document::{Document, extras};
use bevy_classic_models::alamo::ConvertedAlo;
use bevy_classic_models::alamo::ala::{self, AlaBone, AlaFile, AlaPose, bit};
use gltf_json::{Index, Node};
use serde_json::json;
use std::collections::BTreeMap;

/// The model that animations are for.
pub struct Clips<'a> {
    pub model: &'a ConvertedAlo<'a>,
    /// The nodes of the model's bones.
    pub bones: &'a [Index<Node>],
    pub visibilities: &'a Visibilities<'a>,
}

impl Clips<'_> {
    /// The animation of a file, and its problems, such as bones that do not match the model.
    ///
    /// # Errors
    /// If the file is damaged.
    pub fn convert(
        &self,
        document: &mut Document,
        name: &str,
        bytes: &[u8],
    ) -> Result<(Clip, Vec<String>), String> {
        let file = ala::parse(bytes).map_err(|error| error.to_string())?;
        let mut problems: Vec<String> = file.warnings.iter().map(ToString::to_string).collect();
        let source = Source {
            name,
            file: &file,
            clips: self,
        };
        let (clip, lost) = source.convert(document);
        problems.extend(lost);
        Ok((clip, problems))
    }
}

/// An animation.
struct Source<'a> {
    name: &'a str,
    file: &'a AlaFile<'a>,
    clips: &'a Clips<'a>,
}

impl Source<'_> {
    /// The animation, and what it lacks: bones that do not match the model, and the visibility of some meshes.
    fn convert(&self, document: &mut Document) -> (Clip, Vec<String>) {
        let mut problems = Vec::new();
        let mut bones: BTreeMap<u32, &AlaBone<'_>> = BTreeMap::new();
        for bone in &self.file.bones {
            match self.mismatch(bone) {
                Some(mismatch) => problems.push(format!("left out: {mismatch}")),
                // If two entries have the same bone index, the first is used.
                None => {
                    bones.entry(bone.index).or_insert(bone);
                }
            }
        }
        let mut clip = Clip::new(self.name, self.end());
        clip.extras = extras(&json!({ "frames": self.file.frames, "fps": self.file.fps }));
        for (index, bone) in &bones {
            if let Some(node) = self.clips.bones.get(*index as usize) {
                self.add_bone(document, &mut clip, *node, bone);
            }
        }
        let bones: Vec<&AlaBone<'_>> = bones.into_values().collect();
        let visibilities = self.clips.visibilities;
        problems.extend(visibilities.animate(document, &mut clip, self.file, &bones));
        if clip.is_empty() {
            self.add_rest(document, &mut clip);
        }
        (clip, problems)
    }

    /// Why a bone does not match the model.
    fn mismatch(&self, bone: &AlaBone<'_>) -> Option<String> {
        let (index, name) = (bone.index, &bone.name);
        match self.clips.model.bones.get(index as usize) {
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

    /// The time of the last frame.
    fn end(&self) -> f32 {
        self.file.seconds().max(0.0)
    }

    fn add_bone(
        &self,
        document: &mut Document,
        clip: &mut Clip,
        node: Index<Node>,
        bone: &AlaBone<'_>,
    ) {
        let rest = self.clips.model.bones.get(bone.index as usize);
        let rest = rest.map(|bone| bone.transform).unwrap_or_default();
        let first = self.file.sample(bone, 0.0);
        if bone.translation.is_some() {
            let keys = self.keys(bone, |pose| pose.translation);
            clip.animate(document, node, Animated::Translation, &keys);
        } else if first.translation != rest.translation.to_array() {
            let keys = Keys::constant(first.translation, self.end());
            clip.animate(document, node, Animated::Translation, &keys);
        }
        if bone.rotation.is_some() {
            let keys = self.keys(bone, |pose| pose.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]));
            clip.rotations(document, node, keys);
        } else if let Some(rotation) = first.rotation
            && rotation != rest.rotation.to_array()
        {
            clip.rotations(document, node, Keys::constant(rotation, self.end()));
        }
        if bone.scale.is_some() {
            let keys = self.keys(bone, |pose| pose.scale);
            clip.animate(document, node, Animated::Scale, &keys);
        } else if first.scale != rest.scale.to_array() && !is_one(first.scale) {
            let keys = Keys::constant(first.scale, self.end());
            clip.animate(document, node, Animated::Scale, &keys);
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

    /// Animates the first bone with its rest pose, so that an animation without tracks keeps its duration.
    fn add_rest(&self, document: &mut Document, clip: &mut Clip) {
        if let (Some(node), Some(bone)) = (self.clips.bones.first(), self.clips.model.bones.first())
        {
            let rest = bone.transform.translation.to_array();
            let keys = Keys::constant(rest, self.end());
            clip.animate(document, *node, Animated::Translation, &keys);
        }
    }
}

/// Whether a scale counts as 1. Exporters rounded the values that they wrote.
fn is_one(scale: [f32; 3]) -> bool {
    scale.iter().all(|scale| (scale - 1.0).abs() < 5e-6)
}
