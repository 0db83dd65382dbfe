//! Malformed DTX textures in the asset loader: every class of defect with its error, truncations, random mutations, and
//! models with a broken skin.

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

/// A texture of version −3 with alpha.
fn version_3() -> DtxDocument {
    let indices: Vec<u8> = (0..=255).collect();
    let texture = DtxDocument::indexed(16, 16, &[[9, 8, 7], [250, 1, 2]], &indices);
    texture.with_alpha(&indices)
}

/// A texture of version −5.
fn version_5(texels: DtxTexelFormat, width: u16, height: u16) -> DtxDocument {
    let mut texture = DtxDocument {
        version: -5,
        width,
        height,
        mips: 3,
        palette: Vec::new(),
        ..DtxDocument::indexed(8, 8, &[], &[0; 64])
    };
    texture.extra[2] = texels.code();
    let level = |level: u16| {
        let (width, height) = (u32::from(width >> level), u32::from(height >> level));
        let length = texels.level_bytes(width, height);
        (0..length).map(|at| (at * 37) as u8).collect()
    };
    texture.levels = (0..3).map(level).collect();
    texture
}

fn all() -> Vec<Vec<u8>> {
    let version_2 = DtxDocument {
        version: -2,
        ..version_3()
    };
    let formats = [
        DtxTexelFormat::Bgra8,
        DtxTexelFormat::Bc1,
        DtxTexelFormat::Bc2,
        DtxTexelFormat::Bc3,
    ];
    let version_5 = formats.map(|texels| version_5(texels, 16, 12));
    let all = [version_3(), version_2].into_iter().chain(version_5);
    all.map(|texture| write_unchecked(&texture)).collect()
}

fn patched(mut file: Vec<u8>, at: usize, bytes: &[u8]) -> Vec<u8> {
    file[at..at + bytes.len()].copy_from_slice(bytes);
    file
}

/// Loads files in one app. Asserts that each fails with its path and an offset, or has a valid image. Returns the indices
/// of the files that load.
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
                let has_path = error.contains(&format!("{path}: "));
                let has_offset = error.contains("DTX: ") && error.contains("at offset");
                let is_size = error.contains("expected sides from 1 to");
                assert!(has_path && (has_offset || is_size), "{error}");
            }
            _ => {
                let images = app.world().resource::<Assets<Image>>();
                assert_valid(images.get(handle).unwrap());
                loaded.push(index);
            }
        }
    }
    loaded
}

/// Asserts that the size of the data and the count of mip levels are valid.
#[track_caller]
fn assert_valid(image: &Image) {
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
fn every_class_is_an_error_of_the_loader() {
    let valid = write_unchecked(&version_3());
    let old = vec![17; 4096];
    let size = |width: u16, height: u16| {
        let size = [width.to_le_bytes(), height.to_le_bytes()].concat();
        patched(valid.clone(), 8, &size)
    };
    let compressed = write_unchecked(&version_5(DtxTexelFormat::Bc1, 8, 8));
    let cases = [
        (1, vec![], "DTX: file at offset 0 is empty"),
        (1, valid[..6].to_vec(), "version at offset 4 "),
        (1, valid[..20].to_vec(), "header at offset 0 "),
        (2, b"\x89PNG\r\n\x1a\n and more".to_vec(), "PNG: "),
        (2, b"version https://git-lfs".to_vec(), "a Git LFS pointer"),
        (44, old, "master palette"),
        (
            44,
            patched(valid.clone(), 4, &(-4_i32).to_le_bytes()),
            "version at offset 4 is -4",
        ),
        (
            44,
            patched(valid.clone(), 4, &[255; 4]),
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
            patched(compressed.clone(), 12, &[0, 0]),
            "mip level count at offset 12 ",
        ),
        (
            44,
            patched(compressed, 26, &[9]),
            "texel format at offset 26 is 9",
        ),
    ];
    for (index, (class, bytes, expected)) in cases.into_iter().enumerate() {
        let path: &'static str = format!("class-{class}-{index}.dtx").leak();
        let mut app = TestApp::new(&[(path, bytes)]);
        let handle = app.load::<Image>(path);
        let LoadState::Failed(error) = app.finish_load(&handle) else {
            panic!("{path} loads");
        };
        let error = error.to_string();
        assert!(
            error.contains(&format!("{path}: ")) && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn additional_bytes_are_ignored_and_missing_mip_levels_are_errors() {
    let many = DtxDocument {
        mips: u16::MAX,
        ..version_3()
    };
    let mut longer = version_3();
    longer.rest = b"what is this".to_vec();
    let files = [many, longer].map(|texture| write_unchecked(&texture));
    assert_eq!(
        run("extra", files.to_vec()).len(),
        1,
        "a count of 65535 levels means 5, and the file has 4"
    );
}

#[test]
fn truncated_files_are_errors() {
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
fn mutated_files_do_not_panic() {
    let files = all();
    let mut random = Random(0x2d35_8dcc_aa6c_78a5);
    let mut mutated = |file: &Vec<u8>| {
        let mut file = file.clone();
        for _ in 0..=random.below(3) {
            // Mutations of the header are the most likely to cause errors.
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
    let Some(folder) = corpus("mutated_files_do_not_panic") else {
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

/// The expected RGBA bytes, computed from the format's description.
fn texels(texture: &DtxDocument) -> Vec<u8> {
    let has_alpha = texture.flags & texture_flags::ALPHA != 0;
    let mut texels = Vec::new();
    for (level_index, level) in texture.levels.iter().enumerate() {
        for (texel, index) in level.iter().enumerate() {
            let [_, r, g, b] = texture.palette[usize::from(*index)];
            let alpha = if has_alpha {
                let byte = texture.alpha_levels[level_index][texel / 2];
                17 * if texel % 2 == 0 { byte & 15 } else { byte >> 4 }
            } else {
                255
            };
            texels.extend([r, g, b, alpha]);
        }
    }
    texels
}

#[test]
fn each_version_has_the_expected_texels() {
    let plain = DtxDocument {
        flags: 8,
        alpha_levels: Vec::new(),
        ..version_3()
    };
    let version_2 = DtxDocument {
        version: -2,
        ..version_3()
    };
    let mut bgra = version_5(DtxTexelFormat::Bgra8, 8, 4);
    bgra.flags = 0;
    for (texture, expected) in [
        (plain.clone(), texels(&plain)),
        (version_3(), texels(&version_3())),
        (version_2.clone(), texels(&version_2)),
        (bgra.clone(), {
            let texels = bgra.levels.concat();
            let texels = texels.as_chunks::<4>().0.iter();
            texels.flat_map(|[b, g, r, a]| [*r, *g, *b, *a]).collect()
        }),
    ] {
        let mut app = TestApp::new(&[("x.DTX", write_unchecked(&texture))]);
        let handle = app.load::<Image>("x.DTX");
        app.wait_loaded(&handle);
        let images = app.world().resource::<Assets<Image>>();
        let image = images.get(&handle).unwrap();
        assert_eq!(
            image.data.as_ref(),
            Some(&expected),
            "version {}",
            texture.version
        );
        assert_eq!(
            image.texture_descriptor.mip_level_count as usize,
            texture.levels.len()
        );
    }
}

#[test]
fn a_model_with_a_broken_skin_is_spawned_with_one_error() {
    log::listen();
    let skin = &write_unchecked(&version_3())[..1300];
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
        panic!("expected one skin");
    };
    let images = app.world().resource::<Assets<Image>>();
    assert!(images.contains(&skin.image), "a placeholder");
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
