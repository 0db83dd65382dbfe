//! Conversion of borrowed values to owned ones, which outlive the file's bytes.

use super::file::{Material, Texture};
use std::borrow::Cow;

fn owned(string: Cow<'_, str>) -> Cow<'static, str> {
    Cow::Owned(string.into_owned())
}

impl Material<'_> {
    /// Converts borrowed strings to owned ones.
    #[must_use]
    pub fn into_owned(self) -> Material<'static> {
        let textures = self.textures.into_iter().map(Texture::into_owned);
        Material {
            id: self.id,
            name: owned(self.name),
            diffuse_color: self.diffuse_color,
            textures: textures.collect(),
        }
    }
}

impl Texture<'_> {
    /// Converts a borrowed string to an owned one.
    #[must_use]
    pub fn into_owned(self) -> Texture<'static> {
        Texture {
            file: self.file.map(owned),
            ..self
        }
    }
}
