// Draws dazzles: additive squares that face the camera and can blink.
//
// The vertex attributes contain all data of a dazzle; see dazzle_mesh.

#import bevy_pbr::{
    forward_io::Vertex,
    mesh_functions,
    mesh_view_bindings::{globals, view},
    view_transformations::position_world_to_clip,
}
#import bevy_render::color_operations::srgb_to_linear_rgb
#ifdef DISTANCE_FOG
#import bevy_classic_models::additive_fog::dimmed_by_fog
#endif
#ifdef TONEMAP_IN_SHADER
#import bevy_core_pipeline::tonemapping::tone_mapping
#endif

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var dazzle_texture: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var dazzle_sampler: sampler;

const PI: f32 = 3.14159265358979;
// The bit of a mesh tag that is set if the other bits are a team color.
const HAS_TEAM: u32 = 0x1000000u;

struct Corner {
    @builtin(position) position: vec4<f32>,
    @location(0) world_position: vec3<f32>,
    @location(1) uv: vec2<f32>,
    @location(2) color: vec3<f32>,
}

// The same as dazzle_intensity.
fn intensity(frequency: f32, phase: f32, bias: f32) -> f32 {
    if (frequency == 0.0 || bias == 1.0) {
        return 1.0;
    }
    if (bias <= 0.0) {
        return 0.0;
    }
    let t = fract(globals.time * frequency + phase) / bias;
    return select(sin(PI * t), 0.0, t > 1.0);
}

fn highest(color: vec3<f32>) -> f32 {
    return max(color.r, max(color.g, color.b));
}

fn lowest(color: vec3<f32>) -> f32 {
    return min(color.r, min(color.g, color.b));
}

// The hue of a color that is not gray, in sixths of a circle.
fn hue_of(color: vec3<f32>) -> f32 {
    let chroma = highest(color) - lowest(color);
    if (color.r == highest(color)) {
        return (color.g - color.b) / chroma;
    }
    if (color.g == highest(color)) {
        return (color.b - color.r) / chroma + 2.0;
    }
    return (color.r - color.g) / chroma + 4.0;
}

// Replaces the hue. Keeps HSV saturation and value, which depend only on the highest and the lowest channel.
fn with_hue(color: vec3<f32>, hue: f32) -> vec3<f32> {
    let channels = fract((hue + vec3(0.0, 4.0, 2.0)) / 6.0) * 6.0;
    let pure = saturate(abs(channels - 3.0) - 1.0);
    return mix(vec3(lowest(color)), vec3(highest(color)), pure);
}

fn with_team_hue(color: vec3<f32>, tag: u32) -> vec3<f32> {
    let team = vec3<f32>((vec3(tag) >> vec3(0u, 8u, 16u)) & vec3(0xffu)) / 255.0;
    // A gray team color has no hue.
    if ((tag & HAS_TEAM) == 0u || highest(team) == lowest(team)) {
        return color;
    }
    return with_hue(color, hue_of(team));
}

// The smallest scale of the three axes: half the least distance between opposite sides of a transformed cube of side 2.
// With it, the square stays within its bounding box, which Bevy uses for culling.
fn scale_of(world_from_local: mat4x4<f32>) -> f32 {
    let x = world_from_local[0].xyz;
    let y = world_from_local[1].xyz;
    let z = world_from_local[2].xyz;
    let side = max(length(cross(x, y)), max(length(cross(y, z)), length(cross(z, x))));
    return select(0.0, abs(dot(x, cross(y, z))) / side, side > 0.0);
}

@vertex
fn vertex(in: Vertex) -> Corner {
    var out: Corner;
    let world_from_local = mesh_functions::get_world_from_local(in.instance_index);
    let lit = intensity(in.tangent.x, in.tangent.y, in.tangent.z);

    // An unlit dazzle gets size 0.
    let offset = in.uv_b * select(0.0, scale_of(world_from_local), lit > 0.0);
    let right = normalize(view.world_from_view[0].xyz);
    let up = normalize(view.world_from_view[1].xyz);
    let center = (world_from_local * vec4(in.position, 1.0)).xyz;
    out.world_position = center + right * offset.x + up * offset.y;
    out.position = position_world_to_clip(out.world_position);
    out.uv = in.uv;

    var color = in.color.rgb;
    if (in.color.a > 0.5) {
        color = with_team_hue(color, mesh_functions::get_tag(in.instance_index));
    }
    // The games dimmed colors in sRGB, not linear light.
    out.color = srgb_to_linear_rgb(color * lit);
    return out;
}

@fragment
fn fragment(in: Corner) -> @location(0) vec4<f32> {
    var color = vec4(textureSample(dazzle_texture, dazzle_sampler, in.uv).rgb * in.color, 1.0);
#ifdef DISTANCE_FOG
    color = dimmed_by_fog(color, in.world_position, in.position.xy);
#endif
#ifdef TONEMAP_IN_SHADER
    color = tone_mapping(color, view.color_grading);
#endif
    // With an alpha of 0, premultiplied blending is additive.
    return vec4(color.rgb, 0.0);
}
