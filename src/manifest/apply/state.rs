//! The state of entities with a [`ClassicModel`](crate::manifest::ClassicModel), and the plan of a manifest: its components, file
//! paths and transform, computed once and shared by its entities.

use crate::load::reloads::is_asset_loading;
use crate::manifest::apply::components::AppliedComponents;
use crate::manifest::apply::overrides::ManifestOverrides;
use crate::manifest::check::values::check;
use crate::manifest::classic_model::{ClassicModel, ModelSource};
use crate::manifest::model_manifest::{FileAxis, ManifestAxes, ModelManifest};
use crate::manifest::read::resolve::ResolvedFiles;
use crate::root::play::PlayClip;
use crate::root::skins::ModelSkin;
use crate::root::spawning::SceneTransform;
use bevy::asset::{AssetPath, RecursiveDependencyLoadState};
use bevy::ecs::change_detection::Tick;
use bevy::math::Quat;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use std::sync::Arc;

/// On an entity with a [`ClassicModel`](crate::manifest::ClassicModel): the model that is spawned or being loaded, and the values
/// that were applied from the manifest.
///
/// It is in a sparse set because it is large and roots get one component after another. In table storage, each
/// archetype on the way would allocate memory for it.
#[derive(Component, Default)]
#[component(storage = "SparseSet")]
pub(crate) struct ModelState {
    /// The manifest. `None` for a model without one.
    pub(crate) manifest: Option<Handle<ModelManifest>>,
    /// The spawned model.
    pub(crate) current: Option<Model>,
    /// The model that replaces it once it is loaded.
    pub(crate) pending: Option<Model>,
    /// Whether the manifest or the pending model is being loaded.
    pub(crate) is_waiting: bool,
    pub(crate) applied: AppliedComponents,
    pub(crate) attachments: Vec<SpawnedAttachment>,
    pub(crate) transform: ManifestTransform,
}

/// A model that is being loaded or is spawned.
#[derive(Clone)]
pub(crate) struct Model {
    /// Not a manifest.
    pub(crate) source: ModelSource,
    /// `None` if no format has its extension.
    pub(crate) asset: Option<UntypedHandle>,
    /// `None` until the model is loaded.
    pub(crate) scene: Option<Handle<WorldAsset>>,
}

/// A model that was spawned for an attachment of a manifest, and the values that were applied to it.
pub(crate) struct SpawnedAttachment {
    pub(crate) entity: Entity,
    /// The index in the manifest.
    pub(crate) index: usize,
    /// Case-folded, because bone names match in any case.
    pub(crate) bone: String,
    pub(crate) model: AssetPath<'static>,
    /// The transform in the manifest. The game may have changed the entity's transform since.
    pub(crate) manifest_transform: Transform,
    pub(crate) transform: Option<Transform>,
    pub(crate) play: Option<PlayClip>,
    pub(crate) skin: Option<ModelSkin>,
}

/// Whether the [`ClassicModel`] of an entity is loading: its manifest, a file that the manifest names, or the model.
pub(crate) fn is_model_loading(world: &World, entity: EntityRef<'_>) -> bool {
    let (Some(ClassicModel(source)), Some(server)) = (
        entity.get::<ClassicModel>(),
        world.get_resource::<AssetServer>(),
    ) else {
        return false;
    };
    let manifest = source.manifest(server);
    let load_state = manifest
        .as_ref()
        .and_then(|manifest| server.get_recursive_dependency_load_state(manifest));
    let has_loading_files = matches!(
        load_state,
        Some(RecursiveDependencyLoadState::Loading | RecursiveDependencyLoadState::NotLoaded)
    );
    has_loading_files
        || match entity.get::<ModelState>() {
            // The next frame starts the load.
            None => true,
            Some(state) if !state.is_waiting => false,
            Some(state) => match state
                .pending
                .as_ref()
                .and_then(|model| model.asset.as_ref())
            {
                // A loaded model is spawned in the next frame.
                Some(model) => server.is_loaded(model) || is_asset_loading(server, model),
                None => manifest.is_some_and(|manifest| is_asset_loading(server, &manifest)),
            },
        }
}

/// The entities of the attachments that a manifest has spawned for a root.
pub(crate) fn manifest_attachments(root: EntityRef<'_>) -> Vec<Entity> {
    let state = root.get::<ModelState>();
    let attachments = state.map(|state| state.attachments.iter());
    let attachments = attachments.into_iter().flatten();
    attachments.map(|attachment| attachment.entity).collect()
}

/// What to spawn for a manifest. All entities with the manifest share it. The default is for models without one.
#[derive(Default)]
pub(crate) struct Plan {
    pub(crate) manifest: ModelManifest,
    pub(crate) files: ResolvedFiles,
    /// All components except the scene.
    pub(crate) components: AppliedComponents,
    pub(crate) transform: ManifestTransform,
    /// Why the manifest is invalid. Nothing is spawned then.
    pub(crate) problem: Option<String>,
}

impl Plan {
    pub(crate) fn new(manifest: ModelManifest, world: &World) -> Self {
        let files = manifest.resolve_files();
        let problem = match check(&manifest) {
            Err(problem) => Some(problem.message),
            Ok(()) if manifest.extends.is_some() => {
                Some("extends another manifest, which only manifests in files can".to_owned())
            }
            Ok(()) if files.model.is_none() => {
                let model = &manifest.model;
                Some(format!("model {model:?} is not a valid asset path"))
            }
            Ok(()) => None,
        };
        let components = match problem {
            Some(_) => AppliedComponents::default(),
            None => AppliedComponents::from_manifest(&manifest, &files, world),
        };
        Self {
            components,
            files,
            transform: ManifestTransform::from_manifest(&manifest),
            problem,
            manifest,
        }
    }
}

/// The plans of loaded manifests that have entities.
#[derive(Resource, Default)]
pub(crate) struct Plans(HashMap<AssetId<ModelManifest>, CachedPlan>);

struct CachedPlan {
    plan: Arc<Plan>,
    /// The last change of the manifests at which the plan was up to date. Needed because code can change manifests at
    /// any time, and Bevy sends the event a frame later.
    checked: Tick,
}

impl Plans {
    /// The plan of a manifest, if it is loaded.
    pub(crate) fn get(world: &mut World, id: AssetId<ModelManifest>) -> Option<Arc<Plan>> {
        world.resource_scope(|world, mut plans: Mut<Self>| plans.get_or_update(world, id))
    }

    fn get_or_update(&mut self, world: &World, id: AssetId<ModelManifest>) -> Option<Arc<Plan>> {
        let manifests = world.get_resource_ref::<Assets<ModelManifest>>()?;
        let manifest = manifests.get(id)?;
        let changed = manifests.last_changed();
        if let Some(cached) = self.0.get_mut(&id)
            && (cached.checked == changed || cached.plan.manifest == *manifest)
        {
            cached.checked = changed;
            return Some(cached.plan.clone());
        }
        let plan = Plan::new(manifest.clone(), world);
        if plan.problem.is_none() {
            // Before the model is loaded, because its loader reads this.
            world.resource::<ManifestOverrides>().set(id, manifest);
        }
        let plan = Arc::new(plan);
        let cached = CachedPlan {
            plan: plan.clone(),
            checked: changed,
        };
        self.0.insert(id, cached);
        Some(plan)
    }
}

/// Removes the plans of manifests that were changed or dropped.
pub(crate) fn remove_stale_plans(
    mut events: MessageReader<AssetEvent<ModelManifest>>,
    mut plans: ResMut<Plans>,
) {
    for event in events.read() {
        if let AssetEvent::Modified { id } | AssetEvent::Removed { id } = event {
            plans.0.remove(id);
        }
    }
}

/// The size and the axes of a manifest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ManifestTransform {
    /// A factor for the size.
    pub(crate) scale: f32,
    axes: Option<ManifestAxes>,
    facing: Option<FileAxis>,
    /// Meters per unit of the file.
    pub(crate) meters: Option<f32>,
    /// The height at rest, in meters.
    pub(crate) height: Option<f32>,
}

impl Default for ManifestTransform {
    fn default() -> Self {
        Self {
            scale: 1.0,
            axes: None,
            facing: None,
            meters: None,
            height: None,
        }
    }
}

impl ManifestTransform {
    pub(crate) fn from_manifest(manifest: &ModelManifest) -> Self {
        Self {
            scale: manifest.scale,
            axes: manifest.axes,
            facing: manifest.facing,
            meters: manifest.meters,
            height: manifest.height,
        }
    }

    /// The rotation of a scene, if the manifest has the model's axes or its front.
    pub(crate) fn rotation(self, scene: SceneTransform) -> Option<Quat> {
        let axes = self.axes.and_then(|axes| axes.rotation_in(scene.mirror));
        let turn = self.facing.and_then(FileAxis::turn_to_front);
        axes.or(turn.map(|turn| turn * scene.original.rotation))
    }
}
