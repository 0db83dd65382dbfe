//! What the panels themselves remember: search texts, and which panels are shown. It must not have data of models.

use crate::view::actions::action::{Action, Panel, SearchField};
use crate::view::open::browser::has_words;
use bevy::prelude::*;
use bevy_egui::egui::{Key, Response, TextEdit, Ui};

/// The state of the panels.
#[derive(Resource, Debug)]
pub struct PanelState {
    pub files: Search,
    pub clips: Search,
    pub details: Search,
    pub shows_left: bool,
    pub shows_right: bool,
    pub shows_log: bool,
    pub shows_keys: bool,
    /// The path in the field of the menu, to open.
    pub path: String,
    /// The index of the texture that is shown large.
    pub large_texture: Option<usize>,
}

impl Default for PanelState {
    fn default() -> Self {
        Self {
            files: Search::default(),
            clips: Search::default(),
            details: Search::default(),
            shows_left: true,
            shows_right: true,
            shows_log: false,
            shows_keys: false,
            path: String::new(),
            large_texture: None,
        }
    }
}

impl PanelState {
    /// Applies an action.
    pub fn apply(&mut self, action: &Action) {
        match action {
            Action::Toggle(panel) => {
                let shows = match panel {
                    Panel::Left => &mut self.shows_left,
                    Panel::Right => &mut self.shows_right,
                    Panel::Log => &mut self.shows_log,
                    Panel::Keys => &mut self.shows_keys,
                };
                *shows ^= true;
            }
            Action::Search(field) => {
                let (search, shows) = match field {
                    SearchField::Files => (&mut self.files, &mut self.shows_left),
                    SearchField::Clips => (&mut self.clips, &mut self.shows_left),
                    SearchField::Details => (&mut self.details, &mut self.shows_right),
                };
                search.focus();
                *shows = true;
            }
            _ => {}
        }
    }
}

/// Applies the actions that concern the panels.
pub fn act_on_panels(mut actions: MessageReader<Action>, mut state: ResMut<PanelState>) {
    for action in actions.read() {
        state.apply(action);
    }
}

/// The text of a search field.
#[derive(Debug, Default)]
pub struct Search {
    pub text: String,
    /// Whether the field takes the keyboard in the next frame.
    takes_focus: bool,
}

/// What happened to a search field.
pub struct Searched {
    pub has_changed: bool,
    /// Whether the first match is to be chosen.
    pub is_entered: bool,
}

impl Search {
    /// Moves the keyboard to the field.
    pub fn focus(&mut self) {
        self.takes_focus = true;
    }

    /// Whether a text has all words of the search, in any case.
    pub fn matches(&self, text: &str) -> bool {
        self.text.is_empty() || has_words(text, &self.text)
    }

    /// Draws the field. `hint` is shown while it is empty.
    pub fn show(&mut self, ui: &mut Ui, hint: &str) -> Searched {
        let edit = TextEdit::singleline(&mut self.text)
            .hint_text(hint)
            .desired_width(f32::INFINITY);
        let response = ui.add(edit);
        if std::mem::take(&mut self.takes_focus) {
            response.request_focus();
        }
        Searched {
            has_changed: response.changed(),
            is_entered: is_entered(ui, &response),
        }
    }
}

/// Whether typing was ended by Enter.
pub fn is_entered(ui: &Ui, field: &Response) -> bool {
    field.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter))
}
