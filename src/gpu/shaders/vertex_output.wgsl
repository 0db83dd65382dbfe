// Computes the same output as Bevy's vertex shaders for meshes, for a vertex that a shader of this crate has moved.
//
// One file for all passes: the pipeline defines PREPASS_PIPELINE for depth, shadows, motion vectors and the deferred
// pass.
#define_import_path bevy_classic_models::vertex_output

#import bevy_pbr::{
    mesh_functions,
    view_transformations::position_world_to_clip,
}
#ifdef PREPASS_PIPELINE
#import bevy_pbr::prepass_io::{Vertex, VertexOutput}
#else
#import bevy_pbr::forward_io::{Vertex, VertexOutput}
#endif

// The position of a vertex in mesh space in the current and the previous frame. The normal is used only in passes that
// need normals, and `previous_position` only in passes that draw motion vectors.
struct MovedVertex {
    position: vec3<f32>,
    normal: vec3<f32>,
    previous_position: vec3<f32>,
}

fn vertex_output(in: Vertex, moved: MovedVertex) -> VertexOutput {
    var out: VertexOutput;

    let world_from_local = mesh_functions::get_world_from_local(in.instance_index);
    out.world_position = mesh_functions::mesh_position_local_to_world(
        world_from_local,
        vec4(moved.position, 1.0),
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
    out.world_normal = mesh_functions::mesh_normal_local_to_world(moved.normal, in.instance_index);
#ifdef VERTEX_TANGENTS
    out.world_tangent = mesh_functions::mesh_tangent_local_to_world(
        world_from_local, in.tangent, in.instance_index);
#endif
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.previous_world_position = mesh_functions::mesh_position_local_to_world(
        mesh_functions::get_previous_world_from_local(in.instance_index),
        vec4(moved.previous_position, 1.0),
    );
#endif
#else
    out.world_normal = mesh_functions::mesh_normal_local_to_world(moved.normal, in.instance_index);
#ifdef VERTEX_TANGENTS
    // The tangents of the mesh, if the app has added them. No format animates tangents.
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
