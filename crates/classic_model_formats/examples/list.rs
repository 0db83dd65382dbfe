//! Lists the files in archives of games: `cargo run -p classic_model_formats --example list -- pak0.pak`.

use classic_model_formats::archive::Archive;
use classic_model_formats::read::ParseError;
use classic_model_formats::{meg, pak, rez, vfs};
use std::fs::File;
use std::path::Path;

fn open(path: &Path) -> Result<Archive<File>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let archive: Result<_, ParseError> = match extension.to_str() {
        Some("meg") => meg::open(file),
        Some("pak") => pak::open(file),
        Some("rez") => rez::open(file),
        Some("vfs") => vfs::open(file),
        _ => return Err("the extension must be .meg, .pak, .rez or .vfs".to_owned()),
    };
    archive.map_err(|error| error.to_string())
}

fn list(path: &Path) -> Result<(), String> {
    let archive = open(path)?;
    for entry in archive.entries() {
        println!("{:>10} {}", entry.size(), entry.path());
    }
    for warning in archive.warnings() {
        eprintln!("{}: warning: {warning}", path.display());
    }
    Ok(())
}

fn main() {
    let paths: Vec<_> = std::env::args_os().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: list ARCHIVE...");
        std::process::exit(2);
    }
    let mut failed = false;
    for path in &paths {
        if let Err(error) = list(Path::new(path)) {
            eprintln!("{}: {error}", Path::new(path).display());
            failed = true;
        }
    }
    std::process::exit(failed.into());
}
