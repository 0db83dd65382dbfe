//! The asset loader: makes the [`Abc`] asset and its labeled assets from a file's bytes.

use crate::appearance::skins::apply_skin;
use crate::formats::lithtech::animation::rig::AbcAnimator;
use crate::formats::lithtech::animation::tracks::keyframe_times;
use crate::formats::lithtech::asset::{
    Abc, AbcAnimation, AbcAssetLabel, AbcDeformInfo, AbcLevel, AbcMaterials, AbcMeshInfo, AbcModel,
    AbcNodeInfo, AbcSkin,
};
use crate::formats::lithtech::components::AbcInstance;
use crate::formats::lithtech::convert::file::{
    ConvertedAbc, ConvertedClip, ConvertedLod, node_bounds,
};
use crate::formats::lithtech::convert::lods::lod_distances;
use crate::formats::lithtech::convert::meshes::ConvertedMesh;
use crate::formats::lithtech::crowd::AbcCrowd;
use crate::formats::lithtech::deform::ConvertedDeform;
use crate::formats::lithtech::deform::pose_table::AbcPoseTable;
use crate::formats::lithtech::dependencies::{SkinImages, find_skins};
use crate::formats::lithtech::limits::check_depth;
use crate::formats::lithtech::materials::data_texture::data_image;
use crate::formats::lithtech::materials::material::{
    AbcDeform, AbcDeformUniform, plain_material, surface_flags, surface_material,
};
use crate::formats::lithtech::settings::AbcLoaderSettings;
use crate::formats::lithtech::spawn::scene;
use crate::geometry::vertices::is_position_in_range;
use crate::load::error::ModelLoadError;
use crate::load::loading::LoaderOverride;
use crate::load::loading::{InvalidSetting, ModelLoad, check_positive};
use crate::load::names::index_names;
use crate::playback::skeletal::propagate::PosedScene;
use crate::playback::skeletal::shared_clips::ClipBones;
use crate::spawn::format::{Format, ModelLoader};
use crate::spawn::instance::ModelFormat;
use crate::spawn::instance::SharedModel;
use bevy::asset::{LoadContext, RenderAssetUsages};
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use classic_model_formats::abc::Animation;
use std::sync::Arc;

/// The usage of the images of deforming vertices. Ray casts and crowds also read them in the main world.
const DEFORM_USAGE: RenderAssetUsages =
    RenderAssetUsages::MAIN_WORLD.union(RenderAssetUsages::RENDER_WORLD);

/// Loads LithTech models as [`Abc`] assets.
pub type AbcLoader = ModelLoader<Abc>;

impl Format for Abc {
    const FORMAT: ModelFormat = ModelFormat::LithTech;
    const LOADER: &'static str = "bevy_classic_models::lithtech::loader::AbcLoader";

    type Settings = AbcLoaderSettings;
    type State = ();
    type Instance = AbcInstance;
    type OnRoot = (AbcInstance, AbcAnimator, AbcCrowd, PosedScene);

    fn prepare(
        settings: &mut AbcLoaderSettings,
        overrides: &LoaderOverride,
    ) -> Result<(), InvalidSetting> {
        overrides.prepend_folders(&mut settings.texture_folders);
        overrides.set_clip_bones(&mut settings.clip_bones);
        check_positive("scale", settings.scale)
    }

    async fn load(
        _: &AbcLoader,
        load: &ModelLoad<'_>,
        bytes: &[u8],
        settings: &AbcLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<(Abc, Vec<Handle<Image>>), ModelLoadError> {
        let converted = ConvertedAbc::load(bytes, settings);
        let converted = converted.and_then(|converted| {
            check_depth(&converted.file)?;
            Ok(converted)
        });
        let converted = load.parsed(converted)?;
        load.warn(&converted.warnings);
        let skin_images = find_skins(load, settings, load_context).await;
        let model = Arc::new(model(converted, skin_images, settings, load_context));
        let scene = scene(&model, settings, load_context).add(load_context);
        let skins = model.skins.iter();
        let images = skins.flat_map(|skin| skin.glow.iter().chain([&skin.image]));
        let images = images.cloned().collect();
        Ok((Abc { scene, model }, images))
    }

    fn scene(&self) -> &Handle<WorldAsset> {
        &self.scene
    }

    fn lod_distances(instance: &AbcInstance) -> &[f32] {
        &instance.model.lod_distances
    }
}

/// Adds all labeled assets except the scene, and makes the model of them.
fn model(
    converted: ConvertedAbc<'_>,
    skin_images: Vec<SkinImages>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> AbcModel {
    let ConvertedAbc {
        file,
        nodes,
        levels,
        joints,
        inverse_bindposes,
        deforms,
        clips,
        warnings,
    } = converted;
    let bounds = levels.first().map(|level| bounds(level, &nodes));
    let node_bounds = node_bounds(&levels, &joints, &nodes, &deforms);
    let surfaces = surfaces(&nodes);
    let mut materials = Materials {
        deforms: Vec::with_capacity(deforms.len()),
        surfaces: &surfaces,
        settings,
        load_context,
    };
    let deforms = materials.deforms(deforms, &nodes);
    let plain = skin_images.is_empty().then(|| materials.plain());
    let skin_images = skin_images.into_iter().enumerate();
    let skins = skin_images
        .map(|(index, images)| materials.skin(index, images))
        .collect();
    let inverse_bindposes = (!joints.is_empty()).then(|| {
        let label = AbcAssetLabel::InverseBindposes.to_string();
        let poses = SkinnedMeshInverseBindposes::from(inverse_bindposes);
        load_context.add_labeled_asset(label, poses)
    });
    let numbers: Vec<u32> = levels.iter().map(|level| level.number).collect();
    let lod_distances = lod_distances(&numbers, &file.command_string, settings);
    let mut level_assets = Vec::with_capacity(levels.len());
    for (index, converted) in levels.into_iter().enumerate() {
        level_assets.push(level(index, converted, load_context));
    }
    let mut animations = Vec::with_capacity(clips.len());
    let mut first_pose = 0;
    for (index, (source, converted)) in file.animations.iter().zip(clips).enumerate() {
        let indices = (index, first_pose);
        animations.push(animation(indices, source, converted, load_context));
        first_pose += source.keyframes.len();
    }
    let named_nodes = index_names(nodes.iter().map(|node| &*node.name));
    let bounds = bounds.flatten().unwrap_or(Aabb3d {
        min: Vec3A::ZERO,
        max: Vec3A::ZERO,
    });
    let mut can_hide = vec![false; nodes.len()];
    let meshes = level_assets.iter().flat_map(|level| &level.meshes);
    let mut has_shared_mesh = false;
    for mesh in meshes {
        match mesh.node {
            Some(node) => can_hide[node] = true,
            None => has_shared_mesh = true,
        }
    }
    let shared = SharedModel {
        names: vec![(0, named_nodes.clone())],
        bones: (0..nodes.len()).collect(),
        fixed_parts: has_shared_mesh.then_some(ONE_MESH),
        levels: level_assets.len(),
        spelled: nodes.iter().map(|node| node.name.clone()).collect(),
        can_hide,
        bounds: Some(bounds),
        ..SharedModel::default()
    };
    AbcModel {
        command_string: (*file.command_string).into(),
        transform: file.transform(),
        clip_bones: ClipBones::new(nodes.iter().map(|node| &*node.name), &settings.clip_bones),
        named_nodes,
        shared: shared.into(),
        nodes,
        named_animations: index_names(animations.iter().map(|animation| &*animation.name)),
        animations,
        levels: level_assets,
        bounds,
        joints,
        inverse_bindposes,
        deforms,
        skins,
        plain,
        surfaces,
        lod_distances,
        scroll_speed: settings.scroll_speed.map(finite),
        warnings,
        node_bounds,
    }
}

/// The warning about [`PartVisibility`](crate::root::PartVisibility) for a model whose nodes have no meshes of their own.
const ONE_MESH: &str = "is one skinned mesh, except for deforming nodes, so `PartVisibility` cannot hide its parts; the setting \
                        `separate_node_meshes` gives each node its own mesh";

/// Makes the materials of a model.
struct Materials<'a, 'b> {
    /// For each node that deforms: its index, its [`surface_flags`], and its material extension.
    deforms: Vec<(usize, u8, AbcDeform)>,
    /// The distinct [`surface_flags`] of the model's nodes.
    surfaces: &'a [u8],
    settings: &'a AbcLoaderSettings,
    load_context: &'a mut LoadContext<'b>,
}

impl Materials<'_, '_> {
    fn deforms(
        &mut self,
        converted: Vec<ConvertedDeform>,
        nodes: &[AbcNodeInfo],
    ) -> Vec<AbcDeformInfo> {
        let mut deforms = Vec::with_capacity(converted.len());
        for converted in converted {
            let node = converted.node;
            let label = AbcAssetLabel::Poses { node }.to_string();
            let uniform = AbcDeformUniform::new(&converted);
            let image = data_image(converted.texels, DEFORM_USAGE);
            let poses = self.load_context.add_labeled_asset(label, image);
            let label = AbcAssetLabel::VertexAdjacency { node }.to_string();
            let image = data_image(converted.vertex_adjacency, DEFORM_USAGE);
            let vertex_adjacency = self.load_context.add_labeled_asset(label, image);
            let deform = AbcDeform {
                poses: poses.clone(),
                vertex_adjacency: vertex_adjacency.clone(),
                uniform,
                instances: AbcPoseTable::image(),
            };
            let flags = nodes.get(node).map_or(0, |node| surface_flags(node.flags));
            self.deforms.push((node, flags, deform));
            let [min, max] = converted.bounds.map(Vec3A::from);
            deforms.push(AbcDeformInfo {
                node,
                poses,
                vertex_adjacency,
                bounds: Aabb3d { min, max },
                uniform,
            });
        }
        deforms
    }

    fn skin(&mut self, skin: usize, images: SkinImages) -> AbcSkin {
        let SkinImages { image, glow } = images;
        let mut plain = plain_material(self.settings);
        apply_skin(&mut plain, image.clone(), glow.clone());
        AbcSkin {
            image,
            glow,
            materials: self.materials(Some(skin), &plain),
        }
    }

    /// Makes the materials of a model without skins.
    fn plain(&mut self) -> AbcMaterials {
        self.materials(None, &plain_material(self.settings))
    }

    fn materials(&mut self, skin: Option<usize>, plain: &StandardMaterial) -> AbcMaterials {
        let mut surfaces = Vec::with_capacity(self.surfaces.len());
        for flags in self.surfaces.iter().copied() {
            let label = match flags {
                0 => AbcAssetLabel::Material(skin),
                _ => AbcAssetLabel::SurfaceMaterial { skin, flags },
            };
            let material = surface_material(plain, flags);
            surfaces.push(
                self.load_context
                    .add_labeled_asset(label.to_string(), material),
            );
        }
        let mut deforming = Vec::with_capacity(self.deforms.len());
        for (node, flags, extension) in &self.deforms {
            let label = AbcAssetLabel::DeformMaterial { skin, node: *node };
            let material = ExtendedMaterial {
                base: surface_material(plain, *flags),
                extension: extension.clone(),
            };
            deforming.push(
                self.load_context
                    .add_labeled_asset(label.to_string(), material),
            );
        }
        AbcMaterials {
            surfaces,
            deforming,
        }
    }
}

/// Replaces a setting that is not finite by 0.
fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// The distinct [`surface_flags`] of nodes. The first is 0, even if no node has it.
fn surfaces(nodes: &[AbcNodeInfo]) -> Vec<u8> {
    let mut surfaces = vec![0];
    for flags in nodes.iter().map(|node| surface_flags(node.flags)) {
        if !surfaces.contains(&flags) {
            surfaces.push(flags);
        }
    }
    surfaces
}

fn level(index: usize, converted: ConvertedLod, load_context: &mut LoadContext<'_>) -> AbcLevel {
    let meshes = converted.meshes.into_iter();
    let meshes = meshes.map(|ConvertedMesh { node, mesh, bounds }| {
        let label = match node {
            Some(node) => AbcAssetLabel::NodeMesh { level: index, node },
            None => AbcAssetLabel::Mesh { level: index },
        };
        AbcMeshInfo {
            node,
            mesh: load_context.add_labeled_asset(label.to_string(), mesh),
            bounds,
        }
    });
    AbcLevel {
        number: converted.number,
        triangles: converted.triangles,
        meshes: meshes.collect(),
    }
}

fn animation(
    (index, first_pose): (usize, usize),
    animation: &Animation<'_>,
    converted: ConvertedClip,
    load_context: &mut LoadContext<'_>,
) -> AbcAnimation {
    let label = AbcAssetLabel::Animation(index).to_string();
    AbcAnimation {
        name: converted.name,
        clip: load_context.add_labeled_asset(label, converted.clip),
        seconds: animation.seconds(),
        keyframes: keyframe_times(animation),
        first_pose,
        events: converted.events,
        reference: converted.reference,
        curves: converted.curves,
        dims: animation.dims.map(Vec3::from_array),
    }
}

/// The bounding box, in model space, of all meshes of a LOD. `None` if there are no meshes.
fn bounds(level: &ConvertedLod, nodes: &[AbcNodeInfo]) -> Option<Aabb3d> {
    let model_bounds = |mesh: &ConvertedMesh| match mesh.node.and_then(|node| nodes.get(node)) {
        Some(node) if is_position_in_range(node.bind_pose.translation.into()) => Some(
            mesh.bounds
                .transformed_by(node.bind_pose.translation, node.bind_pose.rotation),
        ),
        Some(_) => None,
        None => Some(mesh.bounds),
    };
    let boxes = level.meshes.iter().filter_map(model_bounds);
    boxes.reduce(|a, b| a.merge(&b))
}
