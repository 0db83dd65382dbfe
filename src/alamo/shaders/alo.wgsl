// Bevy's own fragment shader for StandardMaterial, and before its lighting what the games' shaders
// did: moving textures, the team's colour, gloss, clouds.

#import bevy_pbr::{
    pbr_bindings,
    pbr_types,
    pbr_functions::alpha_discard,
    pbr_fragment::pbr_input_from_standard_material,
    decal::clustered::apply_decals,
    mesh_functions::get_tag,
}
#ifdef PREPASS_PIPELINE
#import bevy_pbr::{
    prepass_bindings::globals,
    prepass_io::{VertexOutput, FragmentOutput},
    pbr_deferred_functions::deferred_output,
}
#else
#import bevy_pbr::{
    forward_io::{VertexOutput, FragmentOutput},
    mesh_view_bindings::{globals, lights},
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
    pbr_types::STANDARD_MATERIAL_FLAGS_UNLIT_BIT,
}
#endif
#ifdef VISIBILITY_RANGE_DITHER
#import bevy_pbr::pbr_functions::visibility_range_dither;
#endif
#ifdef OIT_ENABLED
#import bevy_core_pipeline::oit::oit_draw
#endif

struct Alo {
    colorization: vec4<f32>,
    emissive: vec4<f32>,
    atmosphere: vec4<f32>,
    city_color: vec4<f32>,
    uv_scroll: vec2<f32>,
    extra_scroll: vec2<f32>,
    extra_scale: f32,
    specular: f32,
    gloss: u32,
    team: u32,
    extra: u32,
    additive: u32,
    padding: vec2<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> alo: Alo;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var extra_texture: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var extra_sampler: sampler;

const GLOSS_NONE: u32 = 0u;
const GLOSS_BASE_ALPHA: u32 = 1u;
const GLOSS_NORMAL_ALPHA: u32 = 2u;
const GLOSS_EXTRA_RED: u32 = 3u;
const TEAM_NONE: u32 = 0u;
const TEAM_BASE_ALPHA: u32 = 1u;
const EXTRA_PLANET: u32 = 2u;
const EXTRA_CLOUDS: u32 = 3u;
const EXTRA_WAVE: u32 = 4u;
const EXTRA_CLOUDLESS_PLANET: u32 = 5u;

// Bit of a mesh's tag that tells that the others are a colour.
const TAG_IS_COLOR: u32 = 1u << 24u;

fn linear_from_srgb(color: vec3<f32>) -> vec3<f32> {
    let low = color / 12.92;
    let high = pow((color + 0.055) / 1.055, vec3(2.4));
    return select(high, low, color <= vec3(0.04045));
}

// The colour of the instance's team, or what the material has instead.
fn team_color(tag: u32, otherwise: vec3<f32>) -> vec3<f32> {
    if ((tag & TAG_IS_COLOR) == 0u) {
        return otherwise;
    }
    return linear_from_srgb(unpack4x8unorm(tag).rgb);
}

// Where a texture that moves has moved to. Only the part of a turn that shows is kept, so that no
// digits of the coordinates are lost.
fn scrolled(uv: vec2<f32>, rate: vec2<f32>) -> vec2<f32> {
    return uv + fract(globals.time * rate);
}

@fragment
fn fragment(vertex: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var in = vertex;
#ifdef VISIBILITY_RANGE_DITHER
    visibility_range_dither(in.position, in.visibility_range_dither);
#endif

#ifdef VERTEX_UVS_A
    let uv = in.uv;
    in.uv = scrolled(in.uv, alo.uv_scroll);
#else
    let uv = vec2(0.0);
#endif
    var pbr_input = pbr_input_from_standard_material(in, is_front);
    // The texture, times the colours of material and vertex; its alpha is a mask in most shaders.
    var base = pbr_input.material.base_color;
    let mask = base.a;
    let extra = textureSample(extra_texture, extra_sampler, scrolled(uv * alo.extra_scale, alo.extra_scroll));

    if (alo.team != TEAM_NONE) {
        let tag = get_tag(in.instance_index);
        if (alo.team == TEAM_BASE_ALPHA) {
            let team = team_color(tag, alo.colorization.rgb);
            base = vec4(mix(base.rgb, team * base.rgb, mask), base.a);
        } else {
            base = vec4(base.rgb * team_color(tag, alo.colorization.rgb), base.a);
        }
    }
    if (alo.extra == EXTRA_WAVE) {
        base = vec4(base.rgb * extra.rgb, base.a);
    } else if (alo.extra == EXTRA_CLOUDS || alo.extra == EXTRA_PLANET) {
        base = vec4(mix(base.rgb, extra.rgb, extra.a), base.a);
    }

    var emissive = alo.emissive.rgb * base.rgb;
    if (alo.extra == EXTRA_PLANET || alo.extra == EXTRA_CLOUDLESS_PLANET) {
        let clouds = select(0.0, extra.a, alo.extra == EXTRA_PLANET);
        let rim = pow(saturate(1.0 - dot(pbr_input.world_normal, pbr_input.V)), alo.city_color.w);
        base = vec4(base.rgb + alo.atmosphere.rgb * rim * 2.0 * alo.atmosphere.a * (1.0 - clouds), base.a);
#ifndef PREPASS_PIPELINE
        if (lights.n_directional_lights > 0u) {
            let sun = lights.directional_lights[0].direction_to_light;
            let night = saturate(-32.0 * dot(pbr_input.world_normal, sun));
            emissive += mask * night * (1.0 - clouds) * alo.city_color.rgb;
        }
#endif
    }
    pbr_input.material.emissive = vec4(emissive, 0.0);

    var gloss = 1.0;
    if (alo.gloss == GLOSS_NONE) {
        gloss = 0.0;
    } else if (alo.gloss == GLOSS_BASE_ALPHA) {
        gloss = mask;
    } else if (alo.gloss == GLOSS_EXTRA_RED) {
        gloss = extra.r;
    }
#ifdef VERTEX_UVS_A
#ifdef STANDARD_MATERIAL_NORMAL_MAP
    if (alo.gloss == GLOSS_NORMAL_ALPHA) {
        let normal_uv = (pbr_bindings::material.uv_transform * vec3(in.uv, 1.0)).xy;
        gloss = textureSample(pbr_bindings::normal_map_texture, pbr_bindings::normal_map_sampler, normal_uv).a;
    }
#endif
#endif
    gloss = gloss * alo.specular;
    pbr_input.material.reflectance = vec3(0.5 * gloss);
    pbr_input.material.perceptual_roughness = mix(1.0, pbr_input.material.perceptual_roughness, gloss);

    // What is added is added as it is.
    base.a = select(base.a, 1.0, alo.additive == 1u);
    pbr_input.material.base_color = alpha_discard(pbr_input.material, base);
    apply_decals(&pbr_input);

#ifdef PREPASS_PIPELINE
    let out = deferred_output(in, pbr_input);
#else
    var out: FragmentOutput;
    if ((pbr_input.material.flags & STANDARD_MATERIAL_FLAGS_UNLIT_BIT) == 0u) {
        out.color = apply_pbr_lighting(pbr_input);
    } else {
        out.color = pbr_input.material.base_color;
    }
    out.color = main_pass_post_lighting_processing(pbr_input, out.color);
#endif

#ifdef OIT_ENABLED
    let alpha_mode = pbr_input.material.flags & pbr_types::STANDARD_MATERIAL_FLAGS_ALPHA_MODE_RESERVED_BITS;
    if (alpha_mode != pbr_types::STANDARD_MATERIAL_FLAGS_ALPHA_MODE_OPAQUE) {
        oit_draw(in.position, out.color);
        discard;
    }
#endif
    return out;
}
