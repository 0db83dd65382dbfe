//! Finds the files that a model names, before its assets are made.

use crate::alamo::animation::AloAnimation;
use crate::alamo::convert::ConvertedAlo;
use crate::alamo::material::{alpha_mode, base_placeholder};
use crate::alamo::settings::AloLoaderSettings;
use crate::alamo::shading::{SecondLayer, Shading};
use crate::alamo::tags::Tags;
use crate::scene::{FileSearch, folded};
use crate::texture::{Placeholder, load_model_image};
use bevy::asset::{AssetPath, Handle, LoadContext};
use bevy::image::Image;
use bevy::log::warn;
use bevy::platform::collections::HashMap;

/// A texture's file name in lower case, and whether its colors are sRGB.
type TextureKey = (String, bool);

/// A texture that a material uses.
struct TextureRequest<'a> {
    /// The file's name, as stored in the model.
    name: &'a str,
    /// Whether its colors are sRGB.
    is_srgb: bool,
    /// The image to use if it cannot be decoded.
    placeholder: Placeholder,
}

/// The files that a model names, if they were found.
#[derive(Default)]
pub(super) struct Dependencies {
    pub(super) textures: HashMap<TextureKey, Option<Handle<Image>>>,
    /// The paths of proxies' models, by file stem in lower case.
    models: HashMap<String, Option<AssetPath<'static>>>,
    pub(super) animations: Vec<AloAnimation>,
}

impl Dependencies {
    /// Finds and starts to load textures, and finds the models of proxies.
    pub(super) async fn find(
        model: &ConvertedAlo<'_>,
        settings: &AloLoaderSettings,
        search: &mut FileSearch<'_>,
        load_context: &mut LoadContext<'_>,
    ) -> Self {
        let mut found = Self::default();
        if settings.load_textures {
            for request in textures(model) {
                let key = (folded(request.name), request.is_srgb);
                if !found.textures.contains_key(&key) {
                    let texture = texture(search, &request, settings, load_context).await;
                    found.textures.insert(key, texture);
                }
            }
        }
        if settings.load_proxies {
            for proxy in &model.file.proxies {
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

    /// The texture of a name, if it was found.
    pub(super) fn texture(&self, name: Option<&str>, is_srgb: bool) -> Option<Handle<Image>> {
        let key = (folded(name?), is_srgb);
        self.textures.get(&key).cloned().flatten()
    }

    /// The path of a proxy's model, if it was found. `stem` is the proxy's name without tags.
    pub(super) fn model(&self, stem: &str) -> Option<AssetPath<'static>> {
        self.models.get(&folded(stem)).cloned().flatten()
    }
}

/// The path of a proxy's model, if the file exists and is not a particle system.
async fn proxy_model(
    search: &mut FileSearch<'_>,
    stem: &str,
    settings: &AloLoaderSettings,
) -> Option<AssetPath<'static>> {
    /// The type of the first chunk of a model.
    const SKELETON: [u8; 4] = 0x200_u32.to_le_bytes();
    let name = format!("{stem}.alo");
    let found = search.find(&name, &settings.proxy_folders).await;
    let path = found.ok()?;
    let start = search.start(&path, SKELETON.len()).await;
    (start? == SKELETON).then_some(path)
}

/// Finds and starts to load a texture. Warns if it is not found.
async fn texture(
    search: &mut FileSearch<'_>,
    request: &TextureRequest<'_>,
    settings: &AloLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Option<Handle<Image>> {
    let found = search.find_texture(request.name, &settings.texture_folders);
    let path = match found.await {
        Ok(path) => path,
        Err(not_found) => {
            warn!("{}: texture {not_found}", load_context.path());
            return None;
        }
    };
    let (is_srgb, placeholder) = (request.is_srgb, request.placeholder);
    Some(load_model_image(load_context, path, is_srgb, placeholder))
}

/// All textures of sub-meshes that are drawn, and of dazzles.
fn textures<'a>(model: &'a ConvertedAlo<'_>) -> Vec<TextureRequest<'a>> {
    let mut textures = Vec::new();
    let mut request = |name: Option<&'a str>, is_srgb, placeholder| {
        textures.extend(name.map(|name| TextureRequest {
            name,
            is_srgb,
            placeholder,
        }));
    };
    let shadings = model.submeshes().map(|(_, submesh)| &submesh.shading);
    for shading in shadings.filter(|shading| shading.is_drawn()) {
        let (base, normal) = (&shading.base_texture, &shading.normal_texture);
        request(
            base.as_deref(),
            true,
            base_placeholder(alpha_mode(shading.phase)),
        );
        request(normal.as_deref(), false, Placeholder::Flat);
        let extra = shading.extra_texture.as_deref();
        request(extra, extra_is_srgb(shading), extra_placeholder(shading));
    }
    for dazzle in &model.file.dazzles {
        let name = Some(&*dazzle.texture).filter(|name| !name.is_empty());
        request(name, true, Placeholder::Black);
    }
    textures
}

fn extra_placeholder(shading: &Shading) -> Placeholder {
    match shading.extra {
        // Its alpha is 0, so there are no clouds.
        SecondLayer::Planet | SecondLayer::Clouds => Placeholder::Unmasked,
        _ => Placeholder::Black,
    }
}

/// Whether the third texture is sRGB: clouds and waves are colors, but gloss is linear data.
pub(super) fn extra_is_srgb(shading: &Shading) -> bool {
    shading.extra != SecondLayer::Gloss
}
