//! Writes images of the window.

use crate::view::action::Action;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use classic_models_support::images::save;
use std::path::{Path, PathBuf};

/// Writes an image of the window to the current folder on [`Action::SaveImage`]. Never overwrites a file.
pub fn act_on_image(mut actions: MessageReader<Action>, mut commands: Commands) {
    for _ in actions.read().filter(|of| **of == Action::SaveImage) {
        commands
            .spawn(Screenshot::primary_window())
            .observe(write_image);
    }
}

fn write_image(shot: On<ScreenshotCaptured>) {
    let file = free_name(Path::new(""));
    match save(shot.image.clone(), &file) {
        Ok(()) => info!("wrote {}", file.display()),
        Err(error) => error!("the image was not written: {error}"),
    }
}

/// A path in a folder where no file exists.
fn free_name(folder: &Path) -> PathBuf {
    let mut paths = (1..).map(|number: u32| folder.join(format!("classic-models-{number}.png")));
    paths.find(|path| !path.exists()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::free_name;

    #[test]
    fn images_do_not_overwrite_others() {
        let folder = tempfile::tempdir().unwrap();
        let first = free_name(folder.path());
        std::fs::write(&first, "").unwrap();
        let second = free_name(folder.path());
        assert!(first.ends_with("classic-models-1.png"));
        assert!(second.ends_with("classic-models-2.png"));
    }
}
