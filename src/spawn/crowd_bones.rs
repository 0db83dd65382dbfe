//! The entities of the bones of crowds' members.

use crate::root::crowd::CrowdBone;
use crate::spawn::instance::ModelInstance;
use bevy::prelude::*;

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
