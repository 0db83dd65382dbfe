//! Makes the models in this crate's `assets/models`, and shows how MDL files are written.
//!
//! ```text
//! cargo run --example make_samples [FOLDER]
//! ```
//!
//! Every model goes the same way: surfaces are spanned over outlines (`surface`) and put on bones
//! (`mesh`), unfolded onto the skin (`atlas`) and painted (`paint`); a rig places the bones for each
//! pose; and all of it becomes a document that the crate writes (`document`). The same bytes come
//! out on every run and every machine.
//!
//! You should see a line about each model, without any warning. Look at them with the viewer:
//! `cargo run --example viewer`.

use bevy_classic_models::quake::mdl::parse;
use std::error::Error;
use std::path::PathBuf;

mod atlas;
mod brazier;
mod crystal;
mod document;
mod maths;
mod mesh;
mod paint;
mod sentry;
mod surface;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let folder = arguments.next().map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("assets/models"),
        PathBuf::from,
    );
    std::fs::create_dir_all(&folder)?;
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
