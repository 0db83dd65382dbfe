//! [`RigInfo`]: what code for any format can ask about spawned models with bones; and the poses of bones that were asked for,
//! sampled on the CPU.

use crate::crowd::format::CrowdFormat;
use crate::crowd::members::CrowdMember;
use crate::crowd::shown_poses::ShownClip;
use crate::crowd::skeleton::CrowdSkeleton;
use crate::load::names::same_name;
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::clips::SharedClips;
use crate::playback::skeletal::pose_source::PoseSource;
use crate::playback::skeletal::rig::{ClipInfo, ClipSource, Rig, RigClip};
use crate::root::play::ClipRef;
use crate::root::spawning::CrowdBone;
use crate::spawn::format::{Format, FoundClip, ModelClip, ModelPose, NamedEntity, frame_at};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use core::ops::Range;

/// The transform of a bone to the model's space, and whether what is connected to it is visible. `local` has the transform of a bone to
/// its parent's space and its own visibility; `None` is the rest pose, which it gets.
fn bone_pose(
    skeleton: &CrowdSkeleton,
    bone: usize,
    local: impl Fn(usize, (Transform, bool)) -> Option<(Transform, bool)>,
) -> (Affine3A, bool) {
    let mut pose = (Affine3A::IDENTITY, true);
    let mut next = Some(bone);
    while let Some((index, info)) = next.and_then(|index| Some((index, skeleton.bones.get(index)?)))
    {
        let rest = (info.rest, info.is_visible);
        let (own, is_visible) = local(index, rest).unwrap_or(rest);
        let decides = index == bone || skeleton.hidden_bones_hide_children;
        pose = (
            own.compute_affine() * pose.0,
            pose.1 && (is_visible || !decides),
        );
        next = info.parent.filter(|parent| *parent < index);
    }
    pose
}

/// The transform of a bone of a member to the model's space, and whether it is visible.
fn shown_bone<F: CrowdFormat>(member: &CrowdMember<F>, bone: usize) -> (Affine3A, bool) {
    if let Some(bones) = member.own_bones() {
        return bone_pose(&member.skeleton, bone, |index, _| bones.get(index).copied());
    }
    let shown = &member.shown;
    let pose = |clip: Option<&ShownClip<F::Sampler>>| {
        bone_pose(&member.skeleton, bone, |index, rest| {
            let shown = clip?;
            Some(shown.clip.sampler.bone(index, shown.position, rest))
        })
    };
    let (to, to_visible) = pose(shown.to.as_ref());
    if shown.from_weight == 0.0 {
        return (to, to_visible);
    }
    let (from, from_visible) = pose(shown.from.as_ref());
    let weight = shown.from_weight;
    // As the shader blends matrices.
    let blend = |to, from| to * (1.0 - weight) + from * weight;
    let mut blended = to;
    blended.matrix3.x_axis = blend(to.matrix3.x_axis, from.matrix3.x_axis);
    blended.matrix3.y_axis = blend(to.matrix3.y_axis, from.matrix3.y_axis);
    blended.matrix3.z_axis = blend(to.matrix3.z_axis, from.matrix3.z_axis);
    blended.translation = blend(to.translation, from.translation);
    let is_visible = (to_visible && weight <= 0.5) || (from_visible && weight >= 0.5);
    (blended, is_visible)
}

/// The transform of a bone of a member to the space of its scene. `None` if there is no such bone.
pub(crate) fn crowd_bone<F: CrowdFormat>(member: &CrowdMember<F>, bone: usize) -> Option<Affine3A> {
    member.skeleton.bones.get(bone)?;
    Some(shown_bone(member, bone).0)
}

/// The transform that is nearest to an affine one. Bones below others with unequal scales are sheared, which a
/// `Transform` cannot express.
fn without_shear(affine: &Affine3A) -> Transform {
    let matrix = affine.matrix3;
    let scale = Vec3::new(
        matrix.x_axis.length() * matrix.determinant().signum(),
        matrix.y_axis.length(),
        matrix.z_axis.length(),
    );
    let x = (matrix.x_axis * scale.x.signum()).try_normalize();
    let x = x.unwrap_or(Vec3A::X);
    let y = matrix.y_axis.reject_from_normalized(x).try_normalize();
    let y = y.unwrap_or_else(|| Vec3::from(x).any_orthonormal_vector().into());
    Transform {
        translation: affine.translation.into(),
        rotation: Quat::from_mat3a(&Mat3A::from_cols(x, y, x.cross(y))),
        scale,
    }
}

/// Poses the entities of bones.
pub(crate) fn pose_bones<F: CrowdFormat>(
    mut bones: Query<(&CrowdBone, &mut Transform, &mut Visibility)>,
    members: Query<&CrowdMember<F>>,
) {
    for (bone, mut transform, mut shown) in &mut bones {
        let Ok(member) = members.get(bone.root) else {
            continue;
        };
        let (affine, is_visible) = shown_bone(member, bone.bone);
        transform.set_if_neq(without_shear(&affine));
        shown.set_if_neq(if is_visible {
            Visibility::Inherited
        } else {
            Visibility::Hidden
        });
    }
}

/// Despawns the entities of bones that have no children left.
pub(crate) fn despawn_unused_bones(
    mut commands: Commands,
    bones: Query<(Entity, Option<&Children>), With<CrowdBone>>,
) {
    for (bone, children) in &bones {
        if children.is_none_or(|children| children.is_empty()) {
            commands.entity(bone).try_despawn();
        }
    }
}

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
    files: Option<Res<'w, Assets<<F as Rig>::ClipFile>>>,
    server: Option<Res<'w, AssetServer>>,
    shared: Option<Res<'w, SharedClips<F>>>,
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

    /// Looks up a clip that is not a part of another clip.
    pub(crate) fn find_clip(&self, root: Entity, clip: &ClipRef) -> FoundClip {
        let (Some(model), Some(files)) = (self.model(root), self.files()) else {
            return FoundClip::Unsupported;
        };
        let mut clips = F::clips(model);
        let found = match clip {
            ClipRef::Handle(clip) => return self.find_file(model, clip),
            ClipRef::Name(name) => clips.find(|clip| same_name(clip.name, name)),
            ClipRef::Index(index) => clips.nth(*index),
            _ => None,
        };
        let Some(source) = found.map(ClipSource::from) else {
            return FoundClip::Missing;
        };
        FoundClip::Found {
            frames: F::clip_info(&source, Some(model), files).map(|info| info.frames.count()),
            files: source.file.into_iter().collect(),
        }
    }

    /// Looks up a clip of a file. Its file is read only once the clip is loaded: otherwise an invalid file would be read and logged
    /// twice.
    fn find_file(&self, model: &F::Model, clip: &Handle<AnimationClip>) -> FoundClip {
        let (Some(server), Some(shared)) = (&self.server, &self.shared) else {
            return FoundClip::Unsupported;
        };
        let mut source = ClipSource::from(clip);
        if server.is_loaded(clip) {
            let file = F::file_of(clip, server, &shared.extensions);
            source.file = file.map(Handle::untyped);
        }
        let files = self.files().filter(|_| source.file.is_some());
        let info = files.and_then(|files| F::clip_info(&source, Some(model), files));
        FoundClip::Found {
            frames: info.map(|info| info.frames.count()),
            files: source
                .file
                .into_iter()
                .chain([clip.clone().untyped()])
                .collect(),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_without_shear_are_exact_and_others_are_near() {
        let transform = Transform {
            translation: Vec3::new(1.0, 2.0, 3.0),
            rotation: Quat::from_euler(bevy::math::EulerRot::XYZ, 0.3, -1.2, 2.0),
            scale: Vec3::new(-2.0, 0.5, 3.0),
        };
        let affine = transform.compute_affine();
        let found = without_shear(&affine).compute_affine();
        assert!(found.abs_diff_eq(affine, 1e-5), "{found:?}");
        let sheared = Transform::from_scale(Vec3::new(1.0, 1.6, 0.9)).compute_affine() * affine;
        let found = without_shear(&sheared);
        assert!(found.rotation.is_normalized());
        assert_eq!(found.translation, Vec3::from(sheared.translation));
        let flat = without_shear(&Affine3A::from_scale(Vec3::ZERO));
        assert!(flat.is_finite(), "{flat:?}");
    }
}
