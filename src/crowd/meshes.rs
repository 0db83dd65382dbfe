//! The meshes that members show: the sub-meshes of the selected parts, merged by their materials.

use crate::appearance::parts::Selections;
use crate::appearance::skins::SkinMaterials;
use crate::crowd::format::{CrowdFormat, CrowdMaterial, Selection};
use crate::crowd::members::CrowdMember;
use crate::crowd::models::{CrowdModel, CrowdModels};
use crate::crowd::skinning::{CrowdJoints, CrowdSkinning, VertexJoints};
use crate::gpu::pose_table::PoseTable;
use crate::load::warnings::ModelWarnings;
use crate::load::weak_cache::WeakCache;
use crate::root::spawning::CrowdMesh;
use bevy::asset::RenderAssetUsages;
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::NoAutoAabb;
use bevy::ecs::system::SystemParam;
use bevy::light::NotShadowCaster;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::{
    Indices, Mesh, MeshTag, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues,
};
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
        crowd.show(member, selection, &mut assets, &mut commands);
    }
}

impl<F: CrowdFormat> CrowdModel<F> {
    /// Shows a selection on a member. Meshes are merged once for all members.
    fn show(
        &mut self,
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
        update_entities::<F>(commands, member, &appearance, self.bounds);
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
    member: &mut CrowdMember<F>,
    appearance: &Appearance<F>,
    bounds: Option<Aabb3d>,
) {
    let kept = appearance.draws.len().min(member.meshes.len());
    for mesh in member.meshes.drain(kept..) {
        commands.entity(mesh).try_despawn();
    }
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
                    CrowdMesh,
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

/// The optional attributes of a mesh that change how it is drawn. Only meshes with the same attributes are merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct AttributeSet {
    second_uvs: bool,
    tangents: bool,
    colors: bool,
}

impl AttributeSet {
    /// The same set without the second texture coordinates.
    pub(crate) fn without_second_uvs(self) -> Self {
        Self {
            second_uvs: false,
            ..self
        }
    }

    /// `None` if the mesh is not in the main world.
    pub(crate) fn of(mesh: &Mesh) -> Option<Self> {
        mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
        let has = |attribute| mesh.try_attribute(attribute).is_ok();
        Some(Self {
            second_uvs: has(Mesh::ATTRIBUTE_UV_1),
            tangents: has(Mesh::ATTRIBUTE_TANGENT),
            colors: has(Mesh::ATTRIBUTE_COLOR),
        })
    }
}

/// Sub-meshes merged to one mesh. Vertices stay in the space of their joints.
#[derive(Default)]
pub(crate) struct MergedMesh {
    positions: Vec<[f32; 3]>,
    normals: Vec<[f32; 3]>,
    uvs: Vec<[f32; 2]>,
    second_uvs: Vec<[f32; 2]>,
    tangents: Vec<[f32; 4]>,
    colors: Vec<[f32; 4]>,
    indices: Vec<u32>,
    joints: CrowdJoints,
}

/// Adds the values of an attribute, if the mesh has it.
macro_rules! add {
    ($values:expr, $mesh:expr, $attribute:ident, $format:ident) => {
        if let Ok(VertexAttributeValues::$format(values)) = $mesh.try_attribute(Mesh::$attribute) {
            $values.extend(values);
        }
    };
}

impl MergedMesh {
    /// Adds a sub-mesh. All must have the same [`AttributeSet`]. `visibility` is the index of the bit that decides
    /// whether it is visible. A mesh without triangles or joints is skipped.
    pub(crate) fn add(&mut self, mesh: &Mesh, joints: &VertexJoints, visibility: u32) {
        let (first, count) = (self.positions.len() as u32, mesh.count_vertices());
        let Ok(indices) = mesh.try_indices() else {
            return;
        };
        if !self.joints.add(mesh, count, joints, visibility) {
            return;
        }
        add!(self.positions, mesh, ATTRIBUTE_POSITION, Float32x3);
        add!(self.normals, mesh, ATTRIBUTE_NORMAL, Float32x3);
        add!(self.uvs, mesh, ATTRIBUTE_UV_0, Float32x2);
        if !joints.use_second_uvs() {
            add!(self.second_uvs, mesh, ATTRIBUTE_UV_1, Float32x2);
        }
        add!(self.tangents, mesh, ATTRIBUTE_TANGENT, Float32x4);
        add!(self.colors, mesh, ATTRIBUTE_COLOR, Float32x4);
        let indices = indices.iter().map(|index| first + index as u32);
        self.indices.extend(indices);
    }

    /// The mesh. It is only kept in the render world.
    pub(crate) fn build(self) -> Mesh {
        let usage = RenderAssetUsages::RENDER_WORLD;
        let mut mesh = Mesh::new(PrimitiveTopology::TriangleList, usage);
        let count = self.positions.len();
        mesh.insert_indices(match u16::try_from(count) {
            Ok(_) => Indices::U16(self.indices.into_iter().map(|index| index as u16).collect()),
            Err(_) => Indices::U32(self.indices),
        });
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, self.positions);
        let mut insert = |attribute: MeshVertexAttribute, values: VertexAttributeValues| {
            if values.len() == count {
                mesh.insert_attribute(attribute, values);
            }
        };
        insert(Mesh::ATTRIBUTE_NORMAL, self.normals.into());
        insert(Mesh::ATTRIBUTE_UV_0, self.uvs.into());
        insert(Mesh::ATTRIBUTE_UV_1, self.second_uvs.into());
        insert(Mesh::ATTRIBUTE_TANGENT, self.tangents.into());
        insert(Mesh::ATTRIBUTE_COLOR, self.colors.into());
        self.joints.insert_into(&mut mesh);
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::crowd::skinning::{JOINTS, VISIBILITY, WEIGHTS};

    fn triangle(x: f32) -> Mesh {
        let mut mesh = Mesh::new(
            PrimitiveTopology::TriangleList,
            RenderAssetUsages::default(),
        );
        mesh.insert_indices(Indices::U16(vec![0, 2, 1]));
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, vec![[x, 0.0, 0.0]; 3]);
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, vec![[0.0, 0.0, 1.0]; 3]);
        mesh.insert_attribute(
            Mesh::ATTRIBUTE_JOINT_INDEX,
            VertexAttributeValues::Uint16x4(vec![[1, 0, 9, 0]; 3]),
        );
        mesh.insert_attribute(Mesh::ATTRIBUTE_JOINT_WEIGHT, vec![[0.5, 0.5, 0.0, 0.0]; 3]);
        mesh
    }

    #[test]
    fn merged_meshes_keep_vertices_joints_and_triangles() {
        let mut merged = MergedMesh::default();
        merged.add(&triangle(1.0), &VertexJoints::One(7), 3);
        merged.add(&triangle(2.0), &VertexJoints::Palette(vec![10, 13]), 4);
        let mesh = merged.build();
        let indices: Vec<usize> = mesh.indices().unwrap().iter().collect();
        assert_eq!(indices, [0, 2, 1, 3, 5, 4]);
        let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(JOINTS) else {
            panic!("no joints");
        };
        assert_eq!([joints[0], joints[5]], [[7, 0, 0, 0], [13, 10, 0, 10]]);
        let Some(VertexAttributeValues::Uint32(visibility)) = mesh.attribute(VISIBILITY) else {
            panic!("no visibility");
        };
        assert_eq!(**visibility, [3, 3, 3, 4, 4, 4]);
        assert!(mesh.attribute(Mesh::ATTRIBUTE_UV_0).is_none());
    }

    #[test]
    fn deformed_vertices_have_the_offset_of_their_texel() {
        let mut mesh = triangle(1.0);
        let slots = vec![[0.0, 0.0], [-1.0, 0.0], [70_000.0, 0.0]];
        mesh.insert_attribute(Mesh::ATTRIBUTE_UV_1, slots);
        let mut merged = MergedMesh::default();
        let (joint, first) = (7, 5);
        merged.add(&mesh, &VertexJoints::Deformed { joint, first }, 0);
        let mesh = merged.build();
        let Some(VertexAttributeValues::Uint16x4(joints)) = mesh.attribute(JOINTS) else {
            panic!("no joints");
        };
        assert_eq!(joints[..2], [[5, 0, 0, 0], [7, 0, 0, 0]]);
        assert_eq!(joints[2], [(70_005 % 65_536) as u16, 1, 0, 0]);
        let Some(VertexAttributeValues::Float32x4(weights)) = mesh.attribute(WEIGHTS) else {
            panic!("no weights");
        };
        let weights: Vec<f32> = weights.iter().map(|weights| weights[0]).collect();
        assert_eq!(weights, [-1.0, 1.0, -1.0]);
        assert!(mesh.attribute(Mesh::ATTRIBUTE_UV_1).is_none());
    }
}
