//! Particle systems made of plug-ins: values of fixtures, round trips, write errors, and malformed files.

use crate::prelude::*;
use classic_model_formats::particles::is_particle_system;
use classic_model_formats::particles::plugins::write::{write, write_unchecked};
use classic_model_formats::particles::plugins::{
    PLUGINS, Plugin, PluginFile, Value, is_plugin_system, parse,
};
use classic_models_fixtures::ala_malformed::File;
use classic_models_fixtures::cpu_time::assert_cpu_time_grows_linearly;
use classic_models_fixtures::plugins::{
    burst, clean, emitter, every, every_plugin, minimal, plugin, system,
};
use classic_models_fixtures::plugins_adversarial;
use classic_models_fixtures::plugins_malformed::cases;

/// A file without its warnings, for comparison.
fn text(mut file: PluginFile<'_>) -> String {
    file.warnings.clear();
    format!("{file:?}")
}

#[test]
fn every_parameter_of_every_plugin_is_written_and_read() {
    let file = every_plugin();
    let bytes = write(&file).unwrap();
    let read = parse(&bytes).unwrap();
    let plugins = read.emitters.iter().flat_map(|emitter| {
        let single = [
            &emitter.creator,
            &emitter.translator,
            &emitter.killer,
            &emitter.renderer,
        ];
        single.into_iter().chain(&emitter.modifiers)
    });
    let plugins: HashMap<u32, &Plugin<'_>> = plugins.map(|it| (it.id, it)).collect();
    for kind in &PLUGINS {
        let found = plugins[&kind.id].parameters.len();
        assert_eq!(found, kind.parameters().count(), "{}", kind.name);
    }
    assert_eq!(write(&read).unwrap(), bytes);
    // One warning for each plug-in that is not evaluated fully.
    let limited = PLUGINS.iter().filter(|kind| kind.limit.is_some()).count();
    assert_eq!(read.warnings.len(), limited, "{:?}", read.warnings);
    assert_eq!(text(read), text(file));
}

#[test]
fn values_are_those_of_the_file() {
    let bytes = clean();
    let file = parse(&bytes).unwrap();
    assert_eq!(file.warnings, []);
    let emitter = &file.emitters[0];
    assert_eq!(
        (&*emitter.name, emitter.creator.name()),
        ("emitter 0", "point")
    );
    assert_eq!(emitter.creator.get("speed"), Some(&Value::F32(7.5)));
    assert_eq!(emitter.creator.get("no such parameter"), None);
    assert_eq!(plugin("point", []).get("speed"), None);
    assert!(is_plugin_system(&bytes) && !is_particle_system(&bytes));
    assert!(!is_plugin_system(&full()) && is_particle_system(&full()));
}

#[test]
fn documents_have_the_names_of_the_table() {
    let file = every_plugin();
    let document = serde_json::to_string(&file).unwrap();
    assert!(document.contains(r#""plugin":"shape""#), "{document}");
    assert!(
        document.contains(r#"["spawn_interval",{"f32":"#),
        "{document}"
    );
    let read: PluginFile<'_> = serde_json::from_str(&document).unwrap();
    assert_eq!(text(read), text(file));
    let unknown = system([emitter("a", Plugin::new(99), 1.0, [])]);
    let document = serde_json::to_string(&unknown).unwrap();
    assert!(document.contains(r#""plugin":"99""#), "{document}");
    let read: PluginFile<'_> = serde_json::from_str(&document).unwrap();
    assert_eq!(text(read), text(unknown));
    for (document, expected) in [
        (r#"{"plugin":"shapes"}"#, "there is no plug-in \"shapes\""),
        (
            r#"{"plugin":"shape","parameters":[["speed",{"f32":1.0}]]}"#,
            "has no parameter \"speed\"",
        ),
        (
            r#"{"plugin":"point","parameters":[["speed",{"bool":true}]]}"#,
            "has no parameter \"speed\" of this type",
        ),
    ] {
        let error = serde_json::from_str::<Plugin<'_>>(document).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}

#[test]
fn values_that_cannot_be_stored_are_errors() {
    let with = |plugin: Plugin<'static>| write(&system([emitter("a", plugin, 1.0, [])]));
    let mut twice = plugin("shape", burst(1.0));
    twice.parameters.push(twice.parameters[0].clone());
    let mut unknown = plugin("shape", []);
    unknown.parameters.push((77, Value::F32(1.0)));
    let mut wrong = plugin("shape", []);
    wrong.parameters.push((100, Value::Bool(true)));
    let nul = Value::Text("a\0b".into());
    for (plugin, expected) in [
        (twice, "a parameter has two values"),
        (unknown, "no parameter of this identifier and type"),
        (wrong, "no parameter of this identifier and type"),
        (plugin("billboard", []), "another role"),
        (plugin("death", [("parent_name", nul)]), "NUL"),
        (
            plugin("shape", [("spawn_interval", Value::F32(f32::NAN))]),
            "is not a finite number",
        ),
    ] {
        let error = with(plugin).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(error.contains("emitter 0 \"a\""), "{error}");
    }
}

#[test]
fn every_class_gives_an_error_or_a_warning_at_the_right_offset() {
    let cases = cases();
    let classes = [1, 2, 4, 5, 6, 7, 12, 13, 14];
    let own = [101, 102, 103, 104, 105, 110, 111, 112, 113, 114, 115];
    assert_classes(&cases, classes.into_iter().chain(own));
    assert_parsed(
        Format::Particles,
        &cases,
        |bytes| Ok(parse(bytes)?.warnings),
    );
}

#[test]
fn truncation_at_every_byte_is_an_error() {
    let files = [minimal(), clean()];
    assert_cuts_are_errors(files, cases(), truncated, |bytes| parse(bytes).map(drop));
}

#[test]
fn flipped_bits_never_panic() {
    let torus = emitter("Ring", plugin("torus", []), 1.0, [plugin("vortex", [])]);
    let files = [minimal(), write(&system([torus])).unwrap()];
    for_each_flipped_bit(files, |bytes| {
        let Ok(file) = parse(bytes) else {
            return false;
        };
        let written = write(&file).unwrap();
        assert_eq!(text(parse(&written).unwrap()), text(file));
        true
    });
}

#[test]
fn removed_emptied_and_doubled_chunks_never_panic() {
    for_each_damage(&parse_chunks(&every()), &|chunks| {
        if let Ok(file) = parse(&write_chunks(&chunks)) {
            write_unchecked(&file);
        }
    });
}

#[test]
fn parsing_time_grows_with_the_file() {
    let files = [1, 4].map(plugins_adversarial::files);
    for ((name, small), (_, large)) in files[0].iter().zip(&files[1]) {
        let run = |bytes: &[u8]| drop(parse(bytes));
        assert_cpu_time_grows_linearly(name, || run(small), || run(large));
    }
}

#[test]
fn other_files_are_named() {
    for (id, expected) in [(0x900, "version 1"), (0x200, "an Alamo model (ALO)")] {
        let bytes = File(minimal()).at_u32(0, id);
        let error = parse(&bytes).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}
