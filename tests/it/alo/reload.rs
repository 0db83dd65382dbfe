//! Reloading Alamo models and textures that change on disk while in use, with Bevy's real file watcher.

use crate::support::alo_stage::control_mesh;
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as AloMesh};

const FILE: &str = "edited.alo";

/// An intact box, a damaged box, and a box to hide. The edit makes the damaged box longer.
fn model(edited: bool) -> Vec<u8> {
    let (mut damaged, triangles) = cuboid([10.0, 8.0, 9.0], [0.0, 0.0, 4.0]);
    if edited {
        for vertex in &mut damaged {
            vertex.position[0] *= 2.0;
        }
    }
    let (intact, _) = cuboid([5.0; 3], [0.0, 0.0, 4.0]);
    let (extra, _) = cuboid([6.0; 3], [0.0, 0.0, 24.0]);
    let buffers =
        [intact, damaged, extra].map(|vertices| SubmeshBuffers::new(&vertices, &triangles));
    let parameters = || {
        vec![
            Parameter::float4("Specular", [0.0; 4]),
            Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]),
            Parameter::texture("BaseTexture", "reloaded_base.tga"),
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

/// White, with alpha for the team color. The edit makes it gray.
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
    stage.get::<AloInstance>(root).model().clone()
}

fn expected(stage: &mut Stage, root: Entity, edited_model: bool, color: Color) -> Picture {
    let half = if edited_model { 20.0 } else { 10.0 };
    let (vertices, triangles) = cuboid([half, 8.0, 9.0], [0.0, 0.0, 4.0]);
    let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY);
    let material = stage.add_material(StandardMaterial {
        base_color: color,
        ..matte(None)
    });
    stage.capture_controls(root, vec![(mesh, material)])
}

fn errors() -> usize {
    let errors = log::errors_of(&["bevy_asset"]);
    errors.iter().filter(|text| text.contains(FILE)).count()
}

#[test]
fn edit_keeps_the_components_on_the_root() {
    let red = Color::srgb(1.0, 0.0, 0.0);
    let mut stage = Stage::watching(&[
        (FILE, model(false)),
        ("reloaded_base.tga", tga(&texture(false))),
    ]);
    let (path, texture_path) = (
        stage.folder().join(FILE),
        stage.folder().join("reloaded_base.tga"),
    );
    let components = (
        DamageStage(1),
        TeamColor(red),
        PartVisibility::hidden(["extra"]),
    );
    let root = stage.spawn_alo(FILE, components);
    let control = expected(&mut stage, root, false, red);
    stage.capture().assert_matches(&control, "before the edit");

    // The model.
    let old = current(&mut stage, root);
    std::fs::write(&path, model(true)).unwrap();
    stage.wait_for("the edit is loaded", |world| {
        !Arc::ptr_eq(world.get::<AloInstance>(root).unwrap().model(), &old)
    });
    stage.headless.step(0.0);
    let control = expected(&mut stage, root, true, red);
    let shown = stage.capture();
    shown.assert_matches(&control, "after the edit");

    // A broken model causes one error and no other change.
    let old = current(&mut stage, root);
    assert_eq!(errors(), 0);
    std::fs::write(&path, &model(false)[..900]).unwrap();
    stage.wait_for("the error is logged", |_| errors() > 0);
    stage.wait_until_idle();
    assert_eq!(errors(), 1);
    assert!(Arc::ptr_eq(&old, &current(&mut stage, root)));
    stage
        .capture()
        .assert_matches(&shown, "while the file is broken");

    // Two valid edits in a row. Bevy alone would miss the second.
    std::fs::write(&path, model(false)).unwrap();
    stage.wait_for("the first edit is loaded", |world| {
        !Arc::ptr_eq(world.get::<AloInstance>(root).unwrap().model(), &old)
    });
    let old = current(&mut stage, root);
    std::fs::write(&path, model(true)).unwrap();
    stage.wait_for("the second edit is loaded", |world| {
        !Arc::ptr_eq(world.get::<AloInstance>(root).unwrap().model(), &old)
    });
    stage.headless.step(0.0);
    stage
        .capture()
        .assert_matches(&control, "after two more edits");

    // An edited texture replaces the image without reloading the model.
    let old = current(&mut stage, root);
    std::fs::write(&texture_path, tga(&texture(true))).unwrap();
    let gray = Color::srgb_u8(120, 0, 0);
    let darker = expected(&mut stage, root, true, gray);
    let mut patience = Patience::new(2000);
    while stage.capture().different(&darker) >= 50 {
        assert!(
            !patience.is_exhausted(),
            "the edited texture was not applied"
        );
        patience.wait();
    }
    assert!(Arc::ptr_eq(&old, &current(&mut stage, root)));

    // A broken texture changes nothing.
    std::fs::write(&texture_path, &tga(&quarters([255; 4]))[..30]).unwrap();
    stage.wait_for("the error is logged", |_| {
        let errors = log::errors_of(&["bevy_asset"]);
        errors.iter().any(|text| text.contains("reloaded_base.tga"))
    });
    stage.wait_until_idle();
    stage
        .capture()
        .assert_matches(&darker, "while the texture is broken");
}
