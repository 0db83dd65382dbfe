//! Bevy's own glTF loader shows converted models as the plugin shows the originals: silhouettes, colors and bones, at rest and
//! at two times of a clip.
//!
//! All models are in one app, and all of their views in one image: a column per case, the original above the converted
//! model.

mod compare;
mod stage;

use crate::{Folder, samples};
use classic_models_fixtures::{export, regressions};
use compare::{Silhouettes, assert_same_bones};
use stage::{Stage, Subject};
use std::path::Path;

/// A sample that is converted and compared.
pub struct Case {
    /// The file name of the sample.
    sample: &'static str,
    /// The options of `convert`.
    options: &'static [&'static str],
    /// The clip that plays. `None` if the format has no clips.
    clip: Option<&'static str>,
    /// Whether the plugin turns the model to −Z, so that it faces away from the converted one.
    is_turned: bool,
    /// Whether the colors are compared, without lighting. Otherwise only the silhouettes are compared, because materials of
    /// the games have no equal in glTF.
    has_equal_colors: bool,
}

const CASES: [Case; 4] = [
    Case {
        sample: "walker.alo",
        options: &["--no-lods"],
        clip: Some("ATTACK_00"),
        is_turned: false,
        has_equal_colors: false,
    },
    Case {
        sample: "warden.abc",
        options: &[],
        clip: Some("attack"),
        is_turned: true,
        has_equal_colors: true,
    },
    Case {
        sample: "sentry.mdl",
        options: &[],
        clip: Some("walk"),
        is_turned: true,
        has_equal_colors: true,
    },
    Case {
        sample: "courier.lgw",
        options: &[],
        clip: None,
        is_turned: false,
        has_equal_colors: false,
    },
];

/// Seconds of the clips at which they are compared: not at keys.
const TIMES: [f32; 2] = [0.27, 0.71];

#[test]
fn bevy_shows_converted_models_as_the_plugin_shows_the_originals() {
    let folder = Folder::new();
    let mut stage = Stage::new(CASES.len());
    let subjects = stage.spawn(&CASES, |case| {
        let input = samples().join("models").join(case.sample);
        let output = folder.path(&format!("{}.glb", case.sample));
        let (from, to) = (input.display().to_string(), output.display().to_string());
        folder.convert(&[&[&*from, &*to], case.options].concat());
        output
    });
    compare(&mut stage, &subjects, "at rest");
    stage.play(&subjects);
    let mut now = 0.0;
    for time in TIMES {
        stage.headless.step(time - now);
        now = time;
        compare(&mut stage, &subjects, &format!("at {time} s"));
    }
    check_default_output(&mut stage, &folder);
}

/// Bevy loads the default output of all samples and of models that need more morph targets than it takes, but not animations of
/// visibility by the extension, with the error that the manual quotes.
fn check_default_output(stage: &mut Stage, folder: &Folder) {
    for (name, bytes) in export::files() {
        folder.write(name, &bytes);
    }
    let case = std::fs::read(regressions("mdl").join("poses-257")).unwrap();
    folder.write("frames257.mdl", &case);
    for name in [
        "hidden.alo",
        "twins.alo",
        "poses.mdl",
        "frames257.mdl",
        "flag.abc",
    ] {
        folder.convert(&[name, "out"]);
        let result = Path::new("out").join(name).with_extension("glb");
        let error = stage.load_error(&folder.path(&result.display().to_string()));
        assert_eq!(error, None, "{name}");
    }
    let walker = samples().join("models/walker.alo").display().to_string();
    folder.convert(&[
        &walker,
        "walker.glb",
        "--no-textures",
        "--visibility",
        "extension",
    ]);
    let error = stage.load_error(&folder.path("walker.glb")).unwrap();
    assert!(error.contains("missing field `node`"), "{error}");
}

fn compare(stage: &mut Stage, subjects: &[Subject<'_>], when: &str) {
    let views = stage.views();
    for (subject, [original, converted]) in subjects.iter().zip(&views) {
        let what = format!("{} {when}", subject.case.sample);
        let silhouettes = Silhouettes::of(original, converted);
        let has_equal_colors = subject.case.has_equal_colors;
        silhouettes.assert_equal(has_equal_colors, &what);
        if has_equal_colors {
            silhouettes.assert_equal_colors(&what);
        }
        assert_same_bones(stage.headless.app.world_mut(), subject, &what);
    }
}
