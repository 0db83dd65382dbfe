//! Where the panels are in the window.

use crate::view::actions::action::Action;
use crate::view::open::browser::Browser;
use crate::view::panels::data::{PanelData, Shown};
use crate::view::panels::state::PanelState;
use crate::view::panels::style::WARNING;
use crate::view::panels::{details, files, menu, timeline};
use bevy_egui::egui::{
    Align2, Context, FontId, Frame, Id, LayerId, Margin, Panel, Rect, Ui, UiBuilder, vec2,
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
