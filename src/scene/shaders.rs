//! Shaders of this crate, in memory from the start: Bevy loads a shader when the first material wants it, and until
//! then draws nothing that wears that. A model whose file changes to a material of a new kind would be gone for frames.

use bevy::app::App;
use bevy::asset::{AssetPath, AssetServer, Assets, Handle, embedded_asset};
use bevy::ecs::resource::Resource;
use bevy::shader::{Shader, ShaderRef};

/// As long as this is there, Bevy keeps them.
#[derive(Resource, Default)]
struct Shaders(Vec<Handle<Shader>>);

/// Loads the modules that several shaders import.
pub(super) fn register(app: &mut App) {
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
        let path = format!("scene/shaders/{module}.wgsl");
        hold_shader(app, embedded_shader(&path));
    }
}

/// A shader that was embedded, by its path in `src`.
pub(crate) fn embedded_shader(path: &str) -> ShaderRef {
    let path = format!("embedded://bevy_classic_models/{path}");
    ShaderRef::Path(AssetPath::parse(&path).into_owned())
}

/// Loads a shader that was embedded, where anything is drawn.
pub(crate) fn hold_shader(app: &mut App, shader: ShaderRef) {
    let ShaderRef::Path(path) = shader else {
        return;
    };
    if app.world().contains_resource::<Assets<Shader>>() {
        let shader = app.world().resource::<AssetServer>().load(path);
        let mut shaders = app.world_mut().get_resource_or_init::<Shaders>();
        shaders.0.push(shader);
    }
}
