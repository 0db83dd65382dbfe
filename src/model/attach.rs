//! Things that hang on models: guns in hands, turrets on hardpoints.
//!
//! What hangs on a bone is its child, and Bevy despawns bones with their children when a model's file
//! changes. So what hangs there is taken off when a bone is despawned whose model stays ([`detach_attachments`]), and
//! hung on the new bone before anything is drawn ([`place`]), in the same frame.

use crate::model::models::ModelQuery;
use crate::model::space::compensated_scale;
use crate::scene::{ModelInstance, ModelWarnings};
use bevy::camera::visibility::Visibility;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::{ChildOf, Children};
use bevy::ecs::lifecycle::{Despawn, Remove};
use bevy::ecs::name::Name;
use bevy::ecs::observer::On;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::relationship::RelationshipTarget;
use bevy::ecs::system::{Commands, Query, SystemParam};
use bevy::ecs::world::World;
use bevy::log::warn;
use bevy::reflect::Reflect;
use bevy::transform::components::{GlobalTransform, Transform};

/// Hangs an entity on a bone of a spawned model: it moves with it, is hidden with it, and stays when the
/// model's file changes and its bones are spawned anew.
///
/// The entity becomes a child of the bone's, and its own `Transform` is its place on the bone, in the units
/// and axes of the model's file. Until the model's scene is there, it is not drawn.
///
/// To hang it elsewhere, change this component. Where it is removed, the entity stays where it is in the
/// world, without a parent, unless the game has given it another parent since. It is despawned with the model's root, and also if there is no such root. What
/// would hang on itself, by however many models between, hangs nowhere, with a warning.
#[derive(Component, Reflect, Clone, Debug, PartialEq, Eq)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Transform, Visibility)]
pub struct AttachedToBone {
    /// The root of the model.
    #[entities]
    pub to: Entity,
    /// The bone, by its name in any case: see [`ModelQuery::bone`](super::ModelQuery::bone). Without a name, or
    /// where the model has none of this name, which is a warning, the entity hangs on the model's root.
    pub bone: String,
}

/// On what things hang on: bones, roots and waiting rooms.
#[derive(Component, Default)]
pub(super) struct Carries;

/// On what hangs somewhere: the parent that it was given for that. Another one is the game's.
#[derive(Component, PartialEq)]
pub(super) struct GivenParent(Entity);

/// On what is to be hung somewhere as soon as that is possible.
#[derive(Component)]
pub(super) struct Unplaced {
    /// Whether it was told that it cannot be hung there.
    is_told: bool,
}

/// Below a root whose model is not there yet, what waits for it, hidden.
#[derive(Component)]
#[require(Transform, Carries)]
pub(super) struct PendingParent;

/// Takes things off what is despawned, unless their model goes with it.
///
/// Roots go before what is below them, so those that are still there stay.
pub(super) fn detach_attachments(
    despawned: On<Despawn, Carries>,
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
    // Those that are still its children are despawned next.
    children.collection_mut_risky().retain(|child| {
        let Some(attached) = attached.get(*child).ok().filter(stays) else {
            return true;
        };
        // Bevy shows what has lost its parent, even if it is given another one in the same frame.
        let root = attached.to;
        let spot = (
            ChildOf(root),
            GivenParent(root),
            Unplaced { is_told: false },
        );
        commands.entity(*child).try_insert(spot);
        false
    });
}

/// Where a thing belongs.
enum Spot {
    /// On a bone, or the root.
    On(Entity),
    /// Nowhere yet, because the model is not there.
    Later,
    /// Nowhere any more, because the root is gone.
    Never,
}

/// Finds out where things belong.
#[derive(SystemParam)]
pub(super) struct Finder<'w, 's> {
    models: ModelQuery<'w, 's>,
    told: ModelWarnings<'w, 's>,
    all: Query<'w, 's, ()>,
}

impl Finder<'_, '_> {
    fn spot(&mut self, AttachedToBone { to, bone }: &AttachedToBone) -> Spot {
        if !self.all.contains(*to) {
            return Spot::Never;
        }
        if self.models.format(*to).is_none() {
            return Spot::Later;
        }
        if bone.is_empty() {
            return Spot::On(*to);
        }
        match self.models.bone(*to, bone) {
            // A root may have been given another scene, whose model is not there yet.
            Some(bone) if !self.all.contains(bone) => Spot::Later,
            Some(bone) => Spot::On(bone),
            None => {
                let what = format!("has no bone \"{bone}\": what hangs on it hangs on the root");
                self.told.warn_once(*to, &what);
                Spot::On(*to)
            }
        }
    }
}

/// What may belong elsewhere than where it hangs.
type IsPending = Or<(Changed<AttachedToBone>, With<Unplaced>)>;

/// Hangs things on their bones: those that changed, those that wait, and those whose model was spawned.
pub(super) fn place(
    mut commands: Commands,
    mut finder: Finder,
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
        match finder.spot(attached) {
            Spot::On(bone) => commands.queue(move |world: &mut World| hang(world, entity, bone)),
            Spot::Later => commands.queue(move |world: &mut World| wait(world, entity, root)),
            Spot::Never => commands.entity(entity).try_despawn(),
        }
    }
}

/// Makes a thing a child of what it hangs on.
fn hang(world: &mut World, entity: Entity, on: Entity) {
    let Ok(thing) = world.get_entity(entity) else {
        return;
    };
    let is_given = thing.get::<GivenParent>() == Some(&GivenParent(on));
    if is_given && is_child_of(world, entity, on) && !thing.contains::<Unplaced>() {
        return;
    }
    if is_below(world, on, entity) {
        refuse(world, entity);
    } else if let Ok(mut on) = world.get_entity_mut(on) {
        let on = on.insert_if_new(Carries).id();
        let mut thing = world.entity_mut(entity);
        thing.remove::<Unplaced>();
        // Last, because an observer of the parent may despawn it.
        thing.insert((ChildOf(on), GivenParent(on)));
    }
}

/// Puts a thing where it waits for a model.
fn wait(world: &mut World, entity: Entity, root: Entity) {
    if world.get_entity(entity).is_err() || world.get_entity(root).is_err() {
        return;
    }
    if is_below(world, root, entity) {
        return refuse(world, entity);
    }
    let room = waiting_room(world, root);
    if is_child_of(world, entity, room) {
        return;
    }
    // An observer of the room's parent may have despawned it.
    if let Ok(mut thing) = world.get_entity_mut(entity) {
        let unplaced = Unplaced { is_told: false };
        thing.insert((ChildOf(room), GivenParent(room), unplaced));
    }
}

/// The waiting room of a root, made if there is none.
fn waiting_room(world: &mut World, root: Entity) -> Entity {
    let children = world.get::<Children>(root);
    let mut children = children.into_iter().flatten().copied();
    let room = children.find(|child| world.get::<PendingParent>(*child).is_some());
    room.unwrap_or_else(|| {
        let name = Name::new("waiting for the model");
        let room = (name, PendingParent, Visibility::Hidden, ChildOf(root));
        world.spawn(room).id()
    })
}

/// Leaves a thing that would hang on itself without a parent.
fn refuse(world: &mut World, entity: Entity) {
    let mut thing = world.entity_mut(entity);
    if !thing.get::<Unplaced>().is_some_and(|told| told.is_told) {
        warn!("{entity} is attached to what is attached to it, and hangs nowhere");
        thing.insert(Unplaced { is_told: true });
        thing.remove::<(ChildOf, GivenParent)>();
    }
}

fn is_child_of(world: &World, entity: Entity, parent: Entity) -> bool {
    let of = world.get::<ChildOf>(entity);
    of.is_some_and(|of| of.parent() == parent)
}

/// Whether an entity is another one, or below it.
fn is_below(world: &World, entity: Entity, other: Entity) -> bool {
    let parent = |entity: &Entity| world.get::<ChildOf>(*entity).map(ChildOf::parent);
    core::iter::successors(Some(entity), parent).any(|ancestor| ancestor == other)
}

/// Leaves what is no longer attached where it is in the world, unless the game has given it another parent.
pub(super) fn on_detached(removed: On<Remove, AttachedToBone>, mut commands: Commands) {
    let entity = removed.entity;
    commands.queue(move |world: &mut World| {
        let Ok(mut thing) = world.get_entity_mut(entity) else {
            return;
        };
        if thing.contains::<AttachedToBone>() {
            return;
        }
        thing.remove::<Unplaced>();
        let given = thing.take::<GivenParent>();
        let parent = thing.get::<ChildOf>().map(ChildOf::parent);
        if given.is_some_and(|GivenParent(given)| parent == Some(given)) {
            remove_parent_in_place(world, entity);
        }
    });
}

/// Removes the parent of an entity without moving the entity in the world.
fn remove_parent_in_place(world: &mut World, entity: Entity) {
    let compensated = compensated_scale(world, entity);
    let Ok(mut thing) = world.get_entity_mut(entity) else {
        return;
    };
    let global = thing.get::<GlobalTransform>();
    let global = global.map(GlobalTransform::compute_transform);
    if let (Some(global), Some(mut transform)) = (global, thing.get_mut::<Transform>()) {
        *transform = global.with_scale(global.scale / compensated);
    }
    // Last, because an observer of the parent may despawn it. Bevy's method of this name panics then.
    thing.remove::<ChildOf>();
}

/// Takes waiting rooms away in which nothing waits any more.
pub(super) fn close_rooms(
    mut commands: Commands,
    rooms: Query<(Entity, Option<&Children>), With<PendingParent>>,
) {
    for (room, waiting) in &rooms {
        if waiting.is_none_or(|waiting| waiting.is_empty()) {
            commands.entity(room).try_despawn();
        }
    }
}
