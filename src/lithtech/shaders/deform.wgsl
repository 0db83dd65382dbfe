// Places the vertices of a node that moves them one by one, between two poses of its animations.
//
// One file for all passes: the pipeline defines PREPASS_PIPELINE for depth, shadows, motion vectors
// and the deferred pass.

#import bevy_classic_models::pose_row::{Shown, shown_by}
#import bevy_classic_models::vertex_output::{Moved, vertex_output}
#import bevy_pbr::mesh_functions::get_tag
#ifdef PREPASS_PIPELINE
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#else
#import bevy_pbr::forward_io::{Vertex, VertexOutput}
#endif

// The sine of the angle at a corner below which a triangle has no normal.
const LEAST_SINE: f32 = 1e-4;
// The length of the mean of unit normals below which they cancel each other out.
const LEAST_MEAN: f32 = 1e-3;

struct Node {
    step: vec3<f32>,
    vertex_count: u32,
    origin: vec3<f32>,
    pose_count: u32,
}

// Per pose and vertex: quantised position.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var poses: texture_2d<u32>;
// Per vertex: where its triangles begin here, low half first, and how many they are. Then triangles.
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var around: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var<uniform> node: Node;
// One row per instance: see PoseTable.
@group(#{MATERIAL_BIND_GROUP}) @binding(103) var instances: texture_2d<u32>;

fn position_in(pose: u32, vertex: u32) -> vec3<f32> {
    // A pose that a reload has taken away is drawn as the last one for the frame it takes to notice.
    let index = min(pose, node.pose_count - 1u) * node.vertex_count + vertex;
    let width = textureDimensions(poses).x;
    let texel = textureLoad(poses, vec2(index % width, index / width), 0);
    return vec3<f32>(texel.xyz) * node.step + node.origin;
}

fn position_between(pair: vec3<u32>, vertex: u32) -> vec3<f32> {
    let a = position_in(pair.x, vertex);
    let towards_b = bitcast<f32>(pair.z);
    if (towards_b == 0.0) {
        return a;
    }
    return mix(a, position_in(pair.y, vertex), towards_b);
}

fn position_of(shown: Shown, vertex: u32) -> vec3<f32> {
    let to = position_between(shown.to.xyz, vertex);
    let from_weight = bitcast<f32>(shown.to.w);
    if (from_weight == 0.0) {
        return to;
    }
    return mix(to, position_between(shown.from_pair, vertex), from_weight);
}

fn entry(index: u32) -> vec4<u32> {
    let width = textureDimensions(around).x;
    return textureLoad(around, vec2(index % width, index / width), 0);
}

// The direction of a vector; zero if it has none.
fn unit(vector: vec3<f32>) -> vec3<f32> {
    let squared = dot(vector, vector);
    return select(vec3(0.0), vector * inverseSqrt(max(squared, 1e-30)), squared > 1e-30);
}

// What does not deform has no place among what does.
fn deforms(slot: vec2<f32>) -> bool {
    return slot.x >= 0.0;
}

// The mean of those of the triangles around the vertex, see MeanNormal; what the mesh has if they have
// no area or cancel each other out.
fn normal_of(shown: Shown, slot: vec2<f32>, otherwise: vec3<f32>) -> vec3<f32> {
    if (!deforms(slot)) {
        return otherwise;
    }
    let head = entry(u32(slot.x));
    let first = head.x | (head.y << 16u);
    var sum = vec3(0.0);
    var count = 0.0;
    for (var index = first; index < first + head.z; index++) {
        let corners = entry(index);
        let a = position_of(shown, corners.x);
        let to_b = unit(position_of(shown, corners.y) - a);
        let to_c = unit(position_of(shown, corners.z) - a);
        let across = cross(to_b, to_c);
        let sine = length(across);
        if (sine > LEAST_SINE) {
            sum += across / sine;
            count += 1.0;
        }
    }
    let reach = length(sum);
    return select(otherwise, sum / max(reach, 1e-30), reach > LEAST_MEAN * count);
}

@vertex
fn vertex(in: Vertex) -> VertexOutput {
    let tag = get_tag(in.instance_index);
    let shown = shown_by(instances, tag, 0u);
    var moved: Moved;
    moved.position = in.position;
    if (deforms(in.uv_b)) {
        moved.position = position_of(shown, u32(in.uv_b.x));
    }
#ifdef PREPASS_PIPELINE
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    moved.normal = normal_of(shown, in.uv_b, in.normal);
#endif
#else
    moved.normal = normal_of(shown, in.uv_b, in.normal);
#endif
#ifdef MOTION_VECTOR_PREPASS
    moved.previous_position = in.position;
    if (deforms(in.uv_b)) {
        moved.previous_position = position_of(shown_by(instances, tag, 1u), u32(in.uv_b.x));
    }
#endif
    return vertex_output(in, moved);
}
