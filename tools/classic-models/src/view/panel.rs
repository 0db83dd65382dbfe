//! The panel at the left: the list of models, the state of the selected model, and buttons that change it.
//!
//! Each frame computes the panel's items as plain values (see `panel_items.rs`), and respawns the UI nodes if the items
//! changed. Texts that change in nearly every frame ([`Live`]) are updated in place.

use crate::view::action::Action;
use crate::view::alo_clips::PendingClips;
use crate::view::alo_hidden::HiddenBones;
use crate::view::bars;
use crate::view::browser::Browser;
use crate::view::camera::PANEL_WIDTH;
use crate::view::clips::ClipStatus;
use crate::view::overlay::Overlays;
use crate::view::panel_item::{Item, Live, Tone};
use crate::view::panel_items::{PanelModel, panel_items};
use crate::view::particle_panel::ParticleStatus;
use crate::view::row::Row;
use bevy::camera::visibility::RenderLayers;
use bevy::input::mouse::{AccumulatedMouseScroll, MouseScrollUnit};
use bevy::prelude::*;
use bevy::ui::{IsDefaultUiCamera, ScrollPosition, UiSystems};
use bevy::window::PrimaryWindow;
use bevy_classic_models::alamo::AloParticles;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;
use bevy_classic_models::scene::NightTime;

const BACKGROUND: Color = Color::srgb(0.075, 0.078, 0.085);
const BUTTON: Color = Color::srgb(0.17, 0.175, 0.19);
const BUTTON_HOVERED: Color = Color::srgb(0.26, 0.27, 0.3);
const BUTTON_ON: Color = Color::srgb(0.16, 0.38, 0.55);
const TEXT: Color = Color::srgb(0.85, 0.86, 0.88);
const DIM: Color = Color::srgb(0.55, 0.57, 0.6);
const YELLOW: Color = Color::srgb(0.95, 0.8, 0.4);
const RED: Color = Color::srgb(1.0, 0.4, 0.35);

/// Shows the panel.
pub struct PanelPlugin;

impl Plugin for PanelPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, spawn)
            .add_systems(PreUpdate, (click, bars::drag).after(UiSystems::Focus))
            // Nodes that are spawned after `Update` are not drawn in the same frame.
            .add_systems(
                Update,
                (
                    scroll,
                    tint,
                    (rebuild, update_live_text, bars::fill).chain(),
                ),
            );
    }
}

#[derive(Component)]
struct Panel;

#[derive(Component)]
struct Pressable {
    action: Action,
    on: bool,
}

fn spawn(mut commands: Commands) {
    // The UI needs its own camera: the viewport of the 3D camera excludes the panel.
    let camera = Camera {
        order: 1,
        clear_color: ClearColorConfig::None,
        ..default()
    };
    commands.spawn((Camera2d, IsDefaultUiCamera, RenderLayers::none(), camera));
    commands.spawn((
        Panel,
        BackgroundColor(BACKGROUND),
        Node {
            width: px(PANEL_WIDTH),
            height: percent(100),
            padding: UiRect::all(px(10)),
            row_gap: px(6),
            flex_direction: FlexDirection::Column,
            overflow: Overflow::scroll_y(),
            ..default()
        },
    ));
}

/// Respawns the panel's items if they changed.
fn rebuild(
    mut commands: Commands,
    (row, browser): (Res<Row>, Option<Res<Browser>>),
    pending_clips: Res<PendingClips>,
    (overlays, night): (Res<Overlays>, Res<NightTime>),
    (models, particles): (Query<PanelModel>, Res<Assets<AloParticles>>),
    panel: Single<Entity, With<Panel>>,
    mut previous: Local<Vec<Item>>,
) {
    let browser = browser.as_deref();
    let view = (&*overlays, night.0);
    let items = panel_items(&row, browser, &pending_clips, view, &models, &particles);
    if items == *previous {
        return;
    }
    commands
        .entity(*panel)
        .despawn_related::<Children>()
        .with_children(|panel| items.iter().for_each(|item| spawn_item(panel, item)));
    *previous = items;
}

fn spawn_item(panel: &mut ChildSpawnerCommands<'_>, item: &Item) {
    // If the items are taller than the window, the panel scrolls instead of shrinking them.
    let line = Node {
        flex_shrink: 0.0,
        ..default()
    };
    let text = |text: &str, size: f32, color: Color| {
        (
            Text::new(text),
            TextFont::from_font_size(size),
            TextColor(color),
            TextLayout::linebreak(LineBreak::WordOrCharacter),
        )
    };
    match item {
        Item::Heading(heading) => {
            let margin = UiRect::top(px(8));
            panel.spawn((Node { margin, ..line }, text(heading, 15.0, TEXT)));
        }
        Item::Text(content, tone) => {
            let color = match tone {
                Tone::Remark => DIM,
                Tone::Warning => YELLOW,
                Tone::Error => RED,
            };
            panel.spawn((line, text(content, 13.0, color)));
        }
        Item::Live(live) => {
            panel.spawn((line, *live, text("\n", 13.0, DIM)));
        }
        Item::Bar(bar) => bars::spawn(panel, *bar),
        Item::Buttons(buttons) => {
            let row = Node {
                flex_wrap: FlexWrap::Wrap,
                column_gap: px(5),
                row_gap: px(5),
                ..line
            };
            panel.spawn(row).with_children(|row| {
                for (label, action, on) in buttons {
                    let (action, on) = (*action, *on);
                    let node = Node {
                        padding: UiRect::axes(px(7), px(3)),
                        ..default()
                    };
                    row.spawn((
                        Pressable { action, on },
                        Interaction::None,
                        node,
                        BackgroundColor(if on { BUTTON_ON } else { BUTTON }),
                        children![text(label, 13.0, TEXT)],
                    ));
                }
            });
        }
    }
}

/// Writes the playback status, the hidden bones and the counts of particles.
fn update_live_text(
    row: Res<Row>,
    models: Query<(&MdlAnimator, &Playback)>,
    clips: ClipStatus,
    bones: HiddenBones,
    particles: ParticleStatus,
    mut lines: Query<(&Live, &mut Text)>,
) {
    let Some(model) = row.selected() else {
        return;
    };
    let mdl = models.get(model).ok();
    for (live, mut line) in &mut lines {
        let content = match live {
            Live::Status => mdl
                .map(|(animator, playback)| mdl_status(animator, playback))
                .or_else(|| clips.of(model)),
            Live::Bones => bones.of(model),
            Live::Particles => particles.of(model),
        };
        let content = content.unwrap_or_default();
        if line.0 != content {
            line.0 = content;
        }
    }
}

fn mdl_status(animator: &MdlAnimator, playback: &Playback) -> String {
    let pair = animator.shown().to;
    let name = animator.model().pose_names.get(pair.a as usize);
    format!(
        "{:.2} of {:.2} s\npose {} to {}, {:3.0} %  {}",
        playback.time,
        animator.clip_seconds(),
        pair.a,
        pair.b,
        pair.towards_b * 100.0,
        name.map_or("", |name| name),
    )
}

fn click(
    buttons: Query<(&Interaction, &Pressable), Changed<Interaction>>,
    mut actions: MessageWriter<Action>,
) {
    for (interaction, button) in &buttons {
        if *interaction == Interaction::Pressed {
            actions.write(button.action);
        }
    }
}

fn tint(
    mut buttons: Query<(&Interaction, &Pressable, &mut BackgroundColor), Changed<Interaction>>,
) {
    for (interaction, button, mut color) in &mut buttons {
        color.0 = match interaction {
            _ if button.on => BUTTON_ON,
            Interaction::None => BUTTON,
            _ => BUTTON_HOVERED,
        };
    }
}

fn scroll(
    window: Single<&Window, With<PrimaryWindow>>,
    scroll: Res<AccumulatedMouseScroll>,
    panel: Single<(&mut ScrollPosition, &ComputedNode), With<Panel>>,
) {
    let over_panel = window
        .cursor_position()
        .is_some_and(|at| at.x < PANEL_WIDTH);
    if !over_panel || scroll.delta.y == 0.0 {
        return;
    }
    let pixels = match scroll.unit {
        MouseScrollUnit::Line => scroll.delta.y * 40.0,
        MouseScrollUnit::Pixel => scroll.delta.y,
    };
    let (mut position, node) = panel.into_inner();
    let hidden = (node.content_size().y - node.size().y).max(0.0) * node.inverse_scale_factor();
    position.y = (position.y - pixels).clamp(0.0, hidden);
}
