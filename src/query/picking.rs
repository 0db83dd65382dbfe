//! A `bevy_picking` backend for the parts of spawned models.

use crate::geometry::ray_settings::{
    Backfaces, ModelRayCastSettings, ModelRayCastVisibility, ModelRayHit,
};
use crate::query::raycast::ModelRayCast;
use crate::spawn::instance::ModelInstance;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::SystemParam;
use bevy::picking::PickingSystems;
use bevy::picking::backend::ray::RayMap;
use bevy::picking::backend::{HitData, PointerHits};
use bevy::prelude::*;

/// Makes a model or a part pickable if [`ModelPickingSettings::require_markers`] is set.
///
/// Insert it on the model's root entity, or on the entity of a part.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Clone, Debug, Default)]
pub struct ModelPickable;

/// Makes a camera pick models if [`ModelPickingSettings::require_markers`] is set.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Clone, Debug, Default)]
pub struct ModelPickingCamera;

/// Settings of the picking backend.
#[derive(Resource, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
#[reflect(Resource, Clone, Debug, Default, PartialEq)]
pub struct ModelPickingSettings {
    /// Whether to pick only models with [`ModelPickable`] and only through cameras with
    /// [`ModelPickingCamera`]. Off by default: all models and cameras take part.
    pub require_markers: bool,
    /// Which parts pointers can hit. By default [`ModelRayCastVisibility::SolidAtCurrentLod`], so that
    /// pointers pick the drawn level of detail.
    pub visibility: ModelRayCastVisibility,
    /// How pointers treat back faces.
    pub backfaces: Backfaces,
}

impl Default for ModelPickingSettings {
    fn default() -> Self {
        Self {
            require_markers: false,
            visibility: ModelRayCastVisibility::SolidAtCurrentLod,
            backfaces: Backfaces::default(),
        }
    }
}

/// The picking backend for spawned models of all formats, at the triangles that [`ModelRayCast`] hits.
///
/// Part of [`ClassicModelsPlugins`](crate::ClassicModelsPlugins) with the feature `picking`. It does nothing in apps
/// without Bevy's picking plugins.
///
/// Events target the entity of the part and bubble up to the root. The `extra` of the `HitData` is the [`ModelRayHit`]:
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::query::ModelRayHit;
/// fn on_click(click: On<Pointer<Click>>) {
///     if let Some(hit) = click.hit.extra_as::<ModelRayHit>() {
///         info!("bone {:?} of {} was hit", hit.bone, hit.root);
///     }
/// }
/// # World::new().add_observer(on_click);
/// ```
///
/// A root's `RenderLayers` and its
/// `Pickable::is_hoverable` apply to all its parts that don't have the component themselves.
/// `Pickable::should_block_lower` of the root does not, because Bevy reads it from the part's entity only.
///
/// Bevy's `MeshPickingPlugin` hits drawn parts as well. If an app uses both, set
/// `MeshPickingSettings::require_markers`.
pub struct ModelPickingPlugin;

impl Plugin for ModelPickingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<ModelPickingSettings>()
            .register_type::<ModelPickingSettings>()
            .register_type::<ModelPickable>()
            .register_type::<ModelPickingCamera>()
            .register_type::<ModelRayHit>()
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
    roots: Query<'w, 's, (), With<ModelInstance>>,
    pickables: Query<'w, 's, &'static Pickable>,
    layers: Query<'w, 's, &'static RenderLayers>,
    marked: Query<'w, 's, (), With<ModelPickable>>,
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
    Has<ModelPickingCamera>,
    Option<&'static RenderLayers>,
);

fn update_hits(
    settings: Res<ModelPickingSettings>,
    rays: Res<RayMap>,
    cameras: Query<PickingCamera>,
    filters: PickingFilters,
    mut ray_cast: ModelRayCast,
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
        let casting = ModelRayCastSettings::default()
            .with_visibility(settings.visibility)
            .with_backfaces(settings.backfaces)
            .with_filter(&filter)
            .with_early_exit_test(&blocks_lower);
        let pick = |hit: &ModelRayHit| {
            let (point, normal) = (Some(hit.point), Some(hit.normal));
            let data = HitData::new_with_extra(id.camera, hit.distance, point, normal, *hit);
            (hit.part, data)
        };
        let picks: Vec<_> = ray_cast.cast_ray(*ray, &casting).iter().map(pick).collect();
        if !picks.is_empty() {
            hits.write(PointerHits::new(id.pointer, picks, camera.order as f32));
        }
    }
}
