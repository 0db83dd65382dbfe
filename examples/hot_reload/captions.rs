//! What is written above and below the models.

use crate::looks::{Look, courier_meshes, sentry_height, walker_orders, warden_outfit};
use crate::row::Row;
use bevy::prelude::*;

const TEXT: Color = Color::srgb(0.9, 0.91, 0.93);
const DIM: Color = Color::srgb(0.62, 0.64, 0.67);

/// A line above the models.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Caption {
    /// What is being done.
    Step,
    /// What came of it.
    Outcome,
}

/// A line below a model.
#[derive(Component)]
struct Label(Look);

/// The models' names from left to right, and what is said of them.
const LABELS: [(&str, Look); 4] = [
    ("sentry.mdl", sentry_height),
    ("walker.alo", walker_orders),
    ("warden.abc", warden_outfit),
    ("courier.lgw", courier_meshes),
];

/// Writes them.
pub struct CaptionsPlugin;

impl Plugin for CaptionsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn)
            .add_systems(PostUpdate, describe);
    }
}

/// Changes a line above the models.
pub fn say(world: &mut World, caption: Caption, words: &str) {
    let mut lines = world.query::<(&Caption, &mut Text)>();
    for (line, mut text) in lines.iter_mut(world) {
        if *line == caption {
            words.clone_into(&mut text.0);
        }
    }
}

fn spawn(mut commands: Commands) {
    let lines = |place: Node| Node {
        position_type: PositionType::Absolute,
        width: percent(100),
        padding: UiRect::horizontal(px(16)),
        ..place
    };
    let above = Node {
        top: px(14),
        flex_direction: FlexDirection::Column,
        row_gap: px(5),
        ..default()
    };
    commands.spawn((
        lines(above),
        children![
            (
                Caption::Step,
                Text::new("Files that change while they are in use: space takes the next step"),
                TextFont::from_font_size(20.0),
                TextColor(TEXT),
                // A second line would come down to the models.
                TextLayout::no_wrap(),
            ),
            (
                Caption::Outcome,
                Text::default(),
                TextFont::from_font_size(15.0),
                TextColor(DIM),
                TextLayout::no_wrap(),
            )
        ],
    ));
    let below = Node {
        bottom: px(14),
        ..default()
    };
    commands.spawn(lines(below)).with_children(|row| {
        for (name, look) in LABELS {
            let column = Node {
                flex_basis: percent(0),
                flex_grow: 1.0,
                flex_direction: FlexDirection::Column,
                align_items: AlignItems::Center,
                row_gap: px(3),
                ..default()
            };
            let name = (
                Text::new(name),
                TextFont::from_font_size(16.0),
                TextColor(TEXT),
            );
            let label = (
                Label(look),
                Text::default(),
                TextFont::from_font_size(13.0),
                TextColor(DIM),
            );
            row.spawn((column, children![name, label]));
        }
    });
}

/// Says what is to be seen of each model now.
fn describe(world: &mut World, labels: &mut QueryState<(Entity, &Label)>) {
    let Some(row) = world.get_resource::<Row>() else {
        return;
    };
    let labels = labels.iter(world);
    let words = labels.map(|(entity, label)| (entity, (label.0)(world, row)));
    let words: Vec<_> = words.collect();
    for (entity, words) in words {
        if let Some(mut text) = world.get_mut::<Text>(entity) {
            let words = words.unwrap_or_default().words;
            if text.0 != words {
                text.0 = words;
            }
        }
    }
}
