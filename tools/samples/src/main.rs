//! Makes the bundled samples: the models, animations and textures in `assets`.
//!
//! ```text
//! cargo run -p classic-models-samples [-- FOLDER]
//! ```
//!
//! Every MDL model goes the same way: surfaces are spanned over outlines (`surface`) and put on bones
//! (`mesh`), unfolded onto the skin (`atlas`) and painted (`paint`); a rig places the bones for each
//! pose; and all of it becomes a document that the crate writes (`document`). ALO models are made of
//! solids with bevels, have normal maps, and wear pictures in files of their own (`alamo`); ALA clips
//! pose the bones of such a model for each frame (`walker::clips`). The ABC model is made of solids too
//! (`warden`), its cloth is let fall and swing for each keyframe, it gets levels of detail, and its skins get a
//! palette (`lithtech`). The LGW model is made of solids and of surfaces,
//! which become lists, strips and fans (`courier`). Two manifests say what a game would of the walker and the
//! warden (`manifests`). The same bytes come out on every run and every
//! machine.
//!
//! You should see a line about each model and each clip, without any warning. Look at them with
//! `cargo run -p classic-models -- view`.

use bevy_classic_models::quake::mdl::parse;
use classic_models_support::samples;
use std::error::Error;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

mod alamo;
mod atlas;
mod brazier;
mod courier;
mod crystal;
mod document;
mod lithtech;
mod manifests;
mod maths;
mod mesh;
mod paint;
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
        supply::files()?,
        warden::files()?,
        courier::files()?,
        manifests::files()?,
    ];
    for (path, bytes) in files.into_iter().flatten() {
        std::fs::write(folder.join(path), bytes)?;
    }
    Ok(())
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
        // What we write should be beyond reproach.
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
