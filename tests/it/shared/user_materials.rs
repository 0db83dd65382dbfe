//! Materials of users with the vertex stage of this crate: posed as the model's own material.

use crate::crowd::subjects::SUBJECTS;
use crate::support::mdl::figure;
use crate::support::prelude::*;
use bevy::pbr::{ExtendedMaterial, MaterialExtension};
use bevy::reflect::TypePath;
use bevy::render::render_resource::AsBindGroup;
use bevy::shader::ShaderRef;
use bevy_classic_models::crowd::CrowdSkinning;
use bevy_classic_models::quake::MdlMorph;
use core::hash::Hash;

/// The model's own materials.
type Own<E> = MeshMaterial3d<ExtendedMaterial<StandardMaterial, E>>;

/// Draws one color.
#[derive(Asset, AsBindGroup, TypePath, Clone)]
struct Flat {
    #[uniform(0)]
    color: LinearRgba,
}

impl Material for Flat {
    fn fragment_shader() -> ShaderRef {
        "flat.wgsl".into()
    }
}

const FLAT_SHADER: &str = "
#import bevy_pbr::forward_io::VertexOutput
@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> color: vec4<f32>;
@fragment fn fragment(in: VertexOutput) -> @location(0) vec4<f32> { return color; }
";

const FLAT: [u8; 3] = [255, 0, 255];

/// Replaces the base of a model's materials by [`Flat`], and compares what they cover. `E` is the extension that poses.
fn compare<E>(files: &[(&str, Vec<u8>)], bundle: impl Bundle)
where
    E: MaterialExtension + Clone,
    ExtendedMaterial<StandardMaterial, E>: Material,
    ExtendedMaterial<Flat, E>: Material<Data: Copy + Eq + Hash>,
{
    let mut files = files.to_vec();
    files.push(("flat.wgsl", FLAT_SHADER.into()));
    let plugin = MaterialPlugin::<ExtendedMaterial<Flat, E>>::default();
    let mut stage = Stage::with_plugins(&files, plugin);
    stage.spawn(&format!("{}#Scene", files[0].0), bundle);
    for view in VIEWS {
        stage.move_camera(view);
        let own = stage.capture();
        let world = stage.world();
        let mut meshes = world.query::<(Entity, &Own<E>)>();
        let meshes = meshes
            .iter(world)
            .map(|(entity, own)| (entity, own.0.clone()));
        let meshes: Vec<_> = meshes.collect();
        assert!(!meshes.is_empty());
        for (entity, own) in &meshes {
            let materials = world.resource::<Assets<ExtendedMaterial<StandardMaterial, E>>>();
            let extension = materials.get(own).unwrap().extension.clone();
            let base = Flat {
                color: Color::srgb_u8(FLAT[0], FLAT[1], FLAT[2]).to_linear(),
            };
            let mut all = world.resource_mut::<Assets<ExtendedMaterial<Flat, E>>>();
            let flat = all.add(ExtendedMaterial { base, extension });
            let mut entity = world.entity_mut(*entity);
            entity.remove::<Own<E>>().insert(MeshMaterial3d(flat));
        }
        let flat = stage.capture();
        let mut covered = 0;
        for (index, (own, flat)) in own.0.iter().zip(&flat.0).enumerate() {
            let is_covered = *flat != [0, 0, 51, 255];
            assert_eq!(
                *own != [0, 0, 51, 255],
                is_covered,
                "pixel {index} from {view}"
            );
            assert!(!is_covered || flat[..3] == FLAT, "{flat:?}");
            covered += usize::from(is_covered);
        }
        assert!(covered > 500, "{covered}");
        for (entity, own) in meshes {
            let mut entity = stage.world().entity_mut(entity);
            entity.remove::<MeshMaterial3d<ExtendedMaterial<Flat, E>>>();
            entity.insert(MeshMaterial3d(own));
        }
    }
}

#[test]
fn the_extension_of_quake_models_poses_any_material() {
    let figure = figure(Precision::Bits8).to_bytes();
    let play = PlayClip::once("run").starting_at(0.23).with_speed(0.0);
    compare::<MdlMorph>(&[("figure.mdl", figure)], play);
}

#[test]
fn the_extension_of_crowds_poses_any_material() {
    let subject = &SUBJECTS[1];
    let play = PlayClip::once(subject.clips[0])
        .starting_at(0.1)
        .with_speed(0.0);
    let scale = Transform::from_scale(Vec3::splat(subject.view_scale));
    compare::<CrowdSkinning>(&(subject.files)(), (Crowd, play, scale));
}
