//! The subcommand `thumbnail`.

use image::{Rgba, RgbaImage};
use std::path::{Path, PathBuf};
use std::process::Command;

fn asset(path: &str) -> PathBuf {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets");
    assets.join(path).canonicalize().unwrap()
}

/// Runs `thumbnail`. Returns the exit status, the errors, and the image.
fn thumbnail(input: &str, size: &str) -> (Option<i32>, String, Option<RgbaImage>) {
    let folder = tempfile::tempdir().unwrap();
    // GNOME gives temporary names like this one.
    let file = folder.path().join(".gnome_desktop_thumbnail.1A2B3C");
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    program.arg("thumbnail").arg(input).arg(&file).arg(size);
    let output = program.env_remove("DISPLAY").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let bytes = std::fs::read(file).ok();
    let image = bytes.map(|bytes| image::load_from_memory(&bytes).unwrap().into_rgba8());
    (output.status.code(), error, image)
}

#[track_caller]
fn image(input: &str, size: u32) -> RgbaImage {
    let (code, error, image) = thumbnail(input, &size.to_string());
    assert_eq!((code, &*error), (Some(0), ""), "{input}");
    let image = image.unwrap();
    assert_eq!(image.dimensions(), (size, size), "{input}");
    image
}

/// The share of pixels with at least this alpha.
fn share(image: &RgbaImage, alpha: u8) -> f32 {
    let count = image.pixels().filter(|pixel| pixel[3] >= alpha).count();
    count as f32 / image.pixels().len() as f32
}

#[test]
fn models_fill_the_image_and_the_background_is_transparent() {
    for model in [
        "walker.alo",
        "warden.abc",
        "sentry.mdl",
        "courier.lgw",
        "patrol.model.ron",
    ] {
        let image = image(asset("models").join(model).to_str().unwrap(), 64);
        let corners = [(0, 0), (63, 0), (0, 63), (63, 63)];
        for (x, y) in corners {
            assert_eq!(image.get_pixel(x, y), &Rgba([0; 4]), "{model}");
        }
        let opaque = share(&image, 255);
        assert!((0.05..0.9).contains(&opaque), "{model}: {opaque}");
        // It touches the margin of 5 percent at two opposite sides.
        let drawn = image.enumerate_pixels().filter(|(.., pixel)| pixel[3] > 0);
        let (mut low, mut high) = ([64; 2], [0; 2]);
        for (x, y, _) in drawn {
            for (axis, at) in [x, y].into_iter().enumerate() {
                low[axis] = low[axis].min(at);
                high[axis] = high[axis].max(at);
            }
        }
        let lengths = [high[0] - low[0], high[1] - low[1]];
        assert!(
            lengths.iter().any(|length| *length >= 54),
            "{model}: {lengths:?}"
        );
    }
}

#[test]
fn particle_systems_are_shown_while_they_are_visible() {
    for system in ["p_explosion.alo", "p_smoke_large.alo", "pe_warp_out.alo"] {
        let image = image(asset("models").join(system).to_str().unwrap(), 64);
        let visible = share(&image, 32);
        assert!(visible > 0.02, "{system}: {visible}");
    }
}

#[test]
fn textures_are_reduced_without_an_app() {
    let uri = format!("file://{}", asset("skins/warden.dtx").display());
    let small = image(&uri, 32);
    assert!(small.pixels().all(|pixel| pixel[3] >= 90));
    let texture = image(asset("textures/crate.dds").to_str().unwrap(), 64);
    assert!(share(&texture, 1) > 0.99);
}

#[test]
fn wrong_files_are_one_error() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes, expected) in [
        ("broken.mdl", &b"junk"[..], "broken.mdl: MDL: magic"),
        ("broken.dds", b"junk", "broken.dds: "),
        ("notes.txt", b"text", "notes.txt"),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, bytes).unwrap();
        let (code, error, image) = thumbnail(file.to_str().unwrap(), "64");
        assert_eq!(code, Some(1), "{error}");
        assert!(error.starts_with("classic-models: "), "{error}");
        assert!(error.contains(expected), "{error}");
        assert_eq!(error.lines().count(), 1, "{error}");
        assert!(image.is_none(), "{name}");
    }
    // Neither a folder, nor an archive, nor a file that would be replaced.
    let model = folder.path().join("broken.mdl");
    let archive = asset("archives/pak0.pak");
    for (input, output, expected) in [
        (folder.path(), "new.png", "not a folder or an archive"),
        (&archive, "new.png", "not a folder or an archive"),
        (&model, "broken.mdl", "broken.mdl: exists and is not a PNG"),
    ] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
        program
            .arg("thumbnail")
            .arg(input)
            .arg(folder.path().join(output));
        let result = program.arg("64").output().unwrap();
        let error = String::from_utf8_lossy(&result.stderr).into_owned();
        assert_eq!(result.status.code(), Some(1), "{error}");
        assert!(error.contains(expected), "{error}");
    }
    assert_eq!(std::fs::read(model).unwrap(), b"junk");
    let (code, error, _) = thumbnail("missing.alo", "64");
    assert_eq!(code, Some(1), "{error}");
    assert_eq!(thumbnail("a.alo", "0").0, Some(2));
}
