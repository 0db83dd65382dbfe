//! The details of the selected model: facts, appearance, and its lists in sections that can be closed.

use crate::view::actions::action::Action;
use crate::view::camera::framing::Framing;
use crate::view::models::alo_parts::TEAMS;
use crate::view::open::args::Trees;
use crate::view::panels::data::{Details, MaterialRow, PanelData, PartRow};
use crate::view::panels::lists::row;
use crate::view::panels::state::{PanelState, Search};
use crate::view::panels::style::WARNING;
use crate::view::panels::textures;
use bevy::prelude::*;
use bevy_classic_models::prelude::PlayerColors;
use bevy_egui::egui::{Button, CollapsingHeader, Label, RichText, ScrollArea, Slider, Ui};

/// Rows of Quake's palette.
const PALETTE_ROWS: u8 = 16;

/// Draws the panel.
pub fn show(ui: &mut Ui, data: &PanelData, state: &mut PanelState, actions: &mut Vec<Action>) {
    let Some(model) = data.models.get(data.selected) else {
        ui.weak("No model is selected.");
        return;
    };
    ui.add(Label::new(RichText::new(&model.name).heading().strong()).truncate());
    state.details.show(ui, "search parts, bones, …   ( ' )");
    let details = &data.details;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let is_searching = !state.details.text.is_empty();
        if !is_searching {
            facts(ui, details);
            appearance(ui, details, actions);
        }
        let search = &state.details;
        let named = |names: &mut dyn Iterator<Item = &String>| {
            names.filter(|name| search.matches(name)).count()
        };
        // The lines of a system's emitters are indented.
        let is_counted = |line: &&String| is_searching || !line.starts_with(' ');
        let mut section = |ui: &mut Ui, name: &str, count: usize, is_open: bool, add: List| {
            show_section(ui, (name, count), is_open, is_searching, |ui| {
                add(ui, details, search, actions);
            });
        };
        let count = named(&mut details.parts.iter().map(|of| &of.name));
        section(ui, "Parts", count, true, parts);
        let count = details
            .materials
            .iter()
            .filter(|of| is_match(of, search))
            .count();
        section(ui, "Materials", count, false, materials);
        let count = named(&mut details.bones.iter().map(|of| &of.name));
        section(ui, "Bones", count, false, bones);
        let count = named(&mut details.proxies.iter().map(|of| &of.name));
        section(ui, "Proxies", count, false, proxies);
        let count = named(&mut details.emitters.iter().map(|of| &of.name));
        section(ui, "Emitters", count, true, emitters);
        let count = named(&mut details.particles.iter().filter(is_counted));
        section(ui, "Particle systems", count, true, particles);
        let count = named(&mut details.textures.iter().map(|of| &of.name));
        show_section(ui, ("Textures", count), true, is_searching, |ui| {
            textures::show(ui, data, state);
        });
    });
}

/// Draws a list of details.
type List = fn(&mut Ui, &Details, &Search, &mut Vec<Action>);

/// A list that can be closed, with the count of rows that match. A search opens all lists that have a match.
fn show_section(
    ui: &mut Ui,
    (name, count): (&str, usize),
    is_open: bool,
    is_searching: bool,
    add: impl FnOnce(&mut Ui),
) {
    if count == 0 {
        return;
    }
    let title = format!("{name}  ({count})");
    CollapsingHeader::new(RichText::new(title).strong())
        .id_salt(name)
        .default_open(is_open)
        .open(is_searching.then_some(true))
        .show(ui, add);
}

fn facts(ui: &mut Ui, details: &Details) {
    let text = details.facts.join(", ");
    ui.add(Label::new(RichText::new(text).weak()).wrap());
}

/// The skins and colors of the model, and its collision trees.
fn appearance(ui: &mut Ui, details: &Details, actions: &mut Vec<Action>) {
    skins(ui, details, actions);
    if let Some(team) = details.team {
        team_color(ui, team, actions);
    }
    if let Some(tint) = details.tint {
        ui.horizontal(|ui| {
            ui.label("Particle tint");
            if let Some(color) = color_button(ui, tint) {
                actions.push(Action::Tint(color));
            }
            let reset = Button::new("reset").small();
            if tint != Color::WHITE && ui.add(reset).clicked() {
                actions.push(Action::Tint(Color::WHITE));
            }
        });
    }
    if let Some(player) = details.player {
        player_colors(ui, player, actions);
    }
    if let Some(mut interpolates) = details.interpolates
        && ui
            .checkbox(&mut interpolates, "Interpolate poses")
            .changed()
    {
        actions.push(Action::ToggleInterpolation);
    }
    trees(ui, details, actions);
}

fn skins(ui: &mut Ui, details: &Details, actions: &mut Vec<Action>) {
    let has_chosen = !details.skin_candidates.is_empty() && !details.skins.is_empty();
    let has_choice = details.skins.len() > 1 || details.skins.iter().any(|skin| !skin.is_active);
    if has_chosen || has_choice {
        ui.strong("Skins");
        for skin in &details.skins {
            if row(ui, &skin.label, "", skin.is_active, true).clicked() {
                actions.push(Action::Skin(skin.skin.clone()));
            }
        }
    }
    if details.skin_candidates.is_empty() {
        return;
    }
    let text = match details.skins.iter().any(|skin| skin.is_active) {
        true => RichText::new("Other textures; K saves the skin in a manifest:").weak(),
        false => RichText::new("The skin was not found. Choose one; K saves it in a manifest:")
            .color(WARNING),
    };
    ui.add(Label::new(text).wrap());
    let area = ScrollArea::vertical()
        .id_salt("candidates")
        .max_height(140.0);
    area.show(ui, |ui| {
        for file in &details.skin_candidates {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let response = row(ui, &name, "", false, true);
            if response.on_hover_text(file.display().to_string()).clicked() {
                actions.push(Action::SkinFile(file.clone()));
            }
        }
    });
}

fn team_color(ui: &mut Ui, team: Option<Color>, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Team");
        if let Some(color) = color_button(ui, team.unwrap_or(Color::WHITE)) {
            actions.push(Action::Team(Some(color)));
        }
        if ui.selectable_label(team.is_none(), "none").clicked() {
            actions.push(Action::Team(None));
        }
        for (name, color) in TEAMS {
            let response = ui.selectable_label(team == Some(color), name);
            if response.clicked() {
                actions.push(Action::Team(Some(color)));
            }
        }
    });
}

/// A button that opens a color picker. Returns the color if it changed.
fn color_button(ui: &mut Ui, color: Color) -> Option<Color> {
    let mut rgb = color.to_srgba().to_u8_array_no_alpha();
    let response = ui.color_edit_button_srgb(&mut rgb);
    let [red, green, blue] = rgb;
    response
        .changed()
        .then(|| Color::Srgba(Srgba::rgb_u8(red, green, blue)))
}

fn player_colors(ui: &mut Ui, player: Option<PlayerColors>, actions: &mut Vec<Action>) {
    let mut is_on = player.is_some();
    if ui
        .checkbox(&mut is_on, "Player colors")
        .on_hover_text("(C)")
        .changed()
    {
        actions.push(Action::ToggleColors);
    }
    let Some(mut colors) = player else {
        return;
    };
    ui.spacing_mut().slider_width = 120.0;
    let mut has_changed = false;
    for (name, color) in [
        ("shirt", &mut colors.shirt),
        ("trousers", &mut colors.pants),
    ] {
        let slider = Slider::new(color, 0..=PALETTE_ROWS - 1).text(name);
        has_changed |= ui.add(slider).changed();
    }
    if has_changed {
        actions.push(Action::Colors(colors));
    }
}

/// Buttons for the level of the collision trees that is drawn.
fn trees(ui: &mut Ui, details: &Details, actions: &mut Vec<Action>) {
    let Some(trees) = details.trees else {
        return;
    };
    ui.strong("Collision tree level").on_hover_text("(X)");
    ui.horizontal_wrapped(|ui| {
        let mut choice = |ui: &mut Ui, name: &str, choice: Trees| {
            if ui.selectable_label(trees.shown == choice, name).clicked() {
                actions.push(Action::Trees(choice));
            }
        };
        choice(ui, "off", Trees::Off);
        for level in 0..trees.count {
            choice(ui, &level.to_string(), Trees::Level(level));
        }
        choice(ui, "all", Trees::All);
    });
}

/// The maximum height of a list, in points.
const HEIGHT: f32 = 230.0;

/// The most points by which a bone is indented.
const INDENT: f32 = 90.0;

/// A scrolled list of rows of equal height.
fn rows<T>(ui: &mut Ui, name: &str, rows: Vec<&T>, mut add: impl FnMut(&mut Ui, &T)) {
    let height = ui.spacing().interact_size.y;
    ScrollArea::vertical()
        .id_salt(name)
        .max_height(HEIGHT)
        .auto_shrink([false, true])
        .show_rows(ui, height, rows.len(), |ui, range| {
            rows.get(range)
                .into_iter()
                .flatten()
                .for_each(|row| add(ui, row));
        });
}

/// Frames a part if its row is clicked.
fn frame_on_click(
    ui: &mut Ui,
    text: &str,
    right: &str,
    entity: Option<Entity>,
    actions: &mut Vec<Action>,
) -> bevy_egui::egui::Response {
    let response = row(ui, text, right, false, entity.is_some());
    if let Some(entity) = entity
        && response.clicked()
    {
        actions.push(Action::Frame(Framing::Part(entity)));
    }
    response
}

/// The parts with a check box each. Parts that are never drawn have none.
fn parts(ui: &mut Ui, details: &Details, search: &Search, actions: &mut Vec<Action>) {
    let matching = details
        .parts
        .iter()
        .filter(|part| search.matches(&part.name));
    rows(ui, "parts", matching.collect(), |ui, part| {
        ui.horizontal(|ui| part_row(ui, part, actions));
    });
    let is_changed = details
        .parts
        .iter()
        .any(|part| part.shows != part.shows_in_file);
    let reset = Button::new("Show all as in the file").small();
    if is_changed && ui.add(reset).clicked() {
        actions.push(Action::ResetParts);
    }
}

fn part_row(ui: &mut Ui, part: &PartRow, actions: &mut Vec<Action>) {
    let mut shows = part.shows && !part.is_data;
    let is_named = !part.name.is_empty();
    let hint = match part.is_data {
        true => "never drawn: a collision mesh or a shadow volume",
        false => "shows or hides it",
    };
    ui.add_enabled_ui(!part.is_data && is_named, |ui| {
        let check = ui.checkbox(&mut shows, "");
        let check = check.on_hover_text(hint).on_disabled_hover_text(hint);
        if check.changed() {
            let choice = (shows != part.shows_in_file).then_some(shows);
            actions.push(Action::Part(part.name.clone(), choice));
        }
    });
    let name = match &*part.name {
        "" => "(no name)",
        name => name,
    };
    let right = match (part.shows_in_file, part.is_data) {
        (_, true) => "data",
        (false, _) => "hidden in file",
        _ => part.kind,
    };
    let response = frame_on_click(ui, name, right, part.entity, actions);
    response.on_hover_text(format!("{}\nclick: frames it", part.detail));
}

/// The bones, indented by their depth. Hidden bones are marked.
fn bones(ui: &mut Ui, details: &Details, search: &Search, actions: &mut Vec<Action>) {
    let matching = details
        .bones
        .iter()
        .filter(|bone| search.matches(&bone.name));
    rows(ui, "bones", matching.collect(), |ui, bone| {
        ui.horizontal(|ui| {
            let indent = (bone.depth as f32 - 1.0).max(0.0) * 9.0;
            ui.add_space(indent.min(INDENT));
            let right = if bone.is_hidden { "hidden" } else { "" };
            frame_on_click(ui, &bone.name, right, Some(bone.entity), actions);
        });
    });
}

/// The proxies with the models or particle systems that they name.
fn proxies(ui: &mut Ui, details: &Details, search: &Search, actions: &mut Vec<Action>) {
    let matching = details
        .proxies
        .iter()
        .filter(|proxy| search.matches(&proxy.name));
    rows(ui, "proxies", matching.collect(), |ui, proxy| {
        let right = if proxy.is_hidden { "hidden" } else { "" };
        let response = frame_on_click(ui, &proxy.name, right, proxy.entity, actions);
        response.on_hover_text(&proxy.target);
    });
}

/// Whether a material or one of its properties matches.
fn is_match(material: &MaterialRow, search: &Search) -> bool {
    search.matches(&material.name) || material.lines.iter().any(|line| search.matches(line))
}

/// The materials with their properties.
fn materials(ui: &mut Ui, details: &Details, search: &Search, _: &mut Vec<Action>) {
    with_lines(ui, &details.materials, |of| is_match(of, search));
}

/// The emitters of a particle system.
fn emitters(ui: &mut Ui, details: &Details, search: &Search, _: &mut Vec<Action>) {
    with_lines(ui, &details.emitters, |of| search.matches(&of.name));
}

/// Names, and lines below them as text that can be selected.
fn with_lines(ui: &mut Ui, rows: &[MaterialRow], is_shown: impl Fn(&MaterialRow) -> bool) {
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| is_shown(row)) {
        ui.push_id(index, |ui| {
            ui.add(Label::new(&row.name).truncate());
            ui.indent("lines", |ui| {
                for line in &row.lines {
                    let text = RichText::new(line).small().weak();
                    ui.add(Label::new(text).selectable(true).wrap());
                }
            });
        });
    }
}

/// The running particle systems with the counts of their particles.
fn particles(ui: &mut Ui, details: &Details, search: &Search, _: &mut Vec<Action>) {
    for line in details.particles.iter().filter(|line| search.matches(line)) {
        ui.add(Label::new(RichText::new(line).small()).truncate());
    }
}
