//! The fuzz targets' checks of parsers and writers, on stored regression inputs and on random mutations of valid files.

#[path = "../../../../fuzz/archive_files.rs"]
mod archive_files;

use crate::prelude::*;
use archive_files::archive_files;
use classic_model_formats::abc::write::write as write_abc;
use classic_model_formats::ala::write::write as write_ala;
use classic_model_formats::dtx::write::write as write_dtx;
use classic_model_formats::lgw::{parse as parse_lgw, write as write_lgw};
use classic_model_formats::{mdl, meg, pak, pk3, rez};
use classic_models_fixtures::{for_each_regression, mutations};

/// The parser's part of `fuzz/fuzz_targets/mdl.rs`.
fn mdl_target(bytes: &[u8]) {
    let _ = mdl::parse(bytes);
}

/// The parser's part of `fuzz/fuzz_targets/alo.rs`.
fn alo_target(bytes: &[u8]) {
    let Ok(mut file) = alo::parse(bytes) else {
        return;
    };
    file.warnings.clear();
    let submeshes = file.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    for tree in submeshes.filter_map(|submesh| submesh.tree.as_ref()) {
        assert_eq!(tree.boxes().len(), tree.nodes.len());
    }
    // Invalid UTF-8 becomes longer when it is replaced, and may then be too long to write.
    if let Ok(written) = alo::write::write(&file) {
        let mut read = alo::parse(&written).unwrap();
        read.warnings.clear();
        assert_eq!(format!("{read:?}"), format!("{file:?}"));
    }
}

/// The parser's part of `fuzz/fuzz_targets/ala.rs`.
fn ala_target(bytes: &[u8]) {
    let Ok(file) = ala::parse(bytes) else { return };
    for bone in &file.bones {
        for time in [0.0, 0.5, file.frames as f32 - 1.25, f32::MAX] {
            let pose = file.sample(bone, time);
            let rotation = pose.rotation.unwrap_or_default();
            let mut numbers = pose.translation.iter().chain(&pose.scale).chain(&rotation);
            assert!(numbers.all(|value| value.is_finite()));
        }
    }
    // A document stores all frames uncompressed, which could take very much memory.
    if file.frames > 1 << 12 {
        return;
    }
    // Invalid UTF-8 becomes longer when it is replaced, and may then be too long to write.
    let document = AlaDocument::from(&file);
    if let Ok(written) = write_ala(&document) {
        assert_eq!(AlaDocument::from(&ala::parse(&written).unwrap()), document);
    }
}

/// The body of `fuzz/fuzz_targets/particles.rs`.
fn particles_target(bytes: &[u8]) {
    let Ok(mut file) = particles::parse(bytes) else {
        return;
    };
    file.warnings.clear();
    let system = ParticleSystem::new(&file);
    for seconds in [-1.0, 0.0, 0.7, 1e9, f64::INFINITY] {
        let state = system.state(7, seconds);
        assert_eq!(state.emitters.len(), file.emitters.len());
        let alive: usize = state.emitters.iter().map(Vec::len).sum();
        assert!(alive as u64 <= MAX_ALIVE);
        for particle in state.emitters.iter().flatten() {
            assert!(particle.age >= 0.0 && particle.age <= particle.life);
            assert!(
                particle
                    .appearance
                    .color
                    .iter()
                    .all(|it| (0.0..=1.0).contains(it))
            );
        }
    }
    // Invalid UTF-8 becomes longer when it is replaced, but still fits: no text is in a mini-chunk.
    let written = particles::write::write(&file).unwrap();
    let mut read = particles::parse(&written).unwrap();
    read.warnings.clear();
    assert_eq!(format!("{read:?}"), format!("{file:?}"));
}

/// Parses a particle system made of plug-ins, and writes it.
fn plugins_target(bytes: &[u8]) {
    let Ok(mut file) = particles::plugins::parse(bytes) else {
        return;
    };
    file.warnings.clear();
    let written = particles::plugins::write::write(&file).unwrap();
    let mut read = particles::plugins::parse(&written).unwrap();
    read.warnings.clear();
    assert_eq!(format!("{read:?}"), format!("{file:?}"));
}

/// The parser's part of `fuzz/fuzz_targets/abc.rs`.
pub fn abc_target(bytes: &[u8]) {
    let Ok(file) = abc::parse(bytes) else {
        return;
    };
    for level in [0, 1, file.geometry.lods] {
        let count = file.geometry.vertices.len() as u32;
        let vertices = file.geometry.lod(level).vertices();
        assert!(vertices.iter().all(|index| *index < count));
    }
    for normal in file.geometry.normals().into_iter().flatten() {
        let length = normal.iter().map(|value| value * value).sum::<f32>();
        assert!((length - 1.0).abs() < 1e-3);
    }
    let middles = file.animations.iter().take(7).enumerate();
    let middles = middles.map(|(index, animation)| (Some(index), animation.seconds() * 0.4));
    let animations = [None, Some(0), file.animations.len().checked_sub(1)];
    let times = animations
        .iter()
        .flat_map(|it| [0.0, 0.05, f32::MAX].map(|time| (*it, time)));
    for (animation, seconds) in times.chain(middles) {
        for pose in file.node_poses(animation, seconds) {
            let mut numbers = pose.translation.iter().chain(&pose.rotation);
            assert!(numbers.all(|value| value.is_finite()));
        }
        let positions = file.vertex_positions(animation, seconds);
        assert!(positions.as_flattened().iter().all(|it| it.is_finite()));
        file.vertex_positions_in_model(animation, seconds);
    }
    // Invalid UTF-8 becomes longer when it is replaced, and may then be too long to write.
    let document = AbcDocument::from(&file);
    if let Ok(written) = write_abc(&document) {
        assert_eq!(AbcDocument::from(&abc::parse(&written).unwrap()), document);
    }
}

/// The parser's part of `fuzz/fuzz_targets/dtx.rs`.
fn dtx_target(bytes: &[u8]) {
    let Ok(file) = dtx::parse(bytes) else { return };
    for (index, level) in file.levels.iter().enumerate() {
        let texels = level.width as usize * level.height as usize;
        for colors in [file.rgba(index), file.emissive(index)].iter().flatten() {
            assert_eq!(colors.len(), 4 * texels);
        }
    }
    let document = DtxDocument::from(&file);
    if let Ok(written) = write_dtx(&document) {
        assert_eq!(DtxDocument::from(&dtx::parse(&written).unwrap()), document);
    }
}

/// The parser's part of `fuzz/fuzz_targets/lgw.rs`.
fn lgw_target(bytes: &[u8]) {
    for tolerance in [Tolerance::Strict, Tolerance::Normal, Tolerance::Lenient] {
        let Ok(mut file) = parse_lgw(bytes, tolerance) else {
            continue;
        };
        assert_valid(&file);
        file.warnings.clear();
        // With lenient tolerance, the values may have invalid indices, which cannot be written.
        if let Ok(written) = write_lgw(&file) {
            let read = parse_lgw(&written, Tolerance::Strict).unwrap();
            let warnings = Vec::new();
            assert_eq!(LgwFile { warnings, ..read }, file);
        }
    }
}

/// The content of `fuzz/fuzz_targets/meg.rs`. Writers check that the written archives have the same files.
fn meg_target(bytes: &[u8]) {
    if let Ok(archive) = meg::open(bytes) {
        let _ = meg::write::write(1, &archive_files(&archive));
    }
}

/// The content of `fuzz/fuzz_targets/pak.rs`.
fn pak_target(bytes: &[u8]) {
    if let Ok(archive) = pak::open(bytes) {
        let _ = pak::write::write(&archive_files(&archive));
    }
}

/// The content of `fuzz/fuzz_targets/pk3.rs`.
fn pk3_target(bytes: &[u8]) {
    if let Ok(archive) = pk3::open(bytes) {
        let _ = pk3::write::write(&archive_files(&archive));
    }
}

/// The content of `fuzz/fuzz_targets/rez.rs`.
fn rez_target(bytes: &[u8]) {
    if let Ok(archive) = rez::open(bytes) {
        let _ = rez::write::write(&archive_files(&archive));
    }
}

/// The content of `fuzz/fuzz_targets/vfs.rs`.
fn vfs_target(bytes: &[u8]) {
    if let Ok(archive) = vfs::open(bytes) {
        let _ = vfs::write::write(&archive_files(&archive), |file| file.bytes.len() > 20);
    }
}

#[test]
fn regression_inputs_are_handled() {
    for_each_regression("mdl", mdl_target);
    for_each_regression("alo", alo_target);
    for_each_regression("ala", ala_target);
    for_each_regression("abc", abc_target);
    for_each_regression("dtx", dtx_target);
    for_each_regression("lgw", lgw_target);
    for_each_regression("meg", meg_target);
    for_each_regression("pak", pak_target);
    for_each_regression("pk3", pk3_target);
    for_each_regression("rez", rez_target);
    for_each_regression("vfs", vfs_target);
    for_each_regression("particles", particles_target);
}

#[test]
fn mutated_mdl_models_are_handled() {
    mutations::for_each_mdl(mdl_target);
}

#[test]
fn mutated_alo_models_are_handled() {
    mutations::for_each_alo(alo_target);
}

#[test]
fn mutated_ala_animations_are_handled() {
    mutations::for_each_ala(ala_target);
}

#[test]
fn mutated_particle_systems_are_handled() {
    mutations::for_each_particles(particles_target);
}

#[test]
fn mutated_systems_of_plugins_are_handled() {
    mutations::for_each_plugins(plugins_target);
}

#[test]
fn mutated_abc_models_are_handled() {
    mutations::for_each_abc(abc_target);
}

#[test]
fn mutated_lgw_models_are_handled() {
    mutations::for_each_lgw(lgw_target);
}

#[test]
fn mutated_meg_archives_are_handled() {
    mutations::for_each_meg(meg_target);
}

#[test]
fn mutated_pak_archives_are_handled() {
    mutations::for_each_pak(pak_target);
}

#[test]
fn mutated_pk3_archives_are_handled() {
    mutations::for_each_pk3(pk3_target);
}

#[test]
fn mutated_rez_archives_are_handled() {
    mutations::for_each_rez(rez_target);
}

#[test]
fn mutated_vfs_archives_are_handled() {
    mutations::for_each_vfs(vfs_target);
}
