//! Copies texts of the panels to the system's clipboard, and pastes from it. It must not read other keys.
//!
//! `bevy_egui` can do the same, but only with 30 more dependencies, such as decoders of images.

use bevy::input::keyboard::KeyboardInput;
use bevy::prelude::*;
use bevy_egui::egui::{Event, Key, OutputCommand};
use bevy_egui::input::{EguiInputEvent, ModifierKeysState};
use bevy_egui::{
    EguiInputSet, EguiOutput, EguiPostUpdateSet, EguiPreUpdateSet, PrimaryEguiContext, helpers,
};

/// Adds the clipboard. Needs the plugin of egui.
pub fn clipboard_plugin(app: &mut App) {
    app.insert_non_send(Clipboard::of_system())
        .add_systems(
            PreUpdate,
            read_keys
                .in_set(EguiPreUpdateSet::ProcessInput)
                .in_set(EguiInputSet::ReadBevyMessages),
        )
        .add_systems(
            PostUpdate,
            copy.in_set(EguiPostUpdateSet::PostProcessOutput),
        );
}

/// The clipboard of the system. Without one, such as on a server, a text of the program itself.
#[derive(Default)]
struct Clipboard {
    system: Option<arboard::Clipboard>,
    text: String,
}

impl Clipboard {
    fn of_system() -> Self {
        let system = arboard::Clipboard::new();
        if let Err(error) = &system {
            debug!("no clipboard: {error}");
        }
        Self {
            system: system.ok(),
            text: String::new(),
        }
    }

    fn set(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        if let Some(system) = &mut self.system
            && let Err(error) = system.set_text(text)
        {
            warn!("the text cannot be copied: {error}");
        }
    }

    /// The text. `None` if something else was copied.
    fn get(&mut self) -> Option<String> {
        match &mut self.system {
            Some(system) => system.get_text().ok(),
            None => Some(self.text.clone()),
        }
    }
}

/// Lets egui copy, cut and paste when the keys for it are pressed: Ctrl, on macOS Command, with C, X and V.
fn read_keys(
    mut keys: MessageReader<KeyboardInput>,
    modifiers: Res<ModifierKeysState>,
    context: Single<Entity, With<PrimaryEguiContext>>,
    mut clipboard: NonSendMut<Clipboard>,
    mut events: MessageWriter<EguiInputEvent>,
) {
    let is_command = modifiers.to_egui_modifiers().command;
    for key in keys.read().filter(|key| key.state.is_pressed()) {
        let event = match helpers::bevy_to_egui_key(&key.logical_key) {
            Some(Key::C) if is_command => Some(Event::Copy),
            Some(Key::X) if is_command => Some(Event::Cut),
            Some(Key::V) if is_command => clipboard.get().map(Event::Paste),
            _ => None,
        };
        let context = *context;
        events.write_batch(event.map(|event| EguiInputEvent { context, event }));
    }
}

/// Copies what egui copied in this frame.
fn copy(
    output: Single<&EguiOutput, With<PrimaryEguiContext>>,
    mut clipboard: NonSendMut<Clipboard>,
) {
    for command in &output.platform_output.commands {
        if let OutputCommand::CopyText(text) = command
            && !text.is_empty()
        {
            debug!("copied {text:?}");
            clipboard.set(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::input::ButtonState;
    use bevy::input::keyboard;

    /// Presses a key with Ctrl or Command. Returns the events of egui.
    fn press(app: &mut App, key: &str, key_code: KeyCode) -> Vec<Event> {
        let window = app.world_mut().spawn_empty().id();
        app.world_mut().write_message(KeyboardInput {
            key_code,
            logical_key: keyboard::Key::Character(key.into()),
            state: ButtonState::Pressed,
            text: None,
            repeat: false,
            window,
        });
        app.update();
        let mut events = app.world_mut().resource_mut::<Messages<EguiInputEvent>>();
        events.drain().map(|event| event.event).collect()
    }

    #[test]
    fn copied_texts_are_pasted() {
        let mut app = App::new();
        app.add_message::<KeyboardInput>()
            .add_message::<EguiInputEvent>()
            .init_resource::<ModifierKeysState>()
            .insert_non_send(Clipboard::default())
            .add_systems(PreUpdate, read_keys)
            .add_systems(PostUpdate, copy);
        let mut output = EguiOutput::default();
        let commands = &mut output.platform_output.commands;
        commands.push(OutputCommand::CopyText("walker.alo".to_owned()));
        app.world_mut().spawn((PrimaryEguiContext, output));
        assert_eq!(press(&mut app, "v", KeyCode::KeyV), [], "without Ctrl");
        let mut modifiers = app.world_mut().resource_mut::<ModifierKeysState>();
        (modifiers.ctrl, modifiers.win) = (true, true);
        let pasted = [Event::Paste("walker.alo".to_owned())];
        assert_eq!(press(&mut app, "v", KeyCode::KeyV), pasted);
        assert_eq!(press(&mut app, "c", KeyCode::KeyC), [Event::Copy]);
        assert_eq!(press(&mut app, "x", KeyCode::KeyX), [Event::Cut]);
        assert_eq!(press(&mut app, "a", KeyCode::KeyA), []);
    }
}
