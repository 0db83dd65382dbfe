//! The components, files and transform that a manifest states, computed once and shared by its entities. A model that is
//! spawned without a manifest gets one of its own.

use super::applied::{AppliedComponents, Loads};
use super::check::check;
use super::load_overrides::LoadOverrides;
use super::manifest::ModelManifest;
use super::resolve::ResolvedFiles;
use super::transform::ManifestTransform;
use bevy::asset::{AssetEvent, AssetId, Assets};
use bevy::ecs::change_detection::{DetectChanges, Mut, Tick};
use bevy::ecs::message::MessageReader;
use bevy::ecs::resource::Resource;
use bevy::ecs::system::ResMut;
use bevy::ecs::world::World;
use bevy::platform::collections::HashMap;
use std::sync::Arc;

/// What a manifest comes to. All its entities share it.
pub(super) struct Plan {
    pub(super) manifest: ModelManifest,
    pub(super) files: ResolvedFiles,
    /// All but the scene.
    pub(super) given: AppliedComponents,
    pub(super) stand: ManifestTransform,
    /// Why nothing can be done with it.
    pub(super) flaw: Option<String>,
}

impl Plan {
    pub(super) fn new(manifest: ModelManifest, world: &World) -> Self {
        let files = manifest.whereabouts();
        let flaw = match check(&manifest) {
            Some(flaw) => Some(flaw.message),
            None if files.model.is_none() => Some("names no model".to_owned()),
            None => None,
        };
        let given = match flaw {
            Some(_) => AppliedComponents::default(),
            None => AppliedComponents::stated(&manifest, &files, &Loads::of(world)),
        };
        Self {
            given,
            files,
            stand: ManifestTransform::stated(&manifest),
            flaw,
            manifest,
        }
    }
}

/// The plans of loaded manifests that have entities.
#[derive(Resource, Default)]
pub(super) struct Plans(HashMap<AssetId<ModelManifest>, Known>);

struct Known {
    plan: Arc<Plan>,
    /// When it was last seen to be what the manifest says. Code may change manifests at any time, of which Bevy tells
    /// a frame later.
    checked: Tick,
}

impl Plans {
    /// What a manifest comes to, if it is loaded.
    pub(super) fn of(world: &mut World, id: AssetId<ModelManifest>) -> Option<Arc<Plan>> {
        world.resource_scope(|world, mut plans: Mut<Self>| plans.find(world, id))
    }

    fn find(&mut self, world: &World, id: AssetId<ModelManifest>) -> Option<Arc<Plan>> {
        let manifests = world.get_resource_ref::<Assets<ModelManifest>>()?;
        let manifest = manifests.get(id)?;
        let changed = manifests.last_changed();
        if let Some(known) = self.0.get_mut(&id)
            && (known.checked == changed || known.plan.manifest == *manifest)
        {
            known.checked = changed;
            return Some(known.plan.clone());
        }
        let plan = Plan::new(manifest.clone(), world);
        if plan.flaw.is_none() {
            // Before the model is loaded, which heeds it.
            world.resource::<LoadOverrides>().set(id, manifest);
        }
        let plan = Arc::new(plan);
        let known = Known {
            plan: plan.clone(),
            checked: changed,
        };
        self.0.insert(id, known);
        Some(plan)
    }
}

/// Forgets the plans of manifests that were changed or dropped.
pub(super) fn forget_plans(
    mut events: MessageReader<AssetEvent<ModelManifest>>,
    mut plans: ResMut<Plans>,
) {
    for event in events.read() {
        if let AssetEvent::Modified { id } | AssetEvent::Removed { id } = event {
            plans.0.remove(id);
        }
    }
}
