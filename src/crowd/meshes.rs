//! The meshes that members show: the sub-meshes of the selected parts, merged by their materials.

use crate::appearance::parts::Selections;
use crate::appearance::skins::SkinMaterials;
use crate::crowd::format::{CrowdFormat, CrowdMaterial, Selection};
use crate::crowd::members::CrowdMember;
use crate::crowd::models::{Appearance, CrowdModel, CrowdModels, Draw};
use crate::crowd::skinning::{AttributeSet, CrowdSkinning, MergedMesh};
use crate::gpu::pose_table::PoseTable;
use crate::load::warnings::ModelWarnings;
use crate::root::spawning::CrowdMesh;
use crate::spawn::instance::RayPart;
use crate::spawn::render_layers::HasLayers;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::NoAutoAabb;
use bevy::ecs::system::SystemParam;
use bevy::light::NotShadowCaster;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::{Mesh, MeshTag};
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use std::sync::Arc;

/// The assets of merged meshes.
#[derive(SystemParam)]
pub(crate) struct AppearanceAssets<'w, F: CrowdFormat> {
    meshes: ResMut<'w, Assets<Mesh>>,
    materials: ResMut<'w, Assets<CrowdMaterial<F>>>,
    bases: SkinMaterials<'w, <F as CrowdFormat>::Base>,
}

/// Gives members the meshes and the materials that are selected, if a component that decides about them changed.
pub(crate) fn update_meshes<F: CrowdFormat>(
    mut commands: Commands,
    mut selections: Selections<F::Instance>,
    mut members: Query<(&mut CrowdMember<F>, &F::Instance)>,
    mut models: ResMut<CrowdModels<F>>,
    mut assets: AppearanceAssets<F>,
    mut warnings: ModelWarnings,
) {
    for root in selections.changed() {
        let Ok((mut member, instance)) = members.get_mut(root) else {
            continue;
        };
        // The root may already have another scene that is not spawned yet.
        if commands.get_entity(member.scene()).is_err() {
            continue;
        }
        let Some(crowd) = models.get_mut(member.slot) else {
            continue;
        };
        if let Some(missing) = crowd.missing {
            warnings.warn_once(root, missing.warning());
        }
        let selection = F::selection(F::model(instance), &crowd.data, &selections.get(root));
        // Not a change that other systems must react to.
        let member = member.bypass_change_detection();
        crowd.show(root, member, selection, &mut assets, &mut commands);
    }
}

impl<F: CrowdFormat> CrowdModel<F> {
    /// Shows a selection on a member. Meshes are merged once for all members.
    fn show(
        &mut self,
        root: Entity,
        member: &mut CrowdMember<F>,
        selection: Selection<F::Skin>,
        assets: &mut AppearanceAssets<'_, F>,
        commands: &mut Commands<'_, '_>,
    ) {
        let current = member.appearance.as_ref();
        if current.is_some_and(|appearance| appearance.selection == selection) {
            return;
        }
        let appearance = self.appearances.get(&selection).unwrap_or_else(|| {
            let appearance = Arc::new(Appearance {
                draws: self.merge(&selection, assets),
                selection: selection.clone(),
            });
            self.appearances.insert(selection, &appearance);
            appearance
        });
        update_entities::<F>(commands, root, member, &appearance, self.bounds);
        member.appearance = Some(appearance);
    }

    /// Merges the sub-meshes of the shown parts that share a material, in the order of the file.
    fn merge(
        &self,
        selection: &Selection<F::Skin>,
        assets: &mut AppearanceAssets<'_, F>,
    ) -> Vec<Draw<F>> {
        type Key<B> = (AssetId<B>, bool, AttributeSet);
        type Group<B> = (Key<B>, Handle<B>, usize, MergedMesh);
        let mut groups: Vec<Group<F::Base>> = Vec::new();
        for (index, submesh) in self.submeshes.iter().enumerate() {
            let is_shown = selection.parts.get(submesh.part).copied().unwrap_or(false);
            let mesh = assets.meshes.get(&submesh.mesh).filter(|_| is_shown);
            let material = mesh.and_then(|_| {
                let skin = &selection.skin;
                F::material(&self.model, &submesh.surface, skin, &mut assets.bases)
            });
            let (Some(mesh), Some(material)) = (mesh, material) else {
                continue;
            };
            let key = (material.id(), submesh.casts_shadows, submesh.attributes);
            let group = groups.iter().position(|(other, ..)| *other == key);
            let group = group.unwrap_or_else(|| {
                groups.push((key, material, index, MergedMesh::default()));
                groups.len() - 1
            });
            if let Some((.., merged)) = groups.get_mut(group) {
                merged.add(mesh, &submesh.joints, submesh.visibility);
            }
        }
        let mut draws: Vec<Draw<F>> = Vec::new();
        for ((_, casts_shadows, _), base, first, merged) in groups {
            let own = draws.iter().find(|draw| draw.base == base);
            let own = own.map(|draw| draw.material.clone());
            let Some(material) = own.or_else(|| self.material(&base, assets)) else {
                continue;
            };
            draws.push(Draw {
                mesh: assets.meshes.add(merged.build()),
                material,
                base,
                casts_shadows,
                first,
            });
        }
        draws
    }

    /// The material that draws another one on members. `None` if that is not loaded.
    fn material(
        &self,
        base: &Handle<F::Base>,
        assets: &mut AppearanceAssets<'_, F>,
    ) -> Option<Handle<CrowdMaterial<F>>> {
        if let Some(known) = self.appearances.material(base.id()) {
            return Some(known);
        }
        let skinning = CrowdSkinning {
            poses: self.texture.image.clone(),
            instances: PoseTable::<CrowdMaterial<F>>::image(),
        };
        let material = ExtendedMaterial {
            base: assets.bases.all.get(base)?.clone(),
            extension: skinning,
        };
        Some(assets.materials.add(material))
    }
}

/// Gives the entities of a member's meshes those of an appearance. Spawns missing entities and despawns surplus ones.
fn update_entities<F: CrowdFormat>(
    commands: &mut Commands<'_, '_>,
    root: Entity,
    member: &mut CrowdMember<F>,
    appearance: &Appearance<F>,
    bounds: Option<Aabb3d>,
) {
    let kept = appearance.draws.len().min(member.meshes.len());
    for mesh in member.meshes.drain(kept..) {
        commands.entity(mesh).try_despawn();
    }
    let ray_part = RayPart {
        format: F::FORMAT,
        root,
    };
    for (index, draw) in appearance.draws.iter().enumerate() {
        let drawn = (
            Mesh3d(draw.mesh.clone()),
            MeshMaterial3d(draw.material.clone()),
        );
        let entity = match member.meshes.get(index) {
            Some(entity) => {
                commands.entity(*entity).try_insert(drawn);
                *entity
            }
            None => {
                let mesh = (
                    (CrowdMesh, HasLayers, ray_part),
                    drawn,
                    MeshTag(member.row),
                    Transform::IDENTITY,
                    Visibility::Inherited,
                    aabb(bounds),
                    NoAutoAabb,
                    ChildOf(member.scene),
                );
                let entity = commands.spawn(mesh).id();
                member.meshes.push(entity);
                entity
            }
        };
        if draw.casts_shadows {
            commands.entity(entity).try_remove::<NotShadowCaster>();
        } else {
            commands.entity(entity).try_insert(NotShadowCaster);
        }
    }
}

/// The bounding box of a mesh entity.
pub(crate) fn aabb(bounds: Option<Aabb3d>) -> Aabb {
    bounds.map_or_else(Aabb::default, |bounds| {
        Aabb::from_min_max(bounds.min.into(), bounds.max.into())
    })
}
