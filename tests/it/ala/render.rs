//! Rendered Alamo models that play clips, each compared with a control mesh that the CPU posed with the tests' own
//! decoder.

use crate::alo::render::{FILE, bones, compare, matte_parameters, model_matrices};
use crate::support::ala::between;
use crate::support::alo_stage::{control_mesh, times};
use crate::support::matrix::{composed, turn};
use crate::support::prelude::*;
use bevy_classic_models::alamo::ala::write::write as write_ala;
use bevy_classic_models::alamo::alo::write::write as write_alo;
use bevy_classic_models::alamo::alo::{Bone, Mesh as AloMesh};

const FPS: f32 = 10.0;
pub const FRAMES: u32 = 5;

/// Meshes to render in place of a model.
type Controls = Vec<(Mesh, MeshMaterial3d<StandardMaterial>)>;

/// A chain of four bones upward, below a root without tracks in the clips.
pub fn chain() -> [Matrix; 5] {
    [
        turned(2, 15.0, [2.0, 0.0, 1.0]),
        turned(2, 20.0, [0.0, 0.0, -14.0]),
        turned(0, 10.0, [0.0, 0.0, 10.0]),
        turned(1, -15.0, [1.0, 0.0, 10.0]),
        turned(0, 5.0, [0.0, 1.0, 9.0]),
    ]
}

/// A model without meshes whose bones have these rest matrices.
pub fn model_at_rest(rest: &[Matrix]) -> AloFile<'static> {
    AloFile::new(bones(rest))
}

/// A value for each frame.
fn frames<T>(value: impl Fn(f32) -> T) -> Vec<T> {
    (0..FRAMES).map(|frame| value(frame as f32)).collect()
}

/// A quaternion for a rotation about an axis.
fn rotation_about(axis: Vec3, degrees: f32) -> [f32; 4] {
    Quat::from_axis_angle(axis.normalize(), degrees.to_radians()).to_array()
}

/// Tracks of a bone of [`chain`] or [`arm`] that moves and rotates about an axis. `degrees` has the first angle and the
/// change per frame.
fn moving(index: u32, from: [f32; 3], step: [f32; 3], axis: Vec3, degrees: [f32; 2]) -> BoneTracks {
    let mut bone = BoneTracks::new(format!("Bone{index}"), index, from);
    let position = |frame: f32| Vec3::from_array(from) + frame * Vec3::from_array(step);
    bone.translation = Vectors::from_frames(&frames(|frame| position(frame).to_array()));
    let [first, step_degrees] = degrees;
    bone.rotation = Rotations::from_frames(&frames(|frame| {
        rotation_about(axis, first + step_degrees * frame)
    }));
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

/// A clip that sways the chain. It scales one bone, and another bone moves in steps.
pub fn swing_clip(version: u8) -> Vec<u8> {
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

/// A clip that bends the chain, with constant tracks for some bones.
pub fn bend_clip(version: u8) -> Vec<u8> {
    let mut bones = vec![
        BoneTracks::new("Bone1", 1, [-3.0, 1.0, -13.0]),
        moving(2, [0.0, 0.0, 11.0], [0.2, 0.0, 0.1], Vec3::X, [-40.0, 5.0]),
        moving(3, [0.0, 1.0, 10.0], [0.0; 3], Vec3::NEG_Y, [30.0, 6.0]),
        BoneTracks::new("Bone4", 4, [0.0, -1.0, 10.0]),
    ];
    bones[0].rotation = Rotations::constant(rotation_about(Vec3::NEG_Z, 50.0));
    // Neither clip has the scale track that the other changes.
    bones[2].scale = Vectors::from_frames(&frames(|frame| [1.2, 1.0, 1.0 - 0.05 * frame]));
    clip(version, bones)
}

/// A bone's local matrix by the format: scale, then rotation, then translation.
fn local_matrix(pose: &AlaPose) -> Matrix {
    let rotation = turn(pose.rotation.unwrap().map(f64::from));
    let [translation, scale] = [pose.translation, pose.scale].map(|it| it.map(f64::from));
    composed(translation, rotation, scale)
}

/// Interpolates from one pose to another by `weight`.
fn interpolated(a: &AlaPose, b: &AlaPose, weight: f32) -> AlaPose {
    let lerp = |a: [f32; 3], b| Vec3::from(a).lerp(Vec3::from(b), weight).to_array();
    let [from, to] = [a, b].map(|pose| pose.rotation.unwrap().map(f64::from));
    let rotation = between(from, to, f64::from(weight));
    AlaPose {
        translation: lerp(a.translation, b.translation),
        rotation: Some(rotation.map(|value| value as f32)),
        scale: lerp(a.scale, b.scale),
        visible: None,
    }
}

/// Matrices from the space of each bone to model space. The first bone is at rest. The clip's first bone is the second.
fn posed(rest: &[Matrix], pose: impl Fn(usize) -> AlaPose) -> Vec<Matrix> {
    let local = (1..rest.len()).map(|bone| local_matrix(&pose(bone - 1)));
    let all: Vec<Matrix> = rest.iter().take(1).copied().chain(local).collect();
    model_matrices(&all)
}

/// A column of rings around Z. Its vertices follow up to four bones, with the greatest weight for the nearest.
pub fn limb(weighted: bool) -> (Vec<Vertex>, Vec<[u16; 3]>) {
    const RINGS: u16 = 12;
    const SIDES: u16 = 10;
    let mut vertices = Vec::new();
    for ring in 0..=RINGS {
        let height = f32::from(ring) / f32::from(RINGS);
        let near = [0.0, 1.0, 2.0, 3.0].map(|joint| (-(3.0 * height - joint).powi(2)).exp());
        let sum: f32 = near.iter().sum();
        let nearest = (3.0 * height).round() as u32;
        for side in 0..=SIDES {
            let u = f32::from(side) / f32::from(SIDES);
            let (sin, cos) = (u * core::f32::consts::TAU).sin_cos();
            vertices.push(Vertex {
                position: [9.0 * cos, 9.0 * sin, 40.0 * height - 14.0],
                normal: [cos, sin, 0.0],
                tex_coords: [[u, height], [0.0; 2], [0.0; 2], [0.0; 2]],
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

/// The matrix of a skinned vertex: the weighted sum of its bones' matrices.
fn skinned(vertex: &Vertex, palette: &[u32], rest: &[Matrix], now: &[Matrix]) -> Matrix {
    let mut sum = [[0.0; 4]; 3];
    for (slot, weight) in vertex.bone_indices.iter().zip(vertex.bone_weights) {
        let bone = palette[*slot as usize] as usize;
        let moved = times(&now[bone], &inverse(&model_matrices(rest)[bone]));
        for (sum, moved) in sum.iter_mut().flatten().zip(moved.as_flattened()) {
            *sum += moved * f64::from(weight);
        }
    }
    sum
}

/// A stage with a model, its clips and its texture. The model plays no clip.
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

/// Shows a clip at a time in frames, with speed 0.
fn show(stage: &mut Stage, root: Entity, clip: &str, frame: f32) {
    let play = PlayClip::once(clip)
        .starting_at(frame / FPS)
        .with_speed(0.0);
    stage.insert(root, play);
    stage.headless.step(0.0);
}

/// The control for a mesh, with its texture.
fn control(stage: &mut Stage, mesh: Mesh) -> Controls {
    let texture = stage.add_image(&quarters([255; 4]));
    vec![(mesh, stage.add_material(matte(Some(texture))))]
}

/// Asserts that each image differs from the previous one.
#[track_caller]
fn assert_all_differ(captures: &[Picture], context: &str) {
    assert!(captures.len() > 1, "{context}");
    for pair in captures.windows(2) {
        pair[0].assert_differs(&pair[1], context);
    }
}

const SWING: &str = "subject_SWING_00.ala";
const BEND: &str = "subject_BEND_00.ala";
/// The bone palette: the vertices' bone indices are indices of this array.
pub const PALETTE: [u32; 4] = [1, 2, 3, 4];

fn limb_stage(weighted: bool, version: u8) -> (Stage, Entity) {
    let (vertices, triangles) = limb(weighted);
    let buffers = SubmeshBuffers::new(&vertices, &triangles).with_palette(&PALETTE);
    let format = match weighted {
        true => "alD3dVertB4I4NU2",
        false => "alD3dVertRSkinNU2",
    };
    let mut model = model_at_rest(&chain());
    let submesh = buffers.submesh("RSkinGloss.fx", format, matte_parameters("colors.tga"));
    model.meshes = vec![AloMesh::new("Limb", 0, vec![submesh])];
    stage(
        &model,
        [(SWING, swing_clip(version)), (BEND, bend_clip(version))],
    )
}

/// The control for the posed limb.
fn limb_control(stage: &mut Stage, weighted: bool, pose: &dyn Fn(usize) -> AlaPose) -> Controls {
    let (vertices, triangles) = limb(weighted);
    let (rest, now) = (chain(), posed(&chain(), pose));
    let mesh = control_mesh(&vertices, &triangles, |vertex| {
        skinned(vertex, &PALETTE, &rest, &now)
    });
    control(stage, mesh)
}

/// Compares the limb with its control. Returns the control's image.
#[track_caller]
fn compare_limb(
    (stage, root): (&mut Stage, Entity),
    weighted: bool,
    context: &str,
    pose: &dyn Fn(usize) -> AlaPose,
) -> Picture {
    compare(stage, root, context, |stage| {
        limb_control(stage, weighted, pose)
    });
    let controls = limb_control(stage, weighted, pose);
    stage.capture_controls(root, controls)
}

#[test]
fn skinned_vertices_follow_a_clip() {
    for (weighted, version) in [(true, 1), (false, 2)] {
        let (mut stage, root) = limb_stage(weighted, version);
        let decoder = Decoder::new(&swing_clip(version));
        let mut captures = Vec::new();
        for frame in [0.0, 1.0, 1.75, 2.5, 4.0] {
            show(&mut stage, root, "SWING_00", frame);
            let context = format!("skinned by clip, weighted {weighted}, at frame {frame}");
            let pose = |bone| decoder.sample(bone, f64::from(frame));
            captures.push(compare_limb((&mut stage, root), weighted, &context, &pose));
        }
        assert_all_differ(&captures, "frames of the clip");
    }
}

#[test]
fn looping_clip_follows_the_clock() {
    let (mut stage, root) = limb_stage(true, 2);
    let decoder = Decoder::new(&swing_clip(2));
    let play = PlayClip::looping("SWING_00").with_speed(2.0);
    stage.insert(root, play);
    stage.headless.step(0.0);
    let mut captures = Vec::new();
    for (step, frame) in [(0.07, 1.4), (0.06, 2.6), (0.12, 1.0)] {
        stage.headless.step(step);
        let time = stage.get::<Playback>(root).time;
        assert!((time * FPS - frame).abs() < 1e-4, "{time}");
        let context = format!("{step} seconds later");
        let pose = |bone| decoder.sample(bone, f64::from(time * FPS));
        captures.push(compare_limb((&mut stage, root), true, &context, &pose));
    }
    assert_all_differ(&captures, "times of the clip");
}

#[test]
fn skinned_vertices_interpolate_in_cross_fades() {
    for (weighted, version) in [(true, 2), (false, 1)] {
        let (mut stage, root) = limb_stage(weighted, version);
        let [from, to] =
            [swing_clip(version), bend_clip(version)].map(|bytes| Decoder::new(&bytes));
        show(&mut stage, root, "SWING_00", 2.5);
        let fading = PlayClip::once("BEND_00")
            .starting_at(0.325)
            .with_speed(0.0)
            .with_fade(1.0);
        stage.insert(root, fading);
        stage.headless.step(0.0);
        let mut captures = Vec::new();
        for (step, expected) in [(0.0, 0.0), (0.375, 0.375), (0.375, 0.75), (0.375, 1.0)] {
            stage.headless.step(step);
            let animator = stage.get::<AloAnimator>(root);
            let weight = animator.weight();
            assert!((weight - expected).abs() < 1e-5, "{weight}");
            let context = format!("fading, weighted {weighted}, at {weight}");
            let pose = |bone| interpolated(&from.sample(bone, 2.5), &to.sample(bone, 3.25), weight);
            captures.push(compare_limb((&mut stage, root), weighted, &context, &pose));
        }
        assert_all_differ(&captures, "weights of the fade");
    }
}

/// The rest matrices of the bones of the box models.
fn arm() -> [Matrix; 3] {
    [
        IDENTITY,
        turned(2, 30.0, [-10.0, 0.0, 4.0]),
        turned(0, -40.0, [24.0, 2.0, 3.0]),
    ]
}

/// The boxes on the last two bones.
fn boxes() -> [(Vec<Vertex>, Vec<[u16; 3]>); 2] {
    [
        cuboid([11.0, 9.0, 10.0], [0.0; 3]),
        cuboid([8.0, 12.0, 7.0], [0.0, 3.0, 0.0]),
    ]
}

fn box_controls(stage: &mut Stage, now: &[Matrix], first: usize) -> Controls {
    let mut controls = Vec::new();
    for ((vertices, triangles), matrix) in boxes().iter().zip(&now[1..]).skip(first) {
        controls.extend(control(
            stage,
            control_mesh(vertices, triangles, |_| *matrix),
        ));
    }
    controls
}

/// A clip that moves both boxes. It scales the first unevenly, and moves the second in steps.
fn reach_clip(version: u8) -> Vec<u8> {
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
fn rigid_parts_move_scale_and_step_with_their_bones() {
    let [a, b] = boxes();
    let buffers = [a, b].map(|(vertices, triangles)| SubmeshBuffers::new(&vertices, &triangles));
    let part = |index: usize| {
        buffers[index].submesh(
            "MeshGloss.fx",
            "alD3dVertNU2",
            matte_parameters("colors.tga"),
        )
    };
    let mut model = model_at_rest(&arm());
    model.meshes = vec![
        AloMesh::new("First", 1, vec![part(0)]),
        AloMesh::new("Second", 2, vec![part(1)]),
    ];
    let (mut stage, root) = stage(&model, [(SWING, reach_clip(1)), (BEND, reach_clip(2))]);
    for (name, version) in [("SWING_00", 1), ("BEND_00", 2)] {
        let decoder = Decoder::new(&reach_clip(version));
        let mut captures = Vec::new();
        for frame in [0.0, 0.5, 1.0, 1.9, 2.0, 3.25] {
            show(&mut stage, root, name, frame);
            let now = posed(&arm(), |bone| decoder.sample(bone, f64::from(frame)));
            let context = format!("rigid, format {version}, at frame {frame}");
            compare(&mut stage, root, &context, |stage| {
                box_controls(stage, &now, 0)
            });
            let controls = box_controls(&mut stage, &now, 0);
            captures.push(stage.capture_controls(root, controls));
        }
        assert_all_differ(&captures, "frames of the parts");
    }
    // The decoder also handles steps: the second box does not move between frames.
    let decoder = Decoder::new(&reach_clip(2));
    assert_eq!(decoder.sample(1, 1.0), decoder.sample(1, 1.9));
    assert_ne!(decoder.sample(0, 1.0), decoder.sample(0, 1.9));
}

/// Whether the first box's bone is hidden, by frame.
const HIDDEN: [bool; FRAMES as usize] = [false, true, true, false, true];

/// Two boxes and a skinned limb. The second box's bone is a child of the first box's bone. The limb is attached to
/// neither, and follows both.
fn hiding_stage() -> (Stage, Entity) {
    let [a, b] = boxes();
    let boxes = [a, b].map(|(vertices, triangles)| SubmeshBuffers::new(&vertices, &triangles));
    let (vertices, triangles) = limb(true);
    let limb = SubmeshBuffers::new(&vertices, &triangles).with_palette(&HIDING_PALETTE);
    let part = |buffers| {
        SubmeshBuffers::submesh(
            buffers,
            "MeshGloss.fx",
            "alD3dVertNU2",
            matte_parameters("colors.tga"),
        )
    };
    let skin = limb.submesh(
        "RSkinGloss.fx",
        "alD3dVertB4I4NU2",
        matte_parameters("colors.tga"),
    );
    let mut model = model_at_rest(&arm());
    model.meshes = vec![
        AloMesh::new("First", 1, vec![part(&boxes[0])]),
        AloMesh::new("Second", 2, vec![part(&boxes[1])]),
        AloMesh::new("Limb", 0, vec![skin]),
    ];
    stage(&model, [(SWING, hide_clip()), (BEND, reach_clip(2))])
}

const HIDING_PALETTE: [u32; 4] = [0, 1, 2, 1];

fn hide_clip() -> Vec<u8> {
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

/// The controls for the visible parts at a frame.
fn visible_controls(stage: &mut Stage, frame: f32) -> Controls {
    let decoder = Decoder::new(&hide_clip());
    let pose = |bone| decoder.sample(bone, f64::from(frame));
    let now = posed(&arm(), pose);
    let (vertices, triangles) = limb(true);
    let mesh = control_mesh(&vertices, &triangles, |vertex| {
        skinned(vertex, &HIDING_PALETTE, &arm(), &now)
    });
    let mut controls = control(stage, mesh);
    // The second box is on a bone below that of the first one.
    let is_first_hidden = pose(0).visible == Some(false);
    controls.extend(box_controls(stage, &now, usize::from(is_first_hidden)));
    controls
}

/// The names of visible parts.
fn visible_parts(stage: &mut Stage) -> Vec<String> {
    let mut parts = stage.world().query::<(&AloPart, &InheritedVisibility)>();
    let parts = parts.iter(stage.headless.app.world());
    let visible = parts.filter(|(_, visible)| visible.get());
    let mut names: Vec<_> = visible.map(|(part, _)| part.name.clone()).collect();
    names.sort();
    names
}

#[test]
fn hidden_bone_hides_its_own_parts_and_no_skinned_vertices() {
    let (mut stage, root) = hiding_stage();
    show(&mut stage, root, "SWING_00", 0.0);
    stage.move_camera(VIEWS[0]);
    let mut captures = Vec::new();
    for frame in [0.0, 0.75, 1.0, 2.9, 3.0, 3.5, 4.0, 0.25, 1.5] {
        let hidden = HIDDEN[frame as usize];
        stage.get_mut::<Playback>(root).time = frame / FPS;
        // The first frame after the seek.
        let image = stage.headless.capture();
        let (texels, _) = image.data.as_ref().unwrap().as_chunks::<4>();
        let first_frame = Picture(texels.to_vec());
        let expected: &[&str] = match hidden {
            true => &["Limb", "Second"],
            false => &["First", "Limb", "Second"],
        };
        assert_eq!(visible_parts(&mut stage), expected, "at frame {frame}");
        let controls = visible_controls(&mut stage, frame);
        let control = stage.capture_controls(root, controls);
        let context = format!("hidden {hidden} at frame {frame}");
        first_frame.assert_matches(&control, &context);
        captures.push(control);
    }
    assert_all_differ(&captures, "frames with hidden parts");
}

/// Pose and visibility apply in the same frame.
#[test]
fn visibility_and_pose_apply_in_the_same_frame() {
    let (mut stage, root) = hiding_stage();
    let play = PlayClip::looping("SWING_00").starting_at(0.025);
    stage.insert(root, play);
    stage.headless.step(0.0);
    let decoder = Decoder::new(&hide_clip());
    let bone = stage.bone(root, 1);
    for step in 0..12 {
        let time = stage.get::<Playback>(root).time;
        let pose = decoder.sample(0, f64::from(time * FPS));
        let x = stage.get::<Transform>(bone).translation.x;
        assert!((x - pose.translation[0]).abs() < 1e-3, "step {step}: {x}");
        let visible = visible_parts(&mut stage).len() == 3;
        assert_eq!(Some(visible), pose.visible, "step {step}");
        stage.headless.step(0.05);
    }
}

/// Checks the control's matrices: the pose of a bone's rest matrix gives that matrix.
#[test]
fn pose_of_a_rest_matrix_gives_that_matrix() {
    for rest in chain() {
        let bone = Bone {
            matrix: stored(&rest),
            ..Bone::new("", None, [0.0; 3])
        };
        let rotation = Mat3::from_cols_array_2d(
            &[0, 1, 2].map(|column| [0, 1, 2].map(|row| bone.matrix[row][column])),
        );
        let pose = AlaPose {
            translation: [0, 1, 2].map(|row: usize| bone.matrix[row][3]),
            rotation: Some(Quat::from_mat3(&rotation).to_array()),
            scale: [1.0; 3],
            visible: None,
        };
        for (found, expected) in local_matrix(&pose)
            .iter()
            .flatten()
            .zip(rest.as_flattened())
        {
            assert!((found - expected).abs() < 1e-5);
        }
    }
}
