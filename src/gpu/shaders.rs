//! Preloads the shaders of this crate.
//!
//! Bevy loads a shader when the first material uses it, and draws nothing with that material until then. Without
//! preloading, a model that reloads with a new type of material would disappear for some frames.

use bevy::asset::{AssetPath, embedded_asset};
use bevy::prelude::*;
use bevy::shader::ShaderRef;

/// Handles that keep the shaders loaded.
#[derive(Resource, Default)]
struct PreloadedShaders(Vec<Handle<Shader>>);

/// Loads the WGSL modules that several shaders import.
pub(crate) fn register(app: &mut App) {
    embedded_asset!(app, "shaders/additive_fog.wgsl");
    embedded_asset!(app, "shaders/fragment_output.wgsl");
    embedded_asset!(app, "shaders/pose_row.wgsl");
    embedded_asset!(app, "shaders/vertex_output.wgsl");
    for module in [
        "additive_fog",
        "fragment_output",
        "pose_row",
        "vertex_output",
    ] {
        let path = format!("gpu/shaders/{module}.wgsl");
        preload_shader(app, embedded_shader(&path));
    }
}

/// An embedded shader, by its path in `src`.
pub(crate) fn embedded_shader(path: &str) -> ShaderRef {
    let path = format!("embedded://bevy_classic_models/{path}");
    ShaderRef::Path(AssetPath::parse(&path).into_owned())
}

/// Loads an embedded shader, if the app has a renderer.
pub(crate) fn preload_shader(app: &mut App, shader: ShaderRef) {
    let ShaderRef::Path(path) = shader else {
        return;
    };
    if app.world().contains_resource::<Assets<Shader>>() {
        let shader = app.world().resource::<AssetServer>().load(path);
        let mut shaders = app.world_mut().get_resource_or_init::<PreloadedShaders>();
        shaders.0.push(shader);
    }
}
