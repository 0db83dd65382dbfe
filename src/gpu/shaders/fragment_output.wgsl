// The end of Bevy's own fragment shader for StandardMaterial (pbr.wgsl), after a shader of this crate has changed the
// surface: discarding by alpha, decals, lighting, fog, tone mapping and order-independent transparency.
//
// The pipeline defines PREPASS_PIPELINE for the deferred pass. Other prepasses do not use this file.
#define_import_path bevy_classic_models::fragment_output

#import bevy_pbr::{
    pbr_types,
    pbr_types::PbrInput,
    pbr_functions::alpha_discard,
    decal::clustered::apply_decals,
}
#ifdef PREPASS_PIPELINE
#import bevy_pbr::{
    prepass_io::{VertexOutput, FragmentOutput},
    pbr_deferred_functions::deferred_output,
}
#else
#import bevy_pbr::{
    forward_io::{VertexOutput, FragmentOutput},
    pbr_functions::{apply_pbr_lighting, main_pass_post_lighting_processing},
}
#endif
#ifdef OIT_ENABLED
#import bevy_core_pipeline::oit::oit_draw
#endif

// Sets the base color of a surface. Discards the fragment if the alpha is too low.
fn set_base_color(pbr_input: ptr<function, PbrInput>, base_color: vec4<f32>) {
    (*pbr_input).material.base_color = alpha_discard((*pbr_input).material, base_color);
    apply_decals(pbr_input);
}

#ifdef PREPASS_PIPELINE
// The output of the deferred pass.
fn surface_output(in: VertexOutput, pbr_input: PbrInput) -> FragmentOutput {
    return deferred_output(in, pbr_input);
}
#else
// The output of the forward pass: the surface after lighting and post-processing.
fn surface_output(in: VertexOutput, pbr_input: PbrInput) -> FragmentOutput {
    return color_output(in, pbr_input, lit_color(pbr_input));
}

// The color of a surface after lighting; the base color if the material is unlit.
fn lit_color(pbr_input: PbrInput) -> vec4<f32> {
    if ((pbr_input.material.flags & pbr_types::STANDARD_MATERIAL_FLAGS_UNLIT_BIT) == 0u) {
        return apply_pbr_lighting(pbr_input);
    }
    return pbr_input.material.base_color;
}

// The output for a lit color, after fog and tone mapping.
fn color_output(in: VertexOutput, pbr_input: PbrInput, color: vec4<f32>) -> FragmentOutput {
    var out: FragmentOutput;
    out.color = main_pass_post_lighting_processing(pbr_input, color);
#ifdef OIT_ENABLED
    let alpha_mode = pbr_input.material.flags & pbr_types::STANDARD_MATERIAL_FLAGS_ALPHA_MODE_RESERVED_BITS;
    if (alpha_mode != pbr_types::STANDARD_MATERIAL_FLAGS_ALPHA_MODE_OPAQUE) {
        oit_draw(in.position, out.color);
        discard;
    }
#endif
    return out;
}
#endif
