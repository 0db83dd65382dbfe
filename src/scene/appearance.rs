//! Components of a model's root that choose how it looks.

use crate::scene::matching::folded;
use bevy::asset::{AssetPath, Handle};
use bevy::color::Color;
use bevy::ecs::component::Component;
use bevy::ecs::reflect::ReflectComponent;
use bevy::image::Image;
use bevy::platform::collections::HashMap;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// Which skin a Quake or LithTech model wears. Without this component, the first of its own.
///
/// Put it on the entity that has the `WorldAssetRoot`. Instances of the same model and skin share their
/// materials.
#[derive(Component, Reflect, Clone, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub enum ModelSkin {
    /// One of the model's own. Beyond the last it is the last.
    Index(usize),
    /// Any picture, by its path from the root of the asset source; until it is loaded, and if it cannot
    /// be, the model goes on as it is. Of a DTX picture the unlit texels are as bright as they are in
    /// the model's own skins.
    Path(AssetPath<'static>),
    /// Any picture that somebody loaded or made.
    Image(Handle<Image>),
    /// One of the root's [`ModelSkins`], by its name in any case. A name that none of them has is the path of a
    /// picture, as [`ModelSkin::Path`], if it has a file extension; otherwise it is a warning, which lists the names,
    /// and the model keeps its skin.
    ///
    /// `ModelSkin::from("frost")` makes this.
    Name(String),
}

impl ModelSkin {
    /// Which of the model's own skins it is, or is made of: the first for pictures from elsewhere.
    pub fn index(&self) -> usize {
        match self {
            Self::Index(index) => *index,
            Self::Path(_) | Self::Image(_) | Self::Name(_) => 0,
        }
    }
}

/// The path that a skin's name is if no skin has it: that of a file with an extension.
pub(crate) fn path_of_skin(name: &str) -> Option<AssetPath<'static>> {
    let path = AssetPath::try_parse(name).ok()?;
    path.path().extension()?;
    Some(path.into_owned())
}

/// Skins by names of their own, which [`ModelSkin::Name`] chooses among: those of a manifest.
///
/// Put it on the entity that has the `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelSkins {
    /// By names in lower case.
    skins: HashMap<String, ModelSkin>,
}

impl ModelSkins {
    /// Adds a skin, in the place of another one of its name.
    pub fn insert(&mut self, name: &str, skin: ModelSkin) -> &mut Self {
        self.skins.insert(folded(name), skin);
        self
    }

    /// The skin of a name, in any case.
    pub fn get(&self, name: &str) -> Option<&ModelSkin> {
        self.skins.get(&folded(name))
    }

    /// All names, in lower case and in no order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.skins.keys().map(String::as_str)
    }
}

impl Default for ModelSkin {
    fn default() -> Self {
        Self::Index(0)
    }
}

impl From<usize> for ModelSkin {
    fn from(index: usize) -> Self {
        Self::Index(index)
    }
}

impl From<&str> for ModelSkin {
    /// A skin by its name or path: see [`ModelSkin::Name`].
    fn from(name: &str) -> Self {
        Self::Name(name.to_owned())
    }
}

impl From<String> for ModelSkin {
    /// A skin by its name or path: see [`ModelSkin::Name`].
    fn from(name: String) -> Self {
        Self::Name(name)
    }
}

impl From<AssetPath<'static>> for ModelSkin {
    fn from(path: AssetPath<'static>) -> Self {
        Self::Path(path)
    }
}

impl From<Handle<Image>> for ModelSkin {
    fn from(image: Handle<Image>) -> Self {
        Self::Image(image)
    }
}

/// Colours of a player, as rows of the palette: 0 to 15, of which the games use 0 to 13. A row beyond the last is
/// drawn as the last, with a warning; in a manifest it is an error.
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

impl PlayerColors {
    /// The last row of the palette.
    pub(crate) const LAST_ROW: u8 = 15;

    /// The name of the first field that is beyond the palette's rows, and its value.
    pub(crate) fn beyond(self) -> Option<(&'static str, u8)> {
        let mut rows = [("shirt", self.shirt), ("pants", self.pants)].into_iter();
        rows.find(|(_, row)| *row > Self::LAST_ROW)
    }
}

impl Default for PlayerColors {
    /// The rows that the texels have already.
    fn default() -> Self {
        Self { shirt: 1, pants: 6 }
    }
}

/// The colour of the player or team that owns the model.
///
/// Put it on the entity that has the `WorldAssetRoot`.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct TeamColor(pub Color);

impl Default for TeamColor {
    /// White.
    fn default() -> Self {
        Self(Color::WHITE)
    }
}
