//! Loads Alamo models with the settings of the viewer, and spawns them.

use crate::view::args::Args;
use crate::view::files::Folders;
use crate::view::viewed_model::ViewedModel;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloLoaderSettings, AloParticles};
use bevy_classic_models::prelude::*;

/// Quake units per Alamo unit, so that models of both formats have similar sizes in the row.
const SCALE: f32 = 4.0;

/// The loader settings of models.
pub fn settings(folders: &Folders) -> impl Fn(&mut AloLoaderSettings) + Send + Sync + 'static {
    let textures = folders.texture_folders();
    move |settings| {
        settings.scale = SCALE;
        settings.texture_folders.extend(textures.iter().cloned());
    }
}

/// Spawns Alamo models that have been loaded.
pub fn spawn_alo(
    mut commands: Commands,
    args: Res<Args>,
    (assets, particles): (Res<Assets<Alo>>, Res<Assets<AloParticles>>),
    models: Query<(Entity, &ViewedModel), Without<WorldAssetRoot>>,
) {
    for (entity, model) in models.iter().filter(|(_, model)| model.manifest.is_none()) {
        let Some(alo) = model.asset(&assets) else {
            continue;
        };
        let mut entity = commands.entity(entity);
        entity.insert((
            WorldAssetRoot(alo.scene.clone()),
            ModelLod(args.lod.unwrap_or_default()),
            DamageStage(args.damage_stage.unwrap_or_default()),
            args.parts.applied_to(PartVisibility::default()),
        ));
        if let Some(team) = args.team {
            entity.insert(TeamColor(team));
        }
        if let Some(particles) = alo.particles.as_ref().and_then(|of| particles.get(of)) {
            info!("{}: {} emitters", model.name, particles.emitters.len());
            continue;
        }
        info!(
            "{}: {} bones, {} meshes, {} lights, {} proxies, {} dazzles, {} clips",
            model.name,
            alo.bones.len(),
            alo.meshes.len(),
            alo.lights.len(),
            alo.proxies.len(),
            alo.dazzles.len(),
            alo.animations.len()
        );
    }
}
