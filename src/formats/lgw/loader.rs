//! The asset loader: makes the [`Lgw`] asset, its labeled assets and its scene from a file.

use crate::formats::lgw::asset::{
    Lgw, LgwAssetLabel, LgwMaterial, LgwMaterialHandle, LgwMaterialInfo, LgwMeshInfo, LgwModel,
};
use crate::formats::lgw::components::{LgwInstance, LgwMesh};
use crate::formats::lgw::convert::{ConvertedLgw, ConvertedMesh};
use crate::formats::lgw::dependencies::load_textures;
use crate::formats::lgw::material::{is_plain, standard, tex_env};
use crate::formats::lgw::settings::{LgwLoaderSettings, LgwUpAxis};
use crate::geometry::axes::{Mirror, z_up_forward_minus_y};
use crate::load::error::ModelLoadError;
use crate::load::loading::LoaderOverride;
use crate::load::loading::{InvalidSetting, ModelLoad, check_positive};
use crate::load::names::index_names;
use crate::spawn::format::{Format, ModelLoader};
use crate::spawn::instance::{ModelFormat, ModelInstance, RayPart, SharedModel};
use crate::spawn::render_layers::HasLayers;
use crate::spawn::scene::{SceneModel, SceneRoot, Spawnable, insert, spawn_below};
use crate::texture::sampling::Samplings;
use bevy::asset::LoadContext;
use bevy::camera::primitives::Aabb;
use bevy::math::bounding::BoundingVolume;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use classic_model_formats::lgw::Material;
use std::sync::Arc;

/// Loads models of UFO: Aftermath as [`Lgw`] assets.
pub type LgwLoader = ModelLoader<Lgw>;

impl Format for Lgw {
    const FORMAT: ModelFormat = ModelFormat::UfoAftermath;
    const LOADER: &'static str = "bevy_classic_models::lgw::loader::LgwLoader";

    type Settings = LgwLoaderSettings;
    type State = Samplings;
    type Instance = LgwInstance;
    type OnRoot = LgwInstance;

    fn prepare(
        settings: &mut LgwLoaderSettings,
        overrides: &LoaderOverride,
    ) -> Result<(), InvalidSetting> {
        overrides.prepend_folders(&mut settings.texture_folders);
        check_positive("scale", settings.scale)
    }

    async fn load(
        loader: &LgwLoader,
        load: &ModelLoad<'_>,
        bytes: &[u8],
        settings: &LgwLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<(Lgw, Vec<Handle<Image>>), ModelLoadError> {
        let converted = load.parsed(ConvertedLgw::load(bytes, settings))?;
        load.warn(&converted.warnings);
        let (materials, samplings) = (&converted.file.materials, &loader.state);
        let textures = load_textures(load, materials, settings, bytes, samplings, load_context);
        let textures = textures.await;
        let used: Vec<_> = textures.iter().flatten().flatten().cloned().collect();
        let model = Arc::new(model(converted, textures, settings, load_context));
        let scene = scene(&model, settings, load_context).add(load_context);
        Ok((Lgw { scene, model }, used))
    }

    fn scene(&self) -> &Handle<WorldAsset> {
        &self.scene
    }
}

/// Makes the model and all labeled assets except the scene.
fn model(
    converted: ConvertedLgw<'_>,
    textures: Vec<[Option<Handle<Image>>; 2]>,
    settings: &LgwLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> LgwModel {
    let ConvertedLgw {
        file,
        meshes,
        warnings,
    } = converted;
    let mut material_ids = HashMap::default();
    let mut materials = Vec::with_capacity(file.materials.len());
    for (index, (source, textures)) in file.materials.into_iter().zip(textures).enumerate() {
        material_ids.entry(source.id).or_insert(index);
        materials.push(material(
            index,
            source.into_owned(),
            textures,
            settings,
            load_context,
        ));
    }
    let boxes = meshes.iter().filter_map(|mesh| mesh.bounds);
    let bounds = boxes.reduce(|a, b| a.merge(&b));
    let meshes = meshes.into_iter().enumerate().map(|(index, converted)| {
        let material = converted
            .material
            .and_then(|id| material_ids.get(&id).copied());
        mesh(index, converted, material, load_context)
    });
    let meshes: Vec<LgwMeshInfo> = meshes.collect();
    let needs_default = meshes.iter().any(|mesh| mesh.material.is_none());
    let default_material = needs_default.then(|| {
        let white = standard(&Material::default(), None, settings);
        load_context.add_labeled_asset(LgwAssetLabel::DefaultMaterial.to_string(), white)
    });
    let named_meshes = index_names(meshes.iter().map(|mesh| &*mesh.name));
    let shared = SharedModel {
        names: vec![(0, named_meshes.clone())],
        can_hide: vec![true; meshes.len()],
        spelled: meshes.iter().map(|mesh| mesh.name.clone()).collect(),
        bounds,
        ..SharedModel::default()
    };
    LgwModel {
        name: file.name.into(),
        version: file.version,
        source: file.source.map(Into::into),
        named_materials: index_names(materials.iter().map(|material| &*material.name)),
        materials,
        material_ids,
        default_material,
        named_meshes,
        shared: shared.into(),
        meshes,
        bounds,
        warnings,
    }
}

fn material(
    index: usize,
    source: Material<'static>,
    textures: [Option<Handle<Image>>; 2],
    settings: &LgwLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> LgwMaterialInfo {
    let render_material = if is_plain(&source) {
        let label = LgwAssetLabel::StandardMaterial(index).to_string();
        let material = standard(&source, textures[0].clone(), settings);
        LgwMaterialHandle::Standard(load_context.add_labeled_asset(label, material))
    } else {
        let label = LgwAssetLabel::TexEnvMaterial(index).to_string();
        let material = tex_env(&source, textures.clone(), settings);
        LgwMaterialHandle::TexEnv(load_context.add_labeled_asset(label, material))
    };
    let (id, name) = (source.id, (*source.name).into());
    let material = LgwMaterial {
        source,
        textures,
        render_material: render_material.clone(),
    };
    let label = LgwAssetLabel::Material(index).to_string();
    LgwMaterialInfo {
        id,
        name,
        material: load_context.add_labeled_asset(label, material),
        render_material,
    }
}

fn mesh(
    index: usize,
    converted: ConvertedMesh,
    material: Option<usize>,
    load_context: &mut LoadContext<'_>,
) -> LgwMeshInfo {
    let mesh = converted.mesh.map(|mesh| {
        let label = LgwAssetLabel::Mesh(index).to_string();
        load_context.add_labeled_asset(label, mesh)
    });
    LgwMeshInfo {
        name: converted.name,
        material_ref: converted.material,
        material,
        vertices: converted.vertices,
        triangles: converted.triangles,
        groups: converted.groups,
        mesh,
        bounds: converted.bounds,
    }
}

/// The scene of a model.
pub(crate) fn scene(
    model: &Arc<LgwModel>,
    settings: &LgwLoaderSettings,
    load_context: &LoadContext<'_>,
) -> SceneModel {
    let turns = settings.up_axis == LgwUpAxis::Z && settings.convert_axes;
    let axes = turns.then(z_up_forward_minus_y);
    let shared = &model.shared;
    SceneModel::new::<Lgw>(model.clone(), shared, load_context, axes, settings.scale)
        .with_mirror(Mirror(settings.mirror()))
}

impl Spawnable for LgwModel {
    fn spawn(self: Arc<Self>, world: &mut World, root: Entity, scene: SceneRoot) {
        let scene = spawn_below(world, root, scene.bundle);
        let meshes = self.meshes.iter().enumerate();
        let ray_part = RayPart {
            format: ModelFormat::UfoAftermath,
            root,
        };
        let meshes = meshes.map(|mesh| spawn_mesh(world, scene, &self, mesh, ray_part));
        let meshes: Vec<Entity> = meshes.collect();
        let named = meshes.iter().copied().enumerate();
        let any = ModelInstance::new(ModelFormat::UfoAftermath, self.shared.clone(), scene, named);
        let instance = LgwInstance {
            model: self,
            meshes,
        };
        insert(world, root, (instance, any));
    }
}

fn spawn_mesh(
    world: &mut World,
    root: Entity,
    model: &LgwModel,
    (index, mesh): (usize, &LgwMeshInfo),
    ray_part: RayPart,
) -> Entity {
    let components = (
        Name::new(mesh.name.to_string()),
        Transform::IDENTITY,
        Visibility::Inherited,
        LgwMesh { index },
    );
    let entity = spawn_below(world, root, components);
    if let (Some(handle), Some(bounds)) = (&mesh.mesh, mesh.bounds) {
        let aabb = Aabb::from_min_max(bounds.min.into(), bounds.max.into());
        let drawn = (Mesh3d(handle.clone()), aabb, HasLayers, ray_part);
        insert(world, entity, drawn);
        match model.render_material(mesh) {
            Some(LgwMaterialHandle::Standard(material)) => {
                insert(world, entity, MeshMaterial3d(material));
            }
            Some(LgwMaterialHandle::TexEnv(material)) => {
                insert(world, entity, MeshMaterial3d(material));
            }
            None => {}
        }
    }
    entity
}
