//! The poses of bones that were asked for, sampled on the CPU.

use crate::crowd::bake::PoseSource;
use crate::crowd::format::CrowdFormat;
use crate::crowd::members::{CrowdMember, ShownClip};
use crate::crowd::skeleton::CrowdSkeleton;
use crate::root::spawning::CrowdBone;
use bevy::math::Affine3A;
use bevy::prelude::*;

/// The transform of a bone to the model's space, and whether what is connected to it is visible. `clip` is a sampler and a position in its
/// clip; `None` is the rest pose.
fn bone_pose(
    skeleton: &CrowdSkeleton,
    bone: usize,
    clip: Option<(&impl PoseSource, f32)>,
) -> (Affine3A, bool) {
    let mut pose = (Affine3A::IDENTITY, true);
    let mut next = Some(bone);
    while let Some((index, info)) = next.and_then(|index| Some((index, skeleton.bones.get(index)?)))
    {
        let rest = (info.rest, info.is_visible);
        let (local, is_visible) = match clip {
            Some((sampler, position)) => sampler.bone(index, position, rest),
            None => rest,
        };
        let decides = index == bone || skeleton.hidden_bones_hide_children;
        pose = (
            local.compute_affine() * pose.0,
            pose.1 && (is_visible || !decides),
        );
        next = info.parent.filter(|parent| *parent < index);
    }
    pose
}

/// The transform of a bone of a member to the model's space, and whether it is visible.
fn shown_bone<F: CrowdFormat>(member: &CrowdMember<F>, bone: usize) -> (Affine3A, bool) {
    let shown = &member.shown;
    let pose = |clip: Option<&ShownClip<F::Sampler>>| {
        let clip = clip.map(|shown| (&*shown.clip.sampler, shown.position));
        bone_pose(&member.skeleton, bone, clip)
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
