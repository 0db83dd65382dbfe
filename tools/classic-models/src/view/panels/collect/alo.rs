//! Details of Alamo models.

use crate::view::models::alo_parts::{Part, levels, parts};
use crate::view::panels::collect::Collector;
use crate::view::panels::data::{
    Damage, Lods, MaterialRow, OverlayChoices, PanelData, PartRow, ProxyRow, TreeLevels,
};
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::{Parameter, ParameterValue};
use bevy_classic_models::alamo::{AloModel, AloPartKind, Shading};
use bevy_classic_models::prelude::*;
use std::path::Path;

impl Collector<'_, '_> {
    pub(super) fn collect_alo(&mut self, entity: Entity, data: &mut PanelData) {
        let Ok(shown) = self.shown.get(entity) else {
            return;
        };
        let Some(instance) = shown.alo.filter(|_| shown.particle_file.is_none()) else {
            return;
        };
        let model = instance.model();
        let (hidden, trees) = (shown.parts, data.overlays.trees);
        let details = &mut data.details;
        details.facts = facts(model);
        details.lods = lods(model, shown.lod);
        details.damage = (model.max_damage_stage > 0).then(|| Damage {
            shown: shown.stage.map_or(0, |stage| stage.0),
            last: model.max_damage_stage,
        });
        details.team = Some(shown.team.map(|team| team.0));
        let entities = self.entities.parts(entity);
        let entity_of = |name: &str| {
            let mut named = entities.iter();
            let found = named.find(|part| part.name.eq_ignore_ascii_case(name));
            found.map(|part| part.entity)
        };
        let parts = parts(model);
        details.parts = parts
            .iter()
            .map(|part| part_row(part, hidden, entity_of(&part.name)))
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
        for info in &model.proxies {
            let name = info.proxy.name.to_string();
            let paths = [&info.model, &info.particles];
            let found = paths.into_iter().flatten().next();
            let entity = entity_of(&name);
            details.proxies.push(ProxyRow {
                is_hidden: entity.is_some_and(|entity| self.is_hidden(entity)),
                target: found.map_or_else(|| "no file found".to_owned(), ToString::to_string),
                entity,
                name,
            });
        }
        self.collect_alo_textures(&model.clone(), data);
    }

    /// The textures that the shaders of a model use.
    fn collect_alo_textures(&mut self, model: &AloModel, data: &mut PanelData) {
        let submeshes = || {
            model.meshes.iter().flat_map(|mesh| {
                let name = &mesh.name;
                mesh.submeshes.iter().map(move |submesh| (name, submesh))
            })
        };
        let mut found = HashMap::<String, Handle<Image>>::default();
        for (_, submesh) in submeshes() {
            let material = submesh.material.as_ref();
            let Some(material) = material.and_then(|of| self.alo_materials.get(of)) else {
                continue;
            };
            let base = &material.base;
            let images = [
                &base.base_color_texture,
                &base.normal_map_texture,
                &base.emissive_texture,
                &material.extension.extra_texture,
            ];
            for image in images.into_iter().flatten() {
                if let Some(path) = image.path() {
                    found.insert(stem(path.path()), image.clone());
                }
            }
        }
        let mut names: Vec<String> = Vec::new();
        for (mesh, submesh) in submeshes().filter(|(_, of)| of.material.is_some()) {
            let shading = Shading::new(&submesh.shader, &submesh.parameters, mesh);
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
        for name in names {
            let image = found.get(&stem(Path::new(&name)));
            let row = self.textures.row(name, image);
            data.details.textures.push(row);
        }
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

fn lods(model: &AloModel, chosen: Option<&ModelLod>) -> Option<Lods> {
    let last = model.lods.len().checked_sub(1)?;
    let labels = model.lods.iter().map(|number| format!("LOD {number}"));
    Some(Lods {
        labels: labels.collect(),
        shown: chosen.map_or(0, |lod| lod.0).min(last as u32),
    })
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
