//! The textures of a model, with previews, and one texture in a window of its own.

use crate::view::panels::data::{PanelData, Preview, TextureRow};
use crate::view::panels::lists::row;
use crate::view::panels::state::PanelState;
use crate::view::panels::style::WARNING;
use bevy_egui::egui::load::SizedTexture;
use bevy_egui::egui::{
    Color32, Context, Image, Key, Label, Rect, RichText, Sense, Ui, Vec2, Window, vec2,
};

/// The side of a preview, in points.
const PREVIEW: f32 = 52.0;

/// Draws the list.
pub fn show(ui: &mut Ui, data: &PanelData, state: &mut PanelState) {
    for (index, texture) in data.details.textures.iter().enumerate() {
        if state.details.matches(&texture.name) {
            texture_row(ui, index, texture, &mut state.large_texture);
        }
    }
}

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
