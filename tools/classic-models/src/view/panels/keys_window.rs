//! The window with all keys.

use crate::view::key_table::GROUPS;
use bevy_egui::egui::{Align2, Context, Grid, Key, RichText, Ui, Vec2, Window};

/// Draws the window. Escape closes it.
pub fn show(context: &Context, shows: &mut bool) {
    if !*shows {
        return;
    }
    if context.input(|input| input.key_pressed(Key::Escape)) {
        *shows = false;
    }
    Window::new("Keys and mouse")
        .anchor(Align2::CENTER_CENTER, Vec2::ZERO)
        .resizable(false)
        .collapsible(false)
        .open(shows)
        .show(context, |ui| {
            let (left, right) = GROUPS.split_at(3);
            ui.horizontal_top(|ui| {
                ui.vertical(|ui| left.iter().for_each(|group| group_of(ui, group)));
                ui.add_space(18.0);
                ui.vertical(|ui| right.iter().for_each(|group| group_of(ui, group)));
            });
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
