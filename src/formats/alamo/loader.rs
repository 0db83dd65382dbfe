//! The asset loader for `.alo` files: makes the [`Alo`] asset and its labeled assets.

use crate::formats::alamo::animation::pairing::find_animations;
use crate::formats::alamo::animation::rig::AloAnimator;
use crate::formats::alamo::animation::sounds::{SoundTables, add_sounds};
use crate::formats::alamo::appearance::ShownStage;
use crate::formats::alamo::asset::{
    Alo, AloAssetLabel, AloMesh, AloModel, AloProxyInfo, AloSubmesh, owned_parameter,
};
use crate::formats::alamo::components::{AloInstance, AloShared, DazzleGroup};
use crate::formats::alamo::convert::file::{ConvertedAlo, ConvertedSubmesh};
use crate::formats::alamo::crowd::AloCrowd;
use crate::formats::alamo::dependencies::{Dependencies, extra_is_srgb, find_particle_textures};
use crate::formats::alamo::materials::material::{AloMaterial, Textures, material};
use crate::formats::alamo::materials::shading::{AloShader, BlendPhase, TeamMask};
use crate::formats::alamo::materials::tags::AloTags;
use crate::formats::alamo::particles::asset::AloParticles;
use crate::formats::alamo::particles::draw::is_drawn;
use crate::formats::alamo::particles::emitter::{AloEmitter, Style};
use crate::formats::alamo::particles::parse;
use crate::formats::alamo::particles::plugins::is_plugin_system;
use crate::formats::alamo::particles::{is_particle_system, plugins};
use crate::formats::alamo::parts::dazzle::{DazzleMaterial, dazzle_aabb, dazzle_mesh};
use crate::formats::alamo::settings::AloLoaderSettings;
use crate::formats::alamo::spawn::scene;
use crate::geometry::axes::z_up_forward_minus_y;
use crate::load::error::{ModelLoadError, check_counts, limit};
use crate::load::loading::LoaderOverride;
use crate::load::loading::{InvalidSetting, ModelLoad, check_positive};
use crate::load::names::{folded, index_names};
use crate::playback::skeletal::propagate::PosedScene;
use crate::playback::skeletal::shared_clips::ClipBones;
use crate::spawn::format::{Format, ModelLoader};
use crate::spawn::instance::ModelFormat;
use crate::texture::placeholder::{PLACEHOLDER_IMAGE, PLACEHOLDER_OUTLINE};
use bevy::asset::{AssetPath, LoadContext};
use bevy::math::bounding::Aabb3d;
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use classic_model_formats::alo;
use classic_model_formats::alo::AloFile;
use classic_model_formats::read;
use core::hash::{Hash, Hasher};
use std::borrow::Cow;
use std::sync::Arc;

/// Loads Alamo models and particle systems as [`Alo`] assets.
pub type AloLoader = ModelLoader<Alo>;

/// What the loader holds.
pub struct AloLoaderState {
    pub(crate) animation_extensions: Vec<String>,
    pub(crate) sounds: SoundTables,
}

impl Format for Alo {
    const FORMAT: ModelFormat = ModelFormat::Alamo;
    const LOADER: &'static str = "bevy_classic_models::alamo::loader::AloLoader";

    type Settings = AloLoaderSettings;
    type State = AloLoaderState;
    type Instance = AloInstance;
    type OnRoot = (AloInstance, AloAnimator, ShownStage, AloCrowd, PosedScene);

    fn prepare(
        settings: &mut AloLoaderSettings,
        overrides: &LoaderOverride,
    ) -> Result<(), InvalidSetting> {
        overrides.prepend_folders(&mut settings.texture_folders);
        settings.load_lights = overrides.load_lights.unwrap_or(settings.load_lights);
        overrides.set_clip_bones(&mut settings.clip_bones);
        let hides = overrides.hidden_bones_hide_children;
        settings.hidden_bones_hide_children = hides.unwrap_or(settings.hidden_bones_hide_children);
        check_positive("scale", settings.scale)
    }

    async fn load(
        loader: &AloLoader,
        load: &ModelLoad<'_>,
        bytes: &[u8],
        settings: &AloLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<(Alo, Vec<Handle<Image>>), ModelLoadError> {
        if is_particle_system(bytes) || is_plugin_system(bytes) {
            return load_particles(load, bytes, settings, load_context).await;
        }
        let converted = load.parsed(ConvertedAlo::load(bytes, settings.asset_usage))?;
        load.warn(&converted.warnings);
        warn_about_shaders(load_context.path(), &converted);
        let mut search = load.search();
        let dependencies = Dependencies::find(&converted, settings, &mut search, load_context);
        let mut dependencies = dependencies.await;
        if settings.load_animations {
            dependencies.animations = find_animations(
                &mut search,
                &settings.animation_folders,
                &loader.extensions,
                &loader.state.animation_extensions,
                load_context,
            )
            .await;
            let animations = &mut dependencies.animations;
            let tables = &loader.state.sounds;
            add_sounds(animations, settings, tables, &mut search, load_context).await;
        }
        let textures = dependencies.textures.values();
        let textures: Vec<_> = textures.flatten().cloned().collect();
        let mut assets = Assets {
            dependencies,
            materials: HashMap::default(),
            settings,
            load_context,
        };
        let dazzles = assets.dazzles(&converted.file);
        let model = Arc::new(assets.model(converted));
        let shared = Arc::new(AloShared::new(&model, settings, dazzles, None));
        let scene = scene(&shared, load_context).add(load_context);
        let alo = Alo {
            scene,
            model,
            particles: None,
        };
        Ok((alo, textures))
    }

    fn scene(&self) -> &Handle<WorldAsset> {
        &self.scene
    }
}

fn warn_about_shaders(path: &AssetPath<'_>, model: &ConvertedAlo<'_>) {
    let mut unknown: Vec<&str> = Vec::new();
    for (submesh, converted) in model.submeshes() {
        let shader = &*submesh.shader;
        if !converted.shading.is_supported && !unknown.contains(&shader) {
            unknown.push(shader);
        }
    }
    if !unknown.is_empty() {
        let names = unknown.join(", ");
        warn!(
            "{path}: unknown shaders, drawn as the known ones that their names begin with, otherwise as opaque: {names}"
        );
    }
}

/// Makes the labeled assets of a converted model.
struct Assets<'a, 'b> {
    dependencies: Dependencies,
    /// The materials made so far.
    materials: HashMap<MaterialKey, Handle<AloMaterial>>,
    settings: &'a AloLoaderSettings,
    load_context: &'a mut LoadContext<'b>,
}

impl Assets<'_, '_> {
    fn model(&mut self, converted: ConvertedAlo<'_>) -> AloModel {
        let ConvertedAlo {
            file,
            bones,
            meshes,
            warnings,
        } = converted;
        let mut mesh_infos = Vec::with_capacity(file.meshes.len());
        for (index, (mesh, submeshes)) in file.meshes.iter().zip(meshes).enumerate() {
            mesh_infos.push(self.mesh(index, mesh, submeshes));
        }
        let proxies: Vec<AloProxyInfo> =
            file.proxies.iter().map(|proxy| self.proxy(proxy)).collect();
        let lights: Vec<_> = file.lights.iter().map(owned_light).collect();
        let dazzles: Vec<_> = file.dazzles.iter().map(owned_dazzle).collect();
        let all_tags = (mesh_infos.iter().map(|mesh| &mesh.tags))
            .chain(proxies.iter().map(|proxy| &proxy.tags))
            .cloned()
            .chain(lights.iter().map(|light| AloTags::of(&light.name)))
            .chain(dazzles.iter().map(|dazzle| AloTags::of(&dazzle.name)));
        let mut lods = Vec::new();
        let mut max_damage_stage = 0;
        for tags in all_tags {
            lods.extend(tags.lod);
            max_damage_stage = max_damage_stage.max(tags.alt.unwrap_or(0));
        }
        lods.sort_unstable_by(|a, b| b.cmp(a));
        lods.dedup();
        AloModel {
            version: file.version,
            clip_bones: ClipBones::new(
                bones.iter().map(|bone| &*bone.name),
                &self.settings.clip_bones,
            ),
            named_bones: index_names(bones.iter().map(|bone| &*bone.name)),
            bones,
            named_meshes: index_names(mesh_infos.iter().map(|mesh| &*mesh.name)),
            meshes: mesh_infos,
            lights,
            proxies,
            dazzles,
            animations: core::mem::take(&mut self.dependencies.animations),
            lods,
            max_damage_stage,
            hidden_bones_hide_children: self.settings.hidden_bones_hide_children,
            warnings,
        }
    }

    fn mesh(
        &mut self,
        index: usize,
        mesh: &alo::Mesh<'_>,
        converted: Vec<ConvertedSubmesh>,
    ) -> AloMesh {
        let submeshes = mesh.submeshes.iter().zip(converted).enumerate();
        let submeshes = submeshes.map(|(submesh_index, (submesh, converted))| {
            self.submesh((index, submesh_index), submesh, converted)
        });
        let [min, max] = mesh.bounds.map(Vec3A::from_array);
        AloMesh {
            submeshes: submeshes.collect(),
            tags: AloTags::of(&mesh.name),
            name: (*mesh.name).into(),
            bone: mesh.bone.unwrap_or(0) as usize,
            hidden: mesh.hidden,
            collidable: mesh.collidable,
            bounds: Aabb3d { min, max },
        }
    }

    fn submesh(
        &mut self,
        (mesh, index): (usize, usize),
        submesh: &alo::Submesh<'_>,
        converted: ConvertedSubmesh,
    ) -> AloSubmesh {
        let shading = &converted.shading;
        let label = AloAssetLabel::Submesh {
            mesh,
            submesh: index,
        }
        .to_string();
        let poses_label = AloAssetLabel::InverseBindposes {
            mesh,
            submesh: index,
        }
        .to_string();
        let is_drawn = shading.is_drawn() && converted.mesh.is_some();
        let is_spawned = is_drawn || converted.has_tree();
        let is_team_colored = is_drawn && shading.team != TeamMask::None;
        let is_additive = shading.phase == BlendPhase::Additive;
        let casts_shadows =
            shading.casts_shadows || (self.settings.blended_shadows && !is_additive);
        let poses = converted.inverse_bindposes;
        AloSubmesh {
            shader: (*submesh.shader).into(),
            parameters: submesh.parameters.iter().map(owned_parameter).collect(),
            vertex_format: (*submesh.vertex_format).into(),
            mesh: converted
                .mesh
                .map(|mesh| self.load_context.add_labeled_asset(label, mesh)),
            bounds: converted.bounds,
            is_team_colored,
            is_additive,
            is_grass: converted.shading.grass.is_some(),
            casts_shadows,
            material: is_drawn.then(|| self.material(converted.shading)),
            palette: submesh.palette.iter().map(|bone| bone.get()).collect(),
            inverse_bindposes: (is_spawned && !poses.is_empty()).then(|| {
                let poses = SkinnedMeshInverseBindposes::from(poses);
                self.load_context.add_labeled_asset(poses_label, poses)
            }),
            tree: converted.tree.map(Arc::new),
            skin: converted.skin.map(Arc::new),
        }
    }

    fn material(&mut self, shading: AloShader) -> Handle<AloMaterial> {
        let key = MaterialKey(shading);
        if let Some(material) = self.materials.get(&key) {
            return material.clone();
        }
        let MaterialKey(shading) = &key;
        let base = self
            .dependencies
            .texture(shading.base_texture.as_deref(), true);
        let base_is_missing = shading.base_texture.is_some() && base.is_none();
        let textures = Textures {
            base: match shading.phase {
                // A solid shape would flood the picture.
                BlendPhase::Additive if base_is_missing => Some(PLACEHOLDER_OUTLINE),
                // The setting excludes all textures.
                _ if !base_is_missing || self.dependencies.textures.is_empty() => base,
                BlendPhase::Alpha => Some(PLACEHOLDER_OUTLINE),
                _ => Some(PLACEHOLDER_IMAGE),
            },
            base_is_missing,
            normal: self
                .dependencies
                .texture(shading.normal_texture.as_deref(), false),
            extra: self
                .dependencies
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
        let tags = AloTags::of(&proxy.name);
        AloProxyInfo {
            model: self.dependencies.model(&tags.stem),
            particles: self.dependencies.particles(&tags.stem),
            tags,
            proxy: alo::Proxy {
                name: Cow::Owned(proxy.name.clone().into_owned()),
                ..*proxy
            },
        }
    }

    /// Groups dazzles by [`DazzleKey`], and makes one mesh per group.
    fn dazzles(&mut self, file: &AloFile<'_>) -> Vec<DazzleGroup> {
        let mut groups: Vec<(DazzleKey<'_>, Vec<usize>)> = Vec::new();
        let mut group_indices: HashMap<DazzleKey<'_>, usize> = HashMap::default();
        for (index, dazzle) in file.dazzles.iter().enumerate() {
            let key = DazzleKey::of(dazzle);
            let group = *group_indices.entry(key).or_insert_with(|| {
                groups.push((key, Vec::new()));
                groups.len() - 1
            });
            if let Some((_, dazzles)) = groups.get_mut(group) {
                dazzles.push(index);
            }
        }
        let mut materials: HashMap<String, Handle<DazzleMaterial>> = HashMap::default();
        let groups = groups.into_iter().enumerate();
        groups
            .map(|(group, (key, dazzles))| {
                let dazzles: Vec<&alo::Dazzle<'_>> = dazzles
                    .iter()
                    .filter_map(|index| file.dazzles.get(*index))
                    .collect();
                let texture = self.dependencies.texture(Some(key.texture), true);
                let label = AloAssetLabel::DazzleMaterial(materials.len()).to_string();
                let material = materials.entry(folded(key.texture)).or_insert_with(|| {
                    let material = texture.map_or_else(DazzleMaterial::default, |texture| {
                        DazzleMaterial { texture }
                    });
                    self.load_context.add_labeled_asset(label, material)
                });
                let label = AloAssetLabel::Dazzles(group).to_string();
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

/// A shading, by which sub-meshes share materials.
#[derive(PartialEq)]
struct MaterialKey(AloShader);

/// Shadings with a number that is NaN differ from themselves. So they are not shared.
impl Eq for MaterialKey {}

impl Hash for MaterialKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self(shading) = self;
        (&shading.base_texture, &shading.normal_texture).hash(state);
        (&shading.extra_texture, shading.team, shading.extra).hash(state);
        let numbers = [&shading.color[..], &shading.emissive, &shading.colorization];
        for number in numbers.into_iter().flatten() {
            // 0 and −0 are equal.
            (number + 0.0).to_bits().hash(state);
        }
    }
}

/// The values that all dazzles of a group share.
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

/// Loads a particle system.
pub(crate) async fn load_particles(
    load: &ModelLoad<'_>,
    bytes: &[u8],
    settings: &AloLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> Result<(Alo, Vec<Handle<Image>>), ModelLoadError> {
    let world_rotation = if settings.convert_axes {
        z_up_forward_minus_y().rotation
    } else {
        Quat::IDENTITY
    };
    let mut particles = if is_plugin_system(bytes) {
        let file = plugins::parse(bytes).and_then(|file| {
            let limit = limit!(file.emitters.len(), "emitters", 128, per 1024, "KiB");
            check_counts(read::Format::Particles, None, bytes.len(), &[limit]).map(|()| file)
        });
        AloParticles::of_plugins(load.parsed(file)?, world_rotation)
    } else {
        AloParticles::new(load.parsed(parse(bytes))?, world_rotation)
    };
    load.warn(&particles.warnings);
    warn_about_emitters(load_context.path(), &particles.emitters);
    let mut search = load.search();
    let emitters = &mut particles.emitters;
    find_particle_textures(emitters, settings, &mut search, load_context).await;
    let textures = emitters
        .iter()
        .filter_map(|emitter| emitter.texture.clone());
    let images = textures.collect();
    let label = AloAssetLabel::Particles.to_string();
    let particles = load_context.add_labeled_asset(label, particles);
    let model = Arc::new(AloModel::default());
    let system = Some(particles.clone());
    let shared = Arc::new(AloShared::new(&model, settings, Vec::new(), system));
    let scene = scene(&shared, load_context).add(load_context);
    let alo = Alo {
        scene,
        model,
        particles: Some(particles),
    };
    Ok((alo, images))
}

fn warn_about_emitters(path: &AssetPath<'_>, emitters: &[AloEmitter]) {
    // The parser warns about unknown renderers of plug-ins.
    let hidden = emitters
        .iter()
        .filter(|it| !is_drawn(it) && it.style != Style::NotDrawn);
    let names: Vec<&str> = hidden.map(|it| &*it.emitter.name).collect();
    if !names.is_empty() {
        let names = names.join(", ");
        warn!("{path}: emitters with shadow or decal blending are not drawn: {names}");
    }
}
