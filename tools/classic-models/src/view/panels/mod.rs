//! The panels of the window, drawn with egui: the lists at the left, the details at the right, the timeline and the log
//! at the bottom, and the menu at the top. Each is a function of plain values ([`PanelData`]) that returns actions.

mod clipboard;
mod collect;
mod data;
mod details;
mod files;
pub mod input;
mod layout;
mod menu;
mod state;
mod style;
mod timeline;

use crate::log_buffer::LogBuffer;
use crate::view::actions::action::Action;
use crate::view::open::browser::Browser;
use crate::view::open::recent::Recent;
use crate::view::panels::clipboard::clipboard_plugin;
use crate::view::panels::collect::Collector;
use crate::view::panels::data::Shown;
use bevy::camera::visibility::RenderLayers;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_egui::{
    EguiContext, EguiGlobalSettings, EguiPlugin, EguiPrimaryContextPass, PrimaryEguiContext,
};
use input::PanelInput;
use state::{PanelState, act_on_panels};

/// Draws the panels.
pub fn panels_plugin(app: &mut App) {
    app.add_plugins((EguiPlugin::default(), clipboard_plugin))
        .insert_resource(EguiGlobalSettings {
            auto_create_primary_context: false,
            ..default()
        })
        .init_resource::<PanelState>()
        .init_resource::<PanelInput>()
        .add_systems(Startup, spawn_camera)
        .add_systems(Update, act_on_panels)
        .add_systems(EguiPrimaryContextPass, draw);
}

/// The panels need their own camera: the viewport of the 3D camera excludes them.
fn spawn_camera(mut commands: Commands) {
    let camera = Camera {
        order: 1,
        clear_color: ClearColorConfig::None,
        ..default()
    };
    commands.spawn((PrimaryEguiContext, Camera2d, RenderLayers::none(), camera));
}

/// The resources that the panels show and change.
#[derive(SystemParam)]
struct Panels<'w> {
    browser: ResMut<'w, Browser>,
    recent: Res<'w, Recent>,
    log: Res<'w, LogBuffer>,
    state: ResMut<'w, PanelState>,
    input: ResMut<'w, PanelInput>,
}

fn draw(
    mut context: Single<&mut EguiContext, With<PrimaryEguiContext>>,
    mut collector: Collector,
    mut panels: Panels,
    mut actions: MessageWriter<Action>,
    mut is_styled: Local<bool>,
) {
    let context = context.get_mut();
    if !std::mem::replace(&mut *is_styled, true) {
        style::apply_style(context);
    }
    let data = collector.collect();
    let shown = Shown {
        data: &data,
        recent: panels.recent.files(),
        log: &panels.log.lines(),
    };
    let mut ui = layout::root(context);
    let browser = panels.browser.bypass_change_detection();
    let drawn = layout::show(&mut ui, &shown, browser, &mut panels.state);
    panels.input.update(context, drawn.free);
    actions.write_batch(drawn.actions);
}

#[cfg(test)]
mod tests;
