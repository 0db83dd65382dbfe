//! The lists of the selected model: parts, bones, proxies, materials and emitters.

use crate::view::action::Action;
use crate::view::framing::Framing;
use crate::view::panels::data::{Details, MaterialRow, PartRow};
use crate::view::panels::lists::row;
use crate::view::panels::search::Search;
use bevy::prelude::Entity;
use bevy_egui::egui::{Button, Label, RichText, ScrollArea, Ui};

/// The maximum height of a list, in points.
const HEIGHT: f32 = 230.0;

/// The most points by which a bone is indented.
const INDENT: f32 = 90.0;

/// A scrolled list of rows of equal height.
fn rows(ui: &mut Ui, name: &str, count: usize, mut add: impl FnMut(&mut Ui, usize)) {
    let height = ui.spacing().interact_size.y;
    ScrollArea::vertical()
        .id_salt(name)
        .max_height(HEIGHT)
        .auto_shrink([false, true])
        .show_rows(ui, height, count, |ui, rows| {
            rows.for_each(|index| add(ui, index));
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
pub fn parts(ui: &mut Ui, details: &Details, search: &Search, actions: &mut Vec<Action>) {
    let parts = details.parts.iter();
    let parts: Vec<&PartRow> = parts.filter(|part| search.matches(&part.name)).collect();
    rows(ui, "parts", parts.len(), |ui, index| {
        if let Some(part) = parts.get(index) {
            ui.horizontal(|ui| part_row(ui, part, actions));
        }
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
pub fn bones(ui: &mut Ui, details: &Details, search: &Search, actions: &mut Vec<Action>) {
    let bones = details.bones.iter();
    let bones: Vec<_> = bones.filter(|bone| search.matches(&bone.name)).collect();
    rows(ui, "bones", bones.len(), |ui, index| {
        let Some(bone) = bones.get(index) else {
            return;
        };
        ui.horizontal(|ui| {
            let indent = (bone.depth as f32 - 1.0).max(0.0) * 9.0;
            ui.add_space(indent.min(INDENT));
            let right = if bone.is_hidden { "hidden" } else { "" };
            frame_on_click(ui, &bone.name, right, Some(bone.entity), actions);
        });
    });
}

/// The proxies with the models or particle systems that they name.
pub fn proxies(ui: &mut Ui, details: &Details, search: &Search, actions: &mut Vec<Action>) {
    let proxies = details.proxies.iter();
    let proxies: Vec<_> = proxies
        .filter(|proxy| search.matches(&proxy.name))
        .collect();
    rows(ui, "proxies", proxies.len(), |ui, index| {
        let Some(proxy) = proxies.get(index) else {
            return;
        };
        let right = if proxy.is_hidden { "hidden" } else { "" };
        let response = frame_on_click(ui, &proxy.name, right, proxy.entity, actions);
        response.on_hover_text(&proxy.target);
    });
}

/// Whether a material or one of its properties matches.
pub fn is_match(material: &MaterialRow, search: &Search) -> bool {
    search.matches(&material.name) || material.lines.iter().any(|line| search.matches(line))
}

/// The materials with their properties.
pub fn materials(ui: &mut Ui, details: &Details, search: &Search) {
    for (index, material) in details.materials.iter().enumerate() {
        if is_match(material, search) {
            ui.push_id(index, |ui| lines(ui, &material.name, &material.lines));
        }
    }
}

/// The emitters of a particle system.
pub fn emitters(ui: &mut Ui, details: &Details, search: &Search) {
    for (index, emitter) in details.emitters.iter().enumerate() {
        if search.matches(&emitter.name) {
            ui.push_id(index, |ui| lines(ui, &emitter.name, &emitter.lines));
        }
    }
}

/// The running particle systems with the counts of their particles.
pub fn particles(ui: &mut Ui, details: &Details, search: &Search) {
    for line in details.particles.iter().filter(|line| search.matches(line)) {
        ui.add(Label::new(RichText::new(line).small()).truncate());
    }
}

/// A name, and lines below it as text that can be selected.
fn lines(ui: &mut Ui, name: &str, lines: &[String]) {
    ui.add(Label::new(name).truncate());
    ui.indent("lines", |ui| {
        for line in lines {
            let text = RichText::new(line).small().weak();
            ui.add(Label::new(text).selectable(true).wrap());
        }
    });
}
