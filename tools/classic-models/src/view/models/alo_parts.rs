//! The parts of Alamo models by name, and the team colors to choose from.

use bevy::prelude::*;
use bevy_classic_models::alamo::{AloModel, AloPartKind, AloProxyInfo};
use bevy_classic_models::prelude::*;

/// Names and values of the team colors to choose from.
pub const TEAMS: [(&str, Color); 4] = [
    ("red", Color::srgb(0.75, 0.09, 0.09)),
    ("blue", Color::srgb(0.1, 0.25, 0.8)),
    ("green", Color::srgb(0.1, 0.6, 0.15)),
    ("yellow", Color::srgb(0.85, 0.7, 0.1)),
];

/// All parts of one kind with the same name.
pub struct Part {
    pub kind: AloPartKind,
    pub name: String,
    pub count: usize,
    /// Whether the file hides all of them.
    pub hidden: bool,
    /// Whether none of them is ever drawn, such as collision meshes and shadow volumes.
    pub is_data: bool,
}

/// The parts of a model: meshes, lights, proxies and dazzles, each kind in file order.
pub fn parts(model: &AloModel) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |kind, name: &str, hidden: bool, is_data: bool| {
        let same = |part: &&mut Part| part.kind == kind && part.name.eq_ignore_ascii_case(name);
        if let Some(part) = parts.iter_mut().find(same) {
            part.count += 1;
            part.hidden &= hidden;
            part.is_data &= is_data;
            return;
        }
        parts.push(Part {
            kind,
            name: name.to_owned(),
            count: 1,
            hidden,
            is_data,
        });
    };
    for mesh in &model.meshes {
        let is_data = mesh.submeshes.iter().all(|part| part.material.is_none());
        add(AloPartKind::Mesh, &mesh.name, mesh.hidden, is_data);
    }
    for light in &model.lights {
        add(AloPartKind::Light, &light.name, false, false);
    }
    for AloProxyInfo { proxy, .. } in &model.proxies {
        let hidden = proxy.hidden.unwrap_or(false);
        add(AloPartKind::Proxy, &proxy.name, hidden, false);
    }
    for dazzle in &model.dazzles {
        add(AloPartKind::Dazzles, &dazzle.name, dazzle.is_hidden, false);
    }
    parts
}

/// The index in [`TEAMS`] of a team color, if it is one of them.
pub fn team_index(team: Option<&TeamColor>) -> Option<usize> {
    let team = team?;
    TEAMS.iter().position(|(_, color)| *color == team.0)
}

/// The level count of a model's deepest tree.
pub fn levels(model: &AloModel) -> usize {
    let submeshes = model.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    let trees = submeshes.filter_map(|submesh| submesh.tree.as_ref());
    trees.map(|tree| tree.levels()).max().unwrap_or(0)
}
