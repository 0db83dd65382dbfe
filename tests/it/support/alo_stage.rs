//! Alamo models on a [`Stage`], and control meshes for comparison. The tests compute the controls with separate matrix code,
//! and Bevy draws them with `StandardMaterial`.

use crate::support::prelude::*;
use bevy::image::{ImageAddressMode, ImageSamplerDescriptor};
pub use classic_models_fixtures::alo::cuboid;
pub use classic_models_fixtures::matrix::{Rows as Matrix, product as times};

pub const IDENTITY: Matrix = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
];

/// The inverse of a rotation and translation.
pub fn inverse(m: &Matrix) -> Matrix {
    let mut result = [[0.0; 4]; 3];
    for row in 0..3 {
        for column in 0..3 {
            result[row][column] = m[column][row];
        }
        result[row][3] = -(0..3).map(|k| m[k][row] * m[k][3]).sum::<f64>();
    }
    result
}

/// A rotation about an axis (0 is X) by degrees, then a translation.
pub fn turned(axis: usize, degrees: f64, [x, y, z]: [f64; 3]) -> Matrix {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut matrix = IDENTITY;
    matrix[a][a] = cos;
    matrix[a][b] = -sin;
    matrix[b][a] = sin;
    matrix[b][b] = cos;
    for (row, translation) in matrix.iter_mut().zip([x, y, z]) {
        row[3] = translation;
    }
    matrix
}

/// The matrix as stored in a bone of a file.
pub fn stored(matrix: &Matrix) -> [[f32; 4]; 3] {
    matrix.map(|row| row.map(|value| value as f32))
}

/// The local transform of a bone, in the model's axes.
pub fn transform(m: &Matrix) -> Transform {
    let column = |c: usize| Vec3::new(m[0][c] as f32, m[1][c] as f32, m[2][c] as f32);
    Transform {
        translation: column(3),
        rotation: Quat::from_mat3(&Mat3::from_cols(column(0), column(1), column(2))),
        scale: Vec3::ONE,
    }
}

/// Transforms a point or, with `w` 0, a direction.
pub fn apply(m: &Matrix, [x, y, z]: [f32; 3], w: f64) -> [f64; 3] {
    let v = [f64::from(x), f64::from(y), f64::from(z)];
    m.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * w)
}

/// The matrix of cofactors, which transforms normals. Needed because a blend of rotations is not a rotation.
fn normal_matrix(m: &Matrix) -> Matrix {
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

/// A Bevy mesh of transformed vertices, each with its own matrix.
pub fn control_mesh(
    vertices: &[Vertex],
    triangles: &[[u16; 3]],
    matrices: impl Fn(&Vertex) -> Matrix,
) -> Mesh {
    let bevy = |[x, y, z]: [f64; 3]| [x as f32, z as f32, -y as f32];
    let position = |vertex: &Vertex| bevy(apply(&matrices(vertex), vertex.position, 1.0));
    let normal =
        |vertex: &Vertex| bevy(apply(&normal_matrix(&matrices(vertex)), vertex.normal, 0.0));
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

/// A square image in sRGB whose texels a function computes from X and Y.
pub fn texels(size: u32, texel: impl Fn(u32, u32) -> [u8; 4]) -> Vec<[u8; 4]> {
    let all = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
    all.map(|(x, y)| texel(x, y)).collect()
}

/// 16 × 16 texels: a color for each quarter, each with its alpha.
pub fn quarters(alphas: [u8; 4]) -> Vec<[u8; 4]> {
    const COLORS: [[u8; 3]; 4] = [[220, 60, 50], [60, 200, 80], [240, 220, 210], [60, 90, 220]];
    texels(16, |x, y| {
        let quarter = (x / 8 + 2 * (y / 8)) as usize;
        let [r, g, b] = COLORS[quarter];
        [r, g, b, alphas[quarter]]
    })
}

/// Texels as a 32-bit TGA file with its origin at the upper left.
pub fn tga(texels: &[[u8; 4]]) -> Vec<u8> {
    let size = texels.len().isqrt() as u16;
    let mut file = vec![0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    file.extend(size.to_le_bytes());
    file.extend(size.to_le_bytes());
    file.extend([32, 0x28]);
    file.extend(texels.iter().flat_map(|[r, g, b, a]| [b, g, r, a]));
    file
}

/// A Bevy image with this format. `width` and the length of the data determine its size.
pub fn raw_image(width: u32, data: Vec<u8>, format: TextureFormat) -> Image {
    let size = Extent3d {
        width,
        height: data.len() as u32 / (4 * width),
        depth_or_array_layers: 1,
    };
    let usages = RenderAssetUsages::default();
    Image::new(size, TextureDimension::D2, data, format, usages)
}

/// The texels of a square as a Bevy image that repeats.
pub fn image(texels: &[[u8; 4]], srgb: bool) -> Image {
    let format = match srgb {
        true => TextureFormat::Rgba8UnormSrgb,
        false => TextureFormat::Rgba8Unorm,
    };
    let data = texels.as_flattened().to_vec();
    let mut image = raw_image(texels.len().isqrt() as u32, data, format);
    image.sampler = ImageSampler::Descriptor(ImageSamplerDescriptor {
        address_mode_u: ImageAddressMode::Repeat,
        address_mode_v: ImageAddressMode::Repeat,
        ..ImageSamplerDescriptor::linear()
    });
    image
}

/// A `StandardMaterial` without specular reflection.
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

    /// Spawns an Alamo model, and waits until its dependencies are loaded.
    pub fn spawn_alo(&mut self, file: &'static str, bundle: impl Bundle) -> Entity {
        self.spawn_loaded::<Alo, _>(file, AloLoaderSettings::default(), bundle)
            .0
    }

    /// The entity of a bone.
    pub fn bone(&mut self, root: Entity, index: usize) -> Entity {
        self.world().get::<AloInstance>(root).unwrap().bones()[index]
    }
}

impl Picture {
    /// The mean of a square of pixels around a position, given as fractions of the size from the upper left.
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
