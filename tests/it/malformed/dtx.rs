//! Malformed DTX textures in the asset loader: every class of defect with its error, truncations, random mutations, and
//! models with a broken skin.

use super::suite::Suite;
use crate::support::abc::{bytes, figure};
use crate::support::abc_app::{load, model};
use crate::support::prelude::*;
use crate::support::random::Random;
use bevy_classic_models::lithtech::dtx::DtxTexelFormat;
use bevy_classic_models::lithtech::dtx::write::write_unchecked;

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

const SUITE: Suite<Image> = Suite {
    extension: "dtx",
    load: |app, path| app.server().load(path),
    is_located: |path, error| {
        let error = error.to_string();
        let has_offset = error.contains("DTX: ") && error.contains("at offset");
        let is_size = error.contains("expected sides from 1 to");
        error.contains(&format!("{path}: ")) && (has_offset || is_size)
    },
    check: |app, images| {
        for image in images {
            assert_valid(app.asset(image));
        }
    },
};

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
    let size = |width: u16, height: u16| {
        let size = [width.to_le_bytes(), height.to_le_bytes()].concat();
        patched(valid.clone(), 8, &size)
    };
    let version = |version: i32| patched(valid.clone(), 4, &version.to_le_bytes());
    let compressed = write_unchecked(&version_5(DtxTexelFormat::Bc1, 8, 8));
    let no_levels = patched(compressed.clone(), 12, &[0, 0]);
    let unknown_format = patched(compressed, 26, &[9]);
    let mut cases = Vec::new();
    let mut add = |class: u32, bytes: Vec<u8>, message: &'static str| {
        cases.push(Case::logged(class, bytes, Reject(message, ())));
    };
    let level = |length: &str| -> &'static str {
        format!("mip level 0 at offset 1196 needs {length} bytes").leak()
    };
    add(1, vec![], "DTX: file at offset 0 is empty");
    add(1, valid[..6].to_vec(), "version at offset 4 ");
    add(1, valid[..20].to_vec(), "header at offset 0 ");
    add(2, b"\x89PNG\r\n\x1a\n and more".to_vec(), "PNG: ");
    let pointer = b"version https://git-lfs".to_vec();
    add(2, pointer, "a Git LFS pointer");
    add(44, vec![17; 4096], "master palette");
    add(44, version(-4), "version at offset 4 is -4");
    add(44, version(-1), "version at offset 4 is -1");
    add(44, size(0, 16), "width at offset 8 ");
    add(44, size(16, 0), "height at offset 10 ");
    add(44, size(4000, 4000), level("16000000"));
    add(44, size(65535, 1), level("65535"));
    add(44, size(65535, 65535), level("4294836225"));
    add(44, no_levels, "mip level count at offset 12 ");
    add(44, unknown_format, "texel format at offset 26 is 9");
    // Some messages have no offset.
    let suite = Suite {
        is_located: |path, error| error.to_string().contains(&format!("{path}: ")),
        ..SUITE
    };
    suite.assert_classes(cases, |path, ()| LocationText {
        error: format!("{path}: "),
        warning: path.to_owned(),
    });
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
        SUITE.run("extra", files),
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
        assert_eq!(SUITE.run(&format!("ends-{index}"), ends), 0);
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
    let damaged = files.iter().cycle().take(1200).map(&mut mutated);
    let loaded = SUITE.run("damaged", damaged);
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
    println!("{} of {count} load", SUITE.run("real", damaged));
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
        let images = app.assets::<Image>();
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
    let images = app.assets::<Image>();
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
