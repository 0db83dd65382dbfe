//! The panel's items for an Alamo model.

use crate::view::action::Action;
use crate::view::clip_panel::clip_items;
use crate::view::clips::ClipList;
use crate::view::overlay::Overlays;
use crate::view::panel_item::{Button, Item, Live, Tone, button};
use crate::view::trees::{Trees, levels};
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::alamo::{AloModel, AloPartKind, AloProxyInfo};
use bevy_classic_models::prelude::*;

/// Names and values of the team colors to choose from.
pub const TEAMS: [(&str, Color); 4] = [
    ("red", Color::srgb(0.75, 0.09, 0.09)),
    ("blue", Color::srgb(0.1, 0.25, 0.8)),
    ("green", Color::srgb(0.1, 0.6, 0.15)),
    ("yellow", Color::srgb(0.85, 0.7, 0.1)),
];

/// The components of an Alamo model that the panel shows.
#[derive(QueryData)]
pub struct AloPanelModel {
    instance: &'static AloInstance,
    clips: &'static ClipList,
    // A model of a manifest has only the components that the manifest sets.
    lod: Option<&'static ModelLod>,
    alt: Option<&'static DamageStage>,
    hidden: Option<&'static PartVisibility>,
    team: Option<&'static TeamColor>,
}

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

/// The items of an Alamo model.
pub fn alo_items(
    alo: &AloPanelModelItem<'_, '_>,
    play: Option<(&PlayClip, &Playback)>,
    overlays: &Overlays,
    night: bool,
) -> Vec<Item> {
    let model = alo.instance.model();
    let mut items = facts(model);
    items.push(Item::Live(Live::Bones));
    items.push(Item::Buttons(vec![
        button("bones", Action::ToggleBones, overlays.bones),
        button("proxies", Action::ToggleProxies, overlays.proxies),
        button("lights", Action::ToggleLights, overlays.lights),
        button("night", Action::ToggleNight, night),
    ]));
    items.extend(trees(model, overlays.trees));
    items.extend(clip_items(alo.clips, play));
    if !model.lods.is_empty() {
        items.push(Item::Heading("Level of detail"));
        items.push(Item::Buttons(lods(model, alo.lod.map_or(0, |lod| lod.0))));
    }
    if model.max_damage_stage > 0 {
        items.push(Item::Heading("Damage stage"));
        let shown = alo.alt.map_or(0, |alt| alt.0).min(model.max_damage_stage);
        let stages = 0..=model.max_damage_stage;
        let stages = stages.map(|n| button(&n.to_string(), Action::Alt(n), n == shown));
        items.push(Item::Buttons(stages.collect()));
    }
    items.push(Item::Heading("Team color"));
    let active = team_index(alo.team);
    let mut teams = vec![button("none", Action::Team(None), alo.team.is_none())];
    for (index, (name, _)) in TEAMS.iter().enumerate() {
        let index = Some(index);
        teams.push(button(name, Action::Team(index), active == index));
    }
    items.push(Item::Buttons(teams));
    items.extend(part_lists(model, alo));
    items
}

/// Buttons for the level of the collision trees that is drawn.
fn trees(model: &AloModel, shown: Trees) -> Vec<Item> {
    let levels = levels(model);
    if levels == 0 {
        return Vec::new();
    }
    let choice = |name: &str, trees| button(name, Action::Trees(trees), shown == trees);
    let mut buttons = vec![choice("off", Trees::Off)];
    buttons.extend((0..levels).map(|level| choice(&level.to_string(), Trees::Level(level))));
    buttons.push(choice("all", Trees::All));
    vec![
        Item::Heading("Collision tree level"),
        Item::Buttons(buttons),
    ]
}

fn facts(model: &AloModel) -> Vec<Item> {
    let submeshes: usize = model.meshes.iter().map(|mesh| mesh.submeshes.len()).sum();
    let counts = format!(
        "version {}, {} bones, {} meshes, {submeshes} sub-meshes, {} lights, {} proxies, {} dazzles",
        model.version,
        model.bones.len(),
        model.meshes.len(),
        model.lights.len(),
        model.proxies.len(),
        model.dazzles.len(),
    );
    let warnings = model.warnings.iter().map(ToString::to_string);
    let warnings = warnings.map(|warning| Item::Text(warning, Tone::Warning));
    [Item::Text(counts, Tone::Remark)]
        .into_iter()
        .chain(warnings)
        .collect()
}

/// One button for each level, the finest first.
fn lods(model: &AloModel, chosen: u32) -> Vec<Button> {
    let coarsest = model.lods.len().saturating_sub(1);
    let shown = (chosen as usize).min(coarsest);
    let lods = model.lods.iter().enumerate();
    lods.map(|(steps, number)| {
        let name = match steps {
            0 => format!("LOD {number} (finest)"),
            _ => format!("LOD {number}"),
        };
        button(&name, Action::Lod(steps as u32), steps == shown)
    })
    .collect()
}

/// A button for each part, including the parts of other levels of detail and damage stages. Parts that are never drawn
/// are listed without a button.
fn part_lists(model: &AloModel, alo: &AloPanelModelItem<'_, '_>) -> Vec<Item> {
    let parts = parts(model);
    let mut items = Vec::new();
    for (kind, heading) in [
        (AloPartKind::Mesh, "Meshes"),
        (AloPartKind::Light, "Lights"),
        (AloPartKind::Proxy, "Proxies"),
        (AloPartKind::Dazzles, "Dazzles"),
    ] {
        let of_kind = parts.iter().enumerate();
        let of_kind = of_kind.filter(|(_, part)| part.kind == kind && !part.is_data);
        let buttons: Vec<Button> = of_kind
            .map(|(index, part)| {
                let chosen = alo.hidden.and_then(|hidden| hidden.get(&part.name));
                let shows = !chosen.unwrap_or(part.hidden);
                button(&label(part), Action::TogglePart(index), shows)
            })
            .collect();
        if !buttons.is_empty() {
            items.push(Item::Heading(heading));
            items.push(Item::Buttons(buttons));
        }
    }
    if !items.is_empty() {
        let reset = button("reset", Action::ResetParts, false);
        items.push(Item::Text("* hidden in the file".to_owned(), Tone::Remark));
        items.push(Item::Buttons(vec![reset]));
    }
    let data = parts.iter().filter(|part| part.is_data).map(label);
    let data: Vec<String> = data.collect();
    if !data.is_empty() {
        let data = format!("Never drawn: {}", data.join(", "));
        items.push(Item::Text(data, Tone::Remark));
    }
    items
}

fn label(part: &Part) -> String {
    let name = if part.name.is_empty() {
        "(no name)"
    } else {
        &part.name
    };
    let count = match part.count {
        1 => String::new(),
        count => format!(" x{count}"),
    };
    let hidden = if part.hidden { " *" } else { "" };
    format!("{name}{count}{hidden}")
}
