//! Draws edges, bounds and normals of Quake models, and the grid.
//!
//! A shader moves the vertices of Quake models, so that Bevy's wireframes would show pose 0. Therefore this module
//! blends the poses again on the CPU, as the animator does.

use crate::view::args::Args;
use crate::view::model_bounds::WorldBounds;
use crate::view::trees::Trees;
use crate::view::viewed_model::ViewedModel;
use bevy::camera::primitives::Aabb;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::VertexAttributeValues;
use bevy::platform::collections::HashSet;
use bevy::prelude::*;
use bevy_classic_models::quake::{MdlInstance, MdlModel};
use std::f32::consts::FRAC_PI_2;
use std::sync::Arc;

/// The overlays that are drawn.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Overlays {
    pub wireframe: bool,
    pub bounds: bool,
    pub normals: bool,
    pub grid: bool,
    pub bones: bool,
    pub proxies: bool,
    pub lights: bool,
    pub dims: bool,
    pub trees: Trees,
}

impl Overlays {
    /// The overlays of the command line.
    pub fn of(args: &Args) -> Self {
        Self {
            wireframe: args.wireframe,
            bounds: args.bounds,
            bones: args.bones,
            proxies: args.proxies,
            lights: args.lights,
            dims: args.dims,
            trees: args.trees.unwrap_or_default(),
            ..default()
        }
    }
}

// Colors of the overlays of all formats.
pub const EDGES: Color = Color::srgb(0.35, 0.95, 0.75);
pub const NORMALS: Color = Color::srgb(0.95, 0.55, 0.9);
pub const BOUNDS: Color = Color::srgb(0.95, 0.8, 0.3);

/// Gizmos on a model's surface, drawn just in front of it.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub struct OnSurface;

/// Gizmos of the grid.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct Ground;

/// Draws the grid, and the overlays of Quake models.
pub struct OverlayPlugin;

impl Plugin for OverlayPlugin {
    fn build(&self, app: &mut App) {
        let mut config = GizmoConfig {
            // Just in front of the triangles.
            depth_bias: -0.001,
            ..default()
        };
        config.line.width = 1.0;
        let mut ground = GizmoConfig::default();
        ground.line.width = 1.0;
        app.insert_gizmo_config(OnSurface, config)
            .insert_gizmo_config(Ground, ground)
            .add_systems(Update, find_edges)
            .add_systems(
                PostUpdate,
                (draw_surface, draw_bounds, draw_grid).after(TransformSystems::Propagate),
            );
    }
}

/// The edges of a model's triangles, as pairs of the file's vertices.
#[derive(Component)]
pub struct Edges {
    of: Arc<MdlModel>,
    pairs: Vec<[u32; 2]>,
    pub triangles: usize,
}

/// Finds the edges of models that are new or changed.
fn find_edges(
    mut commands: Commands,
    models: Query<(Entity, &MdlInstance, Option<&Edges>), With<ViewedModel>>,
    meshes: Res<Assets<Mesh>>,
) {
    for (entity, animator, previous) in &models {
        let model = animator.model();
        if previous.is_some_and(|edges| Arc::ptr_eq(&edges.of, model)) {
            continue;
        }
        if let Some((pairs, triangles)) = meshes.get(&model.mesh).and_then(edges) {
            let of = model.clone();
            commands.entity(entity).insert(Edges {
                of,
                pairs,
                triangles,
            });
        }
    }
}

fn edges(mesh: &Mesh) -> Option<(Vec<[u32; 2]>, usize)> {
    // The loader settings may keep the mesh's data only on the GPU.
    let values = mesh.try_attribute(Mesh::ATTRIBUTE_UV_1).ok()?;
    let VertexAttributeValues::Float32x2(file_vertices) = values else {
        return None;
    };
    let file_vertex = |index: usize| file_vertices.get(index).map(|[vertex, _]| *vertex as u32);
    let corners: Option<Vec<u32>> = mesh.try_indices().ok()?.iter().map(file_vertex).collect();
    let corners = corners?;
    let (triangles, _) = corners.as_chunks::<3>();
    let mut pairs = HashSet::<[u32; 2]>::default();
    for [a, b, c] in triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            pairs.insert([*from.min(to), *from.max(to)]);
        }
    }
    let mut pairs: Vec<_> = pairs.into_iter().collect();
    pairs.sort_unstable();
    Some((pairs, triangles.len()))
}

fn draw_surface(
    overlays: Res<Overlays>,
    models: Query<(&MdlInstance, &Edges)>,
    transforms: Query<&GlobalTransform>,
    mut gizmos: Gizmos<OnSurface>,
) {
    if !overlays.wireframe && !overlays.normals {
        return;
    }
    for (animator, edges) in &models {
        let Ok(transform) = transforms.get(animator.mesh()) else {
            continue;
        };
        let (min, max) = animator.model().poses.bounds();
        let length = 0.03 * (max - min).length();
        let shown = animator.model().poses.blend(animator.shown());
        let shown: Vec<(Vec3, Vec3)> = shown
            .map(|(position, normal)| (position, position + normal * length))
            .map(|(a, b)| (transform.transform_point(a), transform.transform_point(b)))
            .collect();
        if overlays.wireframe {
            for [a, b] in &edges.pairs {
                if let (Some((a, _)), Some((b, _))) =
                    (shown.get(*a as usize), shown.get(*b as usize))
                {
                    gizmos.line(*a, *b, EDGES);
                }
            }
        }
        if overlays.normals {
            for (position, tip) in &shown {
                gizmos.line(*position, *tip, NORMALS);
            }
        }
    }
}

fn draw_bounds(
    overlays: Res<Overlays>,
    models: Query<&MdlInstance>,
    meshes: Query<(&Aabb, &GlobalTransform)>,
    mut gizmos: Gizmos,
) {
    if !overlays.bounds {
        return;
    }
    for animator in &models {
        if let Ok((aabb, transform)) = meshes.get(animator.mesh()) {
            let aabb = Aabb3d::new(aabb.center, aabb.half_extents);
            gizmos.aabb_3d(aabb, *transform, BOUNDS);
        }
    }
}

/// Draws a grid of about eight cells over the models and some around them. The size of a cell is a power of two.
fn draw_grid(overlays: Res<Overlays>, all_bounds: WorldBounds, mut gizmos: Gizmos<Ground>) {
    if !overlays.grid {
        return;
    }
    let corners = all_bounds.all_corners();
    let min = corners.iter().copied().reduce(Vec3::min);
    let max = corners.iter().copied().reduce(Vec3::max);
    let (Some(min), Some(max)) = (min, max) else {
        return;
    };
    let size = max - min;
    let cell = (size.max_element().max(1e-3) / 8.0).log2().round().exp2();
    let count = |length: f32| 2 * ((length / cell / 2.0).ceil() as u32 + 3);
    let center = ((min + max) / 2.0 / cell).round() * cell;
    gizmos.grid(
        Isometry3d::new(center.with_y(0.0), Quat::from_rotation_x(FRAC_PI_2)),
        UVec2::new(count(size.x), count(size.z)),
        Vec2::splat(cell),
        Color::srgb(0.23, 0.24, 0.26),
    );
}
