//! The surfaces of the members of crowds, for rays: their merged meshes, posed on the CPU as `crowd.wgsl` poses them.

use crate::crowd::bake::BakeSource;
use crate::crowd::format::CrowdFormat;
use crate::crowd::members::CrowdMember;
use crate::crowd::own_pose::posed;
use crate::crowd::shown_poses::ShownClip;
use crate::crowd::skeleton::{CrowdSkeleton, Poser, Texel};
use crate::crowd::skinning::{JOINTS, VISIBILITY, WEIGHTS};
use crate::geometry::parts::{HitPart, PartViews, Surfaces};
use crate::geometry::posed::PosedVertices;
use crate::geometry::ray_settings::ModelRayCastSettings;
use crate::geometry::surface::Surface;
use crate::geometry::vertices::{SurfaceTriangles, uvs};
use crate::root::spawning::CrowdMesh;
use bevy::ecs::system::SystemParam;
use bevy::mesh::{Mesh, VertexAttributeValues};
use bevy::prelude::*;

/// The meshes of all members of the crowds of a format.
#[derive(SystemParam)]
pub(crate) struct CrowdSurfaces<'w, 's, F: CrowdFormat> {
    members: Query<'w, 's, &'static CrowdMember<F>>,
    drawn: Query<'w, 's, (&'static Mesh3d, &'static GlobalTransform), With<CrowdMesh>>,
    views: PartViews<'w, 's>,
    meshes: Option<Res<'w, Assets<Mesh>>>,
}

impl<F: CrowdFormat> CrowdSurfaces<'_, '_, F> {
    /// Whether a root's model is a member of a crowd.
    pub(crate) fn contains(&self, root: Entity) -> bool {
        self.members.contains(root)
    }
}

impl<F: CrowdFormat> Surfaces for CrowdSurfaces<'_, '_, F> {
    fn parts(&self, root: Entity, parts: &mut Vec<HitPart>) {
        let meshes = self.members.get(root).map(CrowdMember::meshes);
        let meshes = meshes.into_iter().flatten().copied();
        parts.extend(meshes.map(|entity| HitPart { root, entity }));
    }

    fn surface<'a>(
        &'a self,
        part: HitPart,
        settings: &ModelRayCastSettings<'_>,
        posed: &'a mut PosedVertices,
    ) -> Option<Surface<'a>> {
        let member = self.members.get(part.root).ok()?;
        let (Mesh3d(handle), transform) = self.drawn.get(part.entity).ok()?;
        let mesh = self.meshes.as_ref()?.get(handle)?;
        if !self.views.includes(part.entity, settings.visibility) {
            return None;
        }
        let positions = posed.get(part.entity, handle.id(), |positions| {
            let _ = ShownPose::new(member).add_positions(mesh, positions);
        });
        Some(Surface {
            triangles: SurfaceTriangles::of(mesh)?,
            positions,
            uvs: uvs(mesh),
            affine: transform.affine(),
        })
    }
}

/// The pose that a member shows, as the texels that the shader reads.
struct ShownPose<'a> {
    skeleton: &'a CrowdSkeleton,
    to: Vec<Texel>,
    /// The texels of the clip that fades out, and its weight.
    from: Option<(Vec<Texel>, f32)>,
}

impl<'a> ShownPose<'a> {
    fn new<F: CrowdFormat>(member: &'a CrowdMember<F>) -> Self {
        let (skeleton, shown) = (&*member.skeleton, &member.shown);
        if let Some(bones) = member.own_bones() {
            return Self {
                skeleton,
                to: posed(skeleton, bones, shown).1,
                from: None,
            };
        }
        let is_fading = shown.from_weight > 0.0;
        Self {
            skeleton,
            to: texels(skeleton, shown.to.as_ref()),
            from: is_fading.then(|| (texels(skeleton, shown.from.as_ref()), shown.from_weight)),
        }
    }

    /// Adds the vertex positions of a merged mesh. Hidden ones are not finite. `None` if it has no joints.
    fn add_positions(&self, mesh: &Mesh, positions: &mut Vec<[f32; 3]>) -> Option<()> {
        use VertexAttributeValues::{Float32x3, Float32x4, Uint16x4, Uint32};
        let attribute = |attribute| mesh.try_attribute(attribute).ok();
        let (Float32x3(rest), Uint16x4(joints), Float32x4(weights), Uint32(bits)) = (
            attribute(Mesh::ATTRIBUTE_POSITION)?,
            attribute(JOINTS)?,
            attribute(WEIGHTS)?,
            attribute(VISIBILITY)?,
        ) else {
            return None;
        };
        let vertices = rest.iter().zip(joints).zip(weights.iter().zip(bits));
        positions.extend(vertices.map(|((rest, joints), (weights, bit))| {
            let position = self
                .is_visible(*bit)
                .then(|| self.position(*rest, *joints, *weights));
            position.unwrap_or(Vec3::NAN).to_array()
        }));
        Some(())
    }

    fn is_visible(&self, bit: u32) -> bool {
        let shown = self.skeleton.is_visible_in(&self.to, bit);
        self.from.as_ref().map_or(shown, |(from, weight)| {
            let from_shown = self.skeleton.is_visible_in(from, bit);
            (shown && *weight <= 0.5) || (from_shown && *weight >= 0.5)
        })
    }

    /// `posed_vertex` of the shader.
    fn position(&self, rest: [f32; 3], joints: [u16; 4], weights: [f32; 4]) -> Vec3 {
        if weights[0] < 0.0 {
            let offset = usize::from(joints[0]) | usize::from(joints[1]) << 16;
            return self.texel(offset).truncate();
        }
        let rest = Vec3::from_array(rest).extend(1.0);
        let influences = joints.into_iter().zip(weights);
        let influences = influences.filter(|(_, weight)| *weight != 0.0);
        let moved = influences.map(|(joint, weight)| {
            let first = usize::from(joint);
            let row = |row: usize| self.texel(first + row).dot(rest);
            weight * Vec3::new(row(0), row(1), row(2))
        });
        moved.sum()
    }

    /// The blend of a texel.
    fn texel(&self, index: usize) -> Vec4 {
        let texel = |texels: &[Texel]| texels.get(index).map_or(Vec4::NAN, |it| (*it).into());
        let to = texel(&self.to);
        self.from
            .as_ref()
            .map_or(to, |(from, weight)| to.lerp(texel(from), *weight))
    }
}

/// The texels of a pose. `None` is the rest pose.
fn texels<S: BakeSource>(skeleton: &CrowdSkeleton, shown: Option<&ShownClip<S>>) -> Vec<Texel> {
    let Some(shown) = shown else {
        return skeleton.rest_pose();
    };
    let mut texels = vec![Texel::default(); skeleton.pose_texels()];
    Poser::new(skeleton).pose(&*shown.clip.sampler, shown.position, false, &mut texels);
    texels
}
