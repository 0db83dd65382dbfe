//! Manifests for some of the models: `patrol.model.ron`, `frost_warden.model.ron`, and those of the units of the example
//! `skirmish`.

use crate::alamo::SampleFile;
use bevy::color::Srgba;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::manifest::{
    FileAxis, ManifestAttachment, ManifestClip, ManifestEvent, ManifestRepeat, parse,
};
use std::collections::BTreeMap;
use std::error::Error;

/// All manifests.
pub fn files() -> Result<Vec<SampleFile>, Box<dyn Error>> {
    let manifests = [
        ("models/patrol.model.ron", patrol()),
        ("models/frost_warden.model.ron", frost_warden()),
        ("models/skirmish_walker.model.ron", skirmish_walker()),
        ("models/skirmish_sentry.model.ron", skirmish_sentry()),
        ("models/skirmish_warden.model.ron", skirmish_warden()),
        ("models/skirmish_courier.model.ron", skirmish_courier()),
    ];
    let mut files = Vec::new();
    for (path, manifest) in manifests {
        let text = manifest.to_ron()?;
        // The text must parse back to the same manifest.
        if parse(text.as_bytes())? != manifest {
            return Err(format!("{path}: the written text parses to a different manifest").into());
        }
        println!(
            "{path}: {} clips, {} skins, {} attachments",
            manifest.clips.len(),
            manifest.skins.len(),
            manifest.attachments.len(),
        );
        files.push((path, text.into_bytes()));
    }
    Ok(files)
}

/// A walker with a team color, with better clip names and a fire on its roof.
fn patrol() -> ModelManifest {
    ModelManifest {
        model: "walker.alo".to_owned(),
        clips: vec![
            ManifestClip {
                speed: 0.8,
                ..clip("march", "MOVE_00")
            },
            clip("salvo", "ATTACK_00"),
            ManifestClip {
                frames: Some((8, 18)),
                repeat: ManifestRepeat::Once,
                ..clip("one shot", "ATTACK_00")
            },
            ManifestClip {
                repeat: ManifestRepeat::Once,
                ..clip("fall", "DIE_00")
            },
        ],
        play: Some("march".into()),
        team_color: Some(Srgba::rgb_u8(0x2c, 0x68, 0xb0)),
        attachments: vec![ManifestAttachment {
            bone: "HP_TURRET".to_owned(),
            model: "brazier.mdl".to_owned(),
            // In an Alamo model Z is up.
            translation: [0.4, 0.0, 1.6],
            rotation: [90.0, 0.0, 0.0],
            scale: 0.09,
            play: Some("flame".into()),
            ..ManifestAttachment::default()
        }],
        ..ModelManifest::default()
    }
}

fn clip(name: &str, clip: &str) -> ManifestClip {
    ManifestClip {
        name: name.to_owned(),
        clip: Some(clip.into()),
        ..ManifestClip::default()
    }
}

/// The warden in its second skin, with a crystal attached to its hand.
fn frost_warden() -> ModelManifest {
    let skins = [
        ("fire", "skins/warden.dtx"),
        ("frost", "skins/warden_frost.dtx"),
    ];
    ModelManifest {
        model: "warden.abc".to_owned(),
        play: Some("walk".into()),
        skins: skins
            .map(|(name, file)| (name.to_owned(), file.to_owned()))
            .into(),
        skin: Some("frost".into()),
        lod_distances: vec![400.0, 800.0, 1600.0],
        attachments: vec![ManifestAttachment {
            bone: "L_Hand".to_owned(),
            model: "crystal.mdl".to_owned(),
            translation: [0.0, -28.0, 0.0],
            scale: 0.8,
            play: Some("hover".into()),
            ..ManifestAttachment::default()
        }],
        ..ModelManifest::default()
    }
}

/// The clips of a unit of the example: all units have them under these names. `stride` is in meters.
fn unit_clips([walk, fire, die]: [&str; 3], stride: f32, idle: ManifestClip) -> Vec<ManifestClip> {
    let once = |name, file_clip| ManifestClip {
        repeat: ManifestRepeat::Once,
        ..clip(name, file_clip)
    };
    let walk = ManifestClip {
        stride: Some(stride),
        ..clip("walk", walk)
    };
    vec![walk, idle, once("fire", fire), once("die", die)]
}

/// Events of the clip `fire`: their frames, and the bones from which the shots come.
fn shots<const N: usize>(shots: [(u32, &str); N]) -> Vec<ManifestEvent> {
    let event = |(frame, bone): (u32, &str)| ManifestEvent {
        clip: "fire".into(),
        frame,
        name: format!("fire {bone}").trim_end().to_owned(),
    };
    shots.map(event).into()
}

/// A walker of 4 m.
fn skirmish_walker() -> ModelManifest {
    let (left, right) = ("MuzzleA_00", "MuzzleA_01");
    // The pose in which the attack starts.
    let idle = ManifestClip {
        frames: Some((0, 0)),
        ..clip("idle", "ATTACK_00")
    };
    ModelManifest {
        model: "walker.alo".to_owned(),
        meters: Some(0.3),
        // 4 units per second for 1.6 s.
        clips: unit_clips(["MOVE_00", "ATTACK_00", "DIE_00"], 1.92, idle),
        events: shots([(12, left), (20, right), (28, left), (36, right)]),
        play: Some("walk".into()),
        masks: upper_body("Turret"),
        load_lights: Some(false),
        ..ModelManifest::default()
    }
}

/// A sentry of 2.2 m. Its format has no bones.
fn skirmish_sentry() -> ModelManifest {
    ModelManifest {
        model: "sentry.mdl".to_owned(),
        meters: Some(0.04),
        // 22.5 units per second for 1.2 s.
        clips: unit_clips(["walk", "attack", "die"], 1.08, clip("idle", "stand")),
        events: shots([(5, ""), (7, "")]),
        play: Some("walk".into()),
        ..ModelManifest::default()
    }
}

/// A warden whose glaive ends at 2.8 m.
fn skirmish_warden() -> ModelManifest {
    let skins = [
        ("fire", "skins/warden.dtx"),
        ("frost", "skins/warden_frost.dtx"),
    ];
    ModelManifest {
        model: "warden.abc".to_owned(),
        height: Some(2.8),
        // 33 units per second for 1.2 s. The height is 80 units.
        clips: unit_clips(["walk", "attack", "die"], 1.39, clip("idle", "idle")),
        events: shots([(13, "Glaive")]),
        play: Some("walk".into()),
        masks: upper_body("Torso"),
        skins: skins
            .map(|(name, file)| (name.to_owned(), file.to_owned()))
            .into(),
        ..ModelManifest::default()
    }
}

/// A van of 2.3 m. The format does not define a front.
fn skirmish_courier() -> ModelManifest {
    ModelManifest {
        model: "courier.lgw".to_owned(),
        facing: Some(FileAxis::NegZ),
        meters: Some(0.01),
        ..ModelManifest::default()
    }
}

fn upper_body(bone: &str) -> BTreeMap<String, Vec<String>> {
    BTreeMap::from([("upper".to_owned(), vec![bone.to_owned()])])
}
