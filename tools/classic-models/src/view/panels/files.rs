//! The list of files to open.

use crate::view::actions::action::Action;
use crate::view::open::browser::{Browser, Entry, EntryKind, Place};
use crate::view::panels::lists::row;
use crate::view::panels::state::Search;
use bevy_egui::egui::{Align, Frame, Label, Layout, Panel, RichText, ScrollArea, Ui};

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
        } else if search.text != browser.text() {
            // Another folder is listed.
            browser.text().clone_into(&mut search.text);
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
    let root = browser.root();
    let name = root.file_name().unwrap_or(root.as_os_str());
    let name = name.to_string_lossy();
    let name = match (browser.place(), name.is_empty()) {
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
