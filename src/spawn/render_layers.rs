//! Propagates the `RenderLayers` of a model's root to its meshes, lights and particle system, because Bevy does not
//! propagate them.

use crate::root::spawning::CrowdMesh;
use crate::spawn::instance::ModelInstance;
use crate::spawn::roots::ModelRoots;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::entity::EntityHashSet;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// On a mesh or a light of a model: the layers that it inherited. If its `RenderLayers` differ, the user has set them.
#[derive(Component)]
pub(crate) struct InheritedLayers(RenderLayers);

/// On each entity of a model that is drawn with its `RenderLayers`: meshes, lights, and the particle system of a file that is
/// one. The systems of proxies follow the outermost model.
#[derive(Component, Clone, Copy, Debug)]
pub(crate) struct HasLayers;

/// Roots whose layers or whose parent may have changed.
type LayersChanged = (
    With<ModelInstance>,
    Or<(Changed<RenderLayers>, Changed<ChildOf>)>,
);

/// Models, the models attached to them, and their layers.
#[derive(SystemParam)]
pub(crate) struct LayerHierarchy<'w, 's> {
    models: ModelRoots<'w, 's>,
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
        With<HasLayers>,
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
        all.filter(|entity| self.is_root(*entity))
    }

    /// Sets the inherited layers of the meshes and lights of one model.
    fn propagate(&self, commands: &mut Commands, root: Entity) {
        let layers = self.layers(root);
        let mut next: Vec<Entity> = self.models.scene(root).into_iter().collect();
        while let Some(entity) = next.pop() {
            let children = self.children.get(entity).into_iter().flatten();
            next.extend(children.filter(|child| !self.is_root(**child)));
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
    let spawned = spawned.iter();
    let mut due: EntityHashSet = spawned
        .filter(|root| hierarchy.layers(*root).is_some())
        .collect();
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
