//! Rendered billboards and dazzles, compared with meshes that the tests turn to the camera.

use crate::alo::render::{FILE, bone_matrices, bones, matte_parameters, model_matrices};
use crate::support::alo_stage::{apply, control_mesh, times};
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::Mesh as AloMesh;
use bevy_classic_models::alamo::alo::write::write;

/// Checks the matrix functions of these tests: a matrix times its inverse is the identity.
#[test]
fn matrix_functions_of_the_tests_are_correct() {
    for matrix in model_matrices(&bone_matrices()) {
        let product = times(&matrix, &inverse(&matrix));
        for (row, expected) in product.iter().zip(IDENTITY) {
            for (value, expected) in row.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-12);
            }
        }
    }
    let quarter = turned(2, 90.0, [1.0, 0.0, 0.0]);
    let [x, y, z] = apply(&quarter, [1.0, 0.0, 5.0], 1.0);
    assert!((x - 1.0).abs() < 1e-12 && (y - 1.0).abs() < 1e-12 && (z - 5.0).abs() < 1e-12);
}

/// Converts from Bevy's axes to the model's.
fn into_model([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, -z, y]
}

fn vector(v: Vec3) -> [f64; 3] {
    v.to_array().map(f64::from)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|value| value * value).sum::<f64>().sqrt();
    v.map(|value| value / length)
}

/// Transforms a vector into the space of a matrix. `w` is 1 for positions and 0 for directions.
fn into_space(space: &Matrix, v: [f64; 3], w: f64) -> [f64; 3] {
    let from_parent = inverse(space);
    from_parent.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * w)
}

/// The rotation of a camera in the model's axes, then a quarter turn so that −Y faces the camera.
fn camera_facing(eye: Vec3) -> Matrix {
    let back = unit(vector(eye - Vec3::Y * 4.0));
    let right = unit(cross([0.0, 1.0, 0.0], back));
    let up = cross(back, right);
    // A rotation by −90° about X maps Y to −Z and Z to Y.
    let columns = [right, back.map(|value| -value), up].map(into_model);
    let mut matrix = IDENTITY;
    for (row, matrix) in matrix.iter_mut().enumerate() {
        for (column, value) in matrix.iter_mut().take(3).enumerate() {
            *value = columns[column][row];
        }
    }
    matrix
}

/// The matrix of a billboard bone in model space, by the formulas of the format.
fn billboard(mode: u32, rest: &Matrix, eye: Vec3, light: Vec3, wind: Vec3) -> Matrix {
    let heading = |v: [f64; 3]| v[1].atan2(v[0]).to_degrees() - 90.0;
    let about_z = |degrees: f64| times(rest, &turned(2, degrees, [0.0; 3]));
    let mut face = camera_facing(eye);
    for (row, rest) in face.iter_mut().zip(rest) {
        row[3] = rest[3];
    }
    match mode {
        1 | 2 => face,
        3 => {
            let camera = into_space(rest, into_model(vector(eye)), 1.0);
            about_z(heading(camera.map(|value| -value)))
        }
        4 => about_z(heading(into_space(rest, into_model(vector(light)), 0.0))),
        5 => about_z(heading(into_space(rest, into_model(vector(wind)), 0.0))),
        _ => {
            let from = unit(into_model(vector(-light)));
            let azimuth = from[1].atan2(from[0]).to_degrees();
            let tilt = from[2].asin().to_degrees();
            let rotation = times(&turned(2, azimuth, [0.0; 3]), &turned(1, -tilt, [0.0; 3]));
            let position = [rest[0][3] as f32, rest[1][3] as f32, rest[2][3] as f32];
            for (row, position) in face.iter_mut().zip(apply(&rotation, position, 1.0)) {
                row[3] = position;
            }
            face
        }
    }
}

#[test]
fn billboards_of_every_mode_match_the_formulas() {
    let wind = Vec3::new(0.4, 0.0, -1.0);
    let light = Vec3::new(-40.0, -80.0, 60.0);
    let matrices = [
        IDENTITY,
        turned(2, 35.0, [4.0, -6.0, 2.0]),
        turned(0, 20.0, [8.0, 5.0, 3.0]),
    ];
    let rest = model_matrices(&matrices)[2];
    let (vertices, triangles) = cuboid([12.0, 8.0, 14.0], [0.0; 3]);
    let mut stage = Stage::new(&[]);
    stage.world().resource_mut::<Wind>().direction = wind;
    for mode in 1..=7 {
        let buffers = SubmeshBuffers::new(&vertices, &triangles);
        let submesh = buffers.submesh(
            "MeshGloss.fx",
            "alD3dVertNU2",
            matte_parameters("colors.tga"),
        );
        let mut file = AloFile::new(bones(&matrices));
        file.bones[2].billboard = mode;
        file.meshes = vec![AloMesh::new("Sign", 2, vec![submesh])];
        let bytes = write(&file).unwrap();
        let file = stage.add_files(&[(FILE, bytes), ("colors.tga", tga(&quarters([255; 4])))]);
        let root = stage.spawn_alo(file, ());
        for view in VIEWS {
            stage.move_camera(view);
            let subject = stage.capture();
            let matrix = billboard(mode, &rest, view, light, wind);
            let texture = stage.add_image(&quarters([255; 4]));
            let material = stage.add_material(matte(Some(texture)));
            let mesh = control_mesh(&vertices, &triangles, |_| matrix);
            let control = stage.capture_controls(root, vec![(mesh, material)]);
            subject.assert_matches(&control, &format!("billboard mode {mode} from {view}"));
        }
        stage.despawn(root);
    }
}

#[test]
fn dazzles_follow_their_bone() {
    let mut file = AloFile::new(bones(&bone_matrices()));
    file.version = 2;
    file.dazzles = vec![Dazzle {
        color: [0.9, 0.6, 0.3],
        position: [1.0, -2.0, 3.0],
        radius: 16.0,
        slot_x: 0,
        slot_y: 0,
        num_slots: 1,
        texture: "star.dds".into(),
        frequency: 0.0,
        phase: 0.0,
        night_only: false,
        bone: 2,
        name: "Star".into(),
        is_hidden: false,
        bias: None,
    }];
    let texels = quarters([255; 4]);
    let mut stage = Stage::dark(&[(FILE, write(&file).unwrap()), ("Star.TGA", tga(&texels))]);
    let root = stage.spawn_alo(FILE, ());
    let position = apply(&model_matrices(&bone_matrices())[2], [1.0, -2.0, 3.0], 1.0);
    for view in VIEWS {
        stage.move_camera(view);
        let subject = stage.capture();
        let mut matrix = camera_facing(view);
        for (row, value) in matrix.iter_mut().zip(position) {
            row[3] = value;
        }
        // The front of a thin box.
        let (vertices, triangles) = cuboid([16.0, 0.001, 16.0], [0.0; 3]);
        let mesh = control_mesh(&vertices, &triangles[6..8], |_| matrix);
        let texture = stage.add_image(&texels);
        let material = stage.add_material(StandardMaterial {
            base_color: Color::srgb(0.9, 0.6, 0.3),
            unlit: true,
            alpha_mode: AlphaMode::Add,
            ..matte(Some(texture))
        });
        let control = stage.capture_controls(root, vec![(mesh, material)]);
        subject.assert_matches(&control, &format!("a dazzle from {view}"));
    }
    let bone = stage.bone(root, 1);
    stage.insert(bone, Visibility::Hidden);
    assert_eq!(
        stage.capture().covered(),
        0,
        "the parent of the dazzle's bone is hidden"
    );
}
