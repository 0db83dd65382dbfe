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

// Per pose and vertex: quantised position, normal.
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var poses: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var<uniform> node: Node;

struct Shape {
    position: vec3<f32>,
    normal: vec3<f32>,
}

// A direction in two bytes, on an octahedron that is laid out as a square.
fn unpacked(bytes: u32) -> vec3<f32> {
    let place = vec2<f32>(vec2(bytes & 0xffu, bytes >> 8u)) / 127.0 - 1.0;
    let z = 1.0 - abs(place.x) - abs(place.y);
    let fold = max(-z, 0.0);
    return normalize(vec3(place + select(vec2(-fold), vec2(fold), place < vec2(0.0)), z));
}

fn shape_of(pose: u32, vertex: u32) -> Shape {
    // A pose that a reload has taken away is drawn as the last one for the frame it takes to notice.
    let index = min(pose, node.pose_count - 1u) * node.vertex_count + vertex;
    let width = textureDimensions(poses).x;
    let texel = textureLoad(poses, vec2(index % width, index / width), 0);
    return Shape(vec3<f32>(texel.xyz) * node.step + node.origin, unpacked(texel.w));
}

// What an instance shows: 11 bits each for two poses, and 10 for the way between them.
fn morph(tag: u32, vertex: u32) -> Shape {
    let a = shape_of(tag & 0x7ffu, vertex);
    let b = shape_of((tag >> 11u) & 0x7ffu, vertex);
    let towards_b = f32(tag >> 22u) / 1023.0;
    return Shape(mix(a.position, b.position, towards_b), mix(a.normal, b.normal, towards_b));
}

@vertex
fn vertex(in: Vertex) -> VertexOutput {
    var out: VertexOutput;

    var shape = Shape(in.position, vec3(0.0, 1.0, 0.0));
#ifdef PREPASS_PIPELINE
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    shape.normal = in.normal;
#endif
#else
    shape.normal = in.normal;
#endif
    // What does not deform has no place among what does.
    if (in.uv_b.x >= 0.0) {
        shape = morph(mesh_functions::get_tag(in.instance_index), u32(in.uv_b.x));
    }

    let world_from_local = mesh_functions::get_world_from_local(in.instance_index);
    out.world_position = mesh_functions::mesh_position_local_to_world(
        world_from_local,
        vec4(shape.position, 1.0),
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
    out.world_normal = mesh_functions::mesh_normal_local_to_world(shape.normal, in.instance_index);
#ifdef VERTEX_TANGENTS
    out.world_tangent = mesh_functions::mesh_tangent_local_to_world(
        world_from_local, in.tangent, in.instance_index);
#endif
#endif
#ifdef MOTION_VECTOR_PREPASS
    // The tag of the frame before is not known here: what moves is the node.
    out.previous_world_position = mesh_functions::mesh_position_local_to_world(
        mesh_functions::get_previous_world_from_local(in.instance_index),
        vec4(shape.position, 1.0),
    );
#endif
#else
    out.world_normal = mesh_functions::mesh_normal_local_to_world(shape.normal, in.instance_index);
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
