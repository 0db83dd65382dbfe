//! Registers everything of this room with an app.

use crate::texture::loader::ClassicImageLoader;
use crate::texture::picture::Limits;
use crate::texture::placeholder::{PLACEHOLDER_CUBE, PLACEHOLDER_IMAGE, Placeholder};
use crate::texture::sampling::Samplings;
use bevy::app::{App, Plugin};
use bevy::asset::{AssetApp, AssetServer, Assets};
use bevy::image::{CompressedImageFormatSupport, CompressedImageFormats, Image};
use bevy::log::error;
use bevy::render::renderer::RenderDevice;

/// Longest side of a picture where there is no adapter to ask.
const MAX_TEXTURE_SIZE: u32 = 8192;

/// Pictures. Every format that wears them needs it; it may be added only once.
pub(crate) struct TexturePlugin;

impl Plugin for TexturePlugin {
    fn build(&self, app: &mut App) {
        app.preregister_asset_loader::<ClassicImageLoader>(&ClassicImageLoader::extensions());
        let server = app.world().resource::<AssetServer>().clone();
        app.insert_resource(Samplings::new(server));
        let Some(mut images) = app.world_mut().get_resource_mut::<Assets<Image>>() else {
            error!("models' pictures need Bevy's ImagePlugin, added before this crate's plugin");
            return;
        };
        for (handle, image) in [
            (PLACEHOLDER_IMAGE, Placeholder::Checkers.image()),
            (PLACEHOLDER_CUBE, Placeholder::Checkers.cube()),
        ] {
            if let Err(error) = images.insert(&handle, image) {
                error!("missing pictures will not be seen: {error}");
            }
        }
    }

    fn finish(&self, app: &mut App) {
        // The adapter is known only now; loads that began before wait.
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
    }
}
