//! Building blocks of the Alamo samples.
//!
//! Solids are lofted from outlines (`profile`, `shape`) or rows of points (`loft`), unwrapped onto
//! a sheet and painted there (`sheet`). Then they become vertices (`build`); images are written as
//! DDS and TGA (`image`). All solids are in model space in the rest pose until they are written: Z
//! is up and the front is −Y.

pub mod build;
pub mod image;
pub mod loft;
pub mod profile;
pub mod shape;
pub mod sheet;

mod ambient_occlusion;
mod dxt5;

use bevy::math::Vec3;
use bevy_classic_models::alamo::ala;
use bevy_classic_models::alamo::alo::{AloFile, Parameter, write};
use std::error::Error;

/// A file of a sample: its path below the assets folder, and its bytes.
pub type SampleFile = (&'static str, Vec<u8>);

/// Serializes a model; a warning of its own parser is an error.
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

/// Serializes an animation; a warning of its own parser is an error.
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

/// A color parameter of a shader. Alpha is 0, as exporters write it if it has no meaning.
pub fn color(name: &'static str, rgb: Vec3) -> Parameter<'static> {
    Parameter::float4(name, [rgb.x, rgb.y, rgb.z, 0.0])
}
