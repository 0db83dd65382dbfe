//! Dazzles: small lights, drawn as additive squares that face the camera and can blink.
//!
//! Dazzles with the same bone, texture and flags are baked into one mesh. A vertex shader turns them to each camera and
//! makes them blink. So they have no CPU cost per frame, and all instances of a model share mesh and material.
//!
//! Parsing, and the visibility of entities, do not belong here.

use crate::appearance::rebind_textures::rebind_changed_textures;
use crate::formats::alamo::materials::tags::begins_with_fc;
use crate::gpu::shaders::{embedded_shader, preload_shader};
use crate::texture::placeholder::PLACEHOLDER_OUTLINE;
use bevy::asset::{RenderAssetUsages, embedded_asset};
use bevy::camera::primitives::Aabb;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::{Indices, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::pbr::{MaterialPipeline, MaterialPipelineKey};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::shader::ShaderRef;
use classic_model_formats::alo::Dazzle;
use std::f32::consts::{PI, SQRT_2};

/// The corners of a square: offsets right and up on the screen, and offsets right and down in the texture.
const CORNERS: [(Vec2, Vec2); 4] = [
    (Vec2::new(-1.0, 1.0), Vec2::new(0.0, 0.0)),
    (Vec2::new(-1.0, -1.0), Vec2::new(0.0, 1.0)),
    (Vec2::new(1.0, -1.0), Vec2::new(1.0, 1.0)),
    (Vec2::new(1.0, 1.0), Vec2::new(1.0, 0.0)),
];

/// Draws the squares of a [`dazzle_mesh`] with additive blending.
///
/// The texture's alpha has no effect. Colors are dimmed in sRGB, as in the games.
///
/// If bit 24 of the entity's `MeshTag` is set, dazzles named `FC_…` take the hue of the color in the lower bits. That
/// color is sRGB, with red in the lowest byte, then green and blue. A gray color has no hue, and changes nothing.
#[derive(Asset, AsBindGroup, Reflect, Clone, Debug)]
#[reflect(Default, Clone, Debug)]
pub struct DazzleMaterial {
    /// The texture: one image, or a square grid of images.
    #[texture(0)]
    #[sampler(1)]
    pub texture: Handle<Image>,
}

impl Default for DazzleMaterial {
    /// An outline.
    fn default() -> Self {
        Self {
            texture: PLACEHOLDER_OUTLINE,
        }
    }
}

impl Material for DazzleMaterial {
    fn vertex_shader() -> ShaderRef {
        shader()
    }

    fn fragment_shader() -> ShaderRef {
        shader()
    }

    fn alpha_mode(&self) -> AlphaMode {
        AlphaMode::Add
    }

    fn enable_prepass() -> bool {
        false
    }

    fn enable_shadows() -> bool {
        false
    }

    fn specialize(
        _: &MaterialPipeline,
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        _: MaterialPipelineKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // Squares always face the camera, so there are no backfaces to cull.
        descriptor.primitive.cull_mode = None;
        Ok(())
    }
}

fn shader() -> ShaderRef {
    embedded_shader("formats/alamo/parts/dazzle.wgsl")
}

/// The brightness of a dazzle at a time, 0 to 1.
///
/// A dazzle is lit for the first `bias` of each period, as a fraction of 1. In this time the brightness follows half a
/// sine wave. With a `frequency` of 0 or a `bias` of 1 it does not blink, and the result is 1.
///
/// `frequency` is in blinks per second, `phase` in periods and `time` in seconds. The shader uses the time since the
/// app started, which wraps as [`Time::elapsed_secs_wrapped`](bevy::time::Time::elapsed_secs_wrapped) does.
pub fn dazzle_intensity(frequency: f32, phase: f32, bias: f32, time: f32) -> f32 {
    if frequency == 0.0 || bias == 1.0 {
        return 1.0;
    }
    if bias.is_nan() || bias <= 0.0 {
        return 0.0;
    }
    let period = time * frequency + phase;
    let t = (period - period.floor()) / bias;
    if t > 1.0 { 0.0 } else { (PI * t).sin() }
}

/// Bakes dazzles of the same bone, texture and flags into a mesh for a [`DazzleMaterial`].
///
/// Positions are in the bone's space. The size of a dazzle is multiplied by the scale of its entity: by the smallest of
/// the three axes, if they differ. Numbers that are not finite count as 0.
///
/// Each dazzle has four vertices, with these attributes:
/// - position: the center of the dazzle;
/// - second texture coordinates: the offset of the corner from the center;
/// - color: RGB, and an alpha of 1 if the dazzle takes a team's hue, otherwise 0;
/// - tangent: frequency, phase and bias.
///
/// All vertices of a dazzle are at its center, so the mesh stores the bounds of the drawn squares: see [`dazzle_aabb`].
pub fn dazzle_mesh<'a, 'b: 'a>(dazzles: impl IntoIterator<Item = &'a Dazzle<'b>>) -> Mesh {
    let mut baked = Baked::default();
    for dazzle in dazzles {
        baked.push(dazzle);
    }
    baked.into_mesh()
}

/// The bounding box of dazzles, whichever way they turn, in their bone's space; `None` without dazzles.
pub fn dazzle_aabb<'a, 'b: 'a>(dazzles: impl IntoIterator<Item = &'a Dazzle<'b>>) -> Option<Aabb> {
    let bounds = dazzles.into_iter().map(bounds).reduce(union);
    bounds.map(|(min, max)| Aabb::from_min_max(min, max))
}

fn union(a: (Vec3, Vec3), b: (Vec3, Vec3)) -> (Vec3, Vec3) {
    (a.0.min(b.0), a.1.max(b.1))
}

fn bounds(dazzle: &Dazzle<'_>) -> (Vec3, Vec3) {
    let center = Vec3::from_array(dazzle.position.map(finite));
    let reach = Vec3::splat(finite(dazzle.radius).abs() * SQRT_2);
    (center - reach, center + reach)
}

fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// The vertex attributes of a mesh that is being built.
#[derive(Default)]
struct Baked {
    centers: Vec<[f32; 3]>,
    cells: Vec<[f32; 2]>,
    offsets: Vec<[f32; 2]>,
    colors: Vec<[f32; 4]>,
    blinks: Vec<[f32; 4]>,
    bounds: Option<(Vec3, Vec3)>,
}

impl Baked {
    fn push(&mut self, dazzle: &Dazzle<'_>) {
        let grid = dazzle.num_slots.max(1) as f32;
        let slot = Vec2::new(dazzle.slot_x as f32, dazzle.slot_y as f32);
        let [r, g, b] = dazzle.color.map(|channel| finite(channel).max(0.0));
        let colorized = if begins_with_fc(&dazzle.name) {
            1.0
        } else {
            0.0
        };
        let [frequency, phase, bias] = [dazzle.frequency, dazzle.phase, dazzle.bias()].map(finite);
        for (offset, corner) in CORNERS {
            self.centers.push(dazzle.position.map(finite));
            self.cells.push(((slot + corner) / grid).to_array());
            self.offsets
                .push((offset * finite(dazzle.radius)).to_array());
            self.colors.push([r, g, b, colorized]);
            self.blinks.push([frequency, phase, bias, 0.0]);
        }
        let bounds = bounds(dazzle);
        self.bounds = Some(
            self.bounds
                .map_or(bounds, |previous| union(previous, bounds)),
        );
    }

    fn into_mesh(self) -> Mesh {
        let squares = (0..self.centers.len() as u32).step_by(4);
        let indices = squares.flat_map(|first| [0, 1, 2, 0, 2, 3].map(|corner| first + corner));
        // The shader does not read normals, but other crates expect every mesh to have them.
        let normals = vec![[0.0, 0.0, 1.0]; self.centers.len()];
        // The mesh must stay in the main world. Otherwise Bevy replaces `final_aabb` with the bounds of the vertices.
        let mut mesh = Mesh::new(
            PrimitiveTopology::TriangleList,
            RenderAssetUsages::default(),
        )
        .with_inserted_indices(Indices::U32(indices.collect()))
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, self.centers)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, self.cells)
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_1, self.offsets)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, self.colors)
        .with_inserted_attribute(Mesh::ATTRIBUTE_TANGENT, self.blinks);
        mesh.final_aabb = self.bounds.map(|(min, max)| Aabb3d::from_min_max(min, max));
        mesh
    }
}

/// Adds the material of dazzles.
pub(crate) struct DazzlePlugin;

impl Plugin for DazzlePlugin {
    fn build(&self, app: &mut App) {
        embedded_asset!(app, "dazzle.wgsl");
        preload_shader(app, shader());
        rebind_changed_textures::<DazzleMaterial>(app);
        app.add_plugins(MaterialPlugin::<DazzleMaterial>::default())
            .register_type::<MeshMaterial3d<DazzleMaterial>>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::mesh::VertexAttributeValues;

    fn dazzle(name: &'static str) -> Dazzle<'static> {
        Dazzle {
            color: [1.0, 0.5, 0.25],
            position: [1.0, 2.0, 3.0],
            radius: 2.0,
            slot_x: 1,
            slot_y: 2,
            num_slots: 4,
            texture: "lights.tga".into(),
            frequency: 0.5,
            phase: 0.25,
            night_only: false,
            bone: 0,
            name: name.into(),
            is_hidden: false,
            bias: None,
        }
    }

    #[test]
    fn mesh_has_four_vertices_per_dazzle() {
        let dazzles = [dazzle("a"), dazzle("fc_b")];
        let mesh = dazzle_mesh(&dazzles);
        assert_eq!(mesh.count_vertices(), 8);
        let two = |attribute| match mesh.attribute(attribute) {
            Some(VertexAttributeValues::Float32x2(values)) => values.clone(),
            other => panic!("{other:?}"),
        };
        let four = |attribute| match mesh.attribute(attribute) {
            Some(VertexAttributeValues::Float32x4(values)) => values.clone(),
            other => panic!("{other:?}"),
        };
        // The upper left corner has the upper left texture coordinates of the cell.
        assert_eq!(two(Mesh::ATTRIBUTE_UV_1)[0], [-2.0, 2.0]);
        assert_eq!(two(Mesh::ATTRIBUTE_UV_0)[0], [0.25, 0.5]);
        assert_eq!(two(Mesh::ATTRIBUTE_UV_1)[2], [2.0, -2.0]);
        assert_eq!(two(Mesh::ATTRIBUTE_UV_0)[2], [0.5, 0.75]);
        assert_eq!(four(Mesh::ATTRIBUTE_COLOR)[0], [1.0, 0.5, 0.25, 0.0]);
        assert_eq!(four(Mesh::ATTRIBUTE_COLOR)[7], [1.0, 0.5, 0.25, 1.0]);
        assert_eq!(four(Mesh::ATTRIBUTE_TANGENT)[3], [0.5, 0.25, 1.0, 0.0]);
        let indices: Vec<_> = mesh.indices().unwrap().iter().collect();
        assert_eq!(indices, [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7]);
    }

    #[test]
    fn bounds_contain_squares_in_any_orientation() {
        let mut far = dazzle("far");
        (far.position, far.radius) = ([-10.0, 0.0, 0.0], 1.0);
        let dazzles = [dazzle("near"), far];
        let bounds = dazzle_aabb(&dazzles).unwrap();
        let reach = 2.0 * SQRT_2;
        let max = Vec3::new(1.0, 2.0, 3.0) + reach;
        assert!(Vec3::from(bounds.max()).abs_diff_eq(max, 1e-5));
        let min = Vec3::new(-10.0 - SQRT_2, -SQRT_2, -SQRT_2);
        assert!(Vec3::from(bounds.min()).abs_diff_eq(min, 1e-5));
        let of_mesh = Aabb::from(dazzle_mesh(&dazzles).final_aabb.unwrap());
        assert!(of_mesh.max().abs_diff_eq(bounds.max(), 1e-5));
        assert!(of_mesh.min().abs_diff_eq(bounds.min(), 1e-5));
        assert!(dazzle_aabb(&[] as &[Dazzle]).is_none());
    }

    #[test]
    fn non_finite_numbers_count_as_zero() {
        let mut broken = dazzle("broken");
        broken.position[1] = f32::NAN;
        broken.radius = f32::INFINITY;
        broken.color[0] = -1.0;
        broken.bias = Some(f32::NAN);
        broken.num_slots = 0;
        let mesh = dazzle_mesh([&broken]);
        for (attribute, values) in mesh.attributes() {
            let bytes = values.get_bytes();
            let (floats, _) = bytes.as_chunks::<4>();
            let all = floats
                .iter()
                .all(|bytes| f32::from_ne_bytes(*bytes).is_finite());
            assert!(all, "{}", attribute.name);
        }
        let bounds = dazzle_aabb([&broken]).unwrap();
        assert_eq!(Vec3::from(bounds.center), Vec3::new(1.0, 0.0, 3.0));
        assert_eq!(Vec3::from(bounds.half_extents), Vec3::ZERO);
        assert_eq!(dazzle_mesh(&[] as &[Dazzle]).count_vertices(), 0);
    }

    #[test]
    fn only_names_with_the_prefix_fc_take_the_team_hue() {
        for (name, takes) in [
            ("FC_light", true),
            ("fc_", true),
            ("Fc_x", true),
            ("FC", false),
            ("xFC_", false),
            ("", false),
            ("Ф_", false),
        ] {
            assert_eq!(begins_with_fc(name), takes, "{name}");
        }
    }

    #[test]
    fn blink_is_half_a_sine_wave() {
        let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-5, "expected {b}, found {a}");
        near(dazzle_intensity(0.0, 0.3, 0.5, 7.0), 1.0);
        near(dazzle_intensity(2.0, 0.3, 1.0, 7.0), 1.0);
        near(dazzle_intensity(1.0, 0.0, 0.5, 0.25), 1.0);
        near(dazzle_intensity(1.0, 0.0, 0.5, 3.125), 0.5_f32.sqrt());
        near(dazzle_intensity(1.0, 0.0, 0.5, 0.75), 0.0);
        near(dazzle_intensity(1.0, -0.75, 0.5, 0.0), 1.0);
        near(dazzle_intensity(2.0, 0.5, 2.0, 0.25), 0.0);
        near(dazzle_intensity(2.0, 0.5, 2.0, 0.0), 0.5_f32.sqrt());
        for bias in [0.0, -1.0, f32::NAN] {
            near(dazzle_intensity(1.0, 0.0, bias, 0.1), 0.0);
        }
    }
}
