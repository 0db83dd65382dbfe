//! `patrol.model.ron` and `frost_warden.model.ron`: manifests for two of the models.

use crate::alamo::SampleFile;
use bevy::color::Srgba;
use bevy_classic_models::model::ModelManifest;
use bevy_classic_models::model::manifest::{
    ManifestAttachment, ManifestClip, ManifestRepeat, parse,
};
use std::error::Error;

/// Both manifests.
pub fn files() -> Result<Vec<SampleFile>, Box<dyn Error>> {
    let manifests = [
        ("models/patrol.model.ron", patrol()),
        ("models/frost_warden.model.ron", frost_warden()),
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
    let clip = |name: &str, clip: &str| ManifestClip {
        name: name.to_owned(),
        clip: Some(clip.into()),
        ..ManifestClip::default()
    };
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
