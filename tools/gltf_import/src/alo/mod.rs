//! Makes Alamo models and animations.
//!
//! - `skeleton` decides which nodes are bones, and `parts` what is connected to them.
//! - `mesh` makes the sub-meshes of a mesh, with `material` for their shaders, and `lods` names its levels of detail.
//! - `clip` samples animations.

mod clip;
mod lods;
mod material;
mod mesh;
mod parts;
mod skeleton;

use crate::error::{Error, Result};
use crate::image_data::Pixels;
use crate::scene::Scene;
use classic_model_formats::ala;
use classic_model_formats::alo::AloFile;
use classic_model_formats::alo::write::write;
use material::Materials;
use skeleton::Skeleton;
use std::collections::{BTreeMap, HashSet};

/// The format of converted models in `extras`.
const FORMAT: &str = "alo";

/// How a model is made.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'a> {
    /// Meters per unit of the model. `None` is the value in the `extras` of a converted model, otherwise 1.
    pub scale: Option<f32>,
    /// The names of the animations that are written. Empty for all.
    pub clips: &'a [String],
}

/// A model that was made.
#[derive(Debug)]
pub struct Converted {
    /// The bytes of the model.
    pub bytes: Vec<u8>,
    /// The bytes of the `.ala` files, by the names of the animations.
    pub animations: BTreeMap<String, Vec<u8>>,
    /// The textures of new materials, by the names of their files: `hull.tga`.
    pub textures: BTreeMap<String, Pixels>,
    /// Warnings about values that were left out or changed.
    pub warnings: Vec<String>,
}

/// Makes a model of all meshes of a scene, and an animation of each of its animations.
///
/// glTF's (x, y, z) becomes (x, −z, y).
///
/// # Errors
/// If an image cannot be decoded, an animation of the options does not exist, or the format cannot store a value.
pub fn convert(scene: &Scene, options: &Options<'_>) -> core::result::Result<Converted, Error> {
    let mut warnings = scene.warnings.clone();
    let scale = scene.meters_per_unit(FORMAT, options.scale);
    let skeleton = Skeleton::new(scene, scale);
    let mut materials = Materials::new(scene);
    let meshes = mesh::meshes(scene, &skeleton, &mut materials, &mut warnings)?;
    let objects = parts::objects(scene, &skeleton, scale);
    let is_new = objects.dazzles.is_empty();
    let file = AloFile {
        version: if is_new { 1 } else { 2 },
        bones: skeleton.bones(scene),
        meshes: meshes.iter().map(mesh::Mesh::borrowed).collect(),
        lights: objects.lights,
        proxies: objects.proxies,
        dazzles: objects.dazzles,
        warnings: Vec::new(),
    };
    let bytes = write(&file).map_err(Error::new)?;
    let clips = scene.clips(options.clips, |_| None)?;
    let mut names = HashSet::new();
    if let Some(clip) = clips
        .iter()
        .find(|it| !names.insert(it.name.to_lowercase()))
    {
        return Err(Error::new(format_args!(
            "two animations have names that differ only in case, so that their files would be the same: {:?}",
            clip.name
        )));
    }
    let animations = clip::documents(scene, &skeleton, &clips)?.into_iter();
    let animations = animations.map(|(name, document)| {
        let bytes = ala::write::write(&document);
        let error = |error| Error::new(error).at(format_args!("animation {name:?}"));
        Ok((name.clone(), bytes.map_err(error)?))
    });
    Ok(Converted {
        bytes,
        animations: animations.collect::<Result<_>>()?,
        textures: materials.into_textures(),
        warnings,
    })
}
