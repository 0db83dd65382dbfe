//! Spawns Quake models, and finds their clips.

use crate::view::args::Args;
use crate::view::files::Folders;
use crate::view::viewed_model::ViewedModel;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{Mdl, MdlLoaderSettings};

/// The loader settings of models.
pub fn settings(folders: &Folders) -> impl Fn(&mut MdlLoaderSettings) + Send + Sync + 'static {
    let (palette, hole_index) = (folders.palette(), folders.hole_index);
    move |settings| {
        settings.palette = palette.clone().or_else(|| settings.palette.take());
        settings.hole_index = hole_index.unwrap_or(settings.hole_index);
    }
}

/// Spawns Quake models that have been loaded.
pub fn spawn_mdl(
    mut commands: Commands,
    args: Res<Args>,
    assets: Res<Assets<Mdl>>,
    models: Query<(Entity, &ViewedModel), Without<WorldAssetRoot>>,
) {
    for (entity, model) in models.iter().filter(|(_, model)| model.manifest.is_none()) {
        let Some(mdl) = model.asset(&assets) else {
            continue;
        };
        let clip = args.clip.as_deref().and_then(|name| mdl_clip(mdl, name));
        let play = args.play(clip.unwrap_or(ClipRef::Index(0)));
        let mut entity = commands.entity(entity);
        entity.insert((WorldAssetRoot(mdl.scene.clone()), play));
        if let Some(skin) = &args.skin {
            entity.insert(skin.clone());
        }
        if let Some(colors) = args.colors {
            entity.insert(colors);
        }
        info!(
            "{}: {} vertices, {} poses, {} clips, {} skins",
            model.name,
            mdl.poses.vertex_count(),
            mdl.poses.pose_count(),
            mdl.clips.len(),
            mdl.skins.len()
        );
    }
}

/// A clip of a Quake model by its name, otherwise by its index.
pub fn mdl_clip(mdl: &Mdl, name: &str) -> Option<ClipRef> {
    if mdl.named_clips.contains_key(name) {
        return Some(name.into());
    }
    let index = name.parse::<usize>().ok();
    let index = index.filter(|index| *index < mdl.clips.len());
    index.map(ClipRef::from)
}
