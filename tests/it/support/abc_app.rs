//! Loads and spawns LithTech models in an app without a GPU, and computes the vertex positions that the GPU would draw.

use crate::support::prelude::*;
use bevy_classic_models::gpu::{PoseBlend, PosePair};
use bevy_classic_models::lithtech::AbcDeform;

pub const FILE: &str = "model.abc";

/// An app with one model, spawned.
pub fn spawned(bytes: Vec<u8>, settings: AbcLoaderSettings) -> (TestApp, Entity) {
    spawned_of(&[(FILE, bytes)], FILE, settings)
}

/// The same with several files, of which the one at `path` is spawned.
pub fn spawned_of(
    files: &[(&str, Vec<u8>)],
    path: &'static str,
    settings: AbcLoaderSettings,
) -> (TestApp, Entity) {
    log::listen();
    let mut app = TestApp::new(files);
    let model = load(&mut app, path, settings).unwrap();
    let root = spawn(&mut app, &model, ());
    (app, root)
}

/// Loads a model, or returns the error message.
pub fn load(
    app: &mut TestApp,
    path: &'static str,
    settings: AbcLoaderSettings,
) -> Result<Handle<Abc>, String> {
    let server = app.world().resource::<AssetServer>();
    let set = move |to: &mut AbcLoaderSettings| *to = settings.clone();
    let model: Handle<Abc> = server.load_builder().with_settings(set).load(path);
    match app.finish_load(&model) {
        LoadState::Failed(error) => Err(error.to_string()),
        _ => Ok(model),
    }
}

/// Spawns a loaded model, and waits until its instance exists.
pub fn spawn(app: &mut TestApp, model: &Handle<Abc>, bundle: impl Bundle) -> Entity {
    let abcs = app.world().resource::<Assets<Abc>>();
    let scene = abcs.get(model).unwrap().scene.clone();
    let root = app.world().spawn((WorldAssetRoot(scene), bundle)).id();
    app.wait_for(&[root]);
    root
}

pub fn model(app: &mut TestApp, root: Entity) -> Arc<AbcModel> {
    let instance = app.world().get::<AbcInstance>(root).unwrap();
    instance.model().clone()
}

/// Pauses a clip at a time.
pub fn show(app: &mut TestApp, root: Entity, clip: usize, seconds: f32) {
    let play = PlayClip::once(clip).starting_at(seconds).paused();
    app.world().entity_mut(root).insert(play);
    app.step(0.0);
}

/// The corners of the triangles of all visible meshes, in world space, as the shaders compute them.
pub fn drawn(app: &mut TestApp, root: Entity) -> Vec<[Vec3; 3]> {
    let world = app.world();
    let meshes = world.get::<AbcInstance>(root).unwrap().meshes();
    let is_shown = |mesh: &&Entity| *world.get::<Visibility>(**mesh).unwrap() != Visibility::Hidden;
    let meshes = meshes.iter().filter(is_shown);
    meshes.flat_map(|mesh| drawn_mesh(world, *mesh)).collect()
}

/// The corners of the triangles of one mesh.
pub fn drawn_mesh(world: &World, entity: Entity) -> Vec<[Vec3; 3]> {
    let handle = world.get::<Mesh3d>(entity).unwrap();
    let mesh = world.resource::<Assets<Mesh>>().get(&handle.0).unwrap();
    let vertices = mesh_vertices(world, entity);
    let indices: Vec<usize> = match mesh.indices().unwrap() {
        Indices::U16(indices) => indices.iter().map(|index| (*index).into()).collect(),
        Indices::U32(indices) => indices.iter().map(|index| *index as usize).collect(),
    };
    let triangles = indices.as_chunks::<3>().0.iter();
    triangles
        .map(|corners| corners.map(|index| vertices[index]))
        .collect()
}

/// The vertices of one mesh, in world space, as the shaders compute them.
pub fn mesh_vertices(world: &World, entity: Entity) -> Vec<Vec3> {
    let handle = world.get::<Mesh3d>(entity).unwrap();
    let mesh = world.resource::<Assets<Mesh>>().get(&handle.0).unwrap();
    let positions = mesh.attribute(Mesh::ATTRIBUTE_POSITION).unwrap();
    let positions = positions.as_float3().unwrap();
    let transform = world.get::<GlobalTransform>(entity).unwrap().affine();
    let joints = joints(world, entity);
    let joint_indices = mesh.attribute(Mesh::ATTRIBUTE_JOINT_INDEX);
    let deformed = deformed(world, entity, mesh);
    let vertex = |index: usize| {
        let position = Vec3::from_array(positions[index]);
        match (&joints, joint_indices, &deformed) {
            (Some(joints), Some(VertexAttributeValues::Uint16x4(indices)), _) => {
                joints[usize::from(indices[index][0])].transform_point3(position)
            }
            (_, _, Some(deformed)) => {
                transform.transform_point3(deformed[index].unwrap_or(position))
            }
            _ => transform.transform_point3(position),
        }
    };
    (0..positions.len()).map(vertex).collect()
}

/// The joint matrices of a skinned mesh, from bind pose to world space.
fn joints(world: &World, entity: Entity) -> Option<Vec<Affine3A>> {
    let skin = world.get::<SkinnedMesh>(entity)?;
    let inverse = world.resource::<Assets<SkinnedMeshInverseBindposes>>();
    let inverse = inverse.get(&skin.inverse_bindposes).unwrap();
    let joints = skin.joints.iter().zip(inverse.iter());
    let joints = joints.map(|(joint, inverse)| {
        let transform = world.get::<GlobalTransform>(*joint).unwrap().affine();
        transform * Affine3A::from_mat4(*inverse)
    });
    Some(joints.collect())
}

/// The pose blend of a mesh with vertex deformation.
pub fn shown(world: &World, entity: Entity) -> Option<PoseBlend> {
    let MeshTag(row) = *world.get::<MeshTag>(entity)?;
    Some(world.resource::<AbcPoseTable>().get(row))
}

/// The positions that the shader computes for deformed vertices, in the space of their node.
fn deformed(world: &World, entity: Entity, mesh: &Mesh) -> Option<Vec<Option<Vec3>>> {
    let shown = shown(world, entity)?;
    let material = world.get::<MeshMaterial3d<AbcDeformMaterial>>(entity)?;
    let materials = world.resource::<Assets<AbcDeformMaterial>>();
    let AbcDeform { poses, uniform, .. } = &materials.get(&material.0).unwrap().extension;
    let image = world.resource::<Assets<Image>>().get(poses).unwrap();
    let texels = image.data.as_ref().unwrap().as_chunks::<8>().0;
    let at = |pose: u32, slot: u32| {
        let pose = pose.min(uniform.pose_count - 1);
        let texel = texels[(pose * uniform.vertex_count + slot) as usize];
        let step =
            |axis: usize| f32::from(u16::from_le_bytes([texel[2 * axis], texel[2 * axis + 1]]));
        Vec3::new(step(0), step(1), step(2)) * uniform.step + uniform.origin
    };
    let Some(VertexAttributeValues::Float32x2(slots)) = mesh.attribute(Mesh::ATTRIBUTE_UV_1) else {
        panic!("no attribute with the slots of deformed vertices");
    };
    let position = |[slot, _]: &[f32; 2]| {
        (*slot >= 0.0).then(|| {
            let blend = |PosePair { a, b, towards_b }| {
                let [a, b] = [a, b].map(|pose| at(pose, *slot as u32));
                a.lerp(b, towards_b)
            };
            blend(shown.to).lerp(blend(shown.from), shown.from_weight)
        })
    };
    Some(slots.iter().map(position).collect())
}
