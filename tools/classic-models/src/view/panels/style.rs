//! Colors, fonts and sizes of the panels, and rows of widgets that continue in the next line.

use bevy_egui::egui::{
    Align, Color32, Context, CornerRadius, FontFamily, FontId, Layout, Stroke, TextStyle, Theme,
    Ui, Visuals, vec2,
};

/// The color of warnings.
pub const WARNING: Color32 = Color32::from_rgb(240, 200, 105);
/// The color of errors.
pub const ERROR: Color32 = Color32::from_rgb(255, 120, 105);
/// The color of selected items.
const SELECTED: Color32 = Color32::from_rgb(38, 92, 134);

/// Sets the style of all panels.
pub fn apply_style(context: &Context) {
    context.set_theme(Theme::Dark);
    let mut visuals = Visuals::dark();
    visuals.panel_fill = Color32::from_rgb(24, 25, 28);
    visuals.window_fill = Color32::from_rgb(30, 31, 35);
    visuals.extreme_bg_color = Color32::from_rgb(15, 16, 18);
    visuals.faint_bg_color = Color32::from_rgb(31, 32, 36);
    visuals.selection.bg_fill = SELECTED;
    visuals.selection.stroke = Stroke::new(1.0, Color32::from_rgb(235, 240, 245));
    visuals.widgets.noninteractive.fg_stroke.color = Color32::from_rgb(200, 203, 208);
    visuals.widgets.inactive.fg_stroke.color = Color32::from_rgb(215, 218, 223);
    visuals.slider_trailing_fill = true;
    visuals.widgets.noninteractive.corner_radius = CornerRadius::same(3);
    context.all_styles_mut(|style| {
        style.visuals = visuals.clone();
        style.spacing.item_spacing = vec2(6.0, 4.0);
        style.spacing.button_padding = vec2(6.0, 2.0);
        style.interaction.tooltip_delay = 0.4;
        // Animations would redraw the window for nothing.
        style.animation_time = 0.0;
        let text = FontId::new(13.5, FontFamily::Proportional);
        style.text_styles.insert(TextStyle::Body, text.clone());
        style.text_styles.insert(TextStyle::Button, text);
        let heading = FontId::new(14.5, FontFamily::Proportional);
        style.text_styles.insert(TextStyle::Heading, heading);
        let small = FontId::new(12.0, FontFamily::Proportional);
        style.text_styles.insert(TextStyle::Small, small);
    });
}

/// Draws widgets in as many lines as they need, and leaves a width free at the right.
pub fn wrapped_beside(ui: &mut Ui, right: f32, add: impl FnOnce(&mut Ui)) {
    let width = (ui.available_width() - right).max(100.0);
    let size = vec2(width, ui.spacing().interact_size.y);
    let layout = Layout::left_to_right(Align::Center).with_main_wrap(true);
    ui.allocate_ui_with_layout(size, layout, add);
}
