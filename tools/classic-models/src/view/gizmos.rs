//! Draws edges, normals, bounds and bones of models of all formats except Quake's.

use crate::view::mesh_vertices::{MeshVertices, OfModel};
use crate::view::model_bounds::ModelBounds;
use crate::view::orbit::{FOV, Orbit};
use crate::view::overlay::{BOUNDS, EDGES, NORMALS, OnSurface, Overlays};
use crate::view::viewed_model::ViewedModel;
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloInstance, BoneVisibility};
use bevy_classic_models::lithtech::AbcInstance;

const BONE: Color = Color::srgb(1.0, 0.75, 0.3);

/// Gizmos in front of everything else.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub struct OnTop;

/// Draws the overlays of models of all formats except Quake's.
pub struct GizmosPlugin;

impl Plugin for GizmosPlugin {
    fn build(&self, app: &mut App) {
        let mut config = GizmoConfig {
            depth_bias: -1.0,
            ..default()
        };
        config.line.width = 1.5;
        app.insert_gizmo_config(OnTop, config).add_systems(
            PostUpdate,
            (
                draw_surface.run_if(|o: Res<Overlays>| o.wireframe || o.normals),
                draw_bounds.run_if(|o: Res<Overlays>| o.bounds),
                draw_bones.run_if(|o: Res<Overlays>| o.bones),
            )
                .after(TransformSystems::Propagate),
        );
    }
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
        if overlays.wireframe
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
        if overlays.normals {
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

/// A spawned bone.
struct Bone<'a> {
    entity: Entity,
    name: &'a str,
    parent: Option<usize>,
}

/// The bones of a model, in file order.
fn bones<'a>(alo: Option<&'a AloInstance>, abc: Option<&'a AbcInstance>) -> Vec<Bone<'a>> {
    let of_alo = alo.into_iter().flat_map(|alo| {
        let bones = alo.bones().iter().zip(&alo.model().bones);
        bones.map(|(entity, bone)| Bone {
            entity: *entity,
            name: &bone.name,
            parent: bone.parent,
        })
    });
    let of_abc = abc.into_iter().flat_map(|abc| {
        let nodes = abc.nodes().iter().zip(&abc.model().nodes);
        nodes.map(|(entity, node)| Bone {
            entity: *entity,
            name: &node.name,
            parent: node.parent,
        })
    });
    of_alo.chain(of_abc).collect()
}

fn draw_bones(
    models: Query<(Option<&AloInstance>, Option<&AbcInstance>, &ModelBounds)>,
    transforms: Query<(
        &GlobalTransform,
        &InheritedVisibility,
        Option<&BoneVisibility>,
    )>,
    labels: GizmoText,
    mut gizmos: Gizmos<OnTop>,
) {
    for (alo, abc, bounds) in &models {
        let bones = bones(alo, abc);
        let transform_of = |bone: &Bone| transforms.get(bone.entity).ok();
        for bone in &bones {
            let Some((transform, inherited, own)) = transform_of(bone) else {
                continue;
            };
            let at = transform.translation();
            let is_visible = inherited.get() && own.is_none_or(BoneVisibility::is_visible);
            let color = shade(BONE, is_visible);
            gizmos.cross(
                Isometry3d::from_translation(at),
                0.006 * bounds.size(),
                color,
            );
            let parent = bone
                .parent
                .and_then(|parent| transform_of(bones.get(parent)?));
            if let Some((parent, ..)) = parent {
                gizmos.line_gradient(parent.translation(), at, color.with_alpha(0.2), color);
            }
            labels.write(&mut gizmos, at, bone.name, color);
        }
    }
}

/// The color of a part; transparent if it is hidden.
pub fn shade(color: Color, visible: bool) -> Color {
    color.with_alpha(if visible { 1.0 } else { 0.35 })
}
