//! Rows of textures, with previews.

use crate::view::panels::data::{Preview, TextureRow};
use bevy::asset::{AssetPath, RenderAssetUsages};
use bevy::ecs::system::SystemParam;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy::render::render_resource::{
    TextureDataOrder, TextureDescriptor, TextureDimension, TextureSampleType,
};
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

/// The count of faces of a cube map.
const FACES: usize = 6;

/// The images to draw in place of an image: a face each, with the values as screen colors. Empty if the image can be drawn
/// itself, `None` if it cannot be drawn.
///
/// The texels of some textures are not colors to the materials that use them, such as normals, or are added and multiplied as
/// screen colors. Drawn as they are, they would be too bright.
pub fn preview_images(image: &Image) -> Option<Vec<Image>> {
    let descriptor = &image.texture_descriptor;
    let faces = descriptor.size.depth_or_array_layers as usize;
    let sampled = descriptor.format.sample_type(None, None);
    let is_drawable = descriptor.dimension == TextureDimension::D2
        && (faces == 1 || faces == FACES)
        && sampled == Some(TextureSampleType::Float { filterable: true });
    if !is_drawable {
        return None;
    }
    let format = descriptor.format.add_srgb_suffix();
    if faces == 1 && format == descriptor.format {
        return Some(Vec::new());
    }
    let data = image.data.as_deref().filter(|data| !data.is_empty());
    let Some(data) = data.filter(|_| image.data_order == TextureDataOrder::LayerMajor) else {
        // The texels are only on the GPU.
        return (faces == 1).then(Vec::new);
    };
    let face = |data: &[u8]| {
        let mut size = descriptor.size;
        size.depth_or_array_layers = 1;
        Image {
            data: Some(data.to_vec()),
            texture_descriptor: TextureDescriptor {
                size,
                format,
                view_formats: &[],
                ..descriptor.clone()
            },
            asset_usage: RenderAssetUsages::RENDER_WORLD,
            ..default()
        }
    };
    Some(data.chunks_exact(data.len() / faces).map(face).collect())
}

#[cfg(test)]
mod preview_images_tests {
    use super::*;
    use bevy::render::render_resource::{Extent3d, TextureFormat};

    fn image(layers: u32, format: TextureFormat) -> Image {
        let size = Extent3d {
            width: 4,
            height: 4,
            depth_or_array_layers: layers,
        };
        let mut image = Image::new_uninit(
            size,
            TextureDimension::D2,
            format,
            RenderAssetUsages::default(),
        );
        let bytes = (4 * 4 * layers) as usize * format.block_copy_size(None).unwrap() as usize
            / format.block_dimensions().0 as usize
            / format.block_dimensions().1 as usize;
        image.data = Some((0..bytes).map(|index| index as u8).collect());
        image
    }

    #[test]
    fn colors_are_drawn_as_they_are() {
        let made = preview_images(&image(1, TextureFormat::Rgba8UnormSrgb));
        assert!(made.is_some_and(|made| made.is_empty()));
        assert!(preview_images(&image(1, TextureFormat::Rgba8Uint)).is_none());
        assert!(preview_images(&image(3, TextureFormat::Rgba8UnormSrgb)).is_none());
    }

    #[test]
    fn other_values_are_drawn_as_screen_colors() {
        for (format, expected) in [
            (TextureFormat::Rgba8Unorm, TextureFormat::Rgba8UnormSrgb),
            (TextureFormat::Bc3RgbaUnorm, TextureFormat::Bc3RgbaUnormSrgb),
        ] {
            let source = image(1, format);
            let made = preview_images(&source).unwrap();
            assert_eq!(made.len(), 1);
            assert_eq!(made[0].texture_descriptor.format, expected);
            assert_eq!(made[0].data, source.data);
        }
    }

    #[test]
    fn each_face_of_a_cube_map_is_an_image() {
        for format in [TextureFormat::Rgba8Unorm, TextureFormat::Bc1RgbaUnormSrgb] {
            let source = image(6, format);
            let made = preview_images(&source).unwrap();
            assert_eq!(made.len(), 6);
            let whole = made.iter().filter_map(|face| face.data.clone()).flatten();
            assert_eq!(Some(whole.collect::<Vec<u8>>()), source.data);
            for face in &made {
                assert_eq!(face.texture_descriptor.size.depth_or_array_layers, 1);
                assert!(face.texture_descriptor.format.is_srgb());
            }
        }
    }
}
