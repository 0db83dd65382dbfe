//! Finds and loads the textures of a model's materials.

use crate::formats::lgw::material::is_plain;
use crate::formats::lgw::settings::LgwLoaderSettings;
use crate::load::find::FileSearch;
use crate::load::loading::ModelLoad;
use crate::load::names::folded;
use crate::texture::sampled_load::placeholder_image;
use crate::texture::sampling::{Sampling, Samplings};
use bevy::asset::{AssetPath, LoadContext};
use bevy::prelude::*;
use classic_model_formats::lgw as text;
use classic_model_formats::read::{Quoted, TextPosition};
use memchr::memmem;
use std::collections::HashMap;

/// The longest texture name in bytes for which files are searched, because each search makes many paths of
/// the name. Windows limits paths to 260 characters.
const MAX_NAME_LENGTH: usize = 1024;

/// The most missing textures per model that are logged one by one, because each search for the position of a
/// name scans the whole text.
const MAX_WARNINGS: usize = 8;

/// Finds and loads the textures of each material, by texture unit. A missing texture is a placeholder. Each of
/// the first [`MAX_WARNINGS`] missing textures causes a warning; one more warning counts the others.
pub(crate) async fn load_textures(
    load: &ModelLoad<'_>,
    materials: &[text::Material<'_>],
    settings: &LgwLoaderSettings,
    text: &[u8],
    samplings: &Samplings,
    load_context: &mut LoadContext<'_>,
) -> Vec<[Option<Handle<Image>>; 2]> {
    let mut found = vec![[None, None]; materials.len()];
    if !settings.load_textures {
        return found;
    }
    let mut files = TextureFiles {
        search: load.search(),
        settings,
        model: load_context.path().clone(),
        text,
        paths: HashMap::new(),
        missing: 0,
    };
    for (material, found) in materials.iter().zip(&mut found) {
        for (texture, found) in material.units().into_iter().zip(found) {
            let Some(texture) = texture else {
                continue;
            };
            let image = match files.find(material, texture).await {
                Some(path) => samplings.load(load_context, path, sampling(material, texture)),
                None => placeholder_image(texture.cube_map),
            };
            *found = Some(image);
        }
    }
    if let Some(others @ 1..) = files.missing.checked_sub(MAX_WARNINGS) {
        let are = if others == 1 {
            "texture is"
        } else {
            "textures are"
        };
        warn!("{}: {others} more {are} missing", files.model);
    }
    found
}

/// Textures of plain materials are sRGB colors. [`LgwTexEnv`](crate::lgw::LgwTexEnv) computes with the values
/// of the file.
fn sampling(material: &text::Material<'_>, texture: &text::Texture<'_>) -> Sampling {
    Sampling {
        wrap: texture.wrap,
        mipmaps: texture.mipmaps,
        is_srgb: is_plain(material),
        is_cube: texture.cube_map,
    }
}

/// The search for the texture files of a model. Each name is searched for once.
struct TextureFiles<'a> {
    search: FileSearch<'a>,
    settings: &'a LgwLoaderSettings,
    model: AssetPath<'static>,
    /// The content of the model's file.
    text: &'a [u8],
    /// The count of missing textures.
    missing: usize,
    /// The search results by lower-case texture name; `None` for a missing file.
    paths: HashMap<String, Option<AssetPath<'static>>>,
}

impl TextureFiles<'_> {
    async fn find(
        &mut self,
        material: &text::Material<'_>,
        texture: &text::Texture<'_>,
    ) -> Option<AssetPath<'static>> {
        // The parser warns about a texture without a file.
        let name = texture.file.as_deref().filter(|name| !name.is_empty())?;
        let key = folded(name);
        if let Some(path) = self.paths.get(&key) {
            return path.clone();
        }
        let settings = self.settings;
        let (first, folders) = (&settings.texture_root, &settings.texture_folders);
        let quoted = Quoted(name);
        let path = if name.len() > MAX_NAME_LENGTH {
            Err(format!(
                "texture {quoted}: the name is longer than {MAX_NAME_LENGTH} bytes"
            ))
        } else {
            let path = self.search.find_texture_from(Some(first), name, folders);
            let path = path.await;
            path.map_err(|not_found| format!("texture {not_found}"))
        };
        if let Err(problem) = &path {
            self.warn(material, name, problem);
        }
        let path = path.ok();
        self.paths.insert(key, path.clone());
        path
    }

    /// Counts a missing texture. Logs the first ones, with the position of the name's first occurrence.
    fn warn(&mut self, material: &text::Material<'_>, name: &str, problem: &str) {
        self.missing += 1;
        if self.missing > MAX_WARNINGS {
            return;
        }
        let (model, material) = (&self.model, Quoted(&material.name));
        let offset = memmem::find(self.text, format!("\"{name}\"").as_bytes());
        match offset {
            Some(offset) => {
                // The bytes match the decoded name, so the text is UTF-8 or ASCII up to here.
                let position = TextPosition::new(self.text, offset as u64, true);
                warn!("{model}:{position}: material {material}: {problem}");
            }
            None => warn!("{model}: material {material}: {problem}"),
        }
    }
}
