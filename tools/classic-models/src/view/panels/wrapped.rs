//! Rows of widgets that continue in the next line.

use bevy_egui::egui::{Align, Layout, Ui, vec2};

/// Draws widgets in as many lines as they need, and leaves a width free at the right.
pub fn wrapped_beside(ui: &mut Ui, right: f32, add: impl FnOnce(&mut Ui)) {
    let width = (ui.available_width() - right).max(100.0);
    let size = vec2(width, ui.spacing().interact_size.y);
    let layout = Layout::left_to_right(Align::Center).with_main_wrap(true);
    ui.allocate_ui_with_layout(size, layout, add);
}
