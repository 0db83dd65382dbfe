//! The poses of members with layers: blended on the CPU in each frame, as those of scenes, and written to the model's texture.

use crate::crowd::bake::BakeSource;
use crate::crowd::deformed::PosedVertex;
use crate::crowd::format::CrowdFormat;
use crate::crowd::models::CrowdModel;
use crate::crowd::pose_texture::TextureFull;
use crate::crowd::shown_poses::{ShownClip, ShownPoses};
use crate::crowd::skeleton::{CrowdSkeleton, Poser, Texel};
use crate::gpu::pose_table::{PoseBlend, PosePair};
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::posed_bone::PosedBone;
use crate::spawn::format::merged;
use bevy::prelude::*;

/// The pose of a member that no baked clip has.
#[derive(Debug)]
pub(crate) struct OwnPose {
    /// The transform of each bone to its parent's space, and its own visibility.
    pub(crate) bones: Vec<(Transform, bool)>,
    /// The first texels of the pose in this frame and in the frame before, which motion vectors need.
    segments: [u32; 2],
    /// Whether it is shown instead of the baked clips. The segments stay until the member leaves.
    pub(crate) is_shown: bool,
}

impl OwnPose {
    /// The first texels of its poses.
    pub(crate) fn segments(&self) -> [u32; 2] {
        self.segments
    }
}

/// Blends the layers of a member over its clips. Returns the pose that it shows. `own` is that of the frame before.
///
/// # Errors
/// If the model's texture has no room for it.
pub(crate) fn show_layers<F: CrowdFormat>(
    own: &mut Option<OwnPose>,
    shown: &ShownPoses<F::Sampler>,
    crowd: &mut CrowdModel<F>,
    animator: &ModelAnimator<F>,
) -> Result<PoseBlend, TextureFull> {
    let mut pose: Vec<PosedBone> = F::bones(&crowd.model).map(PosedBone::from).collect();
    animator.blend(&mut pose);
    let bones = pose.iter().map(|bone| {
        let is_visible = bone.is_visible().unwrap_or(bone.rest.1);
        (bone.local, is_visible)
    });
    let bones: Vec<(Transform, bool)> = bones.collect();
    let skeleton = crowd.skeleton.clone();
    let (poser, texels) = posed(&skeleton, &bones, shown);
    crowd.bounds = merged(crowd.bounds, poser.bounds(&texels));
    let segments = match own {
        Some(own) => [own.segments[1], own.segments[0]],
        None => {
            let first = crowd.texture.insert(texels.clone())?;
            let second = crowd.texture.insert(texels.clone());
            let second = second.inspect_err(|_| crowd.texture.remove(first))?;
            [first, second]
        }
    };
    let [first, _] = segments;
    crowd.texture.replace(first, &texels);
    *own = Some(OwnPose {
        bones,
        segments,
        is_shown: true,
    });
    Ok(PoseBlend::from(PosePair {
        a: first,
        b: first,
        towards_b: 0.0,
    }))
}

/// Poses bones, and the deformed vertices as in the clips below the layers. Returns the texels of the pose, too.
pub(crate) fn posed<'a, S: BakeSource>(
    skeleton: &'a CrowdSkeleton,
    bones: &[(Transform, bool)],
    shown: &ShownPoses<S>,
) -> (Poser<'a>, Vec<Texel>) {
    let mut poser = Poser::new(skeleton);
    let targets = poser.local.iter_mut().zip(&mut poser.visible);
    for ((local, visible), bone) in targets.zip(bones) {
        (*local, *visible) = *bone;
    }
    deform(shown.to.as_ref(), &mut poser.deformed);
    if shown.from_weight > 0.0 {
        let mut from: Vec<PosedVertex> = skeleton.deformed.iter().map(|it| it.rest).collect();
        deform(shown.from.as_ref(), &mut from);
        for (to, from) in poser.deformed.iter_mut().zip(from) {
            to.position = to.position.lerp(from.position, shown.from_weight);
            to.normal = to.normal.lerp(from.normal, shown.from_weight);
        }
    }
    let mut texels = vec![Texel::default(); skeleton.pose_texels()];
    poser.write(&mut texels);
    (poser, texels)
}

/// Writes the deformed vertices in a clip.
fn deform<S: BakeSource>(shown: Option<&ShownClip<S>>, vertices: &mut [PosedVertex]) {
    if let Some(shown) = shown {
        let sampler = &shown.clip.sampler;
        sampler.deform(shown.position, true, vertices);
    }
}
