//! The panel's items for a LithTech model.

use crate::view::abc_file::FileCounts;
use crate::view::action::Action;
use crate::view::bars::Bar;
use crate::view::clip_panel::clip_items;
use crate::view::clips::ClipList;
use crate::view::named_panel::active_skin;
use crate::view::overlay::Overlays;
use crate::view::panel_item::{Item, Tone, button};
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::lithtech::abc::node_flags;
use bevy_classic_models::lithtech::{AbcModel, AbcNodeInfo};
use bevy_classic_models::prelude::*;
use std::path::Path;

/// The components of a LithTech model that the panel shows.
#[derive(QueryData)]
pub struct AbcPanelModel {
    instance: &'static AbcInstance,
    clips: &'static ClipList,
    // A model of a manifest has only the components that the manifest sets.
    lod: Option<&'static ModelLod>,
    skin: Option<&'static ModelSkin>,
    counts: Option<&'static FileCounts>,
}

/// The items of a LithTech model.
pub fn abc_items(
    abc: &AbcPanelModelItem<'_, '_>,
    play: Option<(&PlayClip, &Playback)>,
    overlays: &Overlays,
) -> Vec<Item> {
    let model = abc.instance.model();
    let mut items = facts(model, abc.counts);
    items.push(Item::Buttons(vec![
        button("nodes", Action::ToggleBones, overlays.bones),
        button("dims", Action::ToggleDims, overlays.dims),
    ]));
    items.extend(levels(model, abc.lod.map_or(0, |lod| lod.0)));
    items.extend(skins(model, active_skin(abc.skin)));
    items.extend(clip_items(abc.clips, play));
    items.extend(events(abc, play.map(|(play, _)| play)));
    items
}

fn facts(model: &AbcModel, counts: Option<&FileCounts>) -> Vec<Item> {
    let counts = counts.map_or_else(String::new, |counts| {
        format!(
            "{} vertices, {} levels of detail, ",
            counts.vertices, counts.lods
        )
    });
    let mut lines = vec![format!("{counts}{} nodes", model.nodes.len())];
    let flips = model.transform;
    for (is_flipped, line) in [
        (flips.flip_geometry, "triangles are flipped"),
        (flips.flip_animation, "rotations are flipped"),
    ] {
        lines.extend(is_flipped.then(|| line.to_owned()));
    }
    lines.extend(model.nodes.iter().flat_map(node_facts));
    if !model.command_string.is_empty() {
        lines.push(format!("command string: {}", model.command_string));
    }
    let warnings = model.warnings.iter().map(ToString::to_string);
    let warnings = warnings.map(|warning| Item::Text(warning, Tone::Warning));
    let facts = Item::Text(lines.join("\n"), Tone::Remark);
    [facts].into_iter().chain(warnings).collect()
}

/// The deformed vertices and effect flags of a node.
fn node_facts(node: &AbcNodeInfo) -> Vec<String> {
    let count = node.deform_vertices;
    let deforms = (count > 0).then(|| format!("node {} deforms {count} vertices", node.name));
    let flags = [
        (node_flags::ENVIRONMENT_MAP, "reflects the environment"),
        (
            node_flags::ENVIRONMENT_MAP_ONLY,
            "only reflects the environment",
        ),
        (node_flags::SCROLL_U, "scrolls along U"),
        (node_flags::SCROLL_V, "scrolls along V"),
    ];
    let flags = flags
        .into_iter()
        .filter(|(flag, _)| node.flags & flag != 0)
        .map(|(_, effect)| format!("node {} {effect}", node.name));
    deforms.into_iter().chain(flags).collect()
}

/// A slider from the full model to the coarsest.
fn levels(model: &AbcModel, chosen: u32) -> Vec<Item> {
    let mut items = vec![Item::Heading("Level of detail")];
    let coarsest = model.levels.len().saturating_sub(1);
    let shown = coarsest.min(chosen as usize);
    if let Some(level) = model.levels.get(shown) {
        // Always two lines, so that the slider does not move while it is dragged.
        let text = format!(
            "level {shown} of {coarsest}, {} triangles\nlevel {} in the file",
            level.triangles, level.number
        );
        items.push(Item::Text(text, Tone::Remark));
    }
    if coarsest > 0 {
        items.push(Item::Bar(Bar::Lod));
    }
    items
}

fn skins(model: &AbcModel, chosen: Option<usize>) -> Vec<Item> {
    let active = chosen.map(|skin| skin.min(model.skins.len().saturating_sub(1)));
    let skins = model.skins.iter().enumerate().map(|(index, skin)| {
        let path = skin.image.path().map(|path| path.path());
        let name = path.and_then(Path::file_name).unwrap_or_default();
        let name = format!("{index} {}", name.to_string_lossy());
        button(&name, Action::Skin(index), Some(index) == active)
    });
    let mut items = vec![Item::Heading("Skins")];
    if model.skins.is_empty() {
        let none = "No skin was found: open the model with a .dtx file.".to_owned();
        items.push(Item::Text(none, Tone::Remark));
    }
    items.push(Item::Buttons(skins.collect()));
    items
}

/// The keyframe events of the clip that plays.
fn events(abc: &AbcPanelModelItem<'_, '_>, play: Option<&PlayClip>) -> Vec<Item> {
    let playing = play.and_then(|play| abc.clips.playing(play));
    let animation = playing.and_then(|index| abc.instance.model().animations.get(index));
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
