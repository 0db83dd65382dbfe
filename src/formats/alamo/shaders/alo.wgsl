// The fragment shader of Alamo materials: Bevy's StandardMaterial, extended by effects of the games' shaders before
// lighting: scrolling textures, team color, gloss and clouds.

#import bevy_classic_models::alo_uniform::Alo
#import bevy_classic_models::fragment_output::{set_base_color, surface_output}
#ifdef CROWD
#import bevy_classic_models::pose_row::read_pose_row_extra
#endif
#import bevy_pbr::{
    pbr_bindings,
    pbr_types,
    pbr_fragment::pbr_input_from_standard_material,
    mesh_functions::get_tag,
}
#import bevy_render::color_operations::srgb_to_linear_rgb
#ifdef PREPASS_PIPELINE
#import bevy_render::globals::Globals
#import bevy_pbr::prepass_io::{VertexOutput, FragmentOutput}
#else
#import bevy_pbr::{
    forward_io::{VertexOutput, FragmentOutput},
    mesh_view_bindings::{globals, lights},
}
#ifdef ENVIRONMENT_MAP
#import bevy_pbr::{
    clustered_forward::{unpack_clusterable_object_index_ranges, view_fragment_cluster_index},
    environment_map::compute_radiances,
    lighting::LayerLightingInput,
    mesh_view_bindings::view,
    pbr_types::PbrInput,
}
#endif
#ifdef DISTANCE_FOG
#import bevy_classic_models::fragment_output::{color_output, lit_color}
#import bevy_classic_models::additive_fog::dimmed_by_fog
#import bevy_pbr::pbr_types::STANDARD_MATERIAL_FLAGS_FOG_ENABLED_BIT
#endif
#endif
#ifdef VISIBILITY_RANGE_DITHER
#import bevy_pbr::pbr_functions::visibility_range_dither;
#endif

#ifdef PREPASS_PIPELINE
// Bevy's prepass binds it here, but has no import for it.
@group(0) @binding(1) var<uniform> globals: Globals;
#endif
@group(#{MATERIAL_BIND_GROUP}) @binding(100) var<uniform> alo: Alo;
@group(#{MATERIAL_BIND_GROUP}) @binding(101) var extra_texture: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(102) var extra_sampler: sampler;
#ifdef CROWD
// The tag of a crowd's member is its row in this table.
@group(#{MATERIAL_BIND_GROUP}) @binding(111) var instances: texture_2d<u32>;
#endif

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

// The bit of a mesh tag that is set if the other bits are a color.
const TAG_IS_COLOR: u32 = 1u << 24u;

// The color of the instance's team, or the fallback color of the material.
fn team_color(instance_index: u32, fallback: vec3<f32>) -> vec3<f32> {
#ifdef CROWD
    let tag = read_pose_row_extra(instances, get_tag(instance_index));
#else
    let tag = get_tag(instance_index);
#endif
    if ((tag & TAG_IS_COLOR) == 0u) {
        return fallback;
    }
    return srgb_to_linear_rgb(unpack4x8unorm(tag).rgb);
}

// The scroll offset of a texture. Whole repeats are removed: they are not visible, and would reduce precision.
fn scroll(rate: vec2<f32>) -> vec2<f32> {
    return fract(globals.time * rate);
}

#ifndef PREPASS_PIPELINE
// The factor of the lights on a planet's dark side: 1 where the brightest sun is below the horizon.
fn night_factor(normal: vec3<f32>) -> f32 {
    var to_sun = vec3(0.0);
    var brightest = 0.0;
    for (var i = 0u; i < lights.n_directional_lights; i += 1u) {
        let brightness = dot(lights.directional_lights[i].color.rgb, vec3(0.2126, 0.7152, 0.0722));
        if (brightness > brightest) {
            brightest = brightness;
            to_sun = lights.directional_lights[i].direction_to_light;
        }
    }
    return saturate(-32.0 * dot(normal, to_sun));
}
#endif

#ifdef ENVIRONMENT_MAP
// The environment map as a mirror shows it. The games do not bend the reflection by the normal map.
fn reflected_environment(pbr_input: PbrInput) -> vec3<f32> {
    let normal = normalize(pbr_input.world_normal);
    var mirror: LayerLightingInput;
    mirror.N = normal;
    mirror.R = reflect(-pbr_input.V, normal);
    mirror.NdotV = max(dot(normal, pbr_input.V), 0.0001);
    mirror.perceptual_roughness = 0.0;
    mirror.roughness = 0.0;
    let world_position = pbr_input.world_position;
    let view_z = (view.view_from_world * world_position).z;
    let cluster = view_fragment_cluster_index(pbr_input.frag_coord.xy, view_z, pbr_input.is_orthographic);
    var ranges = unpack_clusterable_object_index_ranges(cluster);
    return compute_radiances(mirror, &ranges, world_position.xyz, true).radiance * view.exposure;
}
#endif

@fragment
fn fragment(vertex: VertexOutput, @builtin(front_facing) is_front: bool) -> FragmentOutput {
    var in = vertex;
#ifdef VISIBILITY_RANGE_DITHER
    visibility_range_dither(in.position, in.visibility_range_dither);
#endif

#ifdef VERTEX_UVS_A
    let uv = in.uv;
    // The material scales the coordinates after this.
    in.uv = in.uv + scroll(alo.uv_scroll) / alo.uv_scale;
#else
    let uv = vec2(0.0);
#endif
    var vertex_color = vec4(1.0);
#ifdef VERTEX_COLORS
    vertex_color = in.color;
    in.color = vec4(1.0);
#endif
    var pbr_input = pbr_input_from_standard_material(in, is_front);
    // Most shaders use the alpha of the base texture as a mask.
    let mask = pbr_input.material.base_color.a;
    var surface = pbr_input.material.base_color.rgb;
    // Multiplies only reflected light, not Emissive.
    var diffuse = alo.diffuse.rgb * vertex_color.rgb;
    let extra_uv = uv * alo.extra_scale + scroll(alo.extra_scroll);
    let extra = textureSample(extra_texture, extra_sampler, extra_uv);

    if (alo.team != TEAM_NONE) {
        let team = team_color(in.instance_index, alo.colorization.rgb);
        if (alo.team == TEAM_BASE_ALPHA) {
            surface = mix(surface, team * surface, mask);
        } else {
            diffuse *= team;
        }
    }
    if (alo.extra == EXTRA_WAVE) {
        surface *= extra.rgb;
    } else if (alo.extra == EXTRA_CLOUDS) {
        surface = mix(surface, extra.rgb, extra.a * vertex_color.a);
    } else if (alo.extra == EXTRA_PLANET) {
        surface = mix(surface, extra.rgb, extra.a);
    }

    let is_planet = alo.extra == EXTRA_PLANET || alo.extra == EXTRA_CLOUDLESS_PLANET;
    let clear_sky = 1.0 - select(0.0, extra.a, alo.extra == EXTRA_PLANET);
    if (is_planet) {
        let rim = pow(saturate(1.0 - dot(pbr_input.world_normal, pbr_input.V)), alo.city_color.w);
        surface += alo.atmosphere.rgb * rim * 2.0 * alo.atmosphere.a * clear_sky;
    }
    // The games clamped colors to 1 after the product.
    var emissive = min(alo.emissive.rgb * surface, vec3(1.0));
#ifndef PREPASS_PIPELINE
    if (is_planet) {
        emissive += mask * night_factor(pbr_input.world_normal) * clear_sky * alo.city_color.rgb;
    }
#endif
    // Additive meshes ignore alpha.
    let alpha = select(mask * vertex_color.a, 1.0, alo.additive == 1u);
    let alpha_mode = pbr_input.material.flags & pbr_types::STANDARD_MATERIAL_FLAGS_ALPHA_MODE_RESERVED_BITS;
    if (alpha_mode == pbr_types::STANDARD_MATERIAL_FLAGS_ALPHA_MODE_BLEND) {
        // Bevy multiplies emissive light by alpha, and blending multiplies it again. Undo one of them.
        emissive /= max(alpha, 1.0 / 255.0);
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
    if (any(alo.reflection.rgb > vec3(0.0))) {
        var reflection = vec3(0.0);
#ifndef PREPASS_PIPELINE
#ifdef ENVIRONMENT_MAP
        reflection = reflected_environment(pbr_input) * alo.reflection.rgb;
#endif
#endif
        if (alo.additive == 1u) {
            surface = reflection;
        } else {
            // The games multiplied screen colors.
            pbr_input.material.emissive += vec4(reflection * srgb_to_linear_rgb(vec3(gloss)), 0.0);
#ifdef ENVIRONMENT_MAP
            gloss = 0.0;
#endif
        }
    }
    gloss = gloss * alo.specular;
    pbr_input.material.reflectance = vec3(0.5 * gloss);
    pbr_input.material.perceptual_roughness = mix(1.0, pbr_input.material.perceptual_roughness, gloss);

    set_base_color(&pbr_input, vec4(surface * diffuse, alpha));

#ifndef PREPASS_PIPELINE
#ifdef DISTANCE_FOG
    if (alo.additive == 1u && (pbr_input.material.flags & STANDARD_MATERIAL_FLAGS_FOG_ENABLED_BIT) != 0u) {
        let color = dimmed_by_fog(lit_color(pbr_input), in.world_position.xyz, in.position.xy);
        pbr_input.material.flags &= ~STANDARD_MATERIAL_FLAGS_FOG_ENABLED_BIT;
        return color_output(in, pbr_input, color);
    }
#endif
#endif
    return surface_output(in, pbr_input);
}
