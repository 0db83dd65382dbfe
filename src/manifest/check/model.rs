//! [`ManifestCheck`]: checks a spawned manifest against its model and the files that it names, for tools.

use crate::appearance::skins::{ActiveSkin, unknown_skin_warning};
use crate::load::alternatives::alternatives;
use crate::load::error::first_line;
use crate::load::names::same_name;
use crate::manifest::apply::attachments::find_outermost;
use crate::manifest::apply::state::{ModelState, is_model_loading, manifest_attachments};
use crate::manifest::check::clips::{CheckedValue, clip_problems, missing_clip};
use crate::manifest::check::values::as_name;
use crate::manifest::classic_model::{ClassicModel, is_manifest};
use crate::manifest::model_manifest::{ManifestAttachment, ModelManifest};
use crate::manifest::read::error::Step::{Element, Field, Key};
use crate::manifest::read::error::{Problem, Step, ValuePath};
use crate::manifest::read::paths::{SharedSources, Sources};
use crate::manifest::values::NameOrIndex;
use crate::query::models::ModelQuery;
use crate::root::play::ModelClips;
use crate::root::skins::ModelSkins;
use crate::spawn::instance::{ModelFormat, ModelInstance};
use crate::spawn::unsupported::{ModelComponent, no_effect_warning};
use bevy::asset::{AssetLoadError, AssetPath, LoadState, RecursiveDependencyLoadState};
use bevy::ecs::system::SystemState;
use bevy::prelude::*;
use classic_model_formats::read::TextPosition;
use thiserror::Error;

/// A problem of a value of a manifest with the file that it names, or with the model.
///
/// Displays as `units/soldier.model.ron:7:9: clips[1]: units/soldier.alo has no clip "MOVE_09"; …`.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{path}:{position}: {message}")]
#[non_exhaustive]
pub struct ManifestProblem {
    /// The asset path of the manifest that sets the value: the spawned one, or one that it extends.
    pub path: String,
    /// The position of the value.
    pub position: TextPosition,
    /// The problem, beginning with the path to the value.
    pub message: String,
}

/// Checks the manifest of a spawned [`ClassicModel`] and those of its attachments: whether all files that they name can
/// be loaded, and whether the model has the clips, frames, skins, bones and parts. A manifest without a model is checked
/// without spawning it: see [`of_base`](Self::of_base).
///
/// Files that are not found are warnings in the log, and invalid manifests are errors of the asset server. Neither is
/// part of the result.
pub struct ManifestCheck {
    subject: Subject,
    /// Keeps animations loaded, which have the counts of frames.
    awaited: Vec<UntypedHandle>,
}

/// What is checked.
enum Subject {
    /// The root of a model.
    Root(Entity),
    /// A manifest that is not spawned.
    Base(Handle<ModelManifest>),
}

impl ManifestCheck {
    /// A check of the model of a root entity.
    pub fn new(root: Entity) -> Self {
        Self {
            subject: Subject::Root(root),
            awaited: Vec::new(),
        }
    }

    /// A check of the files of a manifest that others extend and that has no model of its own. It is loaded with
    /// [`allow_missing_model`](crate::manifest::ManifestLoaderSettings::allow_missing_model). Values that depend on the model are not
    /// checked.
    pub fn of_base(manifest: Handle<ModelManifest>) -> Self {
        Self {
            subject: Subject::Base(manifest),
            awaited: Vec::new(),
        }
    }

    /// The problems, in no particular order. `None` while files are loading and models are spawning: call it in each
    /// frame until then.
    pub fn poll(&mut self, world: &mut World) -> Option<Vec<ManifestProblem>> {
        let mut problems = Vec::new();
        let mut roots = match &self.subject {
            Subject::Root(root) => vec![*root],
            Subject::Base(base) => {
                let manifest = world.resource::<Assets<ModelManifest>>().get(base)?.clone();
                if let Some(mut found) = Found::new(&manifest, &mut problems) {
                    found.check_files(world.resource::<AssetServer>())?;
                }
                return Some(problems);
            }
        };
        while let Some(root) = roots.pop() {
            let Ok(entity) = world.get_entity(root) else {
                continue;
            };
            if is_model_loading(world, entity) {
                return None;
            }
            roots.extend(manifest_attachments(entity));
            let model = entity.get::<ClassicModel>();
            let server = world.resource::<AssetServer>();
            let manifest = model.and_then(|model| model.0.manifest(server));
            let manifests = world.resource::<Assets<ModelManifest>>();
            let Some(manifest) = manifest.and_then(|id| manifests.get(&id)).cloned() else {
                // It has failed to load.
                continue;
            };
            if let Some(found) = Found::new(&manifest, &mut problems) {
                self.check(world, root, found)?;
            }
        }
        Some(problems)
    }

    fn check(&mut self, world: &mut World, root: Entity, mut found: Found<'_>) -> Option<()> {
        let is_model_broken = found.check_files(world.resource::<AssetServer>())?;
        found.check_cycles(world, root);
        if is_model_broken {
            return Some(());
        }
        world.get::<ModelInstance>(root)?;
        match clip_problems(world, root) {
            Ok(problems) => found.add_clips(world, root, problems),
            Err(files) => {
                self.awaited = files;
                return None;
            }
        }
        found.check_play(world, root);
        found.check_parts_and_bones(world, root);
        found.check_skin_and_bones(world, root);
        found.check_effects(world, root);
        found.check_overrides(world, root)
    }
}

/// The problems of one manifest.
pub(crate) struct Found<'a> {
    pub(crate) manifest: &'a ModelManifest,
    sources: &'a Sources,
    problems: &'a mut Vec<ManifestProblem>,
}

impl<'a> Found<'a> {
    /// `None` for a manifest that is not from a file.
    fn new(manifest: &'a ModelManifest, problems: &'a mut Vec<ManifestProblem>) -> Option<Self> {
        let SharedSources(sources) = manifest.files.sources.as_ref()?;
        Some(Self {
            manifest,
            sources,
            problems,
        })
    }
}

impl Found<'_> {
    pub(crate) fn add(&mut self, steps: &[Step<'_>], message: &str) {
        let source = self.sources.of(steps);
        let problem = Problem {
            message: format!("{}: {message}", ValuePath(steps)),
            steps: steps.to_vec(),
        };
        let error = source.locate(problem);
        self.problems.push(ManifestProblem {
            path: source.path.to_string(),
            position: error.position,
            message: error.message,
        });
    }

    /// Adds a problem of the model. The message follows the model's path.
    pub(crate) fn add_of_model(&mut self, steps: &[Step<'_>], message: &str) {
        let model = self.manifest.files.model();
        let model = model.map(ToString::to_string).unwrap_or_default();
        self.add(steps, &format!("{model} {message}"));
    }

    /// Adds the files that failed to load. Returns whether the model is one of them, or `None` while files are loading.
    fn check_files(&mut self, server: &AssetServer) -> Option<bool> {
        let handles: Vec<(UntypedHandle, bool)> = {
            let handles = self.manifest.files.preloaded.handles();
            let models = handles.models.iter().map(|handle| (handle.clone(), true));
            // An image or a clip can wrongly have the path of the model.
            let others = handles.others.iter().map(|handle| (handle.clone(), false));
            models.chain(others).collect()
        };
        let files = self.manifest.resolve_files();
        let mut is_model_broken = false;
        for (handle, is_model) in handles {
            let Some(path) = handle.path().map(|path| path.without_label().into_owned()) else {
                continue;
            };
            let is_own_model = is_model && files.model.as_ref() == Some(&path);
            let (state, _, recursive) = server.get_load_states(handle.id())?;
            let error = match (state, recursive) {
                (LoadState::NotLoaded | LoadState::Loading, _) => return None,
                (LoadState::Failed(error), _) => {
                    is_model_broken |= is_own_model;
                    error
                }
                (
                    _,
                    RecursiveDependencyLoadState::NotLoaded | RecursiveDependencyLoadState::Loading,
                ) => return None,
                // Attached manifests have a check of their own.
                (_, RecursiveDependencyLoadState::Failed(error)) if !is_manifest(&path) => error,
                _ => continue,
            };
            let skins = files.skins.iter().filter(|(_, skin)| **skin == path);
            let skins = skins.map(|(key, _)| vec![Field("skins"), Key(key)]);
            let clips = files.clips.iter().filter(|clip| clip.path == path);
            let clips = clips.map(|clip| vec![Field("clips"), Element(clip.entry), Field("file")]);
            let attached = files.attachments.iter().enumerate();
            let attached = attached.filter(|(_, file)| file.as_ref() == Some(&path));
            let attached = attached
                .map(|(index, _)| vec![Field("attachments"), Element(index), Field("model")]);
            let model = is_own_model.then(|| vec![Field("model")]);
            let files = clips.chain(skins).filter(|_| !is_model);
            let mut values = model.into_iter().chain(files).chain(attached);
            let value = values.next().unwrap_or_default();
            self.add(&value, &explain(&path, &error));
        }
        Some(is_model_broken)
    }

    fn add_clips(&mut self, world: &World, root: Entity, problems: Vec<(CheckedValue, String)>) {
        let clips = world.get::<ModelClips>(root);
        for (value, problem) in problems {
            let steps = match value {
                CheckedValue::Event(index) => vec![Field("events"), Element(index)],
                CheckedValue::Clip(index) => {
                    let clip = clips.and_then(|clips| clips.0.get(index));
                    let entry = clip.and_then(|clip| self.entry_of(&clip.name));
                    let entry = entry.map(|entry| vec![Field("clips"), Element(entry)]);
                    entry.unwrap_or_else(|| vec![Field("clips")])
                }
            };
            self.add_of_model(&steps, &problem);
        }
    }

    /// The index in `clips` of the clip with a name.
    fn entry_of(&self, name: &str) -> Option<usize> {
        let mut clips = self.manifest.clips.iter();
        let named = clips.position(|clip| same_name(&clip.name, name));
        let files = || self.manifest.resolve_files().clips.into_iter();
        named.or_else(|| Some(files().find(|clip| same_name(&clip.name, name))?.entry))
    }

    fn check_play(&mut self, world: &mut World, root: Entity) {
        // A problem of a name in `clips` is that of its entry.
        let is_entry = as_name(&self.manifest.play).is_some_and(|it| self.entry_of(it).is_some());
        let play = self.manifest.play.as_ref().filter(|_| !is_entry);
        if let Some(warning) = play.and_then(|play| missing_clip(world, root, play)) {
            self.add_of_model(&[Field("play")], &warning);
        }
    }

    fn check_parts_and_bones(&mut self, world: &World, root: Entity) {
        let (Some(instance), manifest) = (world.get::<ModelInstance>(root), self.manifest) else {
            return;
        };
        for (list, names) in [("hidden", &manifest.hidden), ("shown", &manifest.shown)] {
            for (index, name) in names.iter().enumerate() {
                if let Some(warning) = instance.model().missing_part(name) {
                    self.add_of_model(&[Field(list), Element(index)], &warning);
                }
            }
        }
        for (index, attachment) in manifest.attachments.iter().enumerate() {
            let bone = &attachment.bone;
            if !bone.is_empty() && instance.bone(bone).is_none() {
                let steps = [Field("attachments"), Element(index), Field("bone")];
                self.add_of_model(&steps, &instance.model().missing_bone(bone));
            }
        }
    }

    fn check_skin_and_bones(&mut self, world: &mut World, root: Entity) {
        let Some(format) = world.get::<ModelInstance>(root).map(ModelInstance::format) else {
            return;
        };
        // Otherwise the whole field has no effect, which is reported.
        let applies = |component| no_effect_warning(component, format).is_none();
        let manifest = self.manifest;
        if applies(ModelComponent::ModelSkin)
            && let Some(skin @ NameOrIndex::Index(_)) = &manifest.skin
            && let Some(warning) = missing_skin(world, root, skin)
        {
            self.add_of_model(&[Field("skin")], &warning);
        }
        if !applies(ModelComponent::ClipLayers) {
            return;
        }
        let mut state = SystemState::<ModelQuery>::new(world);
        let bones = state.get(world).map(|models| models.bones(root));
        let bones = bones.unwrap_or_default();
        let mut check = |steps: &[Step<'_>], bone: &str| {
            if !bones.iter().any(|other| same_name(&other.name, bone)) {
                let names = bones.iter().map(|bone| &*bone.name);
                let alternatives = alternatives(bone, "bones", names);
                self.add_of_model(steps, &format!("has no bone \"{bone}\"{alternatives}"));
            }
        };
        for bone in manifest.clip_bones.keys() {
            check(&[Field("clip_bones"), Key(bone)], bone);
        }
        for (name, mask) in &manifest.masks {
            for (index, bone) in mask.iter().enumerate() {
                check(&[Field("masks"), Key(name), Element(index)], bone);
            }
        }
    }
}

/// The error of a file without the text that Bevy adds, beginning with the file's path.
fn explain(path: &AssetPath<'_>, error: &AssetLoadError) -> String {
    let line = match error {
        AssetLoadError::AssetLoaderError(error) => first_line(error.error()),
        error => first_line(error),
    };
    if line.starts_with(&path.to_string()) {
        line
    } else {
        format!("{path}: {line}")
    }
}

/// The warning if a root does not have a skin. It follows the model's path.
pub(crate) fn missing_skin(
    world: &mut World,
    entity: Entity,
    skin: &NameOrIndex,
) -> Option<String> {
    match skin {
        NameOrIndex::Name(name) => unknown_skin_warning(name, world.get::<ModelSkins>(entity)),
        NameOrIndex::Index(index) => {
            let mut state = SystemState::<ModelQuery>::new(world);
            let models = state.get(world).ok()?;
            let skin = ActiveSkin {
                index: *index,
                image: None,
            };
            skin.index_warning(models.skins(entity).count)
        }
    }
}

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
    let Some(ClassicModel(source)) = world.get::<ClassicModel>(root) else {
        return String::new();
    };
    let manifests = world.resource::<Assets<ModelManifest>>();
    let manifest = source.manifest(world.resource::<AssetServer>());
    let manifest = manifest.and_then(|manifest| manifests.get(&manifest));
    let path = manifest.map_or(source.path(), |manifest| manifest.files.model());
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

impl Found<'_> {
    /// Finds fields without effect on the model's format.
    pub(crate) fn check_effects(&mut self, world: &World, root: Entity) {
        let Some(format) = world.get::<ModelInstance>(root).map(ModelInstance::format) else {
            return;
        };
        use ModelComponent::*;
        let m = self.manifest;
        for (field, is_set, component) in [
            ("play", is_set(&m.play), PlayClip),
            ("masks", is_set(&m.masks), ClipLayers),
            ("skins", is_set(&m.skins), ModelSkin),
            ("skin", is_set(&m.skin), ModelSkin),
            ("lod_distances", is_set(&m.lod_distances), LodDistances),
            ("damage_stage", is_set(&m.damage_stage), DamageStage),
            ("team_color", is_set(&m.team_color), TeamColor),
            ("player_colors", is_set(&m.player_colors), PlayerColors),
            ("hidden", is_set(&m.hidden), PartVisibility),
            ("shown", is_set(&m.shown), PartVisibility),
        ] {
            if is_set && let Some(warning) = no_effect_warning(component, format) {
                self.add_of_model(&[Field(field)], &warning);
            }
        }
        self.check_file_fields(format);
        self.check_distances(world, root);
    }

    /// Finds distances beyond the model's levels of detail.
    fn check_distances(&mut self, world: &World, root: Entity) {
        let count = self.manifest.lod_distances.len();
        let model = world.get::<ModelInstance>(root).map(ModelInstance::model);
        // The models of proxies have levels of their own.
        if let Some(model) = model.filter(|model| model.levels > 0 && !model.accepts_any_name)
            && count >= model.levels
        {
            let levels = model.levels;
            let message = match levels {
                1 => "has only one level of detail, so there are no distances".to_owned(),
                _ => format!(
                    "has {levels} levels of detail, so at most {} of the {count} distances are used",
                    levels - 1
                ),
            };
            self.add_of_model(&[Field("lod_distances")], &message);
        }
    }

    /// Finds fields without a component that have no effect on a format.
    fn check_file_fields(&mut self, format: ModelFormat) {
        use ModelFormat::{Alamo, LithTech, Quake, UfoAftermath};
        let m = self.manifest;
        let (is_alamo, is_quake) = (format == Alamo, format == Quake);
        let has_clips = format != UfoAftermath;
        let has_bones = has_clips && !is_quake;
        let no_bones = "models of the format have no bones";
        let lights = "files of the format have no lights";
        let bones = "bones of the format have no visibility";
        let colors = "textures of the format have their own colors";
        let palette = "textures of the format have no palette";
        let skins = "only Quake models have skins in the file";
        let clips = "the format has no animations";
        let hides_bones = is_set(&m.hidden_bones_hide_children);
        for (field, is_set, has_effect, reason) in [
            ("load_lights", is_set(&m.load_lights), is_alamo, lights),
            ("hidden_bones_hide_children", hides_bones, is_alamo, bones),
            ("clip_bones", is_set(&m.clip_bones), has_bones, no_bones),
            ("palette", is_set(&m.palette), is_quake, colors),
            ("hole_index", is_set(&m.hole_index), is_quake, palette),
            ("external_skins", is_set(&m.external_skins), is_quake, skins),
            ("clips", is_set(&m.clips), has_clips, clips),
            ("events", is_set(&m.events), has_clips, clips),
        ] {
            if is_set && !has_effect {
                let message = format!("is in {format}, on which `{field}` has no effect: {reason}");
                self.add_of_model(&[Field(field)], &message);
            }
        }
        // Quake models report such clips as missing.
        let with_file = m.clips.iter().enumerate();
        let with_file = with_file.filter(|(_, clip)| clip.file.is_some() && format == LithTech);
        for (index, _) in with_file {
            let message = format!(
                "is in {format}, on which `file` has no effect: the bones of animation files are not its nodes"
            );
            self.add_of_model(&[Field("clips"), Element(index), Field("file")], &message);
        }
    }
}

fn is_set<T: Default + PartialEq>(value: &T) -> bool {
    *value != T::default()
}
