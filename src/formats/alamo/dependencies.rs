//! Finds the files that a model names, before its assets are made.

use crate::formats::alamo::animation::asset::AloAnimation;
use crate::formats::alamo::convert::file::ConvertedAlo;
use crate::formats::alamo::materials::material::{alpha_mode, base_placeholder};
use crate::formats::alamo::materials::shading::{AloShader, SecondLayer};
use crate::formats::alamo::materials::tags::AloTags;
use crate::formats::alamo::particles::emitter::AloEmitter;
use crate::formats::alamo::particles::file_name;
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::load::find::FileSearch;
use crate::load::names::folded;
use crate::texture::loader::model_images::load_model_image;
use crate::texture::placeholder::Placeholder;
use bevy::asset::{AssetPath, LoadContext};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;

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
pub(crate) struct Dependencies {
    pub(crate) textures: HashMap<TextureKey, Option<Handle<Image>>>,
    /// The files that proxies name, by file stem in lower case.
    proxies: HashMap<String, Option<ProxyFile>>,
    pub(crate) animations: Vec<AloAnimation>,
}

impl Dependencies {
    /// Finds and starts to load textures, and finds the models of proxies.
    pub(crate) async fn find(
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
        if settings.load_proxies || settings.load_particles {
            found
                .find_proxies(model, settings, search, load_context)
                .await;
        }
        found
    }

    /// The texture of a name, if it was found.
    pub(crate) fn texture(&self, name: Option<&str>, is_srgb: bool) -> Option<Handle<Image>> {
        let key = (folded(name?), is_srgb);
        self.textures.get(&key).cloned().flatten()
    }

    /// Finds the files that proxies name. Warns once about all that were not found.
    async fn find_proxies(
        &mut self,
        model: &ConvertedAlo<'_>,
        settings: &AloLoaderSettings,
        search: &mut FileSearch<'_>,
        load_context: &LoadContext<'_>,
    ) {
        let mut missing = Vec::new();
        for proxy in &model.file.proxies {
            let stem = AloTags::of(&proxy.name).stem;
            let key = folded(&stem);
            if self.proxies.contains_key(&key) {
                continue;
            }
            let file = match proxy_file(search, &stem, settings).await {
                Ok(file) => file,
                Err(name) => {
                    missing.push(name);
                    None
                }
            };
            self.proxies.insert(key, file);
        }
        if !missing.is_empty() {
            let (path, missing) = (load_context.path(), missing.join(", "));
            warn!("{path}: files of proxies not found: {missing}");
        }
    }

    /// The path of a proxy's model, if it was found. `stem` is the proxy's name without tags.
    pub(crate) fn model(&self, stem: &str) -> Option<AssetPath<'static>> {
        match self.proxies.get(&folded(stem)) {
            Some(Some(ProxyFile::Model(path))) => Some(path.clone()),
            _ => None,
        }
    }

    /// The path of a proxy's particle system, likewise.
    pub(crate) fn particles(&self, stem: &str) -> Option<AssetPath<'static>> {
        match self.proxies.get(&folded(stem)) {
            Some(Some(ProxyFile::Particles(path))) => Some(path.clone()),
            _ => None,
        }
    }
}

/// A file that a proxy names.
enum ProxyFile {
    Model(AssetPath<'static>),
    Particles(AssetPath<'static>),
}

/// The file that a proxy names. `None` if it is neither a model nor a particle system, or if the settings exclude it.
///
/// # Errors
/// The name of the file if it was not found.
async fn proxy_file(
    search: &mut FileSearch<'_>,
    stem: &str,
    settings: &AloLoaderSettings,
) -> Result<Option<ProxyFile>, String> {
    /// The types of the first chunks.
    const MODEL: [u8; 4] = 0x200_u32.to_le_bytes();
    const PARTICLES: [[u8; 4]; 2] = [0x900_u32.to_le_bytes(), 0x1500_u32.to_le_bytes()];
    let name = format!("{stem}.alo");
    let found = search.find(&name, &settings.proxy_folders).await;
    let Ok(path) = found else {
        return Err(name);
    };
    let start = search.start(&path, MODEL.len()).await;
    Ok(match start.as_deref() {
        Some(start) if start == MODEL && settings.load_proxies => Some(ProxyFile::Model(path)),
        Some(start) if PARTICLES.iter().any(|it| start == it) && settings.load_particles => {
            Some(ProxyFile::Particles(path))
        }
        _ => None,
    })
}

/// Finds and starts to load the color textures of a particle system's emitters, in file order. Warns once per name about
/// those that are not found.
pub(crate) async fn find_particle_textures(
    emitters: &mut [AloEmitter],
    settings: &AloLoaderSettings,
    search: &mut FileSearch<'_>,
    load_context: &mut LoadContext<'_>,
) {
    if !settings.load_textures {
        return;
    }
    let mut found: HashMap<String, Option<Handle<Image>>> = HashMap::default();
    for AloEmitter {
        emitter,
        texture: place,
        ..
    } in emitters
    {
        let name = file_name(&emitter.color_texture);
        if name.is_empty() {
            continue;
        }
        let key = folded(name);
        if !found.contains_key(&key) {
            let request = TextureRequest {
                name,
                is_srgb: true,
                placeholder: Placeholder::Checkers,
            };
            let texture = texture(search, &request, settings, load_context).await;
            found.insert(key.clone(), texture);
        }
        *place = found.get(&key).cloned().flatten();
    }
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
        request(name, true, Placeholder::Outline);
    }
    textures
}

fn extra_placeholder(shading: &AloShader) -> Placeholder {
    match shading.extra {
        // Its alpha is 0, so there are no clouds.
        SecondLayer::Planet | SecondLayer::Clouds => Placeholder::Unmasked,
        SecondLayer::Wave => Placeholder::Outline,
        _ => Placeholder::Black,
    }
}

/// Whether the third texture is sRGB: clouds and waves are colors, but gloss is linear data.
pub(crate) fn extra_is_srgb(shading: &AloShader) -> bool {
    shading.extra != SecondLayer::AloGloss
}
