//! Files that a model names: finds the textures of its materials, and says how they are sampled.

use crate::lgw::material::is_plain;
use crate::lgw::settings::LgwLoaderSettings;
use crate::lgw::text;
use crate::read::{Quoted, TextPosition};
use crate::scene::{FileSearch, ModelLoad, folded};
use crate::texture::{Sampling, Samplings, missing};
use bevy::asset::{AssetPath, Handle, LoadContext};
use bevy::image::Image;
use bevy::log::warn;
use memchr::memmem;
use std::collections::HashMap;

/// The longest name that is looked for, in bytes: many paths are made of it. Those of Windows have 260.
const LONGEST_NAME: usize = 1024;

/// How many names that are of use to nobody are told: each is looked for in the whole text.
const MOST_FLAWS: usize = 8;

/// Finds and loads the pictures of each material, by the units that draw them. What is nowhere is a placeholder, with
/// one warning for each of the first few files, and one for the others.
pub(super) async fn load_pictures(
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
    let mut places = Places {
        search: load.search(),
        settings,
        model: load_context.path().clone(),
        text,
        known: HashMap::new(),
        flaws: 0,
    };
    for (material, found) in materials.iter().zip(&mut found) {
        for (texture, found) in material.units().into_iter().zip(found) {
            let Some(texture) = texture else {
                continue;
            };
            let image = match places.of(material, texture).await {
                Some(path) => samplings.load(load_context, path, sampling(material, texture)),
                None => missing(texture.cube_map),
            };
            *found = Some(image);
        }
    }
    if let Some(others @ 1..) = places.flaws.checked_sub(MOST_FLAWS) {
        warn!("{}: so it is with {others} more", places.model);
    }
    found
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
    /// The model's file.
    text: &'a [u8],
    /// How many names are of use to nobody.
    flaws: usize,
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
        let name = texture.file.as_deref().filter(|name| !name.is_empty())?;
        let key = folded(name);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let settings = self.settings;
        let (first, folders) = (&settings.texture_root, &settings.texture_folders);
        let quoted = Quoted(name);
        let path = if name.len() > LONGEST_NAME {
            Err(format!(
                "no file has a name as long as that of texture {quoted}"
            ))
        } else {
            let path = self.search.find_texture_from(Some(first), name, folders);
            let path = path.await;
            path.map_err(|not_found| format!("texture {not_found}"))
        };
        if let Err(flaw) = &path {
            self.warn(material, name, flaw);
        }
        let path = path.ok();
        self.known.insert(key, path.clone());
        path
    }

    /// Tells of a flaw with the first place where the name is, or only counts it.
    fn warn(&mut self, material: &text::Material<'_>, name: &str, flaw: &str) {
        self.flaws += 1;
        if self.flaws > MOST_FLAWS {
            return;
        }
        let (model, material) = (&self.model, Quoted(&material.name));
        let place = memmem::find(self.text, format!("\"{name}\"").as_bytes());
        match place {
            Some(offset) => {
                // It is there letter by letter, so it is UTF-8 or of letters that are the same.
                let place = TextPosition::new(self.text, offset as u64, true);
                warn!("{model}:{place}: material {material}: {flaw}");
            }
            None => warn!("{model}: material {material}: {flaw}"),
        }
    }
}
