//! Registers this module's assets, loaders and systems.

use crate::formats::lgw::asset::{Lgw, LgwMaterial};
use crate::formats::lgw::components::LgwMesh;
use crate::formats::lgw::instance::show_parts;
use crate::formats::lgw::material;
use crate::formats::lgw::settings::LgwLoaderSettings;
use crate::root::environment::ClassicModelsSystems;
use crate::spawn::plugin::{add_format, finish_format};
use crate::texture::plugin::TexturePlugin;
use crate::texture::sampling::Samplings;
use bevy::prelude::*;

/// Models of UFO: Aftermath. Part of [`ClassicModelsPlugins`](crate::ClassicModelsPlugins).
pub struct LgwPlugin {
    /// Extensions of the models, without the dot. Every combination of cases is registered.
    ///
    /// Other plugins may claim `lgw` for other formats; the last one registered wins.
    pub extensions: Vec<String>,
    /// The settings of models. Those that a `.meta` file or a load sets to other values than the built-in defaults override
    /// them.
    pub defaults: LgwLoaderSettings,
}

impl Default for LgwPlugin {
    fn default() -> Self {
        Self {
            extensions: vec!["lgw".into()],
            defaults: LgwLoaderSettings::default(),
        }
    }
}

impl Plugin for LgwPlugin {
    fn build(&self, app: &mut App) {
        add_format::<Lgw>(app, &self.extensions);
        if !app.is_plugin_added::<TexturePlugin>() {
            app.add_plugins(TexturePlugin);
        }
        // Apps without rendering have no plugin that registers it.
        if !app.world().contains_resource::<Assets<StandardMaterial>>() {
            app.init_asset::<StandardMaterial>();
        }
        material::register(app);
        app.init_asset::<Lgw>()
            .init_asset::<LgwMaterial>()
            .register_type::<LgwMesh>()
            .add_systems(
                PostUpdate,
                show_parts.in_set(ClassicModelsSystems::Appearance),
            );
    }

    fn finish(&self, app: &mut App) {
        let samplings = app.world().resource::<Samplings>().clone();
        finish_format::<Lgw>(app, &self.extensions, &self.defaults, samplings);
    }
}
