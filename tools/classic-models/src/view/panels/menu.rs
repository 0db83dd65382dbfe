//! The menu at the top: opening files, views, overlays, and output.

use crate::view::action::{Action, Panel};
use crate::view::args::View;
use crate::view::framing::Framing;
use crate::view::panels::data::{PanelData, Shown};
use crate::view::panels::search::is_entered;
use crate::view::panels::state::PanelState;
use crate::view::panels::wrapped::wrapped_beside;
use bevy_egui::egui::{Align, Button, Layout, TextEdit, Ui};
use std::path::PathBuf;

/// The width of the buttons at the right end, in points.
const RIGHT: f32 = 84.0;

/// Draws the menu.
pub fn show(ui: &mut Ui, shown: &Shown, state: &mut PanelState, actions: &mut Vec<Action>) {
    ui.horizontal_top(|ui| {
        wrapped_beside(ui, RIGHT, |ui| {
            open(ui, shown, state, actions);
            ui.separator();
            views(ui, actions);
            ui.separator();
            overlays(ui, shown.data, actions);
        });
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            let keys = ui.add(Button::new("?").selected(state.shows_keys));
            if keys.on_hover_text("keys and mouse  (F1)").clicked() {
                actions.push(Action::Toggle(Panel::Keys));
            }
            save(ui, shown.data, actions);
        });
    });
}

/// The path of a file to open, and the files that were opened last.
fn open(ui: &mut Ui, shown: &Shown, state: &mut PanelState, actions: &mut Vec<Action>) {
    ui.menu_button("Open", |ui| {
        ui.set_min_width(420.0);
        ui.label("A model, an archive, an entry ARCHIVE/path, or a folder:");
        let edit = TextEdit::singleline(&mut state.path).desired_width(f32::INFINITY);
        let edit = ui.add(edit.hint_text("path"));
        if is_entered(ui, &edit) && !state.path.trim().is_empty() {
            actions.push(Action::Open(PathBuf::from(state.path.trim())));
            ui.close();
        }
        ui.separator();
        ui.label("Opened last:");
        if shown.recent.is_empty() {
            ui.weak("none");
        }
        for file in shown.recent {
            let name = file.display().to_string();
            let button = Button::new(&name).truncate().frame_when_inactive(false);
            if ui.add(button).on_hover_text(name).clicked() {
                actions.push(Action::Open(file.clone()));
                ui.close();
            }
        }
    });
}

fn views(ui: &mut Ui, actions: &mut Vec<Action>) {
    for (text, hint, action) in [
        ("Frame", "frames the selected model  (F)", Framing::Selected),
        ("All", "frames all models  (A)", Framing::All),
    ] {
        if ui.button(text).on_hover_text(hint).clicked() {
            actions.push(Action::Frame(action));
        }
    }
    for (text, hint, view) in [
        ("Front", "(1)", View::Front),
        ("Side", "(2)", View::Side),
        ("Top", "(3)", View::Top),
        ("Iso", "(4)", View::Iso),
    ] {
        if ui.button(text).on_hover_text(hint).clicked() {
            actions.push(Action::SetView(view));
        }
    }
}

/// Buttons for the overlays that have an effect on the selected model.
fn overlays(ui: &mut Ui, data: &PanelData, actions: &mut Vec<Action>) {
    let (overlays, has) = (&data.overlays, &data.details.overlays);
    for (shows, text, hint, is_on, action) in [
        (true, "Grid", "(G)", overlays.grid, Action::ToggleGrid),
        (
            true,
            "Edges",
            "wireframe  (W)",
            overlays.wireframe,
            Action::ToggleWireframe,
        ),
        (true, "Bounds", "(B)", overlays.bounds, Action::ToggleBounds),
        (
            true,
            "Normals",
            "(N)",
            overlays.normals,
            Action::ToggleNormals,
        ),
        (
            has.bones,
            "Bones",
            "(O)",
            overlays.bones,
            Action::ToggleBones,
        ),
        (
            has.proxies,
            "Proxies",
            "(P)",
            overlays.proxies,
            Action::ToggleProxies,
        ),
        (
            has.lights,
            "Lights",
            "(H)",
            overlays.lights,
            Action::ToggleLights,
        ),
        (
            has.dims,
            "Box",
            "collision box of the clip  (E)",
            overlays.dims,
            Action::ToggleDims,
        ),
        (
            has.proxies || has.lights,
            "Night",
            "(M)",
            data.night,
            Action::ToggleNight,
        ),
    ] {
        if !shows {
            continue;
        }
        let button = Button::selectable(is_on, text);
        if ui.add(button).on_hover_text(hint).clicked() {
            actions.push(action);
        }
    }
}

fn save(ui: &mut Ui, data: &PanelData, actions: &mut Vec<Action>) {
    ui.add_enabled_ui(!data.models.is_empty(), |ui| {
        ui.menu_button("Save", |ui| {
            for (text, action) in [
                ("Manifest of the model  (K)", Action::SaveManifest),
                ("Image of the window  (F12)", Action::SaveImage),
            ] {
                if ui.button(text).clicked() {
                    actions.push(action);
                    ui.close();
                }
            }
        });
    });
}
