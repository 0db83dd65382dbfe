//! The heap that LithTech models and pictures take while they are loaded, on files made to cost as much of it as they
//! can.

use crate::support::abc_adversarial::{adversarial_files, adversarial_textures, many_nodes};
use crate::support::heap::{HeapBudget, Loadable, measure_load, run_in_own_process};
use crate::support::{corpus, files_of};
use bevy::prelude::*;
use bevy_classic_models::lithtech::ConvertedAbc;
use bevy_classic_models::lithtech::abc::node_flags;
use bevy_classic_models::lithtech::{Abc, AbcLoaderSettings};
use bevy_classic_models::prelude::*;
use bevy_classic_models::texture::ClassicImageSettings;

/// The promise: so many times the file, and so much more.
const FACTOR: usize = 16;
const CONSTANT: usize = 1 << 20;
#[test]
fn loading_keeps_the_promise_on_heap() {
    run_in_own_process("abc::heap::loading_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loading_measured_alone() {
    let mut measured = HeapBudget::new(FACTOR, CONSTANT);
    for (name, bytes) in adversarial_files() {
        measure_load::<Abc>(&mut measured, &format!("{name}.abc"), bytes.clone(), |_| {});
        let separate_node_meshes =
            |settings: &mut AbcLoaderSettings| settings.separate_node_meshes = true;
        measure_load::<Abc>(
            &mut measured,
            &format!("{name}-rigid.abc"),
            bytes,
            separate_node_meshes,
        );
    }
    if let Some(folder) = corpus("loading_keeps_the_promise_on_heap") {
        for (name, bytes) in files_of(&folder, "abc") {
            measure_load::<Abc>(&mut measured, &name, bytes, |_: &mut AbcLoaderSettings| {});
        }
    }
    measured.finish();
}

#[test]
fn loading_pictures_keeps_the_promise_on_heap() {
    run_in_own_process("abc::heap::pictures_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn pictures_measured_alone() {
    let mut measured = HeapBudget::new(FACTOR, CONSTANT);
    let none = |_: &mut ClassicImageSettings| {};
    for (name, bytes) in adversarial_textures() {
        measure_load::<Image>(&mut measured, &name, bytes, none);
    }
    if let Some(folder) = corpus("loading_pictures_keeps_the_promise_on_heap") {
        for (name, bytes) in files_of(&folder, "dtx") {
            measure_load::<Image>(&mut measured, &name, bytes, none);
        }
    }
    measured.finish();
}

impl Loadable for Abc {
    type Settings = AbcLoaderSettings;
}

impl Loadable for Image {
    type Settings = ClassicImageSettings;
}

#[test]
fn what_would_be_too_many_meshes_is_left_out_and_told_of_once() {
    for (flags, separate_node_meshes, levels) in [
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
        let contents = ConvertedAbc::load(&bytes, &settings).unwrap();
        assert_eq!(contents.levels.len(), levels);
        let told = |text: &str| {
            let warnings = contents.warnings.iter();
            warnings.filter(|it| it.message.contains(text)).count()
        };
        assert_eq!(told("levels of detail"), usize::from(levels < 4));
        assert_eq!(told("stand still"), usize::from(deforms));
        let most = 64 + bytes.len() / 4096;
        assert_eq!(contents.deforms.len(), if deforms { most } else { 0 });
    }
}
