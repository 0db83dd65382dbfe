//! Components of a model's root that choose how it looks.

use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// Which of the model's skins it wears. Without this component, the first.
///
/// Put it on the entity that has the `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelSkin(pub usize);

/// Colours of a player, as rows of the palette: 0 to 15, of which the games use 0 to 13.
///
/// The model's texels of palette row 1 take the colours of row `shirt`, those of row 6 take the
/// colours of row `pants`. Instances of the same model, skin and colours share a material.
///
/// Put it on the entity that has the `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct PlayerColors {
    /// Palette row for the upper body.
    pub shirt: u8,
    /// Palette row for the legs.
    pub pants: u8,
}

impl Default for PlayerColors {
    /// The rows that the texels have already.
    fn default() -> Self {
        Self { shirt: 1, pants: 6 }
    }
}
