//! Shows the events of models' clips: the latest ones, at the right of the window, where they fade out.

use crate::view::viewed_model::ViewedModel;
use bevy::prelude::*;
use bevy::time::Real;
use bevy_classic_models::prelude::*;
use std::collections::VecDeque;

/// The largest count of events that are shown at once.
const LINES: usize = 8;

/// Seconds until an event has faded out.
const FADE_SECONDS: f32 = 4.0;

const COLOR: Color = Color::srgb(0.95, 0.85, 0.55);

/// Shows the events of clips.
pub struct ModelEventsPlugin;

impl Plugin for ModelEventsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<EventLog>()
            .add_observer(log_event)
            .add_systems(Startup, spawn)
            .add_systems(Update, show);
    }
}

/// The events to show, the latest first.
#[derive(Resource, Default)]
struct EventLog(VecDeque<LoggedEvent>);

struct LoggedEvent {
    text: String,
    /// Seconds since the program started.
    at: f32,
}

/// The index of a line in the log; 0 is the latest event.
#[derive(Component)]
struct Line(usize);

fn log_event(
    event: On<ModelEvent>,
    models: Query<&ViewedModel>,
    time: Res<Time<Real>>,
    mut log: ResMut<EventLog>,
) {
    let Ok(model) = models.get(event.entity) else {
        return;
    };
    let text = format!(
        "{}, clip {}, frame {}: {}",
        model.name, event.clip, event.frame, event.name
    );
    let at = time.elapsed_secs();
    log.0.push_front(LoggedEvent { text, at });
    log.0.truncate(LINES);
}

fn spawn(mut commands: Commands) {
    let column = Node {
        position_type: PositionType::Absolute,
        right: px(12),
        bottom: px(10),
        flex_direction: FlexDirection::ColumnReverse,
        align_items: AlignItems::End,
        ..default()
    };
    commands.spawn(column).with_children(|column| {
        for line in 0..LINES {
            column.spawn((
                Line(line),
                Text::default(),
                TextFont::from_font_size(14.0),
                TextColor(COLOR),
            ));
        }
    });
}

fn show(
    time: Res<Time<Real>>,
    log: Res<EventLog>,
    mut lines: Query<(&Line, &mut Text, &mut TextColor)>,
) {
    for (line, mut text, mut color) in &mut lines {
        let event = log.0.get(line.0);
        let age = event.map_or(FADE_SECONDS, |event| time.elapsed_secs() - event.at);
        let content = event.map_or("", |event| &event.text);
        if text.0 != content {
            text.0 = content.to_owned();
        }
        let alpha = (1.0 - age / FADE_SECONDS).clamp(0.0, 1.0);
        color.set_if_neq(TextColor(COLOR.with_alpha(alpha)));
    }
}
