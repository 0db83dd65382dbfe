//! The details of the selected model: facts, appearance, and its lists in sections that can be closed.

use crate::view::actions::action::Action;
use crate::view::camera::framing::Framing;
use crate::view::models::file_data::TEAMS;
use crate::view::open::args::Trees;
use crate::view::panels::data::{
    Details, MaterialRow, PanelData, PartRow, PlaceRow, Preview, TextureRow,
};
use crate::view::panels::files::row;
use crate::view::panels::state::PanelState;
use crate::view::panels::style::WARNING;
use bevy::prelude::*;
use bevy_classic_models::prelude::PlayerColors;
use bevy_egui::egui::load::SizedTexture;
use bevy_egui::egui::{
    Button, CollapsingHeader, Color32, Context, Image, Key, Label, Rect, Response, RichText,
    ScrollArea, Sense, Slider, Ui, Vec2, Window, vec2,
};

/// Rows of Quake's palette.
const PALETTE_ROWS: u8 = 16;

/// Draws the panel.
pub fn show(ui: &mut Ui, data: &PanelData, state: &mut PanelState, actions: &mut Vec<Action>) {
    let Some(model) = data.models.get(data.selected) else {
        ui.weak("No model is selected.");
        return;
    };
    ui.add(Label::new(RichText::new(&model.name).heading().strong()).truncate());
    state.details.show(ui, "search parts, bones, …   ( ' )");
    let details = &data.details;
    ScrollArea::vertical().auto_shrink(false).show(ui, |ui| {
        let search = &state.details;
        let is_searching = !search.text.is_empty();
        if !is_searching {
            let facts = RichText::new(details.facts.join(", "));
            ui.add(Label::new(facts.weak()).wrap());
            appearance(ui, details, actions);
        }
        // A search opens all lists that have a match.
        let section = |ui: &mut Ui, name: &str, count: usize, is_open: bool, add: Add<'_>| {
            if count > 0 {
                CollapsingHeader::new(RichText::new(format!("{name}  ({count})")).strong())
                    .id_salt(name)
                    .default_open(is_open)
                    .open(is_searching.then_some(true))
                    .show(ui, add);
            }
        };
        let rows = matching(&details.parts, |of| search.matches(&of.name));
        section(ui, "Parts", rows.len(), true, &mut |ui| {
            parts(ui, details, &rows, actions);
        });
        let rows = matching(&details.materials, |of| {
            search.matches(&of.name) || of.lines.iter().any(|line| search.matches(line))
        });
        section(ui, "Materials", rows.len(), false, &mut |ui| {
            with_lines(ui, &rows);
        });
        for (name, rows) in [("Bones", &details.bones), ("Proxies", &details.proxies)] {
            let rows = matching(rows, |of| search.matches(&of.name));
            section(ui, name, rows.len(), false, &mut |ui| {
                places(ui, name, &rows, actions);
            });
        }
        let rows = matching(&details.emitters, |of| search.matches(&of.name));
        section(ui, "Emitters", rows.len(), true, &mut |ui| {
            with_lines(ui, &rows);
        });
        let rows = matching(&details.particles, |line| search.matches(line));
        // The lines of a system's emitters are indented.
        let is_counted = |line: &&&String| is_searching || !line.starts_with(' ');
        let count = rows.iter().filter(is_counted).count();
        section(ui, "Particle systems", count, true, &mut |ui| {
            for line in &rows {
                ui.add(Label::new(RichText::new(*line).small()).truncate());
            }
        });
        let textures = details.textures.iter().enumerate();
        let rows: Vec<_> = textures
            .filter(|(_, of)| search.matches(&of.name))
            .collect();
        section(ui, "Textures", rows.len(), true, &mut |ui| {
            for (index, texture) in &rows {
                texture_row(ui, *index, texture, &mut state.large_texture);
            }
        });
    });
}

/// Draws the rows of a list.
type Add<'a> = &'a mut dyn FnMut(&mut Ui);

/// The rows of a list that match a search.
fn matching<T>(rows: &[T], is_match: impl Fn(&T) -> bool) -> Vec<&T> {
    rows.iter().filter(|row| is_match(row)).collect()
}

/// The skins and colors of the model, and its collision trees.
fn appearance(ui: &mut Ui, details: &Details, actions: &mut Vec<Action>) {
    skins(ui, details, actions);
    if let Some(team) = details.team {
        team_color(ui, team, actions);
    }
    if let Some(tint) = details.tint {
        ui.horizontal(|ui| {
            ui.label("Particle tint");
            if let Some(color) = color_button(ui, tint) {
                actions.push(Action::Tint(color));
            }
            let reset = Button::new("reset").small();
            if tint != Color::WHITE && ui.add(reset).clicked() {
                actions.push(Action::Tint(Color::WHITE));
            }
        });
    }
    if let Some(player) = details.player {
        player_colors(ui, player, actions);
    }
    if let Some(mut interpolates) = details.interpolates
        && ui
            .checkbox(&mut interpolates, "Interpolate poses")
            .changed()
    {
        actions.push(Action::ToggleInterpolation);
    }
    trees(ui, details, actions);
}

fn skins(ui: &mut Ui, details: &Details, actions: &mut Vec<Action>) {
    let has_chosen = !details.skin_candidates.is_empty() && !details.skins.is_empty();
    let has_choice = details.skins.len() > 1 || details.skins.iter().any(|skin| !skin.is_active);
    if has_chosen || has_choice {
        ui.strong("Skins");
        for skin in &details.skins {
            if row(ui, &skin.label, "", skin.is_active, true).clicked() {
                actions.push(Action::Skin(skin.skin.clone()));
            }
        }
    }
    if details.skin_candidates.is_empty() {
        return;
    }
    let text = match details.skins.iter().any(|skin| skin.is_active) {
        true => RichText::new("Other textures; K saves the skin in a manifest:").weak(),
        false => RichText::new("The skin was not found. Choose one; K saves it in a manifest:")
            .color(WARNING),
    };
    ui.add(Label::new(text).wrap());
    let area = ScrollArea::vertical()
        .id_salt("candidates")
        .max_height(140.0);
    area.show(ui, |ui| {
        for file in &details.skin_candidates {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let response = row(ui, &name, "", false, true);
            if response.on_hover_text(file.display().to_string()).clicked() {
                actions.push(Action::SkinFile(file.clone()));
            }
        }
    });
}

fn team_color(ui: &mut Ui, team: Option<Color>, actions: &mut Vec<Action>) {
    ui.horizontal_wrapped(|ui| {
        ui.label("Team");
        if let Some(color) = color_button(ui, team.unwrap_or(Color::WHITE)) {
            actions.push(Action::Team(Some(color)));
        }
        if ui.selectable_label(team.is_none(), "none").clicked() {
            actions.push(Action::Team(None));
        }
        for (name, color) in TEAMS {
            let response = ui.selectable_label(team == Some(color), name);
            if response.clicked() {
                actions.push(Action::Team(Some(color)));
            }
        }
    });
}

/// A button that opens a color picker. Returns the color if it changed.
fn color_button(ui: &mut Ui, color: Color) -> Option<Color> {
    let mut rgb = color.to_srgba().to_u8_array_no_alpha();
    let response = ui.color_edit_button_srgb(&mut rgb);
    let [red, green, blue] = rgb;
    response
        .changed()
        .then(|| Color::Srgba(Srgba::rgb_u8(red, green, blue)))
}

fn player_colors(ui: &mut Ui, player: Option<PlayerColors>, actions: &mut Vec<Action>) {
    let mut is_on = player.is_some();
    if ui
        .checkbox(&mut is_on, "Player colors")
        .on_hover_text("(C)")
        .changed()
    {
        actions.push(Action::ToggleColors);
    }
    let Some(mut colors) = player else {
        return;
    };
    ui.spacing_mut().slider_width = 120.0;
    let mut has_changed = false;
    for (name, color) in [
        ("shirt", &mut colors.shirt),
        ("trousers", &mut colors.pants),
    ] {
        let slider = Slider::new(color, 0..=PALETTE_ROWS - 1).text(name);
        has_changed |= ui.add(slider).changed();
    }
    if has_changed {
        actions.push(Action::Colors(colors));
    }
}

/// Buttons for the level of the collision trees that is drawn.
fn trees(ui: &mut Ui, details: &Details, actions: &mut Vec<Action>) {
    let Some(trees) = details.trees else {
        return;
    };
    ui.strong("Collision tree level").on_hover_text("(X)");
    ui.horizontal_wrapped(|ui| {
        let mut choice = |ui: &mut Ui, name: &str, choice: Trees| {
            if ui.selectable_label(trees.shown == choice, name).clicked() {
                actions.push(Action::Trees(choice));
            }
        };
        choice(ui, "off", Trees::Off);
        for level in 0..trees.count {
            choice(ui, &level.to_string(), Trees::Level(level));
        }
        choice(ui, "all", Trees::All);
    });
}

/// The maximum height of a list, in points.
const HEIGHT: f32 = 230.0;

/// The most points by which a bone is indented.
const INDENT: f32 = 90.0;

/// A scrolled list of rows of equal height.
fn rows<T>(ui: &mut Ui, name: &str, rows: &[&T], mut add: impl FnMut(&mut Ui, &T)) {
    let height = ui.spacing().interact_size.y;
    ScrollArea::vertical()
        .id_salt(name)
        .max_height(HEIGHT)
        .auto_shrink([false, true])
        .show_rows(ui, height, rows.len(), |ui, range| {
            rows.get(range)
                .into_iter()
                .flatten()
                .for_each(|row| add(ui, row));
        });
}

/// Frames a part if its row is clicked.
fn frame_on_click(
    ui: &mut Ui,
    text: &str,
    right: &str,
    entity: Option<Entity>,
    actions: &mut Vec<Action>,
) -> Response {
    let response = row(ui, text, right, false, entity.is_some());
    if let Some(entity) = entity
        && response.clicked()
    {
        actions.push(Action::Frame(Framing::Part(entity)));
    }
    response
}

/// The parts with a check box each. Parts that are never drawn have none.
fn parts(ui: &mut Ui, details: &Details, matching: &[&PartRow], actions: &mut Vec<Action>) {
    rows(ui, "parts", matching, |ui, part| {
        ui.horizontal(|ui| part_row(ui, part, actions));
    });
    let mut all = details.parts.iter();
    let is_changed = all.any(|part| part.shows != part.shows_in_file);
    let reset = Button::new("Show all as in the file").small();
    if is_changed && ui.add(reset).clicked() {
        actions.push(Action::ResetParts);
    }
}

fn part_row(ui: &mut Ui, part: &PartRow, actions: &mut Vec<Action>) {
    let mut shows = part.shows && !part.is_data;
    let is_named = !part.name.is_empty();
    let hint = match part.is_data {
        true => "never drawn: a collision mesh or a shadow volume",
        false => "shows or hides it",
    };
    ui.add_enabled_ui(!part.is_data && is_named, |ui| {
        let check = ui.checkbox(&mut shows, "");
        let check = check.on_hover_text(hint).on_disabled_hover_text(hint);
        if check.changed() {
            let choice = (shows != part.shows_in_file).then_some(shows);
            actions.push(Action::Part(part.name.clone(), choice));
        }
    });
    let name = match &*part.name {
        "" => "(no name)",
        name => name,
    };
    let right = match (part.shows_in_file, part.is_data) {
        (_, true) => "data",
        (false, _) => "hidden in file",
        _ => part.kind,
    };
    let response = frame_on_click(ui, name, right, part.entity, actions);
    response.on_hover_text(format!("{}\nclick: frames it", part.detail));
}

/// The bones, indented by their depth, or the proxies with the models or particle systems that they name. Hidden ones are
/// marked.
fn places(ui: &mut Ui, name: &str, matching: &[&PlaceRow], actions: &mut Vec<Action>) {
    rows(ui, name, matching, |ui, place| {
        ui.horizontal(|ui| {
            let indent = (place.depth as f32 - 1.0).max(0.0) * 9.0;
            ui.add_space(indent.min(INDENT));
            let right = if place.is_hidden { "hidden" } else { "" };
            let response = frame_on_click(ui, &place.name, right, place.entity, actions);
            if !place.target.is_empty() {
                response.on_hover_text(&place.target);
            }
        });
    });
}

/// Names, and lines below them as text that can be selected.
fn with_lines(ui: &mut Ui, rows: &[&MaterialRow]) {
    for (index, row) in rows.iter().enumerate() {
        ui.push_id(index, |ui| {
            ui.add(Label::new(&row.name).truncate());
            ui.indent("lines", |ui| {
                for line in &row.lines {
                    let text = RichText::new(line).small().weak();
                    ui.add(Label::new(text).selectable(true).wrap());
                }
            });
        });
    }
}

/// The side of a preview, in points.
const PREVIEW: f32 = 52.0;

fn texture_row(ui: &mut Ui, index: usize, texture: &TextureRow, large: &mut Option<usize>) {
    ui.horizontal(|ui| {
        let size = Vec2::splat(PREVIEW);
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        // Shows what is transparent.
        ui.painter().rect_filled(rect, 2.0, Color32::from_gray(70));
        if let Some(preview) = &texture.preview {
            let size = fitted(preview, PREVIEW);
            paint(ui, preview, Rect::from_center_size(rect.center(), size));
        }
        let is_clicked = response.on_hover_text("shows it large").clicked();
        ui.vertical(|ui| {
            ui.add_space(4.0);
            let is_large = *large == Some(index);
            let name = row(ui, &texture.name, "", is_large, texture.preview.is_some());
            let name = name.on_hover_text(&texture.name);
            let detail = RichText::new(&texture.detail).small();
            let detail = match texture.is_missing {
                true => detail.color(WARNING),
                false => detail.weak(),
            };
            ui.horizontal(|ui| {
                // Below the name, which has the padding of a button.
                ui.add_space(ui.spacing().button_padding.x);
                ui.add(Label::new(detail).truncate());
            });
            if is_clicked || name.clicked() {
                *large = Some(index).filter(|_| !is_large);
            }
        });
    });
}

/// Draws the texture that was chosen, in a window, which is in the free area at first. Escape closes it.
pub fn show_large(context: &Context, free: Rect, data: &PanelData, state: &mut PanelState) {
    let chosen = state
        .large_texture
        .and_then(|index| data.details.textures.get(index));
    let Some((texture, preview)) = chosen.and_then(|of| Some((of, of.preview.as_ref()?))) else {
        state.large_texture = None;
        return;
    };
    if context.input(|input| input.key_pressed(Key::Escape)) {
        state.large_texture = None;
        return;
    }
    let mut is_open = true;
    Window::new(&texture.name)
        .id("texture".into())
        .open(&mut is_open)
        .default_pos(free.left_top() + vec2(8.0, 8.0))
        .default_size([340.0, 380.0])
        .collapsible(false)
        .show(context, |ui| {
            ui.weak(&texture.detail);
            let side = ui.available_size().min_elem().max(64.0);
            if preview.faces.len() > 1 {
                ui.weak("+X, −X, +Y; −Y, +Z, −Z");
            }
            let size = fitted(preview, side);
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            ui.painter().rect_filled(rect, 0.0, Color32::from_gray(70));
            paint(ui, preview, rect);
        });
    if !is_open {
        state.large_texture = None;
    }
}

/// The columns and rows of the faces.
fn grid(preview: &Preview) -> (usize, usize) {
    match preview.faces.len() {
        0 | 1 => (1, 1),
        count => (3, count.div_ceil(3)),
    }
}

/// Draws an image, or the faces of a cube map in rows of three.
fn paint(ui: &Ui, preview: &Preview, rect: Rect) {
    let (columns, rows) = grid(preview);
    let size = rect.size() / vec2(columns as f32, rows as f32);
    for (index, face) in preview.faces.iter().enumerate() {
        let offset = vec2((index % columns) as f32, (index / columns) as f32);
        let at = Rect::from_min_size(rect.min + offset * size, size);
        Image::new(SizedTexture::new(*face, size)).paint_at(ui, at);
    }
}

/// The size of an image, or of all faces, whose longer side has a length.
fn fitted(preview: &Preview, side: f32) -> Vec2 {
    let [width, height] = preview.size.map(|pixels| pixels as f32);
    let (columns, rows) = grid(preview);
    let size = vec2(width * columns as f32, height * rows as f32).max(Vec2::splat(1.0));
    // A line of texels is visible too.
    (size * (side / size.max_elem())).max(Vec2::splat(side / 8.0))
}
