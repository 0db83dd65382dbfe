//! The promise on bad DTX pictures, through the loader in an app: every class with its error or what is left of
//! it, any number wrong, any end missing; and models that wear them draw all the same.

use crate::support::abc::{bytes, figure};
use crate::support::abc_app::{load, model};
use crate::support::app::TestApp;
use crate::support::random::Random;
use crate::support::{corpus, files_of, log};
use bevy::asset::LoadState;
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcLoaderSettings;
use bevy_classic_models::lithtech::dtx::write::{DtxDocument, write_unchecked};
use bevy_classic_models::lithtech::dtx::{DtxTexelFormat, texture_flags};
use bevy_classic_models::prelude::*;

/// A picture of version −3 with alpha.
fn third() -> DtxDocument {
    let indices: Vec<u8> = (0..=255).collect();
    let picture = DtxDocument::indexed(16, 16, &[[9, 8, 7], [250, 1, 2]], &indices);
    picture.with_alpha(&indices)
}

/// A picture of version −5.
fn fifth(texels: DtxTexelFormat, width: u16, height: u16) -> DtxDocument {
    let mut picture = DtxDocument {
        version: -5,
        width,
        height,
        mips: 3,
        palette: Vec::new(),
        ..DtxDocument::indexed(8, 8, &[], &[0; 64])
    };
    picture.extra[2] = texels.code();
    let level = |level: u16| {
        let (width, height) = (u32::from(width >> level), u32::from(height >> level));
        let length = texels.level_bytes(width, height);
        (0..length).map(|at| (at * 37) as u8).collect()
    };
    picture.levels = (0..3).map(level).collect();
    picture
}

fn all() -> Vec<Vec<u8>> {
    let second = DtxDocument {
        version: -2,
        ..third()
    };
    let fifths = [
        DtxTexelFormat::Bgra8,
        DtxTexelFormat::Bc1,
        DtxTexelFormat::Bc2,
        DtxTexelFormat::Bc3,
    ];
    let fifths = fifths.map(|texels| fifth(texels, 16, 12));
    let all = [third(), second].into_iter().chain(fifths);
    all.map(|picture| write_unchecked(&picture)).collect()
}

fn patched(mut file: Vec<u8>, at: usize, by: &[u8]) -> Vec<u8> {
    file[at..at + by.len()].copy_from_slice(by);
    file
}

/// Loads pictures in one app: each is refused with its path and an offset, or has as many texels as it says.
/// Returns those that load.
fn run(name: &str, files: Vec<Vec<u8>>) -> Vec<usize> {
    let paths: Vec<String> = (0..files.len())
        .map(|index| format!("{name}-{index}.dtx"))
        .collect();
    let named: Vec<(&str, Vec<u8>)> = paths.iter().map(String::as_str).zip(files).collect();
    let mut app = TestApp::new(&named);
    let handles: Vec<Handle<Image>> = paths.iter().map(|path| app.load(path.clone())).collect();
    let mut loaded = Vec::new();
    for (index, (handle, path)) in handles.iter().zip(&paths).enumerate() {
        match app.finish_load(handle) {
            LoadState::Failed(error) => {
                let error = error.to_string();
                let is_told = error.contains(&format!("{path}: "));
                let is_placed = error.contains("DTX: ") && error.contains("at offset");
                let is_size = error.contains("but sides must be from 1 to");
                assert!(is_told && (is_placed || is_size), "{error}");
            }
            _ => {
                let images = app.world().resource::<Assets<Image>>();
                assert_whole(images.get(handle).unwrap());
                loaded.push(index);
            }
        }
    }
    loaded
}

/// Holds a picture to what the GPU asks of it.
#[track_caller]
fn assert_whole(image: &Image) {
    let levels = image.texture_descriptor.mip_level_count;
    let texels = |level: u32| {
        let side = |side: u32| (side >> level).max(1) as usize;
        side(image.width()) * side(image.height())
    };
    let texels: usize = (0..levels).map(texels).sum();
    assert_eq!(image.data.as_ref().unwrap().len(), 4 * texels);
    let possible = image.width().max(image.height()).ilog2() + 1;
    assert!((1..=possible).contains(&levels));
}

#[test]
fn every_class_is_refused_by_the_loader() {
    let picture = write_unchecked(&third());
    let old = vec![17; 4096];
    let size = |width: u16, height: u16| {
        let size = [width.to_le_bytes(), height.to_le_bytes()].concat();
        patched(picture.clone(), 8, &size)
    };
    let coding = write_unchecked(&fifth(DtxTexelFormat::Bc1, 8, 8));
    let cases = [
        (1, vec![], "needs 4 bytes, but only 0 remain"),
        (1, picture[..6].to_vec(), "version at offset 4 "),
        (1, picture[..20].to_vec(), "header at offset 0 "),
        (2, b"\x89PNG\r\n\x1a\n and more".to_vec(), "is a PNG"),
        (44, old, "master palette"),
        (
            44,
            patched(picture.clone(), 4, &(-4_i32).to_le_bytes()),
            "version at offset 4 is -4",
        ),
        (
            44,
            patched(picture.clone(), 4, &[255; 4]),
            "version at offset 4 is -1",
        ),
        (44, size(0, 16), "width at offset 8 "),
        (44, size(16, 0), "height at offset 10 "),
        (
            44,
            size(4000, 4000),
            "mip level 0 at offset 1196 needs 16000000 bytes",
        ),
        (
            44,
            size(65535, 1),
            "mip level 0 at offset 1196 needs 65535 bytes",
        ),
        (
            44,
            size(65535, 65535),
            "mip level 0 at offset 1196 needs 4294836225 bytes",
        ),
        (
            44,
            patched(picture.clone(), 12, &[0, 0]),
            "mip level count at offset 12 ",
        ),
        (
            44,
            patched(coding, 26, &[9]),
            "texel format at offset 26 is 9",
        ),
    ];
    for (index, (class, bytes, said)) in cases.into_iter().enumerate() {
        let path: &'static str = format!("class-{class}-{index}.dtx").leak();
        let mut app = TestApp::new(&[(path, bytes)]);
        let handle = app.load::<Image>(path);
        let LoadState::Failed(error) = app.finish_load(&handle) else {
            panic!("{path} loads");
        };
        let error = error.to_string();
        assert!(
            error.contains(&format!("{path}: ")) && error.contains(said),
            "{error}"
        );
    }
}

#[test]
fn flaws_that_do_no_harm_leave_the_picture() {
    let many = DtxDocument {
        mips: u16::MAX,
        ..third()
    };
    let mut longer = third();
    longer.rest = b"what is this".to_vec();
    let files = [many, longer].map(|picture| write_unchecked(&picture));
    assert_eq!(
        run("harmless", files.to_vec()).len(),
        1,
        "65535 levels announce 5, of which 4 are there"
    );
}

#[test]
fn a_picture_may_not_end_early() {
    for (index, file) in all().into_iter().enumerate() {
        let ends = (0..file.len())
            .rev()
            .step_by(3)
            .map(|end| file[..end].to_vec());
        let loaded = run(&format!("ends-{index}"), ends.collect());
        assert_eq!(loaded, [0; 0]);
    }
}

#[test]
fn damaged_pictures_do_no_harm() {
    let files = all();
    let mut random = Random(0x2d35_8dcc_aa6c_78a5);
    let mut mutated = |file: &Vec<u8>| {
        let mut file = file.clone();
        for _ in 0..=random.below(3) {
            // The header is where small changes go far.
            let at = [random.below(36), random.below(file.len())][random.below(2)];
            match random.below(3) {
                0 => file[at] = random.below(256) as u8,
                1 => file[at] ^= 1 << random.below(8),
                _ => file.truncate((at + 1).max(36)),
            }
        }
        file
    };
    let damaged: Vec<_> = files.iter().cycle().take(1200).map(&mut mutated).collect();
    let loaded = run("damaged", damaged).len();
    assert!((100..1100).contains(&loaded), "{loaded}");
    let Some(folder) = corpus("damaged_pictures_do_no_harm") else {
        return;
    };
    let mut real = files_of(&folder, "dtx");
    real.retain(|(_, file)| file.len() < 30_000);
    let damaged: Vec<_> = real
        .iter()
        .take(1000)
        .map(|(_, file)| mutated(file))
        .collect();
    let count = damaged.len();
    println!("{} of {count} load", run("real", damaged).len());
}

/// Red, green, blue and alpha by the format's description.
fn texels(picture: &DtxDocument) -> Vec<u8> {
    let has_alpha = picture.flags & texture_flags::ALPHA != 0;
    let mut texels = Vec::new();
    for (number, level) in picture.levels.iter().enumerate() {
        for (place, index) in level.iter().enumerate() {
            let [_, r, g, b] = picture.palette[usize::from(*index)];
            let alpha = if has_alpha {
                let byte = picture.alpha_levels[number][place / 2];
                17 * if place % 2 == 0 { byte & 15 } else { byte >> 4 }
            } else {
                255
            };
            texels.extend([r, g, b, alpha]);
        }
    }
    texels
}

#[test]
fn pictures_of_each_version_have_the_texels_that_the_format_says() {
    let plain = DtxDocument {
        flags: 8,
        alpha_levels: Vec::new(),
        ..third()
    };
    let second = DtxDocument {
        version: -2,
        ..third()
    };
    let mut bgra = fifth(DtxTexelFormat::Bgra8, 8, 4);
    bgra.flags = 0;
    for (picture, expected) in [
        (plain.clone(), texels(&plain)),
        (third(), texels(&third())),
        (second.clone(), texels(&second)),
        (bgra.clone(), {
            let texels = bgra.levels.concat();
            let texels = texels.as_chunks::<4>().0.iter();
            texels.flat_map(|[b, g, r, a]| [*r, *g, *b, *a]).collect()
        }),
    ] {
        let mut app = TestApp::new(&[("x.DTX", write_unchecked(&picture))]);
        let handle = app.load::<Image>("x.DTX");
        app.wait_loaded(&handle);
        let images = app.world().resource::<Assets<Image>>();
        let image = images.get(&handle).unwrap();
        assert_eq!(
            image.data.as_ref(),
            Some(&expected),
            "version {}",
            picture.version
        );
        assert_eq!(
            image.texture_descriptor.mip_level_count as usize,
            picture.levels.len()
        );
    }
}

#[test]
fn a_model_with_a_broken_skin_is_there_and_its_error_is_logged_once() {
    log::listen();
    let skin = &write_unchecked(&third())[..1300];
    let files = [
        ("Models/broken.abc", bytes(&figure())),
        ("Skins/broken.dtx", skin.to_vec()),
    ];
    let mut app = TestApp::new(&files);
    let abc = load(&mut app, "Models/broken.abc", AbcLoaderSettings::default()).unwrap();
    let root = crate::support::abc_app::spawn(&mut app, &abc, ());
    app.step(0.0);
    let model = model(&mut app, root);
    let [skin] = &model.skins[..] else {
        panic!("one skin");
    };
    let images = app.world().resource::<Assets<Image>>();
    assert!(images.contains(&skin.image), "it wears a placeholder");
    let errors = log::errors_of(&["bevy_classic_models"]);
    let errors: Vec<_> = errors
        .iter()
        .filter(|it| it.contains("Skins/broken.dtx"))
        .collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert!(
        errors[0].contains("DTX: mip level 0 at offset 1196 needs 256 bytes"),
        "{errors:?}"
    );
}
