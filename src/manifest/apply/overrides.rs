//! The loader settings in manifests. Several manifests can have different settings for one model; the first one
//! applies.

use crate::load::labels::is_model_in_use;
use crate::load::loading::{LoaderOverride, LoaderOverrides};
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::resolve::ResolvedFiles;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use std::collections::HashSet;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

/// The loader settings in manifests, the oldest first. Clones share one list. The manifest loader has a clone, because
/// the settings of a manifest must be set before its model is loaded.
#[derive(Resource, Clone)]
pub(crate) struct ManifestOverrides {
    all: Arc<Mutex<Vec<ManifestOverride>>>,
    /// The settings that apply, which model loaders read.
    effective: LoaderOverrides,
    server: AssetServer,
}

/// The loader settings of one manifest for its model.
#[derive(Clone)]
struct ManifestOverride {
    manifest: ManifestKey,
    model: AssetPath<'static>,
    value: LoaderOverride,
    /// The manifest was dropped while its model was in use. The settings remain until the model is dropped too, or
    /// until another manifest with settings for the model is edited.
    is_orphan: bool,
}

/// Identifies a manifest. For one from a file this is the path, because it may be dropped and loaded again.
#[derive(Clone, PartialEq)]
enum ManifestKey {
    Path(AssetPath<'static>),
    Id(AssetId<ModelManifest>),
}

impl FromWorld for ManifestOverrides {
    fn from_world(world: &mut World) -> Self {
        Self {
            all: Arc::default(),
            effective: LoaderOverrides::of(world),
            server: world.resource::<AssetServer>().clone(),
        }
    }
}

/// Updates the loader settings from manifests that were loaded, changed or dropped, and reloads models whose settings
/// changed.
pub(crate) fn update_manifest_overrides(
    mut events: MessageReader<AssetEvent<ModelManifest>>,
    mut scenes: MessageReader<AssetEvent<WorldAsset>>,
    overrides: Res<ManifestOverrides>,
    manifests: Res<Assets<ModelManifest>>,
) {
    let mut is_any_dropped = false;
    for event in events.read() {
        match event {
            AssetEvent::Added { id } | AssetEvent::Modified { id } => {
                if let Some(manifest) = manifests.get(*id) {
                    overrides.set(*id, manifest);
                }
            }
            AssetEvent::Removed { .. } => is_any_dropped = true,
            _ => {}
        }
    }
    let is_removed = |event: &AssetEvent<WorldAsset>| matches!(event, AssetEvent::Removed { .. });
    // `count` reads all events, so that none is left for the next frame.
    is_any_dropped |= scenes.read().filter(|event| is_removed(event)).count() > 0;
    if is_any_dropped {
        overrides.remove_dropped(&manifests);
    }
}

/// The loader settings of a manifest, if it has any.
fn load_override(key: &ManifestKey, manifest: &ModelManifest) -> Option<ManifestOverride> {
    let ResolvedFiles {
        model,
        palette,
        texture_folders,
        ..
    } = manifest.resolve_files();
    let value = LoaderOverride {
        texture_folders,
        palette,
        hole_index: manifest.hole_index,
        external_skins: manifest.external_skins,
        load_lights: manifest.load_lights,
        hidden_bones_hide_children: manifest.hidden_bones_hide_children,
        clip_bones: manifest.clip_bones.clone(),
    };
    let has_settings = value != LoaderOverride::default();
    has_settings.then_some(ManifestOverride {
        manifest: key.clone(),
        model: model?,
        value,
        is_orphan: false,
    })
}

impl ManifestOverrides {
    /// Sets the loader settings of a manifest, and reloads models whose settings change.
    pub(crate) fn set(&self, id: AssetId<ModelManifest>, manifest: &ModelManifest) {
        let key = match self.server.get_path(id) {
            Some(path) => ManifestKey::Path(path.into_owned()),
            None => ManifestKey::Id(id),
        };
        let new = load_override(&key, manifest);
        let new_model = new.as_ref().map(|new| new.model.clone());
        let mut all = self.all();
        let old = all.iter_mut().find(|old| old.manifest == key);
        let old_model = old.as_ref().map(|old| old.model.clone());
        match (old, &new) {
            (None, None) => return,
            (Some(old), Some(new)) if (&old.model, &old.value) == (&new.model, &new.value) => {
                old.is_orphan = false;
                return;
            }
            _ => {}
        }
        if old_model.is_some() {
            // Older settings of a dropped manifest would override the edit, and no system could change them.
            let edited = new_model.as_ref().or(old_model.as_ref());
            let is_kept = |other: &ManifestOverride| {
                other.manifest == key || !other.is_orphan || Some(&other.model) != edited
            };
            all.retain(is_kept);
        }
        let place = all.iter().position(|old| old.manifest == key);
        if let Some(place) = place {
            all.remove(place);
        }
        if let Some(new) = new {
            // Settings for another model are the newest of that model.
            let place = place.filter(|_| new_model == old_model);
            let place = place.unwrap_or(all.len());
            all.insert(place, new);
            warn_if_ignored(&all, place);
        }
        let models: HashSet<_> = old_model.into_iter().chain(new_model).collect();
        for model in models {
            self.apply(&all, model);
        }
    }

    fn all(&self) -> impl DerefMut<Target = Vec<ManifestOverride>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the settings that apply to a model, and reloads it if they changed.
    fn apply(&self, all: &[ManifestOverride], model: AssetPath<'static>) {
        let first = all.iter().find(|other| other.model == model);
        let value = first.map(|first| first.value.clone()).unwrap_or_default();
        if self.effective.set(&model, value) && is_model_in_use(&self.server, &model) {
            self.server.reload(model);
        }
    }

    /// Removes the settings of manifests that were dropped. If such settings apply to a model that is still in use,
    /// they are kept. Otherwise the model would be reloaded although nothing was edited.
    fn remove_dropped(&self, manifests: &Assets<ModelManifest>) {
        let mut all = self.all();
        let mut kept = HashSet::new();
        let mut removed = HashSet::new();
        all.retain_mut(|item| {
            item.is_orphan = !self.is_loaded(&item.manifest, manifests);
            let applies = !kept.contains(&item.model);
            let is_kept =
                !item.is_orphan || (applies && is_model_in_use(&self.server, &item.model));
            let models = if is_kept { &mut kept } else { &mut removed };
            models.insert(item.model.clone());
            is_kept
        });
        for model in removed {
            self.apply(&all, model);
        }
    }

    /// Whether a manifest is loaded or being loaded.
    fn is_loaded(&self, manifest: &ManifestKey, manifests: &Assets<ModelManifest>) -> bool {
        match manifest {
            ManifestKey::Path(path) => {
                let path = path.clone();
                self.server.get_handle::<ModelManifest>(path).is_some()
            }
            ManifestKey::Id(id) => manifests.contains(*id),
        }
    }
}

/// Warns if other settings apply to the model.
fn warn_if_ignored(all: &[ManifestOverride], index: usize) {
    let ignored = &all[index];
    let first = all.iter().find(|other| other.model == ignored.model);
    let Some(first) = first.filter(|first| first.value != ignored.value) else {
        return;
    };
    let name = |item: &ManifestOverride| match &item.manifest {
        ManifestKey::Path(path) => path.to_string(),
        ManifestKey::Id(_) => "a manifest without a file".to_owned(),
    };
    warn!(
        "{}: its texture_folders, palette, hole_index, external_skins, load_lights, hidden_bones_hide_children and clip_bones for {} \
         differ from those of {}, \
         which was loaded first: they are ignored",
        name(ignored),
        ignored.model,
        name(first),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::labels::scene_path;
    use bevy::app::{App, TaskPoolPlugin};
    use bevy::asset::{AssetApp, AssetPlugin, Handle};

    const MODEL: &str = "overridden.mdl";

    struct Stage {
        overrides: ManifestOverrides,
        manifests: Assets<ModelManifest>,
        /// Keeps the model in use.
        _scene: Handle<WorldAsset>,
        /// Its asset server owns the handles.
        _app: App,
    }

    impl Stage {
        fn new() -> Self {
            let assets = AssetPlugin {
                watch_for_changes_override: Some(false),
                ..AssetPlugin::default()
            };
            let mut app = App::new();
            app.add_plugins((TaskPoolPlugin::default(), assets))
                .init_asset::<ModelManifest>()
                .init_asset::<WorldAsset>()
                .init_resource::<LoaderOverrides>();
            let overrides = ManifestOverrides::from_world(app.world_mut());
            let scene = scene_path(&AssetPath::from(MODEL));
            Self {
                _scene: overrides.server.load(scene),
                manifests: Assets::default(),
                overrides,
                _app: app,
            }
        }

        /// Sets `load_lights` for the model from a manifest without a file.
        fn set(&mut self, id: AssetId<ModelManifest>, load_lights: Option<bool>) {
            let manifest = ModelManifest {
                model: MODEL.into(),
                load_lights,
                ..ModelManifest::default()
            };
            self.overrides.set(id, &manifest);
        }

        fn insert(&mut self, load_lights: bool) -> Handle<ModelManifest> {
            let manifest = self.manifests.add(ModelManifest::default());
            self.set(manifest.id(), Some(load_lights));
            manifest
        }

        fn remove(&mut self, manifest: &Handle<ModelManifest>) {
            self.manifests.remove(manifest);
            self.overrides.remove_dropped(&self.manifests);
        }

        /// The `load_lights` that applies to the model.
        fn lights(&self) -> Option<bool> {
            let model = AssetPath::from(MODEL);
            self.overrides.effective.get(&model).load_lights
        }
    }

    #[test]
    fn dropped_manifests_leave_one_override_for_a_model_in_use() {
        let mut stage = Stage::new();
        for number in 0..100 {
            let manifest = stage.insert(number > 0);
            stage.remove(&manifest);
            assert_eq!(stage.overrides.all().len(), 1);
            assert_eq!(stage.lights(), Some(false), "nothing was edited");
        }
        let living = stage.insert(true);
        let other = stage.insert(true);
        stage.remove(&other);
        assert_eq!(stage.overrides.all().len(), 2);
        stage.remove(&living);
        assert_eq!(stage.overrides.all().len(), 1);
        assert_eq!(stage.lights(), Some(false));
    }

    #[test]
    fn an_edit_replaces_the_override_of_a_dropped_manifest() {
        for (edited, expected) in [(Some(false), Some(false)), (None, None)] {
            let mut stage = Stage::new();
            let dropped = stage.insert(true);
            let living = stage.insert(true);
            stage.remove(&dropped);
            assert_eq!(stage.lights(), Some(true));
            stage.set(living.id(), edited);
            assert_eq!(stage.lights(), expected);
        }
    }

    #[test]
    fn an_edit_keeps_the_override_of_a_loaded_manifest() {
        let mut stage = Stage::new();
        let first = stage.insert(true);
        let second = stage.insert(true);
        stage.set(second.id(), Some(false));
        assert_eq!(stage.lights(), Some(true));
        stage.remove(&second);
        assert_eq!(stage.lights(), Some(true));
        stage.set(first.id(), Some(false));
        assert_eq!(stage.lights(), Some(false));
    }
}
