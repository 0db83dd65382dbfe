//! The plugin of this module: registers the image loader and the placeholder images.

use crate::load::labels::reserve_extensions;
use crate::load::loading::insert_image;
use crate::texture::decoded_image::Limits;
use crate::texture::loader::ClassicImageLoader;
use crate::texture::placeholder::{
    PLACEHOLDER_CUBE, PLACEHOLDER_IMAGE, PLACEHOLDER_OUTLINE, Placeholder,
};
use crate::texture::sampling::Samplings;
use crate::texture::settings::EXTENSIONS;
use bevy::image::{CompressedImageFormatSupport, CompressedImageFormats, ImageLoader};
use bevy::prelude::*;
use bevy::render::renderer::RenderDevice;
use bevy::render::texture::TexturePlugin as RendererTextures;

/// The greatest size of an image, in texels per side, if there is no render device.
const MAX_TEXTURE_SIZE: u32 = 8192;

/// Loads images. Every format with textures needs it. Add it only once.
pub(crate) struct TexturePlugin;

impl Plugin for TexturePlugin {
    fn build(&self, app: &mut App) {
        reserve_extensions::<ClassicImageLoader>(app, EXTENSIONS);
        let server = app.world().resource::<AssetServer>().clone();
        app.insert_resource(Samplings::new(server));
    }

    fn finish(&self, app: &mut App) {
        insert_image(app, &PLACEHOLDER_IMAGE, Placeholder::Checkers.image());
        insert_image(app, &PLACEHOLDER_OUTLINE, Placeholder::Outline.image());
        insert_image(app, &PLACEHOLDER_CUBE, Placeholder::Checkers.cube());
        // The render device exists only now. Loads that started earlier wait for the loader.
        let world = app.world();
        let device = world.get_resource::<RenderDevice>();
        let max_texture_size = device.map_or(MAX_TEXTURE_SIZE, |device| {
            device.limits().max_texture_dimension_2d
        });
        let compressed = world.get_resource::<CompressedImageFormatSupport>();
        let compressed = compressed.map_or(CompressedImageFormats::NONE, |support| support.0);
        let limits = Limits {
            max_side: max_texture_size,
            compressed,
        };
        let samplings = world.resource::<Samplings>().clone();
        app.register_asset_loader(ClassicImageLoader::new(limits, samplings));
        if app.is_plugin_added::<ImagePlugin>() && !app.is_plugin_added::<RendererTextures>() {
            // Bevy registers it only with a renderer. Images without a loader would be loading for ever.
            app.register_asset_loader(ImageLoader::new(compressed));
        }
    }
}
