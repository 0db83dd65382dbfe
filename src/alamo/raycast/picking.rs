//! A `bevy_picking` backend for the parts of spawned models.

use super::param::AloRayCast;
use super::settings::{AloRayCastSettings, AloRayCastVisibility};
use crate::alamo::collision::Backfaces;
use crate::alamo::components::AloInstance;
use bevy::app::{App, Plugin, PreUpdate};
use bevy::camera::Camera;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::message::MessageWriter;
use bevy::ecs::query::{Has, With};
use bevy::ecs::reflect::{ReflectComponent, ReflectResource};
use bevy::ecs::resource::Resource;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::schedule::common_conditions::resource_exists;
use bevy::ecs::system::{Query, Res, SystemParam};
use bevy::picking::backend::ray::RayMap;
use bevy::picking::backend::{HitData, PointerHits};
use bevy::picking::{Pickable, PickingSystems};
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// The part that a pointer hit: the `extra` of the `HitData` in pointer events.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::alamo::AloHit;
/// fn on_click(click: On<Pointer<Click>>) {
///     if let Some(part) = click.hit.extra_as::<AloHit>() {
///         info!("triangle {} of mesh {}", part.triangle, part.mesh);
///     }
/// }
/// # World::new().add_observer(on_click);
/// ```
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, PartialEq, Hash)]
#[non_exhaustive]
pub struct AloHit {
    /// The root entity of the model that the part belongs to. For a model inside another, such as a proxy
    /// model, the root of the inner one.
    pub root: Entity,
    /// Index of the mesh in the file.
    pub mesh: usize,
    /// Index of the sub-mesh within the mesh.
    pub submesh: usize,
    /// Index of the triangle in the sub-mesh.
    pub triangle: u32,
    /// Index of the bone that the mesh is attached to, even if its vertices are skinned to other bones.
    pub bone: usize,
}

/// Makes a model or a part pickable if [`AloPickingSettings::require_markers`] is set.
///
/// Insert it on the model's root entity, which has the `WorldAssetRoot`, or on the entity of a collider.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Clone, Debug, Default)]
pub struct AloPickable;

/// Makes a camera pick models if [`AloPickingSettings::require_markers`] is set.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Clone, Debug, Default)]
pub struct AloPickingCamera;

/// Settings of the picking backend.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
pub struct AloPickingSettings {
    /// Whether to pick only models with [`AloPickable`] and only through cameras with
    /// [`AloPickingCamera`]. Off by default: all models and cameras take part.
    pub require_markers: bool,
    /// Which colliders pointers can hit. By default [`AloRayCastVisibility::SolidAtCurrentLod`], so that
    /// pointers pick the drawn level of detail.
    pub visibility: AloRayCastVisibility,
    /// How pointers treat back faces.
    pub backfaces: Backfaces,
}

impl Default for AloPickingSettings {
    fn default() -> Self {
        Self {
            require_markers: false,
            visibility: AloRayCastVisibility::SolidAtCurrentLod,
            backfaces: Backfaces::default(),
        }
    }
}

/// The picking backend for spawned models.
///
/// Part of [`AlamoPlugin`](crate::alamo::AlamoPlugin) with the feature `picking`. It does nothing in apps
/// without Bevy's picking plugins.
///
/// Events target the entity of the sub-mesh and bubble up to the root. A root's `RenderLayers` and its
/// `Pickable::is_hoverable` apply to all its parts that don't have the component themselves.
/// `Pickable::should_block_lower` of the root does not, because Bevy reads it from the part's entity only.
///
/// Bevy's `MeshPickingPlugin` hits drawn parts as well. If an app uses both, set
/// `MeshPickingSettings::require_markers`.
pub struct AloPickingPlugin;

impl Plugin for AloPickingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<AloPickingSettings>()
            .register_type::<AloPickingSettings>()
            .register_type::<AloPickable>()
            .register_type::<AloPickingCamera>()
            .register_type::<AloHit>()
            .add_systems(
                PreUpdate,
                update_hits
                    .in_set(PickingSystems::Backend)
                    .run_if(resource_exists::<RayMap>),
            );
    }
}

/// Picking components of colliders and of their models' roots.
#[derive(SystemParam)]
struct PickingFilters<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    roots: Query<'w, 's, (), With<AloInstance>>,
    pickables: Query<'w, 's, &'static Pickable>,
    layers: Query<'w, 's, &'static RenderLayers>,
    marked: Query<'w, 's, (), With<AloPickable>>,
}

impl PickingFilters<'_, '_> {
    /// The collider's entity and the roots above it: its model's, and those of the models whose proxies
    /// contain that model.
    fn owners(&self, entity: Entity) -> impl Iterator<Item = Entity> {
        let above = self.parents.iter_ancestors(entity);
        core::iter::once(entity).chain(above.filter(|above| self.roots.contains(*above)))
    }

    fn is_hoverable(&self, entity: Entity) -> bool {
        let own = self
            .owners(entity)
            .find_map(|owner| self.pickables.get(owner).ok());
        own.is_none_or(|own| own.is_hoverable)
    }

    fn is_in(&self, entity: Entity, layers: &RenderLayers) -> bool {
        let own = self
            .owners(entity)
            .find_map(|owner| self.layers.get(owner).ok());
        layers.intersects(own.unwrap_or_default())
    }

    fn is_marked(&self, entity: Entity) -> bool {
        self.owners(entity).any(|owner| self.marked.contains(owner))
    }
}

type PickingCamera = (
    &'static Camera,
    Has<AloPickingCamera>,
    Option<&'static RenderLayers>,
);

fn update_hits(
    settings: Res<AloPickingSettings>,
    rays: Res<RayMap>,
    cameras: Query<PickingCamera>,
    filters: PickingFilters,
    mut ray_cast: AloRayCast,
    mut hits: MessageWriter<PointerHits>,
) {
    for (id, ray) in rays.iter() {
        let Ok((camera, is_marked, layers)) = cameras.get(id.camera) else {
            continue;
        };
        if settings.require_markers && !is_marked {
            continue;
        }
        let layers = layers.unwrap_or_default();
        let filter = |entity| {
            (!settings.require_markers || filters.is_marked(entity))
                && filters.is_hoverable(entity)
                && filters.is_in(entity, layers)
        };
        // Bevy, too, reads `should_block_lower` from the part's entity only.
        let blocks_lower = |entity| {
            let own = filters.pickables.get(entity).ok();
            own.is_none_or(|own| own.should_block_lower)
        };
        let casting = AloRayCastSettings::default()
            .with_visibility(settings.visibility)
            .with_backfaces(settings.backfaces)
            .with_filter(&filter)
            .with_early_exit_test(&blocks_lower);
        let pick = |(entity, hit): &(Entity, super::AloRayHit)| {
            let part = AloHit {
                root: hit.root,
                mesh: hit.mesh,
                submesh: hit.submesh,
                triangle: hit.triangle,
                bone: hit.bone,
            };
            let (point, normal) = (Some(hit.point), Some(hit.normal));
            let hit = HitData::new_with_extra(id.camera, hit.distance, point, normal, part);
            (*entity, hit)
        };
        let picks: Vec<_> = ray_cast.cast_ray(*ray, &casting).iter().map(pick).collect();
        if !picks.is_empty() {
            hits.write(PointerHits::new(id.pointer, picks, camera.order as f32));
        }
    }
}
