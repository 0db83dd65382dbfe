//! The area without panels, which input the panels use, and the system's clipboard.

use bevy::input::keyboard::{Key, KeyboardInput};
use bevy::prelude::*;
use bevy_egui::egui::{self, Context, Event, Order, OutputCommand, pos2};
use bevy_egui::input::{EguiInputEvent, ModifierKeysState};
use bevy_egui::{
    EguiInputSet, EguiOutput, EguiPostUpdateSet, EguiPreUpdateSet, PrimaryEguiContext, helpers,
};

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

/// Adds the clipboard. Needs the plugin of egui.
pub struct ClipboardPlugin;

impl Plugin for ClipboardPlugin {
    fn build(&self, app: &mut App) {
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
            Some(egui::Key::C) if is_command => Some(Event::Copy),
            Some(egui::Key::X) if is_command => Some(Event::Cut),
            Some(egui::Key::V) if is_command => clipboard.get().map(Event::Paste),
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
    use bevy::input::{ButtonState, keyboard};

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
