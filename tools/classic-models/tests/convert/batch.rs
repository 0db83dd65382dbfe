//! Runs on several files, and on damaged ones.

use crate::{Folder, samples};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use classic_models_fixtures::archives::pak;
use classic_models_fixtures::mdl::tetrahedron;
use classic_models_fixtures::{ala, regressions};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The paths of all samples.
fn models() -> Vec<String> {
    let folder = std::fs::read_dir(samples().join("models")).unwrap();
    let mut paths: Vec<PathBuf> = folder.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| {
        let extension = path.extension().unwrap_or_default();
        ["abc", "alo", "lgw", "mdl"]
            .iter()
            .any(|it| extension == *it)
    });
    paths.sort();
    paths
        .iter()
        .map(|path| path.display().to_string())
        .collect()
}

/// The files of a folder.
fn contents(folder: &Folder, name: &str) -> BTreeMap<String, Vec<u8>> {
    let entries = std::fs::read_dir(folder.path(name)).unwrap();
    entries
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read(path).unwrap())
        })
        .collect()
}

#[test]
fn results_do_not_depend_on_the_count_of_jobs() {
    let folder = Folder::new();
    let models = models();
    let args = |out: &'static str, jobs: &'static str| {
        let inputs = models.iter().map(String::as_str);
        inputs.chain([out, "--jobs", jobs]).collect::<Vec<_>>()
    };
    folder.convert(&args("one", "1"));
    folder.convert(&args("four", "4"));
    let one = contents(&folder, "one");
    assert_eq!(one.len(), models.len());
    assert!(one.keys().all(|name| name.ends_with(".glb")));
    assert!(one == contents(&folder, "four"), "equal bytes");
}

#[test]
fn damaged_files_are_errors_and_the_others_are_converted() {
    let folder = Folder::new();
    let good = tetrahedron().to_bytes();
    folder.write("good.mdl", &good);
    folder.write("bad.mdl", &good[..200]);
    folder.write("clip_MOVE_00.ala", &ala::clean(2));
    folder.write("other/good.mdl", &good);
    let inputs = [
        "bad.mdl",
        "missing.alo",
        "good.mdl",
        "clip_MOVE_00.ala",
        "other/good.mdl",
    ];
    let output = folder.run(&[&inputs[..], &["out"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    let errors: Vec<&str> = text.lines().collect();
    for (line, expected) in errors.iter().zip([
        "bad.mdl: MDL: ",
        "missing.alo: ",
        "clip_MOVE_00.ala: an animation has no model",
        "other/good.mdl: out/good.glb is already the result of good.mdl",
    ]) {
        assert!(
            line.starts_with(&format!("classic-models: {expected}")),
            "{text}"
        );
    }
    assert_eq!(errors.len(), 4, "{text}");
    let summary = String::from_utf8(output.stdout).unwrap();
    assert_eq!(summary, "1 file converted to out, 4 failed\n");
    assert_eq!(
        contents(&folder, "out").len(),
        1,
        "no temporary files remain"
    );
}

#[test]
fn only_force_replaces_results() {
    let folder = Folder::new();
    folder.write("a.mdl", &tetrahedron().to_bytes());
    folder.write("a.glb", b"mine");
    let output = folder.run(&["a.mdl", "a.glb"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("--force")
    );
    assert_eq!(std::fs::read(folder.path("a.glb")).unwrap(), b"mine");
    folder.convert(&["a.mdl", "--force", "a.glb"]);
    assert!(
        std::fs::read(folder.path("a.glb"))
            .unwrap()
            .starts_with(b"glTF")
    );
}

#[test]
fn results_never_replace_inputs() {
    let folder = Folder::new();
    let model = tetrahedron().to_bytes();
    let archive = pak(&[(b"b.mdl", &model)], 0).bytes;
    folder.write("a.glb", &model);
    folder.write("a.mdl", &model);
    folder.write("b.glb", &archive);
    for args in [
        &["a.glb", "a.glb"][..],
        &["a.glb", "./a.glb"],
        &["a.mdl", "a.glb", "."],
        &["b.glb/b.mdl", "b.glb"],
    ] {
        let output = folder.run(&[args, &["--force"]].concat());
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{args:?}: {text}");
        let expected = "the result would replace an input";
        assert!(text.contains(expected), "{args:?}: {text}");
    }
    let read = |name: &str| std::fs::read(folder.path(name)).unwrap();
    assert!(read("a.glb") == model && read("b.glb") == archive);
}

#[test]
fn textures_of_one_name_never_replace_each_other() {
    let folder = Folder::new();
    let image = |color: u8| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let image = image::RgbaImage::from_pixel(4, 4, image::Rgba([color, 0, 0, 255]));
        image.write_to(&mut bytes, image::ImageFormat::Png).unwrap();
        STANDARD.encode(bytes.into_inner())
    };
    let positions: Vec<u8> = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]
        .iter()
        .flat_map(|it| it.to_le_bytes())
        .collect();
    for (index, color) in [9, 9, 200, 90].into_iter().enumerate() {
        let gltf = serde_json::json!({
            "asset": { "version": "2.0" },
            "nodes": [{ "mesh": 0 }], "scenes": [{ "nodes": [0] }],
            "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "material": 0 }] }],
            "materials": [{ "pbrMetallicRoughness": { "baseColorTexture": { "index": 0 } } }],
            "textures": [{ "source": 0 }],
            "images": [{ "name": "hull", "uri": format!("data:image/png;base64,{}", image(color)) }],
            "accessors": [{ "bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3" }],
            "bufferViews": [{ "buffer": 0, "byteLength": 36 }],
            "buffers": [{
                "byteLength": 36,
                "uri": format!("data:;base64,{}", STANDARD.encode(&positions)),
            }],
        });
        folder.write(&format!("in/{index}.gltf"), gltf.to_string().as_bytes());
    }
    for _ in 0..5 {
        let output = folder.run(&["in", "out", "--format", "lgw", "--force", "--jobs", "4"]);
        assert_eq!(output.status.code(), Some(1));
        let text = String::from_utf8(output.stderr).unwrap();
        // The first job wins, which may have the texture of two models.
        let count = text.matches("hull.tga is already a file of").count();
        assert!((2..=3).contains(&count), "{text}");
        let models = std::fs::read_dir(folder.path("out")).unwrap().count() - 1;
        assert_eq!(models, 4 - count, "{text}");
        std::fs::remove_dir_all(folder.path("out")).unwrap();
    }
}

#[test]
fn wrong_arguments_are_errors() {
    let folder = Folder::new();
    folder.write("a.mdl", &tetrahedron().to_bytes());
    folder.write("a.model.ron", b"(model: \"a.mdl\")");
    folder.write("README.md", b"# Models");
    folder.write("empty/README.md", b"# Models");
    for (args, code, error) in [
        (&["a.mdl"][..], 2, "OUT"),
        (&["a.mdl", "a.glb", "--scale", "0"], 2, "greater than 0"),
        (&["a.mdl", "a.glb", "--scale", "NaN"], 2, "greater than 0"),
        (&["a.mdl", "a.glb", "--jobs", "0"], 2, "--jobs"),
        (&["a.mdl", "a.glb", "--visibility", "no"], 2, "extension"),
        (
            &["a.mdl", "a.mdl", "a.glb"],
            2,
            "several files need a folder",
        ),
        (&["a.mdl", "a.mdl/out"], 1, "a.mdl/out"),
        (&["a.mdl", "a.glb", "--scale", "-1"], 2, "greater than 0"),
        (&["a.mdl", "a.glb", "--scale", "1e-7"], 2, "0.000001"),
        (&["a.mdl", "a.glb", "--scale", "1e7"], 2, "to 1000000"),
        // OUT was forgotten.
        (&["a.mdl", "a.mdl"], 1, "the result would replace an input"),
        (
            &["a.mdl", "README.md"],
            2,
            "README.md: OUT is an existing file",
        ),
        (&["a.mdl", "b.alo"], 1, "a.mdl: "),
        (&["a.mdl", "b.fbx"], 2, "b.fbx: OUT ends in .fbx"),
        (
            &["a.mdl", "a.png"],
            1,
            "only be converted to .glb, .gltf and .html",
        ),
        (
            &["a.model.ron", "a.glb"],
            1,
            "a manifest: convert the model",
        ),
        (&["README.md", "a.glb"], 1, "README.md: not a model"),
        (&["README.md", "a.png"], 1, "README.md: "),
        (
            &["empty", "a.glb"],
            1,
            "empty: the folder has no models or textures",
        ),
        (
            &["*.mdl", "*.model.ron", "a.glb"],
            2,
            "several files need a folder",
        ),
    ] {
        let output = folder.run(args);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {text}");
        assert!(text.contains(error), "{args:?}: {text}");
    }
    assert!(!folder.path("b.alo").exists() && !folder.path("a.glb").exists());
    // A folder whose name has a dot.
    assert!(folder.run(&["a.mdl", "v1.glb/"]).status.success());
    assert!(folder.path("v1.glb/a.glb").is_file());
}

#[test]
fn names_of_entries_must_be_file_names_on_every_system() {
    let folder = Folder::new();
    let model = tetrahedron().to_bytes();
    let files: [(&[u8], &[u8]); 3] = [
        (b"progs/CON.mdl", &model),
        (b"what?.mdl", &model),
        (b"con/good.mdl", &model),
    ];
    folder.write("a.pak", &pak(&files, 0).bytes);
    for (entry, error) in [("progs/CON.mdl", "is a device"), ("what?.mdl", "has '?'")] {
        let entry = format!("a.pak/{entry}");
        let output = folder.run(&[&entry, "out"]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{entry}: {text}");
        assert!(text.contains(error), "{entry}: {text}");
        // The name of the result is given.
        folder.convert(&[&entry, "a.glb", "--force"]);
    }
    assert!(!folder.path("out").exists(), "no file was converted");
    folder.convert(&["a.pak/con/good.mdl", "out"]);
    assert_eq!(contents(&folder, "out").len(), 1);
}

/// The paths of the files in a folder and its folders.
fn paths_below(folder: &Folder, name: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder.path(name)).unwrap() {
        let entry = entry.unwrap();
        let path = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            let below = paths_below(folder, &format!("{name}/{path}")).into_iter();
            paths.extend(below.map(|below| format!("{path}/{below}")));
        } else {
            paths.push(path);
        }
    }
    paths.sort();
    paths
}

/// No shell expands the patterns here, as on Windows.
#[test]
fn patterns_and_folders_are_expanded() {
    let folder = Folder::new();
    let model = tetrahedron().to_bytes();
    for name in ["dir/a.mdl", "dir/[b].mdl", "dir/deep/er/a.mdl"] {
        folder.write(name, &model);
    }
    folder.write("dir/notes.txt", b"text");
    let dds = std::fs::read(samples().join("textures/crate.dds")).unwrap();
    folder.write("dir/deep/crate.dds", &dds);
    let archive: [(&[u8], &[u8]); 3] = [
        (b"progs/c.mdl", &model),
        (b"progs/notes.txt", b"text"),
        (b"progs/deep/d.mdl", &model),
    ];
    folder.write("pak0.pak", &pak(&archive, 0).bytes);
    let whole = ["[b].glb", "a.glb", "deep/crate.png", "deep/er/a.glb"];
    for (index, (input, expected)) in [
        ("dir/*.mdl", &["[b].glb", "a.glb"][..]),
        ("dir\\*.mdl", &["[b].glb", "a.glb"]),
        ("dir/[b].mdl", &["[b].glb"]),
        ("dir/**/e*/a.mdl", &["deep/er/a.glb"]),
        (
            "**",
            &[
                "dir/[b].glb",
                "dir/a.glb",
                "dir/deep/crate.png",
                "dir/deep/er/a.glb",
            ],
        ),
        ("dir", &whole),
        ("d?r", &whole),
        ("pak0.pak/progs/*.mdl", &["c.glb"]),
        ("pak0.pak/progs", &["c.glb", "deep/d.glb"]),
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("out{index}");
        folder.convert(&[input, &out]);
        assert_eq!(paths_below(&folder, &out), expected, "{input}");
    }
}

#[test]
fn files_that_are_no_models_do_not_take_names_of_results() {
    let folder = Folder::new();
    folder.write("hero.glb", b"no model");
    folder.write("hero.mdl", &tetrahedron().to_bytes());
    let output = folder.run(&["*", "out"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(paths_below(&folder, "out"), ["hero.glb"]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("already the result of hero.mdl"),
        "{errors}"
    );
}

#[test]
fn results_are_not_inputs() {
    let folder = Folder::new();
    folder.write("dir/a.mdl", &tetrahedron().to_bytes());
    for _ in 0..2 {
        let output = folder.run(&["dir", "dir/out", "--force"]);
        let summary = String::from_utf8(output.stdout).unwrap();
        assert_eq!(summary, "1 file converted to dir/out\n");
    }
    // OUT is no pattern.
    folder.convert(&["dir/*.mdl", "dir/[out]"]);
    folder.convert(&["dir/*.mdl", "dir/[a].glb"]);
    let expected = ["[a].glb", "[out]/a.glb", "a.mdl", "out/a.glb"];
    assert_eq!(paths_below(&folder, "dir"), expected);
}

#[test]
fn text_files_have_the_same_content() {
    let folder = Folder::new();
    let model = samples().join("models/crystal.mdl").display().to_string();
    folder.convert(&[&model, "a.glb"]);
    folder.convert(&[&model, "a.gltf"]);
    folder.convert(&[&model, "folder", "--format", "gltf"]);
    let text = std::fs::read(folder.path("a.gltf")).unwrap();
    assert_eq!(
        text,
        std::fs::read(folder.path("folder/crystal.gltf")).unwrap()
    );
    let binary = gltf::Gltf::open(folder.path("a.glb")).unwrap();
    let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
    let uri = json["buffers"][0]["uri"].as_str().unwrap();
    let buffer = uri
        .strip_prefix("data:application/octet-stream;base64,")
        .unwrap();
    use base64::Engine;
    let buffer = base64::engine::general_purpose::STANDARD
        .decode(buffer)
        .unwrap();
    let blob = binary.blob.unwrap();
    assert_eq!(buffer, blob[..buffer.len()]);
}

#[test]
fn entries_of_archives_find_their_files_in_the_archive() {
    let folder = Folder::new();
    let read = |name: &str| std::fs::read(samples().join(name)).unwrap();
    let (model, skin, clip) = (
        read("models/warden.abc"),
        read("skins/warden.dtx"),
        read("models/walker.alo"),
    );
    let ala = read("models/walker_MOVE_00.ala");
    let files: [(&[u8], &[u8]); 4] = [
        (b"Models/warden.abc", &model),
        (b"SKINS/WARDEN.DTX", &skin),
        (b"art/walker.alo", &clip),
        (b"ART/WALKER_MOVE_00.ALA", &ala),
    ];
    folder.write("a.pak", &pak(&files, 0).bytes);
    folder.convert(&["a.pak/models/warden.abc", "warden.glb"]);
    let converted = std::fs::read(folder.path("warden.glb")).unwrap();
    folder.write("Models/warden.abc", &model);
    folder.write("SKINS/WARDEN.DTX", &skin);
    let plain = folder.path("Models/warden.abc").display().to_string();
    folder.convert(&[&plain, "plain.glb"]);
    assert!(
        converted == std::fs::read(folder.path("plain.glb")).unwrap(),
        "equal bytes"
    );
    folder.convert(&["a.pak/art/walker.alo", "walker.glb"]);
    let model = crate::reader::Model::read(&folder.path("walker.glb"));
    assert_eq!(model.clips().len(), 1);
}

#[test]
fn results_do_not_depend_on_how_paths_are_written() {
    let folder = Folder::new();
    for (name, sample) in [
        ("REZ/MODELS/warden.abc", "models/warden.abc"),
        ("REZ/SKINS/WARDEN.DTX", "skins/warden.dtx"),
        ("Art/Models/crate.alo", "models/crate.alo"),
        ("Art/Textures/Crate.DDS", "textures/crate.dds"),
    ] {
        folder.write(name, &std::fs::read(samples().join(sample)).unwrap());
    }
    for (folder_name, path) in [
        ("REZ/MODELS", "warden.abc"),
        ("REZ", "MODELS/warden.abc"),
        ("Art", "Models/crate.alo"),
        ("Art/Models", "crate.alo"),
        ("Art/Models", "../Models/crate.alo"),
    ] {
        let whole = folder.path(folder_name).join(path).display().to_string();
        folder.convert(&[&whole, "whole.glb", "--force"]);
        let output = folder.run_in(folder_name, &[path, "bare.glb", "--force"]);
        assert!(output.status.success(), "{output:?}");
        let results = [
            folder.path("whole.glb"),
            folder.path(folder_name).join("bare.glb"),
        ];
        let [whole, bare] = results.map(|path| std::fs::read(path).unwrap());
        assert!(whole == bare, "{path}: equal bytes");
        let model = crate::reader::Model::read(&folder.path("whole.glb"));
        assert!(model.json["images"].is_array(), "{path}");
    }
}

#[test]
fn no_regression_input_panics() {
    let folder = Folder::new();
    let mut inputs = Vec::new();
    for format in ["abc", "ala", "alo", "dtx", "lgw", "mdl", "particles"] {
        let extension = if format == "particles" { "alo" } else { format };
        for entry in std::fs::read_dir(regressions(format)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let bytes = std::fs::read(&path).unwrap();
            let name = format!("{format}-{name}.{extension}");
            folder.write(&name, &bytes);
            inputs.push(name);
        }
    }
    let inputs: Vec<&str> = inputs.iter().map(String::as_str).collect();
    let output = folder.run(&[&inputs[..], &["out"]].concat());
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(!text.contains("panicked"), "{text}");
    let summary = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<usize> = summary
        .split(' ')
        .filter_map(|word| word.parse().ok())
        .collect();
    assert_eq!(numbers.iter().sum::<usize>(), inputs.len(), "{summary}");
    for (name, bytes) in contents(&folder, "out") {
        if name.ends_with(".glb") {
            gltf::Gltf::from_slice(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}
