// OpenGL's generated texture coordinates and texture environments, applied to Bevy's lighting.
//
// One file for all passes. The pipeline defines PREPASS_PIPELINE for depth, shadows, normals and motion
// vectors, for which only alpha is computed.

#import bevy_pbr::{
    pbr_bindings,
    pbr_types,
    mesh_view_bindings::view,
}
#ifdef PREPASS_PIPELINE
#import bevy_pbr::{
    prepass_io,
    prepass_io::VertexOutput,
    pbr_functions,
    pbr_prepass_functions,
}
#else
#import bevy_classic_models::fragment_output::{color_output, lit_color}
#import bevy_pbr::{
    forward_io::{VertexOutput, FragmentOutput},
    pbr_functions::alpha_discard,
    pbr_fragment::pbr_input_from_standard_material,
    decal::clustered::apply_decals,
}
#import bevy_render::color_operations::{linear_rgb_to_srgb, srgb_to_linear_rgb}
#endif
#ifdef VISIBILITY_RANGE_DITHER
#import bevy_pbr::pbr_functions::visibility_range_dither;
#endif

struct Unit {
    coefficients: vec3<f32>,
    mode: u32,
    texgen: vec3<u32>,
    flags: u32,
}

struct TexEnv {
    units: array<Unit, 2>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> tex_env: TexEnv;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var flat_0: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var flat_0_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(103) var cube_0: texture_cube<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(104) var cube_0_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(105) var flat_1: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(106) var flat_1_sampler: sampler;
@group(#{MATERIAL_BIND_GROUP}) @binding(107) var cube_1: texture_cube<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(108) var cube_1_sampler: sampler;

const REPLACE: u32 = 0u;
const MODULATE: u32 = 1u;
const DECAL: u32 = 2u;
const BLEND: u32 = 3u;
const ADD: u32 = 4u;

const EYE_LINEAR: u32 = 1u;
const SPHERE_MAP: u32 = 2u;
const REFLECTION_MAP: u32 = 3u;
const NORMAL_MAP: u32 = 4u;

const HAS_TEXTURE: u32 = 1u;
const HAS_ALPHA: u32 = 2u;
const IS_CUBE: u32 = 4u;
const FLIP_V: u32 = 8u;

fn has(unit: Unit, flag: u32) -> bool {
    return (unit.flags & flag) != 0u;
}

// The inputs of generated coordinates, in view space.
struct Eye {
    position: vec3<f32>,
    normal: vec3<f32>,
    // The reflected direction of the ray from the camera.
    reflection: vec3<f32>,
    // Coordinates in a sphere map.
    sphere: vec2<f32>,
}

fn eye_inputs(world_position: vec4<f32>, world_normal: vec3<f32>) -> Eye {
    var eye: Eye;
    eye.position = (view.view_from_world * world_position).xyz;
    eye.normal = normalize((view.view_from_world * vec4(world_normal, 0.0)).xyz);
    eye.reflection = reflect(normalize(eye.position), eye.normal);
    // The length is 0 only if the reflection points straight away from the camera.
    let m = 2.0 * length(eye.reflection + vec3(0.0, 0.0, 1.0));
    eye.sphere = eye.reflection.xy / max(m, 1e-6) + 0.5;
    return eye;
}

// A generated coordinate: S is axis 0, T is 1, R is 2.
fn generated(eye: Eye, unit: Unit, axis: u32) -> f32 {
    switch unit.texgen[axis] {
        case EYE_LINEAR: { return unit.coefficients[axis] * eye.position[axis]; }
        case SPHERE_MAP: { return eye.sphere[min(axis, 1u)]; }
        case REFLECTION_MAP: { return eye.reflection[axis]; }
        case NORMAL_MAP: { return eye.normal[axis]; }
        default: { return 0.0; }
    }
}

// Flips V if it points in opposite directions in the file and the mesh.
fn flipped(unit: Unit, v: f32) -> f32 {
    return select(v, 1.0 - v, has(unit, FLIP_V));
}

// The coordinates at which a unit samples its 2D texture.
fn flat_coordinates(eye: Eye, unit: Unit, uv: vec2<f32>) -> vec2<f32> {
    let s = select(generated(eye, unit, 0u), uv.x, unit.texgen.x == 0u);
    let t = select(flipped(unit, generated(eye, unit, 1u)), uv.y, unit.texgen.y == 0u);
    return vec2(s, t);
}

// The direction in which a unit samples its cube map. Not negated: OpenGL and wgpu select faces by the same
// table, and view space is the same in both.
fn cube_coordinates(eye: Eye, unit: Unit, uv: vec2<f32>) -> vec3<f32> {
    let s = select(generated(eye, unit, 0u), uv.x, unit.texgen.x == 0u);
    let t = select(generated(eye, unit, 1u), flipped(unit, uv.y), unit.texgen.y == 0u);
    return vec3(s, t, generated(eye, unit, 2u));
}

// The texels of both units, not converted from sRGB.
struct Texels {
    first: vec4<f32>,
    second: vec4<f32>,
}

fn sample_units(eye: Eye, uv: vec2<f32>) -> Texels {
    var texels: Texels;
    let first = tex_env.units[0];
    let second = tex_env.units[1];
    if (has(first, IS_CUBE)) {
        let direction = cube_coordinates(eye, first, uv);
        texels.first = textureSampleBias(cube_0, cube_0_sampler, direction, view.mip_bias);
    } else {
        let coordinates = flat_coordinates(eye, first, uv);
        texels.first = textureSampleBias(flat_0, flat_0_sampler, coordinates, view.mip_bias);
    }
    if (has(second, IS_CUBE)) {
        let direction = cube_coordinates(eye, second, uv);
        texels.second = textureSampleBias(cube_1, cube_1_sampler, direction, view.mip_bias);
    } else {
        let coordinates = flat_coordinates(eye, second, uv);
        texels.second = textureSampleBias(flat_1, flat_1_sampler, coordinates, view.mip_bias);
    }
    return texels;
}

// The alpha after a unit. `below` is the alpha before it.
fn environment_alpha(unit: Unit, below: f32, texel: f32) -> f32 {
    if (!has(unit, HAS_TEXTURE) || !has(unit, HAS_ALPHA)) {
        return below;
    }
    switch unit.mode {
        case REPLACE: { return texel; }
        case MODULATE, BLEND, ADD: { return below * texel; }
        default: { return below; }
    }
}

fn final_alpha(texels: Texels) -> f32 {
    let alpha = environment_alpha(tex_env.units[0], 1.0, texels.first.a);
    return environment_alpha(tex_env.units[1], alpha, texels.second.a);
}

#ifdef PREPASS_PIPELINE

// Blended fragments with a lower alpha cast no shadow: the same value as in Bevy.
const BLENDED_ALPHA_CUTOFF: f32 = 0.05;

#ifdef MAY_DISCARD
fn discard_by_alpha(in: VertexOutput, is_front: bool) {
#ifdef NORMAL_PREPASS_OR_DEFERRED_PREPASS
    let normal = in.world_normal;
#else
    // The triangle's normal. It points towards the camera for front faces, because Y points down on the screen.
    let to_eye = cross(dpdy(in.world_position.xyz), dpdx(in.world_position.xyz));
    let normal = select(-to_eye, to_eye, is_front);
#endif
#ifdef VERTEX_UVS_A
    let uv = in.uv;
#else
    let uv = vec2(0.0);
#endif
    let alpha = final_alpha(sample_units(eye_inputs(in.world_position, normal), uv));
    let mode = pbr_bindings::material.flags & pbr_types::STANDARD_MATERIAL_FLAGS_ALPHA_MODE_RESERVED_BITS;
    var least = BLENDED_ALPHA_CUTOFF;
    if (mode == pbr_types::STANDARD_MATERIAL_FLAGS_ALPHA_MODE_MASK) {
        least = pbr_bindings::material.alpha_cutoff;
    }
    if (alpha < least) {
        discard;
    }
}
#endif

#ifdef PREPASS_FRAGMENT
@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> prepass_io::FragmentOutput {
#ifdef VISIBILITY_RANGE_DITHER
    visibility_range_dither(in.position, in.visibility_range_dither);
#endif
#ifdef MAY_DISCARD
    discard_by_alpha(in, is_front);
#endif

    var out: prepass_io::FragmentOutput;
#ifdef UNCLIPPED_DEPTH_ORTHO_EMULATION
    out.frag_depth = in.unclipped_depth;
#endif
#ifdef NORMAL_PREPASS
    var normal = in.world_normal;
    let flags = pbr_bindings::material.flags;
    if ((flags & pbr_types::STANDARD_MATERIAL_FLAGS_UNLIT_BIT) == 0u) {
        let double_sided = (flags & pbr_types::STANDARD_MATERIAL_FLAGS_DOUBLE_SIDED_BIT) != 0u;
        normal = pbr_functions::prepare_world_normal(normal, double_sided, is_front);
    }
    out.normal = vec4(normal * 0.5 + vec3(0.5), 1.0);
#endif
#ifdef MOTION_VECTOR_PREPASS
    out.motion_vector = pbr_prepass_functions::calculate_motion_vector(in.world_position, in.previous_world_position);
#endif
    return out;
}
#else
@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) {
#ifdef MAY_DISCARD
    discard_by_alpha(in, is_front);
#endif
}
#endif

#else

// The sRGB color after a unit. `below` is the sRGB color before it.
fn environment_color(unit: Unit, below: vec3<f32>, texel: vec4<f32>) -> vec3<f32> {
    if (!has(unit, HAS_TEXTURE)) {
        return below;
    }
    switch unit.mode {
        case REPLACE: { return texel.rgb; }
        case MODULATE: { return below * texel.rgb; }
        case DECAL: { return mix(below, texel.rgb, select(1.0, texel.a, has(unit, HAS_ALPHA))); }
        // Blends towards the color of the environment, which is black.
        case BLEND: { return below * (1.0 - texel.rgb); }
        case ADD: { return saturate(below + texel.rgb); }
        default: { return vec3(saturate(4.0 * dot(texel.rgb - 0.5, below - 0.5))); }
    }
}

// The fraction of a unit's result that depends on the color below it. Texels that replace that color are unlit.
fn lit_share(unit: Unit, texel: vec4<f32>) -> f32 {
    if (!has(unit, HAS_TEXTURE)) {
        return 1.0;
    }
    switch unit.mode {
        case REPLACE: { return 0.0; }
        case DECAL: { return select(0.0, 1.0 - texel.a, has(unit, HAS_ALPHA)); }
        default: { return 1.0; }
    }
}

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
#ifdef VISIBILITY_RANGE_DITHER
    visibility_range_dither(in.position, in.visibility_range_dither);
#endif
#ifdef VERTEX_UVS_A
    let uv = in.uv;
#else
    let uv = vec2(0.0);
#endif
    // The vertex normal, also on back faces, as in OpenGL.
    let texels = sample_units(eye_inputs(in.world_position, in.world_normal), uv);

    var pbr_input = pbr_input_from_standard_material(in, is_front);
    apply_decals(&pbr_input);
    var color = lit_color(pbr_input).rgb;

    // The units compute with colors from 0 to 1, and light has no upper limit: what exceeds 1 is a factor
    // that is divided out before the units and applied again after them.
    let excess = max(1.0, max(color.r, max(color.g, color.b)));
    color = linear_rgb_to_srgb(saturate(color / excess));
    color = environment_color(tex_env.units[0], color, texels.first);
    color = environment_color(tex_env.units[1], color, texels.second);
    let share = lit_share(tex_env.units[0], texels.first) * lit_share(tex_env.units[1], texels.second);
    color = srgb_to_linear_rgb(color) * mix(1.0, excess, share);
    let drawn = alpha_discard(pbr_input.material, vec4(color, final_alpha(texels)));
    return color_output(in, pbr_input, drawn);
}
#endif
