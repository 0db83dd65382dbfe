//! Lists the files in archives of games: `cargo run -p classic_model_formats --example list -- pak0.pak`.

use classic_model_formats::archive::{Archive, detect};
use classic_model_formats::read::Format;
use classic_model_formats::{meg, pak, pk3, rez, vfs};
use std::fs::File;
use std::io::Write;
use std::path::Path;

fn open(path: &Path) -> Result<Archive<File>, String> {
    let file = File::open(path).map_err(|error| error.to_string())?;
    let format = detect(&file, path).map_err(|error| error.to_string())?;
    let archive = match format {
        Some(Format::Meg) => meg::open(file),
        Some(Format::Pak) => pak::open(file),
        Some(Format::Pk3) => pk3::open(file),
        Some(Format::Rez) => rez::open(file),
        Some(Format::Vfs) => vfs::open(file),
        _ => return Err("not an archive of a known format".to_owned()),
    };
    archive.map_err(|error| error.to_string())
}

fn list(path: &Path) -> Result<(), String> {
    let archive = open(path)?;
    let mut out = std::io::stdout().lock();
    for entry in archive.entries() {
        // The reader of a pipe may close it.
        writeln!(out, "{:>10} {}", entry.size(), entry.path())
            .map_err(|error| error.to_string())?;
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
