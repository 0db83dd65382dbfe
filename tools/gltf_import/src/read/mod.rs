//! Reads glTF files: `container` has the parts of the file, and the other modules everything of a scene, with all indices checked.

mod animations;
mod container;
mod materials;
mod meshes;
mod nodes;

use crate::accessor::Arrays;
use crate::error::{At, Error, Result};
use crate::json::{self, Root};
use crate::names::Names;
use crate::scene::{Image, Scene};
use container::{buffers, chunks, resource};
use materials::material;
use nodes::{VISIBILITY, nodes};
use serde_json::Value;

/// The extensions that are read, and those that change nothing that is read. Files that require others are refused.
const EXTENSIONS: [&str; 10] = [
    "KHR_animation_pointer",
    "KHR_lights_punctual",
    "KHR_materials_emissive_strength",
    "KHR_materials_specular",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_mesh_quantization",
    VISIBILITY,
    "KHR_texture_transform",
    "MSFT_lod",
];

/// Reads an external file by its path, which is relative to the folder of the glTF file and does not lead out of it.
pub type ReadFile<'a> = dyn Fn(&str) -> core::result::Result<Vec<u8>, String> + 'a;

impl Scene {
    /// Reads a `.glb` or `.gltf` file. `read_file` reads the external files that it names.
    ///
    /// # Errors
    /// If the file is damaged, requires an extension that is not supported, or an external file cannot be read.
    pub fn read(bytes: &[u8], read_file: &ReadFile<'_>) -> core::result::Result<Self, Error> {
        let (json, binary) = chunks(bytes)?;
        let root: Root = serde_json::from_slice(json)
            .map_err(|error| Error::new(format_args!("JSON: {error}")))?;
        if !root.asset.version.starts_with("2.") {
            let version = &root.asset.version;
            return Err(Error::new(format_args!(
                "glTF version {version:?}; expected 2.0"
            )));
        }
        let mut required = root.extensions_required.iter();
        if let Some(name) = required.find(|name| !EXTENSIONS.contains(&name.as_str())) {
            return Err(Error::new(format_args!(
                "the file requires {name}, which is not supported"
            )));
        }
        let buffers = buffers(&root, binary, read_file)?;
        let arrays = Arrays::new(&root, &buffers, bytes.len());
        Reader {
            root: &root,
            arrays,
            read_file,
            warnings: Vec::new(),
        }
        .scene()
    }
}

struct Reader<'a> {
    root: &'a Root,
    arrays: Arrays<'a>,
    read_file: &'a ReadFile<'a>,
    warnings: Vec<String>,
}

impl Reader<'_> {
    fn scene(mut self) -> Result<Scene> {
        let root = self.root;
        let meshes = root.meshes.iter().enumerate();
        let meshes =
            meshes.map(|(index, mesh)| self.mesh(mesh).at(format_args!("meshes[{index}]")));
        let meshes = meshes.collect::<Result<Vec<_>>>()?;
        let (nodes, indices) = nodes(root, &meshes)?;
        let skins = root.skins.iter().enumerate();
        let skins =
            skins.map(|(index, skin)| self.skin(skin, &indices).at(format_args!("skins[{index}]")));
        let skins = skins.collect::<Result<Vec<_>>>()?;
        let animations = root.animations.iter().enumerate();
        let animations = animations.map(|(index, animation)| {
            self.animation(index, animation, &nodes, &indices)
                .at(format_args!("animations[{index}]"))
        });
        let mut animations = animations.collect::<Result<Vec<_>>>()?;
        let mut names = Names::default();
        for animation in &mut animations {
            animation.name = names.unique(&animation.name);
        }
        let materials = root.materials.iter().enumerate();
        let materials =
            materials.map(|(index, it)| material(root, it).at(format_args!("materials[{index}]")));
        let materials = materials.collect::<Result<Vec<_>>>()?;
        let images = root.images.iter().enumerate();
        let images =
            images.map(|(index, image)| self.image(image).at(format_args!("images[{index}]")));
        let images = images.collect::<Result<Vec<_>>>()?;
        let variants = root.extensions.get("KHR_materials_variants");
        let variants = variants.and_then(|it| it.get("variants")?.as_array());
        let name = |variant: &Value| {
            variant
                .get("name")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Ok(Scene {
            variants: variants.into_iter().flatten().map(name).collect(),
            nodes,
            meshes,
            skins,
            animations,
            materials,
            images,
            warnings: self.warnings,
        })
    }

    fn image(&mut self, image: &json::Image) -> Result<Image> {
        let bytes = match (image.buffer_view, &image.uri) {
            (Some(view), _) => self.arrays.copy(view)?,
            (None, Some(uri)) => resource(uri, self.read_file)?,
            (None, None) => return Err(Error::new("neither a buffer view nor a uri")),
        };
        Ok(Image {
            name: image.name.clone(),
            bytes,
        })
    }
}

/// Checks that an index is less than a count.
fn checked(index: Option<usize>, count: usize, what: &str) -> Result<Option<usize>> {
    match index {
        Some(index) if index >= count => Err(Error::new(format_args!(
            "{what} {index} does not exist: there are {count}"
        ))),
        index => Ok(index),
    }
}
