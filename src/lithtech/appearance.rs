//! Applies the level of detail, the skin and the hidden parts that a root chooses, and scrolls surfaces.

use crate::lithtech::abc::node_flags;
use crate::lithtech::asset::AbcModel;
use crate::lithtech::components::{AbcInstance, AbcMesh};
use crate::lithtech::material::AbcDeformMaterial;
use crate::scene::{
    ActiveImage, ActiveSkin, DistanceLod, ModelLod, ModelWarnings, PartVisibility, SkinMaterials,
};
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
use std::sync::Arc;

/// The root components that decide how a model looks.
type Looks<'w> = (
    Entity,
    &'w AbcInstance,
    &'w DistanceLod,
    Option<&'w ModelLod>,
    Option<&'w ActiveSkin>,
    Option<&'w PartVisibility>,
);

/// Roots of which one of those changed.
type LooksChanged = (
    With<AbcInstance>,
    Or<(
        Changed<AbcInstance>,
        Changed<DistanceLod>,
        Changed<ModelLod>,
        Changed<ActiveSkin>,
        Changed<PartVisibility>,
    )>,
);

/// What of a mesh shows how its model looks.
type Drawn = (
    &'static AbcMesh,
    &'static mut Mesh3d,
    Option<&'static mut MeshMaterial3d<StandardMaterial>>,
    Option<&'static mut MeshMaterial3d<AbcDeformMaterial>>,
    &'static mut Visibility,
);

/// Components that make a difference by going.
#[derive(SystemParam)]
pub(super) struct Removed<'w, 's> {
    lods: RemovedComponents<'w, 's, ModelLod>,
    skins: RemovedComponents<'w, 's, ActiveSkin>,
    hidden: RemovedComponents<'w, 's, PartVisibility>,
}

impl Removed<'_, '_> {
    fn read(&mut self) -> impl Iterator<Item = Entity> {
        let of_levels = self.lods.read();
        of_levels.chain(self.skins.read()).chain(self.hidden.read())
    }
}

/// Gives models the meshes of their level of detail and the material of their skin, and hides what is to
/// be hidden, where anything changed that decides about it.
pub(super) fn apply_looks(
    changed: Query<Entity, LooksChanged>,
    roots: Query<Looks<'static>>,
    mut removed: Removed,
    mut plain: SkinMaterials<StandardMaterial>,
    mut deforming: SkinMaterials<AbcDeformMaterial>,
    mut meshes: Query<Drawn>,
    mut told: ModelWarnings,
) {
    let due: EntityHashSet = changed.iter().chain(removed.read()).collect();
    for root in due {
        let Ok((entity, instance, distance, lod, skin, hidden)) = roots.get(root) else {
            continue;
        };
        let model = instance.model();
        let complaint = skin
            .as_ref()
            .and_then(|skin| skin.complaint(model.skins.len()));
        if let Some(complaint) = complaint {
            told.warn_once(entity, &complaint);
        }
        let look = Look {
            level: lod.map_or(distance.0, |lod| lod.0),
            skin: skin.as_ref().map_or(0, |skin| skin.index),
            picture: skin.as_ref().and_then(|skin| skin.picture.as_ref()),
            hidden,
        };
        for mesh in instance.meshes() {
            if let Ok(drawn) = meshes.get_mut(*mesh) {
                look.apply(model, drawn, (&mut plain, &mut deforming));
            }
        }
    }
}

/// How a model is to look.
struct Look<'a> {
    level: u32,
    skin: usize,
    picture: Option<&'a ActiveImage>,
    hidden: Option<&'a PartVisibility>,
}

impl Look<'_> {
    fn apply(
        &self,
        model: &Arc<AbcModel>,
        drawn: QueryItem<'_, '_, Drawn>,
        (plain, deforming): (
            &mut SkinMaterials<'_, StandardMaterial>,
            &mut SkinMaterials<'_, AbcDeformMaterial>,
        ),
    ) {
        let (&AbcMesh { node }, mut mesh, of_plain, of_deforming, mut visibility) = drawn;
        let info = model.level(self.level).and_then(|level| level.mesh(node));
        if let Some(info) = info {
            mesh.set_if_neq(Mesh3d(info.mesh.clone()));
        }
        // At coarse levels a node may have no triangles left.
        let shows = info.is_some() && !self.hides(model, node);
        visibility.set_if_neq(match shows {
            true => Visibility::Inherited,
            false => Visibility::Hidden,
        });
        let picture = self.picture(model, node);
        if let Some(mut shown) = of_plain
            && let Some(own) = model.material(self.skin, node)
            && let Some(material) = plain.dressed(model, own, picture, |made| made)
        {
            shown.set_if_neq(MeshMaterial3d(material));
        }
        if let Some(mut shown) = of_deforming
            && let Some(own) = node.and_then(|node| model.deform_material(self.skin, node))
            && let Some(material) = deforming.dressed(model, own, picture, |made| &mut made.base)
        {
            shown.set_if_neq(MeshMaterial3d(material));
        }
    }

    /// Whether the user hides the mesh of a node, which the skinned mesh is not.
    fn hides(&self, model: &AbcModel, node: Option<usize>) -> bool {
        let node = node.and_then(|node| model.nodes.get(node));
        let of_node = |parts: &PartVisibility| parts.get(&node?.name);
        self.hidden.and_then(of_node) == Some(true)
    }

    /// The picture from elsewhere that a mesh wears.
    fn picture(&self, model: &AbcModel, node: Option<usize>) -> Option<&ActiveImage> {
        let flags = node.and_then(|node| model.nodes.get(node));
        let flags = flags.map_or(0, |node| node.flags);
        let shows_pictures = flags & node_flags::ENVIRONMENT_MAP_ONLY == 0;
        self.picture.filter(|_| shows_pictures)
    }
}

/// What draws a mesh.
type Materials = (
    &'static AbcMesh,
    Option<&'static MeshMaterial3d<StandardMaterial>>,
    Option<&'static MeshMaterial3d<AbcDeformMaterial>>,
);

/// Moves the pictures of nodes that say so.
pub(super) fn scroll_surfaces(
    time: Res<Time>,
    roots: Query<&AbcInstance>,
    meshes: Query<Materials>,
    mut plain: ResMut<Assets<StandardMaterial>>,
    mut deforming: ResMut<Assets<AbcDeformMaterial>>,
) {
    let seconds = time.elapsed_secs_f64();
    for instance in &roots {
        for mesh in instance.scrolling() {
            let Ok((of, of_plain, of_deforming)) = meshes.get(*mesh) else {
                continue;
            };
            let moved = scrolled(instance.model(), of.node, seconds);
            let set = |material: &mut StandardMaterial| {
                material.uv_transform.translation = moved;
            };
            let differs = |material: &StandardMaterial| material.uv_transform.translation != moved;
            // Instances share materials, and to take one mutably says that it has changed.
            if let Some(id) = of_plain.map(|of| of.0.id())
                && plain.get(id).is_some_and(differs)
                && let Some(mut material) = plain.get_mut(id)
            {
                set(&mut material);
            }
            if let Some(id) = of_deforming.map(|of| of.0.id())
                && deforming.get(id).is_some_and(|of| differs(&of.base))
                && let Some(mut material) = deforming.get_mut(id)
            {
                set(&mut material.base);
            }
        }
    }
}

/// How far the picture of a node has moved.
fn scrolled(model: &AbcModel, node: Option<usize>, seconds: f64) -> Vec2 {
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
