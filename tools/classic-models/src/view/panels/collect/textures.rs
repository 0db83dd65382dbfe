//! Rows of textures, with previews.

use crate::view::panels::data::TextureRow;
use bevy::asset::AssetPath;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::render::render_resource::{TextureDimension, TextureSampleType};
use bevy_egui::{EguiTextureHandle, EguiUserTextures};

/// Makes rows of textures.
#[derive(SystemParam)]
pub struct Textures<'w> {
    images: Res<'w, Assets<Image>>,
    previews: ResMut<'w, EguiUserTextures>,
}

impl Textures<'_> {
    /// The row of an image. `None` means that its file was not found.
    pub fn row(&mut self, name: String, image: Option<&Handle<Image>>) -> TextureRow {
        let Some(handle) = image else {
            return TextureRow {
                name,
                detail: "not found".to_owned(),
                preview: None,
                is_missing: true,
            };
        };
        let Some(image) = self.images.get(handle) else {
            return TextureRow {
                name,
                detail: "loading, or broken".to_owned(),
                preview: None,
                is_missing: false,
            };
        };
        let size = [image.width(), image.height()];
        let format = image.texture_descriptor.format;
        let detail = format!("{} × {}, {format:?}", size[0], size[1]);
        let preview = is_drawable(image).then(|| {
            let handle = EguiTextureHandle::Weak(handle.id());
            (self.previews.add_image(handle), size)
        });
        TextureRow {
            name,
            detail,
            preview,
            is_missing: false,
        }
    }

    /// The row of an image that is named by its path.
    pub fn row_of(&mut self, image: &Handle<Image>) -> TextureRow {
        let name = image
            .path()
            .map_or_else(|| "(no file)".to_owned(), file_name);
        self.row(name, Some(image))
    }
}

/// The file of an asset path without its folders, with its label.
pub fn file_name(path: &AssetPath<'_>) -> String {
    let file = path.path().file_name().unwrap_or_default();
    let file = file.to_string_lossy();
    match path.label() {
        Some(label) => format!("{file} {label}"),
        None => file.into_owned(),
    }
}

/// Whether an image is a plain texture of colors.
fn is_drawable(image: &Image) -> bool {
    let descriptor = &image.texture_descriptor;
    let sampled = descriptor.format.sample_type(None, None);
    descriptor.dimension == TextureDimension::D2
        && descriptor.size.depth_or_array_layers == 1
        && sampled == Some(TextureSampleType::Float { filterable: true })
}
