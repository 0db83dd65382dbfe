//! The lists of the models that are shown, and of the clips of the selected one.

use crate::view::actions::action::Action;
use crate::view::panels::data::{ClipRow, PanelData};
use crate::view::panels::state::PanelState;
use crate::view::panels::style::ERROR;
use bevy_egui::egui::{Button, Response, RichText, ScrollArea, Ui, vec2};

/// The maximum count of models that are visible without scrolling.
const MODELS: f32 = 5.0;

/// Draws both lists in the rest of the panel.
pub fn show(ui: &mut Ui, data: &PanelData, state: &mut PanelState, actions: &mut Vec<Action>) {
    heading(ui, "Shown models");
    models(ui, data, actions);
    heading(ui, "Clips");
    if data.clips.is_empty() {
        ui.weak("none");
        return;
    }
    let searched = state.clips.show(ui, "search clips   ( ; )");
    let matches = data
        .clips
        .iter()
        .filter(|clip| state.clips.matches(&clip.name));
    let matches: Vec<&ClipRow> = matches.collect();
    if searched.is_entered {
        let first = matches.iter().find_map(|clip| clip.action.clone());
        actions.extend(first);
    }
    clips(ui, data, &matches, state.clips.text.is_empty(), actions);
}

/// A heading above a list.
pub fn heading(ui: &mut Ui, text: &str) {
    ui.add_space(3.0);
    ui.strong(text);
}

/// A row of a list, as wide as the list. `right` is a remark at its right end.
pub fn row(ui: &mut Ui, text: &str, right: &str, is_selected: bool, is_enabled: bool) -> Response {
    let size = vec2(ui.available_width(), ui.spacing().interact_size.y);
    let mut button = Button::selectable(is_selected, text)
        .truncate()
        .min_size(size);
    button = button.right_text(RichText::new(right).weak());
    ui.add_enabled(is_enabled, button)
}

fn models(ui: &mut Ui, data: &PanelData, actions: &mut Vec<Action>) {
    if data.models.is_empty() {
        ui.weak("none");
        return;
    }
    let height = ui.spacing().interact_size.y + ui.spacing().item_spacing.y;
    let area = ScrollArea::vertical()
        .id_salt("models")
        .max_height(MODELS * height)
        .auto_shrink([false, true]);
    area.show(ui, |ui| {
        for (index, model) in data.models.iter().enumerate() {
            ui.horizontal(|ui| {
                let close = Button::new("✖").frame(false);
                let close = ui.add(close).on_hover_text("removes it");
                if close.clicked() {
                    actions.push(Action::Close(index));
                }
                let right = if model.is_broken { "broken" } else { "" };
                let response = row(ui, &model.name, right, index == data.selected, true);
                if response.clicked() {
                    actions.push(Action::Select(index));
                }
            });
        }
    });
}

fn clips(
    ui: &mut Ui,
    data: &PanelData,
    clips: &[&ClipRow],
    has_rest: bool,
    actions: &mut Vec<Action>,
) {
    ScrollArea::vertical()
        .id_salt("clips")
        .auto_shrink(false)
        .show(ui, |ui| {
            if let Some(is_at_rest) = data.is_at_rest.filter(|_| has_rest)
                && row(ui, "rest pose", "", is_at_rest, true).clicked()
            {
                actions.push(Action::Rest);
            }
            for clip in clips {
                clip_row(ui, clip, actions);
            }
        });
}

fn clip_row(ui: &mut Ui, clip: &ClipRow, actions: &mut Vec<Action>) {
    let right = match clip.from_manifest {
        true => format!("manifest  {}", clip.length),
        false => clip.length.clone(),
    };
    let response = row(ui, &clip.name, &right, clip.plays, clip.action.is_some());
    let response = match clip.action.is_some() {
        true if clip.facts.is_empty() => response,
        true => response.on_hover_text(&clip.facts),
        false => response.on_disabled_hover_text(RichText::new(&clip.facts).color(ERROR)),
    };
    if response.clicked() {
        actions.extend(clip.action.clone());
    }
}
