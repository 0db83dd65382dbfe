//! What is drawn over models, whatever their format but Quake's: edges, normals, boxes and bones.

use crate::view::camera::{FOV, Orbit};
use crate::view::models::ViewedModel;
use crate::view::overlay::{BOUNDS, EDGES, NORMALS, OnSurface, Overlays};
use crate::view::rooms::Room;
use crate::view::shown::{OfModel, Shown};
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;

const BONE: Color = Color::srgb(1.0, 0.75, 0.3);

/// Lines that nothing hides.
#[derive(Default, Reflect, GizmoConfigGroup)]
pub struct OnTop;

/// Draws what [`Overlays`] says of all models but Quake's.
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

/// Writes names that face the camera.
#[derive(SystemParam)]
pub struct Letters<'w, 's> {
    cameras: Query<'w, 's, (&'static Camera, &'static GlobalTransform), With<Orbit>>,
}

impl Letters<'_, '_> {
    /// Just right of a place, in letters of the same size wherever it is.
    pub fn write(&self, gizmos: &mut Gizmos<OnTop>, at: Vec3, text: &str, color: Color) {
        const PIXELS: f32 = 12.0;
        for (camera, eye) in &self.cameras {
            let height = camera.logical_viewport_size().map_or(720.0, |size| size.y);
            let depth = (at - eye.translation()).dot(*eye.forward());
            let size = PIXELS * 2.0 * (FOV / 2.0).tan() * depth / height;
            if size > 0.0 {
                let place = at + eye.right() * size * 0.5;
                let isometry = Isometry3d::new(place, eye.rotation());
                gizmos.text(isometry, text, size, Vec2::new(-0.5, 0.0), color);
            }
        }
    }
}

/// The model that an entity is a part of.
#[derive(SystemParam)]
pub struct Owners<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    rooms: Query<'w, 's, &'static Room>,
}

impl Owners<'_, '_> {
    /// How large the model is.
    pub fn size(&self, part: Entity) -> f32 {
        let mut above = self.parents.iter_ancestors(part);
        let room = above.find_map(|entity| self.rooms.get(entity).ok());
        room.map_or(1.0, Room::size)
    }
}

fn draw_surface(
    overlays: Res<Overlays>,
    meshes: Query<(Entity, &InheritedVisibility), OfModel>,
    places: Shown,
    owners: Owners,
    mut gizmos: Gizmos<OnSurface>,
) {
    let shown = meshes.iter().filter(|(_, visibility)| visibility.get());
    for (entity, _) in shown {
        let (Some(mesh), Some(vertices)) = (places.mesh(entity), places.vertices(entity)) else {
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
            let length = 0.02 * owners.size(entity);
            let normals = places.normals(entity).unwrap_or_default();
            for (at, normal) in vertices.iter().zip(&normals) {
                gizmos.line(*at, *at + *normal * length, NORMALS);
            }
        }
    }
}

fn draw_bounds(models: Query<(&Room, &Transform), With<ViewedModel>>, mut gizmos: Gizmos) {
    for (room, transform) in &models {
        let center = (room.min + room.max) / 2.0 + transform.translation;
        let aabb = Aabb3d::new(center, (room.max - room.min) / 2.0);
        gizmos.aabb_3d(aabb, Transform::IDENTITY, BOUNDS);
    }
}

/// A bone as it was spawned.
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
    models: Query<(Option<&AloInstance>, Option<&AbcInstance>, &Room)>,
    transforms: Query<(&GlobalTransform, &InheritedVisibility)>,
    letters: Letters,
    mut gizmos: Gizmos<OnTop>,
) {
    for (alo, abc, room) in &models {
        let bones = bones(alo, abc);
        let place = |bone: &Bone| transforms.get(bone.entity).ok();
        for bone in &bones {
            let Some((transform, visibility)) = place(bone) else {
                continue;
            };
            let at = transform.translation();
            let color = shade(BONE, visibility.get());
            gizmos.cross(Isometry3d::from_translation(at), 0.006 * room.size(), color);
            let parent = bone.parent.and_then(|parent| place(bones.get(parent)?));
            if let Some((parent, _)) = parent {
                gizmos.line_gradient(parent.translation(), at, color.with_alpha(0.2), color);
            }
            letters.write(&mut gizmos, at, bone.name, color);
        }
    }
}

/// Paler if it does not show.
pub fn shade(color: Color, shows: bool) -> Color {
    color.with_alpha(if shows { 1.0 } else { 0.35 })
}
