//! Pages that show models in a browser.

use crate::browser::{Browser, SIZE};
use crate::{Folder, pictures, samples};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The model in a page.
fn model_of(page: &Path) -> Vec<u8> {
    let page = std::fs::read_to_string(page).unwrap();
    let (_, model) = page
        .split_once(r#"<script id="model" type="text/plain">"#)
        .unwrap();
    let (model, _) = model.split_once("</script>").unwrap();
    decompress_to_vec_zlib(&STANDARD.decode(model).unwrap()).unwrap()
}

#[test]
fn a_page_has_the_converted_model() {
    let folder = Folder::new();
    let model = samples().join("models/crate.alo").display().to_string();
    folder.convert(&[&model, "crate.glb"]);
    folder.convert(&[&model, "crate.html"]);
    folder.convert(&["crate.glb", "again.html"]);
    let glb = std::fs::read(folder.path("crate.glb")).unwrap();
    assert!(model_of(&folder.path("crate.html")) == glb);
    assert!(model_of(&folder.path("again.html")) == glb);
    let page = std::fs::read_to_string(folder.path("crate.html")).unwrap();
    assert!(page.contains("<title>crate</title>"));
    assert_eq!(folder.run(&[&model, "crate.html"]).status.code(), Some(1));
    folder.convert(&[&model, "crate.html", "--force"]);
}

#[test]
fn folders_of_models_become_pages() {
    let folder = Folder::new();
    let models = samples().join("models").display().to_string();
    let warnings = folder.convert(&[&models, "pages/", "--format", "html", "--no-textures"]);
    assert!(folder.path("pages/walker.html").exists());
    assert!(
        warnings.contains("p_sparks.alo: warning: has no meshes"),
        "{warnings}"
    );
}

#[test]
fn textures_and_broken_models_have_no_page() {
    let folder = Folder::new();
    let texture = samples().join("textures/crate.dds").display().to_string();
    folder.write("broken.glb", b"glTF");
    folder.write(
        "split.gltf",
        br#"{"asset":{"version":"2.0"},"buffers":[{"uri":"split.bin","byteLength":4}]}"#,
    );
    for (input, error) in [
        (&*texture, "a texture can only"),
        ("broken.glb", "broken.glb"),
        ("split.gltf", "split.bin"),
    ] {
        let output = folder.run(&[input, "page.html"]);
        let text = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{text}");
        assert!(text.contains(error), "{text}");
        assert!(!folder.path("page.html").exists());
    }
}

/// A silhouette: whether each texel differs from the background.
struct Silhouette(Vec<bool>);

impl Silhouette {
    fn new(rgba: &[u8]) -> Self {
        let (texels, _) = rgba.as_chunks::<4>();
        assert_eq!(texels.len(), (SIZE * SIZE) as usize);
        let differs = |texel: &[u8; 4]| (0..3).any(|i| texel[i].abs_diff(texels[0][i]) > 2);
        Self(texels.iter().map(differs).collect())
    }

    /// The intersection over the union of two silhouettes, of which the second is moved by a few texels for the best result.
    fn overlap(&self, other: &Self) -> f32 {
        const MOVES: i32 = 4;
        let width = SIZE as i32;
        let shifts = (-MOVES..=MOVES).flat_map(|y| (-MOVES..=MOVES).map(move |x| x + y * width));
        let overlap = |shift: i32| {
            let (mut both, mut any) = (0, 0);
            for (index, a) in self.0.iter().enumerate() {
                let index = usize::try_from(index as i32 + shift);
                let b = index.ok().and_then(|index| other.0.get(index));
                let b = b.copied().unwrap_or_default();
                both += u32::from(*a && b);
                any += u32::from(*a || b);
            }
            both as f32 / any as f32
        };
        shifts.map(overlap).fold(0.0, f32::max)
    }
}

/// Starts to draw a model with the plugin.
fn capture(model: &Path, options: &[&str], image: &Path) -> Child {
    let mut program = Command::new(env!("CARGO_BIN_EXE_classic-models"));
    let program = program
        .arg("view")
        .arg(model)
        .args(options)
        .arg("--capture")
        .arg(image);
    let program = program.args(["--size", &format!("{SIZE}x{SIZE}")]);
    program.stdout(Stdio::null()).spawn().unwrap()
}

/// Pages show the same silhouettes as the plugin, without messages and requests.
#[test]
fn pages_in_a_browser_show_models_as_the_plugin_does() {
    let folder = Folder::new();
    let mut browser = Browser::new();
    let extension: &[&str] = &["--visibility", "extension"];
    for (name, clip, view, options) in [
        ("walker.alo", Some(("MOVE_00", "0.5")), "front", &[][..]),
        ("walker.alo", Some(("ATTACK_00", "1.7")), "front", extension),
        ("crate.alo", None, "iso", &[]),
        ("sentry.mdl", Some(("walk", "0.3")), "iso", &[]),
        ("crystal.mdl", Some(("hover", "0.4")), "side", &[]),
        ("brazier.mdl", Some(("flame", "0.25")), "top", &[]),
        ("warden.abc", Some(("attack", "0.6")), "back", &[]),
        ("courier.lgw", None, "iso", &[]),
    ] {
        let model = samples().join("models").join(name);
        let image = folder.path("view.png");
        let mut view_options = vec!["--view", view];
        let mut state = format!("controls=none&view={view}");
        if let Some((clip, time)) = clip {
            view_options.extend(["--clip", clip, "--time", time]);
            state += &format!("&clip={clip}&time={time}");
        }
        let mut capture = capture(&model, &view_options, &image);
        folder.convert(
            &[
                &[&*model.display().to_string(), "page.html", "--force"],
                options,
            ]
            .concat(),
        );
        browser.open(&folder.path("page.html"), &state);
        let page = Silhouette::new(&browser.picture());
        assert!(capture.wait().unwrap().success());
        let expected = Silhouette::new(&pictures::decode(&std::fs::read(&image).unwrap()));
        let overlap = page.overlap(&expected);
        println!("{name} {view}: {overlap:.3}");
        assert!(overlap > 0.9, "{name} {view}: {overlap}");
    }
}

/// The controls of pages: parts, skins, levels of detail, keys, and the name.
#[test]
fn pages_in_a_browser_have_controls() {
    let folder = Folder::new();
    let mut browser = Browser::new();
    let open = |browser: &mut Browser, name: &str, state: &str| {
        let model = samples().join("models").join(name).display().to_string();
        folder.convert(&[&model, "page.html", "--force"]);
        browser.open(&folder.path("page.html"), state);
        browser.picture()
    };
    let texels = |rgba: &[u8]| Silhouette::new(rgba).0.iter().filter(|it| **it).count();

    let state = "controls=none&clip=&time=0";
    let whole = open(&mut browser, "walker.alo", state);
    browser.set_state(&format!(
        "{state}&hide=Legs,Hoses,Thigh_L mesh,Thigh_R mesh"
    ));
    assert!(texels(&browser.picture()) + 100 < texels(&whole));
    browser.set_state(&format!("{state}&hide="));
    assert!(browser.picture() == whole);
    browser.set_state(&format!("{state}&lod=1"));
    assert!(browser.picture() != whole);
    browser.set_state(&format!("{state}&lod=0&team=2c68b0"));
    assert!(browser.picture() != whole);

    let skin = open(&mut browser, "crystal.mdl", "controls=none&time=0");
    let names =
        browser.evaluate("[...document.querySelectorAll('#skin option')].map((it) => it.value)");
    let name = names[1].as_str().unwrap().to_owned();
    browser.set_state(&format!("time=0&skin={name}"));
    let other = browser.picture();
    assert!(other != skin && texels(&other).abs_diff(texels(&skin)) < 50);

    let label = "document.getElementById('play').textContent";
    browser.set_state("clip=hover");
    assert_eq!(browser.evaluate(label), "Pause");
    browser.press(" ");
    assert_eq!(browser.evaluate(label), "Play");
    let time = "Number(document.getElementById('time').value)";
    let before = browser.evaluate(time).as_f64().unwrap();
    browser.press(".");
    let after = browser.evaluate(time).as_f64().unwrap();
    assert!(
        (after - before - 1.0 / 30.0).abs() < 1e-3,
        "{before} {after}"
    );

    let name = "a <b> & 'c' \"d\"";
    std::fs::copy(
        samples().join("models/crate.alo"),
        folder.path(&format!("{name}.alo")),
    )
    .unwrap();
    folder.convert(&[
        &format!("{name}.alo"),
        &format!("{name}.html"),
        "--no-textures",
    ]);
    browser.open(&folder.path(&format!("{name}.html")), "");
    assert_eq!(
        browser.evaluate("document.querySelector('h1').textContent"),
        name
    );
}
