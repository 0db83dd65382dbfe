//! Files that a model names: looked for before anything is made of the model.

use crate::alamo::animation::AloAnimation;
use crate::alamo::convert::ConvertedAlo;
use crate::alamo::material::{alpha_mode, base_placeholder};
use crate::alamo::settings::AloLoaderSettings;
use crate::alamo::shading::{SecondLayer, Shading};
use crate::alamo::tags::Tags;
use crate::scene::{FileSearch, folded};
use crate::texture::{Placeholder, load_picture};
use bevy::asset::{AssetPath, Handle, LoadContext};
use bevy::image::Image;
use bevy::log::warn;
use bevy::platform::collections::HashMap;

/// A texture's file name in lower case, and whether its colours are sRGB.
type TextureKey = (String, bool);

/// A texture that something wears.
struct Worn<'a> {
    /// The file's name, as the model has it.
    name: &'a str,
    /// Whether its colours are sRGB.
    is_srgb: bool,
    /// What is seen if it cannot be decoded.
    placeholder: Placeholder,
}

/// Files that a model names, as far as they were found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) textures: HashMap<TextureKey, Option<Handle<Image>>>,
    /// Models of proxies, by the names of the files in lower case.
    models: HashMap<String, Option<AssetPath<'static>>>,
    pub(super) animations: Vec<AloAnimation>,
}

impl Found {
    /// Looks for textures, and for models of proxies.
    pub(super) async fn find(
        contents: &ConvertedAlo<'_>,
        settings: &AloLoaderSettings,
        search: &mut FileSearch<'_>,
        load_context: &mut LoadContext<'_>,
    ) -> Self {
        let mut found = Self::default();
        if settings.load_textures {
            for worn in textures(contents) {
                let key = (folded(worn.name), worn.is_srgb);
                if !found.textures.contains_key(&key) {
                    let texture = texture(search, &worn, settings, load_context).await;
                    found.textures.insert(key, texture);
                }
            }
        }
        if settings.load_proxies {
            for proxy in &contents.file.proxies {
                let stem = Tags::of(&proxy.name).stem;
                let key = folded(&stem);
                if !found.models.contains_key(&key) {
                    let model = proxy_model(search, &stem, settings).await;
                    found.models.insert(key, model);
                }
            }
        }
        found
    }

    /// A texture, if it was found.
    pub(super) fn texture(&self, name: Option<&str>, is_srgb: bool) -> Option<Handle<Image>> {
        let key = (folded(name?), is_srgb);
        self.textures.get(&key).cloned().flatten()
    }

    /// The model that a proxy of a name without tags names, if it was found.
    pub(super) fn model(&self, stem: &str) -> Option<AssetPath<'static>> {
        self.models.get(&folded(stem)).cloned().flatten()
    }
}

/// The model that a proxy names, if it names one and not a particle system.
async fn proxy_model(
    search: &mut FileSearch<'_>,
    stem: &str,
    settings: &AloLoaderSettings,
) -> Option<AssetPath<'static>> {
    const SKELETON: [u8; 4] = 0x200_u32.to_le_bytes();
    let name = format!("{stem}.alo");
    let found = search.find(&name, &settings.proxy_folders).await;
    let path = found.ok()?;
    let start = search.start(&path, SKELETON.len()).await;
    (start? == SKELETON).then_some(path)
}

/// A texture by its name in the model, with one warning if there is none.
async fn texture(
    search: &mut FileSearch<'_>,
    worn: &Worn<'_>,
    settings: &AloLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Option<Handle<Image>> {
    let found = search.find_texture(worn.name, &settings.texture_folders);
    let path = match found.await {
        Ok(path) => path,
        Err(not_found) => {
            warn!("{}: texture {not_found}", load_context.path());
            return None;
        }
    };
    let (is_srgb, placeholder) = (worn.is_srgb, worn.placeholder);
    Some(load_picture(load_context, path, is_srgb, placeholder))
}

/// All textures that anything drawn wears.
fn textures<'a>(contents: &'a ConvertedAlo<'_>) -> Vec<Worn<'a>> {
    let mut textures = Vec::new();
    let mut apply_skin = |name: Option<&'a str>, is_srgb, placeholder| {
        textures.extend(name.map(|name| Worn {
            name,
            is_srgb,
            placeholder,
        }));
    };
    let shadings = contents.submeshes().map(|(_, contents)| &contents.shading);
    for shading in shadings.filter(|shading| shading.is_drawn()) {
        let (base, normal) = (&shading.base_texture, &shading.normal_texture);
        apply_skin(
            base.as_deref(),
            true,
            base_placeholder(alpha_mode(shading.phase)),
        );
        apply_skin(normal.as_deref(), false, Placeholder::Flat);
        let extra = shading.extra_texture.as_deref();
        apply_skin(extra, extra_is_srgb(shading), extra_placeholder(shading));
    }
    for dazzle in &contents.file.dazzles {
        let name = Some(&*dazzle.texture).filter(|name| !name.is_empty());
        apply_skin(name, true, Placeholder::Black);
    }
    textures
}

fn extra_placeholder(shading: &Shading) -> Placeholder {
    match shading.extra {
        // Its alpha is 0: no clouds.
        SecondLayer::Planet | SecondLayer::Clouds => Placeholder::Unmasked,
        _ => Placeholder::Black,
    }
}

/// Gloss is a measure; clouds and waves are colours.
pub(super) fn extra_is_srgb(shading: &Shading) -> bool {
    shading.extra != SecondLayer::Gloss
}
