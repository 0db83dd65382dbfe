//! Propagates the `RenderLayers` of a model's root to its meshes, lights and particle system, because Bevy does not
//! propagate them.

use crate::root::spawning::CrowdMesh;
use crate::spawn::instance::ModelInstance;
use crate::spawn::roots::ModelRoots;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::world_serialization::WorldInstance;

/// On a mesh or a light of a model: the layers that it inherited. If its `RenderLayers` differ, the user has set them.
#[derive(Component)]
pub(crate) struct InheritedLayers(RenderLayers);

/// Entities on which Bevy reads `RenderLayers`.
type IsRendered = Or<(
    With<Mesh3d>,
    With<PointLight>,
    With<SpotLight>,
    With<DirectionalLight>,
    With<HasLayers>,
)>;

/// On an entity without a mesh or a light that is drawn with its `RenderLayers`, such as a particle system.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Default, Clone, Debug)]
pub(crate) struct HasLayers;

/// Roots whose layers or whose parent may have changed.
type LayersChanged = (
    With<WorldInstance>,
    Or<(Changed<RenderLayers>, Changed<ChildOf>)>,
);

/// Models, the models attached to them, and their layers.
#[derive(SystemParam)]
pub(crate) struct LayerHierarchy<'w, 's> {
    models: ModelRoots<'w, 's>,
    spawner: Option<Res<'w, WorldInstanceSpawner>>,
    instances: Query<'w, 's, &'static WorldInstance>,
    parents: Query<'w, 's, &'static ChildOf>,
    children: Query<'w, 's, &'static Children>,
    crowd_meshes: Query<'w, 's, (), With<CrowdMesh>>,
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

impl LayerHierarchy<'_, '_> {
    fn is_root(&self, entity: Entity) -> bool {
        self.models.format(entity).is_some()
    }

    /// The layers of a root, or those of its nearest ancestor that is a root with layers.
    fn layers(&self, root: Entity) -> Option<&RenderLayers> {
        let ancestors = self.parents.iter_ancestors(root);
        core::iter::once(root)
            .chain(ancestors.filter(|ancestor| self.is_root(*ancestor)))
            .find_map(|root| self.layers.get(root).ok())
    }

    /// A root and the roots below it.
    fn with_descendants(&self, root: Entity) -> impl Iterator<Item = Entity> {
        let descendants = self.children.iter_descendants(root);
        let all = core::iter::once(root).chain(descendants);
        // `root` may be no model: every despawned entity that had a parent is passed here.
        all.filter(|entity| self.instances.contains(*entity))
    }

    /// An entity of a scene, and the meshes of a crowd's member below it.
    fn with_crowd_meshes(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        let children = self.children.get(entity).into_iter().flatten().copied();
        core::iter::once(entity).chain(children.filter(|child| self.crowd_meshes.contains(*child)))
    }

    /// Sets the inherited layers of the meshes and lights of one model.
    fn propagate(&self, commands: &mut Commands, root: Entity) {
        let (Some(spawner), Ok(instance)) = (&self.spawner, self.instances.get(root)) else {
            return;
        };
        if !self.is_root(root) {
            return;
        }
        let layers = self.layers(root);
        let of_scene = spawner.iter_instance_entities(**instance);
        for entity in of_scene.flat_map(|entity| self.with_crowd_meshes(entity)) {
            let Ok((own, inherited)) = self.rendered.get(entity) else {
                continue;
            };
            if own.is_some_and(|own| inherited.is_none_or(|inherited| inherited.0 != *own)) {
                continue;
            }
            let mut entity = commands.entity(entity);
            match layers {
                Some(layers) if own != Some(layers) => {
                    entity.try_insert((layers.clone(), InheritedLayers(layers.clone())));
                }
                None if own.is_some() => {
                    entity.try_remove::<(RenderLayers, InheritedLayers)>();
                }
                _ => {}
            }
        }
    }
}

/// Propagates the layers of roots that changed, were detached, or whose models or meshes were spawned.
pub(crate) fn propagate_layers(
    mut commands: Commands,
    spawned: Query<Entity, Changed<ModelInstance>>,
    crowd_meshes: Query<Entity, Added<CrowdMesh>>,
    changed: Query<Entity, LayersChanged>,
    mut removed: RemovedComponents<RenderLayers>,
    mut detached: RemovedComponents<ChildOf>,
    hierarchy: LayerHierarchy,
) {
    let mut due: EntityHashSet = spawned.iter().collect();
    due.extend(
        crowd_meshes
            .iter()
            .filter_map(|mesh| hierarchy.models.root(mesh)),
    );
    let removed = removed.read();
    let removed = removed.filter_map(|entity| hierarchy.models.root(entity));
    // Models may also be below a detached entity that is not a model.
    for root in changed.iter().chain(removed).chain(detached.read()) {
        due.extend(hierarchy.with_descendants(root));
    }
    for root in due {
        hierarchy.propagate(&mut commands, root);
    }
}
