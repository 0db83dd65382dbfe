//! What the panel says, as plain values.

use crate::view::abc_panel::{AbcTold, abc_items};
use crate::view::actions::{Action, ROW_BACK, playing};
use crate::view::alo_clips::Inbox;
use crate::view::alo_panel::{AloTold, alo_items};
use crate::view::bars::Bar;
use crate::view::lgw_panel::{LgwTold, lgw_items};
use crate::view::models::{Row, ViewedModel};
use crate::view::named_panel;
use crate::view::overlay::{Edges, Overlays};
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlAnimator, MdlModel};
use bevy_classic_models::scene::Repeat;

/// A part of the panel. They stand one below the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Heading(&'static str),
    Text(String, Tone),
    Live(Live),
    /// A bar to jump on.
    Bar(Bar),
    /// Buttons side by side.
    Buttons(Vec<Button>),
}

/// A text that changes all the time.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Live {
    /// Where the clip is.
    Status,
    /// Which bones are hidden.
    Bones,
}

/// How a text is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Remark,
    Warning,
    Error,
}

/// What stands on a button, what it does, and whether it is lit.
pub type Button = (String, Action, bool);

/// What the panel tells of a model.
#[derive(QueryData)]
pub struct Told {
    model: &'static ViewedModel,
    animator: Option<&'static MdlAnimator>,
    play: Option<(&'static PlayClip, &'static Playback)>,
    skin: Option<&'static ModelSkin>,
    skins: Option<&'static ModelSkins>,
    clips: Option<&'static ModelClips>,
    colors: Option<&'static PlayerColors>,
    edges: Option<&'static Edges>,
    alo: Option<AloTold>,
    abc: Option<AbcTold>,
    lgw: Option<LgwTold>,
}

/// The panel from top to bottom.
pub fn contents(
    row: &Row,
    inbox: &Inbox,
    overlays: &Overlays,
    night: bool,
    models: &Query<Told>,
) -> Vec<Item> {
    let mut items = vec![Item::Heading("Models")];
    if row.models.is_empty() {
        let hint = "Drop .mdl, .alo, .ala, .abc and .lgw files here.".to_owned();
        items.push(Item::Text(hint, Tone::Remark));
    }
    for (index, entity) in row.models.iter().enumerate() {
        let Ok(told) = models.get(*entity) else {
            continue;
        };
        let select = Action::Select(index);
        let button = button(&told.model.name, select, index == row.selected);
        items.push(Item::Buttons(vec![button]));
        if let Some(problem) = &told.model.problem {
            items.push(Item::Text(problem.clone(), Tone::Error));
        }
    }
    let problems = inbox.problems.iter().cloned();
    items.extend(problems.map(|problem| Item::Text(problem, Tone::Error)));
    let selected = row.selected().and_then(|entity| models.get(entity).ok());
    if let Some(told) = &selected
        && let Some(animator) = told.animator
        && let Some((play, playback)) = told.play
    {
        let model = animator.model();
        let ends = named_panel::ends(told.clips, play);
        let triangles = told.edges.map(|edges| edges.triangles);
        items.extend(facts(model, triangles));
        items.extend(controls(play, playback.finished, ends));
        let interpolate = button("interpolate", Action::ToggleInterpolation, play.interpolate);
        items.push(Item::Buttons(vec![interpolate]));
        items.extend(looks(model, told.skin, told.colors));
        let stated = told.clips.map(|clips| named_panel::clip_items(clips, play));
        items.extend(stated.into_iter().flatten());
        items.extend(clips(model, play));
    }
    if let Some(told) = &selected
        && let Some(alo) = &told.alo
    {
        items.extend(alo_items(alo, told.play, overlays, night));
    }
    if let Some(told) = &selected
        && let Some(abc) = &told.abc
    {
        items.extend(abc_items(abc, told.play, overlays));
    }
    if let Some(told) = &selected
        && let Some(lgw) = &told.lgw
    {
        items.extend(lgw_items(lgw));
    }
    if let Some(told) = &selected
        && let Some(skins) = told.skins
    {
        items.extend(named_panel::skin_items(skins, told.skin));
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

pub fn button(text: &str, action: Action, lit: bool) -> Button {
    (text.to_owned(), action, lit)
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

/// What there is to do with any clip.
/// `ends` is whether the clip is stated to stay in its last pose.
pub fn controls(play: &PlayClip, finished: bool, ends: bool) -> Vec<Item> {
    let stands = play.paused || finished;
    let play_or_pause = if stands { "play" } else { "pause" };
    let loops = match play.repeat {
        Repeat::Loop => true,
        Repeat::Once => false,
        Repeat::FromManifest => !ends,
    };
    let speed = format!("x{}", play.speed);
    vec![
        Item::Heading("Playback"),
        Item::Live(Live::Status),
        Item::Bar(Bar::Time),
        Item::Buttons(vec![
            button("<", Action::StepBack, false),
            button(play_or_pause, Action::TogglePlay, !stands),
            button(">", Action::StepForward, false),
            button("-", Action::Slower, false),
            button(&speed, Action::UsualSpeed, play.speed == 1.0),
            button("+", Action::Faster, false),
            button("loop", Action::ToggleRepeat, loops),
        ]),
    ]
}

fn looks(model: &MdlModel, skin: Option<&ModelSkin>, colors: Option<&PlayerColors>) -> Vec<Item> {
    let last = model.skins.len().saturating_sub(1);
    let worn = named_panel::worn(skin).map(|skin| skin.min(last));
    let mut skins = Vec::new();
    for (index, skin) in model.skins.iter().enumerate() {
        let name = match skin.pictures.len() {
            1 => index.to_string(),
            count => format!("{index} ({count} pictures)"),
        };
        skins.push(button(&name, Action::Skin(index), Some(index) == worn));
    }
    let mut items = vec![Item::Heading("Skins")];
    if skins.is_empty() {
        let none = "The model has none.".to_owned();
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
        // With the number of its poses.
        let name = format!("{} {}", clip.name, clip.sequence.pose_count);
        button(&name, Action::Clip(index), current == Some(index))
    });
    vec![Item::Heading("Clips"), Item::Buttons(clips.collect())]
}
