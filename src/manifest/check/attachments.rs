//! Checks what a manifest sets for its attachments. Part of [`ManifestCheck`](crate::manifest::ManifestCheck).

use crate::manifest::check::clips::missing_clip;
use crate::manifest::check::manifest::{Found, missing_skin};
use crate::manifest::classic_model::ClassicModel;
use crate::manifest::model_manifest::{ManifestAttachment, ModelManifest};
use crate::manifest::read::problem::Step::{Element, Field};
use crate::manifest::spawn::attachments::find_outermost;
use crate::manifest::spawn::state::ModelState;
use crate::spawn::instance::ModelInstance;
use crate::spawn::unsupported::{ModelComponent, no_effect_warning};
use bevy::prelude::*;

impl Found<'_> {
    /// Finds attachments that are not spawned because they close a cycle or are nested too deep.
    pub(crate) fn check_cycles(&mut self, world: &World, root: Entity) {
        let files = self.manifest.resolve_files();
        for (index, model) in files.attachments.iter().enumerate() {
            let found = model
                .as_ref()
                .map(|model| find_outermost(world, root, model));
            if let Some(Err(message)) = found {
                let steps = [Field("attachments"), Element(index), Field("model")];
                self.add(&steps, &message);
            }
        }
    }

    /// Checks the clips and skins that the manifest sets for its attachments. `None` while one of their models is spawning.
    pub(crate) fn check_overrides(&mut self, world: &mut World, root: Entity) -> Option<()> {
        let state = world.get::<ModelState>(root);
        let spawned = state.into_iter().flat_map(|state| &state.attachments);
        let spawned: Vec<(usize, Entity)> = spawned.map(|it| (it.index, it.entity)).collect();
        let manifest = self.manifest;
        for (index, entity) in spawned {
            let Some(attachment) = manifest.attachments.get(index) else {
                continue;
            };
            if world.get::<ModelInstance>(entity).is_none() {
                // A model that was loaded is spawned in one of the next frames. One that failed has a problem of its own.
                let is_loaded = |state: &ModelState| state.current.is_some();
                if world.get::<ModelState>(entity).is_some_and(is_loaded) {
                    return None;
                }
                continue;
            }
            for (field, problem) in override_problems(world, entity, attachment) {
                let steps = [Field("attachments"), Element(index), Field(field)];
                let model = model_path(world, entity);
                self.add(&steps, &format!("{model} {problem}"));
            }
        }
        Some(())
    }
}

/// The path of the model of a root.
fn model_path(world: &World, root: Entity) -> String {
    let model = world.get::<ClassicModel>(root);
    let manifests = world.resource::<Assets<ModelManifest>>();
    let manifest = model.and_then(|model| manifests.get(&model.0));
    let path = manifest.and_then(|manifest| manifest.files.model());
    path.map(ToString::to_string).unwrap_or_default()
}

/// The problems of the values that an attachment overrides, with their fields. The messages follow the model's path.
fn override_problems(
    world: &mut World,
    entity: Entity,
    attachment: &ManifestAttachment,
) -> Vec<(&'static str, String)> {
    let Some(format) = world
        .get::<ModelInstance>(entity)
        .map(ModelInstance::format)
    else {
        return Vec::new();
    };
    let mut problems = Vec::new();
    if let Some(play) = &attachment.play {
        let problem = no_effect_warning(ModelComponent::PlayClip, format);
        let problem = problem.or_else(|| missing_clip(world, entity, play));
        problems.extend(problem.map(|problem| ("play", problem)));
    }
    if let Some(skin) = &attachment.skin {
        let problem = no_effect_warning(ModelComponent::ModelSkin, format);
        let problem = problem.or_else(|| missing_skin(world, entity, skin));
        problems.extend(problem.map(|problem| ("skin", problem)));
    }
    problems
}
