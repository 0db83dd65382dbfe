//! The lists at the left: of the files to open, of the models that are shown, and of the clips of the selected one.

use crate::view::actions::action::Action;
use crate::view::open::browser::{Browser, Entry, EntryKind, Place};
use crate::view::panels::data::{ClipRow, PanelData};
use crate::view::panels::state::{PanelState, Search};
use crate::view::panels::style::ERROR;
use bevy_egui::egui::{
    Align, Button, Frame, Label, Layout, Panel, Response, RichText, ScrollArea, Ui, vec2,
};

/// Draws the search field and the list, in the upper part of the panel.
pub fn show(ui: &mut Ui, browser: &mut Browser, search: &mut Search, actions: &mut Vec<Action>) {
    let height = ui.available_height();
    let panel = Panel::top("files")
        .resizable(true)
        .default_size(height * 0.42)
        .size_range(90.0..=(height - 160.0).max(100.0))
        .frame(Frame::NONE);
    panel.show(ui, |ui| {
        place(ui, browser, actions);
        let searched = search.show(ui, "search files   ( / )");
        if searched.has_changed {
            browser.search(search.text.clone());
        } else if search.text != browser.text {
            // Another folder is listed.
            browser.text.clone_into(&mut search.text);
        }
        if searched.is_entered
            && let Some(entry) = browser.matching(0)
        {
            actions.push(open(entry));
        }
        list(ui, browser, actions);
    });
}

/// The folder that is listed, and a button to the one above.
fn place(ui: &mut Ui, browser: &Browser, actions: &mut Vec<Action>) {
    let root = &browser.root;
    let name = root.file_name().unwrap_or(root.as_os_str());
    let name = name.to_string_lossy();
    let name = match (browser.place, name.is_empty()) {
        (_, true) => "no folder".to_owned(),
        (Place::Folder, _) => name.into_owned(),
        (Place::Archive, _) => format!("archive {name}"),
        (Place::Game, _) => format!("game in {name}"),
    };
    let (count, matches) = browser.counts();
    let counts = match count == matches {
        true => format!("{count}"),
        false => format!("{matches} of {count}"),
    };
    ui.horizontal(|ui| {
        let up = ui.button("⬆").on_hover_text("the folder above");
        if up.clicked() {
            actions.push(Action::BrowseUp);
        }
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.add(Label::new(RichText::new(counts).weak()).selectable(false));
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let label = Label::new(RichText::new(name).strong()).truncate();
                ui.add(label).on_hover_text(root.display().to_string());
            });
        });
    });
}

fn list(ui: &mut Ui, browser: &mut Browser, actions: &mut Vec<Action>) {
    let (_, count) = browser.counts();
    let mut area = ScrollArea::vertical().auto_shrink(false);
    let height = ui.spacing().interact_size.y;
    if let Some(opened) = browser.take_opened() {
        // In the middle of the list.
        let row = height + ui.spacing().item_spacing.y;
        let offset = opened as f32 * row - ui.available_height() / 2.0;
        area = area.vertical_scroll_offset(offset.max(0.0));
    }
    area.show_rows(ui, height, count, |ui, rows| {
        for index in rows {
            let Some(entry) = browser.matching(index) else {
                continue;
            };
            let icon = match entry.kind {
                EntryKind::Game(_) => "🎮 ",
                EntryKind::Folder => "📁 ",
                EntryKind::Archive => "📦 ",
                EntryKind::Model => "",
            };
            let text = format!("{icon}{}", entry.label);
            let is_opened = browser.is_opened(&entry.path);
            let response = row(ui, &text, "", is_opened, true);
            let response = response.on_hover_text(hint(entry));
            if response.clicked() {
                let is_beside = ui.input(|input| input.modifiers.command || input.modifiers.shift);
                actions.push(match is_beside && entry.kind == EntryKind::Model {
                    true => Action::Add(entry.path.clone()),
                    false => open(entry),
                });
            }
        }
    });
}

fn hint(entry: &Entry) -> String {
    match entry.kind {
        EntryKind::Game(_) => "lists the models in all archives and folders of the game".to_owned(),
        EntryKind::Folder | EntryKind::Archive => "lists it".to_owned(),
        EntryKind::Model => format!("{}\nwith Shift beside the others", entry.label),
    }
}

fn open(entry: &Entry) -> Action {
    match entry.kind {
        EntryKind::Game(kind) => Action::OpenGame(kind, entry.path.clone()),
        _ => Action::Open(entry.path.clone()),
    }
}

/// The maximum count of models that are visible without scrolling.
const MODELS: f32 = 5.0;

/// Draws both lists in the rest of the panel.
pub fn show_lists(
    ui: &mut Ui,
    data: &PanelData,
    state: &mut PanelState,
    actions: &mut Vec<Action>,
) {
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
