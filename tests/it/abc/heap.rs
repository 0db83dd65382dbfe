//! Peak heap while LithTech models and textures load, measured on files built to maximize it.

use crate::support::abc_adversarial::{
    adversarial_files, adversarial_textures, many_nodes, parse_outcome,
};
use crate::support::heap::{HeapBudget, Loadable, Outcome, measure_load, run_in_own_process};
use crate::support::{corpus, files_of};
use bevy::prelude::*;
use bevy_classic_models::lithtech::ConvertedAbc;
use bevy_classic_models::lithtech::abc::node_flags;
use bevy_classic_models::lithtech::{Abc, AbcLoaderSettings};
use bevy_classic_models::texture::ClassicImageSettings;

/// The heap limit in bytes: `FACTOR` × the file's size + `CONSTANT`.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;

#[test]
fn model_loads_stay_within_the_heap_limit() {
    run_in_own_process("abc::heap::model_loads_in_own_process");
}

#[test]
#[ignore = "run by the test above in its own process"]
fn model_loads_in_own_process() {
    let mut budget = HeapBudget::new(FACTOR, CONSTANT);
    for (name, bytes) in adversarial_files() {
        let expected = load_outcome(&name);
        for (suffix, is_separate) in [("", false), ("-separate", true)] {
            let set = move |settings: &mut AbcLoaderSettings| {
                settings.separate_node_meshes = is_separate;
            };
            let path = format!("{name}{suffix}.abc");
            measure_load::<Abc>(&mut budget, &path, bytes.clone(), expected, set);
        }
    }
    if let Some(folder) = corpus("model_loads_stay_within_the_heap_limit") {
        for (name, bytes) in files_of(&folder, "abc") {
            measure_load::<Abc>(&mut budget, &name, bytes, Outcome::Accepted, |_| {});
        }
    }
    budget.finish();
}

/// The outcome of loading an adversarial model.
fn load_outcome(name: &str) -> Outcome {
    // Exceeds the limits of the loader.
    match name.starts_with("too-many-") {
        true => Outcome::Rejected,
        false => parse_outcome(name),
    }
}

#[test]
fn texture_loads_stay_within_the_heap_limit() {
    run_in_own_process("abc::heap::texture_loads_in_own_process");
}

#[test]
#[ignore = "run by the test above in its own process"]
fn texture_loads_in_own_process() {
    let mut budget = HeapBudget::new(FACTOR, CONSTANT);
    let defaults = |_: &mut ClassicImageSettings| {};
    for (name, bytes) in adversarial_textures() {
        measure_load::<Image>(&mut budget, &name, bytes, Outcome::Accepted, defaults);
    }
    if let Some(folder) = corpus("texture_loads_stay_within_the_heap_limit") {
        for (name, bytes) in files_of(&folder, "dtx") {
            measure_load::<Image>(&mut budget, &name, bytes, Outcome::Accepted, defaults);
        }
    }
    budget.finish();
}

impl Loadable for Abc {
    type Settings = AbcLoaderSettings;
}

impl Loadable for Image {
    type Settings = ClassicImageSettings;
}

#[test]
fn meshes_over_the_limit_are_skipped_with_one_warning() {
    for (flags, separate_node_meshes, level_count) in [
        (0, false, 4),
        (0, true, 1),
        (node_flags::SCROLL_U, false, 1),
        (node_flags::DEFORMATION, false, 2),
    ] {
        let deforms = flags == node_flags::DEFORMATION;
        let bytes = many_nodes(255, flags);
        let settings = AbcLoaderSettings {
            separate_node_meshes,
            ..AbcLoaderSettings::default()
        };
        let converted = ConvertedAbc::load(&bytes, &settings).unwrap();
        assert_eq!(converted.levels.len(), level_count);
        let warning_count = |text: &str| {
            let warnings = converted.warnings.iter();
            warnings
                .filter(|warning| warning.message.contains(text))
                .count()
        };
        assert_eq!(
            warning_count("levels of detail"),
            usize::from(level_count < 4)
        );
        assert_eq!(warning_count("are not deformed"), usize::from(deforms));
        let limit = 64 + bytes.len() / 4096;
        assert_eq!(converted.deforms.len(), if deforms { limit } else { 0 });
    }
}
