//! What manifests say about the loading of their models, of which one asset may have several that disagree.

use super::document::ModelManifest;
use super::files::Whereabouts;
use crate::scene::{LoaderOverride, LoaderOverrides};
use bevy::asset::{AssetEvent, AssetId, AssetPath, AssetServer, Assets};
use bevy::ecs::change_detection::Mut;
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::{Res, ResMut};
use bevy::ecs::world::World;
use bevy::log::warn;

/// All that living manifests say about the loading of models, the eldest first.
#[derive(Resource, Default)]
pub(super) struct Claims(Vec<Claim>);

#[derive(PartialEq)]
struct Claim {
    manifest: AssetId<ModelManifest>,
    model: AssetPath<'static>,
    value: LoaderOverride,
}

/// Tells loaders what manifests say, and has models loaded anew for which that has changed.
pub(super) fn follow_claims(
    mut events: MessageReader<AssetEvent<ModelManifest>>,
    mut claims: ResMut<Claims>,
    manifests: Res<Assets<ModelManifest>>,
    overrides: Res<LoaderOverrides>,
    server: Res<AssetServer>,
) {
    for event in events.read() {
        let (AssetEvent::Added { id } | AssetEvent::Modified { id } | AssetEvent::Removed { id }) =
            event
        else {
            continue;
        };
        let claim = manifests.get(*id).and_then(|manifest| claim(*id, manifest));
        claims.follow(*id, claim, &overrides, &server);
    }
}

/// As [`follow_claims`], for one manifest whose model is about to be loaded.
pub(super) fn note_claim(world: &mut World, id: AssetId<ModelManifest>, manifest: &ModelManifest) {
    world.resource_scope(|world, mut claims: Mut<Claims>| {
        let overrides = world.resource::<LoaderOverrides>();
        let server = world.resource::<AssetServer>();
        claims.follow(id, claim(id, manifest), overrides, server);
    });
}

/// What a manifest says about the loading of its model, if that is anything.
fn claim(id: AssetId<ModelManifest>, manifest: &ModelManifest) -> Option<Claim> {
    let Whereabouts {
        model,
        palette,
        texture_folders,
        ..
    } = manifest.whereabouts();
    let value = LoaderOverride {
        texture_folders,
        palette,
    };
    let is_something = !value.is_empty();
    is_something.then_some(Claim {
        manifest: id,
        model: model?,
        value,
    })
}

/// Whether a model is loaded, or being so. One that is not will be with what is said by then.
fn is_alive(server: &AssetServer, model: &AssetPath<'static>) -> bool {
    let scene = model.clone().with_label("Scene");
    !server.get_handles_untyped(model).is_empty() || !server.get_handles_untyped(scene).is_empty()
}

impl Claims {
    fn follow(
        &mut self,
        id: AssetId<ModelManifest>,
        claim: Option<Claim>,
        overrides: &LoaderOverrides,
        server: &AssetServer,
    ) {
        if self.0.iter().find(|of| of.manifest == id) == claim.as_ref() {
            return;
        }
        for model in self.put(id, claim, server) {
            let value = self.first(&model);
            if overrides.set(&model, value) && is_alive(server, &model) {
                server.reload(model);
            }
        }
    }

    /// Puts a manifest's claim in the place of that which it has; the models that either is about.
    fn put(
        &mut self,
        id: AssetId<ModelManifest>,
        claim: Option<Claim>,
        server: &AssetServer,
    ) -> Vec<AssetPath<'static>> {
        let mut models = Vec::new();
        let place = self.0.iter().position(|claim| claim.manifest == id);
        let Some(claim) = claim else {
            models.extend(place.map(|place| self.0.remove(place).model));
            return models;
        };
        models.push(claim.model.clone());
        let place = match place {
            Some(place) if self.0[place].model == claim.model => {
                self.0[place] = claim;
                place
            }
            before => {
                models.extend(before.map(|place| self.0.remove(place).model));
                self.0.push(claim);
                self.0.len() - 1
            }
        };
        self.warn_of(place, server);
        models
    }

    /// Warns of a claim that does not count.
    fn warn_of(&self, place: usize, server: &AssetServer) {
        let claim = &self.0[place];
        let first = self.0.iter().find(|other| other.model == claim.model);
        let Some(first) = first.filter(|first| first.value != claim.value) else {
            return;
        };
        let name = |claim: &Claim| match server.get_path(claim.manifest) {
            Some(path) => path.to_string(),
            None => "a manifest without a file".to_owned(),
        };
        warn!(
            "{} states other texture folders or another palette for {} than {}, which was there first and counts",
            name(claim),
            claim.model,
            name(first),
        );
    }

    /// What counts for a model.
    fn first(&self, model: &AssetPath<'static>) -> LoaderOverride {
        let first = self.0.iter().find(|claim| claim.model == *model);
        first.map(|claim| claim.value.clone()).unwrap_or_default()
    }
}
