// Distance fog for additive materials, whose color cannot be mixed with the fog's color.
#define_import_path bevy_classic_models::additive_fog

#ifdef DISTANCE_FOG
#import bevy_pbr::{
    mesh_view_bindings::{fog, view},
    pbr_functions::apply_fog,
}

// Dims additive light by the fog, without adding the fog's color: the background already contains it.
fn dimmed_by_fog(color: vec4<f32>, world_position: vec3<f32>, frag_coord: vec2<f32>) -> vec4<f32> {
    var black_fog = fog;
    black_fog.base_color = vec4(vec3(0.0), fog.base_color.a);
    black_fog.directional_light_color = vec4(0.0);
    return apply_fog(black_fog, color, world_position, view.world_position.xyz, frag_coord);
}
#endif
