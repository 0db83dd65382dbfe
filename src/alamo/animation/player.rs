//! Plays [`PlayClip`](crate::scene::PlayClip) on Alamo models.

use crate::alamo::animation::graphs::AlaClipProvider;
use crate::alamo::animation::source::AlaSource;
use crate::alamo::asset::AloModel;
use crate::alamo::components::{AloBone, AloInstance};
use crate::scene::{Animator, ClipDriver, ClipPlayer, on_animator_removed};
use bevy::animation::AnimationClip;
use bevy::asset::Handle;
use bevy::ecs::component::Component;
use std::sync::Arc;

/// What a spawned Alamo model plays for its [`PlayClip`](crate::scene::PlayClip). On the root entity, once its scene is
/// there.
#[derive(Component, Debug, Default)]
#[component(on_remove = on_animator_removed::<Self>)]
pub struct AloAnimator(Animator<AloModel, AlaSource>);

impl AloAnimator {
    /// The clip that was chosen, once it plays; of a part the clip that it is of.
    pub fn clip(&self) -> Option<&Handle<AnimationClip>> {
        self.0.clip()
    }

    /// How much of what shows is the chosen clip: 1 once nothing fades out any more, and 0 where
    /// nothing plays.
    pub fn weight(&self) -> f32 {
        self.0.weight()
    }
}

impl ClipPlayer for AloAnimator {
    type Instance = AloInstance;
    type Bone = AloBone;
    type Model = AloModel;
    type Source = AlaSource;

    fn model(instance: &AloInstance) -> &Arc<AloModel> {
        instance.model()
    }

    fn animator(&self) -> &Animator<AloModel, AlaSource> {
        &self.0
    }

    fn animator_mut(&mut self) -> &mut Animator<AloModel, AlaSource> {
        &mut self.0
    }
}

/// Plays what is chosen, and lets fades go on.
pub(super) fn choose_clips(
    mut driver: ClipDriver<'_, '_, AloAnimator>,
    mut binder: AlaClipProvider<'_, '_>,
) {
    driver.play(&mut binder);
}
