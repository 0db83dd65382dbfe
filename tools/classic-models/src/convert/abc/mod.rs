//! Converts LithTech models: nodes, one skinned mesh per level of detail, meshes of nodes with vertex animation as morph
//! targets, and animations.

mod back;
mod clips;

use crate::convert::document::{Document, extras, node};
use crate::convert::material::{self, info, matte};
use crate::convert::mesh::{MeshData, named};
use crate::convert::model::{Converted, Request, model_name};
use crate::convert::morph::{Morph, MorphNodes};
use crate::convert::textures::{Sampling, Textures, Treatment};
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy_classic_models::lithtech::abc::node_flags;
use bevy_classic_models::lithtech::{
    AbcLoaderSettings, ConvertedAbc, ConvertedMesh, MAX_SCENE_DEPTH, surface_flags,
};
use clips::Deform;
use gltf_json::material::{EmissiveFactor, StrengthFactor};
use gltf_json::{Index, Material, Node, Skin, Texture};
use serde_json::json;
use std::collections::HashMap;

/// Converts the bytes of a file.
///
/// # Errors
/// If the file is damaged, its nodes are nested too deep, or its animations have too many weights of morph targets.
pub fn convert(bytes: &[u8], request: &Request<'_>) -> Result<Converted, String> {
    let settings = AbcLoaderSettings::default();
    let model = ConvertedAbc::load(bytes, &settings).map_err(|error| error.to_string())?;
    let depth = model.file.depth();
    if depth > MAX_SCENE_DEPTH {
        return Err(format!(
            "the nodes are nested {depth} deep, but at most {MAX_SCENE_DEPTH} are supported"
        ));
    }
    let name = model_name(request.path);
    let mut builder = Builder {
        document: Document::new(&name),
        textures: request.textures(),
        request,
        model: &model,
        name,
        axes: axes(request.options.scale()).compute_affine(),
        nodes: Vec::new(),
        warnings: model.warnings.iter().map(ToString::to_string).collect(),
        materials: HashMap::new(),
        skin_textures: None,
    };
    builder.add_nodes();
    let skin = builder.add_skin();
    let deforms = builder.add_meshes(skin);
    clips::check_weights(&model, &deforms)?;
    clips::add(&mut builder.document, &model, &builder.nodes, &deforms);
    let Builder {
        document,
        mut warnings,
        textures,
        ..
    } = builder;
    warnings.extend(textures.warnings);
    Ok(Converted { document, warnings })
}

struct Builder<'a> {
    document: Document,
    textures: Textures<'a>,
    request: &'a Request<'a>,
    model: &'a ConvertedAbc<'a>,
    name: String,
    /// From the model's space to that of the scene.
    axes: Affine3A,
    warnings: Vec<String>,
    /// The nodes of the model, in file order.
    nodes: Vec<Index<Node>>,
    /// The materials by the nodes' surface flags.
    materials: HashMap<u8, Index<Material>>,
    /// The skin and its emissive part, once they have been searched.
    skin_textures: Option<[Option<Index<Texture>>; 2]>,
}

/// The nodes of a mesh.
enum Added {
    Mesh(Index<Node>),
    Morph(MorphNodes),
}

/// The transform of the root, which turns the model from −Z to +Z.
fn axes(scale: f32) -> Transform {
    Transform {
        rotation: Quat::from_xyzw(0.0, 1.0, 0.0, 0.0),
        scale: Vec3::splat(scale),
        ..Transform::IDENTITY
    }
}

impl Builder<'_> {
    /// Adds the root and the nodes.
    fn add_nodes(&mut self) {
        let scale = self.request.options.scale();
        let mut root = node(&self.name, &axes(scale));
        root.extras = extras(&back::root(&self.model.file, scale));
        let root = self.document.add_node(None, root);
        let nodes = self.model.nodes.iter().enumerate().map(|(index, info)| {
            let mut added = node(&info.name, &info.transform);
            added.extras = extras(&back::node(&self.model.file, index));
            (info.parent, added)
        });
        self.nodes = self.document.add_tree(root, nodes);
    }

    /// Adds the skin of the skinned meshes. `None` if there are none.
    fn add_skin(&mut self) -> Option<Index<Skin>> {
        let joints = self.model.joints.iter();
        let joints: Option<Vec<_>> = joints
            .map(|joint| self.nodes.get(*joint).copied())
            .collect();
        let joints = joints.filter(|joints| !joints.is_empty())?;
        let poses = self.model.inverse_bindposes.iter();
        // Skinned vertices are in the space of the scene, so that programs without skinning show them in the right place.
        let to_model = Mat4::from(self.axes.inverse());
        let poses = poses.map(|pose| *pose * to_model);
        let (name, skeleton) = (Some(self.name.clone()), self.nodes.first().copied());
        Some(self.document.add_skin(name, joints, poses, skeleton))
    }

    /// Adds the meshes of all levels of detail. Returns those with vertex animation.
    fn add_meshes(&mut self, skin: Option<Index<Skin>>) -> Vec<MorphNodes> {
        let mut deforms = Vec::new();
        // For each mesh of a level, its nodes from the finest level to the coarsest.
        let mut levels: Vec<(Option<usize>, Vec<Index<Node>>)> = Vec::new();
        let wanted = match self.request.options.no_lods {
            true => 1,
            false => usize::MAX,
        };
        let mut split: Vec<Option<usize>> = Vec::new();
        for level in self.model.levels.iter().take(wanted) {
            for mesh in &level.meshes {
                // The parts of a split mesh have no coarser levels.
                if split.contains(&mesh.node) {
                    continue;
                }
                let added = match self.add_mesh(level.number, mesh, skin) {
                    Some(Added::Mesh(node)) => node,
                    Some(Added::Morph(morph)) => {
                        let warning = morph.warning(self.part_name(mesh));
                        if warning.is_some() {
                            split.push(mesh.node);
                        }
                        self.warnings.extend(warning);
                        let Some(first) = morph.nodes.first().copied() else {
                            continue;
                        };
                        deforms.push(morph);
                        first
                    }
                    None => continue,
                };
                match levels.iter_mut().find(|(node, _)| *node == mesh.node) {
                    Some((_, nodes)) => nodes.push(added),
                    None => levels.push((mesh.node, vec![added])),
                }
            }
        }
        let triangles = self.model.levels.iter().map(|level| level.triangles as f64);
        let full = triangles.clone().next().unwrap_or(0.0).max(1.0);
        for (_, nodes) in levels {
            let shares = triangles.clone().map(|triangles| triangles / full);
            self.document.set_levels(&nodes, shares);
        }
        deforms
    }

    /// The name of the node whose mesh it is, or of the model.
    fn part_name(&self, mesh: &ConvertedMesh) -> &str {
        let info = mesh.node.and_then(|node| self.model.nodes.get(node));
        info.map_or(&*self.name, |info| &info.name)
    }

    /// Adds a mesh. Those of the full model are in the scene, the others belong to them.
    fn add_mesh(
        &mut self,
        level: u32,
        mesh: &ConvertedMesh,
        skin: Option<Index<Skin>>,
    ) -> Option<Added> {
        let mut data = MeshData::of(&mesh.mesh)?;
        let part = self.part_name(mesh);
        let name = match level {
            0 => format!("{part} mesh"),
            _ => format!("{part} mesh LOD {level}"),
        };
        let info = mesh.node.and_then(|node| self.model.nodes.get(node));
        let material = self.material(info.map_or(0, |info| surface_flags(info.flags)));
        let parent = mesh.node.and_then(|node| self.nodes.get(node).copied());
        let deform = mesh
            .node
            .and_then(|node| Deform::new(self.model, node, &mesh.mesh, &data));
        let own = |node: usize| {
            let meshes = self.model.levels.first().map(|level| &level.meshes);
            meshes.is_some_and(|meshes| meshes.iter().any(|mesh| mesh.node == Some(node)))
        };
        if mesh.node.is_none() {
            data.transform(&self.axes);
        }
        let vertices = match level {
            0 => back::vertices(&self.model.file, mesh.node, own, &data),
            _ => None,
        };
        let document = &mut self.document;
        let add = |document: &mut Document, mut node: Node| match level {
            0 => {
                // Further parts of a split mesh refer to the first.
                if node.extras.is_none() {
                    node.extras.clone_from(&vertices);
                }
                document.add_node(parent, node)
            }
            _ => document.root.push(node),
        };
        if let Some(deform) = deform {
            let morph = Morph {
                name: &name,
                node_name: &name,
                primitive: data.primitive(document, Some(material)),
                targets: &deform.targets,
                target_names: &[],
                rest: deform.rest(),
                clips: clips::target_keys(self.model, &deform.poses),
            };
            return Some(Added::Morph(morph.add(document, add)));
        }
        let mut mesh_node = node(&name, &Transform::IDENTITY);
        if parent.is_none() {
            mesh_node.skin = skin;
        }
        let primitive = data.primitive(document, Some(material));
        mesh_node.mesh = Some(document.root.push(named(&name, vec![primitive])));
        Some(Added::Mesh(add(document, mesh_node)))
    }

    /// The material of nodes with these surface flags.
    fn material(&mut self, flags: u8) -> Index<Material> {
        if let Some(material) = self.materials.get(&flags) {
            return *material;
        }
        let name = match flags {
            0 => self.name.clone(),
            _ => format!("{} surface {flags}", self.name),
        };
        self.document.uses(material::SPECULAR);
        let mut material = matte(&name);
        let [base, glow] = self.skin_textures();
        let reflects = node_flags::ENVIRONMENT_MAP | node_flags::ENVIRONMENT_MAP_ONLY;
        let factors = &mut material.pbr_metallic_roughness;
        if flags & node_flags::ENVIRONMENT_MAP_ONLY == 0 {
            factors.base_color_texture = base.map(info);
            material.emissive_texture = glow.map(info);
            material.emissive_factor = EmissiveFactor([f32::from(u8::from(glow.is_some())); 3]);
        }
        let factors = &mut material.pbr_metallic_roughness;
        if flags & reflects != 0 {
            let is_mirror = flags & node_flags::ENVIRONMENT_MAP_ONLY != 0;
            factors.metallic_factor = StrengthFactor(if is_mirror { 1.0 } else { 0.5 });
            factors.roughness_factor = StrengthFactor(0.1);
            material::extend(&mut material, material::SPECULAR, json!({}));
        } else if base.is_none() {
            let [r, g, b] = material::linear([0.7; 3]);
            factors.base_color_factor.0 = [r, g, b, 1.0];
        }
        // For the way back: the skin of the material has a file.
        let mut values = json!({ "format": "abc" });
        if flags != 0 {
            values["scrollsU"] = json!(flags & node_flags::SCROLL_U != 0);
            values["scrollsV"] = json!(flags & node_flags::SCROLL_V != 0);
            values["environmentMap"] = json!(flags & reflects != 0);
        }
        material.extras = extras(&values);
        let material = self.document.root.push(material);
        self.materials.insert(flags, material);
        material
    }

    /// The skin and its emissive part.
    fn skin_textures(&mut self) -> [Option<Index<Texture>>; 2] {
        if let Some(textures) = self.skin_textures {
            return textures;
        }
        let Request {
            path,
            files,
            options,
        } = self.request;
        let skin = files.skin(path, options).filter(|_| !options.no_textures);
        if skin.is_none() && !options.no_textures {
            self.textures.warnings.insert("skin not found".to_owned());
        }
        let mut texture = |treatment| {
            let path = skin.as_ref()?;
            let sampling = Sampling::REPEAT;
            self.textures
                .file(&mut self.document, path, treatment, sampling)
        };
        let textures = [texture(Treatment::Opaque), texture(Treatment::Emissive)];
        self.skin_textures = Some(textures);
        textures
    }
}
