//! What the keys choose.

use crate::swarm::Swarm;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloRayCastVisibility, Backfaces};

/// What was chosen.
#[derive(Resource, Clone, Copy, Debug)]
pub struct Choices {
    /// Which parts rays meet.
    pub visibility: AloRayCastVisibility,
    /// What they do with the backs of triangles.
    pub backfaces: Backfaces,
    /// Whose boxes are drawn.
    pub boxes: Boxes,
    /// Their level.
    pub level: usize,
}

impl Default for Choices {
    fn default() -> Self {
        Self {
            // The hull that the walker's file hides is around all that moves.
            visibility: AloRayCastVisibility::Visible,
            backfaces: Backfaces::Cull,
            boxes: Boxes::Met,
            level: 0,
        }
    }
}

/// Whose boxes are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boxes {
    /// Those of parts that a ray meets.
    Met,
    /// Those of all parts that rays can meet.
    All,
    None,
}

/// Levels to choose from; walkers' trees are no deeper.
const LEVELS: usize = 6;

/// Most probes.
const MOST: usize = 100_000;

/// Listens to the keyboard.
pub struct KeysPlugin;

impl Plugin for KeysPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, act);
    }
}

fn act(
    keys: Res<ButtonInput<KeyCode>>,
    mut choices: ResMut<Choices>,
    mut swarm: ResMut<Swarm>,
    mut time: ResMut<Time<Virtual>>,
) {
    for key in keys.get_just_pressed() {
        match key {
            KeyCode::Space if time.is_paused() => time.unpause(),
            KeyCode::Space => time.pause(),
            KeyCode::Equal | KeyCode::NumpadAdd => swarm.count = (swarm.count * 2).min(MOST),
            KeyCode::Minus | KeyCode::NumpadSubtract => swarm.count = (swarm.count / 2).max(1),
            KeyCode::KeyV => choices.visibility = next_visibility(choices.visibility),
            KeyCode::KeyF => choices.backfaces = next_backfaces(choices.backfaces),
            KeyCode::KeyB => choices.boxes = next_boxes(choices.boxes),
            KeyCode::KeyL => choices.level = (choices.level + 1) % LEVELS,
            _ => {}
        }
    }
}

fn next_visibility(visibility: AloRayCastVisibility) -> AloRayCastVisibility {
    match visibility {
        AloRayCastVisibility::Visible => AloRayCastVisibility::Solid,
        AloRayCastVisibility::Solid => AloRayCastVisibility::SolidAtCurrentLod,
        AloRayCastVisibility::SolidAtCurrentLod => AloRayCastVisibility::Any,
        AloRayCastVisibility::Any => AloRayCastVisibility::VisibleInView,
        AloRayCastVisibility::VisibleInView => AloRayCastVisibility::Visible,
    }
}

fn next_backfaces(backfaces: Backfaces) -> Backfaces {
    match backfaces {
        Backfaces::Cull => Backfaces::Keep,
        Backfaces::Keep => Backfaces::Flip,
        Backfaces::Flip => Backfaces::Cull,
    }
}

fn next_boxes(boxes: Boxes) -> Boxes {
    match boxes {
        Boxes::Met => Boxes::All,
        Boxes::All => Boxes::None,
        Boxes::None => Boxes::Met,
    }
}
