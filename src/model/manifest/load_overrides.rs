//! What manifests say about the loading of their models, of which one asset may have several that disagree.

use super::manifest::ModelManifest;
use super::resolve::ResolvedFiles;
use crate::scene::{LoaderOverride, LoaderOverrides};
use bevy::asset::{AssetEvent, AssetId, AssetPath, AssetServer, Assets};
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::Res;
use bevy::ecs::world::{FromWorld, World};
use bevy::log::warn;
use bevy::world_serialization::WorldAsset;
use std::collections::HashSet;
use std::ops::DerefMut;
use std::sync::{Arc, Mutex, PoisonError};

/// What manifests say about the loading of models, the eldest first. Clones share one list, of which the loader of
/// manifests has one: what a manifest says must be known before its model is loaded.
#[derive(Resource, Clone)]
pub(super) struct LoadOverrides {
    all: Arc<Mutex<Vec<LoadOverride>>>,
    overrides: LoaderOverrides,
    server: AssetServer,
}

#[derive(Clone)]
struct LoadOverride {
    manifest: ManifestKey,
    model: AssetPath<'static>,
    value: LoaderOverride,
    /// The manifest was dropped while its model was in use. The claim counts until the model is dropped too, or another
    /// manifest that states something for the model is edited.
    is_orphan: bool,
}

/// By what a manifest is known: from a file by its path, because it may be dropped and loaded again.
#[derive(Clone, PartialEq)]
enum ManifestKey {
    Path(AssetPath<'static>),
    Id(AssetId<ModelManifest>),
}

impl FromWorld for LoadOverrides {
    fn from_world(world: &mut World) -> Self {
        Self {
            all: Arc::default(),
            overrides: LoaderOverrides::of(world),
            server: world.resource::<AssetServer>().clone(),
        }
    }
}

/// Tells loaders what manifests say, and has models loaded anew for which that has changed.
pub(super) fn follow_claims(
    mut events: MessageReader<AssetEvent<ModelManifest>>,
    mut scenes: MessageReader<AssetEvent<WorldAsset>>,
    claims: Res<LoadOverrides>,
    manifests: Res<Assets<ModelManifest>>,
) {
    let mut is_any_dropped = false;
    for event in events.read() {
        match event {
            AssetEvent::Added { id } | AssetEvent::Modified { id } => {
                if let Some(manifest) = manifests.get(*id) {
                    claims.set(*id, manifest);
                }
            }
            AssetEvent::Removed { .. } => is_any_dropped = true,
            _ => {}
        }
    }
    let is_removed = |event: &AssetEvent<WorldAsset>| matches!(event, AssetEvent::Removed { .. });
    // All are read, so that none is left for the next frame.
    is_any_dropped |= scenes.read().filter(|event| is_removed(event)).count() > 0;
    if is_any_dropped {
        claims.forget_dropped(&manifests);
    }
}

/// What a manifest says about the loading of its model, if that is anything.
fn claim(key: &ManifestKey, manifest: &ModelManifest) -> Option<LoadOverride> {
    let ResolvedFiles {
        model,
        palette,
        texture_folders,
        ..
    } = manifest.whereabouts();
    let value = LoaderOverride {
        texture_folders,
        palette,
        load_lights: manifest.load_lights,
    };
    let is_something = value != LoaderOverride::default();
    is_something.then_some(LoadOverride {
        manifest: key.clone(),
        model: model?,
        value,
        is_orphan: false,
    })
}

/// Whether a model is loaded, or being so. One that is not will be with what is said by then.
fn is_alive(server: &AssetServer, model: &AssetPath<'static>) -> bool {
    let scene = model.clone().with_label("Scene");
    !server.get_handles_untyped(model).is_empty() || !server.get_handles_untyped(scene).is_empty()
}

impl LoadOverrides {
    /// Takes down what a manifest says now, and reloads models for which that makes a difference.
    pub(super) fn set(&self, id: AssetId<ModelManifest>, manifest: &ModelManifest) {
        let key = match self.server.get_path(id) {
            Some(path) => ManifestKey::Path(path.into_owned()),
            None => ManifestKey::Id(id),
        };
        let claim = claim(&key, manifest);
        let mut all = self.all();
        let known = all.iter_mut().find(|known| known.manifest == key);
        let edited = match (known, &claim) {
            (None, None) => return,
            (Some(known), Some(claim))
                if (&known.model, &known.value) == (&claim.model, &claim.value) =>
            {
                known.is_orphan = false;
                return;
            }
            (None, Some(_)) => None,
            (Some(_), Some(claim)) => Some(claim.model.clone()),
            (Some(known), None) => Some(known.model.clone()),
        };
        if let Some(model) = edited {
            // Otherwise the edit would have no effect: a manifest that was dropped is not edited.
            all.retain(|other| other.manifest == key || !other.is_orphan || other.model != model);
        }
        for model in self.put(&mut all, &key, claim) {
            self.apply(&all, model);
        }
    }

    fn all(&self) -> impl DerefMut<Target = Vec<LoadOverride>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells the loader of a model what counts for it.
    fn apply(&self, all: &[LoadOverride], model: AssetPath<'static>) {
        let first = all.iter().find(|claim| claim.model == model);
        let value = first.map(|claim| claim.value.clone()).unwrap_or_default();
        if set_override(&self.overrides, &model, value) && is_alive(&self.server, &model) {
            self.server.reload(model);
        }
    }

    /// Forgets the claims of manifests that were dropped. If the model of one is still in use and its claim counts, the
    /// claim is kept: the model would be reloaded, though nothing was edited.
    fn forget_dropped(&self, manifests: &Assets<ModelManifest>) {
        let mut all = self.all();
        let mut kept = HashSet::new();
        let mut forgotten = HashSet::new();
        all.retain_mut(|claim| {
            claim.is_orphan = !self.is_loaded(&claim.manifest, manifests);
            let counts = !kept.contains(&claim.model);
            let is_kept = !claim.is_orphan || (counts && is_alive(&self.server, &claim.model));
            let models = if is_kept { &mut kept } else { &mut forgotten };
            models.insert(claim.model.clone());
            is_kept
        });
        for model in forgotten {
            self.apply(&all, model);
        }
    }

    /// Whether a manifest is loaded, or being so.
    fn is_loaded(&self, manifest: &ManifestKey, manifests: &Assets<ModelManifest>) -> bool {
        match manifest {
            ManifestKey::Path(path) => {
                let path = path.clone();
                self.server.get_handle::<ModelManifest>(path).is_some()
            }
            ManifestKey::Id(id) => manifests.contains(*id),
        }
    }

    /// Puts a manifest's claim in the place of that which it has; the models that either is about.
    fn put(
        &self,
        all: &mut Vec<LoadOverride>,
        key: &ManifestKey,
        claim: Option<LoadOverride>,
    ) -> Vec<AssetPath<'static>> {
        let mut models = Vec::new();
        let place = all.iter().position(|claim| claim.manifest == *key);
        let Some(claim) = claim else {
            models.extend(place.map(|place| all.remove(place).model));
            return models;
        };
        models.push(claim.model.clone());
        let place = match place {
            Some(place) if all[place].model == claim.model => {
                all[place] = claim;
                place
            }
            before => {
                models.extend(before.map(|place| all.remove(place).model));
                all.push(claim);
                all.len() - 1
            }
        };
        warn_of(all, place);
        models
    }
}

/// Warns of a claim that does not count.
fn warn_of(all: &[LoadOverride], place: usize) {
    let claim = &all[place];
    let first = all.iter().find(|other| other.model == claim.model);
    let Some(first) = first.filter(|first| first.value != claim.value) else {
        return;
    };
    let name = |claim: &LoadOverride| match &claim.manifest {
        ManifestKey::Path(path) => path.to_string(),
        ManifestKey::Id(_) => "a manifest without a file".to_owned(),
    };
    warn!(
        "{} states other texture folders, another palette or other lights for {} than {}, which was there first and counts",
        name(claim),
        claim.model,
        name(first),
    );
}

/// Says what goes before the settings of a model from now on; whether that is news.
fn set_override(
    overrides: &LoaderOverrides,
    model: &AssetPath<'static>,
    value: LoaderOverride,
) -> bool {
    let mut overrides = overrides.0.write().unwrap_or_else(PoisonError::into_inner);
    let before = match value == LoaderOverride::default() {
        true => overrides.remove(model),
        false => overrides.insert(model.clone(), value.clone()),
    };
    before.unwrap_or_default() != value
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::app::{App, TaskPoolPlugin};
    use bevy::asset::{AssetApp, AssetPlugin, Handle};

    const MODEL: &str = "claimed.mdl";

    struct Stage {
        claims: LoadOverrides,
        manifests: Assets<ModelManifest>,
        /// The model is in use.
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
            let claims = LoadOverrides::from_world(app.world_mut());
            let scene = AssetPath::from(MODEL).with_label("Scene");
            Self {
                _scene: claims.server.load(scene),
                manifests: Assets::default(),
                claims,
                _app: app,
            }
        }

        /// What a manifest without a file states about the lights of the model.
        fn set(&mut self, id: AssetId<ModelManifest>, load_lights: Option<bool>) {
            let manifest = ModelManifest {
                model: MODEL.into(),
                load_lights,
                ..ModelManifest::default()
            };
            self.claims.set(id, &manifest);
        }

        fn insert(&mut self, load_lights: bool) -> Handle<ModelManifest> {
            let manifest = self.manifests.add(ModelManifest::default());
            self.set(manifest.id(), Some(load_lights));
            manifest
        }

        fn remove(&mut self, manifest: &Handle<ModelManifest>) {
            self.manifests.remove(manifest);
            self.claims.forget_dropped(&self.manifests);
        }

        /// What counts for the lights of the model.
        fn lights(&self) -> Option<bool> {
            let model = AssetPath::from(MODEL);
            self.claims.overrides.get(&model).load_lights
        }
    }

    #[test]
    fn dropped_manifests_leave_one_claim_for_a_model_in_use() {
        let mut stage = Stage::new();
        for number in 0..100 {
            let manifest = stage.insert(number > 0);
            stage.remove(&manifest);
            assert_eq!(stage.claims.all().len(), 1);
            assert_eq!(stage.lights(), Some(false), "nothing was edited");
        }
        let living = stage.insert(true);
        let other = stage.insert(true);
        stage.remove(&other);
        assert_eq!(stage.claims.all().len(), 2);
        stage.remove(&living);
        assert_eq!(stage.claims.all().len(), 1);
        assert_eq!(stage.lights(), Some(false));
    }

    #[test]
    fn an_edit_replaces_the_claim_of_a_dropped_manifest() {
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
    fn an_edit_leaves_the_claim_of_a_loaded_manifest() {
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
