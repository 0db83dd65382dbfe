//! Each program of the README and the guides shows its models: large enough, and completely.

use classic_models_guides::{PROGRAMS, save_picture};
use image::RgbImage;
use std::path::Path;
use std::sync::Mutex;
use std::{env, thread};

/// Least share of the picture that models take.
const MIN_SHARE: f64 = 0.1;

#[test]
fn each_program_shows_its_models() {
    // Programs open archives by paths from the root of the repository.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    env::set_current_dir(root).expect("the root exists");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let programs = Mutex::new(PROGRAMS.iter());
    let flaws = Mutex::new(Vec::new());
    let next = || programs.lock().expect("no thread has panicked").next();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some((name, program)) = next() {
                    let file = folder.path().join(format!("{name}.png"));
                    save_picture(*program, &file);
                    let flaw = match image::open(&file) {
                        Ok(picture) => flaw_of(&picture.to_rgb8()),
                        Err(error) => Some(format!("no picture: {error}")),
                    };
                    let flaw = flaw.map(|flaw| format!("{name}: {flaw}"));
                    flaws.lock().expect("no thread has panicked").extend(flaw);
                }
            });
        }
    });
    let flaws = flaws.into_inner().expect("no thread has panicked");
    assert!(flaws.is_empty(), "{}", flaws.join("\n"));
    assert!(PROGRAMS.len() >= 10, "the programs are found");
}

/// What is wrong with a picture whose background has one color.
fn flaw_of(picture: &RgbImage) -> Option<String> {
    let background = picture.get_pixel(0, 0);
    let (width, height) = picture.dimensions();
    let drawn = picture.enumerate_pixels().filter(|of| of.2 != background);
    let (mut count, mut clipped) = (0, 0);
    for (x, y, _) in drawn {
        count += 1;
        let is_border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
        clipped += usize::from(is_border);
    }
    let share = f64::from(count) / f64::from(width * height);
    if clipped > 0 {
        return Some(format!("{clipped} pixels of the border are not background"));
    }
    (share < MIN_SHARE).then(|| format!("only {:.1} % of the picture are drawn", share * 100.0))
}
