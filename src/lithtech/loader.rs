//! From the asset server's bytes to the [`Abc`] asset and everything it holds.

use crate::lithtech::abc::Animation;
use crate::lithtech::convert::{AbcContents, ClipContents, LevelContents};
use crate::lithtech::meshes::MeshContents;
use crate::lithtech::model::{
    Abc, AbcAnimation, AbcAssetLabel, AbcLevel, AbcMeshInfo, AbcModel, AbcNodeInfo, AbcSkin,
};
use crate::lithtech::settings::{AbcLoaderError, AbcLoaderSettings};
use crate::lithtech::skins::{find_skins, material};
use crate::lithtech::spawn::scene;
use crate::scene::{FileFinder, index_names};
use bevy::asset::io::Reader;
use bevy::asset::{AssetLoader, LoadContext};
use bevy::log::warn;
use bevy::math::bounding::{Aabb3d, BoundingVolume};
use bevy::math::{Vec3, Vec3A};
use bevy::mesh::skinning::SkinnedMeshInverseBindposes;
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
        let skins = find_skins(&self.finder, settings, load_context).await;
        let model = Arc::new(model(contents, skins, settings, load_context));
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
    skins: Vec<AbcSkin>,
    settings: &AbcLoaderSettings,
    load_context: &mut LoadContext<'_>,
) -> AbcModel {
    let AbcContents {
        file,
        nodes,
        levels,
        joints,
        inverse_bindposes,
        clips,
        warnings,
    } = contents;
    let bounds = levels.first().map(|level| bounds(level, &nodes));
    let plain_material = skins.is_empty().then(|| {
        let label = AbcAssetLabel::PlainMaterial.to_string();
        load_context.add_labeled_asset(label, material(None, settings))
    });
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
    for (index, (of, contents)) in file.animations.iter().zip(clips).enumerate() {
        animations.push(animation((index, of), contents, load_context));
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
        skins,
        plain_material,
        warnings,
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
    (index, animation): (usize, &Animation<'_>),
    contents: ClipContents,
    load_context: &mut LoadContext<'_>,
) -> AbcAnimation {
    let label = AbcAssetLabel::Animation(index).to_string();
    AbcAnimation {
        name: contents.name,
        clip: load_context.add_labeled_asset(label, contents.clip),
        seconds: animation.seconds(),
        keyframes: animation.keyframes.len(),
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
