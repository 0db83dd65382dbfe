//! Draws the panels without a window, and acts as a user.

use crate::log_buffer::LogLine;
use crate::view::actions::action::Action;
use crate::view::open::browser::Browser;
use crate::view::panels::data::{PanelData, Shown};
use crate::view::panels::state::PanelState;
use crate::view::panels::{layout, style};
use bevy_egui::egui::{
    Context, Event, Key, Modifiers, PointerButton, Pos2, RawInput, Rect, Shape, TextureId, pos2,
    vec2,
};
use std::path::PathBuf;

/// The panels with what they show.
pub struct Driver {
    context: Context,
    size: [f32; 2],
    time: f64,
    pub data: PanelData,
    pub browser: Browser,
    pub state: PanelState,
    pub recent: Vec<PathBuf>,
    pub log: Vec<LogLine>,
    /// The texts of the last frame and where they are.
    texts: Vec<(String, Rect)>,
    /// The count of images of the last frame.
    textures: usize,
    /// The area without panels.
    pub free: Rect,
    actions: Vec<Action>,
}

impl Driver {
    /// Draws the panels in a window of this size.
    pub fn new(size: [f32; 2], data: PanelData, browser: Browser) -> Self {
        let context = Context::default();
        style::apply_style(&context);
        let mut driver = Self {
            context,
            size,
            time: 0.0,
            data,
            browser,
            state: PanelState::default(),
            recent: Vec::new(),
            log: Vec::new(),
            texts: Vec::new(),
            textures: 0,
            free: Rect::NOTHING,
            actions: Vec::new(),
        };
        driver.settle();
        driver
    }

    /// Draws frames until sizes are known.
    pub fn settle(&mut self) {
        for _ in 0..3 {
            self.frame(Vec::new());
        }
    }

    fn frame(&mut self, events: Vec<Event>) {
        self.time += 0.1;
        let [width, height] = self.size;
        let input = RawInput {
            screen_rect: Some(Rect::from_min_size(Pos2::ZERO, vec2(width, height))),
            time: Some(self.time),
            events,
            focused: true,
            ..RawInput::default()
        };
        let shown = Shown {
            data: &self.data,
            recent: &self.recent,
            log: &self.log,
        };
        let mut actions = Vec::new();
        let output = self.context.clone().run_ui(input, |ui| {
            let drawn = layout::show(ui, &shown, &mut self.browser, &mut self.state);
            self.free = drawn.free;
            actions.extend(drawn.actions);
        });
        self.texts.clear();
        for clipped in &output.shapes {
            add_texts(&clipped.shape, clipped.clip_rect, &mut self.texts);
        }
        self.textures = output.shapes.iter().map(|it| images(&it.shape)).sum();
        output.drop_without_applying_deltas();
        for action in &actions {
            self.state.apply(action);
        }
        self.actions.extend(actions);
    }

    /// The texts that are visible.
    pub fn texts(&self) -> Vec<&str> {
        self.texts.iter().map(|(text, _)| &**text).collect()
    }

    /// Whether a text is visible.
    pub fn has(&self, text: &str) -> bool {
        self.texts.iter().any(|(other, _)| other == text)
    }

    /// The count of images of the viewer that are drawn.
    pub fn count_textures(&self) -> usize {
        self.textures
    }

    /// Where a text is.
    #[track_caller]
    pub fn place(&self, text: &str) -> Rect {
        let found = self.texts.iter().find(|(other, _)| other == text);
        let Some((_, place)) = found else {
            panic!("{text:?} is not among {:?}", self.texts());
        };
        *place
    }

    /// Clicks a text. Returns the actions.
    #[track_caller]
    pub fn click(&mut self, text: &str) -> Vec<Action> {
        let at = self.place(text).center();
        self.click_at(at)
    }

    /// Clicks a position. Returns the actions.
    pub fn click_at(&mut self, at: Pos2) -> Vec<Action> {
        let actions = self.drag(at, at);
        self.settle();
        [actions, std::mem::take(&mut self.actions)].concat()
    }

    /// Drags from one position to another. Returns the actions.
    pub fn drag(&mut self, from: Pos2, to: Pos2) -> Vec<Action> {
        let button = |pos, pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![Event::PointerMoved(from)]);
        self.frame(vec![button(from, true)]);
        self.frame(vec![Event::PointerMoved(to)]);
        self.frame(vec![button(to, false)]);
        std::mem::take(&mut self.actions)
    }

    /// Presses a key. Returns the actions.
    pub fn key(&mut self, key: Key) -> Vec<Action> {
        let event = |pressed| Event::Key {
            key,
            physical_key: None,
            pressed,
            repeat: false,
            modifiers: Modifiers::NONE,
        };
        self.frame(vec![event(true)]);
        self.frame(vec![event(false)]);
        self.settle();
        std::mem::take(&mut self.actions)
    }

    /// Types a text. Returns the actions.
    pub fn write(&mut self, text: &str) -> Vec<Action> {
        self.frame(vec![Event::Text(text.to_owned())]);
        self.settle();
        std::mem::take(&mut self.actions)
    }

    /// Applies an action of the keyboard.
    pub fn act(&mut self, action: &Action) {
        self.state.apply(action);
        self.settle();
    }

    /// Whether a text field has the keyboard.
    pub fn is_typing(&self) -> bool {
        self.context.text_edit_focused()
    }

    /// Whether a widget has the keyboard.
    pub fn has_focus(&self) -> bool {
        self.context.egui_wants_keyboard_input()
    }

    /// The middle of the window.
    pub fn middle(&self) -> Pos2 {
        pos2(self.size[0] / 2.0, self.size[1] / 2.0)
    }
}

/// The count of images that are not of egui's own, such as letters.
fn images(shape: &Shape) -> usize {
    match shape {
        Shape::Vec(shapes) => shapes.iter().map(images).sum(),
        shape => usize::from(matches!(shape.texture_id(), TextureId::User(_))),
    }
}

/// Adds the texts of a shape that are at least partly visible.
fn add_texts(shape: &Shape, clip: Rect, texts: &mut Vec<(String, Rect)>) {
    match shape {
        Shape::Vec(shapes) => {
            for shape in shapes {
                add_texts(shape, clip, texts);
            }
        }
        Shape::Text(text) => {
            // Aligned to the right, it is left of its position.
            let place = text.galley.rect.translate(text.pos.to_vec2());
            let visible = place.intersect(clip);
            if visible.is_positive() {
                texts.push((text.galley.text().to_owned(), visible));
            }
        }
        _ => {}
    }
}
