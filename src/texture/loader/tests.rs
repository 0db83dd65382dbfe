//! Tests of the loader in an app that reads files from memory.

use crate::texture::decoded_image::TexelFormat;
use crate::texture::loader::*;
use crate::texture::placeholder::{PLACEHOLDER_IMAGE, Placeholder};
use crate::texture::plugin::TexturePlugin;
use crate::texture::samples::{BC1_BLOCK, DdsSample, four_cc, limits, masks, tga};
use bevy::asset::LoadState;
use bevy::asset::io::memory::{Dir, MemoryAssetReader};
use bevy::asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy::render::render_resource::{
    TextureDimension, TextureFormat, TextureUsages, TextureViewDimension,
};
use classic_models_support::gpuless::{PATIENCE, Patience};

struct TestApp {
    app: App,
    files: Dir,
}

impl TestApp {
    fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let root = Dir::default();
        for (path, bytes) in files {
            root.insert_asset(Path::new(path), bytes.clone());
        }
        let files = root.clone();
        let reader = move || -> Box<dyn bevy::asset::io::ErasedAssetReader> {
            Box::new(MemoryAssetReader { root: root.clone() })
        };
        let mut app = App::new();
        app.register_asset_source(AssetSourceId::Default, AssetSourceBuilder::new(reader))
            .add_plugins((MinimalPlugins, AssetPlugin::default()))
            .add_plugins((ImagePlugin::default(), TexturePlugin));
        app.finish();
        app.cleanup();
        Self { app, files }
    }

    fn load(&mut self, path: &'static str, placeholder: bool) -> Handle<Image> {
        let server = self.app.world().resource::<AssetServer>();
        let settings = move |settings: &mut ClassicImageSettings| {
            settings.placeholder = placeholder.then_some(Placeholder::Checkers);
        };
        server.load_builder().with_settings(settings).load(path)
    }

    /// Updates the app until a condition is true. Panics if it stays false.
    fn wait(&mut self, is_done: impl Fn(&AssetServer, &Assets<Image>) -> bool) {
        let mut patience = Patience::new(PATIENCE);
        while !patience.is_exhausted() {
            self.app.update();
            let world = self.app.world();
            if is_done(world.resource(), world.resource()) {
                return;
            }
            patience.wait();
        }
        panic!("the expected state was not reached");
    }

    fn loaded(&mut self, path: &'static str, placeholder: bool) -> Image {
        let handle = self.load(path, placeholder);
        self.wait(|server, _| server.is_loaded(&handle));
        self.image(&handle)
    }

    fn image(&self, handle: &Handle<Image>) -> Image {
        let images = self.app.world().resource::<Assets<Image>>();
        images.get(handle).unwrap().clone()
    }

    fn write(&mut self, path: &'static str, bytes: Vec<u8>) {
        self.files.insert_asset(Path::new(path), bytes);
        self.app.world().resource::<AssetServer>().reload(path);
    }
}

#[test]
fn format_is_detected_by_content_not_extension() {
    let dds = DdsSample::new(4, 4, four_cc(b"DXT1"), &BC1_BLOCK).bytes();
    let tga = tga(2, 1, 1, 24, 0, &[1, 2, 3]);
    let mut app = TestApp::new(&[("a.TGA", dds), ("b.Dds", tga)]);
    assert_eq!(app.loaded("a.TGA", false).width(), 4);
    let image = app.loaded("b.Dds", false);
    assert_eq!(image.data.as_deref(), Some(&[3, 2, 1, 255][..]));
    assert_eq!(
        image.texture_descriptor.format,
        TextureFormat::Rgba8UnormSrgb
    );
}

/// A PNG image.
fn png(texels: &image::RgbaImage) -> Vec<u8> {
    let mut file = std::io::Cursor::new(Vec::new());
    texels.write_to(&mut file, image::ImageFormat::Png).unwrap();
    file.into_inner()
}

#[test]
fn png_named_tga_is_decoded_and_errors_name_it() {
    let texels = image::RgbaImage::from_raw(2, 1, vec![1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
    let file = png(&texels);
    let mut app = TestApp::new(&[("a.TGA", file.clone()), ("cut.tga", file[..40].to_vec())]);
    let image = app.loaded("a.TGA", false);
    assert_eq!((image.width(), image.height()), (2, 1));
    assert_eq!(image.data, Some(texels.into_raw()));
    let handle = app.load("cut.tga", false);
    app.wait(|server, _| matches!(server.load_state(&handle), LoadState::Failed(_)));
    let state = app
        .app
        .world()
        .resource::<AssetServer>()
        .load_state(&handle);
    let LoadState::Failed(error) = state else {
        unreachable!()
    };
    assert!(error.to_string().contains("cut.tga: PNG: "), "{error}");
}

#[test]
fn sky_cube_is_decompressed_and_must_be_a_cube_map() {
    let decode =
        |sample: &DdsSample| decode_sky_cube(&sample.bytes(), Path::new("sky.dds"), limits(true));
    let mut sample = DdsSample::new(4, 4, four_cc(b"DXT1"), &BC1_BLOCK.repeat(6));
    let error = decode(&sample).unwrap_err();
    assert!(error.to_string().contains("in place of a cube map"));
    sample.caps2 = 0xFE00;
    let cube = decode(&sample).unwrap();
    assert_eq!(cube.format, TexelFormat::Rgba8);
    assert_eq!(cube.data.len(), 6 * 16 * 4);
}

#[test]
fn cube_map_has_a_cube_view_descriptor() {
    let l8 = masks(0x2_0000, 8, [0xFF, 0, 0, 0]);
    let mut sample = DdsSample::new(2, 2, l8, &[9; 30]);
    (sample.levels, sample.caps2) = (2, 0xFE00);
    let image = TestApp::new(&[("sky.dds", sample.bytes())]).loaded("sky.dds", false);
    let view = image.texture_view_descriptor.unwrap();
    assert_eq!(view.dimension, Some(TextureViewDimension::Cube));
    let texture = image.texture_descriptor;
    assert_eq!(texture.dimension, TextureDimension::D2);
    assert_eq!(texture.size.depth_or_array_layers, 6);
    assert_eq!(texture.mip_level_count, 2);
}

#[test]
fn errors_begin_with_the_path() {
    let mut app = TestApp::new(&[("art/x.tga", b"?".to_vec())]);
    let handle = app.load("art/x.tga", false);
    app.wait(|server, _| matches!(server.load_state(&handle), LoadState::Failed(_)));
    let server = app.app.world().resource::<AssetServer>();
    let LoadState::Failed(error) = server.load_state(&handle) else {
        unreachable!()
    };
    assert!(
        error
            .to_string()
            .contains("art/x.tga: the file is neither a TGA image"),
        "{error}"
    );
}

#[test]
fn placeholder_is_used_until_the_first_valid_image_which_is_kept() {
    let good = tga(2, 1, 1, 24, 0, &[1, 2, 3]);
    let mut app = TestApp::new(&[("x.tga", b"?".to_vec())]);
    let handle = app.load("x.tga", true);
    app.wait(|server, _| server.is_loaded(&handle));
    let checkerboard = app.image(&PLACEHOLDER_IMAGE);
    assert_eq!(app.image(&handle).data, checkerboard.data);

    let width = |images: &Assets<Image>| images.get(&handle).map(Image::width);
    app.write("x.tga", good);
    app.wait(|_, images| width(images) == Some(1));

    app.write("x.tga", b"half".to_vec());
    app.wait(|server, _| matches!(server.load_state(&handle), LoadState::Failed(_)));
    assert_eq!(
        app.image(&handle).width(),
        1,
        "the last valid image is kept"
    );
}

#[test]
fn flat_image_never_becomes_a_cube_map_on_reload() {
    let l8 = masks(0x2_0000, 8, [0xFF, 0, 0, 0]);
    let mut cube = DdsSample::new(2, 2, l8, &[9; 30]);
    (cube.levels, cube.caps2) = (2, 0xFE00);
    let mut app = TestApp::new(&[("x.tga", tga(2, 1, 1, 24, 0, &[1, 2, 3]))]);
    let server = app.app.world().resource::<AssetServer>();
    let flat = |settings: &mut ClassicImageSettings| settings.flat = true;
    let handle: Handle<Image> = server.load_builder().with_settings(flat).load("x.tga");
    app.wait(|server, _| server.is_loaded(&handle));
    app.write("x.tga", cube.bytes());
    app.wait(|server, _| matches!(server.load_state(&handle), LoadState::Failed(_)));
    // Bevy's second try with default settings gets many turns of the task pool.
    let mut patience = Patience::new(100);
    while !patience.is_exhausted() {
        app.app.update();
        patience.wait();
    }
    assert_eq!(app.image(&handle).texture_view_descriptor, None);
}

#[test]
fn image_with_mip_levels_has_no_copy_dst_usage() {
    let usage = |file: Vec<u8>| {
        let image = TestApp::new(&[("x.dds", file)]).loaded("x.dds", false);
        image.texture_descriptor.usage
    };
    let mut sample = DdsSample::new(2, 2, masks(0x2_0000, 8, [0xFF, 0, 0, 0]), &[9; 5]);
    sample.levels = 2;
    // With `COPY_DST`, Bevy copies only the largest level to the existing texture.
    assert!(!usage(sample.bytes()).contains(TextureUsages::COPY_DST));
    let one = tga(2, 1, 1, 24, 0, &[1, 2, 3]);
    assert!(usage(one).contains(TextureUsages::COPY_DST));
}

#[test]
fn settings_default_missing_fields_and_reject_unknown_ones() {
    let settings: ClassicImageSettings = serde_json::from_str(r#"{"is_srgb": false}"#).unwrap();
    let expected = ClassicImageSettings {
        is_srgb: false,
        ..ClassicImageSettings::default()
    };
    assert_eq!(settings, expected);
    assert!(serde_json::from_str::<ClassicImageSettings>(r#"{"srgb": false}"#).is_err());
}

#[test]
fn the_table_of_files_does_not_grow_with_files_that_are_not_in_use() {
    let mut app = TestApp::new(&[(
        "used.dds",
        DdsSample::new(4, 4, four_cc(b"DXT1"), &BC1_BLOCK).bytes(),
    )]);
    let used = app.load("used.dds", false);
    app.wait(|server, _| server.is_loaded(&used));
    let server = app.app.world().resource::<AssetServer>().clone();
    let loader = ClassicImageLoader::new(limits(false), Samplings::new(server));
    let load = |path: String| {
        let path = AssetPath::from(path);
        loader.effective(&path, &ClassicImageSettings::default());
        loader.record_success(path, true);
    };
    load("used.dds".to_owned());
    for index in 0..1000 {
        load(format!("{index}.dds"));
    }
    let count = loader.lock().len();
    assert!(count < 50, "{count}");
    assert!(loader.was_flat(&AssetPath::from("used.dds")));
}
