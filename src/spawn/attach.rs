//! Attachments to bones of models: guns in hands, turrets on hardpoints.
//!
//! An attachment is a child of its bone, and Bevy despawns a model's bones with their children when its file changes.
//! So [`detach_attachments`] moves attachments to the root when their bone is despawned and the root stays.
//! [`update_attachments`] attaches them to the new bone in the same frame, before anything is drawn.
//! On a bone with a [`BoneVisibility`], a [`BoneAttachments`] is between the bone and its attachments.

use crate::appearance::parts::{BoneAttachments, BoneVisibility, connected_visibility};
use crate::load::warnings::ModelWarnings;
use crate::root::spawning::{BevySpace, SceneTransform};
use crate::spawn::instance::ModelInstance;
use crate::spawn::roots::{ModelRoots, crowd_bone_entity};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Attaches an entity to a bone of a spawned model. The entity moves with the bone and is hidden with it, as the bone's
/// parts are: see [`BoneVisibility`]. It stays when the model's file changes and its bones are respawned.
///
/// The entity becomes a child of the bone's entity, or of a child of it in an ALO model. Its own `Transform` is relative
/// to the bone, in the units and axes of the model's file. It is not drawn until the model's scene is spawned.
///
/// To attach the entity to another bone or model, change this component. To detach it, remove this component: the
/// entity then keeps its global transform and has no parent, unless the game has given it another parent meanwhile.
///
/// The entity is despawned with the model's root, and also if the root does not exist. An attachment that closes a
/// cycle, directly or through other models, is ignored, with a warning.
#[derive(Component, FromTemplate, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, Visibility)]
pub struct AttachedToBone {
    /// The root of the model.
    #[entities]
    pub to: Entity,
    /// The name of the bone, in any case: see [`ModelQuery::bone`](crate::query::ModelQuery::bone). If it is empty, the entity
    /// is attached to the model's root. If the model has no such bone, it is too, with a warning.
    pub bone: String,
}

/// On an entity that has attachments: a bone, a root, a [`PendingParent`] or a [`BoneAttachments`].
#[derive(Component, Default)]
pub(crate) struct HasAttachments;

/// On an attachment: the parent that this module gave it. If the entity has another parent, the game has set that.
#[derive(Component, Clone, Copy, PartialEq)]
pub(crate) struct AssignedParent(Entity);

/// On an entity that is not attached to its bone yet. It is tried every frame.
#[derive(Component)]
pub(crate) struct NotAttached {
    /// Whether the warning about a cycle was logged.
    is_warned: bool,
}

/// On a hidden child of a root whose model is not spawned yet: the parent of its attachments until then.
#[derive(Component)]
#[require(HasAttachments)]
pub(crate) struct PendingParent;

/// Moves the attachments of an entity that is despawned to their root, unless that is despawned too.
///
/// Bevy despawns roots before their descendants, so a root that still exists stays.
pub(crate) fn detach_attachments(
    despawned: On<Despawn, HasAttachments>,
    mut commands: Commands,
    mut children: Query<&mut Children>,
    attached: Query<&AttachedToBone>,
    all: Query<()>,
) {
    let Ok(mut children) = children.get_mut(despawned.entity) else {
        return;
    };
    let stays =
        |attached: &&AttachedToBone| attached.to != despawned.entity && all.contains(attached.to);
    // Bevy then despawns the remaining children.
    children.collection_mut_risky().retain(|child| {
        let Some(attached) = attached.get(*child).ok().filter(stays) else {
            return true;
        };
        // The root becomes the parent meanwhile: Bevy makes an entity without a parent visible, even if it gets a
        // parent in the same frame.
        let root = attached.to;
        let to_root = (
            ChildOf(root),
            AssignedParent(root),
            NotAttached { is_warned: false },
        );
        commands.entity(*child).try_insert(to_root);
        false
    });
}

/// The entity to attach an attachment to.
enum Target {
    /// The entity of a bone, or the root.
    Found(Entity),
    /// A bone of a crowd's member, whose entity is spawned now.
    CrowdBone,
    /// The model is not spawned yet.
    Pending,
    /// The root does not exist any more.
    Missing,
}

/// Finds the targets of attachments.
#[derive(SystemParam)]
pub(crate) struct TargetFinder<'w, 's> {
    models: ModelRoots<'w, 's>,
    warnings: ModelWarnings<'w, 's>,
    entities: Query<'w, 's, ()>,
}

impl TargetFinder<'_, '_> {
    fn target(&mut self, AttachedToBone { to, bone }: &AttachedToBone) -> Target {
        if !self.entities.contains(*to) {
            return Target::Missing;
        }
        if self.models.format(*to).is_none() {
            return Target::Pending;
        }
        if bone.is_empty() {
            return Target::Found(*to);
        }
        match self.models.bone(*to, bone) {
            // The root was given another scene that is not spawned yet.
            Some(bone) if !self.entities.contains(bone) => Target::Pending,
            Some(bone) => Target::Found(bone),
            None if self.models.crowd_bone(*to, bone).is_some() => Target::CrowdBone,
            None => {
                if let Some(warning) = self.models.missing_bone(*to, bone) {
                    self.warnings.warn_once(*to, &warning);
                }
                Target::Found(*to)
            }
        }
    }
}

/// Attachments whose target changed, or that are not attached yet.
type IsPending = Or<(Changed<AttachedToBone>, With<NotAttached>)>;

/// Attaches entities that are pending, and those whose model was spawned.
pub(crate) fn update_attachments(
    mut commands: Commands,
    mut finder: TargetFinder,
    ready: Query<(), Changed<ModelInstance>>,
    pending: Query<(Entity, &AttachedToBone), IsPending>,
    attached: Query<(Entity, &AttachedToBone)>,
) {
    let mut all: Vec<(Entity, &AttachedToBone)> = pending.iter().collect();
    if !attached.is_empty() && !ready.is_empty() {
        let is_due = |(entity, attached): &(Entity, &AttachedToBone)| {
            ready.contains(attached.to) && !pending.contains(*entity)
        };
        all.extend(attached.iter().filter(is_due));
    }
    for (entity, attached) in all {
        let root = attached.to;
        match finder.target(attached) {
            Target::Found(target) => {
                commands.queue(move |world: &mut World| attach(world, entity, target));
            }
            Target::CrowdBone => {
                let bone = attached.bone.clone();
                commands.queue(move |world: &mut World| {
                    match crowd_bone_entity(world, root, &bone) {
                        Some(bone) => attach(world, entity, bone),
                        None => attach_to_pending(world, entity, root),
                    }
                });
            }
            Target::Pending => {
                commands.queue(move |world: &mut World| attach_to_pending(world, entity, root));
            }
            Target::Missing => commands.entity(entity).try_despawn(),
        }
    }
}

/// Makes an entity a child of its target, unless that closes a cycle.
fn attach(world: &mut World, entity: Entity, target: Entity) {
    let Ok(attachment) = world.get_entity(entity) else {
        return;
    };
    let parent = attachment.get::<AssignedParent>().copied();
    let is_pending = attachment.contains::<NotAttached>();
    if is_within(world, target, entity) {
        return reject_cycle(world, entity);
    }
    let target = bone_attachments(world, target);
    let is_assigned = parent == Some(AssignedParent(target));
    if is_assigned && !is_pending && is_child_of(world, entity, target) {
        return;
    }
    if let Ok(mut target) = world.get_entity_mut(target) {
        let target = target.insert_if_new(HasAttachments).id();
        let mut attachment = world.entity_mut(entity);
        attachment.remove::<NotAttached>();
        // Last, because an observer of the parent may despawn it.
        attachment.insert((ChildOf(target), AssignedParent(target)));
    }
}

/// Makes an entity a child of the [`PendingParent`] of a root whose model is not spawned yet.
fn attach_to_pending(world: &mut World, entity: Entity, root: Entity) {
    if world.get_entity(entity).is_err() || world.get_entity(root).is_err() {
        return;
    }
    if is_within(world, root, entity) {
        return reject_cycle(world, entity);
    }
    let parent = pending_parent(world, root);
    if is_child_of(world, entity, parent) {
        return;
    }
    // An observer may have despawned it when the pending parent was spawned.
    if let Ok(mut attachment) = world.get_entity_mut(entity) {
        let not_attached = NotAttached { is_warned: false };
        attachment.insert((ChildOf(parent), AssignedParent(parent), not_attached));
    }
}

/// The [`PendingParent`] of a root, which is spawned if there is none.
fn pending_parent(world: &mut World, root: Entity) -> Entity {
    child_with(
        world,
        root,
        "pending attachments",
        PendingParent,
        Visibility::Hidden,
    )
}

/// The [`BoneAttachments`] of a bone, which is spawned if there is none. The entity itself if it has no
/// [`BoneVisibility`].
fn bone_attachments(world: &mut World, bone: Entity) -> Entity {
    let Some(own) = world.get::<BoneVisibility>(bone) else {
        return bone;
    };
    let visibility = connected_visibility(Some(own), true);
    child_with(world, bone, "attachments", BoneAttachments, visibility)
}

/// The child with a component, which is spawned if there is none.
fn child_with<C: Component>(
    world: &mut World,
    parent: Entity,
    name: &'static str,
    component: C,
    visibility: Visibility,
) -> Entity {
    let children = world.get::<Children>(parent);
    let mut children = children.into_iter().flatten().copied();
    let child = children.find(|child| world.get::<C>(*child).is_some());
    child.unwrap_or_else(|| {
        let name = Name::new(name);
        let child = (
            name,
            component,
            Transform::IDENTITY,
            visibility,
            ChildOf(parent),
        );
        world.spawn(child).id()
    })
}

/// Removes the parent of an entity that is attached to its own descendant, and warns.
fn reject_cycle(world: &mut World, entity: Entity) {
    let mut attachment = world.entity_mut(entity);
    let state = attachment.get::<NotAttached>();
    if !state.is_some_and(|state| state.is_warned) {
        warn!("{entity} is attached to itself or to its own descendant: the attachment is ignored");
        attachment.insert(NotAttached { is_warned: true });
        attachment.remove::<(ChildOf, AssignedParent)>();
    }
}

fn is_child_of(world: &World, entity: Entity, parent: Entity) -> bool {
    let of = world.get::<ChildOf>(entity);
    of.is_some_and(|of| of.parent() == parent)
}

/// Whether an entity is `other` or a descendant of it.
fn is_within(world: &World, entity: Entity, other: Entity) -> bool {
    let parent = |entity: &Entity| world.get::<ChildOf>(*entity).map(ChildOf::parent);
    core::iter::successors(Some(entity), parent).any(|ancestor| ancestor == other)
}

/// Removes the parent of an entity that is no longer attached, without moving it in the world. If the game has given it
/// another parent, it keeps that.
pub(crate) fn on_detached(removed: On<Remove, AttachedToBone>, mut commands: Commands) {
    let entity = removed.entity;
    commands.queue(move |world: &mut World| {
        let Ok(mut detached) = world.get_entity_mut(entity) else {
            return;
        };
        if detached.contains::<AttachedToBone>() {
            return;
        }
        detached.remove::<NotAttached>();
        let assigned = detached.take::<AssignedParent>();
        let parent = detached.get::<ChildOf>().map(ChildOf::parent);
        if assigned.is_some_and(|AssignedParent(assigned)| parent == Some(assigned)) {
            remove_parent_in_place(world, entity);
        }
    });
}

/// Removes the parent of an entity without moving the entity in the world.
fn remove_parent_in_place(world: &mut World, entity: Entity) {
    let compensated = compensated_scale(world, entity);
    let Ok(mut detached) = world.get_entity_mut(entity) else {
        return;
    };
    let global = detached.get::<GlobalTransform>();
    let global = global.map(GlobalTransform::compute_transform);
    if let (Some(global), Some(mut transform)) = (global, detached.get_mut::<Transform>()) {
        *transform = global.with_scale(global.scale / compensated);
    }
    // Last, because an observer of the parent may despawn it. `remove_parent_in_place` of Bevy then panics.
    detached.remove::<ChildOf>();
}

/// Entities that only are the parents of attachments.
type IsParent = Or<(With<PendingParent>, With<BoneAttachments>)>;

/// Despawns [`PendingParent`]s and [`BoneAttachments`] that have no attachments left.
pub(crate) fn despawn_empty_parents(
    mut commands: Commands,
    parents: Query<(Entity, Option<&Children>), IsParent>,
) {
    for (parent, attachments) in &parents {
        if attachments.is_none_or(|attachments| attachments.is_empty()) {
            commands.entity(parent).try_despawn();
        }
    }
}

/// The ancestors of an entity, from its parent up, each with its child on the path to the entity.
pub(crate) fn ancestors(world: &World, entity: Entity) -> impl Iterator<Item = (Entity, Entity)> {
    let parent = |child: Entity| {
        let parent = world.get::<ChildOf>(child)?;
        Some((parent.parent(), child))
    };
    core::iter::successors(parent(entity), move |(entity, _)| parent(*entity))
}

/// The factor by which the scene of a root shrinks when the root loses its parent: `update_scenes` then no longer
/// compensates for the scale of its ancestors' scenes. 1 without a [`BevySpace`].
fn compensated_scale(world: &World, root: Entity) -> f32 {
    match world.get::<BevySpace>(root) {
        Some(_) => outer_scale(world, root),
        None => 1.0,
    }
}

/// The scale that a root inherits from the scenes of the models with a [`BevySpace`] that it is attached to.
pub(crate) fn outer_scale(world: &World, root: Entity) -> f32 {
    let scales = ancestors(world, root).filter_map(|(parent, scene)| {
        world.get::<BevySpace>(parent)?;
        world.get::<SceneTransform>(scene)?;
        Some(world.get::<Transform>(scene)?.scale.x)
    });
    scales.product()
}
