//! Where the panels are in the window, and their colors, fonts and sizes.

use crate::view::actions::action::Action;
use crate::view::open::browser::Browser;
use crate::view::panels::data::{PanelData, Shown};
use crate::view::panels::state::PanelState;
use crate::view::panels::{details, files, menu, timeline};
use bevy_egui::egui::{
    Align, Align2, Color32, Context, CornerRadius, FontFamily, FontId, Frame, Id, LayerId, Layout,
    Margin, Panel, Rect, Stroke, TextStyle, Theme, Ui, UiBuilder, Visuals, vec2,
};

/// The greatest widths that the panels at the sides have at first, in points.
const LEFT: f32 = 270.0;
const RIGHT: f32 = 290.0;

/// The greatest share of the window's width that a panel at the side has at first.
const SIDE: f32 = 0.27;

/// The result of drawing the panels.
pub struct Drawn {
    pub actions: Vec<Action>,
    /// The area without panels, in points.
    pub free: Rect,
}

/// The whole window.
pub fn root(context: &Context) -> Ui {
    let builder = UiBuilder::new()
        .layer_id(LayerId::background())
        .max_rect(context.viewport_rect());
    Ui::new(context.clone(), Id::new("viewer"), builder)
}

/// Draws all panels.
pub fn show(ui: &mut Ui, shown: &Shown, browser: &mut Browser, state: &mut PanelState) -> Drawn {
    let mut actions = Vec::new();
    let data = shown.data;
    let side = ui.max_rect().width() * SIDE;
    Panel::top("menu").show(ui, |ui| menu::show(ui, shown, state, &mut actions));
    Panel::bottom("timeline").show(ui, |ui| timeline::show(ui, data, state, &mut actions));
    if state.shows_left {
        let panel = Panel::left("lists")
            .default_size(LEFT.min(side))
            .min_size(180.0);
        panel.frame(frame(ui)).show(ui, |ui| {
            files::show(ui, browser, &mut state.files, &mut actions);
            files::show_lists(ui, data, state, &mut actions);
        });
    }
    if state.shows_right {
        let panel = Panel::right("details")
            .default_size(RIGHT.min(side))
            .min_size(200.0);
        panel
            .frame(frame(ui))
            .show(ui, |ui| details::show(ui, data, state, &mut actions));
    }
    if state.shows_log {
        let panel = Panel::bottom("log")
            .resizable(true)
            .default_size(130.0)
            .min_size(60.0);
        panel.show(ui, |ui| menu::show_log(ui, shown));
    }
    let free = ui.available_rect_before_wrap();
    hints(ui, data, free);
    details::show_large(ui.ctx(), free, data, state);
    menu::show_keys(ui.ctx(), &mut state.shows_keys);
    Drawn { actions, free }
}

fn frame(ui: &Ui) -> Frame {
    Frame::side_top_panel(ui.style()).inner_margin(Margin::symmetric(6, 6))
}

/// Writes what to do while nothing is shown, the parts under the mouse, and the latest events of clips.
fn hints(ui: &mut Ui, data: &PanelData, free: Rect) {
    let painter = ui.painter_at(free);
    let (strong, weak) = (ui.visuals().text_color(), ui.visuals().weak_text_color());
    if data.models.is_empty() {
        let text = "Drop .mdl, .alo, .ala, .abc and .lgw files here,\nor choose one in the list.";
        let font = FontId::proportional(16.0);
        painter.text(free.center(), Align2::CENTER_CENTER, text, font, weak);
    }
    let text = data.pointed.join("\nbehind it: ");
    let at = free.left_bottom() + vec2(10.0, -8.0);
    painter.text(
        at,
        Align2::LEFT_BOTTOM,
        text,
        FontId::proportional(13.0),
        strong,
    );
    for (index, (text, opacity)) in data.events.iter().enumerate() {
        let at = free.right_bottom() + vec2(-10.0, -8.0 - 17.0 * index as f32);
        let color = WARNING.gamma_multiply(*opacity);
        let font = FontId::proportional(13.0);
        painter.text(at, Align2::RIGHT_BOTTOM, text, font, color);
    }
}

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
