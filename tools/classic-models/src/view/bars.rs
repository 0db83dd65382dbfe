//! Bars in the panel: the time of the selected model's clip, and its level of detail. Pressing a bar seeks.

use crate::view::action::Action;
use crate::view::clips::Animators;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy::ui::RelativeCursorPosition;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

const HEIGHT: f32 = 12.0;
const EMPTY: Color = Color::srgb(0.13, 0.135, 0.145);
const FULL: Color = Color::srgb(0.16, 0.38, 0.55);

/// The value that a bar shows.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// The time of the clip.
    Time,
    /// The level of detail, at the left the full model.
    Lod,
}

impl Bar {
    /// The action of a press at a fraction of the bar's width, from 0 to 1.
    fn action(self, fraction: f32) -> Action {
        match self {
            Self::Time => Action::Seek(fraction),
            Self::Lod => Action::LodFraction(fraction),
        }
    }
}

/// The filled part of a bar.
#[derive(Component)]
pub struct Filling(Bar);

/// Spawns a bar into the panel.
pub fn spawn(panel: &mut ChildSpawnerCommands<'_>, bar: Bar) {
    let node = Node {
        width: percent(100),
        height: px(HEIGHT),
        flex_shrink: 0.0,
        ..default()
    };
    let filling = Node {
        width: percent(0),
        height: percent(100),
        ..default()
    };
    panel.spawn((
        bar,
        node,
        BackgroundColor(EMPTY),
        Interaction::None,
        RelativeCursorPosition::default(),
        children![(Filling(bar), filling, BackgroundColor(FULL))],
    ));
}

/// Seeks to the position of the mouse while its button is down, even if the panel is respawned meanwhile.
pub fn drag(
    bars: Query<(&Bar, &Interaction, &RelativeCursorPosition)>,
    buttons: Res<ButtonInput<MouseButton>>,
    mut held: Local<Option<(Bar, f32)>>,
    mut actions: MessageWriter<Action>,
) {
    let pressed = bars
        .iter()
        .find(|(_, interaction, _)| **interaction == Interaction::Pressed);
    let pressed = pressed.map(|(bar, ..)| *bar);
    let of_before = held.map(|(bar, _)| bar);
    let bar = pressed.or(of_before.filter(|_| buttons.pressed(MouseButton::Left)));
    let Some(bar) = bar else {
        *held = None;
        return;
    };
    let cursor = bars.iter().find(|(of, ..)| **of == bar);
    // `normalized` is relative to the center of the bar.
    let at = cursor.and_then(|(.., cursor)| Some(cursor.normalized?.x + 0.5));
    let now = at.map(|at| (bar, at.clamp(0.0, 1.0)));
    if let Some((_, part)) = now
        && now != *held
    {
        actions.write(bar.action(part));
        *held = now;
    }
}

/// The components that determine how full the bars are.
type Filled = (
    Option<(&'static Playback, Option<&'static MdlAnimator>, Animators)>,
    Option<(&'static AbcInstance, Option<&'static ModelLod>)>,
);

/// Updates the filled parts.
pub fn fill(
    row: Res<Row>,
    models: Query<Filled>,
    clips: Res<Assets<AnimationClip>>,
    mut fillings: Query<(&Filling, &mut Node)>,
) {
    let model = row.selected().and_then(|model| models.get(model).ok());
    let Some((playing, leveled)) = model else {
        return;
    };
    for (Filling(bar), mut node) in &mut fillings {
        let part = match bar {
            Bar::Time => playing.as_ref().map_or(0.0, |(playback, mdl, animators)| {
                let of_clip = || Some(clips.get(animators.clip()?)?.duration());
                let seconds = mdl.map(MdlAnimator::clip_seconds).or_else(of_clip);
                let seconds = seconds.filter(|seconds| *seconds > 0.0);
                seconds.map_or(0.0, |seconds| playback.time / seconds)
            }),
            Bar::Lod => leveled.map_or(0.0, |(instance, lod)| {
                let count = instance.model().levels.len().max(1);
                (lod.map_or(0, |lod| lod.0) as f32 + 0.5) / count as f32
            }),
        };
        let width = percent(part.clamp(0.0, 1.0) * 100.0);
        if node.width != width {
            node.width = width;
        }
    }
}
