// Places the vertices of a node that moves them one by one, between two poses of its animations.
//
// One file for all passes: the pipeline defines PREPASS_PIPELINE for depth, shadows, motion vectors
// and the deferred pass.

#import bevy_pbr::{
    mesh_functions,
    view_transformations::position_world_to_clip,
}
#ifdef PREPASS_PIPELINE
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#else
#import bevy_pbr::forward_io::{Vertex, VertexOutput}
#endif

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

fn position_in(pose: u32, vertex: u32) -> vec3<f32> {
    // A pose that a reload has taken away is drawn as the last one for the frame it takes to notice.
    let index = min(pose, node.pose_count - 1u) * node.vertex_count + vertex;
    let width = textureDimensions(poses).x;
    let texel = textureLoad(poses, vec2(index % width, index / width), 0);
    return vec3<f32>(texel.xyz) * node.step + node.origin;
}

// Where a vertex of an instance is: 11 bits each for two poses, and 10 for the way between them.
fn position_of(tag: u32, vertex: u32) -> vec3<f32> {
    let a = position_in(tag & 0x7ffu, vertex);
    let b = position_in((tag >> 11u) & 0x7ffu, vertex);
    return mix(a, b, f32(tag >> 22u) / 1023.0);
}

fn entry(index: u32) -> vec4<u32> {
    let width = textureDimensions(around).x;
    return textureLoad(around, vec2(index % width, index / width), 0);
}

// What does not deform has no place among what does.
fn deforms(slot: vec2<f32>) -> bool {
    return slot.x >= 0.0;
}

// That of the triangles around the vertex, by their areas; what the mesh has where those have none.
fn normal_of(tag: u32, slot: vec2<f32>, otherwise: vec3<f32>) -> vec3<f32> {
    if (!deforms(slot)) {
        return otherwise;
    }
    let head = entry(u32(slot.x));
    let first = head.x | (head.y << 16u);
    var area = vec3(0.0);
    for (var index = first; index < first + head.z; index++) {
        let corners = entry(index);
        let a = position_of(tag, corners.x);
        area += cross(position_of(tag, corners.y) - a, position_of(tag, corners.z) - a);
    }
    let squared = dot(area, area);
    return select(otherwise, area * inverseSqrt(max(squared, 1e-30)), squared > 1e-30);
}

@vertex
fn vertex(in: Vertex) -> VertexOutput {
    var out: VertexOutput;

    let tag = mesh_functions::get_tag(in.instance_index);
    var position = in.position;
    if (deforms(in.uv_b)) {
        position = position_of(tag, u32(in.uv_b.x));
    }
#ifdef PREPASS_PIPELINE
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    let normal = normal_of(tag, in.uv_b, in.normal);
#endif
#else
    let normal = normal_of(tag, in.uv_b, in.normal);
#endif

    let world_from_local = mesh_functions::get_world_from_local(in.instance_index);
    out.world_position = mesh_functions::mesh_position_local_to_world(
        world_from_local,
        vec4(position, 1.0),
    );
    out.position = position_world_to_clip(out.world_position.xyz);
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.unclipped_depth = out.position.z;
    out.position.z = min(out.position.z, 1.0);
#endif

#ifdef VERTEX_UVS_A
    out.uv = in.uv;
#endif
#ifdef VERTEX_UVS_B
    out.uv_b = in.uv_b;
#endif

#ifdef PREPASS_PIPELINE
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    out.world_normal = mesh_functions::mesh_normal_local_to_world(normal, in.instance_index);
#ifdef VERTEX_TANGENTS
    out.world_tangent = mesh_functions::mesh_tangent_local_to_world(
        world_from_local, in.tangent, in.instance_index);
#endif
#endif
#ifdef MOTION_VECTOR_PREPASS
    // The tag of the frame before is not known here: what moves is the node.
    out.previous_world_position = mesh_functions::mesh_position_local_to_world(
        mesh_functions::get_previous_world_from_local(in.instance_index),
        vec4(position, 1.0),
    );
#endif
#else
    out.world_normal = mesh_functions::mesh_normal_local_to_world(normal, in.instance_index);
#ifdef VERTEX_TANGENTS
    out.world_tangent = mesh_functions::mesh_tangent_local_to_world(
        world_from_local, in.tangent, in.instance_index);
#endif
#endif

#ifdef VERTEX_COLORS
    out.color = in.color;
#endif
#ifdef VERTEX_OUTPUT_INSTANCE_INDEX
    out.instance_index = in.instance_index;
#endif
#ifdef VISIBILITY_RANGE_DITHER
    out.visibility_range_dither = mesh_functions::get_visibility_range_dither_level(
        in.instance_index, world_from_local[3]);
#endif

    return out;
}
