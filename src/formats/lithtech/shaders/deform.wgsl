// Positions the vertices of a node with vertex animation, by blending poses of its animations.
//
// Used by all passes. The pipeline defines PREPASS_PIPELINE for depth, shadows, motion vectors and the deferred pass.

#import bevy_classic_models::pose_row::{PoseRow, read_pose_row}
#import bevy_classic_models::vertex_output::{MovedVertex, vertex_output}
#import bevy_pbr::mesh_functions::get_tag
#ifdef PREPASS_PIPELINE
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#else
#import bevy_pbr::forward_io::{Vertex, VertexOutput}
#endif

// If the sine of the angle at a corner is smaller, the triangle has no normal there.
const MIN_SINE: f32 = 1e-4;
// If the mean of the unit normals is shorter, they cancel each other out.
const MIN_MEAN_LENGTH: f32 = 1e-3;

struct Node {
    step: vec3<f32>,
    vertex_count: u32,
    origin: vec3<f32>,
    pose_count: u32,
}

// Per pose and vertex: quantized position.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var poses: texture_2d<u32>;
// Per vertex: index of its first triangle's texel (low half, high half), count of triangles. Then triangles.
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var vertex_adjacency: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var<uniform> node: Node;
// One row per instance: see PoseTable.
@group(#{MATERIAL_BIND_GROUP}) @binding(103) var instances: texture_2d<u32>;

fn position_in(pose: u32, vertex: u32) -> vec3<f32> {
    // For one frame after a reload, the table may have poses that no longer exist.
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

fn position_of(shown: PoseRow, vertex: u32) -> vec3<f32> {
    let to = position_between(shown.to.xyz, vertex);
    let from_weight = bitcast<f32>(shown.to.w);
    if (from_weight == 0.0) {
        return to;
    }
    return mix(to, position_between(shown.from_pair, vertex), from_weight);
}

fn entry(index: u32) -> vec4<u32> {
    let width = textureDimensions(vertex_adjacency).x;
    return textureLoad(vertex_adjacency, vec2(index % width, index / width), 0);
}

// Normalizes a vector; zero if it is too short.
fn unit(vector: vec3<f32>) -> vec3<f32> {
    let squared = dot(vector, vector);
    return select(vec3(0.0), vector * inverseSqrt(max(squared, 1e-30)), squared > 1e-30);
}

// Vertices that don't deform have a negative slot.
fn deforms(slot: vec2<f32>) -> bool {
    return slot.x >= 0.0;
}

// The mean of the unit normals of the vertex's triangles, see MeanNormal. If they have no area or cancel each other out,
// the mesh's normal.
fn normal_of(shown: PoseRow, slot: vec2<f32>, mesh_normal: vec3<f32>) -> vec3<f32> {
    if (!deforms(slot)) {
        return mesh_normal;
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
        let normal = cross(to_b, to_c);
        let sine = length(normal);
        if (sine > MIN_SINE) {
            sum += normal / sine;
            count += 1.0;
        }
    }
    let sum_length = length(sum);
    return select(mesh_normal, sum / max(sum_length, 1e-30), sum_length > MIN_MEAN_LENGTH * count);
}

@vertex
fn vertex(in: Vertex) -> VertexOutput {
    let tag = get_tag(in.instance_index);
    let shown = read_pose_row(instances, tag, 0u);
    var moved: MovedVertex;
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
        moved.previous_position = position_of(read_pose_row(instances, tag, 1u), u32(in.uv_b.x));
    }
#endif
    return vertex_output(in, moved);
}
