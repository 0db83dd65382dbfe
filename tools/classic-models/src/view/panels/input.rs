//! The area without panels, and which input the panels use.

use bevy::input::keyboard::Key;
use bevy::prelude::*;
use bevy_egui::egui::{Context, Order, pos2};
use bevy_egui::{egui, helpers};

/// The area without panels, and which input the panels use.
#[derive(Resource, Debug, Default)]
pub struct PanelInput {
    /// The area in logical pixels of the window. `None` before the panels are drawn.
    pub free: Option<Rect>,
    /// Whether a text field has the keyboard.
    is_typing: bool,
    /// Whether a widget has the keyboard.
    has_focus: bool,
    /// Whether a widget is dragged, or a menu is open.
    has_mouse: bool,
    /// The layers above the panels, such as menus and windows.
    context: Option<Context>,
}

impl PanelInput {
    /// Reads the state of the panels after they were drawn. `free` is in points.
    pub fn update(&mut self, context: &Context, free: egui::Rect) {
        // Points are logical pixels times the zoom.
        let zoom = context.zoom_factor();
        let free = helpers::egui_rect_into_rect(free);
        self.free = Some(Rect {
            min: free.min * zoom,
            max: free.max * zoom,
        });
        let is_typing = context.text_edit_focused();
        if is_typing != self.is_typing {
            debug!("a text field has the keyboard: {is_typing}");
        }
        self.is_typing = is_typing;
        self.has_focus = context.egui_wants_keyboard_input();
        self.has_mouse = context.egui_is_using_pointer() || context.any_popup_open();
        self.context = Some(context.clone());
    }

    /// Whether a position of the mouse in logical pixels is in the free area, and no widget uses the mouse.
    pub fn is_free(&self, at: Vec2) -> bool {
        let is_inside = self.free.is_some_and(|free| free.contains(at));
        is_inside && !self.has_mouse && !self.is_covered(at)
    }

    /// Whether a window or a menu is at a position.
    fn is_covered(&self, at: Vec2) -> bool {
        let Some(context) = &self.context else {
            return false;
        };
        let at = at / context.zoom_factor();
        let layer = context.layer_id_at(pos2(at.x, at.y));
        layer.is_some_and(|layer| layer.order != Order::Background)
    }

    /// Whether the panels use a key: all while a text is edited, and those that move between widgets or press them.
    pub fn uses_key(&self, key: &Key) -> bool {
        let moves = matches!(
            key,
            Key::Tab
                | Key::Space
                | Key::Enter
                | Key::Escape
                | Key::ArrowUp
                | Key::ArrowDown
                | Key::ArrowLeft
                | Key::ArrowRight
        );
        self.is_typing || (self.has_focus && moves)
    }
}
