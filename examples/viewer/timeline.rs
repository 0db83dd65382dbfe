//! A bar that shows how far the clip of the selected model is. Who presses on it jumps there.

use crate::actions::Action;
use crate::models::Row;
use bevy::prelude::*;
use bevy::ui::RelativeCursorPosition;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

const HEIGHT: f32 = 12.0;
const EMPTY: Color = Color::srgb(0.13, 0.135, 0.145);
const FULL: Color = Color::srgb(0.16, 0.38, 0.55);

#[derive(Component)]
pub struct Bar;

#[derive(Component)]
pub struct Filling;

/// Spawns it into the panel.
pub fn spawn(panel: &mut ChildSpawnerCommands<'_>) {
    let bar = Node {
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
        Bar,
        bar,
        BackgroundColor(EMPTY),
        Interaction::None,
        RelativeCursorPosition::default(),
        children![(Filling, filling, BackgroundColor(FULL))],
    ));
}

/// Jumps to where the mouse is, as long as its button is down.
pub fn drag(
    bars: Query<(&Interaction, Ref<RelativeCursorPosition>), With<Bar>>,
    mut before: Local<Option<f32>>,
    mut actions: MessageWriter<Action>,
) {
    let pressed = bars
        .iter()
        .find(|(interaction, _)| **interaction == Interaction::Pressed);
    // Counted from the bar's middle.
    let at = pressed.and_then(|(_, cursor)| Some(cursor.normalized?.x + 0.5));
    if at != *before
        && let Some(at) = at
    {
        actions.write(Action::Seek(at.clamp(0.0, 1.0)));
    }
    *before = at;
}

/// Fills it as far as the clip is.
pub fn fill(
    row: Res<Row>,
    models: Query<(&Playback, Option<&MdlAnimator>, Option<&AloAnimator>)>,
    clips: Res<Assets<AnimationClip>>,
    mut fillings: Query<&mut Node, With<Filling>>,
) {
    let model = row.selected().and_then(|model| models.get(model).ok());
    let Some((playback, mdl, alo)) = model else {
        return;
    };
    let of_mdl = mdl.map(MdlAnimator::clip_seconds);
    let of_alo = || Some(clips.get(alo?.clip()?)?.duration());
    let seconds = of_mdl.or_else(of_alo).unwrap_or(0.0);
    let part = if seconds > 0.0 {
        playback.time / seconds
    } else {
        0.0
    };
    for mut filling in &mut fillings {
        let width = percent(part.clamp(0.0, 1.0) * 100.0);
        if filling.width != width {
            filling.width = width;
        }
    }
}
