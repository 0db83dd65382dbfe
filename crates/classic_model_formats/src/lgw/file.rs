//! What a parsed file consists of; its strings are borrowed from the file.

use super::key::Key;
use crate::read::Warning;
use std::borrow::Cow;

/// A parsed model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LgwFile<'a> {
    /// `MODEL`: its name.
    pub name: Cow<'a, str>,
    /// `EXPORT_VERSION`: 4 in the games' files; none if the file does not say.
    pub version: Option<i64>,
    /// `SOURCE_FILE`: what it was exported from.
    pub source: Option<Cow<'a, str>>,
    /// `MATERIAL_LIST`: materials in file order.
    pub materials: Vec<Material<'a>>,
    /// `MESH`: meshes in file order.
    pub meshes: Vec<Mesh<'a>>,
    /// Flaws that do no harm, from the top of the file to its end.
    pub warnings: Vec<Warning>,
}

/// What triangles look like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Material<'a> {
    /// What meshes call it. Of several of one number the first is meant.
    pub id: i64,
    /// Its name.
    pub name: Cow<'a, str>,
    /// `DIFFUSE_COLOR`, which the game does not use.
    pub diffuse_color: Option<[f32; 3]>,
    /// `TEXTURE`: none, one or two, by their numbers.
    pub textures: Vec<Texture<'a>>,
}

impl<'a> Material<'a> {
    /// The textures by the units that draw them. One alone is in the first, whatever its number.
    pub fn units(&self) -> [Option<&Texture<'a>>; 2] {
        [self.textures.first(), self.textures.get(1)]
    }
}

/// A picture of a material, and how it is laid over what is below it.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture<'a> {
    /// Its number: 0, or 1 for the second one.
    pub number: i64,
    /// `FILE_NAME`: where the picture is, from the folder of the game; none if it is in the model's
    /// file, or nowhere.
    pub file: Option<Cow<'a, str>>,
    /// `RAW_IMAGE`: whether the picture is in the model's file, in a form that is not known.
    pub raw_image: bool,
    /// `U_WRAP` and `V_WRAP`: whether the picture repeats along U and V, or ends in its border.
    pub wrap: [bool; 2],
    /// `ALPHA_MODE`: how much of its alpha is used.
    pub alpha_mode: AlphaMode,
    /// `MIPMAP_ON`: whether smaller pictures are used for what is far.
    pub mipmaps: bool,
    /// `MUTABLE`: whether the game changes the picture.
    pub mutable: bool,
    /// `CUBE_MAP`: whether the picture is six, one for each side of a cube.
    pub cube_map: bool,
    /// `TEX_GEN_S`, `TEX_GEN_T` and `TEX_GEN_R`: where coordinates come from.
    pub texgen: [TexGen; 3],
    /// `MODE`: what becomes of the texels.
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
    /// Whether any coordinate is made, rather than taken from the vertices.
    pub fn has_texgen(&self) -> bool {
        self.texgen.iter().any(|of| of.kind.is_some())
    }
}

/// How many bits of a texture's alpha are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AlphaMode {
    /// 0: none. The picture is opaque.
    #[default]
    Opaque,
    /// 1: texels are there or not.
    Mask,
    /// 8: texels are more or less there.
    Blend,
}

impl AlphaMode {
    /// The number in the file.
    pub fn bits(self) -> i64 {
        match self {
            Self::Opaque => 0,
            Self::Mask => 1,
            Self::Blend => 8,
        }
    }
}

/// Where a coordinate of a texture comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TexGen {
    /// How it is made; none if it is the vertex's: U, V, and 0 for the third.
    pub kind: Option<TexGenKind>,
    /// What [`TexGenKind::EyeLinear`] multiplies by. 1 if the file does not say.
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

/// How coordinates are made, in the space of the eye: OpenGL's texture coordinate generation
/// (specification of OpenGL 1.5, section 2.10.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TexGenKind {
    /// The place, times a coefficient.
    EyeLinear,
    /// Where a picture of the surroundings in a sphere has what the surface mirrors. S and T only.
    SphereMap,
    /// The direction that the surface mirrors.
    ReflectionMap,
    /// The direction that the surface faces.
    NormalMap,
}

impl TexGenKind {
    /// The word in the file.
    pub fn word(self) -> &'static str {
        let key = match self {
            Self::EyeLinear => Key::EyeLinear,
            Self::SphereMap => Key::SphereMap,
            Self::ReflectionMap => Key::ReflectionMap,
            Self::NormalMap => Key::NormalMap,
        };
        key.word()
    }
}

/// What becomes of a texture's colour and of what is below it: OpenGL's texture environments
/// (specification of OpenGL 1.5, section 3.8.13).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TextureMode {
    /// The texture.
    Replace,
    /// The product.
    #[default]
    Modulate,
    /// The texture over what is below, by its alpha.
    Decal,
    /// What is below, darkened by the texture.
    Blend,
    /// The sum.
    Add,
    /// The scalar product of both as directions.
    Dot3Bump,
}

impl TextureMode {
    /// The word in the file.
    pub fn word(self) -> &'static str {
        let key = match self {
            Self::Replace => Key::Replace,
            Self::Modulate => Key::Modulate,
            Self::Decal => Key::Decal,
            Self::Blend => Key::Blend,
            Self::Add => Key::Add,
            Self::Dot3Bump => Key::Dot3Bump,
        };
        key.word()
    }
}

/// Vertices, and the triangles between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh<'a> {
    /// Its name, which others may have as well.
    pub name: Cow<'a, str>,
    /// `MATERIAL_REF`: the [`id`](Material::id) of its material, which there may be or not.
    pub material: Option<i64>,
    /// `DEFAULT_COLOR`, which the game does not use.
    pub default_color: Option<[f32; 3]>,
    /// `VERTS`.
    pub vertices: Vertices,
    /// `PRIMITIVE_GEOMETRY_GROUPS`: the groups of triangles in file order.
    pub groups: Vec<Group>,
}

/// Vertices, in as many places of three lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vertices {
    /// X, Y and Z.
    pub positions: Vec<[f32; 3]>,
    /// U and V; V goes up.
    pub uvs: Vec<[f32; 2]>,
    /// Normals.
    pub normals: Vec<[f32; 3]>,
}

impl Vertices {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Adds one, as the eight numbers that a file has of it.
    pub fn push(&mut self, [x, y, z, u, v, nx, ny, nz]: [f32; 8]) {
        self.positions.push([x, y, z]);
        self.uvs.push([u, v]);
        self.normals.push([nx, ny, nz]);
    }
}

/// Triangles of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub id: i64,
    /// How the indices make triangles.
    pub kind: GroupKind,
    /// Indices of vertices.
    pub indices: Vec<u32>,
}

/// How indices make triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// Three each.
    List,
    /// Each with the two before it, every other triangle the other way round.
    Strip,
    /// Each with the one before it and the first.
    Fan,
}
