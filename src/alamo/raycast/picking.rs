//! A backend of `bevy_picking`: pointers meet the parts of spawned models.

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

/// What a pointer met: the `extra` of its events' `HitData`.
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
pub struct AloHit {
    /// The root entity of the model that the part belongs to. Of a model within another, such as one that a proxy
    /// brings along, it is the inner one's.
    pub root: Entity,
    /// Index of the mesh in the file.
    pub mesh: usize,
    /// Index of the sub-mesh within the mesh.
    pub submesh: usize,
    /// Number of the triangle in the sub-mesh.
    pub triangle: u32,
    /// Index of the bone that the mesh hangs on, also if other bones move its vertices.
    pub bone: usize,
}

/// Marks models whose parts pointers meet, if [`AloPickingSettings::require_markers`] asks for it: on
/// the root, where the model's `WorldAssetRoot` is, or on the entity of a single collider.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Clone, Debug, Default)]
pub struct AloPickable;

/// Marks cameras through which pointers meet models, if
/// [`AloPickingSettings::require_markers`] asks for it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Clone, Debug, Default)]
pub struct AloPickingCamera;

/// What pointers can meet.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
pub struct AloPickingSettings {
    /// Whether only cameras with [`AloPickingCamera`] and models with [`AloPickable`] take part. If
    /// not, all do.
    pub require_markers: bool,
    /// Which colliders count. By default [`AloRayCastVisibility::SolidAtCurrentLod`]: pointers pick what is drawn.
    pub visibility: AloRayCastVisibility,
    /// What pointers do with triangles whose back they see.
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

/// The backend. Part of [`AlamoPlugin`](crate::alamo::AlamoPlugin) with the feature `picking`; it does
/// nothing in apps without Bevy's own picking plugins.
///
/// `RenderLayers` of a model's root, which meshes and lights of its parts are given, and `is_hoverable` of its
/// `Pickable` hold for all its parts that have none themselves; `should_block_lower` does not, since Bevy asks the part's entity alone. With
/// Bevy's `MeshPickingPlugin` besides, both tell of drawn parts: let that ask for markers.
/// Events are the entity's of the sub-mesh, and bubble up to the root.
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

/// What is said of colliders by themselves or of their models.
#[derive(SystemParam)]
struct WarningLog<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    roots: Query<'w, 's, (), With<AloInstance>>,
    pickables: Query<'w, 's, &'static Pickable>,
    layers: Query<'w, 's, &'static RenderLayers>,
    marked: Query<'w, 's, (), With<AloPickable>>,
}

impl WarningLog<'_, '_> {
    /// The collider's entity and the roots that it is below: its model's, and those of the models on
    /// whose proxies that hangs.
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
    said: WarningLog,
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
            (!settings.require_markers || said.is_marked(entity))
                && said.is_hoverable(entity)
                && said.is_in(entity, layers)
        };
        // Bevy asks the entity alone, too.
        let hides = |entity| {
            let own = said.pickables.get(entity).ok();
            own.is_none_or(|own| own.should_block_lower)
        };
        let casting = AloRayCastSettings::default()
            .with_visibility(settings.visibility)
            .with_backfaces(settings.backfaces)
            .with_filter(&filter)
            .with_early_exit_test(&hides);
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
