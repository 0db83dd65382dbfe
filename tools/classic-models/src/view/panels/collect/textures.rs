//! Rows of textures, with previews.

use crate::view::panels::collect::preview_images::preview_images;
use crate::view::panels::data::{Preview, TextureRow};
use bevy::asset::AssetPath;
use bevy::ecs::system::SystemParam;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_egui::egui::TextureId;
use bevy_egui::{EguiTextureHandle, EguiUserTextures};

/// Makes rows of textures.
#[derive(SystemParam)]
pub struct Textures<'w, 's> {
    images: ResMut<'w, Assets<Image>>,
    events: MessageReader<'w, 's, AssetEvent<Image>>,
    previews: ResMut<'w, EguiUserTextures>,
    /// The images that were made to draw others.
    made: Local<'s, HashMap<AssetId<Image>, Vec<Handle<Image>>>>,
}

impl Textures<'_, '_> {
    /// Drops the previews of images that have changed. Call it each frame.
    pub fn update(&mut self) {
        for event in self.events.read() {
            let (AssetEvent::Modified { id } | AssetEvent::Removed { id }) = event else {
                continue;
            };
            for image in self.made.remove(id).into_iter().flatten() {
                self.previews.remove_image(image.id());
            }
        }
    }

    /// The row of an image. `None` means that its file was not found.
    pub fn row(&mut self, name: String, image: Option<&Handle<Image>>) -> TextureRow {
        let row = |detail: String, preview: Option<Preview>| TextureRow {
            name,
            detail,
            preview,
            is_missing: image.is_none(),
        };
        let Some(handle) = image else {
            return row("not found".to_owned(), None);
        };
        let Some(image) = self.images.get(handle) else {
            return row("loading, or broken".to_owned(), None);
        };
        let size = [image.width(), image.height()];
        let format = image.texture_descriptor.format;
        let kind = match image.texture_descriptor.size.depth_or_array_layers {
            6 => ", cube map",
            _ => "",
        };
        let detail = format!("{} × {}, {format:?}{kind}", size[0], size[1]);
        let faces = self.faces(handle.id());
        row(detail, faces.map(|faces| Preview { faces, size }))
    }

    /// The images that draw an image. `None` if it cannot be drawn.
    fn faces(&mut self, id: AssetId<Image>) -> Option<Vec<TextureId>> {
        if !self.made.contains_key(&id) {
            let made = preview_images(self.images.get(id)?)?;
            let made = made.into_iter().map(|image| self.images.add(image));
            self.made.insert(id, made.collect());
        }
        // Without images of its own, it is drawn itself.
        let made = self.made.get(&id).filter(|made| !made.is_empty());
        let ids = match made {
            Some(made) => made.iter().map(Handle::id).collect(),
            None => vec![id],
        };
        let ids = ids.into_iter();
        let previews = &mut self.previews;
        Some(
            ids.map(|id| previews.add_image(EguiTextureHandle::Weak(id)))
                .collect(),
        )
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
