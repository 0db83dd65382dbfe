//! Members of crowds beside the same models as scenes, and the positions of their vertices as the shader computes them.

use super::app::TestApp;
use crate::gpuless;
use bevy::light::NotShadowCaster;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;
use bevy_classic_models::alamo::{
    AloCrowd, AloCrowdMaterial, AloInstance, AloPart, AloPoseTable, AloSubmeshIndex,
};
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::{PoseBlend, PosePair};
use classic_models_support::world_vertices::WorldVertices;

/// A vertex in the world, and whether it is visible.
pub type PosedVertex = (Vec3, bool);

/// The same model as a scene and as a member of a crowd.
#[derive(Clone, Copy)]
pub struct Pair {
    pub scene: Entity,
    pub crowd: Entity,
}

impl Pair {
    /// Spawns both with a bundle.
    pub fn spawn<B: Bundle + Clone>(app: &mut TestApp, path: &str, bundle: B) -> Self {
        let label = |label: &str| &*format!("{path}#{label}").leak();
        Self {
            scene: app.spawn_ready(label("Scene"), bundle.clone()),
            crowd: app.spawn_ready(label("Crowd"), bundle),
        }
    }

    /// Inserts a bundle on both.
    pub fn insert<B: Bundle + Clone>(self, app: &mut TestApp, bundle: B) {
        for root in [self.scene, self.crowd] {
            app.world().entity_mut(root).insert(bundle.clone());
        }
    }

    /// Shows a clip at a time in seconds, and waits until it is baked.
    pub fn show(self, app: &mut TestApp, clip: &str, seconds: f32) {
        let play = PlayClip::once(clip).starting_at(seconds).with_speed(0.0);
        self.insert(app, play);
        self.wait(app);
    }

    /// Runs frames until no clip is being baked. No time passes.
    pub fn wait(self, app: &mut TestApp) {
        app.step(0.0);
        let crowd = self.crowd;
        let is_baked = gpuless::wait_until(&mut app.app, |world| !is_baking(world, crowd));
        assert!(is_baked, "the clip was not baked");
        app.step(0.0);
    }

    /// The vertices of both, each in the order in which the crowd draws them.
    pub fn vertices(self, app: &mut TestApp) -> [Vec<PosedVertex>; 2] {
        let scene = scene_vertices(app.world(), self.scene);
        let crowd = crowd_vertices(app.world(), self.crowd);
        assert_eq!(scene.len(), crowd.len(), "count of vertices");
        [scene, crowd]
    }

    /// Asserts that all vertices are where those of the scene are. `tolerance` is a fraction of the model's size.
    /// Returns the count of visible vertices.
    #[track_caller]
    pub fn assert_equal(self, app: &mut TestApp, tolerance: f32, what: &str) -> usize {
        let [scene, crowd] = self.vertices(app);
        assert_close(&crowd, &scene, tolerance, what)
    }
}

pub fn is_baking(world: &World, root: Entity) -> bool {
    world.get::<AloCrowd>(root).is_some_and(AloCrowd::is_baking)
}

/// The longest side of the box around visible vertices.
pub fn size(vertices: &[PosedVertex]) -> f32 {
    let visible = || vertices.iter().filter(|(_, is_visible)| *is_visible);
    let min = visible().fold(Vec3::INFINITY, |min, (vertex, _)| min.min(*vertex));
    let max = visible().fold(Vec3::NEG_INFINITY, |max, (vertex, _)| max.max(*vertex));
    match min.x <= max.x {
        true => (max - min).max_element(),
        false => 0.0,
    }
}

/// Asserts that vertices are at expected positions. Returns the count of visible ones.
#[track_caller]
pub fn assert_close(
    found: &[PosedVertex],
    expected: &[PosedVertex],
    tolerance: f32,
    what: &str,
) -> usize {
    let size = size(expected);
    let mut visible = 0;
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.1, expected.1, "{what}: visibility of vertex {index}");
        if expected.1 {
            visible += 1;
            let distance = found.0.distance(expected.0);
            assert!(
                distance <= tolerance * size,
                "{what}: vertex {index} at {} is {distance} from {}, size {size}",
                found.0,
                expected.0
            );
        }
    }
    visible
}

/// The sub-meshes that a scene shows, grouped as a crowd merges them.
fn groups(world: &mut World, root: Entity) -> Vec<Vec<Entity>> {
    let instance = world.get::<AloInstance>(root).unwrap();
    let (model, parts) = (instance.model().clone(), instance.parts().to_vec());
    let mut found = Vec::new();
    for part in parts {
        if *world.get::<Visibility>(part).unwrap() == Visibility::Hidden
            || world.get::<AloPart>(part).is_none()
        {
            continue;
        }
        for child in world.get::<Children>(part).into_iter().flatten() {
            let index = world.get::<AloSubmeshIndex>(*child);
            if let Some(index) = index.filter(|_| world.get::<Mesh3d>(*child).is_some()) {
                found.push(((index.mesh, index.submesh), *child));
            }
        }
    }
    found.sort_unstable();
    let mut groups: Vec<(_, Vec<Entity>)> = Vec::new();
    for ((mesh, submesh), entity) in found {
        let material = model.meshes[mesh].submeshes[submesh].material.as_ref();
        let meshes = world.resource::<Assets<Mesh>>();
        let mesh = meshes.get(&world.get::<Mesh3d>(entity).unwrap().0).unwrap();
        let has = |attribute| mesh.attribute(attribute).is_some();
        let key = (
            material.unwrap().id(),
            world.get::<NotShadowCaster>(entity).is_some(),
            [
                has(Mesh::ATTRIBUTE_UV_1),
                has(Mesh::ATTRIBUTE_TANGENT),
                has(Mesh::ATTRIBUTE_COLOR),
            ],
        );
        match groups.iter_mut().find(|(other, _)| *other == key) {
            Some((_, entities)) => entities.push(entity),
            None => groups.push((key, vec![entity])),
        }
    }
    groups.into_iter().map(|(_, entities)| entities).collect()
}

/// The vertices of a scene, in the order in which a crowd draws them.
pub fn scene_vertices(world: &mut World, root: Entity) -> Vec<PosedVertex> {
    let mut vertices = Vec::new();
    let mut state = bevy::ecs::system::SystemState::<WorldVertices>::new(world);
    for entity in groups(world, root).into_iter().flatten() {
        let is_visible = world.get::<InheritedVisibility>(entity).unwrap().get();
        let positions = state.get(world).unwrap().positions(entity).unwrap();
        vertices.extend(positions.into_iter().map(|position| (position, is_visible)));
    }
    vertices
}

/// The texels of the baked clips of a material.
struct Poses<'w>(&'w Image);

impl Poses<'_> {
    fn texel(&self, index: u32) -> Vec4 {
        let data = self.0.data.as_ref().unwrap();
        let (values, _) = data.as_chunks::<4>();
        let first = index as usize * 4;
        Vec4::from_array([0, 1, 2, 3].map(|channel| f32::from_le_bytes(values[first + channel])))
    }

    /// The rows of a joint's matrix in a pair of poses.
    fn joint(&self, pair: PosePair, joint: u16) -> [Vec4; 3] {
        [0, 1, 2].map(|row| {
            let row = u32::from(joint) + row;
            self.texel(pair.a + row)
                .lerp(self.texel(pair.b + row), pair.towards_b)
        })
    }

    fn is_visible(&self, pose: u32, bit: u32) -> bool {
        let texel = self.texel(pose + bit / 64);
        let channel = texel[(bit as usize % 64) / 16] as u32;
        channel >> (bit % 16) & 1 != 0
    }

    fn vertex(&self, blend: PoseBlend, joints: [u16; 4], weights: [f32; 4], point: Vec3) -> Vec3 {
        let mut sum = Vec3::ZERO;
        let pairs = [
            (blend.to, 1.0 - blend.from_weight),
            (blend.from, blend.from_weight),
        ];
        for (pair, pair_weight) in pairs {
            for (joint, weight) in joints.into_iter().zip(weights) {
                if weight * pair_weight > 0.0 {
                    let rows = self.joint(pair, joint);
                    let moved = rows.map(|row| row.dot(point.extend(1.0)));
                    sum += Vec3::from_array(moved) * weight * pair_weight;
                }
            }
        }
        sum
    }
}

/// The vertices of a member of a crowd, computed as in the shader.
pub fn crowd_vertices(world: &mut World, root: Entity) -> Vec<PosedVertex> {
    let member = world.get::<AloCrowd>(root).unwrap();
    let blend = world.resource::<AloPoseTable>().get(member.row());
    let mut vertices = Vec::new();
    for entity in member.meshes() {
        let tag = world.get::<bevy::mesh::MeshTag>(*entity).unwrap();
        assert_eq!(tag.0, member.row());
        let transform = world.get::<GlobalTransform>(*entity).unwrap();
        let meshes = world.resource::<Assets<Mesh>>();
        let mesh = meshes
            .get(&world.get::<Mesh3d>(*entity).unwrap().0)
            .unwrap();
        let material = world.get::<MeshMaterial3d<AloCrowdMaterial>>(*entity);
        let materials = world.resource::<Assets<AloCrowdMaterial>>();
        let material = materials.get(&material.unwrap().0).unwrap();
        let images = world.resource::<Assets<Image>>();
        let poses = Poses(images.get(&material.extension.poses).unwrap());
        let attribute = |name: &str| {
            let mut attributes = mesh.attributes();
            attributes
                .find(|(attribute, _)| attribute.name == name)
                .unwrap()
                .1
        };
        let (
            VertexAttributeValues::Uint16x4(joints),
            VertexAttributeValues::Float32x4(weights),
            VertexAttributeValues::Uint32(bits),
            VertexAttributeValues::Float32x3(positions),
        ) = (
            attribute("CrowdJoints"),
            attribute("CrowdWeights"),
            attribute("CrowdVisibility"),
            attribute("Vertex_Position"),
        )
        else {
            panic!("other formats of attributes");
        };
        for index in 0..positions.len() {
            let point = Vec3::from_array(positions[index]);
            let posed = poses.vertex(blend, joints[index], weights[index], point);
            let shown = poses.is_visible(blend.to.a, bits[index]);
            let from_shown = poses.is_visible(blend.from.a, bits[index]);
            let weight = blend.from_weight;
            let is_visible = match weight > 0.0 {
                true => (shown && weight <= 0.5) || (from_shown && weight >= 0.5),
                false => shown,
            };
            vertices.push((transform.transform_point(posed), is_visible));
        }
    }
    vertices
}
