//! What the Alamo samples are made with.
//!
//! Solids are spanned over outlines (`profile`, `shape`) or rows of points (`loft`), unfolded onto a sheet and painted there (`sheet`), and
//! become vertices (`build`); pictures are written as DDS and TGA (`picture`). All solids are where
//! the model has them at rest, Z up and the front looking along −Y, until they are written.

pub mod build;
pub mod loft;
pub mod picture;
pub mod profile;
pub mod shape;
pub mod sheet;

mod dxt5;
mod sky;

use bevy::math::Vec3;
use bevy_classic_models::alamo::ala;
use bevy_classic_models::alamo::alo::{AloFile, Parameter, write};
use std::error::Error;

/// A file of a sample: its path below the folder of assets, and its bytes.
pub type SampleFile = (&'static str, Vec<u8>);

/// The bytes of a model, which should be beyond reproach.
pub fn model(path: &'static str, file: &AloFile<'_>) -> Result<SampleFile, Box<dyn Error>> {
    let bytes = write::write(file)?;
    let read = bevy_classic_models::alamo::alo::parse(&bytes)?;
    if let Some(warning) = read.warnings.first() {
        return Err(format!("{path}: {warning}").into());
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    println!(
        "{name}: {} bones, {} meshes, {} triangles, {} lights, {} proxies, {} dazzles, {} bytes",
        read.bones.len(),
        read.meshes.len(),
        read.triangle_count(),
        read.lights.len(),
        read.proxies.len(),
        read.dazzles.len(),
        bytes.len(),
    );
    Ok((path, bytes))
}

/// The bytes of an animation, which should be beyond reproach too.
pub fn animation(
    path: &'static str,
    document: &ala::write::AlaDocument,
) -> Result<SampleFile, Box<dyn Error>> {
    let bytes = ala::write::write(document)?;
    let read = ala::parse(&bytes)?;
    if let Some(warning) = read.warnings.first() {
        return Err(format!("{path}: {warning}").into());
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    println!(
        "{name}: format {}, {} bones, {} frames, {:.2} s, {} bytes",
        read.version,
        read.bones.len(),
        read.frames,
        read.seconds(),
        bytes.len(),
    );
    Ok((path, bytes))
}

/// A colour of a shader. Alpha is what exporters write where it means nothing: 0.
pub fn color(name: &'static str, rgb: Vec3) -> Parameter<'static> {
    Parameter::float4(name, [rgb.x, rgb.y, rgb.z, 0.0])
}
