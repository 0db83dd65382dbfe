//! What the panel says about a LithTech model.

use crate::view::abc_file::FileCounts;
use crate::view::actions::Action;
use crate::view::bars::Bar;
use crate::view::clip_panel::clip_items;
use crate::view::clips::ClipList;
use crate::view::contents::{Item, Tone, button};
use crate::view::named_panel::worn;
use crate::view::overlay::Overlays;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::lithtech::abc::node_flags;
use bevy_classic_models::lithtech::{AbcModel, AbcNodeInfo};
use bevy_classic_models::prelude::*;
use std::path::Path;

/// What the panel tells of a LithTech model.
#[derive(QueryData)]
pub struct AbcTold {
    instance: &'static AbcInstance,
    clips: &'static ClipList,
    // Manifests give no more than they state.
    lod: Option<&'static ModelLod>,
    skin: Option<&'static ModelSkin>,
    counts: Option<&'static FileCounts>,
}

/// What there is to choose.
pub fn abc_items(
    told: &AbcToldItem<'_, '_>,
    play: Option<(&PlayClip, &Playback)>,
    overlays: &Overlays,
) -> Vec<Item> {
    let model = told.instance.model();
    let mut items = facts(model, told.counts);
    items.push(Item::Buttons(vec![
        button("nodes", Action::ToggleBones, overlays.bones),
        button("dims", Action::ToggleDims, overlays.dims),
    ]));
    items.extend(levels(model, told.lod.map_or(0, |lod| lod.0)));
    items.extend(skins(model, worn(told.skin)));
    items.extend(clip_items(told.clips, play));
    items.extend(events(told, play.map(|(play, _)| play)));
    items
}

fn facts(model: &AbcModel, counts: Option<&FileCounts>) -> Vec<Item> {
    let counts = counts.map_or_else(String::new, |counts| {
        format!(
            "{} vertices, {} levels of detail, ",
            counts.vertices, counts.lods
        )
    });
    let mut told = vec![format!("{counts}{} nodes", model.nodes.len())];
    let flips = model.transform;
    for (is_flipped, what) in [
        (flips.flip_geometry, "triangles are flipped"),
        (flips.flip_animation, "rotations are flipped"),
    ] {
        told.extend(is_flipped.then(|| what.to_owned()));
    }
    told.extend(model.nodes.iter().flat_map(node_facts));
    if !model.command_string.is_empty() {
        told.push(format!("command string: {}", model.command_string));
    }
    let warnings = model.warnings.iter().map(ToString::to_string);
    let warnings = warnings.map(|warning| Item::Text(warning, Tone::Warning));
    let facts = Item::Text(told.join("\n"), Tone::Remark);
    [facts].into_iter().chain(warnings).collect()
}

/// What is special about a node.
fn node_facts(node: &AbcNodeInfo) -> Vec<String> {
    let moved = node.deform_vertices;
    let deforms = (moved > 0).then(|| format!("node {} moves {moved} vertices", node.name));
    let flags = [
        (node_flags::ENVIRONMENT_MAP, "mirrors its surroundings"),
        (node_flags::ENVIRONMENT_MAP_ONLY, "is a mirror alone"),
        (node_flags::SCROLL_U, "scrolls across"),
        (node_flags::SCROLL_V, "scrolls down"),
    ];
    let flags = flags
        .into_iter()
        .filter(|(flag, _)| node.flags & flag != 0)
        .map(|(_, what)| format!("node {} {what}", node.name));
    deforms.into_iter().chain(flags).collect()
}

/// A slider from the full model to the coarsest.
fn levels(model: &AbcModel, chosen: u32) -> Vec<Item> {
    let mut items = vec![Item::Heading("Level of detail")];
    let coarsest = model.levels.len().saturating_sub(1);
    let shown = coarsest.min(chosen as usize);
    if let Some(level) = model.levels.get(shown) {
        // Always so many lines, that the slider stays where it is.
        let told = format!(
            "level {shown} of {coarsest}, {} triangles\nnumber {} in the file",
            level.triangles, level.number
        );
        items.push(Item::Text(told, Tone::Remark));
    }
    if coarsest > 0 {
        items.push(Item::Bar(Bar::Lod));
    }
    items
}

fn skins(model: &AbcModel, chosen: Option<usize>) -> Vec<Item> {
    let worn = chosen.map(|skin| skin.min(model.skins.len().saturating_sub(1)));
    let skins = model.skins.iter().enumerate().map(|(index, skin)| {
        let path = skin.image.path().map(|path| path.path());
        let name = path.and_then(Path::file_name).unwrap_or_default();
        let name = format!("{index} {}", name.to_string_lossy());
        button(&name, Action::Skin(index), Some(index) == worn)
    });
    let mut items = vec![Item::Heading("Skins")];
    if model.skins.is_empty() {
        let none = "None was found: give a .dtx file with the model.".to_owned();
        items.push(Item::Text(none, Tone::Remark));
    }
    items.push(Item::Buttons(skins.collect()));
    items
}

/// What the clip that plays tells the game.
fn events(told: &AbcToldItem<'_, '_>, play: Option<&PlayClip>) -> Vec<Item> {
    let playing = play.and_then(|play| told.clips.playing(play));
    let animation = playing.and_then(|index| told.instance.model().animations.get(index));
    let events = animation.map_or(&[][..], |animation| &animation.events);
    if events.is_empty() {
        return Vec::new();
    }
    let lines = events.iter();
    let lines = lines.map(|event| format!("{:.2} s  {}", event.seconds, event.string));
    let lines: Vec<String> = lines.collect();
    vec![
        Item::Heading("Events of this clip"),
        Item::Text(lines.join("\n"), Tone::Remark),
    ]
}
