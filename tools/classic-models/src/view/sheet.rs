//! An image of many files, each with its name.

use crate::archive_file::absolute;
use crate::view::models::FilesToLoad;
use crate::view::orbit::Orbit;
use crate::view::row::Row;
use crate::view::viewed_model::ViewedModel;
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension};
use bevy::ui::IsDefaultUiCamera;
use classic_models_support::headless::Headless;
use classic_models_support::images::save;
use std::path::Path;

/// The most columns.
const COLUMNS: usize = 8;

/// The smallest side of a cell, in pixels.
const SMALLEST: u32 = 48;

const NAME: Color = Color::srgb(0.85, 0.86, 0.88);
const BROKEN: Color = Color::srgb(1.0, 0.45, 0.4);

/// The cells of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SheetLayout {
    /// The size of a cell, in pixels.
    pub cell: UVec2,
    columns: usize,
    rows: usize,
}

impl SheetLayout {
    /// The cells of this many files in a sheet of about this width.
    pub fn new(count: usize, width: u32) -> Self {
        let columns = (1..COLUMNS).find(|columns| columns * columns >= count);
        let columns = columns.unwrap_or(COLUMNS);
        let side = (width / columns as u32).max(SMALLEST);
        Self {
            cell: UVec2::new(side, (side * 3 / 4).max(SMALLEST)),
            columns,
            rows: count.div_ceil(columns).max(1),
        }
    }

    /// The size of the sheet in pixels.
    fn size(&self) -> UVec2 {
        self.cell * UVec2::new(self.columns as u32, self.rows as u32)
    }
}

/// A sheet whose cells are filled one after the other.
pub struct Sheet {
    layout: SheetLayout,
    /// The pixels with 4 bytes each, row by row.
    pixels: Vec<u8>,
    count: usize,
    /// An image of a cell.
    like: Option<Image>,
}

impl Sheet {
    pub fn new(layout: SheetLayout) -> Self {
        let size = layout.size();
        Self {
            layout,
            pixels: vec![0; size.x as usize * size.y as usize * 4],
            count: 0,
            like: None,
        }
    }

    /// Fills the next cell.
    ///
    /// # Errors
    /// If the image has another size or format than a cell.
    pub fn add(&mut self, image: Image) -> Result<(), String> {
        let cell = self.layout.cell;
        let format = image.texture_descriptor.format;
        let data = image.data.as_deref().unwrap_or_default();
        let is_cell = image.size() == cell;
        let row = cell.x as usize * 4;
        if !is_cell || data.len() != row * cell.y as usize || self.count >= self.cells() {
            return Err(format!("a picture has {} of {format:?}", image.size()));
        }
        let at = UVec2::new(
            (self.count % self.layout.columns) as u32,
            (self.count / self.layout.columns) as u32,
        ) * cell;
        let stride = self.layout.size().x as usize * 4;
        for (y, line) in data.chunks_exact(row).enumerate() {
            let start = (at.y as usize + y) * stride + at.x as usize * 4;
            if let Some(target) = self.pixels.get_mut(start..start + row) {
                target.copy_from_slice(line);
            }
        }
        self.count += 1;
        self.like = Some(image);
        Ok(())
    }

    fn cells(&self) -> usize {
        self.layout.columns * self.layout.rows
    }

    /// Writes the sheet as a PNG.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(mut self, file: &Path) -> Result<(), String> {
        let like = self.like.take().ok_or("no file was drawn")?;
        while self.count < self.cells() {
            self.add(empty_cell(&like))?;
        }
        let size = self.layout.size();
        let size = Extent3d {
            width: size.x,
            height: size.y,
            depth_or_array_layers: 1,
        };
        let format = like.texture_descriptor.format;
        let image = Image::new(
            size,
            TextureDimension::D2,
            self.pixels,
            format,
            like.asset_usage,
        );
        save(image, file)
    }
}

/// A cell without a file. The first pixel of a cell has the color of the background.
fn empty_cell(like: &Image) -> Image {
    let mut image = like.clone();
    let data = image.data.as_mut();
    if let Some((first, others)) = data.and_then(|data| data.split_first_chunk_mut::<4>()) {
        others.as_chunks_mut::<4>().0.fill(*first);
    }
    image
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

#[cfg(test)]
mod tests {
    use super::{Sheet, SheetLayout, empty_cell};
    use bevy::prelude::*;
    use bevy::render::render_resource::TextureFormat;

    #[test]
    fn cells_are_as_many_as_files() {
        for (count, columns, rows) in [(1, 1, 1), (2, 2, 1), (5, 3, 2), (60, 8, 8), (65, 8, 9)] {
            let layout = SheetLayout::new(count, 800);
            assert_eq!((layout.columns, layout.rows), (columns, rows), "{count}");
        }
        assert_eq!(SheetLayout::new(2, 800).cell, UVec2::new(400, 300));
    }

    #[test]
    fn cells_are_filled_from_left_to_right() {
        let layout = SheetLayout::new(3, 128);
        let mut sheet = Sheet::new(layout);
        let cell = |value: u8| {
            let UVec2 { x, y } = layout.cell;
            let mut image = Image::new_target_texture(x, y, TextureFormat::Rgba8UnormSrgb, None);
            image.data = Some(vec![value; (x * y * 4) as usize]);
            image
        };
        for value in 1..=3 {
            sheet.add(cell(value)).unwrap();
        }
        let UVec2 { x, y } = layout.cell;
        let at = |column: u32, row: u32| {
            let (x, y) = (column * x + x / 2, row * y + y / 2);
            sheet.pixels[((y * layout.size().x + x) * 4) as usize]
        };
        assert_eq!([at(0, 0), at(1, 0), at(0, 1), at(1, 1)], [1, 2, 3, 0]);
        let empty = empty_cell(&cell(7)).data.unwrap();
        assert!(empty.iter().all(|value| *value == 7));
        let other = Image::new_target_texture(1, 1, TextureFormat::Rgba8UnormSrgb, None);
        assert!(sheet.add(other).is_err());
    }
}
