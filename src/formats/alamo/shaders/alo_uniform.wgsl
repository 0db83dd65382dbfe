// The parameters of Alamo materials: see AloUniform.
#define_import_path bevy_classic_models::alo_uniform

struct Alo {
    colorization: vec4<f32>,
    diffuse: vec4<f32>,
    emissive: vec4<f32>,
    atmosphere: vec4<f32>,
    city_color: vec4<f32>,
    reflection: vec4<f32>,
    wind: vec4<f32>,
    grass: vec4<f32>,
    uv_scroll: vec2<f32>,
    extra_scroll: vec2<f32>,
    uv_scale: f32,
    extra_scale: f32,
    specular: f32,
    gloss: u32,
    team: u32,
    extra: u32,
    additive: u32,
    is_grass: u32,
}
