//! The figures on screen.

use crate::figures::Figures;
use crate::support::draws::DrawCount;
use bevy::prelude::*;
use bevy::time::common_conditions::on_timer;
use std::time::Duration;

/// How long figures stay, so that they can be read.
const REFRESH: Duration = Duration::from_millis(250);

/// Shows the figures in a corner.
pub struct OverlayPlugin;

impl Plugin for OverlayPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn)
            .add_systems(Update, refresh.run_if(on_timer(REFRESH)));
    }
}

#[derive(Component)]
struct Overlay;

fn spawn(mut commands: Commands) {
    commands.spawn((
        Overlay,
        Text::new("loading"),
        TextFont::from_font_size(18.0),
        Node {
            position_type: PositionType::Absolute,
            left: px(12.0),
            top: px(12.0),
            ..default()
        },
    ));
}

fn refresh(
    draws: Res<DrawCount>,
    figures: Res<Figures>,
    mut text: Single<&mut Text, With<Overlay>>,
) {
    let instances = figures.instances;
    let frame = figures.frames.mean() * 1e3;
    let per_instance = figures.systems.mean() * 1e6 / instances.max(1) as f64;
    text.0 = format!(
        "{instances} instances\n\
         {frame:.1} ms per frame\n\
         {per_instance:.3} µs per instance in this crate's systems\n\
         {draws} draws",
        draws = draws.get()
    );
}
