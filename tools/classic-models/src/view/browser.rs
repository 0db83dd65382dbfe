//! The list of a game's models, with a search field. The panel shows it.

use crate::view::action::Action;
use crate::view::camera::Framing;
use crate::view::files::Folders;
use crate::view::models::add;
use crate::view::panel_item::{Item, Tone, button};
use crate::view::row::Row;
use bevy::input::keyboard::Key;
use bevy::prelude::*;
use std::path::PathBuf;

/// The count of models that the panel lists at once.
const PAGE: usize = 16;

/// The models of a game, and the search for them.
#[derive(Resource, Debug, Default)]
pub struct Browser {
    /// The path that precedes those of the models.
    root: PathBuf,
    /// The paths of all models.
    models: Vec<String>,
    /// The length of the folders that all models have in common.
    common: usize,
    /// The text of the search field.
    text: String,
    /// Whether keys change the text.
    is_typing: bool,
    /// The indices of the models that match.
    matches: Vec<usize>,
    page: usize,
    /// The index of the model that was opened last.
    opened: Option<usize>,
}

impl Browser {
    pub fn new(root: PathBuf, models: Vec<String>) -> Self {
        let mut browser = Self {
            common: common_folders(&models),
            root,
            models,
            ..Self::default()
        };
        browser.search();
        browser
    }

    /// Uses a key for the search field. Returns whether it has no other effect.
    pub fn use_key(&mut self, key: &Key) -> bool {
        if !self.is_typing {
            self.is_typing = *key == Key::Character("/".into());
            return self.is_typing;
        }
        match key {
            Key::Enter | Key::Escape => self.is_typing = false,
            Key::Backspace => {
                self.text.pop();
            }
            Key::Space => self.text.push(' '),
            Key::Character(text) => self.text.push_str(text),
            _ => return false,
        }
        self.search();
        true
    }

    /// Finds the models whose paths have all words of the text.
    fn search(&mut self) {
        let text = self.text.to_lowercase();
        let is_match =
            |path: &&(usize, String)| text.split_whitespace().all(|word| path.1.contains(word));
        let paths = self.models.iter().map(|path| path.to_lowercase());
        let paths: Vec<(usize, String)> = paths.enumerate().collect();
        self.matches = paths
            .iter()
            .filter(is_match)
            .map(|(index, _)| *index)
            .collect();
        self.page = 0;
    }

    fn pages(&self) -> usize {
        self.matches.len().div_ceil(PAGE).max(1)
    }

    /// The items of the panel.
    pub fn items(&self) -> Vec<Item> {
        let cursor = if self.is_typing { "_" } else { "" };
        let field = match (&*self.text, self.is_typing) {
            ("", false) => "search: press /".to_owned(),
            (text, _) => format!("search: {text}{cursor}"),
        };
        let count = format!("{} of {} models", self.matches.len(), self.models.len());
        let mut items = vec![
            Item::Heading("Game"),
            Item::Buttons(vec![button(&field, Action::ToggleSearch, self.is_typing)]),
            Item::Text(count, Tone::Remark),
        ];
        for index in self.matches.iter().skip(self.page * PAGE).take(PAGE) {
            let path = self
                .models
                .get(*index)
                .and_then(|path| path.get(self.common..));
            let label = path.unwrap_or_default();
            let is_open = self.opened == Some(*index);
            items.push(Item::Buttons(vec![button(
                label,
                Action::OpenModel(*index),
                is_open,
            )]));
        }
        if self.pages() > 1 {
            let label = format!("{} of {}", self.page + 1, self.pages());
            items.push(Item::Buttons(vec![
                button("<", Action::PreviousPage, false),
                button(&label, Action::NextPage, false),
                button(">", Action::NextPage, false),
            ]));
        }
        items
    }
}

/// The length of the folders that all paths begin with, with the last `/`.
fn common_folders(paths: &[String]) -> usize {
    let Some((first, others)) = paths.split_first() else {
        return 0;
    };
    let folders = first.rfind('/').map_or(0, |end| end + 1);
    let mut common = first.get(..folders).unwrap_or_default();
    for path in others {
        while !path.starts_with(common) {
            let shorter = common
                .trim_end_matches('/')
                .rfind('/')
                .map_or(0, |end| end + 1);
            common = common.get(..shorter).unwrap_or_default();
        }
    }
    common.len()
}

/// Applies the actions of the list. A model that is opened replaces all others.
pub fn act_on_browser(
    mut actions: MessageReader<Action>,
    browser: Option<ResMut<Browser>>,
    mut commands: Commands,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    mut row: ResMut<Row>,
    mut framing: ResMut<Framing>,
) {
    let Some(mut browser) = browser else {
        return;
    };
    for action in actions.read() {
        match *action {
            Action::ToggleSearch => browser.is_typing ^= true,
            Action::NextPage => browser.page = (browser.page + 1) % browser.pages(),
            Action::PreviousPage => {
                browser.page = (browser.page + browser.pages() - 1) % browser.pages();
            }
            Action::OpenModel(index) => {
                let Some(path) = browser.models.get(index) else {
                    continue;
                };
                let file = browser.root.join(path);
                for model in row.models.drain(..) {
                    commands.entity(model).despawn();
                }
                add(&file, &mut commands, &folders, &server, &mut row);
                browser.opened = Some(index);
                browser.is_typing = false;
                *framing = Framing::All;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Browser, PAGE, common_folders};
    use crate::view::action::Action;
    use crate::view::panel_item::Item;
    use bevy::input::keyboard::Key;
    use std::path::PathBuf;

    /// The labels and actions of the buttons that open models.
    fn listed(browser: &Browser) -> Vec<(String, usize)> {
        let items = browser.items();
        let buttons = items.into_iter().filter_map(|item| match item {
            Item::Buttons(buttons) => Some(buttons),
            _ => None,
        });
        let opened = buttons
            .flatten()
            .filter_map(|(label, action, _)| match action {
                Action::OpenModel(index) => Some((label, index)),
                _ => None,
            });
        opened.collect()
    }

    fn browser(models: &[&str]) -> Browser {
        let models = models.iter().map(|path| (*path).to_owned()).collect();
        Browser::new(PathBuf::from("game"), models)
    }

    fn enter(browser: &mut Browser, text: &str) {
        for letter in text.chars() {
            let key = match letter {
                ' ' => Key::Space,
                letter => Key::Character(letter.to_string().into()),
            };
            assert!(browser.use_key(&key), "{letter}");
        }
    }

    #[test]
    fn words_find_models_in_any_case_and_order() {
        let mut browser = browser(&[
            "art/models/Walker.alo",
            "art/models/walker_gun.alo",
            "art/models/tower.alo",
        ]);
        assert_eq!(listed(&browser).len(), 3);
        enter(&mut browser, "/GUN walk");
        assert_eq!(listed(&browser), [("walker_gun.alo".to_owned(), 1)]);
        assert!(browser.use_key(&Key::Backspace));
        enter(&mut browser, "x");
        assert!(listed(&browser).is_empty());
        assert!(browser.use_key(&Key::Escape));
        // The keys have their other meanings again.
        assert!(!browser.use_key(&Key::Character("w".into())));
        assert!(!browser.use_key(&Key::Space));
        assert!(listed(&browser).is_empty());
    }

    #[test]
    fn long_lists_have_pages() {
        let models: Vec<String> = (0..PAGE + 3)
            .map(|index| format!("m/{index:02}.mdl"))
            .collect();
        let mut browser = Browser::new(PathBuf::new(), models);
        assert_eq!(listed(&browser).len(), PAGE);
        assert_eq!(browser.pages(), 2);
        browser.page = 1;
        assert_eq!(listed(&browser)[2], (format!("{}.mdl", PAGE + 2), PAGE + 2));
        enter(&mut browser, "/");
        enter(&mut browser, "0");
        // A search begins on the first page.
        assert_eq!(browser.page, 0);
    }

    #[test]
    fn common_folders_are_not_shown() {
        for (paths, expected) in [
            (&["a/b/c", "a/b/d"][..], "a/b/"),
            (&["a/b/c", "a/bc/d"], "a/"),
            (&["a/b", "c/d"], ""),
            (&["a"], ""),
            (&[], ""),
        ] {
            let paths: Vec<String> = paths.iter().map(|path| (*path).to_owned()).collect();
            assert_eq!(common_folders(&paths), expected.len(), "{paths:?}");
        }
        let browser = browser(&["a/b/c.mdl", "a/d.mdl"]);
        let labels: Vec<_> = listed(&browser)
            .into_iter()
            .map(|(label, _)| label)
            .collect();
        assert_eq!(labels, ["b/c.mdl", "d.mdl"]);
    }
}
