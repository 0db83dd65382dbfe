//! Saves the pictures of the programs in the README and the guides.
//!
//! `cargo run -p classic_models_guides -- FOLDER [NAME…]`

use classic_models_guides::{PROGRAMS, save_picture};
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some((folder, names)) = arguments.split_first() else {
        let names: Vec<_> = PROGRAMS.iter().map(|(name, _)| *name).collect();
        eprintln!("usage: FOLDER [NAME…]\nnames: {}", names.join(", "));
        std::process::exit(2);
    };
    for (name, program) in PROGRAMS {
        if names.is_empty() || names.iter().any(|of| of == name) {
            let file = Path::new(folder).join(format!("{name}.png"));
            save_picture(*program, &file);
            println!("{}", file.display());
        }
    }
}
