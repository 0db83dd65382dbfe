//! Pictures of Alamo models that play clips: each beside a control whose vertices the CPU posed by a
//! decoder of the tests' own.

use crate::alo::render::{FILE, bones, compare, dull, in_model};
use crate::support::ala::{Decoder, between};
use crate::support::alo::between_rings;
use crate::support::alo_stage::{
    IDENTITY, Matrix, control_mesh, cuboid, matte, quarters, stored, tga, times, turned, undo,
};
use crate::support::stage::{Picture, Stage, VIEWS};
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::AlaPose;
use bevy_classic_models::alamo::ala::write::{
    AlaDocument, BoneTracks, Rotations, Vectors, write as write_ala,
};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write as write_alo};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as AloMesh, Vertex};
use bevy_classic_models::alamo::{AloAnimator, AloPart};
use bevy_classic_models::prelude::*;

const FPS: f32 = 10.0;
pub const FRAMES: u32 = 5;

/// What is drawn in the place of a model.
type Controls = Vec<(Mesh, MeshMaterial3d<StandardMaterial>)>;

/// A chain of four bones upwards, below a root that no clip speaks of.
pub fn chain() -> [Matrix; 5] {
    [
        turned(2, 15.0, [2.0, 0.0, 1.0]),
        turned(2, 20.0, [0.0, 0.0, -14.0]),
        turned(0, 10.0, [0.0, 0.0, 10.0]),
        turned(1, -15.0, [1.0, 0.0, 10.0]),
        turned(0, 5.0, [0.0, 1.0, 9.0]),
    ]
}

/// Bones of a model, at rest in these places.
pub fn resting(rest: &[Matrix]) -> AloFile<'static> {
    AloFile::new(bones(rest))
}

/// A value for each frame.
fn frames<T>(value: impl Fn(f32) -> T) -> Vec<T> {
    (0..FRAMES).map(|frame| value(frame as f32)).collect()
}

/// A turn of so many degrees.
fn turn(axis: Vec3, degrees: f32) -> [f32; 4] {
    Quat::from_axis_angle(axis.normalize(), degrees.to_radians()).to_array()
}

/// A bone of [`chain`] or of [`arm`] that moves and turns about an axis.
fn moving(index: u32, from: [f32; 3], step: [f32; 3], axis: Vec3, degrees: [f32; 2]) -> BoneTracks {
    let mut bone = BoneTracks::new(format!("Bone{index}"), index, from);
    let place = |frame: f32| Vec3::from_array(from) + frame * Vec3::from_array(step);
    bone.translation = Vectors::from_frames(&frames(|frame| place(frame).to_array()));
    let [first, each] = degrees;
    bone.rotation = Rotations::from_frames(&frames(|frame| turn(axis, first + each * frame)));
    bone
}

fn clip(version: u8, bones: Vec<BoneTracks>) -> Vec<u8> {
    write_ala(&AlaDocument {
        version,
        frames: FRAMES,
        fps: FPS,
        bones,
    })
    .unwrap()
}

/// The chain sways: one of its bones grows by steps.
pub fn swing(version: u8) -> Vec<u8> {
    let mut bones = vec![
        moving(
            1,
            [0.0, 0.0, -14.0],
            [1.0, -0.5, 0.0],
            Vec3::Z,
            [20.0, 12.0],
        ),
        moving(2, [0.0, 0.0, 10.0], [0.0, 0.0, 0.5], Vec3::X, [10.0, -14.0]),
        moving(
            3,
            [1.0, 0.0, 10.0],
            [0.0, 0.5, 0.0],
            Vec3::ONE,
            [-15.0, 22.0],
        ),
        moving(4, [0.0, 1.0, 9.0], [0.0; 3], Vec3::Y, [0.0, -25.0]),
    ];
    bones[1].scale = Vectors::from_frames(&frames(|frame| [1.0, 1.0 + 0.15 * frame, 0.9]));
    bones[2].steps = Some(vec![false, true, false, false, true]);
    clip(version, bones)
}

/// The chain bows, and some of it stands still.
pub fn bend(version: u8) -> Vec<u8> {
    let mut bones = vec![
        BoneTracks::new("Bone1", 1, [-3.0, 1.0, -13.0]),
        moving(2, [0.0, 0.0, 11.0], [0.2, 0.0, 0.1], Vec3::X, [-40.0, 5.0]),
        moving(3, [0.0, 1.0, 10.0], [0.0; 3], Vec3::NEG_Y, [30.0, 6.0]),
        BoneTracks::new("Bone4", 4, [0.0, -1.0, 10.0]),
    ];
    bones[0].rotation = Rotations::constant(turn(Vec3::NEG_Z, 50.0));
    // Each of the clips says nothing of the scale that the other changes.
    bones[2].scale = Vectors::from_frames(&frames(|frame| [1.2, 1.0, 1.0 - 0.05 * frame]));
    clip(version, bones)
}

/// What the format says of a bone's own matrix: it grows, turns, moves.
fn local(pose: &AlaPose) -> Matrix {
    let [x, y, z, w] = pose.rotation.unwrap().map(f64::from);
    let turn = [
        [
            1.0 - 2.0 * (y * y + z * z),
            2.0 * (x * y - z * w),
            2.0 * (x * z + y * w),
        ],
        [
            2.0 * (x * y + z * w),
            1.0 - 2.0 * (x * x + z * z),
            2.0 * (y * z - x * w),
        ],
        [
            2.0 * (x * z - y * w),
            2.0 * (y * z + x * w),
            1.0 - 2.0 * (x * x + y * y),
        ],
    ];
    let scale = pose.scale.map(f64::from);
    let mut matrix = IDENTITY;
    for (row, values) in matrix.iter_mut().enumerate() {
        for (column, value) in values.iter_mut().take(3).enumerate() {
            *value = turn[row][column] * scale[column];
        }
        values[3] = f64::from(pose.translation[row]);
    }
    matrix
}

/// A part of the way from one pose to another.
fn mixed(a: &AlaPose, b: &AlaPose, way: f32) -> AlaPose {
    let lerp = |a: [f32; 3], b| Vec3::from(a).lerp(Vec3::from(b), way).to_array();
    let [from, to] = [a, b].map(|pose| pose.rotation.unwrap().map(f64::from));
    let rotation = between(from, to, f64::from(way));
    AlaPose {
        translation: lerp(a.translation, b.translation),
        rotation: Some(rotation.map(|value| value as f32)),
        scale: lerp(a.scale, b.scale),
        visible: None,
    }
}

/// From each bone's space to the model's; the first bone rests, the clip's first is the second.
fn posed(rest: &[Matrix], pose: impl Fn(usize) -> AlaPose) -> Vec<Matrix> {
    let own = (1..rest.len()).map(|bone| local(&pose(bone - 1)));
    let all: Vec<Matrix> = rest.iter().take(1).copied().chain(own).collect();
    in_model(&all)
}

/// A column of rings around Z whose vertices follow up to four bones, the nearest the most.
pub fn limb(weighted: bool) -> (Vec<Vertex>, Vec<[u16; 3]>) {
    const RINGS: u16 = 12;
    const SIDES: u16 = 10;
    let mut vertices = Vec::new();
    for ring in 0..=RINGS {
        let way = f32::from(ring) / f32::from(RINGS);
        let near = [0.0, 1.0, 2.0, 3.0].map(|joint| (-(3.0 * way - joint).powi(2)).exp());
        let sum: f32 = near.iter().sum();
        let nearest = (3.0 * way).round() as u32;
        for side in 0..=SIDES {
            let u = f32::from(side) / f32::from(SIDES);
            let (sin, cos) = (u * core::f32::consts::TAU).sin_cos();
            vertices.push(Vertex {
                position: [9.0 * cos, 9.0 * sin, 40.0 * way - 14.0],
                normal: [cos, sin, 0.0],
                tex_coords: [[u, way], [0.0; 2], [0.0; 2], [0.0; 2]],
                color: [1.0; 4],
                bone_indices: if weighted {
                    [0, 1, 2, 3]
                } else {
                    [nearest, 0, 0, 0]
                },
                bone_weights: if weighted {
                    near.map(|weight| weight / sum)
                } else {
                    [1.0, 0.0, 0.0, 0.0]
                },
                ..default()
            });
        }
    }
    (vertices, between_rings(RINGS, SIDES))
}

/// Where a skinned vertex's bones take it: their matrices, summed up by its weights.
fn skinned(vertex: &Vertex, palette: &[u32], rest: &[Matrix], now: &[Matrix]) -> Matrix {
    let mut sum = [[0.0; 4]; 3];
    for (slot, weight) in vertex.bone_indices.iter().zip(vertex.bone_weights) {
        let bone = palette[*slot as usize] as usize;
        let moved = times(&now[bone], &undo(&in_model(rest)[bone]));
        for (sum, moved) in sum.iter_mut().flatten().zip(moved.as_flattened()) {
            *sum += moved * f64::from(weight);
        }
    }
    sum
}

/// A stage with a model, its clips and its texture; the model plays none.
fn stage(model: &AloFile<'_>, clips: [(&'static str, Vec<u8>); 2]) -> (Stage, Entity) {
    let mut files = vec![
        (FILE, write_alo(model).unwrap()),
        ("colors.tga", tga(&quarters([255; 4]))),
    ];
    files.extend(clips);
    let mut stage = Stage::new(&files);
    let root = stage.spawn_alo(FILE, ());
    (stage, root)
}

/// Shows a clip at a time, in frames, at which it stands.
fn show(stage: &mut Stage, root: Entity, clip: &str, frame: f32) {
    let play = PlayClip::once(clip)
        .starting_at(frame / FPS)
        .with_speed(0.0);
    stage.world().entity_mut(root).insert(play);
    stage.headless.step(0.0);
}

/// What Bevy draws in the place of a mesh.
fn control(stage: &mut Stage, mesh: Mesh) -> Controls {
    let texture = stage.add_image(&quarters([255; 4]));
    vec![(mesh, stage.add_material(matte(Some(texture))))]
}

/// Fails unless each picture is another than the one before.
#[track_caller]
fn assert_all_differ(pictures: &[Picture], what: &str) {
    assert!(pictures.len() > 1, "{what}");
    for pair in pictures.windows(2) {
        pair[0].assert_is_not(&pair[1], what);
    }
}

const SWING: &str = "subject_SWING_00.ala";
const BEND: &str = "subject_BEND_00.ala";
/// The vertices name bones by their places here.
pub const PALETTE: [u32; 4] = [1, 2, 3, 4];

fn limb_stage(weighted: bool, version: u8) -> (Stage, Entity) {
    let (vertices, triangles) = limb(weighted);
    let buffers = SubmeshBuffers::new(&vertices, &triangles).with_palette(&PALETTE);
    let format = match weighted {
        true => "alD3dVertB4I4NU2",
        false => "alD3dVertRSkinNU2",
    };
    let mut model = resting(&chain());
    let submesh = buffers.submesh("RSkinGloss.fx", format, dull("colors.tga"));
    model.meshes = vec![AloMesh::new("Limb", 0, vec![submesh])];
    stage(&model, [(SWING, swing(version)), (BEND, bend(version))])
}

/// The limb as it is posed, by Bevy alone.
fn limb_control(stage: &mut Stage, weighted: bool, pose: &dyn Fn(usize) -> AlaPose) -> Controls {
    let (vertices, triangles) = limb(weighted);
    let (rest, now) = (chain(), posed(&chain(), pose));
    let mesh = control_mesh(&vertices, &triangles, |vertex| {
        skinned(vertex, &PALETTE, &rest, &now)
    });
    control(stage, mesh)
}

/// Compares, and gives the control's picture.
#[track_caller]
fn limb_compared(
    (stage, root): (&mut Stage, Entity),
    weighted: bool,
    what: &str,
    pose: &dyn Fn(usize) -> AlaPose,
) -> Picture {
    compare(stage, root, what, |stage| {
        limb_control(stage, weighted, pose)
    });
    let controls = limb_control(stage, weighted, pose);
    stage.capture_instead(root, controls)
}

#[test]
fn skinned_vertices_follow_a_clip() {
    for (weighted, version) in [(true, 1), (false, 2)] {
        let (mut stage, root) = limb_stage(weighted, version);
        let decoder = Decoder::new(&swing(version));
        let mut pictures = Vec::new();
        for frame in [0.0, 1.0, 1.75, 2.5, 4.0] {
            show(&mut stage, root, "SWING_00", frame);
            let what = format!("skinned by clip, weighted {weighted}, at frame {frame}");
            let pose = |bone| decoder.sample(bone, f64::from(frame));
            pictures.push(limb_compared((&mut stage, root), weighted, &what, &pose));
        }
        assert_all_differ(&pictures, "the clip is seen");
    }
}

#[test]
fn a_clip_shows_what_the_clock_says() {
    let (mut stage, root) = limb_stage(true, 2);
    let decoder = Decoder::new(&swing(2));
    let play = PlayClip::looping("SWING_00").with_speed(2.0);
    stage.world().entity_mut(root).insert(play);
    stage.headless.step(0.0);
    let mut pictures = Vec::new();
    for (step, frame) in [(0.07, 1.4), (0.06, 2.6), (0.12, 1.0)] {
        stage.headless.step(step);
        let time = stage.world().get::<Playback>(root).unwrap().time;
        assert!((time * FPS - frame).abs() < 1e-4, "{time}");
        let what = format!("after {step} seconds more");
        let pose = |bone| decoder.sample(bone, f64::from(time * FPS));
        pictures.push(limb_compared((&mut stage, root), true, &what, &pose));
    }
    assert_all_differ(&pictures, "time goes by");
}

#[test]
fn skinned_vertices_are_between_clips_that_fade() {
    for (weighted, version) in [(true, 2), (false, 1)] {
        let (mut stage, root) = limb_stage(weighted, version);
        let [from, to] = [swing(version), bend(version)].map(|bytes| Decoder::new(&bytes));
        show(&mut stage, root, "SWING_00", 2.5);
        let fading = PlayClip::once("BEND_00")
            .starting_at(0.325)
            .with_speed(0.0)
            .with_fade(1.0);
        stage.world().entity_mut(root).insert(fading);
        stage.headless.step(0.0);
        let mut pictures = Vec::new();
        for (step, expected) in [(0.0, 0.0), (0.375, 0.375), (0.375, 0.75), (0.375, 1.0)] {
            stage.headless.step(step);
            let animator = stage.world().get::<AloAnimator>(root).unwrap();
            let weight = animator.weight();
            assert!((weight - expected).abs() < 1e-5, "{weight}");
            let what = format!("fading, weighted {weighted}, at {weight}");
            let pose = |bone| mixed(&from.sample(bone, 2.5), &to.sample(bone, 3.25), weight);
            pictures.push(limb_compared((&mut stage, root), weighted, &what, &pose));
        }
        assert_all_differ(&pictures, "the fade is seen");
    }
}

/// Where the bones of the models of boxes are.
fn arm() -> [Matrix; 3] {
    [
        IDENTITY,
        turned(2, 30.0, [-10.0, 0.0, 4.0]),
        turned(0, -40.0, [24.0, 2.0, 3.0]),
    ]
}

/// Corners of the boxes on the last two bones.
fn boxes() -> [(Vec<Vertex>, Vec<[u16; 3]>); 2] {
    [
        cuboid([11.0, 9.0, 10.0], [0.0; 3]),
        cuboid([8.0, 12.0, 7.0], [0.0, 3.0, 0.0]),
    ]
}

fn box_controls(stage: &mut Stage, now: &[Matrix]) -> Controls {
    let mut controls = Vec::new();
    for ((vertices, triangles), place) in boxes().iter().zip(&now[1..]) {
        controls.extend(control(
            stage,
            control_mesh(vertices, triangles, |_| *place),
        ));
    }
    controls
}

/// Both boxes' bones move; the first grows to no cube, the second moves by steps.
fn reach(version: u8) -> Vec<u8> {
    let mut bones = vec![
        moving(1, [-10.0, 0.0, 4.0], [1.0, 2.0, 0.0], Vec3::Z, [30.0, 20.0]),
        moving(
            2,
            [24.0, 2.0, 3.0],
            [-2.0, 0.0, 1.5],
            Vec3::X,
            [-40.0, 25.0],
        ),
    ];
    bones[0].scale = Vectors::from_frames(&frames(|frame| {
        [1.0 - 0.1 * frame, 1.0 + 0.2 * frame, 0.8 + 0.05 * frame]
    }));
    bones[1].scale = Vectors::constant([0.8, 1.0, 1.3]);
    bones[1].steps = Some(vec![false, true, false, true, false]);
    clip(version, bones)
}

#[test]
fn rigid_parts_move_grow_and_step_with_their_bones() {
    let [a, b] = boxes();
    let buffers = [a, b].map(|(vertices, triangles)| SubmeshBuffers::new(&vertices, &triangles));
    let part =
        |number: usize| buffers[number].submesh("MeshGloss.fx", "alD3dVertNU2", dull("colors.tga"));
    let mut model = resting(&arm());
    model.meshes = vec![
        AloMesh::new("First", 1, vec![part(0)]),
        AloMesh::new("Second", 2, vec![part(1)]),
    ];
    let (mut stage, root) = stage(&model, [(SWING, reach(1)), (BEND, reach(2))]);
    for (name, version) in [("SWING_00", 1), ("BEND_00", 2)] {
        let decoder = Decoder::new(&reach(version));
        let mut pictures = Vec::new();
        for frame in [0.0, 0.5, 1.0, 1.9, 2.0, 3.25] {
            show(&mut stage, root, name, frame);
            let now = posed(&arm(), |bone| decoder.sample(bone, f64::from(frame)));
            let what = format!("rigid, format {version}, at frame {frame}");
            compare(&mut stage, root, &what, |stage| box_controls(stage, &now));
            let controls = box_controls(&mut stage, &now);
            pictures.push(stage.capture_instead(root, controls));
        }
        assert_all_differ(&pictures, "the parts move");
    }
    // The control knows of the step too: between its frames the second box stands.
    let decoder = Decoder::new(&reach(2));
    assert_eq!(decoder.sample(1, 1.0), decoder.sample(1, 1.9));
    assert_ne!(decoder.sample(0, 1.0), decoder.sample(0, 1.9));
}

/// In which frames the first box's bone is hidden.
const HIDDEN: [bool; FRAMES as usize] = [false, true, true, false, true];

/// Two boxes, the second on a child of the first's bone, and a limb that hangs on neither and
/// follows both.
fn hiding_stage() -> (Stage, Entity) {
    let [a, b] = boxes();
    let boxes = [a, b].map(|(vertices, triangles)| SubmeshBuffers::new(&vertices, &triangles));
    let (vertices, triangles) = limb(true);
    let limb = SubmeshBuffers::new(&vertices, &triangles).with_palette(&HIDING_PALETTE);
    let part = |buffers| {
        SubmeshBuffers::submesh(buffers, "MeshGloss.fx", "alD3dVertNU2", dull("colors.tga"))
    };
    let skin = limb.submesh("RSkinGloss.fx", "alD3dVertB4I4NU2", dull("colors.tga"));
    let mut model = resting(&arm());
    model.meshes = vec![
        AloMesh::new("First", 1, vec![part(&boxes[0])]),
        AloMesh::new("Second", 2, vec![part(&boxes[1])]),
        AloMesh::new("Limb", 0, vec![skin]),
    ];
    stage(&model, [(SWING, hiding()), (BEND, reach(2))])
}

const HIDING_PALETTE: [u32; 4] = [0, 1, 2, 1];

fn hiding() -> Vec<u8> {
    let mut bones = vec![
        moving(1, [-10.0, 0.0, 4.0], [1.0, 2.0, 0.0], Vec3::Z, [30.0, 20.0]),
        moving(
            2,
            [24.0, 2.0, 3.0],
            [-2.0, 0.0, 1.5],
            Vec3::X,
            [-40.0, 25.0],
        ),
    ];
    bones[0].visibility = Some(HIDDEN.map(|hidden| !hidden).into());
    clip(2, bones)
}

/// What is to be seen at a time, by Bevy alone.
fn hiding_controls(stage: &mut Stage, frame: f32) -> Controls {
    let decoder = Decoder::new(&hiding());
    let pose = |bone| decoder.sample(bone, f64::from(frame));
    let now = posed(&arm(), pose);
    let (vertices, triangles) = limb(true);
    let mesh = control_mesh(&vertices, &triangles, |vertex| {
        skinned(vertex, &HIDING_PALETTE, &arm(), &now)
    });
    let mut controls = control(stage, mesh);
    if pose(0).visible == Some(true) {
        controls.extend(box_controls(stage, &now));
    }
    controls
}

/// Names of the parts that are drawn.
fn drawn(stage: &mut Stage) -> Vec<String> {
    let mut parts = stage.world().query::<(&AloPart, &InheritedVisibility)>();
    let parts = parts.iter(stage.headless.app.world());
    let seen = parts.filter(|(_, visible)| visible.get());
    let mut names: Vec<_> = seen.map(|(part, _)| part.name.clone()).collect();
    names.sort();
    names
}

#[test]
fn a_hidden_bone_hides_parts_in_its_frames_and_no_skin() {
    let (mut stage, root) = hiding_stage();
    show(&mut stage, root, "SWING_00", 0.0);
    stage.look_from(VIEWS[0]);
    let mut pictures = Vec::new();
    for frame in [0.0, 0.75, 1.0, 2.9, 3.0, 3.5, 4.0, 0.25, 1.5] {
        let hidden = HIDDEN[frame as usize];
        stage.world().get_mut::<Playback>(root).unwrap().time = frame / FPS;
        // The first picture after the jump: what is drawn in the very frame.
        let image = stage.headless.capture();
        let (texels, _) = image.data.as_ref().unwrap().as_chunks::<4>();
        let at_once = Picture(texels.to_vec());
        let expected: &[&str] = match hidden {
            true => &["Limb"],
            false => &["First", "Limb", "Second"],
        };
        assert_eq!(drawn(&mut stage), expected, "at frame {frame}");
        let controls = hiding_controls(&mut stage, frame);
        let control = stage.capture_instead(root, controls);
        let what = format!("hidden {hidden} at frame {frame}");
        at_once.assert_is(&control, &what);
        pictures.push(control);
    }
    assert_all_differ(&pictures, "hiding is seen");
}

/// The pose and what hides are of one frame: in the frame that begins, what has moved is hidden.
#[test]
fn parts_are_hidden_in_the_frame_of_the_pose() {
    let (mut stage, root) = hiding_stage();
    let play = PlayClip::looping("SWING_00").starting_at(0.025);
    stage.world().entity_mut(root).insert(play);
    stage.headless.step(0.0);
    let decoder = Decoder::new(&hiding());
    let bone = stage.bone(root, 1);
    for step in 0..12 {
        let time = stage.world().get::<Playback>(root).unwrap().time;
        let pose = decoder.sample(0, f64::from(time * FPS));
        let x = stage.world().get::<Transform>(bone).unwrap().translation.x;
        assert!((x - pose.translation[0]).abs() < 1e-3, "step {step}: {x}");
        let seen = drawn(&mut stage).len() == 3;
        assert_eq!(Some(seen), pose.visible, "step {step}");
        stage.headless.step(0.05);
    }
}

/// The control's own matrices are right: a pose that is a bone's rest is its matrix.
#[test]
fn poses_are_the_matrices_they_are_made_of() {
    for rest in chain() {
        let bone = Bone {
            matrix: stored(&rest),
            ..Bone::new("", None, [0.0; 3])
        };
        let turn = Mat3::from_cols_array_2d(
            &[0, 1, 2].map(|column| [0, 1, 2].map(|row| bone.matrix[row][column])),
        );
        let pose = AlaPose {
            translation: [0, 1, 2].map(|row: usize| bone.matrix[row][3]),
            rotation: Some(Quat::from_mat3(&turn).to_array()),
            scale: [1.0; 3],
            visible: None,
        };
        for (found, expected) in local(&pose).iter().flatten().zip(rest.as_flattened()) {
            assert!((found - expected).abs() < 1e-5);
        }
    }
}
