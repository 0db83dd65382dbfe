//! Points the camera at models and parts, so that they fill the picture, which is the area without panels.

use crate::view::camera::orbit::{FrameModels, Orbit};
use crate::view::draw::visible_points::VisiblePoints;
use crate::view::models::bounds::WorldBounds;
use crate::view::models::particle_systems::ParticleFile;
use crate::view::models::viewed_model::{ViewedModel, limits};
use crate::view::open::args::Args;
use crate::view::panels::input::PanelInput;
use crate::view::row::{Row, RowLayout};
use bevy::camera::Viewport;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::prelude::ModelQuery;

/// What the camera is to frame. It waits until all models are loaded.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    Done,
    /// The view of the manifest of the only model, otherwise all models.
    Opened,
    All,
    Selected,
    /// A part of a model, or a bone.
    Part(Entity),
}

/// The view of opened models without a view of their own. A camera that still has it is not saved in manifests.
#[derive(Resource, Default)]
pub struct DefaultView(pub Option<Orbit>);

/// How the camera frames models.
#[derive(Resource, Clone, Copy, Debug, PartialEq)]
pub enum FramingStyle {
    /// All poses of the clips fit in the picture.
    Bounds,
    /// What is visible at this time fills the picture.
    Visible,
}

impl FramingStyle {
    /// The share of the picture's width or height that is filled.
    fn share(self) -> f32 {
        match self {
            Self::Bounds => 0.9,
            Self::Visible => 0.75,
        }
    }
}

/// Frames models. Needs [`Row`], [`FramingStyle`] and one entity with [`Orbit`].
pub fn framing_plugin(app: &mut App) {
    app.insert_resource(Framing::Opened)
        .init_resource::<DefaultView>()
        .add_systems(
            PostUpdate,
            frame
                .in_set(FrameModels)
                .after(RowLayout)
                .before(TransformSystems::Propagate),
        );
}

/// Frames in which models are shown before they are framed. Their poses and positions are known after the first.
const SETTLING_FRAMES: u32 = 3;

fn frame(
    (mut framing, style): (ResMut<Framing>, Res<FramingStyle>),
    row: Res<Row>,
    (all_bounds, particle_files): (WorldBounds, Query<(), With<ParticleFile>>),
    (args, opened, mut default_view): (Res<Args>, OpenedModels, ResMut<DefaultView>),
    visible: VisiblePoints,
    mut cameras: Query<(&mut Orbit, &Camera)>,
    mut settled: Local<u32>,
) {
    if !all_bounds.all_spawned() {
        *settled = 0;
        return;
    }
    *settled = settled.saturating_add(1);
    if *framing == Framing::Done || row.models.is_empty() {
        return;
    }
    if *style == FramingStyle::Visible && *settled < SETTLING_FRAMES {
        return;
    }
    if *framing == Framing::Opened {
        let saved = opened.view(&row).filter(|_| args.view.is_none());
        for (mut orbit, _) in &mut cameras {
            if let Some(saved) = saved {
                *orbit = saved;
                default_view.0 = None;
                *framing = Framing::Done;
            }
        }
        if *framing == Framing::Done {
            return;
        }
    }
    let models: Vec<Entity> = match *framing {
        Framing::Selected => row.selected().into_iter().collect(),
        _ => row.models.clone(),
    };
    let around = |model: &Entity| {
        let corners = all_bounds.corners(*model);
        match particle_files.contains(*model) {
            true => corners.map(ellipsoid).unwrap_or_default(),
            false => corners.map(Vec::from).unwrap_or_default(),
        }
    };
    let points: Vec<Vec3> = match (*framing, *style) {
        (Framing::Part(part), _) => visible.of_part(part),
        (_, FramingStyle::Bounds) => models.iter().flat_map(around).collect(),
        (_, FramingStyle::Visible) => {
            let of_model = |model: &Entity| {
                let points = visible.of_model(*model);
                match points.is_empty() {
                    true => around(model),
                    false => points,
                }
            };
            models.iter().flat_map(of_model).collect()
        }
    };
    for (mut orbit, camera) in &mut cameras {
        let Some(size) = camera.logical_viewport_size() else {
            return;
        };
        orbit.frame(&points, size.x / size.y, style.share());
        if *framing == Framing::Opened {
            default_view.0 = Some(*orbit).filter(|_| args.view.is_none());
        }
    }
    *framing = Framing::Done;
}

/// The models that are shown, and their manifests.
#[derive(SystemParam)]
pub struct OpenedModels<'w, 's> {
    roots: Query<'w, 's, (&'static ViewedModel, &'static Transform)>,
    models: ModelQuery<'w, 's>,
    manifests: Res<'w, Assets<ModelManifest>>,
}

impl OpenedModels<'_, '_> {
    /// The origin and the size of a model, for [`ManifestView`](bevy_classic_models::manifest::ManifestView).
    pub fn measures(&self, model: Entity) -> Option<(Vec3, f32)> {
        let (_, transform) = self.roots.get(model).ok()?;
        let bounds = self.models.bounds(model);
        let size = bounds.map(|bounds| (bounds.max - bounds.min).length());
        // A particle system has no bounds.
        let size = size.filter(|size| *size > 0.0).unwrap_or(1.0);
        Some((transform.translation, size))
    }

    /// The view that the manifest of the only model has.
    fn view(&self, row: &Row) -> Option<Orbit> {
        let [model] = row.models[..] else {
            return None;
        };
        let (origin, size) = self.measures(model)?;
        let (model, _) = self.roots.get(model).ok()?;
        let manifest = self.manifests.get(&model.manifest.as_ref()?.handle)?;
        let view = manifest.view.as_ref()?;
        Some(Orbit::of_manifest(view, origin, size))
    }
}

/// Points on the ellipsoid in a box. Particles fill no corners.
fn ellipsoid(corners: [Vec3; 8]) -> Vec<Vec3> {
    let (low, high) = limits(corners);
    let (center, half) = ((low + high) / 2.0, (high - low) / 2.0);
    let steps = [-1.0, 0.0, 1.0];
    let directions = steps.into_iter().flat_map(|x| {
        steps
            .into_iter()
            .flat_map(move |y| steps.map(|z| Vec3::new(x, y, z)))
    });
    directions
        .map(|direction| center + half * direction.normalize_or_zero())
        .collect()
}

/// Keeps the camera's viewport in the area without panels.
pub fn fit_viewport(
    window: Single<&Window, With<PrimaryWindow>>,
    input: Res<PanelInput>,
    mut camera: Single<&mut Camera, With<Orbit>>,
    mut row: ResMut<Row>,
) {
    let size = window.physical_size();
    if let Some(free) = input.free.filter(|free| free.height() > 0.0) {
        row.aspect = free.width() / free.height();
    }
    let viewport = input.free.and_then(|free| {
        let scale = window.scale_factor();
        let min = (free.min * scale)
            .round()
            .max(Vec2::ZERO)
            .as_uvec2()
            .min(size);
        let max = (free.max * scale)
            .round()
            .max(Vec2::ZERO)
            .as_uvec2()
            .min(size);
        let inside = max.saturating_sub(min);
        (inside.min_element() > 0).then(|| Viewport {
            physical_position: min,
            physical_size: inside,
            ..default()
        })
    });
    let rect = |viewport: &Viewport| (viewport.physical_position, viewport.physical_size);
    if camera.viewport.as_ref().map(rect) != viewport.as_ref().map(rect) {
        camera.viewport = viewport;
    }
}

#[cfg(test)]
mod tests;
