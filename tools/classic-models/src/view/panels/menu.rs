//! The menu at the top, the window with all keys, and the log.

use crate::log_buffer::{LogLine, Severity};
use crate::view::actions::action::{Action, Overlay, Panel};
use crate::view::camera::framing::Framing;
use crate::view::draw::lighting::{EXPOSURES, LightSet, Lighting};
use crate::view::open::args::View;
use crate::view::open::keys::GROUPS;
use crate::view::panels::data::{PanelData, Shown};
use crate::view::panels::state::{PanelState, is_entered};
use crate::view::panels::style::{ERROR, WARNING, wrapped_beside};
use bevy_egui::egui::{
    Align, Align2, Button, Context, Grid, Key, Label, Layout, RichText, ScrollArea, Slider,
    TextEdit, Ui, Vec2, Window,
};
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
            light(ui, shown.data.lighting, actions);
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
    let has = &data.details.overlays;
    let overlay = |shows: bool, text: &'static str, hint: &'static str, overlay: Overlay| {
        let is_on = data.overlays.draws(overlay);
        (shows, text, hint, is_on, Action::Overlay(overlay))
    };
    let night = has.proxies || has.lights;
    for (shows, text, hint, is_on, action) in [
        overlay(true, "Grid", "(G)", Overlay::Grid),
        overlay(true, "Floor", "with shadows  (Z)", Overlay::Floor),
        overlay(true, "Edges", "wireframe  (W)", Overlay::Wireframe),
        overlay(true, "Bounds", "(B)", Overlay::Bounds),
        overlay(true, "Normals", "(N)", Overlay::Normals),
        overlay(has.bones, "Bones", "(O)", Overlay::Bones),
        overlay(has.proxies, "Proxies", "(P)", Overlay::Proxies),
        overlay(has.lights, "Lights", "(H)", Overlay::Lights),
        overlay(
            has.dims,
            "Box",
            "collision box of the clip  (E)",
            Overlay::Dims,
        ),
        (night, "Night", "(M)", data.night, Action::ToggleNight),
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

/// The lights and the exposure.
fn light(ui: &mut Ui, lighting: Lighting, actions: &mut Vec<Action>) {
    ui.menu_button("Light", |ui| {
        for (text, set) in [
            ("Studio  (Y)", LightSet::Studio),
            ("Game  (Y)", LightSet::Game),
        ] {
            if ui.radio(lighting.set == set, text).clicked() {
                actions.push(Action::Light(set));
            }
        }
        let mut exposure = lighting.exposure;
        let [darkest, brightest] = EXPOSURES;
        let slider = Slider::new(&mut exposure, darkest..=brightest).text("stops  (8 9)");
        if ui.add(slider.step_by(0.1)).changed() {
            actions.push(Action::Exposure(exposure));
        }
    });
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

/// The width of the viewer's window from which there are two columns, in points.
const WIDE: f32 = 900.0;

/// The width of one column, in points.
const NARROW: f32 = 460.0;

/// The height of the title and of the margins, in points.
const FRAME: f32 = 70.0;

/// Draws the window. Escape closes it.
pub fn show_keys(context: &Context, shows: &mut bool) {
    if !*shows {
        return;
    }
    if context.input(|input| input.key_pressed(Key::Escape)) {
        *shows = false;
    }
    let window = context.content_rect();
    let is_wide = window.width() > WIDE;
    let height = window.height() - FRAME;
    Window::new("Keys and mouse")
        // The window shrinks to its content.
        .default_size([if is_wide { WIDE } else { NARROW }, height])
        .anchor(Align2::CENTER_CENTER, Vec2::ZERO)
        .resizable(false)
        .collapsible(false)
        .open(shows)
        .show(context, |ui| {
            let area = ScrollArea::vertical().max_height(height);
            area.show(ui, |ui| groups(ui, is_wide));
        });
}

/// The groups of keys, in two columns or in one.
fn groups(ui: &mut Ui, is_wide: bool) {
    if !is_wide {
        GROUPS.iter().for_each(|group| group_of(ui, group));
        return;
    }
    let (left, right) = GROUPS.split_at(3);
    ui.horizontal_top(|ui| {
        ui.vertical(|ui| left.iter().for_each(|group| group_of(ui, group)));
        ui.add_space(18.0);
        ui.vertical(|ui| right.iter().for_each(|group| group_of(ui, group)));
    });
}

fn group_of(ui: &mut Ui, (heading, keys): &(&str, &[(&str, &str)])) {
    ui.label(RichText::new(*heading).strong());
    Grid::new(*heading)
        .num_columns(2)
        .spacing([14.0, 3.0])
        .show(ui, |ui| {
            for (key, effect) in *keys {
                ui.label(RichText::new(*key).monospace().size(12.5));
                ui.label(*effect);
                ui.end_row();
            }
        });
    ui.add_space(8.0);
}

/// Draws the panel.
pub fn show_log(ui: &mut Ui, shown: &Shown) {
    let lines = lines(shown);
    ScrollArea::both()
        .auto_shrink(false)
        .stick_to_bottom(true)
        .show(ui, |ui| {
            if lines.is_empty() {
                ui.weak("No warnings.");
            }
            for line in lines {
                let text = RichText::new(&line.text);
                let text = match line.severity {
                    Severity::Error => text.color(ERROR),
                    Severity::Warning => text.color(WARNING),
                    Severity::Info => text,
                };
                ui.add(Label::new(text).selectable(true).extend());
            }
        });
}

/// The lines of the log, then the problems of the models that it does not have.
fn lines(shown: &Shown) -> Vec<LogLine> {
    let mut lines = shown.log.to_vec();
    for problem in &shown.data.problems {
        if lines.iter().any(|line| line.text.contains(&problem.text)) {
            continue;
        }
        lines.push(LogLine {
            severity: match problem.is_error {
                true => Severity::Error,
                false => Severity::Warning,
            },
            text: match &*problem.model {
                "" => problem.text.clone(),
                model => format!("{model}: {}", problem.text),
            },
        });
    }
    lines
}
