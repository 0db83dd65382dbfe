//! The data that the members of a crowd of one model share.

use crate::crowd::clips::{CrowdClips, Target};
use crate::crowd::format::{CrowdContent, CrowdFormat, CrowdSubmesh, Missing};
use crate::crowd::meshes::Appearances;
use crate::crowd::pose_texture::PoseTexture;
use crate::crowd::skeleton::CrowdSkeleton;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use std::sync::Arc;

/// The height limit of textures if there is no renderer: that of WebGPU.
const DEFAULT_TEXTURE_SIZE: u32 = 8192;

/// The models of a format that have crowds.
#[derive(Resource)]
pub(crate) struct CrowdModels<F: CrowdFormat> {
    slots: Vec<Option<CrowdModel<F>>>,
    /// The adapter's maximum size of textures.
    pub(crate) max_texture_size: u32,
}

impl<F: CrowdFormat> Default for CrowdModels<F> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            max_texture_size: DEFAULT_TEXTURE_SIZE,
        }
    }
}

impl<F: CrowdFormat> CrowdModels<F> {
    /// Adds a member to the crowd of a model. Returns the slot of the crowd, and the skeleton.
    pub(crate) fn join(
        &mut self,
        model: &Arc<F::Model>,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
    ) -> (usize, Arc<CrowdSkeleton>) {
        let slots = || self.slots.iter().enumerate();
        let is_same = |crowd: &CrowdModel<F>| Arc::ptr_eq(&crowd.model, model);
        let own = slots().find(|(_, slot)| slot.as_ref().is_some_and(is_same));
        let free = slots().find(|(_, slot)| slot.is_none());
        let index = own.or(free).map_or(self.slots.len(), |(index, _)| index);
        if index == self.slots.len() {
            self.slots.push(None);
        }
        let size = self.max_texture_size;
        let crowd = self.slots[index]
            .get_or_insert_with(|| CrowdModel::new(model.clone(), meshes, images, size));
        crowd.members += 1;
        (index, crowd.skeleton.clone())
    }

    /// Removes a member. Drops the data of the crowd with the last one.
    pub(crate) fn leave(&mut self, slot: usize) {
        let Some(crowd) = self.slots.get_mut(slot) else {
            return;
        };
        if let Some(model) = crowd {
            model.members = model.members.saturating_sub(1);
            if model.members == 0 {
                *crowd = None;
            }
        }
    }

    #[inline]
    pub(crate) fn get(&self, slot: usize) -> Option<&CrowdModel<F>> {
        self.slots.get(slot)?.as_ref()
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, slot: usize) -> Option<&mut CrowdModel<F>> {
        self.slots.get_mut(slot)?.as_mut()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut CrowdModel<F>> {
        self.slots.iter_mut().flatten()
    }
}

/// The crowd of a model.
pub(crate) struct CrowdModel<F: CrowdFormat> {
    pub(crate) model: Arc<F::Model>,
    pub(crate) data: F::Data,
    pub(crate) submeshes: Vec<CrowdSubmesh<F::Surface>>,
    /// Why sub-meshes are missing. `None` if none is.
    pub(crate) missing: Option<Missing>,
    pub(crate) appearances: Appearances<F>,
    pub(crate) clips: CrowdClips<F::Sampler>,
    pub(crate) texture: PoseTexture,
    pub(crate) skeleton: Arc<CrowdSkeleton>,
    /// The box around the rest pose and all baked clips.
    pub(crate) bounds: Option<Aabb3d>,
    members: usize,
}

impl<F: CrowdFormat> CrowdModel<F> {
    fn new(
        model: Arc<F::Model>,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
        max_texture_size: u32,
    ) -> Self {
        let CrowdContent {
            skeleton,
            submeshes,
            missing,
            data,
        } = F::content(&model, meshes, images);
        let mut texture = PoseTexture::new(images, max_texture_size);
        let rest = skeleton.rest_pose();
        let bounds = skeleton.bounds(&rest);
        // The rest pose is the first one. It does not fit only if millions of vertices deform: the offsets of joints have
        // 16 bits, and the smallest texture of an adapter has 2048 lines of as many texels.
        let is_shown = texture.insert(rest).is_ok();
        Self {
            model,
            data,
            submeshes: if is_shown { submeshes } else { Vec::new() },
            missing: if is_shown {
                missing
            } else {
                Some(Missing::PoseTooLarge)
            },
            appearances: Appearances::default(),
            clips: CrowdClips::default(),
            texture,
            skeleton: Arc::new(skeleton),
            bounds,
            members: 0,
        }
    }

    /// The clips, and what they are baked for.
    pub(crate) fn clips(&mut self) -> (&mut CrowdClips<F::Sampler>, Target<'_>) {
        let target = Target {
            skeleton: &self.skeleton,
            texture: &mut self.texture,
            bounds: &mut self.bounds,
        };
        (&mut self.clips, target)
    }
}
