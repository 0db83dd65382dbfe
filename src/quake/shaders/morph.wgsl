// Places the vertices of a Quake model between the poses that its instance shows.
//
// One file for all passes: the pipeline defines PREPASS_PIPELINE for depth, shadows, motion vectors
// and the deferred pass.

#import bevy_classic_models::pose_row::shown_by
#import bevy_classic_models::vertex_output::{Moved, vertex_output}
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
    shirt: u32,
    pants: u32,
    linear: u32,
    padding: u32,
}

// Per vertex and pose: quantised position, index of the normal.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var poses: texture_2d<u32>;
// One row per instance: see PoseTable.
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var instances: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var normals: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(103) var<uniform> model: Model;

const LAST_NORMAL: u32 = 161u;

struct Shape {
    position: vec3<f32>,
    normal: vec3<f32>,
}

fn shape_of(pose: u32, vertex: u32) -> Shape {
    // A pose that a reload has taken away is drawn as the last one for the frame it takes to notice.
    let index = min(pose, model.pose_count - 1u) * model.vertex_count + vertex;
    let width = textureDimensions(poses).x;
    let texel = textureLoad(poses, vec2(index % width, index / width), 0);
    let normal = textureLoad(normals, vec2(min(texel.w, LAST_NORMAL), 0u), 0).xyz;
    return Shape(vec3<f32>(texel.xyz), normal);
}

// A place between two poses: a, b, and the bits of the way from a to b.
fn shape_between(pair: vec3<u32>, vertex: u32) -> Shape {
    let a = shape_of(pair.x, vertex);
    let towards_b = bitcast<f32>(pair.z);
    if (towards_b == 0.0) {
        return a;
    }
    let b = shape_of(pair.y, vertex);
    return Shape(mix(a.position, b.position, towards_b), mix(a.normal, b.normal, towards_b));
}

// What an instance shows in this frame (age 0) or the one before (age 1).
fn morph(tag: u32, age: u32, vertex: u32) -> Shape {
    let shown = shown_by(instances, tag, age);
    var shape = shape_between(shown.to.xyz, vertex);
    let from_weight = bitcast<f32>(shown.to.w);
    if (from_weight > 0.0) {
        let from_shape = shape_between(shown.from_pair, vertex);
        shape.position = mix(shape.position, from_shape.position, from_weight);
        shape.normal = mix(shape.normal, from_shape.normal, from_weight);
    }
    shape.position = shape.position * model.step + model.origin;
    return shape;
}

@vertex
fn vertex(in: Vertex) -> VertexOutput {
    let tag = get_tag(in.instance_index);
    let file_vertex = u32(in.uv_b.x);
    let shape = morph(tag, 0u, file_vertex);
    var moved: Moved;
    moved.position = shape.position;
    moved.normal = shape.normal;
#ifdef MOTION_VECTOR_PREPASS
    moved.previous_position = morph(tag, 1u, file_vertex).position;
#endif
    return vertex_output(in, moved);
}
