//! Images that the subcommand `view` writes: of particle systems, of models in archives and games, turntables and contact
//! sheets.

mod animation;
mod background;
mod stage;

use classic_model_formats::abc;
use classic_models_support::comparison::difference;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets");

/// The bytes of the image of a sample.
#[track_caller]
fn image(sample: &str, options: &[&str]) -> Vec<u8> {
    let sample = Path::new("models").join(sample);
    image_of(&sample, options)
}

/// The bytes of the image of a file in the assets, or of an entry of an archive there, or of an absolute path.
#[track_caller]
fn image_of(file: &Path, options: &[&str]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("out.png");
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    program
        .arg("view")
        .arg(Path::new(ASSETS).join(file))
        .args(["--size", "160x90", "--capture"])
        .arg(&image)
        .args(options);
    let output = program.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{options:?}: {error}");
    std::fs::read(image).unwrap()
}

#[track_caller]
fn assert_same(a: &[u8], b: &[u8], what: &str) {
    assert_eq!(difference(a, b), Ok(None), "{what}");
}

/// They have the same bounds, which need the positions of the file's vertices.
#[test]
fn images_of_models_in_archives_and_games_are_those_of_loose_files() {
    let bounds = ["--bounds"];
    let loose = image("warden.abc", &bounds);
    let archive = "archives/warden.rez";
    let entry = Path::new(archive).join("models/warden.abc");
    assert_same(&image_of(&entry, &bounds), &loose, "the entry");
    // The game's folder does not have the file: it is in the archive.
    let game = tempfile::tempdir().unwrap();
    let archive = Path::new(ASSETS).join(archive);
    let options = [
        archive.to_str().unwrap(),
        "--game",
        "lithtech",
        "--model",
        "models/warden.abc",
        "--bounds",
    ];
    assert_same(&image_of(game.path(), &options), &loose, "the game");
    // The path of the model after the game, in any case.
    let archives = Path::new(ASSETS).join("archives/warden.rez");
    let options = ["Models/WARDEN.*", "--game", "lithtech", "--bounds"];
    assert_same(&image_of(&archives, &options), &loose, "a path");
}

/// No shell expands the pattern here, as on Windows.
#[test]
fn images_of_patterns_and_folders_are_those_of_their_models() {
    let loose = image("warden.abc", &[]);
    assert_same(&image("ward*.abc", &[]), &loose, "a pattern");
    let entry = Path::new("archives/warden.rez/*/W*.abc");
    assert_same(&image_of(entry, &[]), &loose, "a pattern in an archive");
    let folder = tempfile::tempdir().unwrap();
    for path in ["models/warden.abc", "skins/warden.dtx"] {
        let copy = folder.path().join("game").join(path);
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(Path::new(ASSETS).join(path), copy).unwrap();
    }
    std::fs::write(folder.path().join("game/notes.txt"), "text").unwrap();
    assert_same(
        &image_of(&folder.path().join("game"), &[]),
        &loose,
        "a folder",
    );
}

#[test]
fn images_of_particle_systems_show_the_time_since_the_start() {
    let times = ["0", "0.2", "0.21", "0.8", "4"];
    let images = times.map(|time| image("p_explosion.alo", &["--time", time]));
    for (index, image) in images.iter().enumerate() {
        assert!(!images[..index].contains(image), "--time {}", times[index]);
    }
    for (time, first) in times.iter().zip(&images).skip(3) {
        let again = image("p_explosion.alo", &["--time", time]);
        assert_same(&again, first, &format!("--time {time}, twice"));
    }
    // Without --time, the image is of the start.
    assert_same(&image("p_explosion.alo", &[]), &images[0], "no --time");
}

#[test]
fn images_of_models_have_the_particles_of_their_proxies() {
    let at = |clip: &[&str], time| {
        let options = [&["--damage-stage", "1", "--time", time], clip].concat();
        image("walker.alo", &options)
    };
    let clip = ["--clip", "MOVE"];
    assert_same(&at(&clip, "0.9"), &at(&clip, "0.9"), "twice");
    // The pose is the same.
    assert!(
        at(&["--rest"], "0") != at(&["--rest"], "0.9"),
        "particles at both times"
    );
}

/// Runs `view` on samples in an empty folder, which is returned with the exit status and the errors.
fn view(args: &[&str]) -> (tempfile::TempDir, Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    program.arg("view").args(args).current_dir(folder.path());
    let output = program.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    (folder, output.status.code(), error)
}

fn sample(name: &str) -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/models");
    models.join(name).display().to_string()
}

#[test]
fn turntables_show_all_sides() {
    let args = [
        &*sample("crate.alo"),
        "--turntable",
        "3",
        "out",
        "--size",
        "80x60",
    ];
    let (folder, code, error) = view(&args);
    assert_eq!(code, Some(0), "{error}");
    let image = |name: &str| std::fs::read(folder.path().join("out").join(name)).unwrap();
    let images = ["000.png", "001.png", "002.png"].map(image);
    assert!(images[0] != images[1] && images[1] != images[2]);
    assert!(!folder.path().join("out/003.png").exists());
}

#[test]
fn frames_of_longer_sequences_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("new/out");
    let model = sample("sentry.mdl");
    let run = |option: &[&str]| {
        let out = [out.to_str().unwrap()];
        let args = [&[&*model, "--size", "32x24"], option, &out].concat();
        let (_, code, error) = view(&args);
        assert_eq!(code, Some(0), "{error}");
    };
    let names = || {
        let entries = std::fs::read_dir(&out).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    run(&["--turntable", "3"]);
    assert_eq!(names(), ["000.png", "001.png", "002.png"]);
    for other in ["0000.png", "00.png", "a000.png", "003.jpg"] {
        std::fs::write(out.join(other), "").unwrap();
    }
    run(&["--turntable", "2"]);
    let kept = ["00.png", "000.png", "001.png", "003.jpg", "a000.png"];
    assert_eq!(names(), kept);
    run(&[
        "--clip",
        "walk",
        "--seconds",
        "0.1",
        "--fps",
        "10",
        "--animation",
    ]);
    assert_eq!(names(), ["00.png", "000.png", "003.jpg", "a000.png"]);
}

#[test]
fn options_without_effect_on_the_models_are_warnings() {
    for (name, is_warned) in [("crate.alo", true), ("sentry.mdl", false)] {
        let options = ["--external-skins", "--colors", "4,13", "--hole-index", "0"];
        let capture = ["--size", "32x24", "--capture", "a.png"];
        let model = sample(name);
        let args = [&[&*model], &options[..], &capture].concat();
        let (_, code, error) = view(&args);
        assert_eq!(code, Some(0), "{error}");
        for option in options.iter().filter(|option| option.starts_with('-')) {
            let warning = format!("{option} has no effect: no model is a Quake model");
            assert_eq!(error.contains(&warning), is_warned, "{error}");
        }
    }
}

#[test]
fn contact_sheets_have_all_files_and_report_broken_ones() {
    let folder = tempfile::tempdir().unwrap();
    let broken = folder.path().join("broken.mdl");
    std::fs::write(&broken, "junk").unwrap();
    let broken = broken.to_str().unwrap();
    let models = [sample("crate.alo"), sample("crystal.mdl")];
    let args = [
        "--sheet", "a.png", "--size", "160x60", &models[0], &models[1],
    ];
    let (whole, code, error) = view(&args);
    assert_eq!(code, Some(0), "{error}");
    let texture = folder.path().join("broken.dds");
    std::fs::write(&texture, "DDS junk").unwrap();
    let textures = [texture.to_str().unwrap(), &sample("../textures/crate.dds")];
    let args = ["--sheet", "a.png", "--size", "160x60", broken];
    let (partial, code, error) = view(&[&args[..], &textures].concat());
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("broken.dds: "), "{error}");
    assert!(
        error.contains("2 of 3 files could not be loaded"),
        "{error}"
    );
    let sheet = |folder: &tempfile::TempDir| std::fs::read(folder.path().join("a.png")).unwrap();
    assert!(sheet(&whole) != sheet(&partial));
}

#[test]
fn models_are_not_replaced_by_images_or_manifests() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("crate.alo");
    std::fs::copy(sample("crate.alo"), &model).unwrap();
    let before = std::fs::read(&model).unwrap();
    let model = model.to_str().unwrap();
    for option in ["--capture", "--sheet", "--save-manifest"] {
        // As `--sheet *.alo` in a shell.
        let (_, code, error) = view(&[option, model, model]);
        assert_eq!(code, Some(2), "{option}: {error}");
        assert!(error.contains("expected the path of a ."), "{error}");
        assert!(std::fs::read(model).unwrap() == before, "{option}");
    }
}

#[test]
fn only_force_replaces_manifests() {
    let folder = tempfile::tempdir().unwrap();
    let model = folder.path().join("a.mdl");
    std::fs::copy(sample("crystal.mdl"), &model).unwrap();
    let manifest = folder.path().join("a.model.ron");
    std::fs::write(&manifest, "mine").unwrap();
    let args = [
        model.to_str().unwrap(),
        "--size",
        "64x48",
        "--save-manifest",
        manifest.to_str().unwrap(),
    ];
    let (_, code, error) = view(&args);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("--force replaces it"), "{error}");
    assert_eq!(std::fs::read(&manifest).unwrap(), b"mine");
    let (_, code, error) = view(&[&args[..], &["--force"]].concat());
    assert_eq!(code, Some(0), "{error}");
    let text = std::fs::read_to_string(&manifest).unwrap();
    assert!(text.contains("a.mdl"), "{text}");
}

#[test]
fn saved_manifests_have_the_levels_of_a_game() {
    let folder = tempfile::tempdir().unwrap();
    for file in ["models/warden.abc", "skins/warden.dtx"] {
        let target = folder.path().join(file);
        std::fs::create_dir_all(target.parent().unwrap()).unwrap();
        std::fs::copy(Path::new(ASSETS).join(file), target).unwrap();
    }
    let manifest = folder.path().join("models/a.model.ron");
    let model = folder.path().join("models/warden.abc");
    let args = [&model, &manifest].map(|path| path.to_str().unwrap());
    let (_, code, error) = view(&[args[0], "--size", "64x48", "--save-manifest", args[1]]);
    assert_eq!(code, Some(0), "{error}");
    let text = std::fs::read_to_string(&manifest).unwrap();
    // The finest levels with at most a half, a quarter and an eighth of the triangles, at the distances that the file states.
    let bytes = std::fs::read(&model).unwrap();
    let geometry = abc::parse(&bytes).unwrap().geometry;
    let expected = [2, 4, 8].map(|part| {
        let most = geometry.triangles.len() / part;
        let level = (0..).find(|level| geometry.lod_triangle_count(*level) <= most);
        200.0 + f64::from(level.unwrap() - 1) * 0.5
    });
    let text: String = text.split_whitespace().collect();
    let [a, b, c] = expected;
    let expected = format!("lod_distances:[{a:?},{b:?},{c:?},]");
    assert!(text.contains(&expected), "{expected}: {text}");
}

/// Asserts that images show the same. An Alamo model has another scale without a manifest, so shading differs slightly.
#[track_caller]
fn assert_similar(a: &[u8], b: &[u8]) {
    let pixels = |png: &[u8]| {
        let png = png::Decoder::new(std::io::Cursor::new(png));
        let mut reader = png.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        pixels
    };
    let [a, b] = [a, b].map(pixels);
    let steps = a.iter().zip(&b).map(|(a, b)| a.abs_diff(*b));
    let most = steps.max().unwrap();
    assert!(most < 24, "{most}");
}

#[test]
fn manifests_are_shown_from_their_saved_view() {
    let folder = tempfile::tempdir().unwrap();
    // Alamo models have another scale and face the opposite direction.
    for name in ["walker.alo", "crystal.mdl"] {
        let model = folder.path().join(name);
        std::fs::copy(sample(name), &model).unwrap();
        let manifest = folder.path().join(format!("{name}.model.ron"));
        let save = ["--save-manifest", manifest.to_str().unwrap()];
        let plain = image_of(&model, &save);
        let text = std::fs::read_to_string(&manifest).unwrap();
        assert!(!text.contains("view"), "{text}");
        let saved = image_of(
            &model,
            &[&save[..], &["--force", "--view", "back", "--zoom", "1.5"]].concat(),
        );
        assert_ne!(difference(&saved, &plain), Ok(None));
        assert_similar(&image_of(&manifest, &[]), &saved);
        let iso = image_of(&manifest, &["--view", "iso"]);
        assert_similar(&iso, &plain);
        // The view stays if the manifest is saved again.
        image_of(&manifest, &["--save-manifest", save[1], "--force"]);
        assert_similar(&image_of(&manifest, &[]), &saved);
        let text = std::fs::read_to_string(&manifest).unwrap();
        assert!(text.contains("view: (\n        yaw: -34.3"), "{text}");
    }
}

#[test]
fn archives_stand_for_their_models() {
    let archive = Path::new("archives/warden.rez");
    let entry = image_of(&archive.join("models/warden.abc"), &[]);
    assert_same(&image_of(archive, &[]), &entry, "the archive");
}

#[test]
fn missing_names_are_answered_with_those_that_exist() {
    for (option, name, expected) in [
        ("--clip", "wlak", "did you mean \"walk\"?"),
        ("--hide", "Beem", "did you mean \"Beam\"?"),
    ] {
        let model = if option == "--clip" {
            "sentry.mdl"
        } else {
            "walker.alo"
        };
        let args = [&*sample(model), option, name, "--capture", "no.png"];
        let (_, code, error) = view(&args);
        assert_eq!(code, Some(1), "{error}");
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn palettes_of_quake_models_are_options() {
    let folder = tempfile::tempdir().unwrap();
    let palette = folder.path().join("gray.lmp");
    let grays: Vec<u8> = (0..=255).flat_map(|gray| [gray; 3]).collect();
    std::fs::write(&palette, grays).unwrap();
    let palette = palette.to_str().unwrap();
    let gray = image("sentry.mdl", &["--palette", palette]);
    assert_ne!(difference(&image("sentry.mdl", &[]), &gray), Ok(None));
    // In a game, the path of a file in it.
    let id1 = folder.path().join("id1");
    std::fs::create_dir_all(id1.join("progs")).unwrap();
    std::fs::create_dir_all(id1.join("gfx")).unwrap();
    std::fs::copy(sample("sentry.mdl"), id1.join("progs/sentry.mdl")).unwrap();
    std::fs::copy(palette, id1.join("gfx/palette.lmp")).unwrap();
    let options = ["--game", "quake", "--model", "progs/sentry.mdl"];
    let of_game = [&options[..], &["--palette", "gfx/palette.lmp"]].concat();
    let game = image_of(folder.path(), &of_game);
    assert_same(&game, &gray, "the palette of the game");
    let game = image_of(folder.path(), &options);
    assert_same(&game, &gray, "the palette of the game without the option");
    let red = tga_square_of_red();
    std::fs::create_dir_all(id1.join("Textures/Progs")).unwrap();
    std::fs::write(id1.join("Textures/Progs/sentry.mdl_0.tga"), red).unwrap();
    let skin = image_of(
        folder.path(),
        &[&options[..], &["--external-skins"]].concat(),
    );
    assert_ne!(difference(&game, &skin), Ok(None));
    assert_same(
        &image_of(folder.path(), &options),
        &game,
        "without external skins",
    );
    // A palette that is damaged.
    std::fs::write(id1.join("gfx/palette.lmp"), "short").unwrap();
    let plain = image_of(folder.path(), &options);
    assert_same(&plain, &image("sentry.mdl", &[]), "Quake's palette");
    // Holes of another color.
    let mut holey = std::fs::read(sample("sentry.mdl")).unwrap();
    holey[77] |= 1 << 6;
    let file = folder.path().join("holey.mdl");
    std::fs::write(&file, holey).unwrap();
    let index = most_frequent_color(&std::fs::read(&file).unwrap());
    let holes = image_of(&file, &["--hole-index", &index.to_string()]);
    assert_ne!(difference(&image_of(&file, &[]), &holes), Ok(None));

    let output = view(&[&sample("sentry.mdl"), "--palette", "missing.lmp"]);
    assert_eq!(output.1, Some(1));
    assert!(output.2.contains("palette missing.lmp"), "{}", output.2);
    let output = view(&[&sample("sentry.mdl"), "--palette", &sample("sentry.mdl")]);
    assert_eq!(output.1, Some(1), "not a palette");
}

/// A TGA image of one red texel.
fn tga_square_of_red() -> [u8; 21] {
    [
        0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 24, 0x20, 0, 0, 255,
    ]
}

/// The palette index that most texels of a model's first skin have.
fn most_frequent_color(model: &[u8]) -> u8 {
    let side = |at: usize| u32::from_le_bytes(model[at..at + 4].try_into().unwrap()) as usize;
    let texels = &model[88..][..side(52) * side(56)];
    let count = |index: u8| texels.iter().filter(|texel| **texel == index).count();
    (0..=255).max_by_key(|index| count(*index)).unwrap()
}

#[test]
fn models_from_standard_input_are_those_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let capture = |format: &[&str], model: &[u8]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
        let args = ["view", "-", "--size", "160x90", "--capture", "a.png"];
        program.args(args).args(format).current_dir(folder.path());
        program.env("TMPDIR", folder.path());
        program.stdin(Stdio::piped()).stderr(Stdio::piped());
        let mut program = program.spawn().unwrap();
        program.stdin.take().unwrap().write_all(model).unwrap();
        let output = program.wait_with_output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), error)
    };
    let model = std::fs::read(sample("crystal.mdl")).unwrap();
    assert_eq!(capture(&[], &model), (Some(0), String::new()));
    let written = std::fs::read(folder.path().join("a.png")).unwrap();
    assert_same(&written, &image("crystal.mdl", &[]), "detected");
    let (code, error) = capture(&[], b"junk");
    assert_eq!(code, Some(1));
    assert!(error.contains("--format states the format"), "{error}");
    let (code, error) = capture(&["--format", "mdl"], b"junk");
    assert_eq!(code, Some(1));
    assert!(error.contains(": standard input: MDL: magic"), "{error}");
    let (code, warning) = capture(&[], &[&model[..], b"end"].concat());
    assert_eq!(code, Some(0), "{warning}");
    let expected = " standard input: 3 trailing bytes are ignored";
    assert!(warning.contains(expected), "{warning}");
    // The temporary files are removed.
    let left = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(left.count(), 1);
}
