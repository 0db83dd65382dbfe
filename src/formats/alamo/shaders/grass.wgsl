// The vertex shader of grass: turns each clump to the camera about its vertical axis, and bends it in the wind, by the
// formulas of the games' shader.
//
// Used by all passes. The pipeline defines PREPASS_PIPELINE for depth, shadows, motion vectors and the deferred pass.

#import bevy_classic_models::alo_uniform::Alo
#import bevy_classic_models::vertex_output::{MovedVertex, vertex_output}
#import bevy_pbr::{
    mesh_functions::get_world_from_local,
    mesh_view_bindings::view,
}
#ifdef PREPASS_PIPELINE
#import bevy_render::globals::Globals
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#else
#import bevy_pbr::forward_io::{Vertex, VertexOutput}
#import bevy_pbr::mesh_view_bindings::globals
#endif

#ifdef PREPASS_PIPELINE
// Bevy's prepass binds it here, but has no import for it.
@group(0) @binding(1) var<uniform> globals: Globals;
#endif
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> alo: Alo;

// The axes of the mesh in the world, and their length.
struct Axes {
    matrix: mat3x3<f32>,
    scale: f32,
}

fn axes(instance_index: u32) -> Axes {
    let world_from_local = get_world_from_local(instance_index);
    let matrix = mat3x3(world_from_local[0].xyz, world_from_local[1].xyz, world_from_local[2].xyz);
    return Axes(matrix, max(length(matrix[2]), 1e-12));
}

// The part of the strength of the wind that grass feels: 1 is a strong wind.
fn strength(axes: Axes) -> f32 {
    return alo.grass.w * alo.wind.w / axes.scale * 0.1;
}

// From 0 to 1 and back, faster in stronger wind.
fn wave(position: vec3<f32>, strength: f32, time: f32) -> f32 {
    let phase = fract((0.125 + 0.875 * strength) * time + (position.x + position.y) / 20.0);
    return 0.5 + 0.5 * sin(6.28 * phase);
}

// A vertex in the units of the file. `center` is that of its clump. The upper edge of the texture bends.
fn bent(position: vec3<f32>, center: vec2<f32>, v: f32, axes: Axes, time: f32) -> vec3<f32> {
    let to_camera = (transpose(axes.matrix) * view.world_from_view[2].xyz).xy;
    var right = vec2(1.0, 0.0);
    if (dot(to_camera, to_camera) > 1e-12) {
        right = normalize(vec2(-to_camera.y, to_camera.x));
    }
    let offset = position.xy - center;
    let turned = center + offset.x * right + offset.y * vec2(-right.y, right.x);
    let strength = strength(axes);
    let distance = 10.0 * strength + (10.0 + 10.5 * strength) * wave(position, strength, time);
    let wind = transpose(axes.matrix) * alo.wind.xyz / axes.scale;
    return vec3(turned, position.z) + (1.0 - v) * distance * wind;
}

@vertex
fn vertex(in: Vertex) -> VertexOutput {
    let axes = axes(in.instance_index);
    var out = in;
    var moved: MovedVertex;
    moved.normal = vec3(0.0, 0.0, 1.0);
    moved.position = bent(in.position, in.uv_b, in.uv.y, axes, globals.time);
#ifdef MOTION_VECTOR_PREPASS
    moved.previous_position = bent(in.position, in.uv_b, in.uv.y, axes, globals.time - globals.delta_time);
#endif
#ifdef VERTEX_COLORS
    let waved = mix(vec3(1.0), alo.grass.rgb, wave(in.position, strength(axes), globals.time));
    out.color = vec4(in.color.rgb * waved, in.color.a);
#endif
    return vertex_output(out, moved);
}
