//! Layers of clips over the clip of [`PlayClip`], and the masks of bones that they animate.

use crate::load::names::folded;
use crate::root::play::{ClipRef, PlayClip, Playback};
use bevy::ecs::VariantDefaults;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use std::sync::Arc;

/// Plays clips over the clip of [`PlayClip`], each with a weight and a mask of bones. For Alamo and LithTech models: on
/// others, no layer plays or removes itself.
///
/// Layers are applied in order: each one blends its clip over the result of the layers before it. At weight 1, its
/// clip replaces that result on the bones of the mask. A bone that the clip does not animate keeps the result of the
/// layers below. Without a [`PlayClip`], the first layer is applied to the rest pose.
///
/// Insert it on the root, at any time. Hot reloads keep the layers and their times.
/// A layer that is removed fades out; removing the whole component ends all layers at once.
///
/// ```
/// # use bevy_classic_models::prelude::*;
/// let mut layers = ClipLayers::default();
/// let aim = layers.push(PlayClip::looping("aim"));
/// layers.push(ClipLayer::one_shot("fire").with_mask("upper").with_fades(0.1, 0.2));
/// layers.get_mut(aim).unwrap().weight = 0.5;
/// ```
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ClipLayers {
    /// In ascending order of the ids.
    layers: Vec<LayerEntry>,
    next: u64,
}

/// A layer with its state.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Clone, Debug, PartialEq)]
struct LayerEntry {
    id: LayerId,
    layer: ClipLayer,
    playback: Playback,
    seek: Option<f32>,
}

/// Identifies a layer in the [`ClipLayers`] of one entity.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Clone, Debug, PartialEq, Hash)]
pub struct LayerId(u64);

impl ClipLayers {
    /// Creates the component from layers, the bottom one first. Their ids are not returned: see [`iter`](Self::iter).
    pub fn new<L: Into<ClipLayer>>(layers: impl IntoIterator<Item = L>) -> Self {
        let mut all = Self::default();
        for layer in layers {
            all.push(layer);
        }
        all
    }

    /// Adds a layer above all others. It starts once its clip is loaded.
    pub fn push(&mut self, layer: impl Into<ClipLayer>) -> LayerId {
        let id = LayerId(self.next);
        self.next += 1;
        self.layers.push(LayerEntry {
            id,
            layer: layer.into(),
            playback: Playback::default(),
            seek: None,
        });
        id
    }

    /// Removes a layer, which then fades out over its [`fade_out`](ClipLayer::fade_out). `None` if there is no such
    /// layer, because it was removed before or has removed itself.
    pub fn remove(&mut self, id: LayerId) -> Option<ClipLayer> {
        let index = self.index(id)?;
        Some(self.layers.remove(index).layer)
    }

    /// Removes all layers, which then fade out.
    pub fn clear(&mut self) {
        self.layers.clear();
    }

    /// A layer by its id.
    pub fn get(&self, id: LayerId) -> Option<&ClipLayer> {
        Some(&self.layers.get(self.index(id)?)?.layer)
    }

    /// A layer by its id, to change it.
    pub fn get_mut(&mut self, id: LayerId) -> Option<&mut ClipLayer> {
        Some(&mut self.entry_mut(id)?.layer)
    }

    /// All layers, the bottom one first.
    pub fn iter(&self) -> impl Iterator<Item = (LayerId, &ClipLayer)> {
        self.layers.iter().map(|entry| (entry.id, &entry.layer))
    }

    /// All layers, the bottom one first, to change them.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (LayerId, &mut ClipLayer)> {
        let layers = self.layers.iter_mut();
        layers.map(|entry| (entry.id, &mut entry.layer))
    }

    /// The count of layers.
    pub fn len(&self) -> usize {
        self.layers.len()
    }

    /// Whether there are no layers.
    pub fn is_empty(&self) -> bool {
        self.layers.is_empty()
    }

    /// The time of a layer's clip, and whether the clip has ended. Hot reloads keep it. `None` if there is no such layer.
    pub fn playback(&self, id: LayerId) -> Option<Playback> {
        Some(self.layers.get(self.index(id)?)?.playback)
    }

    /// Jumps to a time in a layer's clip, in seconds.
    pub fn seek(&mut self, id: LayerId, time: f32) {
        if let Some(entry) = self.entry_mut(id) {
            entry.seek = Some(time);
        }
    }

    /// The time of the last [`seek`](Self::seek), once.
    pub(crate) fn take_seek(&mut self, id: LayerId) -> Option<f32> {
        self.entry_mut(id)?.seek.take()
    }

    pub(crate) fn set_playback(&mut self, id: LayerId, playback: Playback) {
        if let Some(entry) = self.entry_mut(id) {
            entry.playback = playback;
        }
    }

    fn entry_mut(&mut self, id: LayerId) -> Option<&mut LayerEntry> {
        let index = self.index(id)?;
        self.layers.get_mut(index)
    }

    fn index(&self, id: LayerId) -> Option<usize> {
        self.layers.binary_search_by_key(&id, |entry| entry.id).ok()
    }
}

/// A clip that plays over others: an element of [`ClipLayers`].
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone, Debug, PartialEq)]
pub struct ClipLayer {
    /// The clip, its end behavior, its speed, its start and whether it is paused. All mean the same as for a model's
    /// [`PlayClip`], but [`fade`](PlayClip::fade) is the time in which the layer fades in.
    ///
    /// With [`Repeat::Once`](crate::root::Repeat::Once), the layer holds its last pose until it is removed, unless it
    /// [removes itself](Self::removes_itself). A change of the clip, the end behavior or the start fades the old clip
    /// out and the new one in.
    pub play: PlayClip,
    /// The bones that the layer animates. It does not show or hide other bones.
    pub mask: BoneMask,
    /// The weight from 0 (no effect) to 1, before fades. Other numbers are clamped; NaN is 0.
    pub weight: f32,
    /// The time in which the layer fades out when it is removed, in seconds. A layer that removes itself fades out in
    /// the last `fade_out` seconds of its clip.
    pub fade_out: f32,
    /// Whether the layer removes itself from [`ClipLayers`] when its clip has ended, or cannot play. It has no effect on
    /// clips that loop.
    pub removes_itself: bool,
    /// Whether the difference between the clip and its first frame is added to the pose below, instead of blending the
    /// clip over it. Such a clip shows and hides no bones, and moves no deforming vertices.
    pub additive: bool,
}

/// The first clip of the model in a loop, on all bones at weight 1.
impl Default for ClipLayer {
    fn default() -> Self {
        Self::new(PlayClip::default())
    }
}

impl ClipLayer {
    /// A layer that animates all bones at weight 1.
    pub fn new(play: PlayClip) -> Self {
        Self {
            play,
            mask: BoneMask::All,
            weight: 1.0,
            fade_out: 0.0,
            removes_itself: false,
            additive: false,
        }
    }

    /// A layer that plays a clip in a loop.
    pub fn looping(clip: impl Into<ClipRef>) -> Self {
        Self::new(PlayClip::looping(clip))
    }

    /// A layer that plays a clip once, and then removes itself.
    pub fn one_shot(clip: impl Into<ClipRef>) -> Self {
        Self {
            removes_itself: true,
            ..Self::new(PlayClip::once(clip))
        }
    }

    /// Sets the bones that the layer animates. A text is the name of a mask in [`ModelMasks`](crate::root::ModelMasks).
    #[must_use]
    pub fn with_mask(self, mask: impl Into<BoneMask>) -> Self {
        let mask = mask.into();
        Self { mask, ..self }
    }

    /// Sets the weight, from 0 to 1.
    #[must_use]
    pub fn with_weight(self, weight: f32) -> Self {
        Self { weight, ..self }
    }

    /// Sets the times in which the layer fades in and out, in seconds.
    #[must_use]
    pub fn with_fades(self, fade_in: f32, fade_out: f32) -> Self {
        Self {
            play: self.play.with_fade(fade_in),
            fade_out,
            ..self
        }
    }

    /// Adds the clip to the pose below: see [`additive`](Self::additive).
    #[must_use]
    pub fn added(self) -> Self {
        Self {
            additive: true,
            ..self
        }
    }
}

impl From<PlayClip> for ClipLayer {
    fn from(play: PlayClip) -> Self {
        Self::new(play)
    }
}

/// Sent to the root when the clip of a layer with [`Repeat::Once`](crate::root::Repeat::Once) ends. It is not sent for
/// missing clips and for layers that were removed before.
#[derive(EntityEvent, Clone, Debug, PartialEq)]
pub struct LayerFinished {
    /// The entity that has the [`ClipLayers`].
    pub entity: Entity,
    /// The layer. If it [removes itself](ClipLayer::removes_itself), it is no longer in the [`ClipLayers`].
    pub layer: LayerId,
    /// The clip as specified in [`ClipLayer::play`]. It can be compared with a name: `finished.clip == "fire"`.
    pub clip: ClipRef,
}

/// The bones of a model that a layer animates. Names of bones are case-insensitive. If several bones have the same
/// name, all of them are meant.
///
/// A name that no bone has is a warning, and the other names apply.
#[derive(VariantDefaults, Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BoneMask {
    /// All bones.
    #[default]
    All,
    /// These bones, without the bones below them.
    Bones(Vec<String>),
    /// These bones and all bones below them.
    Subtrees(Vec<String>),
    /// The mask with this name (case-insensitive) in the root's [`ModelMasks`].
    ///
    /// If no mask has the name, that is a warning, and the layer animates no bone. In [`ModelMasks`], a mask cannot
    /// refer to another one.
    Named(String),
}

impl BoneMask {
    /// These bones, without the bones below them.
    pub fn bones<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Bones(names.into_iter().map(Into::into).collect())
    }

    /// These bones and all bones below them.
    pub fn subtrees<N: Into<String>>(names: impl IntoIterator<Item = N>) -> Self {
        Self::Subtrees(names.into_iter().map(Into::into).collect())
    }
}

impl From<&str> for BoneMask {
    /// A mask of [`ModelMasks`] by its name.
    fn from(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

impl From<String> for BoneMask {
    /// A mask of [`ModelMasks`] by its name.
    fn from(name: String) -> Self {
        Self::Named(name)
    }
}

/// Named masks of bones, which [`BoneMask::Named`] selects from. A manifest's masks are inserted as this component.
///
/// Insert it on the root, and change it at any time. Clones share one table.
#[derive(Component, Reflect, Clone, Debug, Default)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelMasks {
    /// Keyed by name in lower case.
    masks: Arc<HashMap<String, BoneMask>>,
}

impl PartialEq for ModelMasks {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.masks, &other.masks) || self.masks == other.masks
    }
}

impl<N: AsRef<str>> FromIterator<(N, BoneMask)> for ModelMasks {
    fn from_iter<T: IntoIterator<Item = (N, BoneMask)>>(masks: T) -> Self {
        let mut table = Self::default();
        for (name, mask) in masks {
            table.insert(name.as_ref(), mask);
        }
        table
    }
}

impl ModelMasks {
    /// Creates the component from names and masks.
    pub fn new<N: AsRef<str>>(masks: impl IntoIterator<Item = (N, BoneMask)>) -> Self {
        masks.into_iter().collect()
    }

    /// Adds a mask, or replaces the mask of the same name.
    pub fn insert(&mut self, name: &str, mask: BoneMask) -> &mut Self {
        Arc::make_mut(&mut self.masks).insert(folded(name), mask);
        self
    }

    /// The mask with this name (case-insensitive).
    pub fn get(&self, name: &str) -> Option<&BoneMask> {
        self.masks.get(&folded(name))
    }

    /// All names, in lower case and in alphabetical order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self.masks.keys().map(String::as_str).collect();
        names.sort_unstable();
        names.into_iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stay_valid_when_other_layers_are_removed() {
        let mut layers = ClipLayers::default();
        let [first, second, third] = ["a", "b", "c"].map(|clip| layers.push(PlayClip::once(clip)));
        assert!(
            layers
                .remove(second)
                .is_some_and(|layer| layer.play.clip == "b")
        );
        assert_eq!(layers.remove(second), None);
        assert_eq!(layers.get(second), None);
        let fourth = layers.push(ClipLayer::one_shot("d"));
        let order: Vec<LayerId> = layers.iter().map(|(id, _)| id).collect();
        assert_eq!(order, [first, third, fourth]);
        assert!(
            layers
                .get(third)
                .is_some_and(|layer| layer.play.clip == "c")
        );
    }
}
