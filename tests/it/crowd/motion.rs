//! Motion vectors of members of crowds, compared with those of scenes.

use crate::crowd::stage_pair::StagePair;
use crate::crowd::subjects::SUBJECTS;
use crate::support::prelude::*;
use bevy::asset::uuid_handle;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::render::render_resource::AsBindGroup;
use bevy::shader::{Shader, ShaderRef};

const SHADER: Handle<Shader> = uuid_handle!("0b7c8d1e-93b4-4c55-8d3a-2f1e6a9c7b40");

const SOURCE: &str = "
#import bevy_pbr::forward_io::VertexOutput
#import bevy_pbr::prepass_utils::prepass_motion_vector

@fragment
fn fragment(in: VertexOutput) -> @location(0) vec4<f32> {
    let motion = prepass_motion_vector(in.position, 0u);
    return vec4(clamp(motion * 8.0 + 0.5, vec2(0.0), vec2(1.0)), 0.0, 1.0);
}
";

/// Shows the motion vectors behind it as colors.
#[derive(Asset, TypePath, AsBindGroup, Clone, Default)]
struct ShowMotion {}

impl Material for ShowMotion {
    fn fragment_shader() -> ShaderRef {
        SHADER.into()
    }

    /// Blended materials are not in the prepass, and are drawn after it.
    fn alpha_mode(&self) -> AlphaMode {
        AlphaMode::Blend
    }
}

fn stage(files: &[(&str, Vec<u8>)]) -> Stage {
    let mut stage = Stage::with_plugins(files, MaterialPlugin::<ShowMotion>::default());
    let world = stage.world();
    let shader = Shader::from_wgsl(SOURCE, "motion.wgsl");
    world
        .resource_mut::<Assets<Shader>>()
        .insert(&SHADER, shader)
        .unwrap();
    let screen = world
        .resource_mut::<Assets<Mesh>>()
        .add(Rectangle::new(100.0, 100.0));
    let material = world
        .resource_mut::<Assets<ShowMotion>>()
        .add(ShowMotion {});
    let screen = (
        Mesh3d(screen),
        MeshMaterial3d(material),
        Transform::from_xyz(0.0, 0.0, -1.0),
        NoFrustumCulling,
    );
    stage
        .camera()
        .insert((DepthPrepass, MotionVectorPrepass))
        .with_child(screen);
    stage
}

/// The motion vectors of a model in the frame after a time of a clip.
fn motion(stage: &mut Stage, root: Entity, clip: &str, seconds: f32) -> Picture {
    stage.insert(root, Visibility::Inherited);
    for _ in 0..3 {
        stage.headless.step(0.0);
    }
    let play = PlayClip::once(clip).starting_at(seconds);
    stage.insert(root, play);
    stage.headless.step(0.0);
    stage.headless.step(0.02);
    let picture = stage.capture_after(0.04);
    stage.insert(root, Visibility::Hidden);
    picture
}

#[test]
fn motion_vectors_are_those_of_the_scene() {
    for subject in &SUBJECTS {
        let mut stage = stage(&(subject.files)());
        let placed = Transform::from_scale(Vec3::splat(subject.view_scale));
        let pair = StagePair::spawn(&mut stage, subject.path, placed);
        let [clip, _] = subject.clips;
        pair.show(&mut stage, clip, 0.1);
        let [scene, crowd] =
            [pair.scene, pair.crowd].map(|root| motion(&mut stage, root, clip, 0.1));
        let what = format!("motion of {}", subject.path);
        crowd.assert_matches(&scene, &what);
        // Without motion, all pixels are the same.
        let still = stage.capture();
        assert!(
            crowd.different(&still) > 1000,
            "{what}: {}",
            crowd.different(&still)
        );
    }
}
