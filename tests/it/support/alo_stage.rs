//! Alamo models on a stage, and controls of them that the tests compute: with matrices of their own,
//! drawn by Bevy's own material.

use super::stage::{Picture, Stage};
use bevy::asset::RenderAssetUsages;
use bevy::image::{ImageAddressMode, ImageSampler, ImageSamplerDescriptor};
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy_classic_models::alamo::alo::Vertex;
use bevy_classic_models::alamo::{Alo, AloAssetLabel, AloInstance};
use bevy_classic_models::prelude::*;
pub use classic_models_fixtures::alo::cuboid;

/// Three rows of four, for column vectors.
pub type Matrix = [[f64; 4]; 3];

pub const IDENTITY: Matrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
];

/// First `b`, then `a`.
pub fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = [[0.0; 4]; 3];
    for (row, product) in a.iter().zip(&mut product) {
        for (column, value) in product.iter_mut().enumerate() {
            *value = (0..3).map(|k| row[k] * b[k][column]).sum::<f64>();
            if column == 3 {
                *value += row[3];
            }
        }
    }
    product
}

/// Undoes a matrix that only turns and moves.
pub fn undo(m: &Matrix) -> Matrix {
    let mut inverse = [[0.0; 4]; 3];
    for row in 0..3 {
        for column in 0..3 {
            inverse[row][column] = m[column][row];
        }
        inverse[row][3] = -(0..3).map(|k| m[k][row] * m[k][3]).sum::<f64>();
    }
    inverse
}

/// A turn about an axis (0 is X) by degrees, and a move.
pub fn turned(axis: usize, degrees: f64, [x, y, z]: [f64; 3]) -> Matrix {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut matrix = IDENTITY;
    matrix[a][a] = cos;
    matrix[a][b] = -sin;
    matrix[b][a] = sin;
    matrix[b][b] = cos;
    for (row, at) in matrix.iter_mut().zip([x, y, z]) {
        row[3] = at;
    }
    matrix
}

/// As a bone of a file has it.
pub fn stored(matrix: &Matrix) -> [[f32; 4]; 3] {
    matrix.map(|row| row.map(|value| value as f32))
}

/// As Bevy has it: a bone's own transform, in the model's axes.
pub fn transform(m: &Matrix) -> Transform {
    let column = |c: usize| Vec3::new(m[0][c] as f32, m[1][c] as f32, m[2][c] as f32);
    Transform {
        translation: column(3),
        rotation: Quat::from_mat3(&Mat3::from_cols(column(0), column(1), column(2))),
        scale: Vec3::ONE,
    }
}

/// A point or, with `w` 0, a direction.
pub fn apply(m: &Matrix, [x, y, z]: [f32; 3], w: f64) -> [f64; 3] {
    let v = [f64::from(x), f64::from(y), f64::from(z)];
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * w)
}

/// What turns normals where a matrix moves points: its cofactors. A blend of turns is no turn.
fn for_normals(m: &Matrix) -> Matrix {
    let mut cofactors = [[0.0; 4]; 3];
    for (row, cofactors) in cofactors.iter_mut().enumerate() {
        for (column, value) in cofactors.iter_mut().take(3).enumerate() {
            let (r, s) = ((row + 1) % 3, (row + 2) % 3);
            let (c, d) = ((column + 1) % 3, (column + 2) % 3);
            *value = m[r][c] * m[s][d] - m[r][d] * m[s][c];
        }
    }
    cofactors
}

/// A mesh of Bevy's from vertices moved by matrices, one per vertex.
pub fn control_mesh(
    vertices: &[Vertex],
    triangles: &[[u16; 3]],
    matrices: impl Fn(&Vertex) -> Matrix,
) -> Mesh {
    let bevy = |[x, y, z]: [f64; 3]| [x as f32, z as f32, -y as f32];
    let position = |vertex: &Vertex| bevy(apply(&matrices(vertex), vertex.position, 1.0));
    let normal = |vertex: &Vertex| bevy(apply(&for_normals(&matrices(vertex)), vertex.normal, 0.0));
    let uvs: Vec<[f32; 2]> = vertices.iter().map(|vertex| vertex.tex_coords[0]).collect();
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_attribute(
        Mesh::ATTRIBUTE_POSITION,
        vertices.iter().map(position).collect::<Vec<_>>(),
    )
    .with_inserted_attribute(
        Mesh::ATTRIBUTE_NORMAL,
        vertices.iter().map(normal).collect::<Vec<_>>(),
    )
    .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, uvs)
    .with_inserted_indices(Indices::U16(triangles.as_flattened().to_vec()))
}

/// A picture of texels that a function tells, in sRGB.
pub fn texels(size: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<[u8; 4]> {
    let all = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    all.map(|(x, y)| texel(x, y)).collect()
}

/// Four colours that tell every corner from every other, each with its alpha.
pub fn quarters(alphas: [u8; 4]) -> Vec<[u8; 4]> {
    const COLORS: [[u8; 3]; 4] = [[220, 60, 50], [60, 200, 80], [240, 220, 210], [60, 90, 220]];
    texels(16, |x, y| {
        let quarter = (x / 8 + 2 * (y / 8)) as usize;
        let [r, g, b] = COLORS[quarter];
        [r, g, b, alphas[quarter]]
    })
}

/// Those texels as a TGA file of 32 bits, from the upper left.
pub fn tga(texels: &[[u8; 4]]) -> Vec<u8> {
    let size = texels.len().isqrt() as u16;
    let mut file = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend(size.to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend([32, 0x28]);
    file.extend(texels.iter().flat_map(|[r, g, b, a]| [b, g, r, a]));
    file
}

/// The same as an image of Bevy's.
pub fn image(texels: &[[u8; 4]], srgb: bool) -> Image {
    let size = texels.len().isqrt() as u32;
    let mut image = Image::new(
        Extent3d {
            width: size,
            height: size,
            depth_or_array_layers: 1,
        },
        TextureDimension::D2,
        texels.as_flattened().to_vec(),
        if srgb {
            TextureFormat::Rgba8UnormSrgb
        } else {
            TextureFormat::Rgba8Unorm
        },
        RenderAssetUsages::default(),
    );
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::Repeat,
        address_mode_v: ImageAddressMode::Repeat,
        ..ImageSamplerDescriptor::linear()
    });
    image
}

/// Bevy's own material without any gloss.
pub fn matte(base_color_texture: Option<Handle<Image>>) -> StandardMaterial {
    StandardMaterial {
        base_color_texture,
        perceptual_roughness: 1.0,
        reflectance: 0.0,
        ..default()
    }
}

impl Stage {
    pub fn add_image(&mut self, texels: &[[u8; 4]]) -> Handle<Image> {
        let image = image(texels, true);
        self.world().resource_mut::<Assets<Image>>().add(image)
    }

    pub fn add_material(&mut self, material: StandardMaterial) -> MeshMaterial3d<StandardMaterial> {
        let mut materials = self.world().resource_mut::<Assets<StandardMaterial>>();
        MeshMaterial3d(materials.add(material))
    }

    /// Spawns a model of the files and waits for all it wears.
    pub fn spawn_alo(&mut self, file: &'static str, bundle: impl Bundle) -> Entity {
        let server = self.world().resource::<AssetServer>().clone();
        let model: Handle<Alo> = server.load(file);
        self.headless.wait_until("the model is loaded", |_| {
            server.is_loaded_with_dependencies(&model)
        });
        let scene = AloAssetLabel::Scene.from_asset(file);
        let root = self
            .world()
            .spawn((WorldAssetRoot(server.load(scene)), bundle))
            .id();
        self.headless.wait_until("the model is there", |world| {
            world.get::<AloInstance>(root).is_some()
        });
        root
    }

    /// The entity of a bone.
    pub fn bone(&mut self, root: Entity, index: usize) -> Entity {
        self.world().get::<AloInstance>(root).unwrap().bones()[index]
    }
}

impl Picture {
    /// The mean of a square of pixels around a place, in parts of the picture's size from the upper
    /// left.
    pub fn at(&self, size: UVec2, x: f32, y: f32) -> [f32; 3] {
        let (cx, cy) = ((x * size.x as f32) as usize, (y * size.y as f32) as usize);
        let mut sum = [0.0; 3];
        for dy in 0..5 {
            for dx in 0..5 {
                let [r, g, b, _] = self.0[(cy + dy - 2) * size.x as usize + cx + dx - 2];
                for (sum, value) in sum.iter_mut().zip([r, g, b]) {
                    *sum += f32::from(value) / 25.0;
                }
            }
        }
        sum
    }
}
