//! Collects the panel's items.

use crate::view::abc_panel::{AbcPanelModel, abc_items};
use crate::view::action::{Action, ROW_BACK};
use crate::view::actions::playing;
use crate::view::alo_clips::PendingClips;
use crate::view::alo_panel::{AloPanelModel, alo_items};
use crate::view::browser::Browser;
use crate::view::clip_panel::controls;
use crate::view::lgw_panel::{LgwPanelModel, lgw_items};
use crate::view::named_panel;
use crate::view::overlay::{Edges, Overlays};
use crate::view::panel_item::{Item, Tone, button};
use crate::view::particle_panel::{file_items, proxy_items};
use crate::view::particle_player::ParticlePlayer;
use crate::view::particle_systems::ParticleFile;
use crate::view::row::Row;
use crate::view::viewed_model::ViewedModel;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloParticles;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlAnimator, MdlModel};

/// The components of a model that the panel shows.
#[derive(QueryData)]
pub struct PanelModel {
    model: &'static ViewedModel,
    animator: Option<&'static MdlAnimator>,
    play: Option<(&'static PlayClip, &'static Playback)>,
    skin: Option<&'static ModelSkin>,
    skins: Option<&'static ModelSkins>,
    clips: Option<&'static ModelClips>,
    colors: Option<&'static PlayerColors>,
    edges: Option<&'static Edges>,
    alo: Option<AloPanelModel>,
    abc: Option<AbcPanelModel>,
    lgw: Option<LgwPanelModel>,
    player: Option<&'static ParticlePlayer>,
    file: Option<&'static ParticleFile>,
}

/// The panel from top to bottom. `view` is the overlays, and whether it is night.
pub fn panel_items(
    row: &Row,
    browser: Option<&Browser>,
    pending_clips: &PendingClips,
    (overlays, night): (&Overlays, bool),
    models: &Query<PanelModel>,
    particles: &Assets<AloParticles>,
) -> Vec<Item> {
    let mut items = browser.map(Browser::items).unwrap_or_default();
    items.push(Item::Heading("Models"));
    if row.models.is_empty() {
        let hint = "Drop .mdl, .alo, .ala, .abc and .lgw files here.".to_owned();
        items.push(Item::Text(hint, Tone::Remark));
    }
    for (index, entity) in row.models.iter().enumerate() {
        let Ok(viewed) = models.get(*entity) else {
            continue;
        };
        let select = Action::Select(index);
        let button = button(&viewed.model.name, select, index == row.selected);
        items.push(Item::Buttons(vec![button]));
        if let Some(problem) = &viewed.model.problem {
            items.push(Item::Text(problem.clone(), Tone::Error));
        }
    }
    let problems = pending_clips.problems.iter().cloned();
    items.extend(problems.map(|problem| Item::Text(problem, Tone::Error)));
    let selected = row.selected().and_then(|entity| models.get(entity).ok());
    if let Some(viewed) = &selected
        && let Some(animator) = viewed.animator
        && let Some((play, playback)) = viewed.play
    {
        let model = animator.model();
        let ends = named_panel::ends(viewed.clips, play);
        let triangles = viewed.edges.map(|edges| edges.triangles);
        items.extend(facts(model, triangles));
        items.extend(controls(play, playback.finished, ends));
        let interpolate = button("interpolate", Action::ToggleInterpolation, play.interpolate);
        items.push(Item::Buttons(vec![interpolate]));
        items.extend(mdl_skins(model, viewed.skin, viewed.colors));
        let named = viewed
            .clips
            .map(|clips| named_panel::clip_items(clips, play));
        items.extend(named.into_iter().flatten());
        items.extend(clips(model, play));
    }
    let file = selected.as_ref().and_then(|viewed| viewed.file);
    if let Some(viewed) = &selected
        && let Some(player) = viewed.player
    {
        match file.and_then(|file| particles.get(&file.0)) {
            Some(particles) => items.extend(file_items(particles, player)),
            None if player.has_systems => items.extend(proxy_items()),
            None => {}
        }
    }
    if let Some(viewed) = &selected
        && let Some(alo) = &viewed.alo
        && file.is_none()
    {
        items.extend(alo_items(alo, viewed.play, overlays, night));
    }
    if let Some(viewed) = &selected
        && let Some(abc) = &viewed.abc
    {
        items.extend(abc_items(abc, viewed.play, overlays));
    }
    if let Some(viewed) = &selected
        && let Some(lgw) = &viewed.lgw
    {
        items.extend(lgw_items(lgw));
    }
    if let Some(viewed) = &selected
        && let Some(skins) = viewed.skins
    {
        items.extend(named_panel::skin_items(skins, viewed.skin));
    }
    items.push(Item::Heading("View"));
    items.push(Item::Buttons(vec![
        button("wireframe", Action::ToggleWireframe, overlays.wireframe),
        button("bounds", Action::ToggleBounds, overlays.bounds),
        button("normals", Action::ToggleNormals, overlays.normals),
        button("grid", Action::ToggleGrid, overlays.grid),
    ]));
    items
}

fn facts(model: &MdlModel, triangles: Option<usize>) -> Vec<Item> {
    let counts = format!(
        "{} vertices, {} triangles, {} poses",
        model.poses.vertex_count(),
        triangles.map_or_else(|| "?".to_owned(), |count| count.to_string()),
        model.poses.pose_count(),
    );
    let warnings = model.warnings.iter().map(ToString::to_string);
    let warnings = warnings.map(|warning| Item::Text(warning, Tone::Warning));
    [Item::Text(counts, Tone::Remark)]
        .into_iter()
        .chain(warnings)
        .collect()
}

fn mdl_skins(
    model: &MdlModel,
    skin: Option<&ModelSkin>,
    colors: Option<&PlayerColors>,
) -> Vec<Item> {
    let last = model.skins.len().saturating_sub(1);
    let active = named_panel::active_skin(skin).map(|skin| skin.min(last));
    let mut skins = Vec::new();
    for (index, skin) in model.skins.iter().enumerate() {
        let name = match skin.images.len() {
            1 => index.to_string(),
            count => format!("{index} ({count} images)"),
        };
        skins.push(button(&name, Action::Skin(index), Some(index) == active));
    }
    let mut items = vec![Item::Heading("Skins")];
    if skins.is_empty() {
        let none = "The model has no skins.".to_owned();
        items.push(Item::Text(none, Tone::Remark));
    }
    items.push(Item::Buttons(skins));
    let toggle = button("colors", Action::ToggleColors, colors.is_some());
    items.push(Item::Buttons(vec![toggle]));
    if let Some(colors) = colors {
        let shirt = format!("shirt {}", colors.shirt);
        let pants = format!("pants {}", colors.pants);
        items.push(Item::Buttons(vec![
            button("-", Action::Shirt(ROW_BACK), false),
            button(&shirt, Action::Shirt(1), false),
            button("+", Action::Shirt(1), false),
            button("-", Action::Pants(ROW_BACK), false),
            button(&pants, Action::Pants(1), false),
            button("+", Action::Pants(1), false),
        ]));
    }
    items
}

fn clips(model: &MdlModel, play: &PlayClip) -> Vec<Item> {
    let current = playing(model, play);
    let clips = model.clips.iter().enumerate().map(|(index, clip)| {
        // The label ends with the clip's pose count.
        let name = format!("{} {}", clip.name, clip.sequence.pose_count);
        button(&name, Action::Clip(index), current == Some(index))
    });
    vec![Item::Heading("Clips"), Item::Buttons(clips.collect())]
}
