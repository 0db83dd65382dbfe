//! The asset of the games' sound events, and its loader.

use crate::load::error::ModelLoadError;
use crate::load::loading::ModelLoading;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::prelude::*;
use bevy::reflect::TypePath;
use classic_model_formats::ala::sound_events::SoundEvents;

/// How the events of [`sound_table`](crate::alamo::AloLoaderSettings::sound_table) sound, by their names: the
/// `SFXEvents*.xml` of Empire at War and Forces of Corruption.
///
/// Load `data/xml/SFXEventFiles.xml`, which lists the files of a game, or one file. Listed files that are missing or malformed
/// are left out, with a warning. No extension is registered, so load it by its type:
/// `asset_server.load::<AloSoundEvents>("eaw://data/xml/sfxeventfiles.xml")`. It reloads when one of the files changes.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::alamo::AloSoundEvents;
/// # use bevy_classic_models::prelude::*;
/// #[derive(Resource)]
/// struct Sounds(Handle<AloSoundEvents>);
///
/// fn play(event: On<ModelEvent>, sounds: Res<Sounds>, assets: Res<Assets<AloSoundEvents>>) {
///     let Some(sound) = assets.get(&sounds.0).and_then(|sounds| sounds.get(&event.name)) else {
///         return;
///     };
///     if let Some(sample) = sound.samples.iter().next() {
///         info!("{sample} with a volume of {:?}", sound.volume);
///     }
/// }
/// # App::new().add_observer(play);
/// ```
#[derive(Asset, TypePath, Clone, Debug, Default, Deref)]
pub struct AloSoundEvents(pub SoundEvents);

/// Loads [`AloSoundEvents`].
#[derive(TypePath)]
#[type_path = "bevy_classic_models::alamo"]
pub struct AloSoundEventsLoader {
    loading: ModelLoading,
}

impl AloSoundEventsLoader {
    pub(crate) fn new(loading: ModelLoading) -> Self {
        Self { loading }
    }
}

impl AssetLoader for AloSoundEventsLoader {
    type Asset = AloSoundEvents;
    type Settings = ();
    type Error = ModelLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        (): &(),
        load_context: &mut LoadContext<'_>,
    ) -> Result<AloSoundEvents, ModelLoadError> {
        let load = self.loading.begin(load_context);
        let bytes = load.read(reader).await?;
        let mut events = SoundEvents::default();
        let list = load.parsed(events.add(&bytes))?;
        load.warn(&list.warnings);
        let path = load_context.path().clone();
        let mut search = load.search();
        for name in &list.files {
            let file = match search.find(name, &[]).await {
                Ok(file) => file,
                Err(not_found) => {
                    warn!("{path}: events are missing: {not_found}");
                    continue;
                }
            };
            search.note_read(&file);
            let bytes = match load_context.read_asset_bytes(file.clone()).await {
                Ok(bytes) => bytes,
                Err(error) => {
                    search.note_unusable(file.path());
                    warn!("{path}: events are missing: {file}: {error}");
                    continue;
                }
            };
            load.add_input(&bytes);
            match events.add(&bytes) {
                Ok(added) => {
                    for warning in added.warnings {
                        warn!("{file}:{warning}");
                    }
                }
                Err(error) => warn!("{file}:{error}; the events after it are missing"),
            }
        }
        Ok(AloSoundEvents(events))
    }
}
