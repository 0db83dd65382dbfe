//! The fields of glTF files that conversions use, as they are in the JSON. Nothing is checked but types.
//!
//! The types of the crate `gltf-json` are not used, because its validation panics on indices that do not exist.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Values that the specification leaves to programs, or values of extensions by their names.
pub type Object = Map<String, Value>;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Root {
    pub asset: Asset,
    #[serde(default)]
    pub extensions_required: Vec<String>,
    #[serde(default)]
    pub extensions: Object,
    pub scene: Option<usize>,
    #[serde(default)]
    pub scenes: Vec<Scene>,
    #[serde(default)]
    pub nodes: Vec<Node>,
    #[serde(default)]
    pub meshes: Vec<Mesh>,
    #[serde(default)]
    pub skins: Vec<Skin>,
    #[serde(default)]
    pub animations: Vec<Animation>,
    #[serde(default)]
    pub materials: Vec<Material>,
    #[serde(default)]
    pub textures: Vec<Texture>,
    #[serde(default)]
    pub samplers: Vec<TextureSampler>,
    #[serde(default)]
    pub images: Vec<Image>,
    #[serde(default)]
    pub accessors: Vec<Accessor>,
    #[serde(default)]
    pub buffer_views: Vec<BufferView>,
    #[serde(default)]
    pub buffers: Vec<Buffer>,
}

#[derive(Debug, Deserialize)]
pub struct Asset {
    pub version: String,
}

#[derive(Debug, Deserialize)]
pub struct Scene {
    #[serde(default)]
    pub nodes: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub struct Node {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub children: Vec<usize>,
    pub matrix: Option<[f32; 16]>,
    pub translation: Option<[f32; 3]>,
    pub rotation: Option<[f32; 4]>,
    pub scale: Option<[f32; 3]>,
    pub mesh: Option<usize>,
    pub skin: Option<usize>,
    pub weights: Option<Vec<f32>>,
    #[serde(default)]
    pub extensions: Object,
    #[serde(default)]
    pub extras: Value,
}

#[derive(Debug, Deserialize)]
pub struct Mesh {
    #[serde(default)]
    pub name: String,
    pub primitives: Vec<Primitive>,
    pub weights: Option<Vec<f32>>,
    #[serde(default)]
    pub extras: Value,
}

#[derive(Debug, Deserialize)]
pub struct Primitive {
    pub attributes: BTreeMap<String, usize>,
    pub indices: Option<usize>,
    pub material: Option<usize>,
    pub mode: Option<u32>,
    #[serde(default)]
    pub targets: Vec<BTreeMap<String, usize>>,
    #[serde(default)]
    pub extensions: Object,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Skin {
    pub inverse_bind_matrices: Option<usize>,
    pub joints: Vec<usize>,
}

#[derive(Debug, Deserialize)]
pub struct Animation {
    #[serde(default)]
    pub name: String,
    pub channels: Vec<Channel>,
    pub samplers: Vec<Sampler>,
}

#[derive(Debug, Deserialize)]
pub struct Channel {
    pub sampler: usize,
    pub target: Target,
}

#[derive(Debug, Deserialize)]
pub struct Target {
    pub node: Option<usize>,
    pub path: String,
    #[serde(default)]
    pub extensions: Object,
}

#[derive(Debug, Deserialize)]
pub struct Sampler {
    pub input: usize,
    pub output: usize,
    pub interpolation: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Material {
    #[serde(default)]
    pub name: String,
    #[serde(default)]
    pub pbr_metallic_roughness: PbrMetallicRoughness,
    pub emissive_factor: Option<[f32; 3]>,
    pub emissive_texture: Option<TextureInfo>,
    pub normal_texture: Option<TextureInfo>,
    pub alpha_mode: Option<String>,
    pub alpha_cutoff: Option<f32>,
    #[serde(default)]
    pub extras: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PbrMetallicRoughness {
    pub base_color_factor: Option<[f32; 4]>,
    pub base_color_texture: Option<TextureInfo>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextureInfo {
    pub index: usize,
    #[serde(default)]
    pub tex_coord: usize,
    #[serde(default)]
    pub extensions: Object,
}

#[derive(Debug, Deserialize)]
pub struct Texture {
    pub source: Option<usize>,
    pub sampler: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TextureSampler {
    pub wrap_s: Option<u32>,
    pub wrap_t: Option<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Image {
    #[serde(default)]
    pub name: String,
    pub uri: Option<String>,
    pub buffer_view: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Accessor {
    pub buffer_view: Option<usize>,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
    #[serde(default)]
    pub normalized: bool,
    pub count: usize,
    #[serde(rename = "type")]
    pub kind: String,
    pub sparse: Option<Sparse>,
}

#[derive(Debug, Deserialize)]
pub struct Sparse {
    pub count: usize,
    pub indices: SparseIndices,
    pub values: SparseValues,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SparseIndices {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub component_type: u32,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SparseValues {
    pub buffer_view: usize,
    #[serde(default)]
    pub byte_offset: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BufferView {
    pub buffer: usize,
    #[serde(default)]
    pub byte_offset: usize,
    pub byte_length: usize,
    pub byte_stride: Option<usize>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Buffer {
    pub uri: Option<String>,
    pub byte_length: usize,
}
