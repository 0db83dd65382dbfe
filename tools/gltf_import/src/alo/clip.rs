//! Animations of Alamo models: each bone's transform, visibility and steps for each frame.

use crate::alo::FORMAT;
use crate::alo::skeleton::{Skeleton, is_hidden, is_part};
use crate::animation::{Animation, Property};
use crate::error::{Error, Result};
use crate::scene::{Scene, Transform};
use classic_model_formats::ala::write::{AlaDocument, BoneTracks, Rotations, Vectors};
use serde_json::Value;
use std::collections::{HashMap, HashSet};

/// Frames per second of animations that do not state them.
const FPS: f32 = 30.0;

/// The maximum counts of frames of all animations, and of those of all nodes.
const MAX_FRAMES: usize = 1 << 17;
const MAX_NODE_FRAMES: usize = 1 << 22;

/// Version of the format for animations that do not state it: that of Forces of Corruption.
const VERSION: u8 = 2;

/// The animations with their names.
///
/// # Errors
/// If they are too long.
pub fn documents<'a>(
    scene: &'a Scene,
    skeleton: &Skeleton,
    animations: &[&'a Animation],
) -> Result<Vec<(&'a String, AlaDocument)>> {
    let clips = scene.extra(FORMAT, "clips");
    let stated = |animation: &Animation| clips.and_then(|clips| clips.get(&animation.name));
    let counts = animations.iter().map(|it| frames(it, fps(stated(it))));
    let count = counts.fold(0, usize::saturating_add);
    if count > MAX_FRAMES || count.saturating_mul(scene.nodes.len()) > MAX_NODE_FRAMES {
        return Err(Error::new(format_args!(
            "the animations are too long: {count} frames"
        )));
    }
    let document = |animation: &&'a Animation| {
        let clip = Clip::new(scene, skeleton, animation, stated(animation));
        (&animation.name, clip.document())
    };
    Ok(animations.iter().map(document).collect())
}

/// An animation, sampled at its frames.
struct Clip<'a> {
    scene: &'a Scene,
    skeleton: &'a Skeleton,
    version: u8,
    fps: f32,
    /// The values of the animation in a converted model.
    stated: Option<&'a Value>,
    /// For each bone, the parts that the animation shows and hides.
    toggled: HashMap<usize, Vec<usize>>,
    /// The transforms of all nodes at each frame, and half a frame later.
    frames: Vec<[Vec<Transform>; 2]>,
}

impl<'a> Clip<'a> {
    fn new(
        scene: &'a Scene,
        skeleton: &'a Skeleton,
        animation: &'a Animation,
        stated: Option<&'a Value>,
    ) -> Self {
        let fps = fps(stated);
        let [begin, _] = animation.span();
        let version = stated.and_then(|clip| clip.get("version")?.as_u64());
        let rest: Vec<Transform> = scene.nodes.iter().map(|node| node.transform).collect();
        let at = |time: f32| {
            let mut transforms = rest.clone();
            animation.apply(time, &mut transforms, &mut []);
            scene.inherit_visibility(&mut transforms);
            transforms
        };
        let frame = |index: usize| [0.0, 0.5].map(|part| at(begin + (index as f32 + part) / fps));
        Self {
            scene,
            skeleton,
            stated,
            toggled: toggled(scene, skeleton, animation),
            version: if version == Some(1) { 1 } else { VERSION },
            fps,
            frames: (0..frames(animation, fps)).map(frame).collect(),
        }
    }

    fn document(&self) -> AlaDocument {
        // The root stands still in the games' files, which have no record of it.
        let is_used = |bone: &usize| *bone > 0 || self.root_moves();
        AlaDocument {
            version: self.version,
            frames: self.frames.len() as u32,
            fps: self.fps,
            bones: (0..self.skeleton.len())
                .filter(is_used)
                .map(|bone| self.bone(bone))
                .collect(),
        }
    }

    fn root_moves(&self) -> bool {
        let rest: Vec<Transform> = self.scene.nodes.iter().map(|node| node.transform).collect();
        let at = |transforms: &Vec<Transform>| self.skeleton.local_transform(0, transforms);
        self.frames
            .iter()
            .any(|[frame, _]| difference(&at(frame), &at(&rest)) > 1e-4)
    }

    fn bone(&self, bone: usize) -> BoneTracks {
        let local = |transforms: &Vec<Transform>| self.skeleton.local_transform(bone, transforms);
        let frames: Vec<[Transform; 2]> = self
            .frames
            .iter()
            .map(|frame| frame.each_ref().map(local))
            .collect();
        let values = |value: fn(&Transform) -> [f32; 3]| {
            frames.iter().map(|[it, _]| value(it)).collect::<Vec<_>>()
        };
        let rotations: Vec<[f32; 4]> = frames
            .iter()
            .map(|[it, _]| it.rotation.to_array())
            .collect();
        // Half way to the next frame, a transform that is interpolated has changed by half.
        let holds = |pair: &[[Transform; 2]]| match pair {
            [[here, middle], [next, _]] => {
                let change = difference(here, next);
                change > 1e-5 && difference(here, middle) < 0.2 * change
            }
            _ => false,
        };
        let mut steps: Vec<bool> = frames.windows(2).map(holds).collect();
        steps.push(false);
        BoneTracks {
            name: self.skeleton.name(self.scene, bone).to_owned(),
            index: bone as u32,
            unknown: Some(1),
            translation: Vectors::from_frames(&settled(values(|it| it.translation.to_array()))),
            scale: Vectors::from_frames(&settled(values(|it| it.scale.to_array()))),
            rotation: Rotations::from_frames(&rotations),
            visibility: self.visibility(bone),
            steps: steps.contains(&true).then_some(steps),
        }
    }

    /// For a bone that has nothing that a node could show, the frames at which the visibility of a converted model changes: hidden
    /// before the first.
    fn stated_visibility(&self, bone: usize) -> Option<Vec<u64>> {
        let tracks = self.stated?.get("visibility")?;
        let values = tracks.get(bone.to_string())?.as_array()?;
        let mut numbers = values.iter().filter_map(Value::as_u64);
        let starts = (numbers.next()? == 1).then_some(0);
        let mut changes: Vec<u64> = starts.into_iter().chain(numbers).collect();
        changes.sort_unstable();
        Some(changes)
    }

    /// Whether the parts of a bone are shown at each frame. `None` if always.
    fn visibility(&self, bone: usize) -> Option<Vec<bool>> {
        let nodes = self
            .toggled
            .get(&bone)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let frames = self.frames.iter();
        if nodes.is_empty()
            && let Some(changes) = self.stated_visibility(bone)
        {
            let is_visible = |frame| changes.partition_point(|change| *change <= frame) % 2 == 1;
            let visibility: Vec<bool> = (0..self.frames.len() as u64).map(is_visible).collect();
            return visibility.contains(&false).then_some(visibility);
        }
        if nodes.is_empty() {
            let node = self
                .skeleton
                .node(bone)
                .and_then(|node| self.scene.nodes.get(node));
            let visible = node
                .and_then(|node| node.extras.get("visible")?.as_bool())
                .unwrap_or(true);
            return (!visible).then(|| frames.map(|_| false).collect());
        }
        let is_shown = |transforms: &Vec<Transform>| {
            nodes
                .iter()
                .any(|node| transforms.get(*node).is_some_and(|it| !is_hidden(it)))
        };
        let visibility: Vec<bool> = frames.map(|[here, _]| is_shown(here)).collect();
        visibility.contains(&false).then_some(visibility)
    }
}

/// The frames per second of an animation.
fn fps(stated: Option<&Value>) -> f32 {
    let stated = stated.and_then(|clip| clip.get("fps")?.as_f64());
    stated.map_or(FPS, |fps| fps as f32).clamp(0.01, 1000.0)
}

/// The count of frames of an animation.
fn frames(animation: &Animation, fps: f32) -> usize {
    let [begin, end] = animation.span();
    (((end - begin) * fps).round() as usize).saturating_add(1)
}

/// For each bone, the parts that an animation shows and hides.
fn toggled(
    scene: &Scene,
    skeleton: &Skeleton,
    animation: &Animation,
) -> HashMap<usize, Vec<usize>> {
    let mut by_scale = HashSet::new();
    // Visibility is that of all nodes below.
    let mut by_visibility = vec![false; scene.nodes.len()];
    for channel in &animation.channels {
        let node = scene.nodes.get(channel.node);
        match channel.property {
            Property::Scale if node.is_some_and(|it| channel.only_hides(it.transform.scale)) => {
                by_scale.insert(channel.node);
            }
            Property::Visibility => {
                if let Some(slot) = by_visibility.get_mut(channel.node) {
                    *slot = true;
                }
            }
            _ => {}
        }
    }
    let mut toggled: HashMap<usize, Vec<usize>> = HashMap::new();
    for (index, node) in scene.nodes.iter().enumerate() {
        let at = |index: Option<usize>| index.and_then(|index| by_visibility.get(index).copied());
        let is_toggled = at(Some(index)) == Some(true) || at(node.parent) == Some(true);
        if let Some(slot) = by_visibility.get_mut(index) {
            *slot = is_toggled;
        }
        if is_part(node) && (is_toggled || by_scale.contains(&index)) {
            toggled
                .entry(skeleton.place(index).0)
                .or_default()
                .push(index);
        }
    }
    toggled
}

/// Values that differ only by rounding become one, so that they need no track.
fn settled(values: Vec<[f32; 3]>) -> Vec<[f32; 3]> {
    let Some(first) = values.first().copied() else {
        return values;
    };
    let size = first
        .iter()
        .fold(1.0_f32, |max, value| max.max(value.abs()));
    let is_near = |value: &[f32; 3]| {
        value
            .iter()
            .zip(first)
            .all(|(a, b)| (a - b).abs() <= size * 1e-6)
    };
    match values.iter().all(is_near) {
        true => vec![first; values.len()],
        false => values,
    }
}

/// How different two transforms are.
fn difference(a: &Transform, b: &Transform) -> f32 {
    // A rotation has two quaternions.
    let [same, opposite] = [b.rotation, -b.rotation].map(|it| (a.rotation - it).length());
    a.translation.distance(b.translation) + a.scale.distance(b.scale) + same.min(opposite)
}
