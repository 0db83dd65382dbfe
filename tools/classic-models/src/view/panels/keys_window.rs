//! The window with all keys.

use crate::view::key_table::GROUPS;
use bevy_egui::egui::{Align2, Context, Grid, Key, RichText, ScrollArea, Ui, Vec2, Window};

/// The width of the viewer's window from which there are two columns, in points.
const WIDE: f32 = 900.0;

/// The width of one column, in points.
const NARROW: f32 = 460.0;

/// The height of the title and of the margins, in points.
const FRAME: f32 = 70.0;

/// Draws the window. Escape closes it.
pub fn show(context: &Context, shows: &mut bool) {
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
