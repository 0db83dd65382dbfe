//! Loads particle systems: the part of the `.alo` loader for files whose first chunk is 0x900.

use crate::formats::alamo::asset::{Alo, AloAssetLabel, AloModel};
use crate::formats::alamo::components::AloShared;
use crate::formats::alamo::dependencies::particle_textures;
use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::draw::is_drawn;
use crate::formats::alamo::particles::{Emitter, parse};
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::formats::alamo::spawn::scene;
use crate::geometry::axes::z_up_forward_minus_y;
use crate::load::error::ModelLoadError;
use crate::load::loading::ModelLoad;
use bevy::asset::{AssetPath, LoadContext};
use bevy::prelude::*;
use std::sync::Arc;

/// Loads a particle system.
pub(crate) async fn load_particles(
    load: &ModelLoad<'_>,
    bytes: &[u8],
    settings: &AloLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Result<(Alo, Vec<Handle<Image>>), ModelLoadError> {
    let file = load.parsed(parse(bytes))?;
    load.warn(&file.warnings);
    warn_about_emitters(load_context.path(), &file.emitters);
    let mut search = load.search();
    let textures = particle_textures(&file.emitters, settings, &mut search, load_context).await;
    let images = textures.iter().flatten().cloned().collect();
    let world_rotation = if settings.convert_axes {
        z_up_forward_minus_y().rotation
    } else {
        Quat::IDENTITY
    };
    let particles = AloParticles::new(file, textures, world_rotation);
    let label = AloAssetLabel::Particles.to_string();
    let particles = load_context.add_labeled_asset(label, particles);
    let model = Arc::new(AloModel::default());
    let shared = Arc::new(AloShared::new(&model, settings, core::iter::empty()));
    let scene = scene(
        &shared,
        Vec::new(),
        Some(particles.clone()),
        settings,
        load_context,
    );
    let alo = Alo {
        scene,
        crowd: None,
        model,
        particles: Some(particles),
    };
    Ok((alo, images))
}

fn warn_about_emitters(path: &AssetPath<'_>, emitters: &[Emitter<'_>]) {
    let hidden = emitters
        .iter()
        .filter(|emitter| !is_drawn(&emitter.properties));
    let names: Vec<&str> = hidden.map(|emitter| &*emitter.name).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        warn!("{path}: emitters with heat, shadow or decal blending are not drawn: {names}");
    }
}
