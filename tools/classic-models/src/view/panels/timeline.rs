//! The timeline: playback, time, speed, level of detail and damage stage.

use crate::messages::counted;
use crate::view::actions::action::{Action, Panel};
use crate::view::actions::clips::{FASTEST, SLOWEST};
use crate::view::panels::data::{PanelData, Playing};
use crate::view::panels::state::PanelState;
use crate::view::panels::style::{ERROR, WARNING, wrapped_beside};
use bevy_egui::egui::{
    Align, Button, Label, Layout, Response, RichText, Slider, Stroke, TextStyle, TextWrapMode, Ui,
    WidgetText, vec2,
};

/// The width of the text beside the time, in points.
const STATUS: f32 = 250.0;

/// The width of the button of the log, in points.
const LOG: f32 = 116.0;

/// Draws the timeline.
pub fn show(ui: &mut Ui, data: &PanelData, state: &mut PanelState, actions: &mut Vec<Action>) {
    ui.add_space(2.0);
    match &data.playback {
        Some(playing) => time(ui, playing, actions),
        None => _ = ui.weak("No clip plays."),
    }
    ui.horizontal_top(|ui| {
        wrapped_beside(ui, LOG, |ui| {
            if let Some(playing) = &data.playback {
                speed(ui, playing, actions);
            }
            choices(ui, data, actions);
        });
        ui.with_layout(Layout::right_to_left(Align::Min), |ui| {
            log_button(ui, data, state, actions);
        });
    });
    ui.add_space(1.0);
}

/// The buttons and the slider of the time.
fn time(ui: &mut Ui, playing: &Playing, actions: &mut Vec<Action>) {
    ui.horizontal(|ui| {
        let mut button = |ui: &mut Ui, text: &str, hint: &str, action: Action| {
            let button = Button::new(text).min_size(vec2(28.0, 22.0));
            if ui.add(button).on_hover_text(hint).clicked() {
                actions.push(action);
            }
        };
        button(ui, "⏮", "one frame back  ( , )", Action::StepBack);
        match playing.is_paused {
            true => button(ui, "▶", "play  (Space)", Action::TogglePlay),
            false => button(ui, "⏸", "pause  (Space)", Action::TogglePlay),
        }
        button(ui, "⏭", "one frame on  ( . )", Action::StepForward);
        ui.spacing_mut().slider_width = (ui.available_width() - STATUS).max(60.0);
        let mut time = playing.time.min(playing.length);
        let slider = Slider::new(&mut time, 0.0..=playing.length.max(1e-3))
            .show_value(false)
            .smart_aim(false);
        let response = ui.add(slider);
        events(ui, playing, &response);
        if response.changed() {
            actions.push(Action::Seek(time));
        }
        let text = format!("{:.2} / {:.2} s   ", playing.time, playing.length);
        ui.add(Label::new(text).selectable(false));
        let status = Label::new(RichText::new(&playing.status).weak());
        ui.add(status.truncate());
    });
}

/// Marks the times of events on the slider.
fn events(ui: &Ui, playing: &Playing, slider: &Response) {
    if playing.length <= 0.0 {
        return;
    }
    // The handle stays within the rail.
    let rail = slider.rect.shrink2(vec2(slider.rect.height() * 0.375, 0.0));
    let mut hovered = Vec::new();
    for (seconds, name) in &playing.events {
        let x = rail.left() + rail.width() * (seconds / playing.length).clamp(0.0, 1.0);
        let stroke = Stroke::new(1.5, WARNING);
        let y = slider.rect.bottom() - 4.0..=slider.rect.bottom();
        ui.painter().vline(x, y, stroke);
        let near = slider.hover_pos().is_some_and(|at| (at.x - x).abs() < 5.0);
        if near {
            hovered.push(format!("{seconds:.2} s  {name}"));
        }
    }
    if !hovered.is_empty() {
        slider.show_tooltip_text(hovered.join("\n"));
    }
}

fn speed(ui: &mut Ui, playing: &Playing, actions: &mut Vec<Action>) {
    ui.spacing_mut().slider_width = 110.0;
    let mut speed = playing.speed.abs();
    let slider = Slider::new(&mut speed, SLOWEST..=FASTEST)
        .logarithmic(true)
        .max_decimals(3)
        .custom_formatter(|speed, _| format!("{speed:.2}×"))
        .smart_aim(false);
    label(ui, "Speed");
    if ui
        .add(slider)
        .on_hover_text("slower, faster  ( - + )")
        .changed()
    {
        actions.push(Action::Speed(speed));
    }
    if ui.button("1×").on_hover_text("normal speed").clicked() {
        actions.push(Action::Speed(1.0));
    }
    if playing.can_reverse {
        let mut is_backward = playing.speed < 0.0;
        let backward = ui.checkbox(&mut is_backward, "Backward");
        if backward.on_hover_text("(J)").changed() {
            actions.push(Action::Reverse);
        }
    }
    let mut loops = playing.loops;
    if ui.checkbox(&mut loops, "Loop").changed() {
        actions.push(Action::ToggleRepeat);
    }
    if playing.has_particles {
        let restart = ui.button("Restart particles").on_hover_text("(Home)");
        if restart.clicked() {
            actions.push(Action::RestartParticles);
        }
        let end = ui.button("End births").on_hover_text("(End)");
        if end.clicked() {
            actions.push(Action::FinishParticles);
        }
    }
}

/// Sliders for the level of detail and the damage stage.
fn choices(ui: &mut Ui, data: &PanelData, actions: &mut Vec<Action>) {
    ui.spacing_mut().slider_width = 110.0;
    if let Some(lods) = &data.details.lods
        && lods.labels.len() > 1
    {
        ui.separator();
        let shown = lods.labels.get(lods.shown as usize);
        let shown = RichText::new(shown.map_or("", |label| label)).weak();
        keep_together(ui, ["LOD".into(), shown.clone().into()]);
        label(ui, "LOD").on_hover_text("finer, coarser  ( [ ] )");
        let mut level = lods.shown;
        let last = lods.labels.len() as u32 - 1;
        let slider = Slider::new(&mut level, 0..=last).show_value(false);
        if ui.add(slider).changed() {
            actions.push(Action::Lod(level));
        }
        label(ui, shown);
    }
    if let Some(damage) = data.details.damage {
        ui.separator();
        label(ui, "Damage").on_hover_text("next stage  (D)");
        let mut stage = damage.shown;
        ui.spacing_mut().slider_width = 60.0;
        if ui.add(Slider::new(&mut stage, 0..=damage.last)).changed() {
            actions.push(Action::DamageStage(stage));
        }
    }
}

/// Continues in the next line of buttons, unless a slider and its texts fit in this one.
fn keep_together(ui: &mut Ui, texts: [WidgetText; 2]) {
    let spacing = ui.spacing().item_spacing.x * 2.0;
    let slider = ui.spacing().slider_width;
    let width = |text: WidgetText| {
        let mode = Some(TextWrapMode::Extend);
        text.into_galley(ui, mode, f32::INFINITY, TextStyle::Body)
            .size()
            .x
    };
    let width = texts.map(width).iter().sum::<f32>() + slider + spacing;
    if ui.available_size_before_wrap().x < width {
        ui.end_row();
    }
}

/// A text that is not continued in the next line of buttons.
fn label(ui: &mut Ui, text: impl Into<WidgetText>) -> Response {
    ui.add(Label::new(text).extend())
}

/// Shows and hides the log. The button has the count of problems, and of missing textures, which the log has too.
fn log_button(ui: &mut Ui, data: &PanelData, state: &PanelState, actions: &mut Vec<Action>) {
    let errors = data.problems.iter().filter(|of| of.is_error).count();
    let textures = data.details.textures.iter();
    let missing = textures.filter(|texture| texture.is_missing).count();
    let warnings = data.problems.len() - errors + missing;
    let text = match (errors, warnings) {
        (0, 0) => RichText::new("Log"),
        (0, _) => {
            RichText::new(format!("Log: {}", counted(warnings as u64, "warning"))).color(WARNING)
        }
        _ => RichText::new(format!("Log: {}", counted(errors as u64, "error"))).color(ERROR),
    };
    let button = Button::new(text).selected(state.shows_log);
    if ui.add(button).on_hover_text("(F4)").clicked() {
        actions.push(Action::Toggle(Panel::Log));
    }
}
