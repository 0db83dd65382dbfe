//! Pictures of LithTech models: each beside a control that Bevy draws from what the CPU computed.

use crate::support::abc::{FLAG_NODE, banner, bytes};
use crate::support::alo_stage::matte;
use crate::support::stage::{Stage, VIEWS};
use bevy::asset::RenderAssetUsages;
use bevy::mesh::PrimitiveTopology;
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::{AbcFile, KeyBlend, parse};
use bevy_classic_models::prelude::*;

const FILE: &str = "model.abc";

/// Spawns a model of the files and waits for all it wears. It is seen from behind too.
fn spawn(stage: &mut Stage, bundle: impl Bundle) -> Entity {
    let server = stage.world().resource::<AssetServer>().clone();
    let set = |settings: &mut AbcLoaderSettings| settings.double_sided = true;
    let model: Handle<Abc> = server.load_builder().with_settings(set).load(FILE);
    stage.headless.wait_until("the model is loaded", |_| {
        server.is_loaded_with_dependencies(&model)
    });
    let abcs = stage.world().resource::<Assets<Abc>>();
    let scene = abcs.get(&model).unwrap().scene.clone();
    let root = stage.world().spawn((WorldAssetRoot(scene), bundle)).id();
    stage.headless.wait_until("the model is there", |world| {
        world.get::<AbcInstance>(root).is_some()
    });
    root
}

fn mirrored([x, y, z]: [f32; 3]) -> Vec3 {
    Vec3::new(x, y, -z)
}

/// The corners of all triangles, counter-clockwise.
fn corners(file: &AbcFile<'_>) -> Vec<[usize; 3]> {
    let triangles = file.geometry.triangles.iter();
    let corners = triangles.map(|triangle| {
        let [a, b, c] = triangle.indices().map(|index| index as usize);
        [a, c, b]
    });
    corners.collect()
}

/// The normals of a keyframe: those of the triangles around where the file has none.
fn normals(file: &AbcFile<'_>, clip: usize, key: usize) -> Vec<Vec3> {
    let seconds = file.animations[clip].keyframes[key].time as f32 / 1000.0;
    let positions = file.vertex_positions_in_model(Some(clip), seconds);
    let nodes = file.node_poses_in_model(Some(clip), seconds);
    let mut normals = vec![Vec3::ZERO; positions.len()];
    for corners in corners(file) {
        let [a, b, c] = corners.map(|index| mirrored(positions[index]));
        for index in corners {
            normals[index] += (b - a).cross(c - a);
        }
    }
    for (normal, vertex) in normals.iter_mut().zip(file.geometry.vertices) {
        if usize::from(vertex.node) != FLAG_NODE
            && let Some(stored) = vertex.unit_normal()
        {
            let [x, y, z, w] = nodes[usize::from(vertex.node)].rotation;
            *normal = mirrored((Quat::from_xyzw(x, y, z, w) * Vec3::from(stored)).to_array());
        }
        *normal = normal.normalize();
    }
    normals
}

/// The model as it should look.
fn control(file: &AbcFile<'_>, clip: usize, seconds: f32) -> Mesh {
    let positions = file.vertex_positions_in_model(Some(clip), seconds);
    let KeyBlend { key, next, t } = file.animations[clip].blend_at(seconds).unwrap();
    let (from, to) = (normals(file, clip, key), normals(file, clip, next));
    let corners = corners(file);
    let position = |index: &usize| mirrored(positions[*index]).to_array();
    let normal = |index: &usize| from[*index].lerp(to[*index], t).normalize().to_array();
    let corners = corners.as_flattened();
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_attribute(
        Mesh::ATTRIBUTE_POSITION,
        corners.iter().map(position).collect::<Vec<_>>(),
    )
    .with_inserted_attribute(
        Mesh::ATTRIBUTE_NORMAL,
        corners.iter().map(normal).collect::<Vec<_>>(),
    )
}

#[test]
fn vertices_deform_in_step_with_the_skeleton() {
    let bytes = bytes(&banner());
    let file = parse(&bytes).unwrap();
    let mut stage = Stage::new(&[(FILE, bytes.clone())]);
    let root = spawn(&mut stage, ());
    for (clip, seconds) in [(0, 0.0), (0, 0.06), (0, 0.4), (1, 0.1), (1, 0.3)] {
        let play = PlayClip::once(clip).starting_at(seconds).paused();
        stage.world().entity_mut(root).insert(play);
        for view in VIEWS {
            stage.look_from(view);
            let shown = stage.capture();
            let material = stage.add_material(StandardMaterial {
                base_color: Color::srgb(0.7, 0.7, 0.7),
                double_sided: true,
                cull_mode: None,
                ..matte(None)
            });
            let control = control(&file, clip, seconds);
            let control = stage.capture_instead(root, vec![(control, material)]);
            let what = format!("animation {clip} at {seconds} from {view}");
            shown.assert_is(&control, &what);
        }
    }
}
