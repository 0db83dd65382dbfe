//! The meshes that members show: the sub-meshes of the selected parts, merged by their materials.

use crate::alamo::appearance::PartFilter;
use crate::alamo::components::AloInstance;
use crate::alamo::crowd::instance::AloCrowd;
use crate::alamo::crowd::looks::{Draw, Look};
use crate::alamo::crowd::material::{AloCrowdMaterial, AloPoseTable};
use crate::alamo::crowd::model::{CrowdModel, CrowdModels};
use crate::alamo::material::AloMaterial;
use crate::alamo::team_color::team_color_tag;
use crate::crowd::{AttributeSet, MergedMesh};
use crate::scene::{
    DamageStage, DistanceLod, ModelLod, ModelWarnings, NightTime, PartVisibility, TeamColor,
};
use bevy::asset::{AssetId, Assets, Handle};
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::{NoAutoAabb, Visibility};
use bevy::ecs::change_detection::DetectChanges;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, With};
use bevy::ecs::system::{Commands, ParamSet, Query, Res, ResMut, SystemParam};
use bevy::light::NotShadowCaster;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::{Mesh, Mesh3d, MeshTag};
use bevy::pbr::MeshMaterial3d;
use bevy::transform::components::Transform;
use std::sync::{Arc, Weak};

/// The assets of merged meshes.
#[derive(SystemParam)]
pub(super) struct LookAssets<'w> {
    meshes: ResMut<'w, Assets<Mesh>>,
    loaded: Res<'w, Assets<AloMaterial>>,
    materials: ResMut<'w, Assets<AloCrowdMaterial>>,
}

impl CrowdModel {
    /// The look that shows these parts. Meshes are merged once for all members.
    fn look(&mut self, shown: Box<[bool]>, assets: &mut LookAssets<'_>) -> Arc<Look> {
        if let Some(look) = self.looks.0.get(&shown).and_then(Weak::upgrade) {
            return look;
        }
        let look = Arc::new(Look {
            draws: self.merge(&shown, assets),
            shown: shown.clone(),
        });
        self.looks.0.retain(|_, look| look.strong_count() > 0);
        self.looks.0.insert(shown, Arc::downgrade(&look));
        look
    }

    /// Merges the sub-meshes of the shown parts that share a material, in the order of the file.
    fn merge(&mut self, shown: &[bool], assets: &mut LookAssets<'_>) -> Vec<Draw> {
        type Key = (AssetId<AloMaterial>, bool, AttributeSet);
        let mut groups: Vec<(Key, Handle<AloMaterial>, MergedMesh)> = Vec::new();
        for submesh in &self.submeshes {
            let is_shown = shown.get(submesh.part).copied().unwrap_or(false);
            let Some(mesh) = assets.meshes.get(&submesh.mesh).filter(|_| is_shown) else {
                continue;
            };
            let key = (
                submesh.material.id(),
                submesh.casts_shadows,
                submesh.attributes,
            );
            let group = groups.iter().position(|(other, ..)| *other == key);
            let group = group.unwrap_or_else(|| {
                groups.push((key, submesh.material.clone(), MergedMesh::default()));
                groups.len() - 1
            });
            if let Some((.., merged)) = groups.get_mut(group) {
                merged.add(mesh, &submesh.joints, submesh.visibility);
            }
        }
        let draws = groups
            .into_iter()
            .filter_map(|((_, casts_shadows, _), material, merged)| {
                Some(Draw {
                    material: self.material(&material, &assets.loaded, &mut assets.materials)?,
                    mesh: assets.meshes.add(merged.build()),
                    casts_shadows,
                })
            });
        draws.collect()
    }
}

/// The root components that decide which parts are shown.
type Selectors = (
    &'static mut AloCrowd,
    &'static AloInstance,
    Option<&'static DistanceLod>,
    Option<&'static ModelLod>,
    Option<&'static DamageStage>,
    Option<&'static PartVisibility>,
);

/// Matches members if any of these components changed.
type SelectorsChanged = (
    With<AloCrowd>,
    Or<(
        Changed<AloCrowd>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<DamageStage>,
        Changed<PartVisibility>,
    )>,
);

/// The members whose look may have changed, all of them, and their components.
type Members<'w, 's> = ParamSet<
    'w,
    's,
    (
        Query<'static, 'static, Entity, SelectorsChanged>,
        Query<'static, 'static, Entity, With<AloCrowd>>,
        Query<'static, 'static, Selectors>,
    ),
>;

/// Members that lost a component that decides which parts are shown.
#[derive(SystemParam)]
pub(super) struct RemovedSelectors<'w, 's> {
    lods: RemovedComponents<'w, 's, ModelLod>,
    stages: RemovedComponents<'w, 's, DamageStage>,
    visibilities: RemovedComponents<'w, 's, PartVisibility>,
}

impl RemovedSelectors<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        let removed = self.lods.read().chain(self.stages.read());
        removed.chain(self.visibilities.read())
    }
}

/// Gives members the meshes of the parts that are selected, if a component that decides about them changed.
pub(super) fn update_looks(
    mut commands: Commands,
    mut members: Members,
    mut removed: RemovedSelectors,
    mut models: ResMut<CrowdModels>,
    mut assets: LookAssets,
    night: Res<NightTime>,
    mut warnings: ModelWarnings,
) {
    let removed = removed.read();
    let changed: EntityHashSet = match night.is_changed() {
        true => members.p1().iter().collect(),
        false => members.p0().iter().chain(removed).collect(),
    };
    let mut members = members.p2();
    for root in changed {
        let Ok((mut member, instance, distance, lod, stage, visibility)) = members.get_mut(root)
        else {
            continue;
        };
        // The root may already have another scene that is not spawned yet.
        if commands.get_entity(member.scene).is_err() {
            continue;
        }
        let Some(crowd) = models.get_mut(member.slot) else {
            continue;
        };
        if crowd.lacks_meshes {
            let warning = "has meshes that are not in the main world, so its crowd cannot draw them: \
                set `asset_usage` of its loader settings to the default";
            warnings.warn_once(root, warning);
        }
        let model = instance.model();
        let by_distance = distance.map_or(0, |distance| distance.0);
        let filter = PartFilter {
            lod: model.lod(lod.map_or(by_distance, |lod| lod.0)),
            stage: stage.map_or(0, |stage| stage.0).min(model.max_damage_stage),
            night: night.0,
            visibility,
        };
        let shown = crowd.parts.iter().map(|part| filter.shows(part));
        let shown: Box<[bool]> = shown.collect();
        if member.look.as_ref().is_some_and(|look| look.shown == shown) {
            continue;
        }
        let look = crowd.look(shown, &mut assets);
        let bounds = crowd.bounds;
        // Not a change that this system must react to.
        let member =
            bevy::ecs::change_detection::DetectChangesMut::bypass_change_detection(&mut member);
        show(&mut commands, member, &look, bounds);
        member.look = Some(look);
    }
}

/// Gives the entities of a member's meshes those of a look. Spawns missing entities and despawns surplus ones.
fn show(commands: &mut Commands, member: &mut AloCrowd, look: &Look, bounds: Option<Aabb3d>) {
    for mesh in member
        .meshes
        .drain(look.draws.len().min(member.meshes.len())..)
    {
        commands.entity(mesh).try_despawn();
    }
    for (index, draw) in look.draws.iter().enumerate() {
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
        match draw.casts_shadows {
            true => commands.entity(entity).try_remove::<NotShadowCaster>(),
            false => commands.entity(entity).try_insert(NotShadowCaster),
        };
    }
}

/// The bounding box of a mesh entity.
pub(super) fn aabb(bounds: Option<Aabb3d>) -> Aabb {
    bounds.map_or_else(Aabb::default, |bounds| {
        Aabb::from_min_max(bounds.min.into(), bounds.max.into())
    })
}

type ColorChanged = Or<(Changed<AloCrowd>, Changed<TeamColor>)>;

/// Writes the team colors of members to their rows.
pub(super) fn color_crowds(
    changed: Query<(&AloCrowd, Option<&TeamColor>), ColorChanged>,
    mut removed: RemovedComponents<TeamColor>,
    members: Query<&AloCrowd>,
    mut table: ResMut<AloPoseTable>,
) {
    for root in removed.read() {
        if let Ok(member) = members.get(root) {
            table.set_extra(member.row, 0);
        }
    }
    for (member, team) in &changed {
        let tag = team.map_or(0, |team| team_color_tag(team.0));
        table.set_extra(member.row, tag);
    }
}
