//! Passes the `RenderLayers` of a model's root to its meshes and lights. Bevy reads the layers of each entity by itself.

use crate::model::models::ModelQuery;
use crate::scene::ModelInstance;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::component::Component;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::hierarchy::{ChildOf, Children};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::{Commands, Query, Res, SystemParam};
use bevy::light::{DirectionalLight, PointLight, SpotLight};
use bevy::mesh::Mesh3d;
use bevy::world_serialization::{WorldInstance, WorldInstanceSpawner};

/// On a mesh or a light of a model: the layers that it was given. If it has others, they are the user's.
#[derive(Component)]
pub(super) struct InheritedLayers(RenderLayers);

/// What has layers of its own to Bevy.
type IsRendered = Or<(
    With<Mesh3d>,
    With<PointLight>,
    With<SpotLight>,
    With<DirectionalLight>,
)>;

/// Roots whose layers, or whose place below another model, may have changed.
type LayersChanged = (
    With<WorldInstance>,
    Or<(Changed<RenderLayers>, Changed<ChildOf>)>,
);

/// Models and the models within them.
#[derive(SystemParam)]
pub(super) struct Family<'w, 's> {
    models: ModelQuery<'w, 's>,
    spawner: Option<Res<'w, WorldInstanceSpawner>>,
    instances: Query<'w, 's, &'static WorldInstance>,
    parents: Query<'w, 's, &'static ChildOf>,
    children: Query<'w, 's, &'static Children>,
    layers: Query<'w, 's, &'static RenderLayers>,
    rendered: Query<
        'w,
        's,
        (
            Option<&'static RenderLayers>,
            Option<&'static InheritedLayers>,
        ),
        IsRendered,
    >,
}

impl Family<'_, '_> {
    fn is_root(&self, entity: Entity) -> bool {
        self.models.format(entity).is_some()
    }

    /// The layers of a root, or of the nearest model that it is within.
    fn layers(&self, root: Entity) -> Option<&RenderLayers> {
        let above = self.parents.iter_ancestors(root);
        core::iter::once(root)
            .chain(above.filter(|above| self.is_root(*above)))
            .find_map(|root| self.layers.get(root).ok())
    }

    /// A root and the roots of the models within it.
    fn with_inner(&self, root: Entity) -> impl Iterator<Item = Entity> {
        let below = self.children.iter_descendants(root);
        let all = core::iter::once(root).chain(below);
        // Every despawned part comes here as one that has lost its parent.
        all.filter(|entity| self.instances.contains(*entity))
    }

    /// Passes layers on to the meshes and lights of one model.
    fn propagate(&self, commands: &mut Commands, root: Entity) {
        let (Some(spawner), Ok(instance)) = (&self.spawner, self.instances.get(root)) else {
            return;
        };
        if !self.is_root(root) {
            return;
        }
        let wanted = self.layers(root);
        for entity in spawner.iter_instance_entities(**instance) {
            let Ok((own, inherited)) = self.rendered.get(entity) else {
                continue;
            };
            if own.is_some_and(|own| inherited.is_none_or(|inherited| inherited.0 != *own)) {
                continue;
            }
            let mut entity = commands.entity(entity);
            match wanted {
                Some(wanted) if own != Some(wanted) => {
                    entity.try_insert((wanted.clone(), InheritedLayers(wanted.clone())));
                }
                None if own.is_some() => {
                    entity.try_remove::<(RenderLayers, InheritedLayers)>();
                }
                _ => {}
            }
        }
    }
}

/// Passes on the layers of roots that changed or were detached, and those of roots whose models were spawned.
pub(super) fn pass_on_layers(
    mut commands: Commands,
    spawned: Query<Entity, Changed<ModelInstance>>,
    changed: Query<Entity, LayersChanged>,
    mut removed: RemovedComponents<RenderLayers>,
    mut detached: RemovedComponents<ChildOf>,
    family: Family,
) {
    let mut due: EntityHashSet = spawned.iter().collect();
    let lost = removed.read();
    let lost = lost.filter_map(|entity| family.models.root(entity));
    // Models may also be below a detached entity that is not a model.
    for root in changed.iter().chain(lost).chain(detached.read()) {
        due.extend(family.with_inner(root));
    }
    for root in due {
        family.propagate(&mut commands, root);
    }
}
