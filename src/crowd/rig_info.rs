//! [`RigInfo`]: what code for any format can ask about spawned models with bones.

use crate::crowd::format::CrowdFormat;
use crate::crowd::members::bones::crowd_bone;
use crate::crowd::members::member::CrowdMember;
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::rig::{ClipInfo, ClipSource, Rig, RigClip};
use crate::spawn::format::Format;
use crate::spawn::info::{ModelClip, ModelPose, NamedEntity, frame_at};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use core::ops::Range;

/// The components of a root.
type Root<F> = (
    &'static <F as Format>::Instance,
    Option<&'static ModelAnimator<F>>,
    Option<&'static CrowdMember<F>>,
);

/// The spawned models of a format with bones.
#[derive(SystemParam)]
pub(crate) struct RigInfo<'w, 's, F: CrowdFormat> {
    roots: Query<'w, 's, Root<F>>,
    parents: Query<'w, 's, &'static ChildOf>,
    files: Option<Res<'w, Assets<<F as Rig>::ClipFile>>>,
}

impl<F: CrowdFormat> RigInfo<'_, '_, F> {
    pub(crate) fn instance(&self, root: Entity) -> Option<&F::Instance> {
        Some(self.roots.get(root).ok()?.0)
    }

    pub(crate) fn model(&self, root: Entity) -> Option<&F::Model> {
        Some(F::model(self.instance(root)?))
    }

    /// The assets that describe clips.
    pub(crate) fn files(&self) -> Option<&Assets<F::ClipFile>> {
        self.files.as_deref()
    }

    /// The root entity of the model's scene.
    pub(crate) fn scene_root(&self, root: Entity) -> Option<Entity> {
        let (instance, _, member) = self.roots.get(root).ok()?;
        if let Some(member) = member {
            return Some(member.scene());
        }
        let first = F::bone_entities(instance).first()?;
        Some(self.parents.get(*first).ok()?.parent())
    }

    fn clip_info<'a>(&'a self, model: &'a F::Model, clip: RigClip<'_>) -> Option<ClipInfo<'a>> {
        F::clip_info(&ClipSource::from(clip), Some(model), self.files()?)
    }

    /// The clips, in file order.
    pub(crate) fn clips(&self, root: Entity) -> Vec<ModelClip> {
        let Some(model) = self.model(root) else {
            return Vec::new();
        };
        let clips = F::clips(model).map(|clip| {
            let name = clip.name.to_owned();
            let info = self.clip_info(model, clip);
            ModelClip {
                name,
                seconds: info.map(|info| info.frames.end()),
                frames: info.map(|info| info.frames.count()),
            }
        });
        clips.collect()
    }

    /// The pose at a time of the clip that plays, in seconds. `part` is the part of the clip that plays.
    pub(crate) fn pose(
        &self,
        root: Entity,
        time: f32,
        part: Option<&Range<u32>>,
    ) -> Option<ModelPose> {
        let (instance, animator, _) = self.roots.get(root).ok()?;
        let playing = animator?.clip()?;
        let model = F::model(instance);
        let mut clips = F::clips(model).enumerate();
        let (index, clip) = clips.find(|(_, clip)| clip.clip == playing)?;
        let frames = self.clip_info(model, clip)?.frames;
        let span = part.and_then(|part| frames.span(part));
        let seconds = span.map_or(time, |span| span.time(time));
        let (frame, towards_next) = frame_at(|frame| frames.time(frame), frames.count(), seconds);
        Some(ModelPose {
            clip: Some(index),
            seconds,
            frame,
            towards_next,
        })
    }

    /// The bones, in file order.
    pub(crate) fn bones(&self, root: Entity) -> Vec<NamedEntity> {
        let Some(instance) = self.instance(root) else {
            return Vec::new();
        };
        let entities = F::bone_entities(instance);
        let bones = entities.iter().zip(F::bones(F::model(instance)));
        let named = bones.map(|(entity, bone)| NamedEntity {
            entity: *entity,
            name: bone.name.to_owned(),
            parent: bone.parent.and_then(|parent| entities.get(parent).copied()),
        });
        named.collect()
    }

    /// The meshes of a member of a crowd.
    pub(crate) fn crowd_meshes(&self, root: Entity) -> impl Iterator<Item = NamedEntity> {
        let member = self.roots.get(root).ok().and_then(|(.., member)| member);
        let meshes = member.into_iter().flat_map(CrowdMember::meshes);
        meshes.map(|entity| NamedEntity {
            entity: *entity,
            name: String::new(),
            parent: None,
        })
    }

    /// The transform of a bone of a crowd's member to the space of the scene's root entity. `None` if the root is no
    /// member, or there is no such bone.
    pub(crate) fn crowd_bone(&self, root: Entity, bone: usize) -> Option<Affine3A> {
        let (.., member) = self.roots.get(root).ok()?;
        crowd_bone(member?, bone)
    }
}
