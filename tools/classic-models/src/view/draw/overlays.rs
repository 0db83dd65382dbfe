//! Draws the overlays: edges, normals, bounds, bones, proxies, lights, collision boxes and trees of models, and the grid.

use crate::view::actions::action::Overlay;
use crate::view::camera::orbit::{FOV, Orbit};
use crate::view::draw::visible_points::{MeshVertices, OfModel};
use crate::view::models::bounds::WorldBounds;
use crate::view::models::clip_list::ClipList;
use crate::view::models::viewed_model::{ModelBounds, ViewedModel, limits};
use crate::view::open::args::{Args, Trees};
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloColliderGizmos, AloLight, AloPart, AloProxy, BoneVisibility};
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::query::ModelBone;
use std::f32::consts::FRAC_PI_2;

const EDGES: Color = Color::srgb(0.35, 0.95, 0.75);
const NORMALS: Color = Color::srgb(0.95, 0.55, 0.9);
const BOUNDS: Color = Color::srgb(0.95, 0.8, 0.3);
const BONE: Color = Color::srgb(1.0, 0.75, 0.3);
const PROXY: Color = Color::srgb(0.45, 0.85, 1.0);
const DIMS: Color = Color::srgb(0.55, 0.75, 1.0);

/// The overlays that are drawn.
#[derive(Resource, Clone, Copy, Debug, Default)]
pub struct Overlays {
    drawn: [bool; 9],
    pub trees: Trees,
}

impl Overlays {
    /// The overlays of the command line.
    pub fn of(args: &Args, has_grid: bool) -> Self {
        let mut overlays = Self {
            trees: args.trees.unwrap_or_default(),
            ..default()
        };
        for (overlay, is_drawn) in [
            (Overlay::Wireframe, args.wireframe),
            (Overlay::Bounds, args.bounds),
            (Overlay::Grid, has_grid),
            (Overlay::Bones, args.bones),
            (Overlay::Proxies, args.proxies),
            (Overlay::Lights, args.lights),
            (Overlay::Dims, args.dims),
            (Overlay::Floor, args.stage.floor),
        ] {
            overlays.drawn[overlay as usize] = is_drawn;
        }
        overlays
    }

    /// Whether an overlay is drawn.
    pub fn draws(&self, overlay: Overlay) -> bool {
        self.drawn[overlay as usize]
    }

    pub fn toggle(&mut self, overlay: Overlay) {
        self.drawn[overlay as usize] ^= true;
    }
}

/// Whether any of these overlays is drawn.
fn draws<const N: usize>(overlays: [Overlay; N]) -> impl FnMut(Res<Overlays>) -> bool + Clone {
    move |drawn: Res<Overlays>| overlays.iter().any(|overlay| drawn.draws(*overlay))
}

/// Gizmos in front of everything else.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub struct OnTop;

/// Gizmos on a model's surface, drawn just in front of it.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct OnSurface;

/// Gizmos of the grid.
#[derive(Default, Reflect, GizmoConfigGroup)]
struct Ground;

/// Draws the overlays that [`Overlays`] enables.
pub fn overlays_plugin(app: &mut App) {
    // The boxes of flat parts coincide with their triangles.
    let near = -0.001;
    app.insert_gizmo_config(OnSurface, lines(1.0, near))
        .insert_gizmo_config(Ground, lines(1.0, 0.0))
        .insert_gizmo_config(OnTop, lines(1.5, -1.0))
        .insert_gizmo_config(AloColliderGizmos::default(), lines(1.0, near))
        .add_systems(
            PostUpdate,
            (
                draw_surface.run_if(draws([Overlay::Wireframe, Overlay::Normals])),
                draw_bounds.run_if(draws([Overlay::Bounds])),
                draw_grid.run_if(draws([Overlay::Grid])),
                // Of lines at the same depth, those drawn first are in front: those of bones.
                (
                    draw_bones.run_if(draws([Overlay::Bones])),
                    draw_proxies.run_if(draws([Overlay::Proxies])),
                    draw_lights.run_if(draws([Overlay::Lights])),
                )
                    .chain(),
                draw_dims.run_if(draws([Overlay::Dims])),
            )
                .after(TransformSystems::Propagate),
        )
        .add_systems(
            PostUpdate,
            choose_trees
                .before(TransformSystems::Propagate)
                .run_if(resource_changed::<Overlays>),
        );
}

/// Lines of a width in pixels. A negative bias draws them in front of what is at the same depth.
fn lines(width: f32, depth_bias: f32) -> GizmoConfig {
    let mut config = GizmoConfig {
        depth_bias,
        ..default()
    };
    config.line.width = width;
    config
}

/// Draws text that faces the camera.
#[derive(SystemParam)]
pub struct GizmoText<'w, 's> {
    cameras: Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<Orbit>>,
}

impl GizmoText<'_, '_> {
    /// Draws `text` to the right of `at`, a position in world space. The size on the screen is constant.
    pub fn write(&self, gizmos: &mut Gizmos<OnTop>, at: Vec3, text: &str, color: Color) {
        const PIXELS: f32 = 12.0;
        for (camera, eye) in &self.cameras {
            let height = camera.logical_viewport_size().map_or(720.0, |size| size.y);
            let depth = (at - eye.translation()).dot(*eye.forward());
            let size = PIXELS * 2.0 * (FOV / 2.0).tan() * depth / height;
            if size > 0.0 {
                let start = at + eye.right() * size * 0.5;
                let isometry = Isometry3d::new(start, eye.rotation());
                gizmos.text(isometry, text, size, Vec2::new(-0.5, 0.0), color);
            }
        }
    }
}

/// The sizes of the models that entities are parts of.
#[derive(SystemParam)]
pub struct ModelSizes<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    all_bounds: Query<'w, 's, &'static ModelBounds>,
}

impl ModelSizes<'_, '_> {
    /// The longest side of the bounds of `part`'s model.
    pub fn size(&self, part: Entity) -> f32 {
        let mut above = self.parents.iter_ancestors(part);
        let bounds = above.find_map(|entity| self.all_bounds.get(entity).ok());
        bounds.map_or(1.0, ModelBounds::size)
    }
}

fn draw_surface(
    overlays: Res<Overlays>,
    meshes: Query<(Entity, &InheritedVisibility), OfModel>,
    mesh_vertices: MeshVertices,
    sizes: ModelSizes,
    mut gizmos: Gizmos<OnSurface>,
) {
    let shown = meshes.iter().filter(|(_, visibility)| visibility.get());
    for (entity, _) in shown {
        let (Some(mesh), Some(vertices)) =
            (mesh_vertices.mesh(entity), mesh_vertices.vertices(entity))
        else {
            continue;
        };
        if overlays.draws(Overlay::Wireframe)
            && let Ok(indices) = mesh.try_indices()
        {
            let corners: Vec<Vec3> = indices
                .iter()
                .filter_map(|index| vertices.get(index).copied())
                .collect();
            for [a, b, c] in corners.as_chunks::<3>().0 {
                gizmos.linestrip([*a, *b, *c, *a], EDGES);
            }
        }
        if overlays.draws(Overlay::Normals) {
            let length = 0.02 * sizes.size(entity);
            let normals = mesh_vertices.normals(entity).unwrap_or_default();
            for (at, normal) in vertices.iter().zip(&normals) {
                gizmos.line(*at, *at + *normal * length, NORMALS);
            }
        }
    }
}

fn draw_bounds(models: Query<(&ModelBounds, &Transform), With<ViewedModel>>, mut gizmos: Gizmos) {
    for (bounds, transform) in &models {
        let center = (bounds.min + bounds.max) / 2.0 + transform.translation;
        let aabb = Aabb3d::new(center, (bounds.max - bounds.min) / 2.0);
        gizmos.aabb_3d(aabb, Transform::IDENTITY, BOUNDS);
    }
}

fn draw_bones(
    models: Query<(Entity, &ModelBounds)>,
    bones: ModelQuery,
    visibilities: Query<(&InheritedVisibility, Option<&BoneVisibility>)>,
    labels: GizmoText,
    mut gizmos: Gizmos<OnTop>,
) {
    for (root, bounds) in &models {
        let bones = bones.bones(root);
        for bone in &bones {
            let Ok((inherited, own)) = visibilities.get(bone.entity) else {
                continue;
            };
            let at = bone.transform.translation();
            let is_visible = inherited.get() && own.is_none_or(BoneVisibility::is_visible);
            let color = shade(BONE, is_visible);
            let cross = Isometry3d::from_translation(at);
            gizmos.cross(cross, 0.006 * bounds.size(), color);
            let is_parent = |other: &&ModelBone| Some(other.entity) == bone.parent;
            if let Some(parent) = bones.iter().find(is_parent) {
                let from = parent.transform.translation();
                gizmos.line_gradient(from, at, color.with_alpha(0.2), color);
            }
            labels.write(&mut gizmos, at, &bone.name, color);
        }
    }
}

/// The color of a part; transparent if it is hidden.
fn shade(color: Color, visible: bool) -> Color {
    color.with_alpha(if visible { 1.0 } else { 0.35 })
}

/// Draws a grid of about eight cells over the models and some around them. The size of a cell is a power of two.
fn draw_grid(all_bounds: WorldBounds, mut gizmos: Gizmos<Ground>) {
    let corners = all_bounds.all_corners();
    if corners.is_empty() {
        return;
    }
    let (min, max) = limits(corners);
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

fn draw_proxies(
    proxies: Query<(Entity, &AloPart, &GlobalTransform, &InheritedVisibility), With<AloProxy>>,
    sizes: ModelSizes,
    labels: GizmoText,
    mut gizmos: Gizmos<OnTop>,
) {
    for (entity, part, transform, visibility) in &proxies {
        let at = transform.translation();
        gizmos.axes(*transform, 0.025 * sizes.size(entity));
        let color = shade(PROXY, visibility.get());
        labels.write(&mut gizmos, at, &part.name, color);
    }
}

type Lights = (
    Entity,
    &'static AloPart,
    &'static GlobalTransform,
    &'static InheritedVisibility,
    Option<&'static PointLight>,
    Option<&'static SpotLight>,
    Option<&'static DirectionalLight>,
);

fn draw_lights(
    lights: Query<Lights, With<AloLight>>,
    sizes: ModelSizes,
    labels: GizmoText,
    mut gizmos: Gizmos<OnTop>,
) {
    for (entity, part, transform, visibility, point, spot, directional) in &lights {
        let at = transform.translation();
        let forward = *transform.forward();
        let shows = visibility.get();
        let size = sizes.size(entity);
        let mut color = Color::WHITE;
        if let Some(point) = point {
            color = shade(point.color, shows);
            gizmos.sphere(at, point.range, color.with_alpha(0.25));
        } else if let Some(spot) = spot {
            color = shade(spot.color, shows);
            let (sin, cos) = spot.outer_angle.sin_cos();
            let rim = Isometry3d::new(at + forward * spot.range * cos, transform.rotation());
            let radius = spot.range * sin;
            gizmos.circle(rim, radius, color.with_alpha(0.5));
            for side in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
                gizmos.line(at, rim * (side * radius), color.with_alpha(0.5));
            }
        } else if let Some(directional) = directional {
            color = shade(directional.color, shows);
            gizmos.arrow(at, at + forward * 0.3 * size, color);
        }
        gizmos.cross(Isometry3d::from_translation(at), 0.015 * size, color);
        labels.write(&mut gizmos, at, &part.name, color);
    }
}

/// Draws the box of the animation that plays, centered at the model's origin.
fn draw_dims(
    models: Query<(&AbcInstance, &ClipList, &PlayClip, &GlobalTransform)>,
    mut gizmos: Gizmos,
) {
    for (instance, list, play, transform) in &models {
        let animation = list.playing(play);
        let animation = animation.and_then(|index| instance.model().animations.get(index));
        if let Some(half) = animation.and_then(|animation| animation.dims) {
            gizmos.aabb_3d(Aabb3d::new(Vec3::ZERO, half), *transform, DIMS);
        }
    }
}

/// Draws the collision trees that are chosen.
fn choose_trees(overlays: Res<Overlays>, mut store: ResMut<GizmoConfigStore>) {
    let (_, config) = store.config_mut::<AloColliderGizmos>();
    config.draw_all = overlays.trees != Trees::Off;
    config.level = match overlays.trees {
        Trees::Level(level) => Some(level),
        Trees::Off | Trees::All => None,
    };
}
