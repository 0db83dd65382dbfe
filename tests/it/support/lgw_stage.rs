//! LGW models on a [`Stage`], and their expected colors: computed for each pixel with the formulas of the OpenGL 1.5
//! specification.

use crate::support::prelude::*;
use bevy::math::DMat4;
use bevy_classic_models::lgw::lgw;
use bevy_classic_models::lgw::lgw::{Group, GroupKind, LgwFile, Material, TexGen, Texture, write};
use std::collections::HashMap;

pub const SIZE: UVec2 = UVec2::new(320, 240);

/// The position of a camera in front of the wall of [`Quad::in_grid`].
pub const FRONT_VIEW: Vec3 = Vec3::new(0.0, 4.0, 60.0);

/// The stage's background color, in sRGB.
const BACKGROUND: [f64; 3] = [0.0, 0.0, 0.2];

/// Two triangles, counter-clockwise from the lower left corner.
#[derive(Clone)]
pub struct Quad {
    pub corners: [Vec3; 4],
    pub normals: [Vec3; 4],
    /// In the file's convention: V goes up.
    pub uvs: [Vec2; 4],
}

const TRIANGLES: [[usize; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

impl Quad {
    /// The quad of an index on a wall that faces +Z: `columns` quads in each row, rows from the top.
    pub fn in_grid(index: usize, columns: usize) -> Self {
        const STEP: f32 = 15.0;
        let (row, column) = (index / columns, index % columns);
        let x = (column as f32 - columns as f32 / 2.0) * STEP + 1.0;
        let y = 4.0 + (0.5 - row as f32) * STEP + 1.0;
        let size = STEP - 2.0;
        let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
        Self {
            corners: corners.map(|(u, v)| Vec3::new(x + size * u, y + size * v, 0.0)),
            normals: [Vec3::Z; 4],
            uvs: corners.map(|(u, v)| Vec2::new(u, v)),
        }
    }

    /// Rotates the quad about its center. `spread` tilts the normals away from the center.
    pub fn curved(mut self, rotation: Quat, spread: f32) -> Self {
        let center = (self.corners[0] + self.corners[2]) / 2.0;
        for (corner, normal) in self.corners.iter_mut().zip(&mut self.normals) {
            let arm = rotation * (*corner - center);
            *corner = center + arm;
            *normal = (rotation * *normal + arm.normalize() * spread).normalize();
        }
        self
    }

    pub fn with_uvs(mut self, map: impl Fn(Vec2) -> Vec2) -> Self {
        self.uvs = self.uvs.map(map);
        self
    }
}

/// A material with one texture for each texture unit.
pub fn material(id: usize, textures: Vec<Texture<'static>>) -> Material<'static> {
    let textures = textures.into_iter().enumerate();
    Material {
        id: id as i64,
        name: format!("Material {id}").into(),
        diffuse_color: None,
        textures: textures
            .map(|(unit, texture)| Texture {
                number: unit as i64,
                ..texture
            })
            .collect(),
    }
}

/// A texture without mip levels, so that the expected texel is exact.
pub fn texture(file: &'static str, mode: TextureMode) -> Texture<'static> {
    Texture {
        file: Some(file.into()),
        mode,
        mipmaps: false,
        ..Texture::default()
    }
}

pub fn texgen(kinds: [Option<TexGenKind>; 3], coefficients: [f32; 3]) -> [TexGen; 3] {
    core::array::from_fn(|axis| TexGen {
        kind: kinds[axis],
        coefficient: coefficients[axis],
    })
}

/// A file with a quad for each material.
pub fn model(materials: &[Material<'static>], quads: &[Quad]) -> Vec<u8> {
    let meshes = quads.iter().zip(materials).map(|(quad, material)| {
        let mut mesh = lgw::Mesh {
            name: format!("Quad {}", material.id).into(),
            material: Some(material.id),
            groups: vec![Group {
                id: 0,
                kind: GroupKind::List,
                indices: TRIANGLES
                    .as_flattened()
                    .iter()
                    .map(|it| *it as u32)
                    .collect(),
            }],
            ..lgw::Mesh::default()
        };
        for ((corner, uv), normal) in quad.corners.iter().zip(quad.uvs).zip(quad.normals) {
            let [x, y, z] = corner.to_array();
            let [nx, ny, nz] = normal.to_array();
            mesh.vertices.push([x, y, z, uv.x, uv.y, nx, ny, nz]);
        }
        mesh
    });
    let file = LgwFile {
        name: "wall".into(),
        version: Some(4),
        materials: materials.to_vec(),
        meshes: meshes.collect(),
        ..LgwFile::default()
    };
    write(&file).unwrap()
}

/// The same quad as a Bevy mesh.
pub fn control_mesh(quad: &Quad) -> Mesh {
    let uvs: Vec<Vec2> = quad
        .uvs
        .iter()
        .map(|uv| Vec2::new(uv.x, 1.0 - uv.y))
        .collect();
    let indices = TRIANGLES
        .as_flattened()
        .iter()
        .map(|it| *it as u16)
        .collect();
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, quad.corners.to_vec())
    .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, quad.normals.to_vec())
    .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
    .with_inserted_indices(Indices::U16(indices))
}

impl Stage {
    /// Spawns an LGW model, and waits until its textures are loaded.
    pub fn spawn_lgw(&mut self, file: &'static str, settings: LgwLoaderSettings) -> Entity {
        let (root, _model) = self.spawn_loaded::<Lgw, _>(file, settings, ());
        self.wait_for("the textures are loaded", |world| {
            let images = world.resource::<Assets<Image>>();
            let textures = |world: &World| {
                let instance = world.get::<LgwInstance>(root)?;
                let mut textures = Vec::new();
                for material in &instance.model().materials {
                    let materials = world.resource::<Assets<_>>();
                    textures.extend(materials.get(&material.material)?.textures.clone());
                }
                Some(
                    textures
                        .into_iter()
                        .flatten()
                        .collect::<Vec<Handle<Image>>>(),
                )
            };
            textures(world).is_some_and(|textures: Vec<Handle<Image>>| {
                textures.iter().all(|image| images.contains(image))
            })
        });
        root
    }

    /// Moves the camera, facing the center of the wall, and runs a frame.
    pub fn view_from(&mut self, position: Vec3) {
        self.move_camera(position);
        self.headless.step(0.0);
    }

    fn view(&mut self) -> View {
        let camera = self.camera();
        let world_from_view = camera.get::<GlobalTransform>().unwrap().to_matrix();
        let clip_from_view = camera.get::<Camera>().unwrap().clip_from_view();
        View {
            world_from_view: world_from_view.as_dmat4(),
            view_from_clip: clip_from_view.as_dmat4().inverse(),
        }
    }

    /// The fragment of the quads that each pixel shows.
    pub fn fragments(&mut self, quads: &[Quad]) -> Fragments {
        let view = self.view();
        let pixel = |index: u32| {
            let corner = DVec2::new(f64::from(index % SIZE.x), f64::from(index / SIZE.x));
            view.pixel(corner, quads)
        };
        Fragments {
            view_from_world: view.world_from_view.inverse(),
            pixels: (0..SIZE.x * SIZE.y).map(pixel).collect(),
        }
    }
}

struct View {
    world_from_view: DMat4,
    view_from_clip: DMat4,
}

impl View {
    /// The pixel whose upper left corner is at a position on the screen, in pixels.
    fn pixel(&self, corner: DVec2, quads: &[Quad]) -> Pixel {
        let at = |x, y| self.hit(corner + DVec2::new(x, y), quads);
        let corners = [(-0.1, -0.1), (1.1, -0.1), (-0.1, 1.1), (1.1, 1.1)];
        let neighbors = corners.map(|(x, y)| at(x, y).map(|hit| (hit.quad, hit.triangle)));
        let hit = at(0.5, 0.5);
        let own = hit.as_ref().map(|hit| (hit.quad, hit.triangle));
        match hit {
            _ if neighbors.iter().any(|other| *other != own) => Pixel::Edge,
            Some(hit) => Pixel::Quad(hit),
            None => Pixel::Background,
        }
    }

    /// The first hit of a ray through a position on the screen, in pixels.
    fn hit(&self, position: DVec2, quads: &[Quad]) -> Option<Fragment> {
        let size = SIZE.as_dvec2();
        let on_screen = DVec2::new(
            position.x / size.x * 2.0 - 1.0,
            1.0 - position.y / size.y * 2.0,
        );
        let to = self.view_from_clip.project_point3(on_screen.extend(0.5));
        let ray = self.world_from_view.transform_vector3(to);
        let eye = self.world_from_view.w_axis.truncate();
        let mut nearest: Option<(f64, Fragment)> = None;
        for (index, quad) in quads.iter().enumerate() {
            for (triangle, corners) in TRIANGLES.iter().enumerate() {
                let positions = corners.map(|corner| quad.corners[corner].as_dvec3());
                let Some((distance, weights)) = intersect(eye, ray, positions) else {
                    continue;
                };
                if nearest
                    .as_ref()
                    .is_some_and(|(least, _)| *least <= distance)
                {
                    continue;
                }
                let mean = |values: [DVec3; 3]| {
                    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
                };
                let fragment = Fragment {
                    quad: index,
                    triangle,
                    position: eye + ray * distance,
                    uv: mean(corners.map(|corner| quad.uvs[corner].extend(0.0).as_dvec3()))
                        .truncate(),
                    normal: mean(corners.map(|corner| quad.normals[corner].as_dvec3())),
                };
                nearest = Some((distance, fragment));
            }
        }
        nearest.map(|(_, fragment)| fragment)
    }
}

/// The distance along a ray to the front of a triangle, and the barycentric coordinates.
fn intersect(eye: DVec3, ray: DVec3, [a, b, c]: [DVec3; 3]) -> Option<(f64, [f64; 3])> {
    let (ab, ac) = (b - a, c - a);
    let normal = ray.cross(ac);
    let area = ab.dot(normal);
    if area <= 0.0 {
        return None;
    }
    let to_eye = eye - a;
    let v = to_eye.dot(normal) / area;
    let cross = to_eye.cross(ab);
    let w = ray.dot(cross) / area;
    let distance = ac.dot(cross) / area;
    let is_inside = v >= 0.0 && w >= 0.0 && v + w <= 1.0 && distance > 0.0;
    is_inside.then_some((distance, [1.0 - v - w, v, w]))
}

/// The point of a quad that a pixel shows.
pub struct Fragment {
    pub quad: usize,
    triangle: usize,
    /// In the world.
    pub position: DVec3,
    pub uv: DVec2,
    normal: DVec3,
}

pub enum Pixel {
    Background,
    /// On the edge of a triangle.
    Edge,
    Quad(Fragment),
}

/// The fragment of each pixel.
pub struct Fragments {
    view_from_world: DMat4,
    pub pixels: Vec<Pixel>,
}

/// The texels of an image file, from the upper left.
pub enum Texels {
    Flat(Vec<[u8; 4]>),
    /// +X, −X, +Y, −Y, +Z, −Z.
    Cube(Vec<Vec<[u8; 4]>>),
}

impl Picture {
    /// The linear color of a pixel.
    pub fn linear_color(&self, index: usize) -> [f64; 3] {
        let [r, g, b, _] = self.0[index];
        [r, g, b].map(|byte| linear(f64::from(byte) / 255.0))
    }
}

/// The reference renderer: a model's materials and images. The quads are in [`Fragments`].
pub struct Reference {
    pub materials: Vec<Material<'static>>,
    /// By the names in the materials.
    pub images: HashMap<&'static str, Texels>,
    pub scale: f64,
}

impl Reference {
    /// The screen color and the alpha of a fragment, over a lit surface. None at the edge of a face of a cube map.
    pub fn color(
        &self,
        fragments: &Fragments,
        fragment: &Fragment,
        lit: [f64; 3],
    ) -> Option<[f64; 4]> {
        let mut color = [lit[0], lit[1], lit[2], 1.0];
        let material = &self.materials[fragment.quad];
        for texture in material.units().into_iter().flatten() {
            // `StandardMaterial` filters linear colors, texture units filter sRGB colors.
            let filters_linear = material.textures.len() == 1
                && texture.mode == TextureMode::Modulate
                && !texture.cube_map
                && !texture.has_texgen();
            let texel = self.texel(texture, fragments, fragment, filters_linear)?;
            let is_rgba = texture.alpha_mode != lgw::AlphaMode::Opaque;
            color = environment(texture.mode, is_rgba, color, texel);
        }
        Some(color)
    }

    fn texel(
        &self,
        texture: &Texture,
        fragments: &Fragments,
        fragment: &Fragment,
        filters_linear: bool,
    ) -> Option<[f64; 4]> {
        let [s, t, r] = self.coordinates(texture, fragments, fragment);
        match &self.images[texture.file.as_deref()?] {
            // Images begin at the top, T at the bottom.
            Texels::Flat(texels) => {
                Some(filtered(texels, [s, 1.0 - t], texture.wrap, filters_linear))
            }
            Texels::Cube(faces) => {
                let (face, st) = cube_face(DVec3::new(s, t, r));
                let margin = 0.5 / (faces[face].len() as f64).sqrt();
                let is_inside = st.iter().all(|at| (margin..=1.0 - margin).contains(at));
                is_inside.then(|| filtered(&faces[face], st, [false; 2], false))
            }
        }
    }

    /// Section 2.10.4 of the specification of OpenGL 1.5.
    fn coordinates(
        &self,
        texture: &Texture,
        fragments: &Fragments,
        fragment: &Fragment,
    ) -> [f64; 3] {
        let eye = fragments
            .view_from_world
            .transform_point3(fragment.position);
        let normal = fragments.view_from_world.transform_vector3(fragment.normal);
        let (normal, ray) = (normal.normalize(), eye.normalize());
        let reflection = ray - 2.0 * normal * normal.dot(ray);
        let m = 2.0 * (reflection + DVec3::Z).length();
        let of_vertex = [fragment.uv.x, fragment.uv.y, 0.0];
        core::array::from_fn(|axis| match texture.texgen[axis].kind {
            None => of_vertex[axis],
            Some(TexGenKind::EyeLinear) => {
                f64::from(texture.texgen[axis].coefficient) * eye[axis] / self.scale
            }
            Some(TexGenKind::SphereMap) => reflection[axis] / m + 0.5,
            Some(TexGenKind::ReflectionMap) => reflection[axis],
            Some(TexGenKind::NormalMap) => normal[axis],
        })
    }

    /// The share of a fragment's color that depends on the light: 0 if texels replace it.
    fn lit_share(&self, fragments: &Fragments, fragment: &Fragment) -> Option<f64> {
        let mut share = 1.0;
        for texture in self.materials[fragment.quad].units().into_iter().flatten() {
            let is_rgba = texture.alpha_mode != lgw::AlphaMode::Opaque;
            share *= match texture.mode {
                TextureMode::Replace => 0.0,
                TextureMode::Decal if is_rgba => {
                    1.0 - self.texel(texture, fragments, fragment, false)?[3]
                }
                TextureMode::Decal => 0.0,
                _ => 1.0,
            };
        }
        Some(share)
    }

    /// The screen color and the alpha of a fragment under light that may exceed 1: the texture units
    /// compute with the light divided by its excess, which is applied again to what they compute.
    fn lit_color(
        &self,
        fragments: &Fragments,
        fragment: &Fragment,
        light: [f64; 3],
    ) -> Option<[f64; 4]> {
        let excess = light.into_iter().fold(1.0, f64::max);
        let lit = light.map(|channel| screen(channel / excess));
        let [r, g, b, alpha] = self.color(fragments, fragment, lit)?;
        let factor = 1.0 + (excess - 1.0) * self.lit_share(fragments, fragment)?;
        let [r, g, b] = [r, g, b].map(|channel| screen(linear(channel) * factor).min(1.0));
        Some([r, g, b, alpha])
    }

    /// The expected color of a pixel under a light. None on edges.
    fn expected(&self, fragments: &Fragments, pixel: &Pixel, light: [f64; 3]) -> Option<[u8; 3]> {
        let byte = |value: f64| (value * 255.0).round() as u8;
        let background = Some(BACKGROUND.map(byte));
        let fragment = match pixel {
            Pixel::Background => return background,
            Pixel::Edge => return None,
            Pixel::Quad(fragment) => fragment,
        };
        let [r, g, b, alpha] = self.lit_color(fragments, fragment, light)?;
        let first = self.materials[fragment.quad].units()[0];
        match first.map(|first| first.alpha_mode).unwrap_or_default() {
            lgw::AlphaMode::Opaque => Some([r, g, b].map(byte)),
            lgw::AlphaMode::Mask if (alpha - 0.5).abs() < 0.01 => None,
            lgw::AlphaMode::Mask if alpha < 0.5 => background,
            lgw::AlphaMode::Mask => Some([r, g, b].map(byte)),
            lgw::AlphaMode::Blend => Some(core::array::from_fn(|channel| {
                let (over, under) = ([r, g, b][channel], BACKGROUND[channel]);
                let light = linear(over) * alpha + linear(under) * (1.0 - alpha);
                byte(screen(light))
            })),
        }
    }

    /// Compares all pixels except those on edges, which must be few. `lit` shows the surfaces without textures; without it
    /// they are white.
    #[track_caller]
    pub fn assert_matches(
        &self,
        picture: &Picture,
        fragments: &Fragments,
        lit: Option<&Picture>,
        what: &str,
    ) {
        let light = |index: usize| lit.map_or([1.0; 3], |lit| lit.linear_color(index));
        self.assert_matches_in_light(picture, fragments, light, 1, what);
    }

    /// Compares like [`assert_matches`](Self::assert_matches), with the light on the surface of each pixel, which may
    /// exceed 1. The tolerance is multiplied by `rounding`.
    #[track_caller]
    pub fn assert_matches_in_light(
        &self,
        picture: &Picture,
        fragments: &Fragments,
        light: impl Fn(usize) -> [f64; 3],
        rounding: u8,
        what: &str,
    ) {
        let (mut control, mut wrong, mut skipped) = (Vec::new(), Vec::new(), 0);
        for (index, (pixel, shown)) in fragments.pixels.iter().zip(&picture.0).enumerate() {
            let expected = self.expected(fragments, pixel, light(index));
            let [r, g, b] = expected.unwrap_or([128; 3]);
            control.push([r, g, b, 255]);
            let Some(expected) = expected else {
                skipped += 1;
                continue;
            };
            let error = expected
                .iter()
                .zip(shown)
                .map(|(a, b)| a.abs_diff(*b))
                .max();
            if error > Some(rounding * self.tolerance(pixel)) {
                wrong.push((
                    index as u32 % SIZE.x,
                    index as u32 / SIZE.x,
                    expected,
                    *shown,
                ));
            }
        }
        let all = fragments.pixels.len();
        if let Some(directory) = std::env::var_os("LGW_PICTURES") {
            let saved = picture.save_beside(&Picture(control.clone()), what);
            let name = std::path::Path::new(&saved).file_name().unwrap().to_owned();
            std::fs::copy(&saved, std::path::Path::new(&directory).join(name)).unwrap();
        }
        if !wrong.is_empty() {
            let path = picture.save_beside(&Picture(control), what);
            let first = &wrong[..wrong.len().min(8)];
            panic!(
                "{what}: {} pixels differ, such as {first:?}: see {path}",
                wrong.len()
            );
        }
        assert!(
            skipped * 5 < all,
            "{what}: {skipped} of {all} pixels are on edges"
        );
    }

    /// The tolerance of a pixel's channels. Both sides round more than once, and the dot product of `Dot3Bump` multiplies
    /// the error by up to six.
    fn tolerance(&self, pixel: &Pixel) -> u8 {
        let Pixel::Quad(fragment) = pixel else {
            return 0;
        };
        let mut modes = self.materials[fragment.quad]
            .textures
            .iter()
            .map(|texture| texture.mode);
        match modes.any(|mode| mode == TextureMode::Dot3Bump) {
            true => 3 * TOLERANCE,
            false => TOLERANCE,
        }
    }

    /// The counts of a quad's pixels that another renderer would draw differently, and of all its pixels.
    pub fn differing(&self, other: &Self, fragments: &Fragments, quad: usize) -> (usize, usize) {
        let (mut differing, mut all) = (0, 0);
        for pixel in &fragments.pixels {
            if !matches!(pixel, Pixel::Quad(fragment) if fragment.quad == quad) {
                continue;
            }
            let expected = [self, other]
                .map(|reference| reference.expected(fragments, pixel, [linear(0.8); 3]));
            let [Some(one), Some(other)] = expected else {
                continue;
            };
            all += 1;
            let is_far = one
                .iter()
                .zip(other)
                .any(|(a, b)| a.abs_diff(b) > 4 * TOLERANCE);
            differing += usize::from(is_far);
        }
        (differing, all)
    }
}

/// The tolerance of a pixel's channels in most modes.
const TOLERANCE: u8 = 2;

/// Section 3.8.13 of the OpenGL 1.5 specification. The environment color is black with alpha 0.
fn environment(mode: TextureMode, is_rgba: bool, f: [f64; 4], s: [f64; 4]) -> [f64; 4] {
    let alpha = f[3];
    let product = if is_rgba { alpha * s[3] } else { alpha };
    let rgb = |channel: &dyn Fn(usize) -> f64| [channel(0), channel(1), channel(2)];
    let (color, alpha) = match mode {
        TextureMode::Replace => (rgb(&|i| s[i]), if is_rgba { s[3] } else { alpha }),
        TextureMode::Modulate => (rgb(&|i| f[i] * s[i]), product),
        TextureMode::Decal if is_rgba => (rgb(&|i| f[i] * (1.0 - s[3]) + s[i] * s[3]), alpha),
        TextureMode::Decal => (rgb(&|i| s[i]), alpha),
        TextureMode::Blend => (rgb(&|i| f[i] * (1.0 - s[i])), product),
        TextureMode::Add => (rgb(&|i| f[i] + s[i]), product),
        TextureMode::Dot3Bump => {
            let sum: f64 = (0..3).map(|i| (s[i] - 0.5) * (f[i] - 0.5)).sum();
            ([4.0 * sum; 3], alpha)
        }
    };
    let [r, g, b] = color.map(|value| value.clamp(0.0, 1.0));
    [r, g, b, alpha]
}

/// Bilinear filtering, of linear or of sRGB colors. Returns sRGB.
fn filtered(
    texels: &[[u8; 4]],
    [u, v]: [f64; 2],
    wrap: [bool; 2],
    filters_linear: bool,
) -> [f64; 4] {
    let side = texels.len().isqrt() as i64;
    let index = |at: i64, wraps| match wraps {
        true => at.rem_euclid(side),
        false => at.clamp(0, side - 1),
    };
    let (x, y) = (u * side as f64 - 0.5, v * side as f64 - 0.5);
    let mut mean = [0.0; 4];
    for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        let near = |coordinate: f64, step| {
            if step == 1 {
                coordinate - coordinate.floor()
            } else {
                1.0 - coordinate + coordinate.floor()
            }
        };
        let weight = near(x, dx) * near(y, dy);
        let column = index(x.floor() as i64 + dx, wrap[0]);
        let row = index(y.floor() as i64 + dy, wrap[1]);
        let [r, g, b, a] = texels[(row * side + column) as usize].map(|it| f64::from(it) / 255.0);
        let [r, g, b] = [r, g, b].map(|it| if filters_linear { linear(it) } else { it });
        for (mean, value) in mean.iter_mut().zip([r, g, b, a]) {
            *mean += weight * value;
        }
    }
    let [r, g, b, a] = mean;
    let [r, g, b] = [r, g, b].map(|it| if filters_linear { screen(it) } else { it });
    [r, g, b, a]
}

/// The face of a cube map in a direction, and the coordinates on it: table 3.21 of the OpenGL 1.5 specification.
fn cube_face(direction: DVec3) -> (usize, [f64; 2]) {
    let DVec3 { x, y, z } = direction;
    let (ax, ay, az) = (x.abs(), y.abs(), z.abs());
    let (face, s, t, length) = if ax >= ay && ax >= az {
        if x > 0.0 {
            (0, -z, -y, ax)
        } else {
            (1, z, -y, ax)
        }
    } else if ay >= az {
        if y > 0.0 {
            (2, x, z, ay)
        } else {
            (3, x, -z, ay)
        }
    } else if z > 0.0 {
        (4, x, -y, az)
    } else {
        (5, -x, -y, az)
    };
    (
        face,
        [s, t].map(|coordinate| (coordinate / length + 1.0) / 2.0),
    )
}

/// From sRGB to linear.
pub fn linear(color: f64) -> f64 {
    match color {
        low if low <= 0.04045 => low / 12.92,
        high => ((high + 0.055) / 1.055).powf(2.4),
    }
}

/// From linear to sRGB.
pub fn screen(light: f64) -> f64 {
    match light {
        low if low <= 0.003_130_8 => low * 12.92,
        high => 1.055 * high.powf(1.0 / 2.4) - 0.055,
    }
}

/// A 32-bit DDS file: for each face (one, or six for a cube map) its mip levels from the largest.
pub fn dds(faces: &[Vec<Vec<[u8; 4]>>]) -> Vec<u8> {
    let side = faces[0][0].len().isqrt() as u32;
    let levels = faces[0].len() as u32;
    let mut words = vec![124, 0x2_1007, side, side, 0, 0, levels];
    words.extend([0; 11]);
    let masks = [0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000];
    words.extend([32, 0x41, 0, 32]);
    words.extend(masks);
    let caps2 = if faces.len() == 6 { 0xFE00 } else { 0 };
    words.extend([0x40_1008, caps2, 0, 0, 0]);
    let mut bytes = b"DDS ".to_vec();
    bytes.extend(words.into_iter().flat_map(u32::to_le_bytes));
    let texels = faces.iter().flatten().flatten();
    bytes.extend(texels.flat_map(|[r, g, b, a]| [*b, *g, *r, *a]));
    bytes
}
