// Positions the vertices of a Quake model by blending the poses that its instance shows.
//
// Used by all passes. The pipeline defines PREPASS_PIPELINE for depth, shadows, motion vectors and the deferred pass.

#import bevy_classic_models::pose_row::read_pose_row
#import bevy_classic_models::vertex_output::{MovedVertex, vertex_output}
#import bevy_pbr::mesh_functions::get_tag
#ifdef PREPASS_PIPELINE
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#else
#import bevy_pbr::forward_io::{Vertex, VertexOutput}
#endif

struct Model {
    step: vec3<f32>,
    vertex_count: u32,
    origin: vec3<f32>,
    pose_count: u32,
}

// Per pose and vertex: quantized position, index of the normal.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var poses: texture_2d<u32>;
// One row per instance: see PoseTable.
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var instances: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var normals: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(103) var<uniform> model: Model;

const LAST_NORMAL: u32 = 161u;

struct PoseVertex {
    position: vec3<f32>,
    normal: vec3<f32>,
}

fn vertex_in_pose(pose: u32, vertex: u32) -> PoseVertex {
    // For one frame after a reload, the table may have poses that no longer exist.
    let index = min(pose, model.pose_count - 1u) * model.vertex_count + vertex;
    let width = textureDimensions(poses).x;
    let texel = textureLoad(poses, vec2(index % width, index / width), 0);
    let normal = textureLoad(normals, vec2(min(texel.w, LAST_NORMAL), 0u), 0).xyz;
    return PoseVertex(vec3<f32>(texel.xyz), normal);
}

// Blends two poses. The pair is a, b, and the bits of the weight of b.
fn vertex_between(pair: vec3<u32>, vertex: u32) -> PoseVertex {
    let a = vertex_in_pose(pair.x, vertex);
    let towards_b = bitcast<f32>(pair.z);
    if (towards_b == 0.0) {
        return a;
    }
    let b = vertex_in_pose(pair.y, vertex);
    return PoseVertex(mix(a.position, b.position, towards_b), mix(a.normal, b.normal, towards_b));
}

// The vertex as the instance shows it in this frame (age 0) or the previous one (age 1).
fn morph(tag: u32, age: u32, vertex: u32) -> PoseVertex {
    let shown = read_pose_row(instances, tag, age);
    var blended = vertex_between(shown.to.xyz, vertex);
    let from_weight = bitcast<f32>(shown.to.w);
    if (from_weight > 0.0) {
        let from_vertex = vertex_between(shown.from_pair, vertex);
        blended.position = mix(blended.position, from_vertex.position, from_weight);
        blended.normal = mix(blended.normal, from_vertex.normal, from_weight);
    }
    blended.position = blended.position * model.step + model.origin;
    return blended;
}

@vertex
fn vertex(in: Vertex) -> VertexOutput {
    let tag = get_tag(in.instance_index);
    let file_vertex = u32(in.uv_b.x);
    let blended = morph(tag, 0u, file_vertex);
    var moved: MovedVertex;
    moved.position = blended.position;
    moved.normal = blended.normal;
#ifdef MOTION_VECTOR_PREPASS
    moved.previous_position = morph(tag, 1u, file_vertex).position;
#endif
    return vertex_output(in, moved);
}
