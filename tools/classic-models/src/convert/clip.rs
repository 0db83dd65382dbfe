//! Builds the animations of a document. It must not know the games' formats.

use crate::convert::accessors::Usage;
use crate::convert::document::{Document, PointerChannel};
use gltf_json::animation::{Animation, Channel, Interpolation, Property, Sampler, Target};
use gltf_json::validation::Checked;
use gltf_json::{Accessor, Extras, Index, Node};
use serde_json::Value;
use std::collections::BTreeSet;

/// The extension that shows and hides nodes.
pub const VISIBILITY: &str = "KHR_node_visibility";

/// The maximum count of weights of morph targets in all animations of a document.
const MAX_WEIGHTS: u64 = 1 << 24;

/// Checks the count of weights before they are allocated. `meshes` has, for each mesh, the count of keys in all animations and
/// the count of morph targets: each key has a weight for each target.
///
/// # Errors
/// If there are too many.
pub fn check_weights(meshes: impl IntoIterator<Item = (u64, u64)>) -> Result<(), String> {
    let counts = meshes
        .into_iter()
        .map(|(keys, targets)| keys.saturating_mul(targets));
    let count = counts.fold(0, u64::saturating_add);
    if count > MAX_WEIGHTS {
        return Err(format!(
            "the animations need {count} weights of morph targets, but at most {MAX_WEIGHTS} are supported: \
             there are too many frames"
        ));
    }
    Ok(())
}

/// A property of a node that clips animate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Animated {
    Translation,
    Rotation,
    Scale,
    Weights,
    Visibility,
}

/// An animation that is being built.
pub struct Clip {
    pub name: String,
    pub extras: Extras,
    /// When it ends, in seconds.
    end: f32,
    /// What it animates: nodes and their properties.
    targets: BTreeSet<(u32, Animated)>,
    channels: Vec<Channel>,
    samplers: Vec<Sampler>,
    pointers: Vec<PointerChannel>,
}

/// The keys of a property: strictly ascending times in seconds, and a value for each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys<T> {
    pub times: Vec<f32>,
    pub values: Vec<T>,
    /// Whether a value is constant until the next key. Otherwise values are interpolated.
    pub steps: bool,
}

impl<T: Clone + PartialEq> Keys<T> {
    /// A value from 0 to a time.
    pub fn constant(value: T, end: f32) -> Self {
        let times = if end > 0.0 { vec![0.0, end] } else { vec![0.0] };
        Self {
            values: vec![value; times.len()],
            times,
            steps: false,
        }
    }

    /// The keys at times that never decrease. A jump between two keys of one time becomes one between that time and the
    /// number before it.
    pub fn ascending(keys: impl IntoIterator<Item = (f32, T)>) -> Self {
        let mut result = Self {
            times: Vec::new(),
            values: Vec::new(),
            steps: false,
        };
        for (time, value) in keys {
            if result.times.last().is_some_and(|last| *last >= time) {
                result.end_before(time);
            }
            result.times.push(time);
            result.values.push(value);
        }
        result
    }

    /// Moves the last key to just before a time, or removes it if there is no room.
    fn end_before(&mut self, time: f32) {
        let earlier = time.next_down();
        let previous = self.times.len().checked_sub(2);
        let previous = previous.and_then(|index| self.times.get(index));
        let has_room = earlier >= 0.0 && previous.is_none_or(|previous| *previous < earlier);
        match self.times.last_mut() {
            Some(last) if has_room => *last = earlier,
            _ => {
                self.times.pop();
                self.values.pop();
            }
        }
    }

    /// The first and the last key alone if all values are equal.
    pub fn reduced(mut self) -> Self {
        let is_constant = self
            .values
            .iter()
            .all(|value| Some(value) == self.values.first());
        if is_constant && self.times.len() > 2 {
            let last = self.times.len() - 1;
            self.times.drain(1..last);
            self.values.drain(1..last);
        }
        self
    }
}

impl Clip {
    /// A clip that animates nothing yet, with its end in seconds.
    pub fn new(name: &str, end: f32) -> Self {
        Self {
            name: name.to_owned(),
            extras: None,
            end,
            targets: BTreeSet::new(),
            channels: Vec::new(),
            samplers: Vec::new(),
            pointers: Vec::new(),
        }
    }

    /// Animates a property of a node by keys.
    pub fn animate<const N: usize>(
        &mut self,
        document: &mut Document,
        node: Index<Node>,
        animated: Animated,
        keys: &Keys<[f32; N]>,
    ) {
        let input = times(document, &keys.times);
        let output = document.floats(&keys.values, Usage::Values);
        self.channel((node, animated), (input, output), keys.steps);
    }

    /// Animates a property of a node with one value until the end.
    pub fn hold<const N: usize>(
        &mut self,
        document: &mut Document,
        node: Index<Node>,
        animated: Animated,
        value: [f32; N],
    ) {
        let keys = Keys::constant(value, self.end);
        self.animate(document, node, animated, &keys);
    }

    /// Animates the rotation of a node by unit quaternions: X, Y, Z, W.
    pub fn rotations(
        &mut self,
        document: &mut Document,
        node: Index<Node>,
        mut keys: Keys<[f32; 4]>,
    ) {
        shorten_arcs(&mut keys.values);
        self.animate(document, node, Animated::Rotation, &keys);
    }

    /// Animates the weights of a node's morph targets: all weights of the first key, then all of the next.
    pub fn weights(
        &mut self,
        document: &mut Document,
        node: Index<Node>,
        key_times: &[f32],
        weights: &[f32],
    ) {
        let input = times(document, key_times);
        let (values, _) = weights.as_chunks::<1>();
        let output = document.floats(values, Usage::Values);
        self.channel((node, Animated::Weights), (input, output), false);
    }

    /// Animates whether a node is visible, by `KHR_node_visibility`.
    pub fn visibility(&mut self, document: &mut Document, node: Index<Node>, keys: &Keys<bool>) {
        let input = times(document, &keys.times);
        let output = document.booleans(&keys.values);
        let sampler = self.sampler((input, output), true);
        let node = node.value();
        self.targets.insert((node as u32, Animated::Visibility));
        self.pointers.push(PointerChannel {
            pointer: format!("/nodes/{node}/extensions/{VISIBILITY}/visible"),
            sampler,
        });
    }

    /// Whether it animates nothing.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// Animates a property with its value at rest.
    fn add_rest(&mut self, document: &mut Document, (index, property): (u32, Animated)) {
        let node = Index::new(index);
        let Some(rest) = document.root.nodes.get(index as usize) else {
            return;
        };
        match property {
            Animated::Translation => {
                let value = rest.translation.unwrap_or_default();
                self.hold(document, node, property, value);
            }
            Animated::Rotation => {
                let value = rest.rotation.map_or([0.0, 0.0, 0.0, 1.0], |it| it.0);
                self.hold(document, node, property, value);
            }
            Animated::Scale => self.hold(document, node, property, rest.scale.unwrap_or([1.0; 3])),
            Animated::Weights => {
                let mesh = rest
                    .mesh
                    .and_then(|mesh| document.root.meshes.get(mesh.value()));
                let weights = mesh.and_then(|mesh| mesh.weights.clone());
                let keys = Keys::constant(weights.unwrap_or_default(), self.end);
                self.weights(document, node, &keys.times, &keys.values.concat());
            }
            Animated::Visibility => {
                let extensions = rest.extensions.as_ref();
                let visible = extensions.and_then(|it| it.others.get(VISIBILITY)?.get("visible"));
                let visible = visible.and_then(Value::as_bool).unwrap_or(true);
                self.visibility(document, node, &Keys::constant(visible, self.end));
            }
        }
    }

    fn finish(self, document: &mut Document) {
        let animation = document.root.push(Animation {
            extensions: None,
            extras: self.extras,
            channels: self.channels,
            name: Some(self.name),
            samplers: self.samplers,
        });
        for pointer in self.pointers {
            document.add_pointer(animation.value(), pointer);
        }
    }

    fn sampler(&mut self, (input, output): (Index<Accessor>, Index<Accessor>), steps: bool) -> u32 {
        let interpolation = match steps {
            true => Interpolation::Step,
            false => Interpolation::Linear,
        };
        self.samplers.push(Sampler {
            extensions: None,
            extras: None,
            input,
            interpolation: Checked::Valid(interpolation),
            output,
        });
        self.samplers.len() as u32 - 1
    }

    fn channel(
        &mut self,
        (node, animated): (Index<Node>, Animated),
        accessors: (Index<Accessor>, Index<Accessor>),
        steps: bool,
    ) {
        self.targets.insert((node.value() as u32, animated));
        let property = match animated {
            Animated::Translation => Property::Translation,
            Animated::Rotation => Property::Rotation,
            Animated::Scale => Property::Scale,
            Animated::Weights => Property::MorphTargetWeights,
            // Its target is a pointer.
            Animated::Visibility => return,
        };
        let sampler = self.sampler(accessors, steps);
        self.channels.push(Channel {
            sampler: Index::new(sampler),
            target: Target {
                extensions: None,
                extras: None,
                node,
                path: Checked::Valid(property),
            },
            extensions: None,
            extras: None,
        });
    }
}

/// Adds all animations of a document. Each animates what any of them does, with the values at rest if it has no others:
/// programs keep the values that the clip before it left.
pub fn add_all(document: &mut Document, clips: Vec<Clip>) {
    let targets = clips.iter().flat_map(|clip| clip.targets.iter().copied());
    let targets: BTreeSet<(u32, Animated)> = targets.collect();
    for mut clip in clips {
        let missing: Vec<_> = targets.difference(&clip.targets).copied().collect();
        for target in missing {
            clip.add_rest(document, target);
        }
        if !clip.is_empty() {
            clip.finish(document);
        }
    }
}

fn times(document: &mut Document, times: &[f32]) -> Index<Accessor> {
    let (times, _) = times.as_chunks::<1>();
    document.floats(times, Usage::Times)
}

/// Negates quaternions so that each is on the same side as the one before: not all programs choose the shorter arc.
fn shorten_arcs(rotations: &mut [[f32; 4]]) {
    for index in 1..rotations.len() {
        let [previous, rotation] = &mut rotations[index - 1..=index] else {
            continue;
        };
        let dot: f32 = previous.iter().zip(&*rotation).map(|(a, b)| a * b).sum();
        if dot < 0.0 {
            *rotation = rotation.map(|value| -value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_strictly_ascending_and_jumps_remain() {
        let keys = Keys::ascending([(0.0, 1), (0.0, 2), (0.5, 3), (0.5, 4), (0.5, 5), (1.0, 6)]);
        assert!(keys.times.is_sorted_by(|a, b| a < b), "{:?}", keys.times);
        assert_eq!(keys.values, [2, 3, 5, 6]);
        assert_eq!(keys.times[1], 0.5_f32.next_down());
        assert_eq!(keys.times[2], 0.5);
    }

    #[test]
    fn equal_keys_are_reduced_to_two() {
        let keys = Keys::ascending([(0.0, 1), (1.0, 1), (2.0, 1)]).reduced();
        assert_eq!((keys.times, keys.values), (vec![0.0, 2.0], vec![1, 1]));
        assert_eq!(Keys::constant(1, 0.0).times, [0.0]);
    }

    #[test]
    fn rotations_take_the_shorter_arc() {
        let mut rotations = [
            [0.0, 0.0, 0.0, 1.0],
            [0.0, 0.1, 0.0, -0.99],
            [0.0, -0.1, 0.0, 0.9],
        ];
        shorten_arcs(&mut rotations);
        assert_eq!(rotations[1], [0.0, -0.1, 0.0, 0.99]);
        assert_eq!(rotations[2], [0.0, -0.1, 0.0, 0.9]);
    }
}
