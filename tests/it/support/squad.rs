//! A soldier with a gun, a lamp and a bike. Together the manifests name all kinds of files.

use super::{abc_stage, lgw};
use crate::manifest::spawn::{mdl, text};
use crate::support::prelude::*;

/// The manifests and all files that they name, and files that the models find by themselves.
pub fn files() -> Vec<(&'static str, Vec<u8>)> {
    let soldier = r#"(model: "body.abc", skins: {"red": "red.tga", "blue": "blue.tga"}, skin: "red", attachments: [
        (bone: "Arm", model: "gun.model.ron", play: "run"), (model: "lamp.alo"), (model: "bike.lgw")])"#;
    let gun =
        r#"(model: "gun.mdl", palette: "gun.lmp", attachments: [(model: "walker.model.ron")])"#;
    let walker = r#"(model: "walker.alo", clips: [(file: "anims/*.ala")], play: "step")"#;
    let image = alo_stage::tga(&[[200, 10, 10, 255]; 64]);
    vec![
        ("soldier.model.ron", text(soldier)),
        ("gun.model.ron", text(gun)),
        ("walker.model.ron", text(walker)),
        ("body.abc", abc::bytes(&abc::figure())),
        ("gun.mdl", mdl()),
        ("lamp.alo", alo::clean()),
        ("bike.lgw", text(lgw::BICYCLE)),
        ("walker.alo", alo::clean()),
        ("anims/step.ala", ala::small(1)),
        ("anims/other.ala", ala::small(1)),
        ("red.tga", image.clone()),
        ("blue.tga", image.clone()),
        ("gun.lmp", vec![9; 768]),
        // Files that models find by themselves.
        ("EV_Hull.tga", image.clone()),
        ("riksa+kolo.tga", image),
        ("walker_MOVE_00.ala", ala::small(1)),
        ("models/a/guard.abc", abc::bytes(&abc::figure())),
        ("skins/a/guard.dtx", abc_stage::dtx(&[[7, 9, 9, 255]; 64])),
    ]
}
