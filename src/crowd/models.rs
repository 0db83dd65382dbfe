//! The data that the members of a crowd of one model share.

use crate::crowd::clips::{CrowdClips, Target};
use crate::crowd::format::{CrowdContent, CrowdFormat, CrowdMaterial, CrowdSubmesh, Selection};
use crate::crowd::pose_texture::PoseTexture;
use crate::crowd::skeleton::CrowdSkeleton;
use crate::crowd::skinning::Missing;
use crate::load::weak_cache::WeakCache;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::Mesh;
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
    /// The box around the rest pose, all baked clips, and the poses of members with layers.
    pub(crate) bounds: Option<Aabb3d>,
    /// The box that the meshes of members have.
    pub(crate) mesh_bounds: Option<Aabb3d>,
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
            mesh_bounds: bounds,
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

/// The merged meshes of a selection.
pub(crate) struct Appearance<F: CrowdFormat> {
    pub(crate) draws: Vec<Draw<F>>,
    pub(crate) selection: Selection<F::Skin>,
}

/// A merged mesh.
pub(crate) struct Draw<F: CrowdFormat> {
    pub(crate) mesh: Handle<Mesh>,
    pub(crate) material: Handle<CrowdMaterial<F>>,
    /// The material that `material` is a copy of. Its id identifies the copy, so it must not be dropped before.
    pub(crate) base: Handle<F::Base>,
    pub(crate) casts_shadows: bool,
    /// The index of its first sub-mesh.
    pub(crate) first: usize,
}

/// The appearances that members show.
pub(crate) type Appearances<F> = WeakCache<Selection<<F as CrowdFormat>::Skin>, Appearance<F>>;

impl<F: CrowdFormat> WeakCache<Selection<F::Skin>, Appearance<F>> {
    /// The material that members show instead of another one.
    pub(crate) fn material(&self, base: AssetId<F::Base>) -> Option<Handle<CrowdMaterial<F>>> {
        self.values().find_map(|appearance| {
            let mut draws = appearance.draws.iter();
            let draw = draws.find(|draw| draw.base.id() == base)?;
            Some(draw.material.clone())
        })
    }

    /// The materials that members show, each with the index of a sub-mesh that has it. Some occur several times.
    pub(crate) fn materials(&self) -> Vec<(Handle<CrowdMaterial<F>>, usize)> {
        let mut all = Vec::new();
        for appearance in self.values() {
            let draws = appearance.draws.iter();
            all.extend(draws.map(|draw| (draw.material.clone(), draw.first)));
        }
        all
    }
}
