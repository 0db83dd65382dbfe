//! From the asset server's bytes to the [`Alo`] asset and everything it holds.

use crate::alamo::alo::{self, AloFile};
use crate::alamo::animation::find_animations;
use crate::alamo::asset::{
    Alo, AloAssetLabel, AloMesh, AloModel, AloProxyInfo, AloSubmesh, owned_parameter,
};
use crate::alamo::convert::{ConvertedAlo, ConvertedSubmesh};
use crate::alamo::dazzle::{DazzleMaterial, dazzle_aabb, dazzle_mesh};
use crate::alamo::dependencies::{Found, extra_is_srgb};
use crate::alamo::material::{AloMaterial, Textures, material};
use crate::alamo::settings::AloLoaderSettings;
use crate::alamo::shading::{BlendPhase, Shading, TeamMask};
use crate::alamo::spawn::{DazzleGroup, scene};
use crate::alamo::tags::Tags;
use crate::scene::{ModelLoadError, ModelLoading, folded, index_names};
use crate::texture::PLACEHOLDER_IMAGE;
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, AssetPath, Handle, LoadContext};
use bevy::log::warn;
use bevy::math::Vec3A;
use bevy::math::bounding::Aabb3d;
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::platform::collections::HashMap;
use bevy::reflect::TypePath;
use core::fmt::{self, Write};
use core::hash::Hasher;
use std::borrow::Cow;
use std::hash::DefaultHasher;
use std::sync::Arc;

/// Loads Alamo models: see [`Alo`] for what becomes of them.
#[derive(TypePath)]
pub struct AloLoader {
    loading: ModelLoading,
    extensions: Vec<&'static str>,
    animation_extensions: Vec<&'static str>,
}

impl AloLoader {
    pub(super) fn new(
        loading: ModelLoading,
        extensions: Vec<&'static str>,
        animation_extensions: Vec<&'static str>,
    ) -> Self {
        Self {
            loading,
            extensions,
            animation_extensions,
        }
    }
}

impl AssetLoader for AloLoader {
    type Asset = Alo;
    type Settings = AloLoaderSettings;
    type Error = ModelLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &AloLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<Alo, ModelLoadError> {
        let load = self.loading.begin(load_context);
        let settings = &load.settings(settings)?;
        let bytes = load.read(reader).await?;
        let contents = load.parsed(ConvertedAlo::load(&bytes, settings.asset_usage))?;
        load.warn(&contents.warnings);
        warn_about_shaders(load_context.path(), &contents);
        let mut search = load.search();
        let mut found = Found::find(&contents, settings, &mut search, load_context).await;
        if settings.load_animations {
            found.animations = find_animations(
                &mut search,
                &settings.animation_folders,
                &self.extensions,
                &self.animation_extensions,
                load_context,
            )
            .await;
        }
        let pictures: Vec<_> = found.textures.values().flatten().cloned().collect();
        let mut assets = Assets {
            found,
            materials: HashMap::default(),
            blended_shadows: settings.blended_shadows,
            load_context,
        };
        let dazzles = assets.dazzles(&contents.file);
        let model = Arc::new(assets.model(contents));
        let scene = scene(&model, dazzles, settings, load_context);
        load.finish(load_context, pictures).await;
        Ok(Alo { scene, model })
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}

fn warn_about_shaders(path: &AssetPath<'_>, contents: &ConvertedAlo<'_>) {
    let mut unknown: Vec<&str> = Vec::new();
    for (submesh, contents) in contents.submeshes() {
        let shader = &*submesh.shader;
        if !contents.shading.known && !unknown.contains(&shader) {
            unknown.push(shader);
        }
    }
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        warn!("{path}: unknown shaders are drawn as plain opaque ones: {names}");
    }
}

/// Makes assets of a model's contents.
struct Assets<'a, 'b> {
    found: Found,
    /// Materials by [`material_key`].
    materials: HashMap<u64, Handle<AloMaterial>>,
    blended_shadows: bool,
    load_context: &'a mut LoadContext<'b>,
}

impl Assets<'_, '_> {
    fn model(&mut self, contents: ConvertedAlo<'_>) -> AloModel {
        let ConvertedAlo {
            file,
            bones,
            meshes,
            warnings,
        } = contents;
        let mut numbered = Vec::with_capacity(file.meshes.len());
        for (index, (mesh, parts)) in file.meshes.iter().zip(meshes).enumerate() {
            numbered.push(self.mesh(index, mesh, parts));
        }
        let proxies: Vec<AloProxyInfo> =
            file.proxies.iter().map(|proxy| self.proxy(proxy)).collect();
        let lights: Vec<_> = file.lights.iter().map(owned_light).collect();
        let dazzles: Vec<_> = file.dazzles.iter().map(owned_dazzle).collect();
        let names = (numbered.iter().map(|mesh| &mesh.tags))
            .chain(proxies.iter().map(|proxy| &proxy.tags))
            .cloned()
            .chain(lights.iter().map(|light| Tags::of(&light.name)))
            .chain(dazzles.iter().map(|dazzle| Tags::of(&dazzle.name)));
        let mut lods = Vec::new();
        let mut max_alt = 0;
        for tags in names {
            lods.extend(tags.lod);
            max_alt = max_alt.max(tags.alt.unwrap_or(0));
        }
        lods.sort_unstable_by(|a, b| b.cmp(a));
        lods.dedup();
        AloModel {
            version: file.version,
            named_bones: index_names(bones.iter().map(|bone| &*bone.name)),
            bones,
            named_meshes: index_names(numbered.iter().map(|mesh| &*mesh.name)),
            meshes: numbered,
            lights,
            proxies,
            dazzles,
            animations: core::mem::take(&mut self.found.animations),
            lods,
            max_alt,
            warnings,
        }
    }

    fn mesh(
        &mut self,
        index: usize,
        mesh: &alo::Mesh<'_>,
        parts: Vec<ConvertedSubmesh>,
    ) -> AloMesh {
        let submeshes = mesh.submeshes.iter().zip(parts).enumerate();
        let submeshes = submeshes
            .map(|(part, (submesh, contents))| self.submesh((index, part), submesh, contents));
        let [min, max] = mesh.bounds.map(Vec3A::from_array);
        AloMesh {
            submeshes: submeshes.collect(),
            tags: Tags::of(&mesh.name),
            name: (*mesh.name).into(),
            bone: mesh.bone.unwrap_or(0) as usize,
            hidden: mesh.hidden,
            collidable: mesh.collidable,
            bounds: Aabb3d { min, max },
        }
    }

    fn submesh(
        &mut self,
        (mesh, part): (usize, usize),
        submesh: &alo::Submesh<'_>,
        contents: ConvertedSubmesh,
    ) -> AloSubmesh {
        let shading = &contents.shading;
        let label = AloAssetLabel::Submesh {
            mesh,
            submesh: part,
        }
        .to_string();
        let poses_label = AloAssetLabel::InverseBindposes {
            mesh,
            submesh: part,
        }
        .to_string();
        let is_drawn = shading.is_drawn() && contents.mesh.is_some();
        let is_placed = is_drawn || contents.has_tree();
        let poses = contents.inverse_bindposes;
        AloSubmesh {
            shader: (*submesh.shader).into(),
            parameters: submesh.parameters.iter().map(owned_parameter).collect(),
            vertex_format: (*submesh.vertex_format).into(),
            mesh: contents
                .mesh
                .map(|mesh| self.load_context.add_labeled_asset(label, mesh)),
            bounds: contents.bounds,
            wears_team_color: is_drawn && shading.team != TeamMask::None,
            is_additive: shading.phase == BlendPhase::Additive,
            casts_shadows: shading.casts_shadows
                || (self.blended_shadows && shading.phase != BlendPhase::Additive),
            material: is_drawn.then(|| self.material(shading)),
            palette: submesh.palette.iter().map(|bone| bone.get()).collect(),
            inverse_bindposes: (is_placed && !poses.is_empty()).then(|| {
                let poses = SkinnedMeshInverseBindposes::from(poses);
                self.load_context.add_labeled_asset(poses_label, poses)
            }),
            #[cfg(feature = "collision")]
            tree: contents.tree.map(Arc::new),
            #[cfg(feature = "collision")]
            skin: contents.skin.map(Arc::new),
        }
    }

    fn material(&mut self, shading: &Shading) -> Handle<AloMaterial> {
        let key = material_key(shading);
        if let Some(material) = self.materials.get(&key) {
            return material.clone();
        }
        let base = self.found.texture(shading.base_texture.as_deref(), true);
        let base_is_missing = shading.base_texture.is_some() && base.is_none();
        let textures = Textures {
            base: if base_is_missing && !self.found.textures.is_empty() {
                Some(PLACEHOLDER_IMAGE)
            } else {
                base
            },
            base_is_missing,
            normal: self.found.texture(shading.normal_texture.as_deref(), false),
            extra: self
                .found
                .texture(shading.extra_texture.as_deref(), extra_is_srgb(shading)),
        };
        let label = AloAssetLabel::Material(self.materials.len()).to_string();
        let material = self
            .load_context
            .add_labeled_asset(label, material(shading, textures));
        self.materials.insert(key, material.clone());
        material
    }

    fn proxy(&self, proxy: &alo::Proxy<'_>) -> AloProxyInfo {
        let tags = Tags::of(&proxy.name);
        AloProxyInfo {
            model: self.found.model(&tags.stem),
            tags,
            proxy: alo::Proxy {
                name: Cow::Owned(proxy.name.clone().into_owned()),
                ..*proxy
            },
        }
    }

    /// Dazzles that hang on one bone, wear one texture and show together are one mesh.
    fn dazzles(&mut self, file: &AloFile<'_>) -> Vec<DazzleGroup> {
        let mut groups: Vec<(DazzleKey<'_>, Vec<usize>)> = Vec::new();
        let mut places: HashMap<DazzleKey<'_>, usize> = HashMap::default();
        for (index, dazzle) in file.dazzles.iter().enumerate() {
            let key = DazzleKey::of(dazzle);
            let place = *places.entry(key).or_insert_with(|| {
                groups.push((key, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, members)) = groups.get_mut(place) {
                members.push(index);
            }
        }
        let mut materials: HashMap<String, Handle<DazzleMaterial>> = HashMap::default();
        let groups = groups.into_iter().enumerate();
        groups
            .map(|(number, (key, members))| {
                let dazzles: Vec<&alo::Dazzle<'_>> = members
                    .iter()
                    .filter_map(|index| file.dazzles.get(*index))
                    .collect();
                let texture = self.found.texture(Some(key.texture), true);
                let label = AloAssetLabel::DazzleMaterial(materials.len()).to_string();
                let material = materials.entry(folded(key.texture)).or_insert_with(|| {
                    let material = texture.map_or_else(DazzleMaterial::default, |texture| {
                        DazzleMaterial { texture }
                    });
                    self.load_context.add_labeled_asset(label, material)
                });
                let label = AloAssetLabel::Dazzles(number).to_string();
                DazzleGroup {
                    bone: key.bone as usize,
                    name: key.name.to_owned(),
                    hidden: key.hidden,
                    night_only: key.night_only,
                    bounds: dazzle_aabb(dazzles.iter().copied()).unwrap_or_default(),
                    mesh: self
                        .load_context
                        .add_labeled_asset(label, dazzle_mesh(dazzles)),
                    material: material.clone(),
                }
            })
            .collect()
    }
}

/// A number of everything that decides how a material looks. A text would take memory several times: names may be long.
fn material_key(shading: &Shading) -> u64 {
    let mut text = Hashed(DefaultHasher::new());
    // A hasher takes everything.
    let _ = write!(text, "{shading:?}");
    text.0.finish()
}

/// Hashes what is written to it.
struct Hashed(DefaultHasher);

impl Write for Hashed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}

/// What dazzles of one group have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct DazzleKey<'a> {
    bone: u32,
    texture: &'a str,
    name: &'a str,
    hidden: bool,
    night_only: bool,
}

impl<'a> DazzleKey<'a> {
    fn of(dazzle: &'a alo::Dazzle<'_>) -> Self {
        Self {
            bone: dazzle.bone,
            texture: &dazzle.texture,
            name: &dazzle.name,
            hidden: dazzle.is_hidden,
            night_only: dazzle.night_only,
        }
    }
}

fn owned_light(light: &alo::Light<'_>) -> alo::Light<'static> {
    alo::Light {
        name: Cow::Owned(light.name.clone().into_owned()),
        ..*light
    }
}

fn owned_dazzle(dazzle: &alo::Dazzle<'_>) -> alo::Dazzle<'static> {
    alo::Dazzle {
        name: Cow::Owned(dazzle.name.clone().into_owned()),
        texture: Cow::Owned(dazzle.texture.clone().into_owned()),
        ..*dazzle
    }
}
