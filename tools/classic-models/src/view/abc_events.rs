//! What LithTech models tell the game while they play: the last few strings, at the right of the
//! window, where they fade away.

use crate::view::models::ViewedModel;
use bevy::prelude::*;
use bevy::time::Real;
use bevy_classic_models::lithtech::AbcKeyframeEvent;
use bevy_classic_models::prelude::*;
use std::collections::VecDeque;

/// Strings that are shown at once.
const LINES: usize = 8;

/// Seconds until a string has faded away.
const STAYS: f32 = 4.0;

const COLOR: Color = Color::srgb(0.95, 0.85, 0.55);

/// Shows strings as they come.
pub struct AbcEventsPlugin;

impl Plugin for AbcEventsPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Heard>()
            .add_observer(hear)
            .add_systems(Startup, spawn)
            .add_systems(Update, show);
    }
}

/// What was told, the latest first.
#[derive(Resource, Default)]
struct Heard(VecDeque<Told>);

struct Told {
    words: String,
    /// Seconds since the program began.
    at: f32,
}

/// The place of a line, 0 for the latest.
#[derive(Component)]
struct Line(usize);

fn hear(
    event: On<AbcKeyframeEvent>,
    models: Query<&ViewedModel>,
    time: Res<Time<Real>>,
    mut heard: ResMut<Heard>,
) {
    let Ok(model) = models.get(event.trigger().target) else {
        return;
    };
    let words = format!(
        "{}, {} {:.2} s: {}",
        model.name, event.name, event.seconds, event.string
    );
    let at = time.elapsed_secs();
    heard.0.push_front(Told { words, at });
    heard.0.truncate(LINES);
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
    heard: Res<Heard>,
    mut lines: Query<(&Line, &mut Text, &mut TextColor)>,
) {
    for (line, mut text, mut color) in &mut lines {
        let told = heard.0.get(line.0);
        let age = told.map_or(STAYS, |told| time.elapsed_secs() - told.at);
        let words = told.map_or("", |told| &told.words);
        if text.0 != words {
            text.0 = words.to_owned();
        }
        let left = (1.0 - age / STAYS).clamp(0.0, 1.0);
        color.set_if_neq(TextColor(COLOR.with_alpha(left)));
    }
}
