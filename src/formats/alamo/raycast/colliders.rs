//! The colliders of spawned models.

use crate::appearance::parts::BoneVisibility;
use crate::formats::alamo::collision::tree::CollisionTree;
use crate::formats::alamo::components::{AloPart, AloSubmeshIndex};
use crate::formats::alamo::raycast::collider::{AloCollider, PlacedTree};
use crate::geometry::ray_settings::{ModelRayCastSettings, ModelRayCastVisibility};
use bevy::ecs::entity::EntityHashMap;
use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::mesh::skinning::SkinnedMesh;
use bevy::prelude::*;

/// The components of a collider's entity.
#[derive(QueryData)]
pub(crate) struct Collider {
    pub(crate) collider: &'static AloCollider,
    pub(crate) submesh: &'static AloSubmeshIndex,
    transform: &'static GlobalTransform,
    own: Option<&'static Visibility>,
    inherited: &'static InheritedVisibility,
    in_view: &'static ViewVisibility,
    is_drawn: Has<Mesh3d>,
    parent: Option<&'static ChildOf>,
    pub(crate) skinned: Option<&'static SkinnedMesh>,
}

/// The colliders and their ancestors.
#[derive(SystemParam)]
pub(crate) struct Colliders<'w, 's> {
    pub(crate) colliders: Query<'w, 's, Collider>,
    parts: Query<'w, 's, (&'static AloPart, &'static ChildOf)>,
    bones: Query<
        'w,
        's,
        (
            &'static InheritedVisibility,
            Option<&'static BoneVisibility>,
        ),
    >,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    posed: Local<'s, Posed>,
}

/// The trees of skinned colliders that were posed in this run of the system.
#[derive(Default)]
struct Posed {
    /// In world space. `None` if a vertex is not finite.
    trees: EntityHashMap<Option<CollisionTree>>,
    /// A buffer, kept for its memory.
    vertices: Vec<[f32; 3]>,
}

impl Colliders<'_, '_> {
    /// Removes the poses of the last run. Call it in each run, before the first query.
    pub(crate) fn begin(&mut self) {
        self.posed.trees.clear();
    }

    /// Calls a function with a collider's tree in the world. `None` if the settings exclude the collider
    /// or its transform is not usable.
    pub(crate) fn with_tree<T>(
        &mut self,
        entity: Entity,
        settings: &ModelRayCastSettings<'_>,
        query: impl FnOnce(&PlacedTree<'_>) -> T,
    ) -> Option<T> {
        let item = self.colliders.get(entity).ok()?;
        if !self.is_included(&item, settings.visibility) || !(settings.filter)(entity) {
            return None;
        }
        let tree = item.collider.tree();
        let (Some(skin), Some(skinned)) = (item.collider.skin(), item.skinned) else {
            let placed = PlacedTree::new(tree, item.transform.affine())?;
            return Some(query(&placed));
        };
        let Posed { trees, vertices } = &mut *self.posed;
        let posed = trees.entry(entity).or_insert_with(|| {
            // Joints transform to world space; the sub-mesh's own transform does not matter.
            let joint = |index: usize| {
                let joint = skinned.joints.get(index)?;
                Some(self.transforms.get(*joint).ok()?.affine())
            };
            skin.pose(joint, vertices);
            tree.with_positions(vertices).ok()
        });
        let tree = posed.as_ref()?;
        Some(query(&PlacedTree::new(tree, Affine3A::IDENTITY)?))
    }

    /// Whether a ray with the given setting can hit a collider.
    fn is_included(&self, item: &ColliderItem<'_, '_>, visibility: ModelRayCastVisibility) -> bool {
        match visibility {
            ModelRayCastVisibility::Any => true,
            ModelRayCastVisibility::Solid => self.is_solid(item),
            ModelRayCastVisibility::SolidAtCurrentLod => {
                item.inherited.get() || self.is_hull(item.parent)
            }
            ModelRayCastVisibility::Visible => item.inherited.get(),
            ModelRayCastVisibility::VisibleInView => item.is_drawn && item.in_view.get(),
        }
    }

    /// Whether a collider belongs to the finest level of detail, and is visible or hidden only by the file
    /// or because another level is drawn.
    fn is_solid(&self, item: &ColliderItem<'_, '_>) -> bool {
        let parent = item.parent.map(ChildOf::parent);
        let Some((part, bone)) = parent.and_then(|parent| self.parts.get(parent).ok()) else {
            return item.inherited.get();
        };
        if !part.selected_at_finest {
            return false;
        }
        let is_coarser_drawn = !part.selected && item.own != Some(&Visibility::Hidden);
        item.inherited.get()
            || ((part.hidden || is_coarser_drawn) && self.is_bone_visible(bone.parent()))
    }

    fn is_bone_visible(&self, bone: Entity) -> bool {
        let bone = self.bones.get(bone);
        bone.is_ok_and(|(inherited, own)| {
            inherited.get() && own.is_none_or(BoneVisibility::is_visible)
        })
    }

    /// Whether a part is a collision hull: selected, and hidden only by the file.
    fn is_hull(&self, parent: Option<&ChildOf>) -> bool {
        let part = parent.and_then(|parent| self.parts.get(parent.parent()).ok());
        part.is_some_and(|(part, bone)| {
            part.hidden && part.selected && self.is_bone_visible(bone.parent())
        })
    }
}
