//! Values that do not fit the model or have no effect on its format.

use crate::assert_problems;

/// Values that do not fit the model, and the problems of each manifest.
const UNFIT: &[(&str, &[&str])] = &[
    (
        "(model: \"walker.alo\",
 clips: [
  (name: \"march\", clip: \"MOVE_00\"),
  (name: \"no\", clip: \"NO_00\"),
  (name: \"late\", clip: \"MOVE_00\", frames: (9000, 9001)), (name: \"long\", clip: \"MOVE_00\", frames: (0, 9000))],
 events: [
  (clip: \"march\", frame: 1, name: \"a\"),
  (clip: \"MOVE_00\", frame: 9000, name: \"b\"),
  (clip: \"NO_01\", frame: 0, name: \"c\")],
 play: \"NO_02\",
 masks: {\"upper\": [
  \"NoBone\"]},
 hidden: [\"NoPart\"],
 attachments: [(bone: \"NoHand\", model: \"crystal.mdl\")],
 skin: 1,
 player_colors: (shirt: 1, pants: 2))",
        &[
            "4:3: clips[1]: models/walker.alo has no clip \"NO_00\"",
            "5:3: clips[2]: models/walker.alo has no valid frame in clip \"MOVE_00\", frames 9000 to 9001",
            "5:58: clips[3]: models/walker.alo has no frames ",
            "8:3: events[1]: models/walker.alo has no frame 9000",
            "9:3: events[2]: models/walker.alo has no clip \"NO_01\"",
            "10:8: play: models/walker.alo has no clip \"NO_02\"",
            "12:3: masks[\"upper\"][0]: models/walker.alo has no bone \"NoBone\"; available bones: ",
            "13:11: hidden[0]: models/walker.alo has no part \"NoPart\"; available parts: ",
            "14:23: attachments[0].bone: models/walker.alo has no bone \"NoHand\"",
            "15:8: skin: models/walker.alo is in Alamo's format, on which `skin` has no effect",
            "16:17: player_colors: models/walker.alo is in Alamo's format",
        ],
    ),
    (
        "(model: \"walker.alo\",
 palette: \"p.lmp\",
 load_lights: true)",
        &[
            "2:11: palette: models/walker.alo is in Alamo's format, on which `palette` has no effect",
        ],
    ),
    (
        "(model: \"warden.abc\",
 play: \"no\",
 skin: 99, lod_distances: [1, 2, 3, 4],
 masks: {\"a\": [\"NoBone\"]},
 damage_stage: 1,
 palette: \"p.lmp\",
 load_lights: true)",
        &[
            "2:8: play: models/warden.abc has no clip \"no\"",
            "3:8: skin: models/warden.abc has ",
            "3:27: lod_distances: models/warden.abc has 4 levels of detail, so at most 3 of the 4 distances",
            "4:16: masks[\"a\"][0]: models/warden.abc has no bone",
            "5:16: damage_stage: models/warden.abc is in LithTech's format",
            "6:11: palette: models/warden.abc is in LithTech's format",
            "7:15: load_lights: models/warden.abc is in LithTech's format",
        ],
    ),
    (
        "(model: \"sentry.mdl\",
 clips: [(name: \"late\", frames: (9000, 9001))],
 play: \"no\",
 skin: 99,
 lod_distances: [1],
 load_lights: true)",
        &[
            "2:10: clips[0]: models/sentry.mdl ",
            "3:8: play: models/sentry.mdl has no clip \"no\"",
            "4:8: skin: models/sentry.mdl has ",
            "5:17: lod_distances: models/sentry.mdl is in Quake's format",
            "6:15: load_lights: models/sentry.mdl is in Quake's format, on which `load_lights` has no effect",
        ],
    ),
    (
        "(model: \"courier.lgw\",
 play: 0,
 hidden: [\"NoPart\"],
 team_color: \"#ff0000\",
 clips: [
  (name: \"a\", frames: (0, 1), stride: 2)],
 events: [(clip: \"a\", frame: 0, name: \"x\")],
 palette: \"p.lmp\",
 load_lights: false)",
        &[
            "2:8: play: models/courier.lgw is in the format of UFO: Aftermath",
            "3:11: hidden[0]: models/courier.lgw has no part",
            "4:14: team_color: models/courier.lgw is in the format of UFO: Aftermath",
            "5:9: clips: models/courier.lgw is in the format of UFO: Aftermath, on which `clips` has no effect",
            "7:10: events: models/courier.lgw is in the format of UFO: Aftermath",
            "8:11: palette: models/courier.lgw is in the format of UFO: Aftermath",
            "9:15: load_lights: models/courier.lgw is in the format of UFO: Aftermath",
        ],
    ),
];

/// Fields with values that are valid on each format on which they have an effect, and the extensions of these formats.
const FIELDS: &[(&str, &str, &str)] = &[
    ("palette", "\"p.lmp\"", "mdl"),
    ("external_skins", "true", "mdl"),
    ("load_lights", "false", "alo"),
    ("hidden_bones_hide_children", "true", "alo"),
    (
        "clips",
        "[(name: \"first\", clip: 0, stride: 2)]",
        "alo abc mdl",
    ),
    (
        "events",
        "[(clip: 0, frame: 0, name: \"step\")]",
        "alo abc mdl",
    ),
    ("play", "0", "alo abc mdl"),
    ("clip_bones", "{\"Root\": \"Hip\"}", "alo abc"),
    ("masks", "{\"upper\": [\"Root\"]}", "alo abc"),
    ("skins", "{\"x\": \"x.tga\"}", "abc mdl"),
    ("skin", "0", "abc mdl"),
    ("lod_distances", "[9]", "alo abc"),
    ("team_color", "\"#ff0000\"", "alo"),
    ("player_colors", "(shirt: 1, pants: 2)", "mdl"),
    ("hidden", "[\"Beam\"]", "alo"),
    ("shown", "[\"Beam\"]", "alo"),
    ("damage_stage", "1", "alo"),
];

#[test]
fn each_field_without_effect_on_the_format_has_a_position() {
    let a = "models/a.model.ron";
    for model in ["walker.alo", "warden.abc", "sentry.mdl", "courier.lgw"] {
        let format = model.rsplit_once('.').unwrap().1;
        let mut text = format!("(model: {model:?},\n");
        let mut expected = Vec::new();
        let mut line = 2;
        for (field, value, formats) in FIELDS {
            // These formats have parts, of other names.
            if value.contains("Beam") && ["abc", "lgw"].contains(&format) {
                continue;
            }
            text.push_str(&format!("{field}: {value},\n"));
            if !formats.contains(format) {
                let column = field.len() + 3;
                let start = format!("assets/{a}:{line}:{column}: {field}: models/{model} is in ");
                expected.push(start);
            }
            line += 1;
        }
        text.push(')');
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        let files = [
            (a, &*text),
            ("models/p.lmp", PALETTE),
            ("models/x.tga", TGA),
        ];
        assert_problems(&files, a, &expected);
    }
}

/// For each model, the problems of a manifest whose first clip is in an animation file of another model.
const FOREIGN_CLIPS: &[(&str, &[&str])] = &[
    ("walker.alo", &[]),
    (
        "warden.abc",
        &["3:8: clips[0].file: models/warden.abc is in LithTech's format, on which `file` has no"],
    ),
    (
        "sentry.mdl",
        &["2:2: clips[0]: models/sentry.mdl has no clip models/walker_MOVE_00.ala#Clip"],
    ),
    (
        "courier.lgw",
        &[
            "1:31: clips: models/courier.lgw is in the format of UFO: Aftermath",
            "3:38: play: models/courier.lgw is in the format of UFO: Aftermath",
        ],
    ),
];

#[test]
fn animation_files_of_other_formats_have_positions() {
    let a = "models/a.model.ron";
    for (model, expected) in FOREIGN_CLIPS {
        let text = format!(
            "(model: {model:?}, clips: [\n (name: \"x\",\n file: \"walker_MOVE_00.ala\")], play: \"x\")"
        );
        let expected = expected.iter().map(|of| format!("assets/{a}:{of}"));
        let expected: Vec<String> = expected.collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        assert_problems(&[(a, &text)], a, &expected);
    }
}

/// 768 bytes.
const PALETTE: &str = {
    const BYTES: [u8; 768] = [b' '; 768];
    match std::str::from_utf8(&BYTES) {
        Ok(text) => text,
        Err(_) => "",
    }
};

/// An image of one texel.
pub const TGA: &str = "\0\0\u{2}\0\0\0\0\0\0\0\0\0\u{1}\0\u{1}\0\u{18}\0abc";

#[test]
fn values_that_the_models_lack_have_positions() {
    let a = "models/a.model.ron";
    for (text, expected) in UNFIT {
        let expected: Vec<String> = expected
            .iter()
            .map(|of| format!("assets/{a}:{of}"))
            .collect();
        let expected: Vec<&str> = expected.iter().map(String::as_str).collect();
        assert_problems(&[(a, text), ("models/p.lmp", PALETTE)], a, &expected);
    }
}
