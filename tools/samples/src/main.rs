//! Makes the bundled samples: the models, animations, textures and archives in `assets`.
//!
//! ```text
//! cargo run -p classic-models-samples [-- FOLDER]
//! ```
//!
//! MDL models: surfaces are lofted over outlines (`surface`), attached to bones (`mesh`), unwrapped
//! onto the skin (`atlas`) and painted (`paint`). A rig computes the bone transforms of each pose,
//! and the crate writes the resulting document (`document`).
//!
//! ALO models consist of beveled solids and have normal maps and separate texture files (`alamo`).
//! ALA clips pose the bones of such a model for each frame (`walker::clips`).
//!
//! Particle systems are lists of emitters (`particles`). The walker's proxies name them.
//!
//! The ABC model consists of solids (`warden`). Its cloth is simulated for each keyframe, it has
//! levels of detail, and its skins have a palette (`lithtech`).
//!
//! The LGW model consists of solids and surfaces, which become lists, strips and fans (`courier`).
//! Manifests configure some of the models (`manifests`). Archives of each format have copies of other
//! samples (`archives`). The output bytes are the same on every run and every machine.
//!
//! The program prints a line about each model and each clip, without any warning. View them with
//! `cargo run -p classic-models -- view`.

use bevy_classic_models::quake::mdl::parse;
use classic_models_support::samples;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

mod alamo;
mod archives;
mod atlas;
mod brazier;
mod courier;
mod crystal;
mod document;
mod lithtech;
mod manifests;
mod math;
mod mesh;
mod paint;
mod particles;
mod piece;
mod sentry;
mod supply;
mod surface;
mod walker;
mod warden;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).peekable();
    let is_option = |argument: &&OsString| argument.to_string_lossy().starts_with('-');
    if let Some(option) = arguments.peek().filter(is_option) {
        const HELP: &str = "usage: classic-models-samples [FOLDER]\n\nMakes the samples in FOLDER; default: the folder assets of the repository.";
        if option == "--help" || option == "-h" {
            println!("{HELP}");
            return Ok(());
        }
        return Err(format!("unknown option {option:?}; see --help").into());
    }
    let folder = arguments.next().map_or_else(samples, PathBuf::from);
    std::fs::create_dir_all(folder.join("models"))?;
    std::fs::create_dir_all(folder.join("skins"))?;
    std::fs::create_dir_all(folder.join("textures"))?;
    quake_samples(&folder.join("models"))?;
    let files = [
        walker::files()?,
        particles::files()?,
        supply::files()?,
        warden::files()?,
        courier::files()?,
        manifests::files()?,
    ];
    for (path, bytes) in files.into_iter().flatten() {
        std::fs::write(folder.join(path), bytes)?;
    }
    archives::write(&folder)
}

fn quake_samples(folder: &Path) -> Result<(), Box<dyn Error>> {
    let samples = [
        ("sentry.mdl", sentry::document()),
        ("brazier.mdl", brazier::document()),
        ("crystal.mdl", crystal::document()),
    ];
    for (name, document) in samples {
        let bytes = document.to_bytes();
        let file = parse(&bytes)?;
        // The samples must load without warnings.
        if let Some(warning) = file.warnings.first() {
            return Err(format!("{name}: {warning}").into());
        }
        std::fs::write(folder.join(name), &bytes)?;
        println!(
            "{name}: {} vertices, {} triangles, {} skins of {} × {}, {} frames, {} poses, {} bytes",
            file.st_vertices.len(),
            file.triangles.len(),
            file.skins.len(),
            file.header.skin_width,
            file.header.skin_height,
            file.frames.len(),
            file.poses.len(),
            bytes.len(),
        );
    }
    Ok(())
}
