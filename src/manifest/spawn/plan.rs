//! The components, file paths and transform from a manifest, computed once and shared by its entities. A model that is
//! spawned without a manifest gets its own plan.

use crate::manifest::check::values::check;
use crate::manifest::files::resolve::ResolvedFiles;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::spawn::applied::AppliedComponents;
use crate::manifest::spawn::overrides::ManifestOverrides;
use crate::manifest::spawn::transform::ManifestTransform;
use bevy::ecs::change_detection::Tick;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use std::sync::Arc;

/// What to spawn for a manifest. All entities with the manifest share it.
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
