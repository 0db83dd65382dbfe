//! From the asset server's bytes to the [`Abc`] asset and everything it holds.

use crate::lithtech::abc::Animation;
use crate::lithtech::asset::{
    Abc, AbcAnimation, AbcAssetLabel, AbcDeformInfo, AbcLevel, AbcMaterials, AbcMeshInfo, AbcModel,
    AbcNodeInfo, AbcSkin,
};
use crate::lithtech::convert::{ConvertedAbc, ConvertedClip, ConvertedLod};
use crate::lithtech::data_texture::data_image;
use crate::lithtech::deform::ConvertedDeform;
use crate::lithtech::dependencies::{SkinPicture, find_skins};
use crate::lithtech::limits::check_depth;
use crate::lithtech::lods::lod_distances;
use crate::lithtech::material::{
    AbcDeform, AbcDeformUniform, plain_material, surface_flags, surface_material,
};
use crate::lithtech::meshes::ConvertedMesh;
use crate::lithtech::pose_table::POSE_TABLE_IMAGE;
use crate::lithtech::settings::AbcLoaderSettings;
use crate::lithtech::spawn::scene;
use crate::lithtech::tracks::times;
use crate::scene::{ModelLoadError, ModelLoading, apply_skin, index_names, is_near};
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::math::{Vec3, Vec3A};
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::pbr::{ExtendedMaterial, StandardMaterial};
use bevy::reflect::TypePath;
use std::sync::Arc;

/// Loads LithTech models: see [`Abc`] for what becomes of them.
#[derive(TypePath)]
pub struct AbcLoader {
    loading: ModelLoading,
    extensions: Vec<&'static str>,
}

impl AbcLoader {
    pub(super) fn new(loading: ModelLoading, extensions: Vec<&'static str>) -> Self {
        Self {
            loading,
            extensions,
        }
    }
}

impl AssetLoader for AbcLoader {
    type Asset = Abc;
    type Settings = AbcLoaderSettings;
    type Error = ModelLoadError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &AbcLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<Abc, ModelLoadError> {
        let load = self.loading.begin(load_context);
        let settings = &load.settings(settings)?;
        let bytes = load.read(reader).await?;
        let contents = ConvertedAbc::load(&bytes, settings);
        let contents = contents.and_then(|contents| {
            check_depth(&contents.file)?;
            Ok(contents)
        });
        let contents = load.parsed(contents)?;
        load.warn(&contents.warnings);
        let pictures = find_skins(&load, settings, load_context).await;
        let model = Arc::new(model(contents, pictures, settings, load_context));
        let scene = scene(&model, settings, load_context);
        let skins = model.skins.iter();
        let pictures = skins.flat_map(|skin| skin.glow.iter().chain([&skin.image]));
        let pictures = pictures.cloned().collect();
        load.finish(load_context, pictures).await;
        Ok(Abc { scene, model })
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}

/// Makes assets of everything but the scene.
fn model(
    contents: ConvertedAbc<'_>,
    pictures: Vec<SkinPicture>,
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
    } = contents;
    let bounds = levels.first().map(|level| bounds(level, &nodes));
    let surfaces = surfaces(&nodes);
    let mut materials = Materials {
        deforms: Vec::with_capacity(deforms.len()),
        surfaces: &surfaces,
        settings,
        load_context,
    };
    let deforms = materials.deforms(deforms, &nodes);
    let plain = pictures.is_empty().then(|| materials.plain());
    let pictures = pictures.into_iter().enumerate();
    let skins = pictures
        .map(|(index, picture)| materials.skin(index, picture))
        .collect();
    let inverse_bindposes = (!joints.is_empty()).then(|| {
        let label = AbcAssetLabel::InverseBindposes.to_string();
        let poses = SkinnedMeshInverseBindposes::from(inverse_bindposes);
        load_context.add_labeled_asset(label, poses)
    });
    let numbers: Vec<u32> = levels.iter().map(|level| level.number).collect();
    let lod_distances = lod_distances(&numbers, &file.command_string, settings);
    let mut made = Vec::with_capacity(levels.len());
    for (index, contents) in levels.into_iter().enumerate() {
        made.push(level(index, contents, load_context));
    }
    let mut animations = Vec::with_capacity(clips.len());
    let mut first_pose = 0;
    for (index, (of, contents)) in file.animations.iter().zip(clips).enumerate() {
        let place = (index, first_pose);
        animations.push(animation(place, of, contents, load_context));
        first_pose += of.keyframes.len();
    }
    AbcModel {
        command_string: (*file.command_string).into(),
        transform: file.transform(),
        named_nodes: index_names(nodes.iter().map(|node| &*node.name)),
        nodes,
        named_animations: index_names(animations.iter().map(|animation| &*animation.name)),
        animations,
        levels: made,
        bounds: bounds.flatten().unwrap_or(Aabb3d {
            min: Vec3A::ZERO,
            max: Vec3A::ZERO,
        }),
        joints,
        inverse_bindposes,
        deforms,
        skins,
        plain,
        surfaces,
        lod_distances,
        scroll_speed: settings.scroll_speed.map(finite),
        warnings,
    }
}

/// Makes what draws a model.
struct Materials<'a, 'b> {
    /// For each node that deforms, its surface, the poses and how to read them.
    deforms: Vec<(usize, u8, AbcDeform)>,
    /// The model's ways to draw nodes.
    surfaces: &'a [u8],
    settings: &'a AbcLoaderSettings,
    load_context: &'a mut LoadContext<'b>,
}

impl Materials<'_, '_> {
    fn deforms(
        &mut self,
        contents: Vec<ConvertedDeform>,
        nodes: &[AbcNodeInfo],
    ) -> Vec<AbcDeformInfo> {
        let mut deforms = Vec::with_capacity(contents.len());
        for contents in contents {
            let node = contents.node;
            let label = AbcAssetLabel::Poses { node }.to_string();
            let uniform = AbcDeformUniform::new(&contents);
            let image = data_image(contents.texels);
            let poses = self.load_context.add_labeled_asset(label, image);
            let label = AbcAssetLabel::VertexAdjacency { node }.to_string();
            let image = data_image(contents.around);
            let deform = AbcDeform {
                poses: poses.clone(),
                around: self.load_context.add_labeled_asset(label, image),
                uniform,
                instances: POSE_TABLE_IMAGE,
            };
            let flags = nodes.get(node).map_or(0, |node| surface_flags(node.flags));
            self.deforms.push((node, flags, deform));
            let [min, max] = contents.bounds.map(Vec3A::from);
            deforms.push(AbcDeformInfo {
                node,
                poses,
                bounds: Aabb3d { min, max },
            });
        }
        deforms
    }

    fn skin(&mut self, skin: usize, picture: SkinPicture) -> AbcSkin {
        let SkinPicture { image, glow } = picture;
        let mut plain = plain_material(self.settings);
        apply_skin(&mut plain, image.clone(), glow.clone());
        AbcSkin {
            image,
            glow,
            materials: self.materials(Some(skin), &plain),
        }
    }

    /// What draws a model without skins.
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

/// Settings may say anything.
fn finite(number: f32) -> f32 {
    if number.is_finite() { number } else { 0.0 }
}

/// The ways in which nodes are drawn, the plain one first.
fn surfaces(nodes: &[AbcNodeInfo]) -> Vec<u8> {
    let mut surfaces = vec![0];
    for flags in nodes.iter().map(|node| surface_flags(node.flags)) {
        if !surfaces.contains(&flags) {
            surfaces.push(flags);
        }
    }
    surfaces
}

fn level(index: usize, contents: ConvertedLod, load_context: &mut LoadContext<'_>) -> AbcLevel {
    let meshes = contents.meshes.into_iter();
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
        number: contents.number,
        triangles: contents.triangles,
        meshes: meshes.collect(),
    }
}

fn animation(
    (index, first_pose): (usize, usize),
    animation: &Animation<'_>,
    contents: ConvertedClip,
    load_context: &mut LoadContext<'_>,
) -> AbcAnimation {
    let label = AbcAssetLabel::Animation(index).to_string();
    AbcAnimation {
        name: contents.name,
        clip: load_context.add_labeled_asset(label, contents.clip),
        seconds: animation.seconds(),
        keyframes: times(animation),
        first_pose,
        events: contents.events,
        dims: animation.dims.map(Vec3::from_array),
    }
}

/// The box around all meshes of a level in the model's space; none if there are none.
fn bounds(level: &ConvertedLod, nodes: &[AbcNodeInfo]) -> Option<Aabb3d> {
    let in_model = |mesh: &ConvertedMesh| match mesh.node.and_then(|node| nodes.get(node)) {
        Some(node) if is_near(node.bind_pose.translation.into()) => Some(
            mesh.bounds
                .transformed_by(node.bind_pose.translation, node.bind_pose.rotation),
        ),
        Some(_) => None,
        None => Some(mesh.bounds),
    };
    let boxes = level.meshes.iter().filter_map(in_model);
    boxes.reduce(|a, b| a.merge(&b))
}
