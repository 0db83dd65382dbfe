//! The sounds and surface effects of a model's animations: see [`AloLoaderSettings::sound_table`].

use crate::formats::alamo::animation::asset::AloAnimation;
use crate::formats::alamo::animation::pairing::stem;
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::load::find::FileSearch;
use crate::load::names::uppercased;
use crate::root::events::StoredEvent;
use bevy::asset::LoadContext;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use classic_model_formats::ala::sfx_map::{self, SfxMap};

/// Adds the events of the table of the settings, if there is one. Without the file, this is a warning.
pub(crate) async fn add_sounds(
    animations: &mut [AloAnimation],
    settings: &AloLoaderSettings,
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
    let SfxMap { events, warnings } = sfx_map::parse(&bytes);
    for warning in warnings {
        warn!("{path}:{warning}");
    }
    let model = stem(&model);
    let names = animations.iter().enumerate();
    let names = names.map(|(index, animation)| (format!("{model}_{}", animation.name), index));
    let names: HashMap<String, usize> = names.collect();
    for event in events {
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
