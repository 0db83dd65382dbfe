//! Where the pictures of materials are, and how they are sampled.

use crate::lgw::material::is_plain;
use crate::lgw::settings::LgwLoaderSettings;
use crate::lgw::text;
use crate::read::Quoted;
use crate::scene::{FileFinder, FileSearch};
use crate::texture::{Sampling, Samplings, missing};
use bevy::asset::{AssetPath, AssetServer, Handle, LoadContext};
use bevy::ecs::world::World;
use bevy::image::Image;
use bevy::log::warn;
use std::collections::HashMap;

/// The longest name that is looked for, in bytes: many paths are made of it. Those of Windows have 260.
const LONGEST_NAME: usize = 1024;

/// Finds pictures and loads them. The loader keeps one.
pub(super) struct Pictures {
    finder: FileFinder,
    samplings: Samplings,
}

impl Pictures {
    /// For an app that has the [`TexturePlugin`](crate::texture::TexturePlugin).
    pub(super) fn new(world: &World) -> Self {
        Self {
            finder: FileFinder::new(world.resource::<AssetServer>().clone()),
            samplings: world.resource::<Samplings>().clone(),
        }
    }

    /// The pictures of each material, by the units that draw them. What is nowhere is a placeholder,
    /// with one warning for each file.
    pub(super) async fn find(
        &self,
        materials: &[text::Material<'_>],
        settings: &LgwLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Vec<[Option<Handle<Image>>; 2]> {
        let mut found = vec![[None, None]; materials.len()];
        if !settings.load_textures {
            return found;
        }
        let model = load_context.path().clone();
        let mut places = Places {
            search: self.finder.search(&model),
            settings,
            model,
            known: HashMap::new(),
        };
        for (material, found) in materials.iter().zip(&mut found) {
            for (texture, found) in material.units().into_iter().zip(found) {
                let Some(texture) = texture else {
                    continue;
                };
                let image = match places.of(material, texture).await {
                    Some(path) => {
                        let sampling = sampling(material, texture);
                        self.samplings.load(load_context, path, sampling)
                    }
                    None => missing(texture.cube_map),
                };
                *found = Some(image);
            }
        }
        found
    }
}

/// Colours of plain materials are light; the others compute with the numbers of the file.
fn sampling(material: &text::Material<'_>, texture: &text::Texture<'_>) -> Sampling {
    Sampling {
        wrap: texture.wrap,
        mipmaps: texture.mipmaps,
        is_srgb: is_plain(material),
        is_cube: texture.cube_map,
    }
}

/// Where the files of a model are, each looked for once.
struct Places<'a> {
    search: FileSearch<'a>,
    settings: &'a LgwLoaderSettings,
    model: AssetPath<'static>,
    /// By the names that the model has for them, in lower case.
    known: HashMap<String, Option<AssetPath<'static>>>,
}

impl Places<'_> {
    async fn of(
        &mut self,
        material: &text::Material<'_>,
        texture: &text::Texture<'_>,
    ) -> Option<AssetPath<'static>> {
        // The parser warns of one that has no file.
        let name = texture.file.as_deref()?;
        let key = name.to_lowercase();
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let settings = self.settings;
        let (first, folders) = (&settings.texture_root, &settings.texture_folders);
        let (model, material) = (&self.model, Quoted(&material.name));
        let path = if name.len() > LONGEST_NAME {
            let name = Quoted(name);
            warn!(
                "{model}: material {material}: no file has a name as long as that of texture {name}"
            );
            None
        } else {
            let path = self.search.find_texture_below(first, name, folders).await;
            path.inspect_err(|not_found| warn!("{model}: material {material}: texture {not_found}"))
                .ok()
        };
        self.known.insert(name.to_owned(), path.clone());
        path
    }
}
