//! The surfaces of spawned models, for ray casts: their meshes as the skeleton and the vertex animation pose them, and the
//! collision boxes of their animations.

use crate::crowd::rays::CrowdSurfaces;
use crate::formats::lithtech::animation::rig::AbcAnimator;
use crate::formats::lithtech::asset::{Abc, AbcAnimation, AbcDeformInfo, AbcMeshInfo, AbcModel};
use crate::formats::lithtech::components::{AbcInstance, AbcMesh};
use crate::formats::lithtech::convert::file::vertex_joints;
use crate::formats::lithtech::deform::pose_table::{AbcPoseRow, AbcPoseTable};
use crate::formats::lithtech::materials::material::AbcDeformUniform;
use crate::geometry::parts::{HitPart, PartViews, Surfaces};
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::{ModelRayCastSettings, ModelRayCastVisibility};
use crate::geometry::surface::{Surface, SurfaceHit};
use crate::geometry::vertices::{SurfaceTriangles, uvs};
use crate::gpu::pose_table::{PoseBlend, PosePair};
use crate::root::parts::{DistanceLod, ModelLod, PartVisibility};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::VertexAttributeValues;
use bevy::prelude::*;

/// The root's components that determine its surfaces.
type Root = (
    &'static AbcInstance,
    Option<&'static AbcAnimator>,
    Option<&'static DistanceLod>,
    Option<&'static ModelLod>,
    Option<&'static PartVisibility>,
);

/// The meshes and collision boxes of all spawned models.
#[derive(SystemParam)]
pub(crate) struct AbcSurfaces<'w, 's> {
    roots: Query<'w, 's, Root>,
    parts: Query<'w, 's, (&'static AbcMesh, &'static Visibility)>,
    parents: Query<'w, 's, &'static ChildOf>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    rows: Query<'w, 's, &'static AbcPoseRow>,
    views: PartViews<'w, 's>,
    crowds: CrowdSurfaces<'w, 's, Abc>,
    table: Option<Res<'w, AbcPoseTable>>,
    meshes: Option<Res<'w, Assets<Mesh>>>,
    images: Option<Res<'w, Assets<Image>>>,
}

/// The corners of a collision box in half extents. The bits of a corner's index are its signs along the axes.
const BOX_CORNERS: usize = 8;

/// The triangles of a collision box, counterclockwise from outside.
static BOX_SIDES: [u16; 36] = [
    0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3,
    5, 3, 7, 5,
];

fn box_corner(half: Vec3, index: usize) -> [f32; 3] {
    let sign = |axis: usize| match index >> axis & 1 {
        0 => -1.0,
        _ => 1.0,
    };
    (half * Vec3::new(sign(0), sign(1), sign(2))).to_array()
}

/// The half extents of the collision box of an animation; `None` if it has no usable box.
fn half_extents(animation: &AbcAnimation) -> Option<Vec3> {
    animation.dims.filter(|dims| dims.is_finite())
}

/// The half extents of the collision box of the animation that plays, otherwise of the first.
fn current_box(model: &AbcModel, animator: Option<&AbcAnimator>) -> Option<Vec3> {
    let clip = animator.and_then(AbcAnimator::clip);
    let playing = clip.and_then(|clip| {
        let mut animations = model.animations.iter();
        animations.find(|animation| animation.clip == *clip)
    });
    half_extents(playing.or(model.animations.first())?)
}

/// The largest collision box of a model; `None` if it has none.
pub(crate) fn largest_box(model: &AbcModel) -> Option<Aabb3d> {
    let boxes = model.animations.iter().filter_map(half_extents);
    let half = boxes.map(Vec3::abs).reduce(Vec3::max)?;
    Some(Aabb3d::new(Vec3::ZERO, half))
}

/// The position of a vertex in a blend of poses, as the shader computes it. `texels` are those of
/// [`AbcDeformInfo::poses`]. `None` if the vertex doesn't exist.
fn poses_position(
    texels: &[u8],
    uniform: &AbcDeformUniform,
    shown: PoseBlend,
    vertex: u32,
) -> Option<Vec3> {
    let between = |pair: PosePair| uniform.position(texels, pair, vertex);
    let to = between(shown.to)?;
    match shown.from_weight {
        0.0 => Some(to),
        weight => Some(to.lerp(between(shown.from)?, weight)),
    }
}

impl AbcSurfaces<'_, '_> {
    fn transform(&self, entity: Entity) -> Option<Affine3A> {
        Some(self.transforms.get(entity).ok()?.affine())
    }

    fn is_box(&self, part: HitPart) -> bool {
        !self.parts.contains(part.entity)
    }

    /// The mesh of a part that the settings include.
    fn included(
        &self,
        part: HitPart,
        visibility: ModelRayCastVisibility,
    ) -> Option<(&AbcInstance, &AbcMeshInfo)> {
        let (instance, _, distance, lod, parts) = self.roots.get(part.root).ok()?;
        let (AbcMesh { node }, own) = self.parts.get(part.entity).ok()?;
        let model = instance.model();
        let drawn = lod.map_or_else(|| distance.map_or(0, |distance| distance.0), |lod| lod.0);
        let mesh = |level| model.level(level)?.mesh(*node);
        let is_included = match visibility {
            ModelRayCastVisibility::Any => true,
            // A node that has no triangles in the drawn level is hidden, but may have some in the finest.
            ModelRayCastVisibility::Solid if *own == Visibility::Hidden => {
                let name = node.and_then(|node| model.nodes.get(node));
                let hides = name.and_then(|node| parts?.get(&node.name));
                let parent = self.parents.get(part.entity).ok()?.parent();
                mesh(drawn).is_none() && hides != Some(true) && self.views.is_visible(parent)
            }
            _ => self.views.includes(part.entity, visibility),
        };
        let level = match visibility {
            ModelRayCastVisibility::Any | ModelRayCastVisibility::Solid => 0,
            _ => drawn,
        };
        Some((instance, mesh(level).filter(|_| is_included)?))
    }

    /// The surface of a skinned mesh. Its positions are in world space.
    fn skinned<'a>(
        &'a self,
        part: HitPart,
        instance: &AbcInstance,
        info: &AbcMeshInfo,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>> {
        let mesh = self.meshes.as_ref()?.get(&info.mesh)?;
        let rest = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
        let (rest, joints) = (rest.as_float3()?, vertex_joints(mesh)?);
        let positions = posed.get(part.entity, info.mesh.id(), |positions| {
            let matrix = |node: &usize| {
                let bind_pose = instance.model().nodes.get(*node)?.bind_pose;
                let node = self.transform(*instance.nodes().get(*node)?)?;
                Some(node * Affine3A::from(bind_pose.inverse()))
            };
            let matrices: Vec<_> = instance.model().joints.iter().map(matrix).collect();
            let position = |(position, [joint, ..]): (&[f32; 3], &[u16; 4])| {
                let matrix = matrices.get(usize::from(*joint)).copied().flatten();
                // A vertex without a joint makes its triangles unusable.
                let position = matrix.map_or(Vec3A::NAN, |matrix| {
                    matrix.transform_point3a(Vec3A::from(*position))
                });
                position.to_array()
            };
            positions.extend(rest.iter().zip(joints).map(position));
        });
        Some(Surface {
            triangles: SurfaceTriangles::of(mesh)?,
            positions,
            uvs: uvs(mesh),
            affine: Affine3A::IDENTITY,
        })
    }

    /// The surface of a node's own mesh.
    fn of_node<'a>(
        &'a self,
        part: HitPart,
        deform: Option<&AbcDeformInfo>,
        info: &AbcMeshInfo,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>> {
        let mesh = self.meshes.as_ref()?.get(&info.mesh)?;
        let rest = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).ok()?;
        let rest = rest.as_float3()?;
        let positions = match (deform, mesh.try_attribute(Mesh::ATTRIBUTE_UV_1)) {
            (Some(deform), Ok(VertexAttributeValues::Float32x2(slots))) => {
                posed.get(part.entity, info.mesh.id(), |positions| {
                    let shown = self.shown(part.entity);
                    let image = self
                        .images
                        .as_ref()
                        .and_then(|images| images.get(&deform.poses));
                    let texels = image.and_then(|image| image.data.as_deref());
                    let position = |(rest, [slot, _]): (&[f32; 3], &[f32; 2])| {
                        // Vertices that don't deform have a negative slot.
                        let slot = (*slot >= 0.0).then_some(*slot as u32);
                        let position = slot.zip(texels).and_then(|(slot, texels)| {
                            poses_position(texels, &deform.uniform, shown, slot)
                        });
                        position.map_or(*rest, |position| position.to_array())
                    };
                    positions.extend(rest.iter().zip(slots).map(position));
                })
            }
            _ => rest,
        };
        Some(Surface {
            triangles: SurfaceTriangles::of(mesh)?,
            positions,
            uvs: uvs(mesh),
            affine: self.transform(part.entity)?,
        })
    }

    /// The keyframes that a deforming mesh shows.
    fn shown(&self, mesh: Entity) -> PoseBlend {
        let row = self.rows.get(mesh).ok().and_then(AbcPoseRow::row);
        let shown = row.zip(self.table.as_ref());
        shown.map_or_else(PoseBlend::default, |(row, table)| table.get(row))
    }

    fn collision_box<'a>(
        &'a self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>> {
        let (instance, animator, ..) = self.roots.get(part.root).ok()?;
        let half = current_box(instance.model(), animator)?;
        let is_included = settings.collision_boxes
            && match settings.visibility {
                // The scene's root is not drawn, so it is never in view.
                ModelRayCastVisibility::VisibleInView => {
                    let mut meshes = instance.meshes().iter();
                    meshes.any(|mesh| self.views.includes(*mesh, settings.visibility))
                }
                visibility => self.views.includes(part.entity, visibility),
            };
        let positions = posed.get(part.entity, AssetId::default(), |positions| {
            positions.extend((0..BOX_CORNERS).map(|index| box_corner(half, index)));
        });
        let affine = self.transform(part.entity)?;
        is_included.then_some(Surface {
            triangles: SurfaceTriangles::U16(&BOX_SIDES),
            positions,
            uvs: &[],
            affine,
        })
    }
}

impl Surfaces for AbcSurfaces<'_, '_> {
    /// The part of a collision box is the root of the scene.
    fn target(&self, part: HitPart) -> Entity {
        if self.is_box(part) && !self.crowds.contains(part.root) {
            part.root
        } else {
            part.entity
        }
    }

    fn parts(&self, root: Entity, parts: &mut Vec<HitPart>) {
        self.crowds.parts(root, parts);
        let meshes = self.roots.get(root).map(|(instance, ..)| instance.meshes());
        let meshes = meshes.into_iter().flatten().copied();
        parts.extend(meshes.map(|entity| HitPart { root, entity }));
    }

    fn surface<'a>(
        &'a self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>> {
        if self.crowds.contains(part.root) {
            return self.crowds.surface(part, settings, posed);
        }
        if self.is_box(part) {
            return self.collision_box(part, settings, posed);
        }
        let (instance, info) = self.included(part, settings.visibility)?;
        if settings.collision_boxes {
            let (_, animator, ..) = self.roots.get(part.root).ok()?;
            if current_box(instance.model(), animator).is_some() {
                return None;
            }
        }
        match info.node {
            None => self.skinned(part, instance, info, posed),
            Some(node) => self.of_node(part, instance.model().deform(node), info, posed),
        }
    }

    fn bone(
        &self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        hit: &SurfaceHit,
    ) -> Option<Entity> {
        if self.is_box(part) {
            return None;
        }
        let (instance, info) = self.included(part, settings.visibility)?;
        let node = match info.node {
            Some(node) => node,
            None => {
                let mesh = self.meshes.as_ref()?.get(&info.mesh)?;
                let joints = vertex_joints(mesh)?;
                let joint = |vertex: u32| Some(joints.get(vertex as usize)?[0]);
                let joint = hit.heaviest(joint)?;
                *instance.model().joints.get(usize::from(joint))?
            }
        };
        instance.nodes().get(node).copied()
    }
}
