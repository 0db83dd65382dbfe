//! The sounds and surface effects of a model's animations: see [`AloLoaderSettings::sound_table`].

use crate::formats::alamo::animation::asset::AloAnimation;
use crate::formats::alamo::animation::pairing::stem;
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::load::find::FileSearch;
use crate::load::names::uppercased;
use crate::root::events::StoredEvent;
use bevy::asset::{AssetPath, LoadContext};
use bevy::platform::collections::HashMap;
use bevy::platform::hash::FixedHasher;
use bevy::prelude::*;
use classic_model_formats::ala::sfx_map::{self, SfxMap};
use core::hash::BuildHasher;
use std::sync::{Arc, Mutex, PoisonError};

/// The table that was parsed last, with the hash of its bytes: mostly all models have the same.
#[derive(Default)]
pub(crate) struct SoundTables(Mutex<Option<(u64, Arc<SfxMap>)>>);

impl SoundTables {
    /// The table of a file. Logs its warnings, unless it was the last one.
    fn parse(&self, bytes: &[u8], path: &AssetPath<'_>) -> Arc<SfxMap> {
        let hash = FixedHasher.hash_one(bytes);
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = last.as_ref().filter(|(other, _)| *other == hash) {
            return known.clone();
        }
        let parsed = Arc::new(sfx_map::parse(bytes));
        for warning in &parsed.warnings {
            warn!("{path}:{warning}");
        }
        *last = Some((hash, parsed.clone()));
        parsed
    }
}

/// Adds the events of the table of the settings, if there is one. Warns if the table cannot be read.
pub(crate) async fn add_sounds(
    animations: &mut [AloAnimation],
    settings: &AloLoaderSettings,
    tables: &SoundTables,
    search: &mut FileSearch<'_>,
    load_context: &mut LoadContext<'_>,
) {
    let Some(name) = settings
        .sound_table
        .as_ref()
        .filter(|_| !animations.is_empty())
    else {
        return;
    };
    let model = load_context.path().clone();
    let path = match search.find(name, &[]).await {
        Ok(path) => path,
        Err(not_found) => {
            warn!("{model}: animations have no sounds: {not_found}");
            return;
        }
    };
    search.note_read(&path);
    let bytes = match load_context.read_asset_bytes(path.clone()).await {
        Ok(bytes) => bytes,
        Err(error) => {
            search.note_unusable(path.path());
            warn!("{model}: animations have no sounds: {path}: {error}");
            return;
        }
    };
    let table = tables.parse(&bytes, &path);
    let model = stem(&model);
    let names = animations.iter().enumerate();
    let names = names.map(|(index, animation)| (format!("{model}_{}", animation.name), index));
    let names: HashMap<String, usize> = names.collect();
    for event in &table.events {
        let animation = names.get(&uppercased(&event.animation));
        if let Some(animation) = animation.and_then(|index| animations.get_mut(*index)) {
            animation.events.push(StoredEvent {
                frame: 0,
                seconds: event.seconds,
                string: (*event.name).into(),
                bone: event.bone.as_deref().map(Into::into),
            });
        }
    }
    for animation in animations {
        let seconds = |event: &StoredEvent| event.seconds;
        animation
            .events
            .sort_by(|a, b| seconds(a).total_cmp(&seconds(b)));
    }
}
