//! The visibility tracks over the length of the clip, a row for each bone, and where the clip is.

use crate::tracks::Show;
use crate::walkers::{Model, Program, Walker};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloModel;
use bevy_classic_models::prelude::*;

/// Logical pixels of all of it.
pub const HEIGHT: f32 = 236.0;
const NAME: f32 = 130.0;
const STATE: f32 = 110.0;
const GAP: f32 = 14.0;
/// Of a row, if there is room.
const ROW: f32 = 46.0;
const ROWS: f32 = 160.0;
const FONT: f32 = 14.0;

const GROUND: Color = Color::srgb(0.075, 0.078, 0.085);
const LANE: Color = Color::srgb(0.14, 0.145, 0.155);
const SHOWN: Color = Color::srgb(0.96, 0.66, 0.2);
const CURSOR: Color = Color::srgb(0.95, 0.96, 0.98);
const WEIGHT: Color = Color::srgb(0.16, 0.38, 0.55);
const TEXT: Color = Color::srgb(0.85, 0.86, 0.88);
const DIM: Color = Color::srgb(0.55, 0.57, 0.6);

/// Draws it. Needs the program of the walkers.
pub struct TimelinePlugin;

impl Plugin for TimelinePlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn).add_systems(
            Update,
            (rebuild, tell_moment, tell_weight, tell_states)
                .chain()
                .run_if(resource_exists::<Program>),
        );
    }
}

#[derive(Component)]
struct Panel;

#[derive(Component)]
struct Moment;

/// The bar of the weight, and the words beside it.
#[derive(Component)]
enum Weight {
    Bar,
    Words,
}

#[derive(Component)]
struct Cursor;

/// Whether a bone shows now.
#[derive(Component)]
struct State(usize);

fn spawn(mut commands: Commands) {
    let node = Node {
        position_type: PositionType::Absolute,
        bottom: px(0),
        width: percent(100),
        height: px(HEIGHT),
        padding: UiRect::axes(px(20), px(12)),
        row_gap: px(6),
        flex_direction: FlexDirection::Column,
        ..default()
    };
    commands.spawn((Panel, node, BackgroundColor(GROUND)));
}

fn text(words: impl Into<String>, color: Color) -> (Text, TextFont, TextColor) {
    sized(words, FONT, color)
}

fn sized(words: impl Into<String>, size: f32, color: Color) -> (Text, TextFont, TextColor) {
    let font = TextFont::from_font_size(size);
    (Text::new(words), font, TextColor(color))
}

/// A line of a name, what is in the middle, and something at its end.
fn line(height: f32) -> Node {
    Node {
        height: px(height),
        align_items: AlignItems::Center,
        column_gap: px(GAP),
        flex_shrink: 0.0,
        ..default()
    }
}

fn wide(width: f32) -> Node {
    Node {
        width: px(width),
        flex_shrink: 0.0,
        ..default()
    }
}

fn middle(height: f32) -> Node {
    Node {
        flex_grow: 1.0,
        height: px(height),
        align_items: AlignItems::Center,
        ..default()
    }
}

/// Spawns all lines anew when another clip was chosen, or nothing fades any more.
fn rebuild(
    mut commands: Commands,
    program: Res<Program>,
    model: Res<Model>,
    models: Res<Assets<Alo>>,
    panel: Single<Entity, With<Panel>>,
) {
    let (Some(show), Some(model)) = (program.show(), models.get(&model.0)) else {
        return;
    };
    if !program.is_changed() {
        return;
    }
    let bones = bones(show, program.fading());
    let height = ROW.min(ROWS / bones.len().max(1) as f32);
    commands
        .entity(*panel)
        .despawn_related::<Children>()
        .with_children(|panel| {
            spawn_head(panel);
            for bone in &bones {
                spawn_row(panel, show, model, *bone, height);
            }
            if bones.is_empty() {
                let none = "no visibility tracks: what a bone shows is said by its flag alone";
                panel.spawn((line(ROW), children![text(none, DIM)]));
            }
            spawn_ruler(panel, show);
        });
}

/// Bones that this clip has tracks for, or that which fades out.
fn bones(show: &Show, fading: Option<&Show>) -> Vec<usize> {
    let shows = fading.into_iter().chain([show]);
    let mut bones: Vec<usize> = shows
        .flat_map(|show| show.tracks.iter().map(|track| track.bone))
        .collect();
    bones.sort_unstable();
    bones.dedup();
    bones
}

/// What plays and where it is; how much of it shows.
fn spawn_head(panel: &mut ChildSpawnerCommands<'_>) {
    panel.spawn(line(22.0)).with_children(|line| {
        line.spawn((wide(430.0), children![(Moment, text("", TEXT))]));
        line.spawn((middle(10.0), BackgroundColor(LANE)))
            .with_child((
                Weight::Bar,
                Node {
                    height: percent(100),
                    ..default()
                },
                BackgroundColor(WEIGHT),
            ));
        line.spawn((wide(280.0), children![(Weight::Words, text("", DIM))]));
    });
}

fn spawn_row(
    panel: &mut ChildSpawnerCommands<'_>,
    show: &Show,
    model: &AloModel,
    bone: usize,
    height: f32,
) {
    let info = model.bones.get(bone);
    let name = info.map_or("", |bone| &*bone.name);
    let track = show.tracks.iter().find(|track| track.bone == bone);
    panel.spawn(line(height - 6.0)).with_children(|row| {
        row.spawn((wide(NAME), children![text(name, TEXT)]));
        // Words are easier to read on nothing.
        let lane = if track.is_some() { LANE } else { Color::NONE };
        row.spawn((middle(height - 6.0), BackgroundColor(lane)))
            .with_children(|lane| {
                let runs = track.map(|track| track.runs()).unwrap_or_default();
                for (from, to) in runs {
                    spawn_run(lane, show, from, to);
                }
                if track.is_none() {
                    let flag = info.is_some_and(|bone| bone.visible);
                    let flag = if flag { "shown" } else { "hidden" };
                    let words = format!("  no track here: the model's flag says {flag}");
                    lane.spawn(sized(words, FONT.min(height - 6.0), DIM));
                }
                spawn_cursor(lane);
            });
        row.spawn((wide(STATE), children![(State(bone), text("", TEXT))]));
    });
}

/// A bar over the frames in which a bone is shown.
fn spawn_run(lane: &mut ChildSpawnerCommands<'_>, show: &Show, from: usize, to: usize) {
    let last = show.last() as f32;
    let (from, to) = (from as f32 / last, (to as f32 / last).min(1.0));
    let node = Node {
        position_type: PositionType::Absolute,
        left: percent(from * 100.0),
        width: percent((to - from).max(0.0) * 100.0),
        height: percent(100),
        ..default()
    };
    lane.spawn((node, BackgroundColor(SHOWN)));
}

fn spawn_cursor(lane: &mut ChildSpawnerCommands<'_>) {
    let node = Node {
        position_type: PositionType::Absolute,
        width: px(2),
        // Over the gaps between the lanes.
        top: px(-4),
        bottom: px(-4),
        ..default()
    };
    lane.spawn((Cursor, node, BackgroundColor(CURSOR)));
}

/// Numbers of frames below the lanes.
fn spawn_ruler(panel: &mut ChildSpawnerCommands<'_>, show: &Show) {
    const STEP: usize = 6;
    panel.spawn(line(16.0)).with_children(|row| {
        row.spawn((wide(NAME), children![text("frame", DIM)]));
        row.spawn(middle(16.0)).with_children(|ruler| {
            for frame in (0..show.last()).step_by(STEP) {
                let node = Node {
                    position_type: PositionType::Absolute,
                    left: percent(frame as f32 / show.last() as f32 * 100.0),
                    ..default()
                };
                ruler.spawn((node, text(frame.to_string(), DIM)));
            }
        });
        row.spawn((wide(STATE), children![text("shown now", DIM)]));
    });
}

/// Says where the clip is, and moves the cursors there.
fn tell_moment(
    program: Res<Program>,
    walkers: Query<(&Walker, &Playback, &PlayClip)>,
    mut moments: Query<&mut Text, With<Moment>>,
    mut cursors: Query<&mut Node, With<Cursor>>,
) {
    let mut walkers = walkers.iter();
    let first = walkers.find(|(walker, ..)| **walker == Walker::AsAnimated);
    let (Some((_, playback, play)), Some(show)) = (first, program.show()) else {
        return;
    };
    let frame = playback.time * show.fps;
    let stands = if play.paused { ", paused" } else { "" };
    let words = format!(
        "{}: {:.2} s, frame {:.1} of {}{stands}",
        show.name,
        playback.time,
        frame,
        show.last()
    );
    for mut moment in &mut moments {
        if moment.0 != words {
            moment.0.clone_from(&words);
        }
    }
    for mut cursor in &mut cursors {
        cursor.left = percent((frame / show.last() as f32).clamp(0.0, 1.0) * 100.0);
    }
}

/// Says how much of the chosen clip shows.
fn tell_weight(
    program: Res<Program>,
    walkers: Query<(&Walker, &AloAnimator)>,
    mut bars: Query<(&Weight, Option<&mut Text>, &mut Node)>,
) {
    let mut walkers = walkers.iter();
    let first = walkers.find(|(walker, _)| **walker == Walker::AsAnimated);
    let Some((_, animator)) = first else {
        return;
    };
    let weight = match program.before {
        Some(_) => animator.weight(),
        None => 1.0,
    };
    let words = match program.fading() {
        Some(before) => format!("{:.0} %, the rest is {}", weight * 100.0, before.name),
        None => "100 % of what shows".to_owned(),
    };
    for (part, line, mut node) in &mut bars {
        match (part, line) {
            (Weight::Bar, _) => node.width = percent(weight * 100.0),
            (Weight::Words, Some(mut line)) if line.0 != words => line.0.clone_from(&words),
            _ => {}
        }
    }
}

/// Says which bones the left walker shows.
fn tell_states(
    walkers: Query<(&Walker, &AloInstance)>,
    bones: Query<&Visibility, With<AloBone>>,
    mut states: Query<(&State, &mut Text, &mut TextColor)>,
) {
    let mut walkers = walkers.iter();
    let first = walkers.find(|(walker, _)| **walker == Walker::AsAnimated);
    let Some((_, instance)) = first else {
        return;
    };
    for (state, mut line, mut color) in &mut states {
        let bone = instance.bones().get(state.0);
        let bone = bone.and_then(|bone| bones.get(*bone).ok());
        let (words, tint) = match bone {
            Some(Visibility::Hidden) => ("hidden", DIM),
            _ => ("shown", SHOWN),
        };
        if line.0 != words {
            words.clone_into(&mut line.0);
        }
        color.set_if_neq(TextColor(tint));
    }
}
