//! Roots, formats and named entities of spawned models, for the systems of this crate.
//!
//! Unlike [`ModelQuery`](crate::query::ModelQuery), it reads no component that users write.

use crate::root::spawning::CrowdBone;
use crate::spawn::instance::{ModelFormat, ModelInstance, SharedModel};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// Finds roots, formats and bones of spawned models of any format.
#[derive(SystemParam)]
pub(crate) struct ModelRoots<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    instances: Query<'w, 's, &'static ModelInstance>,
    children: Query<'w, 's, &'static Children>,
    crowd_bones: Query<'w, 's, &'static CrowdBone>,
}

impl ModelRoots<'_, '_> {
    /// The format of a root's model. `None` until its scene is spawned.
    pub(crate) fn format(&self, root: Entity) -> Option<ModelFormat> {
        self.instances.get(root).ok().map(ModelInstance::format)
    }

    /// The root entity of the scene of a root's model.
    pub(crate) fn scene(&self, root: Entity) -> Option<Entity> {
        self.instances.get(root).ok().map(ModelInstance::scene)
    }

    /// What the instances of a root's model share.
    pub(crate) fn model(&self, root: Entity) -> Option<&SharedModel> {
        let instance = self.instances.get(root);
        instance.ok().map(|instance| &**instance.model())
    }

    /// See [`ModelQuery::root`](crate::query::ModelQuery::root).
    pub(crate) fn root(&self, part: Entity) -> Option<Entity> {
        let ancestors = self.parents.iter_ancestors(part);
        core::iter::once(part)
            .chain(ancestors)
            .find(|entity| self.instances.contains(*entity))
    }

    /// See [`ModelQuery::bone`](crate::query::ModelQuery::bone).
    pub(crate) fn bone(&self, root: Entity, name: &str) -> Option<Entity> {
        let instance = self.instances.get(root).ok()?;
        let bone = instance.bone(name);
        bone.or_else(|| find_crowd_bone(instance, name, &self.children, &self.crowd_bones))
    }

    /// The index of the bone with a name, or of the bone of the part with it, if the root's model is a member of a
    /// crowd.
    pub(crate) fn crowd_bone(&self, root: Entity, name: &str) -> Option<usize> {
        let (_, bone) = self.instances.get(root).ok()?.crowd_bone(name)?;
        Some(bone)
    }

    /// Whether a root's model was spawned for a proxy of another model.
    pub(crate) fn is_of_proxy(&self, root: Entity) -> bool {
        let instance = self.instances.get(root);
        instance.is_ok_and(|instance| instance.is_of_proxy())
    }

    /// The warning for attachments to a bone that a root's model lacks.
    pub(crate) fn missing_bone(&self, root: Entity, name: &str) -> Option<String> {
        let instance = self.instances.get(root).ok()?;
        Some(instance.model().missing_bone(name))
    }

    /// The warning about a part name that `PartVisibility` cannot hide in a root's model. `None` if it can.
    pub(crate) fn missing_part(&self, root: Entity, name: &str) -> Option<String> {
        let instance = self.instances.get(root).ok()?;
        if instance.is_of_proxy() {
            None
        } else {
            instance.model().missing_part(name)
        }
    }
}

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
