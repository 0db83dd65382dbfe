//! Details of Alamo models.

use crate::view::models::file_data::{Part, levels, parts};
use crate::view::models::shown_model::ShownModelItem;
use crate::view::open::args::Trees;
use crate::view::panels::collect::textures::Textures;
use crate::view::panels::data::{
    Damage, Details, Lods, MaterialRow, OverlayChoices, PartRow, PlaceRow, TreeLevels,
};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::{Parameter, ParameterValue};
use bevy_classic_models::alamo::{AloMaterial, AloModel, AloPartKind, AloShader};
use bevy_classic_models::prelude::*;
use bevy_classic_models::query::ModelPart;
use std::path::Path;

/// `entities` are those of the model's parts.
pub fn collect_alo(
    shown: &ShownModelItem<'_, '_>,
    entities: &[ModelPart],
    trees: Trees,
    is_hidden: impl Fn(Entity) -> bool,
    details: &mut Details,
) {
    let Some(instance) = shown.alo.filter(|_| shown.particle_file.is_none()) else {
        return;
    };
    let model = instance.model();
    let lods = model.lods.iter();
    details.facts = facts(model);
    details.lods = Lods::new(lods.map(|number| format!("LOD {number}")), shown.lod);
    details.damage = (model.max_damage_stage > 0).then(|| Damage {
        shown: shown.stage.map_or(0, |stage| stage.0),
        last: model.max_damage_stage,
    });
    details.team = Some(shown.team.map(|team| team.0));
    let entity_of = |name: &str| {
        let mut named = entities.iter();
        let found = named.find(|part| part.name.eq_ignore_ascii_case(name));
        found.map(|part| part.entity)
    };
    let parts = parts(model);
    details.parts = parts
        .iter()
        .map(|part| part_row(part, shown.parts, entity_of(&part.name)))
        .collect();
    let levels = levels(model);
    details.trees = (levels > 0).then_some(TreeLevels {
        count: levels,
        shown: trees,
    });
    details.overlays = OverlayChoices {
        bones: true,
        proxies: !model.proxies.is_empty(),
        lights: !model.lights.is_empty(),
        dims: false,
    };
    details.materials = materials(model);
    let proxies = model.proxies.iter().map(|info| {
        let name = info.proxy.name.to_string();
        let found = info.model.as_ref().or(info.particles.as_ref());
        let entity = entity_of(&name);
        PlaceRow {
            is_hidden: entity.is_some_and(&is_hidden),
            target: found.map_or_else(|| "no file found".to_owned(), ToString::to_string),
            depth: 0,
            entity,
            name,
        }
    });
    details.proxies = proxies.collect();
}

/// The textures that the shaders of a model use.
pub fn collect_alo_textures(
    model: &AloModel,
    materials: &Assets<AloMaterial>,
    textures: &mut Textures<'_, '_>,
    details: &mut Details,
) {
    let mut found = HashMap::<String, Handle<Image>>::default();
    let mut names: Vec<String> = Vec::new();
    for mesh in &model.meshes {
        for submesh in &mesh.submeshes {
            let Some(material) = &submesh.material else {
                continue;
            };
            if let Some(material) = materials.get(material) {
                let images = [
                    &material.base.base_color_texture,
                    &material.base.normal_map_texture,
                    &material.base.emissive_texture,
                    &material.extension.extra_texture,
                ];
                for image in images.into_iter().flatten() {
                    if let Some(path) = image.path() {
                        found.insert(stem(path.path()), image.clone());
                    }
                }
            }
            let shading = AloShader::new(&submesh.shader, &submesh.parameters, &mesh.name);
            let used = [
                shading.base_texture,
                shading.normal_texture,
                shading.extra_texture,
            ];
            for name in used.into_iter().flatten().filter(|name| !name.is_empty()) {
                if !names.iter().any(|other| other.eq_ignore_ascii_case(&name)) {
                    names.push(name);
                }
            }
        }
    }
    for name in names {
        let image = found.get(&stem(Path::new(&name)));
        details.textures.push(textures.row(name, image));
    }
}

/// Textures are found with other extensions too.
fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().to_lowercase()
}

fn facts(model: &AloModel) -> Vec<String> {
    let submeshes: usize = model.meshes.iter().map(|mesh| mesh.submeshes.len()).sum();
    let counts = [
        (model.bones.len(), ["bone", "bones"]),
        (model.meshes.len(), ["mesh", "meshes"]),
        (submeshes, ["sub-mesh", "sub-meshes"]),
        (model.lights.len(), ["light", "lights"]),
        (model.proxies.len(), ["proxy", "proxies"]),
        (model.dazzles.len(), ["dazzle", "dazzles"]),
    ];
    let title = [format!("Alamo model, version {}", model.version)];
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, [one, several])| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {several}"),
    });
    title.into_iter().chain(counts).collect()
}

fn part_row(part: &Part, hidden: Option<&PartVisibility>, entity: Option<Entity>) -> PartRow {
    let kind = match part.kind {
        AloPartKind::Light => "light",
        AloPartKind::Proxy => "proxy",
        AloPartKind::Dazzles => "dazzle",
        _ => "mesh",
    };
    let count = match part.count {
        1 => kind.to_owned(),
        count => format!("{count} × {kind}"),
    };
    PartRow {
        is_data: part.is_data,
        ..PartRow::new(
            part.name.clone(),
            (kind, count),
            part.hidden,
            hidden,
            entity,
        )
    }
}

/// The distinct shaders with their parameters, and the meshes that use them.
fn materials(model: &AloModel) -> Vec<MaterialRow> {
    let mut found: Vec<(&str, &[Parameter<'static>], Vec<&str>)> = Vec::new();
    for mesh in &model.meshes {
        for submesh in &mesh.submeshes {
            let is_same =
                |(shader, parameters, _): &&mut (&str, &[Parameter<'static>], Vec<&str>)| {
                    *shader == &*submesh.shader && *parameters == submesh.parameters
                };
            match found.iter_mut().find(is_same) {
                Some((.., meshes)) if meshes.last() == Some(&&*mesh.name) => {}
                Some((.., meshes)) => meshes.push(&mesh.name),
                None => found.push((&submesh.shader, &submesh.parameters, vec![&mesh.name])),
            }
        }
    }
    let rows = found.into_iter().map(|(shader, parameters, meshes)| {
        let meshes = format!("used by {}", meshes.join(", "));
        let lines = parameters.iter().map(parameter);
        MaterialRow {
            name: shader.to_owned(),
            lines: [meshes].into_iter().chain(lines).collect(),
        }
    });
    rows.collect()
}

fn parameter(parameter: &Parameter<'_>) -> String {
    let numbers = |values: &[f32]| {
        let values: Vec<String> = values.iter().map(|value| format!("{value:.3}")).collect();
        values.join(", ")
    };
    let value = match &parameter.value {
        ParameterValue::Int(value) => value.to_string(),
        ParameterValue::Float(value) => numbers(&[*value]),
        ParameterValue::Float3(value) => numbers(value),
        ParameterValue::Float4(value) => numbers(value),
        ParameterValue::Texture(value) => value.to_string(),
    };
    format!("{}: {value}", parameter.name)
}
