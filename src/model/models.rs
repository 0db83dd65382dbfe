//! Any spawned model: its format, its bones.

#[cfg(feature = "alamo")]
use crate::alamo::AloInstance;
#[cfg(feature = "lgw")]
use crate::lgw::LgwInstance;
#[cfg(feature = "lithtech")]
use crate::lithtech::AbcInstance;
#[cfg(feature = "quake")]
use crate::quake::MdlAnimator;
use bevy::ecs::entity::Entity;
use bevy::ecs::system::{Query, SystemParam};
use core::marker::PhantomData;

/// Whose models they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ModelFormat {
    /// Petroglyph Alamo, `.alo`.
    Alamo,
    /// LithTech, `.abc`.
    LithTech,
    /// Quake, `.mdl`.
    Quake,
    /// UFO: Aftermath, `.lgw`.
    UfoAftermath,
}

/// All spawned models, whatever their formats.
#[derive(SystemParam)]
pub struct Models<'w, 's> {
    #[cfg(feature = "alamo")]
    alamo: Query<'w, 's, &'static AloInstance>,
    #[cfg(feature = "lithtech")]
    lithtech: Query<'w, 's, &'static AbcInstance>,
    #[cfg(feature = "quake")]
    quake: Query<'w, 's, &'static MdlAnimator>,
    #[cfg(feature = "lgw")]
    lgw: Query<'w, 's, &'static LgwInstance>,
    marker: PhantomData<(&'w (), &'s ())>,
}

impl Models<'_, '_> {
    /// What a root's model is, once its scene is there.
    pub fn format(&self, root: Entity) -> Option<ModelFormat> {
        #[cfg(feature = "alamo")]
        if self.alamo.contains(root) {
            return Some(ModelFormat::Alamo);
        }
        #[cfg(feature = "lithtech")]
        if self.lithtech.contains(root) {
            return Some(ModelFormat::LithTech);
        }
        #[cfg(feature = "quake")]
        if self.quake.contains(root) {
            return Some(ModelFormat::Quake);
        }
        #[cfg(feature = "lgw")]
        if self.lgw.contains(root) {
            return Some(ModelFormat::UfoAftermath);
        }
        let _ = root;
        None
    }

    /// The entity that a name means, in any case: a bone of an ALO model, else one of its proxies or other
    /// parts; a node of an ABC model; a mesh of an LGW model. `None` if there is none, or the scene is not
    /// there yet. The one entity of an MDL model has no name.
    pub fn bone(&self, root: Entity, name: &str) -> Option<Entity> {
        #[cfg(feature = "alamo")]
        if let Ok(instance) = self.alamo.get(root) {
            return instance.bone(name);
        }
        #[cfg(feature = "lithtech")]
        if let Ok(instance) = self.lithtech.get(root) {
            return instance.node(name);
        }
        #[cfg(feature = "lgw")]
        if let Ok(instance) = self.lgw.get(root) {
            return instance.mesh(name);
        }
        let _ = (root, name);
        None
    }
}
