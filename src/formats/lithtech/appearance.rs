//! Applies the level of detail (LOD), the skin and the part visibility that a root entity selects, and scrolls
//! textures.

use crate::appearance::parts::{Selected, Selections, visibility as shown_visibility};
use crate::appearance::skins::{ActiveImage, SkinMaterials};
use crate::formats::lithtech::asset::AbcModel;
use crate::formats::lithtech::components::{AbcInstance, AbcMesh};
use crate::formats::lithtech::materials::material::AbcDeformMaterial;
use crate::load::warnings::ModelWarnings;
use bevy::prelude::*;
use classic_model_formats::abc::node_flags;

/// The components of a mesh entity that the appearance determines.
type MeshComponents = (
    &'static AbcMesh,
    &'static mut Mesh3d,
    Option<&'static mut MeshMaterial3d<StandardMaterial>>,
    Option<&'static mut MeshMaterial3d<AbcDeformMaterial>>,
    &'static mut Visibility,
);

/// Sets the mesh, the material and the visibility of every mesh entity whose model's appearance changed.
pub(crate) fn update_appearance(
    mut selections: Selections<AbcInstance>,
    roots: Query<&AbcInstance>,
    mut standard_materials: SkinMaterials<StandardMaterial>,
    mut deform_materials: SkinMaterials<AbcDeformMaterial>,
    mut meshes: Query<MeshComponents>,
    mut warnings: ModelWarnings,
) {
    for root in selections.changed() {
        let Ok(instance) = roots.get(root) else {
            continue;
        };
        let (model, selected) = (instance.model(), selections.get(root));
        let (skin, image) = selected
            .skin
            .map_or((0, None), |skin| (skin.index, skin.image.as_ref()));
        let warning = selected
            .skin
            .and_then(|skin| skin.index_warning(model.skins.len()));
        if let Some(warning) = warning {
            warnings.warn_once(root, &warning);
        }
        for entity in instance.meshes() {
            let Ok((&AbcMesh { node }, mut mesh, standard, deform, mut visibility)) =
                meshes.get_mut(*entity)
            else {
                continue;
            };
            let info = model
                .level(selected.level)
                .and_then(|level| level.mesh(node));
            if let Some(info) = info {
                mesh.set_if_neq(Mesh3d(info.mesh.clone()));
            }
            // A node may have no triangles in coarse LODs.
            let is_shown = info.is_some() && !is_hidden(&selected, model, node);
            visibility.set_if_neq(shown_visibility(is_shown));
            let image = external_image(image, model, node);
            if let Some(mut shown) = standard
                && let Some(own) = model.material(skin, node)
                && let Some(material) = standard_materials.with_skin(model, own, image, |made| made)
            {
                shown.set_if_neq(MeshMaterial3d(material));
            }
            if let Some(mut shown) = deform
                && let Some(own) = node.and_then(|node| model.deform_material(skin, node))
                && let Some(material) =
                    deform_materials.with_skin(model, own, image, |made| &mut made.base)
            {
                shown.set_if_neq(MeshMaterial3d(material));
            }
        }
    }
}

/// Whether the user hides the mesh of a node. The skinned mesh (`None`) cannot be hidden.
pub(crate) fn is_hidden(selected: &Selected<'_>, model: &AbcModel, node: Option<usize>) -> bool {
    let node = node.and_then(|node| model.nodes.get(node));
    node.is_some_and(|node| selected.hides(&node.name) == Some(true))
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
