//! Components of a model's root that choose its skin and colors.

use crate::load::names::folded;
use bevy::asset::AssetPath;
use bevy::ecs::VariantDefaults;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;

/// The skin of a Quake or LithTech model. Without this component, the model uses its own first skin.
///
/// Insert it on the root. Instances of the same model and skin share their
/// materials.
#[derive(Component, VariantDefaults, Reflect, Clone, Debug, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelSkin {
    /// One of the model's own skins, by index. An index beyond the last skin selects the last skin.
    Index(usize),
    /// Any image, by its path from the root of the asset source. The model keeps its current skin until the image is
    /// loaded, and if loading fails. Unlit texels of a DTX image are as bright as in the model's own skins.
    Path(AssetPath<'static>),
    /// Any image, by its handle.
    Image(Handle<Image>),
    /// One of the root's [`ModelSkins`], by name (case-insensitive).
    ///
    /// If no skin has the name and the name has a file extension, it is the path of an image, as in
    /// [`ModelSkin::Path`]. Otherwise a warning lists the names, and the model keeps its skin.
    ///
    /// `ModelSkin::from("frost")` creates this variant.
    Name(String),
}

// Types that contain handles are not `Unpin`, so that `bsn!` does not create them by `Default` and `Clone`. A skin has its
// path in a variant of its own.
impl Unpin for ModelSkin {}

impl ModelSkin {
    /// The index of [`ModelSkin::Index`]. `None` for the other variants: a name is not looked up.
    pub fn index(&self) -> Option<usize> {
        match self {
            Self::Index(index) => Some(*index),
            Self::Path(_) | Self::Image(_) | Self::Name(_) => None,
        }
    }
}

/// The path that a skin's name denotes if no skin has the name; `None` without a file extension.
pub(crate) fn path_of_skin(name: &str) -> Option<AssetPath<'static>> {
    let path = AssetPath::try_parse(name).ok()?;
    path.path().extension()?;
    Some(path.into_owned())
}

/// The named skins that [`ModelSkin::Name`] selects from. A manifest's skins are inserted as this component.
///
/// Insert it on the root.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct ModelSkins {
    /// Keyed by name in lower case.
    skins: HashMap<String, ModelSkin>,
}

impl ModelSkins {
    /// Adds a skin, or replaces the skin of the same name.
    pub fn insert(&mut self, name: &str, skin: ModelSkin) -> &mut Self {
        self.skins.insert(folded(name), skin);
        self
    }

    /// The skin with this name (case-insensitive).
    pub fn get(&self, name: &str) -> Option<&ModelSkin> {
        self.skins.get(&folded(name))
    }

    /// All names, in lower case and in no particular order.
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

/// The colors of a Quake player, as rows of the palette: 0 to 15, of which the games use 0 to 13.
///
/// Texels of palette row 1 get the colors of row `shirt`, and texels of row 6 the colors of row `pants`. A row
/// beyond 15 is drawn as 15, with a warning; in a manifest it is an error. Instances of the same model, skin and
/// colors share a material.
///
/// Insert it on the root.
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

    /// The name and value of the first field that is not a row of the palette.
    pub(crate) fn beyond(self) -> Option<(&'static str, u8)> {
        let mut rows = [("shirt", self.shirt), ("pants", self.pants)].into_iter();
        rows.find(|(_, row)| *row > Self::LAST_ROW)
    }
}

impl Default for PlayerColors {
    /// The rows of the unchanged texels.
    fn default() -> Self {
        Self { shirt: 1, pants: 6 }
    }
}

/// The color of the player or team that owns the model.
///
/// Insert it on the root.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct TeamColor(pub Color);

impl Default for TeamColor {
    /// White.
    fn default() -> Self {
        Self(Color::WHITE)
    }
}
