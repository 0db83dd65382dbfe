//! Alamo models and their textures that change while they are in use, seen by the real watcher.

use crate::gpuless::Patience;
use crate::support::alo_stage::{
    IDENTITY, control_mesh, cuboid, matte, quarters, stored, tga, turned,
};
use crate::support::log;
use crate::support::stage::{Picture, Stage};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::alamo::AloModel;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as AloMesh, Parameter};
use bevy_classic_models::prelude::*;
use std::sync::Arc;

const FILE: &str = "edited.alo";

/// A box that is whole, one that is damaged, and one to hide. The edit makes the damaged one longer.
fn model(edited: bool) -> Vec<u8> {
    let (mut damaged, triangles) = cuboid([10.0, 8.0, 9.0], [0.0, 0.0, 4.0]);
    if edited {
        for vertex in &mut damaged {
            vertex.position[0] *= 2.0;
        }
    }
    let (whole, _) = cuboid([5.0; 3], [0.0, 0.0, 4.0]);
    let (extra, _) = cuboid([6.0; 3], [0.0, 0.0, 24.0]);
    let buffers =
        [whole, damaged, extra].map(|vertices| SubmeshBuffers::new(&vertices, &triangles));
    let parameters = || {
        vec![
            Parameter::float4("Specular", [0.0; 4]),
            Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]),
            Parameter::texture("BaseTexture", "worn.tga"),
        ]
    };
    let mut file = AloFile::new(vec![Bone {
        matrix: stored(&turned(2, 0.0, [0.0; 3])),
        ..Bone::new("Root", None, [0.0; 3])
    }]);
    file.meshes = ["Hull_ALT0", "Hull_ALT1", "Extra"]
        .iter()
        .zip(&buffers)
        .map(|(name, buffers)| {
            let submesh = buffers.submesh("MeshBumpColorize.fx", "alD3dVertNU2", parameters());
            AloMesh::new(*name, 0, vec![submesh])
        })
        .collect();
    write(&file).unwrap()
}

/// White where it wears the team's colour; the edit makes it grey.
fn texture(edited: bool) -> Vec<[u8; 4]> {
    vec![
        if edited {
            [120, 120, 120, 255]
        } else {
            [255; 4]
        };
        4
    ]
}

fn current(stage: &mut Stage, root: Entity) -> Arc<AloModel> {
    stage
        .world()
        .get::<AloInstance>(root)
        .unwrap()
        .model()
        .clone()
}

fn expected(stage: &mut Stage, root: Entity, edited_model: bool, color: Color) -> Picture {
    let half = if edited_model { 20.0 } else { 10.0 };
    let (vertices, triangles) = cuboid([half, 8.0, 9.0], [0.0, 0.0, 4.0]);
    let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY);
    let material = stage.add_material(StandardMaterial {
        base_color: color,
        ..matte(None)
    });
    stage.capture_instead(root, vec![(mesh, material)])
}

fn errors() -> usize {
    let errors = log::errors_of(&["bevy_asset"]);
    errors.iter().filter(|text| text.contains(FILE)).count()
}

#[test]
fn an_edit_shows_with_everything_that_was_chosen() {
    let red = Color::srgb(1.0, 0.0, 0.0);
    let mut stage = Stage::watching(&[(FILE, model(false)), ("worn.tga", tga(&texture(false)))]);
    let (path, worn) = (stage.folder().join(FILE), stage.folder().join("worn.tga"));
    let chosen = (
        DamageStage(1),
        TeamColor(red),
        PartVisibility::new(["extra"]),
    );
    let root = stage.spawn_alo(FILE, chosen);
    let control = expected(&mut stage, root, false, red);
    stage.capture().assert_is(&control, "before the edit");

    // The model.
    let old = current(&mut stage, root);
    std::fs::write(&path, model(true)).unwrap();
    stage.headless.wait_until("the edit is seen", |world| {
        !Arc::ptr_eq(world.get::<AloInstance>(root).unwrap().model(), &old)
    });
    stage.headless.step(0.0);
    let control = expected(&mut stage, root, true, red);
    let shown = stage.capture();
    shown.assert_is(&control, "after the edit");

    // A broken model: one error, and nothing else happens.
    let old = current(&mut stage, root);
    assert_eq!(errors(), 0);
    std::fs::write(&path, &model(false)[..900]).unwrap();
    stage
        .headless
        .wait_until("the error is logged", |_| errors() > 0);
    stage.wait_until_idle();
    assert_eq!(errors(), 1);
    assert!(Arc::ptr_eq(&old, &current(&mut stage, root)));
    stage
        .capture()
        .assert_is(&shown, "while the file is broken");

    // And whole again, twice in a row: Bevy alone would overlook the second.
    std::fs::write(&path, model(false)).unwrap();
    stage.headless.wait_until("it is seen", |world| {
        !Arc::ptr_eq(world.get::<AloInstance>(root).unwrap().model(), &old)
    });
    let old = current(&mut stage, root);
    std::fs::write(&path, model(true)).unwrap();
    stage.headless.wait_until("the second is seen", |world| {
        !Arc::ptr_eq(world.get::<AloInstance>(root).unwrap().model(), &old)
    });
    stage.headless.step(0.0);
    stage.capture().assert_is(&control, "after two more edits");

    // A texture, which is exchanged in place: the model is not loaded again.
    let old = current(&mut stage, root);
    std::fs::write(&worn, tga(&texture(true))).unwrap();
    let grey = Color::srgb_u8(120, 0, 0);
    let darker = expected(&mut stage, root, true, grey);
    let mut patience = Patience::new(2000);
    while stage.capture().different(&darker) >= 50 {
        assert!(!patience.is_exhausted(), "the edited texture never shows");
        patience.wait();
    }
    assert!(Arc::ptr_eq(&old, &current(&mut stage, root)));

    // A broken texture changes nothing.
    std::fs::write(&worn, &tga(&quarters([255; 4]))[..30]).unwrap();
    stage.headless.wait_until("the error is logged", |_| {
        let errors = log::errors_of(&["bevy_asset"]);
        errors.iter().any(|text| text.contains("worn.tga"))
    });
    stage.wait_until_idle();
    stage
        .capture()
        .assert_is(&darker, "while the texture is broken");
}
