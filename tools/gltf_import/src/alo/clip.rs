//! Animations of Alamo models: each bone's transform, visibility and steps for each frame.

use crate::alo::FORMAT;
use crate::alo::skeleton::{Skeleton, is_hidden, is_part};
use crate::animation::{Animation, Property};
use crate::error::{Error, Result};
use crate::scene::{Scene, Transform};
use classic_model_formats::ala::write::{AlaDocument, BoneTracks, Rotations, Vectors};

/// Frames per second of animations that do not state them.
const FPS: f32 = 30.0;

/// The maximum count of frames of all bones of an animation.
const MAX_FRAMES: usize = 1 << 22;

/// Version of the format for animations that do not state it: that of Forces of Corruption.
const VERSION: u8 = 2;

/// All animations by their names.
///
/// # Errors
/// If an animation is too long.
pub fn documents<'a>(
    scene: &'a Scene,
    skeleton: &Skeleton,
) -> Result<Vec<(&'a String, AlaDocument)>> {
    let animations = scene.animations.iter();
    let document = |animation: &'a Animation| {
        Ok((
            &animation.name,
            Clip::new(scene, skeleton, animation)?.document(),
        ))
    };
    animations.map(document).collect()
}

/// An animation, sampled at its frames.
struct Clip<'a> {
    scene: &'a Scene,
    skeleton: &'a Skeleton,
    animation: &'a Animation,
    version: u8,
    fps: f32,
    /// The transforms of all nodes at each frame, and half a frame later.
    frames: Vec<[Vec<Transform>; 2]>,
}

impl<'a> Clip<'a> {
    fn new(scene: &'a Scene, skeleton: &'a Skeleton, animation: &'a Animation) -> Result<Self> {
        let stated = scene
            .extra(FORMAT, "clips")
            .and_then(|clips| clips.get(&animation.name));
        let number = |name: &str| stated.and_then(|clip| clip.get(name)?.as_f64());
        let fps = number("fps")
            .map_or(FPS, |fps| fps as f32)
            .clamp(0.01, 1000.0);
        let [begin, end] = animation.span();
        let count = ((end - begin) * fps).round() as usize;
        let count = count.saturating_add(1);
        if count.saturating_mul(scene.nodes.len().max(1)) > MAX_FRAMES {
            let name = &animation.name;
            return Err(Error::new(format_args!(
                "animation {name:?} is too long: {count} frames"
            )));
        }
        let rest: Vec<Transform> = scene.nodes.iter().map(|node| node.transform).collect();
        let at = |time: f32| {
            let mut transforms = rest.clone();
            animation.apply(time, &mut transforms, &mut []);
            transforms
        };
        let frame = |index: usize| [0.0, 0.5].map(|part| at(begin + (index as f32 + part) / fps));
        Ok(Self {
            scene,
            skeleton,
            animation,
            version: number("version")
                .map_or(VERSION, |version| version as u8)
                .clamp(1, 2),
            fps,
            frames: (0..count).map(frame).collect(),
        })
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
        let clip = self
            .scene
            .extra(FORMAT, "clips")?
            .get(&self.animation.name)?;
        let values = clip.get("visibility")?.get(bone.to_string())?.as_array()?;
        let mut numbers = values.iter().filter_map(serde_json::Value::as_u64);
        let starts = (numbers.next()? == 1).then_some(0);
        Some(starts.into_iter().chain(numbers).collect())
    }

    /// Whether the parts of a bone are shown at each frame. `None` if always.
    fn visibility(&self, bone: usize) -> Option<Vec<bool>> {
        let toggled = |node: &usize| {
            let Some(part) = self.scene.nodes.get(*node).filter(|node| is_part(node)) else {
                return false;
            };
            let mut channels = self.animation.channels.iter();
            channels.any(|channel| {
                channel.node == *node
                    && channel.property == Property::Scale
                    && channel.only_hides(part.transform.scale)
            })
        };
        let nodes: Vec<usize> = (0..self.scene.nodes.len())
            .filter(|node| self.skeleton.place(*node).0 == bone)
            .filter(toggled)
            .collect();
        let frames = self.frames.iter();
        if nodes.is_empty()
            && let Some(changes) = self.stated_visibility(bone)
        {
            let is_visible =
                |frame| changes.iter().filter(|change| **change <= frame).count() % 2 == 1;
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
