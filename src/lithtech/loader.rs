//! From the asset server's bytes to the [`Abc`] asset and everything it holds.

use crate::lithtech::abc::Animation;
use crate::lithtech::convert::{AbcContents, ClipContents, LevelContents};
use crate::lithtech::deform::DeformContents;
use crate::lithtech::material::{
    AbcDeform, AbcDeformMaterial, AbcDeformUniform, material, poses_image,
};
use crate::lithtech::meshes::MeshContents;
use crate::lithtech::model::{
    Abc, AbcAnimation, AbcAssetLabel, AbcDeformInfo, AbcLevel, AbcMeshInfo, AbcModel, AbcNodeInfo,
    AbcSkin,
};
use crate::lithtech::settings::{AbcLoaderError, AbcLoaderSettings};
use crate::lithtech::skins::find_skins;
use crate::lithtech::spawn::scene;
use crate::lithtech::tracks::times;
use crate::scene::{FileFinder, index_names};
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, Handle, LoadContext};
use bevy::image::Image;
use bevy::log::warn;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::math::{Vec3, Vec3A};
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
use bevy::pbr::{ExtendedMaterial, StandardMaterial};
use bevy::reflect::TypePath;
use std::sync::Arc;

/// Loads LithTech models: see [`Abc`] for what becomes of them.
#[derive(TypePath)]
pub struct AbcLoader {
    finder: FileFinder,
    extensions: Vec<&'static str>,
}

impl AbcLoader {
    pub(super) fn new(finder: FileFinder, extensions: Vec<&'static str>) -> Self {
        Self { finder, extensions }
    }
}

impl AssetLoader for AbcLoader {
    type Asset = Abc;
    type Settings = AbcLoaderSettings;
    type Error = AbcLoaderError;

    async fn load(
        &self,
        reader: &mut dyn Reader,
        settings: &AbcLoaderSettings,
        load_context: &mut LoadContext<'_>,
    ) -> Result<Abc, AbcLoaderError> {
        let path = load_context.path().to_string();
        let scale = settings.scale;
        if !scale.is_finite() || scale <= 0.0 {
            return Err(AbcLoaderError::Scale { path, value: scale });
        }
        let mut bytes = Vec::new();
        if let Err(source) = reader.read_to_end(&mut bytes).await {
            return Err(AbcLoaderError::Io { path, source });
        }
        let contents = match AbcContents::load(&bytes, settings) {
            Ok(contents) => contents,
            Err(source) => return Err(AbcLoaderError::Parse { path, source }),
        };
        for warning in &contents.warnings {
            warn!("{path}: {warning}");
        }
        let pictures = find_skins(&self.finder, settings, load_context).await;
        let model = Arc::new(model(contents, pictures, settings, load_context));
        let scene = scene(&model, settings, load_context);
        Ok(Abc { scene, model })
    }

    fn extensions(&self) -> &[&str] {
        &self.extensions
    }
}

/// Makes assets of everything but the scene.
fn model(
    contents: AbcContents<'_>,
    pictures: Vec<Handle<Image>>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> AbcModel {
    let AbcContents {
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
    let mut materials = Materials {
        deforms: Vec::with_capacity(deforms.len()),
        settings,
        load_context,
    };
    let deforms = materials.deforms(deforms);
    let is_plain = pictures.is_empty();
    let pictures = pictures.into_iter().enumerate();
    let skins = pictures
        .map(|(index, image)| materials.skin(index, image))
        .collect();
    let plain = is_plain.then(|| materials.plain());
    let (plain_material, plain_deforming) = plain.unzip();
    let inverse_bindposes = (!joints.is_empty()).then(|| {
        let label = AbcAssetLabel::InverseBindposes.to_string();
        let poses = SkinnedMeshInverseBindposes::from(inverse_bindposes);
        load_context.add_labeled_asset(label, poses)
    });
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
        plain_material,
        plain_deforming: plain_deforming.unwrap_or_default(),
        warnings,
    }
}

/// Makes what draws a model.
struct Materials<'a, 'b> {
    /// For each node that deforms, the poses and how to read them.
    deforms: Vec<(usize, AbcDeform)>,
    settings: &'a AbcLoaderSettings,
    load_context: &'a mut LoadContext<'b>,
}

impl Materials<'_, '_> {
    fn deforms(&mut self, contents: Vec<DeformContents>) -> Vec<AbcDeformInfo> {
        let mut deforms = Vec::with_capacity(contents.len());
        for contents in contents {
            let node = contents.node;
            let label = AbcAssetLabel::Poses { node }.to_string();
            let uniform = AbcDeformUniform::new(&contents);
            let image = poses_image(contents.texels);
            let poses = self.load_context.add_labeled_asset(label, image);
            let deform = AbcDeform {
                poses: poses.clone(),
                uniform,
            };
            self.deforms.push((node, deform));
            let [min, max] = contents.bounds.map(Vec3A::from);
            deforms.push(AbcDeformInfo {
                node,
                poses,
                bounds: Aabb3d { min, max },
            });
        }
        deforms
    }

    fn skin(&mut self, skin: usize, image: Handle<Image>) -> AbcSkin {
        let base = material(Some(image.clone()), self.settings);
        let deforming = self.deforming(&base, |node| AbcAssetLabel::DeformMaterial { skin, node });
        let label = AbcAssetLabel::Material(skin).to_string();
        AbcSkin {
            image,
            material: self.load_context.add_labeled_asset(label, base),
            deforming,
        }
    }

    /// What draws a model without skins.
    fn plain(&mut self) -> (Handle<StandardMaterial>, Vec<Handle<AbcDeformMaterial>>) {
        let base = material(None, self.settings);
        let deforming = self.deforming(&base, |node| AbcAssetLabel::PlainDeformMaterial { node });
        let label = AbcAssetLabel::PlainMaterial.to_string();
        (self.load_context.add_labeled_asset(label, base), deforming)
    }

    fn deforming(
        &mut self,
        base: &StandardMaterial,
        label: impl Fn(usize) -> AbcAssetLabel,
    ) -> Vec<Handle<AbcDeformMaterial>> {
        let mut materials = Vec::with_capacity(self.deforms.len());
        for (node, deform) in &self.deforms {
            let material = ExtendedMaterial {
                base: base.clone(),
                extension: deform.clone(),
            };
            let label = label(*node).to_string();
            materials.push(self.load_context.add_labeled_asset(label, material));
        }
        materials
    }
}

fn level(index: usize, contents: LevelContents, load_context: &mut LoadContext<'_>) -> AbcLevel {
    let meshes = contents.meshes.into_iter();
    let meshes = meshes.map(|MeshContents { node, mesh, bounds }| {
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
    contents: ClipContents,
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
fn bounds(level: &LevelContents, nodes: &[AbcNodeInfo]) -> Option<Aabb3d> {
    let in_model = |mesh: &MeshContents| match mesh.node.and_then(|node| nodes.get(node)) {
        Some(node) => mesh
            .bounds
            .transformed_by(node.bind_pose.translation, node.bind_pose.rotation),
        None => mesh.bounds,
    };
    let boxes = level.meshes.iter().map(in_model);
    boxes.reduce(|a, b| a.merge(&b))
}
