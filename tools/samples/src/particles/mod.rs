//! Particle systems: the walker's effects, and their texture.
//!
//! Each system is a list of emitters with a texture of 4 × 4 tiles (`texture`). Lengths are in meters, like those of the
//! walker. Positions and velocities with a direction are along +Z of the bone of the proxy, as in the games.

mod damage;
mod emitter;
mod engine;
mod explosion;
mod muzzle;
mod texture;

use crate::alamo::SampleFile;
use bevy_classic_models::alamo::particles::evaluate::ParticleSystem;
use bevy_classic_models::alamo::particles::write::write;
use bevy_classic_models::alamo::particles::{Emitter, ParticleFile, parse};
use std::error::Error;

/// The systems and their texture.
pub fn files() -> Result<Vec<SampleFile>, Box<dyn Error>> {
    let mut files = vec![("textures/p_particle_master.tga", texture::atlas().to_tga())];
    for (path, emitters) in [
        ("models/p_explosion.alo", explosion::emitters()),
        ("models/p_smoke_small.alo", damage::small_smoke()),
        ("models/p_smoke_large.alo", damage::large_smoke()),
        ("models/p_sparks.alo", damage::sparks()),
        ("models/p_exhaust.alo", engine::exhaust()),
        ("models/pe_engine_glow.alo", engine::glow()),
        ("models/pe_warp_out.alo", engine::warp()),
        ("models/p_muzzle_flash.alo", muzzle::emitters()),
    ] {
        files.push(system(path, emitters)?);
    }
    Ok(files)
}

/// Serializes a system. A warning of its own parser is an error.
fn system(
    path: &'static str,
    emitters: Vec<Emitter<'static>>,
) -> Result<SampleFile, Box<dyn Error>> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut file = ParticleFile::new(name.trim_end_matches(".alo"));
    file.emitters = emitters;
    for (index, emitter) in (0..).zip(&mut file.emitters) {
        emitter.properties.index = index;
    }
    let bytes = write(&file)?;
    let read = parse(&bytes)?;
    if let Some(warning) = read.warnings.first() {
        return Err(format!("{path}: {warning}").into());
    }
    let duration = if ParticleSystem::new(&read).is_endless() {
        "endless"
    } else {
        "once"
    };
    println!(
        "{name}: {} emitters, {duration}, {} bytes",
        read.emitters.len(),
        bytes.len()
    );
    Ok((path, bytes))
}
