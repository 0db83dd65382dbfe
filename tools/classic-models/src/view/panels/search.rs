//! A search field above a list.

use bevy_egui::egui::{Key, Response, TextEdit, Ui};

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
        if self.text.is_empty() {
            return true;
        }
        let text = text.to_lowercase();
        let words = self.text.to_lowercase();
        words.split_whitespace().all(|word| text.contains(word))
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
