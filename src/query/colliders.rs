//! The system parameter [`ModelColliders`]: triangles for physics.

use crate::geometry::collider_mesh::ColliderMesh;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
use crate::geometry::parts::HitPart;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::{ModelRayCastSettings, ModelRayCastVisibility};
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
use crate::query::surfaces::FormatSurfaces;
#[cfg(feature = "alamo")]
use crate::spawn::instance::ModelFormat;
use crate::spawn::roots::ModelRoots;
use bevy::ecs::entity::Entity;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
use bevy::ecs::system::Local;
use bevy::ecs::system::{Query, SystemParam};
use bevy::math::Affine3A;
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::transform::components::GlobalTransform;

/// Which triangles of a model a [`ColliderMesh`] has.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, Default, PartialEq, Hash)]
pub enum ColliderParts {
    /// What rays hit with [`ModelRayCastVisibility::Solid`]: the collision trees of an ALO model, with its hulls, and the
    /// visible meshes of the other formats at the finest level of detail.
    #[default]
    Solid,
    /// The collision trees of ALO parts that are not drawn or that the file hides. Nothing for other formats.
    Hulls,
    /// The visible meshes, at the level of detail that is drawn. Of ALO models also those without a collision tree.
    Drawn,
}

/// Makes triangle meshes of models and their parts, for the colliders of physics crates.
///
/// The mesh has the pose that the model shows, as of the last propagation of transforms and visibility: use it after the
/// frame in which the model was spawned. It does not follow the model. For parts that move, make one mesh per part and put
/// the collider on the part's entity. Meshes of MDL, ABC and LGW models must be in the main world, as they are unless the
/// loader setting `asset_usage` says otherwise.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::query::{ColliderMesh, ColliderParts, ModelColliders};
/// # #[derive(Component)] struct NeedsCollider;
/// # #[derive(Component)] struct Collider;
/// # impl Collider { fn trimesh(_: Vec<Vec3>, _: Vec<[u32; 3]>) -> Self { Self } }
/// fn add_colliders(
///     mut commands: Commands,
///     mut colliders: ModelColliders,
///     roots: Query<Entity, With<NeedsCollider>>,
/// ) {
///     for root in &roots {
///         if let Some(mesh) = colliders.collider_mesh(root, ColliderParts::Solid) {
///             let collider = Collider::trimesh(mesh.positions, mesh.indices);
///             commands.entity(root).insert(collider).remove::<NeedsCollider>();
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(add_colliders);
/// ```
#[derive(SystemParam)]
pub struct ModelColliders<'w, 's> {
    roots: ModelRoots<'w, 's>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    #[cfg(feature = "alamo")]
    trees: crate::formats::alamo::raycast::triangles::AloTriangles<'w, 's>,
    #[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
    surfaces: FormatSurfaces<'w, 's>,
    #[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
    posed: Local<'s, PosedVertices>,
}

impl ModelColliders<'_, '_> {
    /// The triangles of a root's model or of one part, in the space of the root or of the part. Models that are attached to
    /// it or that its proxies load are not included.
    ///
    /// A part is an entity of [`ModelQuery::parts`](crate::query::ModelQuery::parts), or an ALO sub-mesh. `None` if the
    /// entity is neither, its scale is zero, or there are no triangles.
    pub fn collider_mesh(&mut self, entity: Entity, parts: ColliderParts) -> Option<ColliderMesh> {
        let root = self.roots.root(entity)?;
        let from_world = self.transforms.get(entity).ok()?.affine().inverse();
        if !from_world.is_finite() {
            return None;
        }
        let mut mesh = ColliderMesh::default();
        match self.roots.format(root)? {
            #[cfg(feature = "alamo")]
            ModelFormat::Alamo => self.add_trees(entity, parts, &from_world, &mut mesh),
            #[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
            _ => self.add_surfaces((root, entity), parts, &from_world, &mut mesh),
            #[cfg(not(any(feature = "lgw", feature = "lithtech", feature = "quake")))]
            _ => {}
        }
        (!mesh.indices.is_empty()).then_some(mesh)
    }

    #[cfg(feature = "alamo")]
    fn add_trees(
        &mut self,
        entity: Entity,
        parts: ColliderParts,
        from_world: &Affine3A,
        mesh: &mut ColliderMesh,
    ) {
        let settings = settings(parts);
        for submesh in self.trees.submeshes(entity) {
            match parts {
                ColliderParts::Drawn => {
                    self.trees.add_drawn(submesh, from_world, mesh);
                }
                ColliderParts::Hulls if !self.trees.is_hull(submesh) => {}
                ColliderParts::Hulls | ColliderParts::Solid => {
                    self.trees.add_tree(submesh, &settings, from_world, mesh);
                }
            }
        }
    }

    /// Adds the surfaces of a model without collision trees, or of one part.
    #[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
    fn add_surfaces(
        &mut self,
        (root, entity): (Entity, Entity),
        parts: ColliderParts,
        from_world: &Affine3A,
        mesh: &mut ColliderMesh,
    ) {
        if parts == ColliderParts::Hulls {
            return;
        }
        let settings = settings(parts);
        let mut all: Vec<HitPart> = Vec::new();
        self.surfaces.parts(root, &mut all);
        all.retain(|part| entity == root || part.entity == entity);
        // Poses may have changed since the last call.
        self.posed.clear();
        for part in all {
            let surface = self.surfaces.surface(part, &settings, &mut self.posed);
            if let Some(surface) = surface {
                let affine = *from_world * surface.affine;
                mesh.add(surface.vertices(), surface.triangles.iter(), &affine);
            }
        }
    }
}

fn settings(parts: ColliderParts) -> ModelRayCastSettings<'static> {
    ModelRayCastSettings::default().with_visibility(match parts {
        ColliderParts::Solid | ColliderParts::Hulls => ModelRayCastVisibility::Solid,
        ColliderParts::Drawn => ModelRayCastVisibility::Visible,
    })
}
