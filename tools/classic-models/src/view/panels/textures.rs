//! The textures of a model, with previews, and one texture in a window of its own.

use crate::view::panels::data::{PanelData, TextureRow};
use crate::view::panels::lists::row;
use crate::view::panels::state::PanelState;
use crate::view::panels::style::WARNING;
use bevy_egui::egui::load::SizedTexture;
use bevy_egui::egui::{Color32, Context, Image, Label, RichText, Sense, Ui, Vec2, Window, vec2};

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
        if let Some((id, pixels)) = texture.preview {
            let image = Image::new(SizedTexture::new(id, to_points(pixels)));
            let size = fitted(pixels, PREVIEW);
            let at = bevy_egui::egui::Rect::from_center_size(rect.center(), size);
            image.paint_at(ui, at);
        }
        let is_clicked = response.on_hover_text("shows it large").clicked();
        ui.vertical(|ui| {
            ui.add_space(4.0);
            let is_large = *large == Some(index);
            let name = row(ui, &texture.name, "", is_large, texture.preview.is_some());
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

/// Draws the texture that was chosen, in a window.
pub fn show_large(context: &Context, data: &PanelData, state: &mut PanelState) {
    let chosen = state
        .large_texture
        .and_then(|index| data.details.textures.get(index));
    let Some((texture, (id, pixels))) = chosen.and_then(|of| Some((of, of.preview?))) else {
        state.large_texture = None;
        return;
    };
    let mut is_open = true;
    Window::new(&texture.name)
        .id("texture".into())
        .open(&mut is_open)
        .default_size([340.0, 380.0])
        .collapsible(false)
        .show(context, |ui| {
            ui.weak(&texture.detail);
            let side = ui.available_size().min_elem().max(64.0);
            let size = fitted(pixels, side);
            let (rect, _) = ui.allocate_exact_size(size, Sense::hover());
            ui.painter().rect_filled(rect, 0.0, Color32::from_gray(70));
            Image::new(SizedTexture::new(id, size)).paint_at(ui, rect);
        });
    if !is_open {
        state.large_texture = None;
    }
}

fn to_points([width, height]: [u32; 2]) -> Vec2 {
    vec2(width as f32, height as f32)
}

/// The size of an image whose longer side has a length.
fn fitted(pixels: [u32; 2], side: f32) -> Vec2 {
    let size = to_points(pixels).max(Vec2::splat(1.0));
    // A line of texels is visible too.
    (size * (side / size.max_elem())).max(Vec2::splat(side / 8.0))
}
