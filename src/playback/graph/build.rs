//! Animation graphs of the clips that play on a model: the active clips, and the layers over them.
//!
//! A graph contains only the clips that play, because Bevy evaluates every node for every bone. Models with the same
//! clips share it.
//!
//! ```text
//! without layers: root (blend) ─ active clips
//! with layers:    root (blend or add) ─┬─ blend ─┬─ blend ─ active clips
//!                                      │         └─ clip of the bottom layer
//!                                      └─ clip of the top layer
//! ```

use crate::load::weak_cache::Address;
use crate::playback::graph::bone_set::BoneSet;
use crate::playback::graph::derived_clips::difference_from_first_frame;
use crate::playback::graph::rest_poses::{BlendedClip, has_curve_for};
use crate::playback::skeletal::active_clips::{ActiveClips, PlayingClip, node};
use crate::playback::skeletal::clips::{Clips, GraphKey};
use crate::playback::skeletal::layers::{ActiveLayers, MaskGroups, PlayedLayer};
use crate::playback::skeletal::rig::Rig;
use bevy::animation::AnimationTargetId;
use bevy::prelude::*;
use std::sync::Arc;

/// The indices of a graph's nodes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GraphLayout {
    /// The count of active clips. Their nodes are the first ones: see [`node`].
    active: usize,
    /// The count of clips after them that do not depend on time.
    constant: usize,
}

impl GraphLayout {
    /// The layout of the graph of these clips and layers.
    pub(crate) fn of<F: Rig>(active: &ActiveClips, layers: &ActiveLayers) -> Self {
        let (active, layers) = (active.iter().count(), layers.playing().count());
        let has_rest_pose = active == 0 && layers > 0;
        let has_default_visibility =
            has_copies(active, layers) && F::default_visibility().is_some();
        Self {
            active,
            constant: usize::from(has_rest_pose) + usize::from(has_default_visibility),
        }
    }

    /// The node of a layer's clip.
    pub(crate) fn layer(self, index: usize) -> AnimationNodeIndex {
        // After the blend node of the active clips, each layer has the node of its clip. Between two of these is a node
        // that combines them.
        node(self.active + self.constant + 1 + 2 * index)
    }

    /// Plays the nodes that do not depend on time. They are paused.
    pub(crate) fn play_constant(self, player: &mut AnimationPlayer) {
        for index in self.active..self.active + self.constant {
            player.play(node(index)).pause();
        }
    }
}

/// The graph that blends the active clips and layers, in their order.
pub(crate) fn shared_graph<F: Rig>(
    clips: &mut Clips<'_, '_, F>,
    active: &ActiveClips,
    layers: &ActiveLayers,
    model: &Arc<F::Model>,
) -> Handle<AnimationGraph> {
    let playing: Vec<_> = layers.playing().collect();
    let ids: Vec<_> = active.iter().map(|active| active.clip.id()).collect();
    let has_copies = has_copies(ids.len(), playing.len());
    let layer = |layer: &PlayedLayer<'_>| {
        let clip = layer.playing.clip.id();
        (clip, layer.bones.clone(), layer.additive)
    };
    let key = GraphKey {
        active: ids,
        layers: playing.iter().map(layer).collect(),
        model: has_copies.then(|| Address::of(model)),
    };
    clips.graph(key, |clips| {
        if has_copies {
            GraphBuilder::new::<F>(clips, active, &playing, model).build::<F>()
        } else {
            blend(active.handles())
        }
    })
}

/// Whether a graph of these counts of active clips and layers has copies of clips for one model.
fn has_copies(active: usize, layers: usize) -> bool {
    active > 1 || layers > 0
}

/// A graph that blends clips, in their order.
fn blend(clips: impl IntoIterator<Item = Handle<AnimationClip>>) -> AnimationGraph {
    let mut graph = AnimationGraph::new();
    for clip in clips {
        graph.add_clip(clip, 1.0, graph.root);
    }
    graph
}

/// Makes a graph with copies of clips that have the curves that blending needs.
struct GraphBuilder<'a> {
    clips: &'a mut Assets<AnimationClip>,
    active: &'a ActiveClips,
    layers: &'a [PlayedLayer<'a>],
    /// The animation target and the rest transform of each bone.
    skeleton: Vec<(AnimationTargetId, Transform)>,
}

impl<'a> GraphBuilder<'a> {
    fn new<F: Rig>(
        clips: &'a mut Assets<AnimationClip>,
        active: &'a ActiveClips,
        layers: &'a [PlayedLayer<'a>],
        model: &F::Model,
    ) -> Self {
        let bones = F::bones(model).enumerate();
        Self {
            clips,
            active,
            layers,
            skeleton: bones
                .map(|(index, bone)| (F::target(index), bone.rest))
                .collect(),
        }
    }

    fn build<F: Rig>(mut self) -> AnimationGraph {
        let copies = self.layer_copies();
        let mut below = self.active_clips(&copies);
        below.extend(self.default_visibility::<F>());
        if self.layers.is_empty() {
            return blend(below);
        }
        let layers = self.layers.iter().zip(copies).map(|(layer, copy)| {
            copy.map_or_else(|| layer.playing.clip.clone(), |clip| self.clips.add(clip))
        });
        let layers = layers.collect();
        self.layered(below, layers)
    }

    /// A clip as it is blended with others; `None` if it is not loaded.
    fn blended<'c>(
        playing: &PlayingClip,
        bones: &'c BoneSet,
        clips: &'c Assets<AnimationClip>,
    ) -> Option<BlendedClip<'c>> {
        Some(BlendedClip {
            clip: clips.get(&playing.clip)?,
            bones,
            resets_scale: playing.source.resets_scale(),
        })
    }

    /// The active clips and layers that are loaded.
    fn all_blended(&self) -> Vec<BlendedClip<'_>> {
        self.blended_with(|_| true)
    }

    /// The active clips and the layers that pass a filter, if they are loaded.
    fn blended_with(&self, filter: impl Fn(&PlayedLayer<'_>) -> bool) -> Vec<BlendedClip<'_>> {
        let clips = &*self.clips;
        let active = self.active.iter();
        let active = active.filter_map(|active| Self::blended(active, &BoneSet::ALL, clips));
        let layers = self.layers.iter().filter(|layer| filter(layer));
        let layers = layers.filter_map(|layer| Self::blended(layer.playing, layer.bones, clips));
        active.chain(layers).collect()
    }

    /// The copies of the layers' clips that blending needs; `None` for a clip that is used unchanged.
    fn layer_copies(&self) -> Vec<Option<AnimationClip>> {
        let all = self.all_blended();
        let clips = &*self.clips;
        let copy = |layer: &PlayedLayer<'_>| {
            let blended = Self::blended(layer.playing, layer.bones, clips)?;
            if layer.additive {
                Some(difference_from_first_frame(blended.clip))
            } else {
                blended.with_implied_fields(&all, &self.skeleton)
            }
        };
        self.layers.iter().map(copy).collect()
    }

    /// The active clips with rest-pose curves for the bone fields that only others animate. Without active clips, a clip
    /// of the rest pose.
    fn active_clips(
        &mut self,
        layer_copies: &[Option<AnimationClip>],
    ) -> Vec<Handle<AnimationClip>> {
        let mut all = self.all_blended();
        let layers = self.layers.iter().zip(layer_copies);
        all.extend(layers.filter_map(|(layer, copy)| {
            Some(BlendedClip {
                clip: copy.as_ref()?,
                bones: layer.bones,
                resets_scale: false,
            })
        }));
        if self.active.is_empty() {
            let nothing = AnimationClip::default();
            let nothing = BlendedClip {
                clip: &nothing,
                bones: &BoneSet::ALL,
                resets_scale: false,
            };
            let rest = nothing.with_rest_pose(&all, &self.skeleton);
            return vec![self.clips.add(rest.unwrap_or_default())];
        }
        let clips = &*self.clips;
        let copy = |active: &PlayingClip| {
            let blended = Self::blended(active, &BoneSet::ALL, clips)?;
            blended.with_rest_pose(&all, &self.skeleton)
        };
        let copies: Vec<_> = self.active.iter().map(copy).collect();
        let handles = self.active.handles().into_iter().zip(copies);
        handles
            .map(|(handle, copy)| copy.map_or(handle, |clip| self.clips.add(clip)))
            .collect()
    }

    /// A clip with the default visibility of the bones that any clip shows or hides.
    fn default_visibility<F: Rig>(&mut self) -> Option<Handle<AnimationClip>> {
        let (track, default) = F::default_visibility()?;
        let mut defaults = AnimationClip::default();
        // The visibility tracks of additive layers have no effect.
        let all = self.blended_with(|layer| !layer.additive);
        for (bone, (target, _)) in self.skeleton.iter().enumerate() {
            let has_track = |clip: &BlendedClip<'_>| {
                clip.bones.contains(bone) && has_curve_for(clip.clip, *target, &track)
            };
            if all.iter().any(has_track) {
                defaults.add_variable_curve_to_target(*target, default.clone());
            }
        }
        Some(self.clips.add(defaults))
    }

    /// The graph of the clips below the layers, and of the layers' clips.
    fn layered(
        self,
        below: Vec<Handle<AnimationClip>>,
        layers: Vec<Handle<AnimationClip>>,
    ) -> AnimationGraph {
        let mut graph = AnimationGraph::new();
        let root = graph.root;
        let mut groups = MaskGroups::default();
        let clip = |graph: &mut AnimationGraph, clip, mask: Option<AnimationMask>| {
            graph.graph.add_node(AnimationGraphNode {
                node_type: AnimationNodeType::Clip(clip),
                // The weight of a layer without a group is 0.
                mask: mask.unwrap_or_default(),
                weight: 1.0,
            })
        };
        // Bevy combines the children of a node in the order of their indices.
        let below: Vec<_> = below
            .into_iter()
            .map(|handle| clip(&mut graph, handle, None))
            .collect();
        let mut result = combination(&mut graph, AnimationNodeType::Blend);
        for node in below {
            graph.add_edge(result, node);
        }
        let top = layers.len().saturating_sub(1);
        for (index, (handle, layer)) in layers.into_iter().zip(self.layers).enumerate() {
            let mask = groups.insert(layer.bones);
            let layer_clip = clip(&mut graph, handle, mask);
            let kind = if layer.additive {
                AnimationNodeType::Add
            } else {
                AnimationNodeType::Blend
            };
            let combined = if index == top {
                if let Some(root) = graph.graph.node_weight_mut(root) {
                    root.node_type = kind;
                }
                root
            } else {
                combination(&mut graph, kind)
            };
            graph.add_edge(combined, result);
            graph.add_edge(combined, layer_clip);
            result = combined;
        }
        for (bone, (target, _)) in self.skeleton.iter().enumerate() {
            let groups = groups.of_bone(bone);
            if groups != 0 {
                graph.mask_groups.insert(*target, groups);
            }
        }
        graph
    }
}

/// Adds a node that combines others, at weight 1.
fn combination(graph: &mut AnimationGraph, node_type: AnimationNodeType) -> AnimationNodeIndex {
    graph.graph.add_node(AnimationGraphNode {
        node_type,
        mask: 0,
        weight: 1.0,
    })
}
