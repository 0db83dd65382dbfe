//! The values of a parsed model. Strings borrow from its bytes.

use super::key::Key;
use crate::read::Warning;
use std::borrow::Cow;

/// A parsed model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LgwFile<'a> {
    /// `MODEL`: the name.
    pub name: Cow<'a, str>,
    /// `EXPORT_VERSION`: 4 in the games' files. `None` if it is missing.
    pub version: Option<i64>,
    /// `SOURCE_FILE`: the path of the file that the model was exported from.
    pub source: Option<Cow<'a, str>>,
    /// `MATERIAL_LIST`: the materials in file order.
    pub materials: Vec<Material<'a>>,
    /// `MESH`: the meshes in file order.
    pub meshes: Vec<Mesh<'a>>,
    /// Warnings about harmless flaws, in file order.
    pub warnings: Vec<Warning>,
}

/// A material.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material<'a> {
    /// The number that meshes refer to. If several materials have the same number, meshes use the first.
    pub id: i64,
    /// The name.
    pub name: Cow<'a, str>,
    /// `DIFFUSE_COLOR`: red, green, blue. The game does not use it.
    pub diffuse_color: Option<[f32; 3]>,
    /// `TEXTURE`: at most two textures, sorted by their numbers.
    pub textures: Vec<Texture<'a>>,
}

impl<'a> Material<'a> {
    /// The textures of the two texture units. A single texture is in the first unit, regardless of its number.
    pub fn units(&self) -> [Option<&Texture<'a>>; 2] {
        [self.textures.first(), self.textures.get(1)]
    }
}

/// A texture of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture<'a> {
    /// The number of the texture unit: 0 or 1.
    pub number: i64,
    /// `FILE_NAME`: the path of the image, relative to the folder of the game. `None` if it is missing, or if the image is
    /// embedded.
    pub file: Option<Cow<'a, str>>,
    /// `RAW_IMAGE`: whether the image is embedded in the file. Its format is unknown.
    pub raw_image: bool,
    /// `U_WRAP` and `V_WRAP`: whether the texture repeats along U and V. Otherwise coordinates are clamped to the edge.
    pub wrap: [bool; 2],
    /// `ALPHA_MODE`: the use of alpha.
    pub alpha_mode: AlphaMode,
    /// `MIPMAP_ON`: whether mipmaps are used.
    pub mipmaps: bool,
    /// `MUTABLE`: whether the game changes the texture at runtime.
    pub mutable: bool,
    /// `CUBE_MAP`: whether the texture is a cube map of six images.
    pub cube_map: bool,
    /// `TEX_GEN_S`, `TEX_GEN_T` and `TEX_GEN_R`: generation of the three texture coordinates.
    pub texgen: [TexGen; 3],
    /// `MODE`: the combination with the color from the previous texture unit.
    pub mode: TextureMode,
}

impl Default for Texture<'_> {
    fn default() -> Self {
        Self {
            number: 0,
            file: None,
            raw_image: false,
            wrap: [false; 2],
            alpha_mode: AlphaMode::default(),
            mipmaps: true,
            mutable: false,
            cube_map: false,
            texgen: [TexGen::default(); 3],
            mode: TextureMode::default(),
        }
    }
}

impl Texture<'_> {
    /// Whether any texture coordinate is generated instead of taken from the vertices.
    pub fn has_texgen(&self) -> bool {
        self.texgen.iter().any(|texgen| texgen.kind.is_some())
    }
}

/// The use of a texture's alpha.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AlphaMode {
    /// 0 bits: alpha is not used.
    #[default]
    Opaque,
    /// 1 bit: texels are opaque or invisible.
    Mask,
    /// 8 bits: texels are blended by their alpha.
    Blend,
}

impl AlphaMode {
    /// The count of alpha bits, which is the number in the file.
    pub fn bits(self) -> i64 {
        match self {
            Self::Opaque => 0,
            Self::Mask => 1,
            Self::Blend => 8,
        }
    }
}

/// Generation of one texture coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TexGen {
    /// The kind of generation. `None` to use the vertex's U or V, or 0 for the third coordinate.
    pub kind: Option<TexGenKind>,
    /// The factor of [`TexGenKind::EyeLinear`]. 1 by default.
    pub coefficient: f32,
}

impl Default for TexGen {
    fn default() -> Self {
        Self {
            kind: None,
            coefficient: 1.0,
        }
    }
}

/// The kind of texture coordinate generation, in eye space, as in OpenGL (specification of OpenGL 1.5, section 2.10.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexGenKind {
    /// The position times a coefficient.
    EyeLinear,
    /// The coordinate of the reflection vector in a sphere map. Only for S and T.
    SphereMap,
    /// The reflection vector.
    ReflectionMap,
    /// The normal.
    NormalMap,
}

impl TexGenKind {
    /// The keyword in the file, such as `SPHERE_MAP`.
    pub fn keyword(self) -> &'static str {
        let key = match self {
            Self::EyeLinear => Key::EyeLinear,
            Self::SphereMap => Key::SphereMap,
            Self::ReflectionMap => Key::ReflectionMap,
            Self::NormalMap => Key::NormalMap,
        };
        key.keyword()
    }
}

/// The combination of a texture's color with the color from the previous texture unit, as in OpenGL's texture
/// environments (specification of OpenGL 1.5, section 3.8.13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureMode {
    /// The texture's color.
    Replace,
    /// The product.
    #[default]
    Modulate,
    /// The texture's color over the previous one, by the texture's alpha.
    Decal,
    /// The previous color, darkened by the texture's color.
    Blend,
    /// The sum.
    Add,
    /// The dot product of both colors as directions.
    Dot3Bump,
}

impl TextureMode {
    /// The keyword in the file, such as `MODULATE`.
    pub fn keyword(self) -> &'static str {
        let key = match self {
            Self::Replace => Key::Replace,
            Self::Modulate => Key::Modulate,
            Self::Decal => Key::Decal,
            Self::Blend => Key::Blend,
            Self::Add => Key::Add,
            Self::Dot3Bump => Key::Dot3Bump,
        };
        key.keyword()
    }
}

/// A mesh.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh<'a> {
    /// The name. Several meshes may have the same name.
    pub name: Cow<'a, str>,
    /// `MATERIAL_REF`: the [`id`](Material::id) of the material. A material with this id may not exist.
    pub material: Option<i64>,
    /// `DEFAULT_COLOR`: red, green, blue. The game does not use it.
    pub default_color: Option<[f32; 3]>,
    /// `VERTS`: the vertices.
    pub vertices: Vertices,
    /// `PRIMITIVE_GEOMETRY_GROUPS`: the groups of triangles in file order.
    pub groups: Vec<Group>,
}

/// The vertices of a mesh. All three vectors have the same length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertices {
    /// Positions in model space: X, Y and Z.
    pub positions: Vec<[f32; 3]>,
    /// Texture coordinates: U and V. V points up.
    pub uvs: Vec<[f32; 2]>,
    /// Normals as stored.
    pub normals: Vec<[f32; 3]>,
}

impl Vertices {
    /// The count of vertices.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds a vertex: position, texture coordinates and normal, in the order of the file.
    pub fn push(&mut self, [x, y, z, u, v, nx, ny, nz]: [f32; 8]) {
        self.positions.push([x, y, z]);
        self.uvs.push([u, v]);
        self.normals.push([nx, ny, nz]);
    }
}

/// A group of triangles of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The number of the group.
    pub id: i64,
    /// The primitive topology.
    pub kind: GroupKind,
    /// Vertex indices.
    pub indices: Vec<u32>,
}

/// The primitive topology of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// Triangle list: three indices per triangle.
    List,
    /// Triangle strip: each index forms a triangle with the two before it. The winding alternates.
    Strip,
    /// Triangle fan: each index forms a triangle with the one before it and the first.
    Fan,
}
