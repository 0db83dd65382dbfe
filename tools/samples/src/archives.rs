//! The archives in `archives`: one of each format, with copies of other samples.

use classic_model_formats::archive::{Archive, ArchiveFile};
use classic_model_formats::read::ParseError;
use classic_model_formats::{meg, pak, rez, vfs};
use std::error::Error;
use std::path::Path;

/// A file of an archive: its path there, and the sample with its bytes.
type Copied = (&'static str, &'static str);

/// The crate with its texture, at the games' paths.
const MEG: [Copied; 2] = [
    ("DATA/ART/MODELS/CRATE.ALO", "models/crate.alo"),
    ("DATA/ART/TEXTURES/CRATE.DDS", "textures/crate.dds"),
];

/// The crystal. Its skins are in the model.
const PAK: [Copied; 1] = [("progs/crystal.mdl", "models/crystal.mdl")];

/// The warden with the skin that is found by its path.
const REZ: [Copied; 2] = [
    ("MODELS/WARDEN.ABC", "models/warden.abc"),
    ("SKINS/WARDEN.DTX", "skins/warden.dtx"),
];

/// The courier with its textures, at the paths that the model names.
const VFS: [Copied; 10] = [
    ("models/courier.lgw", "models/courier.lgw"),
    ("textures/courier_glass.tga", "textures/courier_glass.tga"),
    ("textures/courier_lens.tga", "textures/courier_lens.tga"),
    ("textures/courier_load.dds", "textures/courier_load.dds"),
    ("textures/courier_paint.dds", "textures/courier_paint.dds"),
    ("textures/courier_planks.tga", "textures/courier_planks.tga"),
    ("textures/courier_rope.tga", "textures/courier_rope.tga"),
    ("textures/courier_sky.dds", "textures/courier_sky.dds"),
    ("textures/courier_tyre.tga", "textures/courier_tyre.tga"),
    ("textures/courier_wire.tga", "textures/courier_wire.tga"),
];

/// Writes the archives. The other samples must be in `folder`.
pub fn write(folder: &Path) -> Result<(), Box<dyn Error>> {
    let meg = meg::write::write(1, &copies(folder, &MEG)?)?;
    let pak = pak::write::write(&copies(folder, &PAK)?)?;
    let rez = rez::write::write(&copies(folder, &REZ)?)?;
    let vfs = vfs::write::write(&copies(folder, &VFS)?, |_| true)?;
    let archives = [
        ("supply.meg", &meg, meg::open(&meg[..])),
        ("pak0.pak", &pak, pak::open(&pak[..])),
        ("warden.rez", &rez, rez::open(&rez[..])),
        ("gamedata.vfs", &vfs, vfs::open(&vfs[..])),
    ];
    std::fs::create_dir_all(folder.join("archives"))?;
    for (name, bytes, opened) in archives {
        report(name, bytes, opened)?;
        std::fs::write(folder.join("archives").join(name), bytes)?;
    }
    Ok(())
}

/// The files of an archive.
fn copies(folder: &Path, files: &[Copied]) -> Result<Vec<ArchiveFile>, Box<dyn Error>> {
    let mut copies = Vec::new();
    for (path, sample) in files {
        let bytes =
            std::fs::read(folder.join(sample)).map_err(|error| format!("{sample}: {error}"))?;
        copies.push(ArchiveFile::new(*path, bytes));
    }
    Ok(copies)
}

/// Prints a line about an archive, which must open without warnings.
fn report(
    name: &str,
    bytes: &[u8],
    opened: Result<Archive<&[u8]>, ParseError>,
) -> Result<(), Box<dyn Error>> {
    let archive = opened.map_err(|error| format!("{name}: {error}"))?;
    if let Some(warning) = archive.warnings().first() {
        return Err(format!("{name}: {warning}").into());
    }
    println!(
        "{name}: {} files, {} bytes",
        archive.entries().len(),
        bytes.len()
    );
    Ok(())
}
