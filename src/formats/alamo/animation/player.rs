//! Plays the clips of Alamo models.

use crate::formats::alamo::animation::graphs::AlaClipProvider;
use crate::formats::alamo::asset::AloModel;
use crate::formats::alamo::components::{AloBone, AloInstance};
use crate::playback::skeletal::animator::Animator;
use crate::playback::skeletal::driver::{ClipDriver, ClipPlayer, on_animator_removed};
use crate::playback::skeletal::events::OwnGraph;
use crate::root::layers::LayerId;
use bevy::animation::AnimationClip;
use bevy::asset::Handle;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use std::sync::Arc;

/// The playback state of a spawned Alamo model. It is on the root entity once the scene is spawned.
///
/// Choose a clip with [`PlayClip`](crate::root::PlayClip).
#[derive(Component, Debug, Default)]
#[require(OwnGraph)]
#[component(on_remove = on_animator_removed::<Self>)]
pub struct AloAnimator(Animator<AloModel>);

impl AloAnimator {
    /// The selected clip, once it plays. If a part of a clip plays, this is the whole clip.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.0.clip()
    }

    /// The weight of the selected clip: below 1 during a fade, and 0 if no clip plays.
    pub fn weight(&self) -> f32 {
        self.0.weight()
    }

    /// The current weight of a layer of [`ClipLayers`](crate::root::ClipLayers), with fades. `None` if it does not
    /// play.
    pub fn layer_weight(&self, layer: LayerId) -> Option<f32> {
        self.0.layer_weight(layer)
    }
}

impl ClipPlayer for AloAnimator {
    type Instance = AloInstance;
    type Bone = AloBone;
    type Model = AloModel;

    fn model(instance: &AloInstance) -> &Arc<AloModel> {
        instance.model()
    }

    fn bones(instance: &Self::Instance) -> &[Entity] {
        instance.bones()
    }

    fn animator(&self) -> &Animator<AloModel> {
        &self.0
    }

    fn animator_mut(&mut self) -> &mut Animator<AloModel> {
        &mut self.0
    }
}

/// Starts, stops and advances clips.
pub(crate) fn play_clips(
    mut driver: ClipDriver<'_, '_, AloAnimator>,
    mut provider: AlaClipProvider<'_, '_>,
) {
    driver.play(&mut provider);
}
