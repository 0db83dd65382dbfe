//! The details of the selected model: facts, appearance, and its lists in sections that can be closed.

use crate::view::action::Action;
use crate::view::alo_parts::TEAMS;
use crate::view::panels::data::{Details, PanelData};
use crate::view::panels::details_lists as lists;
use crate::view::panels::lists::row;
use crate::view::panels::state::PanelState;
use crate::view::panels::style::WARNING;
use crate::view::panels::textures;
use crate::view::trees::Trees;
use bevy::color::{Color, ColorToPacked, Srgba};
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
        let section = |name: &'static str, count: usize, is_open: bool| Section {
            name,
            count,
            is_open,
            is_searching,
        };
        section(
            "Parts",
            count(&details.parts, |of| search.matches(&of.name)),
            true,
        )
        .show(ui, |ui| lists::parts(ui, details, search, actions));
        section(
            "Materials",
            count(&details.materials, |of| lists::is_match(of, search)),
            false,
        )
        .show(ui, |ui| lists::materials(ui, details, search));
        section(
            "Bones",
            count(&details.bones, |of| search.matches(&of.name)),
            false,
        )
        .show(ui, |ui| lists::bones(ui, details, search, actions));
        section(
            "Proxies",
            count(&details.proxies, |of| search.matches(&of.name)),
            false,
        )
        .show(ui, |ui| lists::proxies(ui, details, search, actions));
        section(
            "Emitters",
            count(&details.emitters, |of| search.matches(&of.name)),
            true,
        )
        .show(ui, |ui| lists::emitters(ui, details, search));
        // The lines of a system's emitters are indented.
        let is_counted = |line: &String| is_searching || !line.starts_with(' ');
        let systems = count(&details.particles, |line| {
            is_counted(line) && search.matches(line)
        });
        section("Particle systems", systems, true)
            .show(ui, |ui| lists::particles(ui, details, search));
        section(
            "Textures",
            count(&details.textures, |of| search.matches(&of.name)),
            true,
        )
        .show(ui, |ui| textures::show(ui, data, state));
    });
}

fn count<T>(rows: &[T], is_match: impl Fn(&T) -> bool) -> usize {
    rows.iter().filter(|row| is_match(row)).count()
}

/// A list that can be closed. A search opens all lists that have a match.
struct Section {
    name: &'static str,
    /// The count of rows that match.
    count: usize,
    is_open: bool,
    is_searching: bool,
}

impl Section {
    fn show(self, ui: &mut Ui, add: impl FnOnce(&mut Ui)) {
        if self.count == 0 {
            return;
        }
        let title = format!("{}  ({})", self.name, self.count);
        CollapsingHeader::new(RichText::new(title).strong())
            .id_salt(self.name)
            .default_open(self.is_open)
            .open(self.is_searching.then_some(true))
            .show(ui, add);
    }
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
