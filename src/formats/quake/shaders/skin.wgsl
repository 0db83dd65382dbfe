// StandardMaterial's fragment shader, with player colors applied before lighting.

#import bevy_classic_models::fragment_output::{set_base_color, surface_output}
#import bevy_pbr::pbr_fragment::pbr_input_from_standard_material
#ifdef PREPASS_PIPELINE
#import bevy_pbr::prepass_io::{VertexOutput, FragmentOutput}
#else
#import bevy_pbr::forward_io::{VertexOutput, FragmentOutput}
#endif
#ifdef VISIBILITY_RANGE_DITHER
#import bevy_pbr::pbr_functions::visibility_range_dither;
#endif

#ifdef MDL_PLAYER_COLORS
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

@group(#{MATERIAL_BIND_GROUP}) @binding(103) var<uniform> model: Model;
@group(#{MATERIAL_BIND_GROUP}) @binding(104) var indices: texture_2d<u32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(105) var palette: texture_2d<f32>;

const SHIRT_ROW: u32 = 1u;
const PANTS_ROW: u32 = 6u;
// Rows from here on are stored from bright to dark.
const FIRST_REVERSED_ROW: u32 = 8u;

// The palette index that replaces an index in the player's colors.
fn recolored(index: u32) -> u32 {
    let row = index / 16u;
    var new_row = row;
    if (row == SHIRT_ROW) {
        new_row = model.shirt;
    } else if (row == PANTS_ROW) {
        new_row = model.pants;
    }
    var column = index % 16u;
    if (new_row != row && new_row >= FIRST_REVERSED_ROW) {
        column = 15u - column;
    }
    return new_row * 16u + column;
}

// The difference that recoloring makes to a texel of the skin, which repeats.
fn color_change(texel: vec2<i32>) -> vec3<f32> {
    let size = vec2<i32>(textureDimensions(indices));
    let index = textureLoad(indices, (texel % size + size) % size, 0).x;
    let new_index = recolored(index);
    if (new_index == index) {
        return vec3(0.0);
    }
    return textureLoad(palette, vec2(new_index, 0u), 0).rgb - textureLoad(palette, vec2(index, 0u), 0).rgb;
}

// The difference, filtered like the skin. A sampler can't filter palette indices.
fn filtered_color_change(uv: vec2<f32>) -> vec3<f32> {
    let position = uv * vec2<f32>(textureDimensions(indices));
    if (model.linear == 0u) {
        return color_change(vec2<i32>(floor(position)));
    }
    let corner = floor(position - 0.5);
    let fraction = position - 0.5 - corner;
    let texel = vec2<i32>(corner);
    return mix(
        mix(color_change(texel), color_change(texel + vec2(1, 0)), fraction.x),
        mix(color_change(texel + vec2(0, 1)), color_change(texel + vec2(1, 1)), fraction.x),
        fraction.y,
    );
}
#endif

@fragment
fn fragment(in: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
#ifdef VISIBILITY_RANGE_DITHER
    visibility_range_dither(in.position, in.visibility_range_dither);
#endif

    var pbr_input = pbr_input_from_standard_material(in, is_front);
    var color = pbr_input.material.base_color;
#ifdef MDL_PLAYER_COLORS
    color = vec4(max(color.rgb + filtered_color_change(in.uv), vec3(0.0)), color.a);
#endif
    set_base_color(&pbr_input, color);
    return surface_output(in, pbr_input);
}
