//! Members of crowds, for code that works on any format: [`Crowd`] on their roots, and the entities of their bones.

use crate::scene::instance::ModelInstance;
use bevy::camera::visibility::Visibility;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::{ChildOf, Children};
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::system::Query;
use bevy::ecs::world::World;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::transform::components::Transform;

/// Spawns a model as a member of a crowd: without entities for its bones, posed by the GPU from clips that all members
/// share. Thousands of animated models then cost little.
///
/// Insert it beside a [`ClassicModel`](crate::model::ClassicModel). With a `WorldAssetRoot`, load the label `Crowd`
/// instead. The other components of the root mean the same as without it, except for
/// [`ClipLayers`](crate::scene::ClipLayers), which has no effect. What a crowd does not have, such as lights and
/// particles, is in the guide `crowds`. It needs the feature `crowd`, and has an effect on ALO and ABC models.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct Crowd;

/// On the entity of a bone of a crowd's member. It exists only while it has children, such as entities with an
/// [`AttachedToBone`](crate::model::AttachedToBone).
///
/// Its `Transform` is that of the bone in the model's space, and its `Visibility` that of the bone. Both are sampled
/// from the clip on the CPU.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[component(immutable, clone_behavior = Ignore)]
pub struct CrowdBone {
    /// The root of the member.
    pub root: Entity,
    /// The index of the bone in the file.
    pub bone: usize,
}

/// On a mesh of a crowd's member. It is spawned after the scene, whenever the shown parts change.
#[derive(Component, Clone, Copy, Debug)]
#[cfg_attr(
    not(all(feature = "crowd", any(feature = "alamo", feature = "lithtech"))),
    allow(dead_code, reason = "only crowds have members")
)]
pub(crate) struct CrowdMesh;

/// The entity of a bone of a crowd's member, if it exists.
pub(crate) fn find_crowd_bone(
    instance: &ModelInstance,
    name: &str,
    children: &Query<&Children>,
    bones: &Query<&CrowdBone>,
) -> Option<Entity> {
    let (scene, bone) = instance.crowd_bone(name)?;
    let mut children = children.get(scene).into_iter().flatten().copied();
    children.find(|child| bones.get(*child).is_ok_and(|other| other.bone == bone))
}

/// The entity of a bone of a crowd's member. It is spawned if it does not exist. `None` if the root is no longer a
/// member.
pub(crate) fn crowd_bone_entity(world: &mut World, root: Entity, name: &str) -> Option<Entity> {
    let (scene, bone) = world.get::<ModelInstance>(root)?.crowd_bone(name)?;
    world.get_entity(scene).ok()?;
    let children = world.get::<Children>(scene);
    let mut children = children.into_iter().flatten().copied();
    let is_bone = |child: &Entity| {
        let other = world.get::<CrowdBone>(*child);
        other.is_some_and(|other| other.bone == bone)
    };
    Some(children.find(is_bone).unwrap_or_else(|| {
        let bone = CrowdBone { root, bone };
        let bone = (
            bone,
            Transform::IDENTITY,
            Visibility::Inherited,
            ChildOf(scene),
        );
        world.spawn(bone).id()
    }))
}
