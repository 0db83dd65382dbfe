//! Bars in the panel: how far the clip of the selected model is, and how coarse the model. Who presses
//! on one jumps there.

use crate::view::actions::Action;
use crate::view::clips::Animators;
use crate::view::models::Row;
use bevy::prelude::*;
use bevy::ui::RelativeCursorPosition;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

const HEIGHT: f32 = 12.0;
const EMPTY: Color = Color::srgb(0.13, 0.135, 0.145);
const FULL: Color = Color::srgb(0.16, 0.38, 0.55);

/// What a bar is about.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bar {
    /// The time of the clip.
    Time,
    /// The level of detail, at the left the full model.
    Lod,
}

impl Bar {
    /// What a place on it means, from 0 to 1.
    fn action(self, part: f32) -> Action {
        match self {
            Self::Time => Action::Seek(part),
            Self::Lod => Action::LodPart(part),
        }
    }
}

/// What of a bar is full.
#[derive(Component)]
pub struct Filling(Bar);

/// Spawns it into the panel.
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

/// Jumps to where the mouse is, as long as its button is down: also when the panel is made anew
/// meanwhile.
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
    // Counted from the bar's middle.
    let at = cursor.and_then(|(.., cursor)| Some(cursor.normalized?.x + 0.5));
    let now = at.map(|at| (bar, at.clamp(0.0, 1.0)));
    if let Some((_, part)) = now
        && now != *held
    {
        actions.write(bar.action(part));
        *held = now;
    }
}

/// What decides how full the bars are.
type Filled = (
    Option<(&'static Playback, Option<&'static MdlAnimator>, Animators)>,
    Option<(&'static AbcInstance, Option<&'static ModelLod>)>,
);

/// Fills them.
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
