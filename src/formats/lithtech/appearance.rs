//! Applies the level of detail (LOD), the skin and the part visibility that a root entity selects, and scrolls
//! textures.

use crate::appearance::skin_materials::SkinMaterials;
use crate::appearance::skins::{ActiveImage, ActiveSkin};
use crate::formats::lithtech::asset::AbcModel;
use crate::formats::lithtech::components::{AbcInstance, AbcMesh};
use crate::formats::lithtech::materials::material::AbcDeformMaterial;
use crate::load::warnings::ModelWarnings;
use crate::root::parts::{DistanceLod, ModelLod, PartVisibility};
use bevy::asset::Assets;
use bevy::camera::visibility::Visibility;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::lifecycle::RemovedComponents;
use bevy::ecs::query::{Changed, Or, QueryItem, With};
use bevy::ecs::system::{Query, Res, ResMut, SystemParam};
use bevy::math::Vec2;
use bevy::mesh::Mesh3d;
use bevy::pbr::{MeshMaterial3d, StandardMaterial};
use bevy::time::Time;
use classic_model_formats::abc::node_flags;
use std::sync::Arc;

/// The root's components that determine the appearance of a model.
type AppearanceInputs<'w> = (
    Entity,
    &'w AbcInstance,
    &'w DistanceLod,
    Option<&'w ModelLod>,
    Option<&'w ActiveSkin>,
    Option<&'w PartVisibility>,
);

/// Filters roots for a change of one of those components.
type AppearanceChanged = (
    With<AbcInstance>,
    Or<(
        Changed<AbcInstance>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<ActiveSkin>,
        Changed<PartVisibility>,
    )>,
);

/// The components of a mesh entity that the appearance determines.
type MeshComponents = (
    &'static AbcMesh,
    &'static mut Mesh3d,
    Option<&'static mut MeshMaterial3d<StandardMaterial>>,
    Option<&'static mut MeshMaterial3d<AbcDeformMaterial>>,
    &'static mut Visibility,
);

/// Removals of root components that change the appearance.
#[derive(SystemParam)]
pub(crate) struct RemovedInputs<'w, 's> {
    lods: RemovedComponents<'w, 's, ModelLod>,
    skins: RemovedComponents<'w, 's, ActiveSkin>,
    parts: RemovedComponents<'w, 's, PartVisibility>,
}

impl RemovedInputs<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        let lods = self.lods.read();
        lods.chain(self.skins.read()).chain(self.parts.read())
    }
}

/// Sets the mesh, the material and the visibility of every mesh entity whose model's appearance changed.
pub(crate) fn apply_appearance(
    changed: Query<Entity, AppearanceChanged>,
    roots: Query<AppearanceInputs<'static>>,
    mut removed: RemovedInputs,
    mut standard_materials: SkinMaterials<StandardMaterial>,
    mut deform_materials: SkinMaterials<AbcDeformMaterial>,
    mut meshes: Query<MeshComponents>,
    mut warnings: ModelWarnings,
) {
    let affected: EntityHashSet = changed.iter().chain(removed.read()).collect();
    for root in affected {
        let Ok((entity, instance, distance, lod, skin, parts)) = roots.get(root) else {
            continue;
        };
        let model = instance.model();
        let warning = skin
            .as_ref()
            .and_then(|skin| skin.index_warning(model.skins.len()));
        if let Some(warning) = warning {
            warnings.warn_once(entity, &warning);
        }
        let appearance = Appearance {
            level: lod.map_or(distance.0, |lod| lod.0),
            skin: skin.as_ref().map_or(0, |skin| skin.index),
            image: skin.as_ref().and_then(|skin| skin.image.as_ref()),
            parts,
        };
        for mesh in instance.meshes() {
            if let Ok(components) = meshes.get_mut(*mesh) {
                appearance.apply(
                    model,
                    components,
                    (&mut standard_materials, &mut deform_materials),
                );
            }
        }
    }
}

/// The appearance that a root's components select.
struct Appearance<'a> {
    level: u32,
    skin: usize,
    /// Replaces the model's own skin.
    image: Option<&'a ActiveImage>,
    parts: Option<&'a PartVisibility>,
}

impl Appearance<'_> {
    fn apply(
        &self,
        model: &Arc<AbcModel>,
        components: QueryItem<'_, '_, MeshComponents>,
        (standard_materials, deform_materials): (
            &mut SkinMaterials<'_, StandardMaterial>,
            &mut SkinMaterials<'_, AbcDeformMaterial>,
        ),
    ) {
        let (&AbcMesh { node }, mut mesh, standard, deform, mut visibility) = components;
        let info = model.level(self.level).and_then(|level| level.mesh(node));
        if let Some(info) = info {
            mesh.set_if_neq(Mesh3d(info.mesh.clone()));
        }
        // A node may have no triangles in coarse LODs.
        let is_visible = info.is_some()
            && !self
                .parts
                .is_some_and(|parts| is_hidden(parts, model, node));
        visibility.set_if_neq(match is_visible {
            true => Visibility::Inherited,
            false => Visibility::Hidden,
        });
        let image = external_image(self.image, model, node);
        if let Some(mut shown) = standard
            && let Some(own) = model.material(self.skin, node)
            && let Some(material) = standard_materials.with_skin(model, own, image, |made| made)
        {
            shown.set_if_neq(MeshMaterial3d(material));
        }
        if let Some(mut shown) = deform
            && let Some(own) = node.and_then(|node| model.deform_material(self.skin, node))
            && let Some(material) =
                deform_materials.with_skin(model, own, image, |made| &mut made.base)
        {
            shown.set_if_neq(MeshMaterial3d(material));
        }
    }
}

/// Whether [`PartVisibility`] hides the mesh of a node. It can't hide the skinned mesh (`None`).
pub(crate) fn is_hidden(parts: &PartVisibility, model: &AbcModel, node: Option<usize>) -> bool {
    let node = node.and_then(|node| model.nodes.get(node));
    node.is_some_and(|node| parts.get(&node.name) == Some(true))
}

/// The external skin texture to show on the mesh of a node.
pub(crate) fn external_image<'a>(
    image: Option<&'a ActiveImage>,
    model: &AbcModel,
    node: Option<usize>,
) -> Option<&'a ActiveImage> {
    let flags = node.and_then(|node| model.nodes.get(node));
    let flags = flags.map_or(0, |node| node.flags);
    let shows_skin = flags & node_flags::ENVIRONMENT_MAP_ONLY == 0;
    image.filter(|_| shows_skin)
}

/// The materials of a mesh entity.
type MeshMaterials = (
    &'static AbcMesh,
    Option<&'static MeshMaterial3d<StandardMaterial>>,
    Option<&'static MeshMaterial3d<AbcDeformMaterial>>,
);

/// Scrolls the textures of nodes with `SCROLL_U` or `SCROLL_V`.
pub(crate) fn scroll_surfaces(
    time: Res<Time>,
    roots: Query<&AbcInstance>,
    meshes: Query<MeshMaterials>,
    mut standard_materials: ResMut<Assets<StandardMaterial>>,
    mut deform_materials: ResMut<Assets<AbcDeformMaterial>>,
) {
    let seconds = time.elapsed_secs_f64();
    for instance in &roots {
        for mesh in instance.scrolling() {
            let Ok((mesh_node, standard, deform)) = meshes.get(*mesh) else {
                continue;
            };
            let offset = scroll_offset(instance.model(), mesh_node.node, seconds);
            let set = |material: &mut StandardMaterial| {
                material.uv_transform.translation = offset;
            };
            let differs = |material: &StandardMaterial| material.uv_transform.translation != offset;
            // `get_mut` marks a material as changed, and instances share materials: skip those that another instance
            // moved.
            if let Some(id) = standard.map(|handle| handle.0.id())
                && standard_materials.get(id).is_some_and(differs)
                && let Some(mut material) = standard_materials.get_mut(id)
            {
                set(&mut material);
            }
            if let Some(id) = deform.map(|handle| handle.0.id())
                && deform_materials
                    .get(id)
                    .is_some_and(|material| differs(&material.base))
                && let Some(mut material) = deform_materials.get_mut(id)
            {
                set(&mut material.base);
            }
        }
    }
}

/// Whether the texture of a node scrolls.
pub(crate) fn is_scrolling(model: &AbcModel, node: Option<usize>) -> bool {
    let node = node.and_then(|node| model.nodes.get(node));
    node.is_some_and(|node| node.flags & (node_flags::SCROLL_U | node_flags::SCROLL_V) != 0)
}

/// The UV offset of a node's texture, each coordinate from 0 to 1.
pub(crate) fn scroll_offset(model: &AbcModel, node: Option<usize>, seconds: f64) -> Vec2 {
    let flags = node.and_then(|node| model.nodes.get(node));
    let flags = flags.map_or(0, |node| node.flags);
    let along = |flag: u8, speed: f32| match flags & flag {
        0 => 0.0,
        _ => (seconds * f64::from(speed)).rem_euclid(1.0) as f32,
    };
    let [u, v] = model.scroll_speed;
    Vec2::new(
        along(node_flags::SCROLL_U, u),
        along(node_flags::SCROLL_V, v),
    )
}
