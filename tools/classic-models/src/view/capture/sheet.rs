//! An image of many files, each with its name: models as they are shown, and textures.

use crate::paths::archive_file::absolute;
use crate::view::camera::orbit::Orbit;
use crate::view::capture::texture::{color, size_in};
use crate::view::models::FilesToLoad;
use crate::view::models::viewed_model::ViewedModel;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension};
use bevy_classic_models::texture::Pixels;
use classic_models_support::headless::Headless;
use classic_models_support::images::{Alpha, save};
use std::path::Path;

/// The most columns.
const COLUMNS: usize = 8;

const NAME: Color = Color::srgb(0.85, 0.86, 0.88);
const BROKEN: Color = Color::srgb(1.0, 0.45, 0.4);

/// The cells of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetLayout {
    /// The size of a cell, in pixels.
    pub cell: UVec2,
    columns: usize,
    rows: usize,
    /// The size of the sheet in pixels.
    size: UVec2,
}

/// The width of a sheet whose size is not given.
const WIDTH: u32 = 1280;

impl SheetLayout {
    /// The cells of this many files in a sheet of this size. Without a size, cells are 4 : 3.
    pub fn new(count: usize, size: Option<UVec2>) -> Self {
        let rows = |columns: usize| count.div_ceil(columns).max(1);
        let cell =
            |columns: usize, size: UVec2| size / UVec2::new(columns as u32, rows(columns) as u32);
        if let Some(size) = size {
            // The cells in which a picture of 4 : 3 is largest.
            let fit = |columns: &usize| (cell(*columns, size) * UVec2::new(3, 4)).min_element();
            let columns = (1..=count).rev().max_by_key(fit).unwrap_or(1);
            return Self {
                cell: cell(columns, size).max(UVec2::ONE),
                columns,
                rows: rows(columns),
                size,
            };
        }
        let columns = (1..COLUMNS).find(|columns| columns * columns >= count);
        let columns = columns.unwrap_or(COLUMNS);
        let side = WIDTH / columns as u32;
        let cell = UVec2::new(side, side * 3 / 4);
        Self {
            cell,
            columns,
            rows: rows(columns),
            size: cell * UVec2::new(columns as u32, rows(columns) as u32),
        }
    }
}

/// A sheet whose cells are filled one after the other. Cells without a file have the color of the background.
pub struct Sheet {
    layout: SheetLayout,
    count: usize,
    /// `None` before the first cell.
    image: Option<Image>,
}

impl Sheet {
    pub fn new(layout: SheetLayout) -> Self {
        Self {
            layout,
            count: 0,
            image: None,
        }
    }

    /// Fills the next cell.
    ///
    /// # Errors
    /// If the image has another size or format than a cell.
    pub fn add(&mut self, cell: &Image) -> Result<(), String> {
        let (size, columns) = (self.layout.cell, self.layout.columns);
        let data = cell.data.as_deref().unwrap_or_default();
        let row = size.x as usize * 4;
        let is_full = self.count >= columns * self.layout.rows;
        if cell.size() != size || data.len() != row * size.y as usize || is_full {
            let format = cell.texture_descriptor.format;
            return Err(format!("a picture has {} of {format:?}", cell.size()));
        }
        let whole = self.layout.size;
        let image = self.image.get_or_insert_with(|| background(cell, whole));
        let at = UVec2::new((self.count % columns) as u32, (self.count / columns) as u32) * size;
        let stride = whole.x as usize * 4;
        let pixels = image.data.as_deref_mut().unwrap_or_default();
        for (y, line) in data.chunks_exact(row).enumerate() {
            let start = (at.y as usize + y) * stride + at.x as usize * 4;
            if let Some(target) = pixels.get_mut(start..start + row) {
                target.copy_from_slice(line);
            }
        }
        self.count += 1;
        Ok(())
    }

    /// Writes the sheet as a PNG.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(self, file: &Path, alpha: Alpha) -> Result<(), String> {
        save(self.image.ok_or("no file was drawn")?, alpha, file)
    }
}

/// An image with the color of the first pixel of a cell, which is that of the background.
fn background(cell: &Image, size: UVec2) -> Image {
    let pixel = cell
        .data
        .as_deref()
        .and_then(|data| data.first_chunk::<4>());
    let size = Extent3d {
        width: size.x,
        height: size.y,
        depth_or_array_layers: 1,
    };
    let format = cell.texture_descriptor.format;
    let pixel = pixel.copied().unwrap_or_default();
    Image::new_fill(size, TextureDimension::D2, &pixel, format, cell.asset_usage)
}

/// The name of the file that is drawn.
#[derive(Component)]
struct FileName;

/// Removes everything that is shown, and loads a file.
pub fn show_only(headless: &mut Headless, file: &Path) {
    show_nothing(headless);
    let files = FilesToLoad::new(vec![absolute(file)]);
    headless.app.insert_resource(files);
}

/// Removes everything that is shown.
pub fn show_nothing(headless: &mut Headless) {
    let world = headless.app.world_mut();
    type Shown = Or<(With<ViewedModel>, With<Orbit>, With<FileName>)>;
    let mut shown = world.query_filtered::<Entity, Shown>();
    let shown: Vec<Entity> = shown.iter(world).collect();
    for entity in shown {
        world.despawn(entity);
    }
    world.resource_mut::<Row>().models.clear();
}

/// The load error of the file.
pub fn problem(headless: &mut Headless) -> Option<String> {
    let world = headless.app.world_mut();
    let mut models = world.query::<&ViewedModel>();
    let mut problems = models.iter(world).filter_map(|model| model.problem.clone());
    problems.next()
}

/// Writes the name of the file at the bottom of the cell.
pub fn write_name(headless: &mut Headless, file: &Path, is_broken: bool) {
    let target = headless.render_target();
    let world = headless.app.world_mut();
    // Broken files and textures have no camera yet.
    let mut cameras = world.query_filtered::<(), With<Orbit>>();
    if cameras.iter(world).next().is_none() {
        world.spawn((FileName, Camera2d, IsDefaultUiCamera, target));
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let node = Node {
        position_type: PositionType::Absolute,
        width: percent(100),
        bottom: px(4),
        justify_content: JustifyContent::Center,
        ..default()
    };
    let color = if is_broken { BROKEN } else { NAME };
    world.spawn((
        FileName,
        node,
        children![(
            Text::new(name),
            TextFont::from_font_size(13.0),
            TextColor(color),
        )],
    ));
}

/// The margin around a texture, in pixels.
const MARGIN: u32 = 6;

/// The height of the name below it, in pixels.
const NAME_HEIGHT: u32 = 26;

/// The gray behind transparent texels.
const BEHIND: u64 = 70;

/// Draws a texture above the name in a cell, which has 4 bytes per pixel.
pub fn draw_texture(cell: &mut Image, texture: &Pixels) {
    let size = cell.size();
    let free = size.saturating_sub(UVec2::new(2 * MARGIN, MARGIN + NAME_HEIGHT));
    if free.min_element() == 0 {
        return;
    }
    let drawn = size_in(texture, free);
    let corner = UVec2::splat(MARGIN) + free.saturating_sub(drawn) / 2;
    let Some(data) = &mut cell.data else {
        return;
    };
    for y in 0..drawn.y {
        for x in 0..drawn.x {
            let at = corner + UVec2::new(x, y);
            let start = (at.y as usize * size.x as usize + at.x as usize) * 4;
            if let Some(target) = data.get_mut(start..start + 4) {
                let color = color(texture, UVec2::new(x, y), drawn);
                target.copy_from_slice(&over_gray(color));
            }
        }
    }
}

fn over_gray([red, green, blue, alpha]: [u8; 4]) -> [u8; 4] {
    let alpha = u64::from(alpha);
    let over = |channel: u8| (u64::from(channel) * alpha + BEHIND * (255 - alpha)) / 255;
    let [red, green, blue] = [red, green, blue].map(|channel| over(channel).min(255) as u8);
    [red, green, blue, u8::MAX]
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy::render::render_resource::TextureFormat;

    #[test]
    fn cells_are_as_many_as_files() {
        for (count, columns, rows) in [(1, 1, 1), (2, 2, 1), (5, 3, 2), (60, 8, 8), (65, 8, 9)] {
            let layout = SheetLayout::new(count, None);
            assert_eq!((layout.columns, layout.rows), (columns, rows), "{count}");
        }
        assert_eq!(SheetLayout::new(2, None).cell, UVec2::new(640, 480));
    }

    #[test]
    fn sheets_have_exactly_the_given_size() {
        for (count, size, cell) in [
            (1, [900, 600], [900, 600]),
            (4, [900, 600], [450, 300]),
            (5, [901, 601], [300, 300]),
            (3, [300, 900], [300, 300]),
        ] {
            let layout = SheetLayout::new(count, Some(size.into()));
            assert_eq!(
                (layout.size, layout.cell),
                (size.into(), cell.into()),
                "{count}"
            );
        }
    }

    #[test]
    fn cells_are_filled_from_left_to_right() {
        let layout = SheetLayout::new(3, Some(UVec2::new(129, 96)));
        let mut sheet = Sheet::new(layout);
        let cell = |value: u8| {
            let UVec2 { x, y } = layout.cell;
            let mut image = Image::new_target_texture(x, y, TextureFormat::Rgba8UnormSrgb, None);
            image.data = Some(vec![value; (x * y * 4) as usize]);
            image
        };
        for value in 1..=3 {
            sheet.add(&cell(value)).unwrap();
        }
        let UVec2 { x, y } = layout.cell;
        let at = |column: u32, row: u32| {
            let (x, y) = (column * x + x / 2, row * y + y / 2);
            let pixels = sheet.image.as_ref().unwrap().data.as_ref().unwrap();
            pixels[((y * layout.size.x + x) * 4) as usize]
        };
        // The fourth cell is empty: the color of the first pixel.
        assert_eq!([at(0, 0), at(1, 0), at(0, 1), at(1, 1)], [1, 2, 3, 1]);
        let other = Image::new_target_texture(1, 1, TextureFormat::Rgba8UnormSrgb, None);
        assert!(sheet.add(&other).is_err());
    }

    fn texture(width: u32, height: u32, rgba: Vec<u8>) -> Pixels {
        Pixels {
            width,
            height,
            rgba,
        }
    }

    /// A cell of 40 × 50 pixels with a texture, as the red of each pixel.
    fn reds(texture: &Pixels) -> Vec<u8> {
        let mut cell = Image::new_target_texture(40, 50, TextureFormat::Rgba8UnormSrgb, None);
        cell.data = Some(vec![1; 40 * 50 * 4]);
        draw_texture(&mut cell, texture);
        cell.data.unwrap().iter().copied().step_by(4).collect()
    }

    #[test]
    fn small_textures_have_square_texels() {
        let rgba = [[200, 0, 0, 255], [100, 0, 0, 0]].concat();
        let reds = reds(&texture(2, 1, rgba));
        let count = |value: u8| reds.iter().filter(|red| **red == value).count();
        // 14 × 14 pixels each. The second texel is transparent.
        assert_eq!([count(200), count(80)], [196, 196]);
        assert_eq!(count(1), 40 * 50 - 392);
    }

    #[test]
    fn large_textures_are_reduced_to_their_mean() {
        let rgba: Vec<u8> = (0..64 * 64)
            .flat_map(|index| [if index % 2 == 0 { 100 } else { 200 }, 0, 0, 255])
            .collect();
        let reds = reds(&texture(64, 64, rgba));
        // The height is 18 pixels: that of the cell without the name and margins.
        let drawn: Vec<u8> = reds.into_iter().filter(|red| *red != 1).collect();
        assert_eq!(drawn.len(), 18 * 18);
        assert!(drawn.iter().all(|red| (100..=200).contains(red)));
        let mean = drawn.iter().map(|red| u32::from(*red)).sum::<u32>() / drawn.len() as u32;
        assert!((145..=155).contains(&mean), "{mean}");
    }
}
