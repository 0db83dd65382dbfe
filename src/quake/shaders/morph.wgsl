// Places the vertices of a Quake model between the poses that its instance shows.
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
// Per instance four texels: two of this frame, two of the one before; see PoseTable.
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var instances: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var normals: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(103) var<uniform> model: Model;

const TEXELS_PER_INSTANCE: u32 = 4u;
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
    let index = tag * TEXELS_PER_INSTANCE + age * 2u;
    let width = textureDimensions(instances).x;
    let to = textureLoad(instances, vec2(index % width, index / width), 0);
    var shape = shape_between(to.xyz, vertex);
    let from_weight = bitcast<f32>(to.w);
    if (from_weight > 0.0) {
        let next = index + 1u;
        let from_pair = textureLoad(instances, vec2(next % width, next / width), 0).xyz;
        let from_shape = shape_between(from_pair, vertex);
        shape.position = mix(shape.position, from_shape.position, from_weight);
        shape.normal = mix(shape.normal, from_shape.normal, from_weight);
    }
    shape.position = shape.position * model.step + model.origin;
    return shape;
}

@vertex
fn vertex(in: Vertex) -> VertexOutput {
    var out: VertexOutput;

    let tag = mesh_functions::get_tag(in.instance_index);
    let file_vertex = u32(in.uv_b.x);
    let shape = morph(tag, 0u, file_vertex);

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
    out.previous_world_position = mesh_functions::mesh_position_local_to_world(
        mesh_functions::get_previous_world_from_local(in.instance_index),
        vec4(morph(tag, 1u, file_vertex).position, 1.0),
    );
#endif
#else
    out.world_normal = mesh_functions::mesh_normal_local_to_world(shape.normal, in.instance_index);
#ifdef VERTEX_TANGENTS
    // Those of pose 0, if a user has given the mesh any: the format has none to morph.
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
