//! `inspect` on Alamo particle systems.

use crate::{inspect, lines};
use bevy_classic_models::alamo::particles::plugins::PLUGINS;
use bevy_classic_models::alamo::particles::write::write_unchecked;
use bevy_classic_models::alamo::particles::{Interpolation, Properties, Shape, Track};
use classic_models_fixtures::corpus::{corpus, paths_of};
use classic_models_fixtures::particles::{bytes, emitter, full, minimal, system};
use classic_models_fixtures::plugins::{every, minimal as minimal_plugins};
use serde_json::{Value, json};
use std::path::Path;

fn save(folder: &Path, name: &str, bytes: &[u8]) -> String {
    let path = folder.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

fn track(interpolation: &str, keys: &Value) -> Value {
    json!({ "interpolation": interpolation, "keys": keys })
}

/// The properties of an emitter with defaults, by their types: in two parts, because of the macro's recursion limit.
fn default_properties() -> [Value; 2] {
    let first = json!({
        "blend_mode": 1, "primitive": 1, "unknown_06": 0, "in_bursts": false, "link_to_system": false,
        "outward_speed": 0.0, "acceleration": [0.0, 0.0, 0.0], "outward_acceleration": 0.0, "gravity": 0.0,
        "lifetime": 1.0, "texture_elements": 64, "unknown_11": 0.0, "random_scale": 0.0,
        "random_lifetime": 0.0, "index": 0, "unknown_15": true, "rotation_variance": 0.0,
        "random_rotation_direction": false, "initial_delay": 0.0, "burst_delay": 1.0,
        "particles_per_burst": 1, "bursts": 0, "emitter_speed": 0.0, "particles_per_second": 1,
    });
    let second = json!({
        "unknown_2b": false, "random_color": [0.0, 0.0, 0.0, 0.0], "random_color_is_gray": false,
        "flat": false, "ground": 0, "bounciness": 0.2, "affected_by_wind": false, "freeze_time": 0.0,
        "skip_time": 0.0, "emit_mode": 0, "object_space_acceleration": false, "heat": false,
        "emit_offset": 0.5, "weather": false, "weather_cube_size": 500.0, "unknown_3f": 50.0,
        "weather_fade_distance": 100.0, "has_tail": false, "tail_size": 50.0,
        "uses_emitter_speed": false, "wind_disturbance": false, "no_depth_test": false,
        "weather_cube_distance": 0.0, "fixed_rotation": false, "unknown_49": 0,
    });
    [first, second]
}

#[test]
fn json_has_all_values_of_a_system() {
    let folder = tempfile::tempdir().unwrap();
    // The content determines the format, whatever the extension.
    let path = save(folder.path(), "default", &minimal());
    let output = inspect(&["--json", &path]);
    assert_eq!(output.status.code(), Some(0));
    let white = track("linear", &json!([[0.0, 255.0], [1.0, 255.0]]));
    let zero = json!([[0.0, 0.0], [1.0, 0.0]]);
    let [mut emitter, second] = default_properties();
    let others = json!({
        "name": "emitter", "color_texture": "p_particle_master.tga",
        "secondary_texture": "p_particle_depth_master.tga",
        "velocity": {"shape": "exact", "value": [0.0, 0.0, 0.0]},
        "position": {"shape": "exact", "value": [0.0, 0.0, 0.0]},
        "tracks": {
            "red": white, "green": white, "blue": white, "alpha": white,
            "scale": track("linear", &json!([[0.0, 20.0], [1.0, 20.0]])),
            "index": track("step", &zero), "rotation_speed": track("linear", &zero),
        },
        "spawn_on_death": null, "spawn_during_life": null, "parent": null, "parent_event": null,
        "max_alive": 2,
    });
    let all = emitter.as_object_mut().unwrap();
    for more in [second, others] {
        all.extend(more.as_object().unwrap().clone());
    }
    assert_eq!(
        lines(&output),
        [json!({
            "file": path, "ok": true, "format": "alo-particles", "version": 1, "name": "p_test", "id": 0,
            "leave_particles": true, "emitters": [emitter], "warnings": [],
        })]
    );
}

#[test]
fn json_has_shapes_links_and_values_as_stored() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "p_full.alo", &full());
    let output = inspect(&["--json", &path]);
    let object = &lines(&output)[0];
    assert_eq!(
        (&object["name"], &object["id"]),
        (&json!("p_full"), &json!(7))
    );
    assert_eq!(object["leave_particles"], false);
    let [fire, trail, flash, stars] = [0, 1, 2, 3].map(|index| &object["emitters"][index]);
    assert_eq!(
        fire["color_texture"],
        "c:\\art\\textures\\p_particle_master.tga"
    );
    assert_eq!(trail["secondary_texture"], "p_particle_depth_master.tga");
    assert_eq!(
        fire["position"],
        json!({"shape": "sphere", "radius": 2.0, "surface": false})
    );
    let cylinder = json!({"shape": "cylinder", "radius": 1.0, "height": 8.0, "surface": true});
    assert_eq!(fire["velocity"], cylinder);
    let cuboid = json!({"shape": "box", "min": [-1.0, 0.0, 1.0], "max": [1.0, 2.0, 1.0]});
    assert_eq!(trail["position"], cuboid);
    assert_eq!(trail["velocity"], json!({"shape": "cube", "side": 4.0}));
    let alpha = track("smooth", &json!([[0.0, 0.0], [0.5, 255.0], [1.0, 0.0]]));
    assert_eq!(fire["tracks"]["alpha"], alpha);
    assert_eq!(
        [&fire["spawn_on_death"], &fire["spawn_during_life"]],
        [2, 1]
    );
    assert_eq!(fire["parent"], Value::Null);
    assert_eq!(
        (&trail["parent"], &trail["parent_event"]),
        (&json!(0), &json!("life"))
    );
    assert_eq!(
        (&flash["parent"], &flash["parent_event"]),
        (&json!(0), &json!("death"))
    );
    // 3 bursts of 4; 20 per second for 0.5 s; one burst of 2; 50 per second for 1 s.
    let max_alive = [fire, trail, flash, stars].map(|emitter| &emitter["max_alive"]);
    assert_eq!(max_alive, [12, 11, 2, 51]);
}

#[test]
fn flawed_values_are_printed_as_stored_and_dropped_links_are_null() {
    let folder = tempfile::tempdir().unwrap();
    let mut flawed = emitter(Properties {
        blend_mode: 15,
        bursts: -9,
        random_lifetime: 2.0,
        skip_time: -1.0,
        ..Properties::default()
    });
    flawed.position = Shape::Box([1.0; 3], [0.0; 3]).into();
    flawed.spawn_on_death = Some(0);
    let file = write_unchecked(&system(vec![flawed]));
    let path = save(folder.path(), "flawed.alo", &file);
    let object = &lines(&inspect(&["--json", &path]))[0];
    let emitter = &object["emitters"][0];
    assert_eq!(
        (&emitter["blend_mode"], &emitter["bursts"]),
        (&json!(15), &json!(-9))
    );
    assert_eq!(
        (&emitter["random_lifetime"], &emitter["skip_time"]),
        (&json!(2.0), &json!(-1.0))
    );
    assert_eq!(emitter["position"]["min"], json!([1.0, 1.0, 1.0]));
    assert_eq!(emitter["spawn_on_death"], Value::Null);
    assert_eq!(object["warnings"].as_array().unwrap().len(), 6, "{object}");
}

#[test]
fn malformed_systems_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let full = full();
    let paths = [
        save(folder.path(), "cut.alo", &full[..300]),
        save(folder.path(), "p_uaw.alo", &every()[..300]),
        save(folder.path(), "good.alo", &full),
    ];
    let mut args = vec!["--json"];
    args.extend(paths.iter().map(String::as_str));
    let output = inspect(&args);
    assert_eq!(output.status.code(), Some(1));
    let objects = lines(&output);
    assert_eq!(
        [0, 1, 2].map(|index| objects[index]["ok"].clone()),
        [false, false, true]
    );
    let message = |index: usize| objects[index]["error"]["message"].as_str().unwrap();
    assert!(
        message(0).starts_with("ALO particles: chunk 0x900 at offset 8 "),
        "{}",
        message(0)
    );
    assert!(
        message(1).starts_with("ALO particles: chunk 0x1500 at offset 8 "),
        "{}",
        message(1)
    );
}

#[test]
fn systems_of_plugins_have_all_parameters_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "p_uaw.alo", &minimal_plugins());
    let output = inspect(&["--json", "--simulate", "0.55", &path]);
    assert_eq!(output.status.code(), Some(0));
    let parameters =
        |name: &str, parameters: Value| json!({ "plugin": name, "parameters": parameters });
    let oldest = json!({
        "age": 0.55, "position": [0.0, 0.0, 0.0], "velocity": [0.0, 0.0, 0.0], "size": 2.0,
        "color": [1.0, 1.0, 1.0, 1.0], "turns": 0.0, "texture_part": [0.0, 0.0, 1.0, 1.0], "aspect": 1.0,
    });
    let state = json!({ "alive": 6, "mean_position": [0.0, 0.0, 0.0], "oldest": oldest });
    let emitter = json!({
        "name": "Smoke",
        "creator": parameters("shape", json!({ "particles_per_interval": 10.0, "spawn_interval": 1.0 })),
        "translator": parameters("world", json!({})),
        "killer": parameters("age", json!({ "lifetime": 1.0, "spawn_on_age": true })),
        "renderer": parameters(
            "billboard",
            json!({ "texture": "p_smoke.tga", "shader": "PrimAlpha.fx" }),
        ),
        "modifiers": [], "parent": null, "parent_event": null, "max_alive": 11,
    });
    assert_eq!(
        lines(&output),
        [json!({
            "file": path, "ok": true, "format": "alo-particles", "version": 2, "name": "p_test",
            "emitters": [emitter], "light_field": null, "unknown_1": null, "unknown_2": null,
            "simulated": [{ "time": 0.55, "emitters": [state] }], "warnings": [],
        })]
    );
    let text = String::from_utf8(inspect(&["--simulate", "0.55", &path]).stdout).unwrap();
    let expected = "  Alamo particle system p_test of plug-ins
  emitter 0 Smoke
    shape: 10 particles per second, 1 s, stay in the world
    at most 11 particles, billboard: blend mode 2, p_smoke.tga
  particles of each emitter at 0.55 s: 6
";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn every_plugin_is_described() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "p_every.alo", &every());
    let output = inspect(&["--json", &path]);
    let object = &lines(&output)[0];
    let emitters = object["emitters"].as_array().unwrap();
    let roles = ["creator", "translator", "killer", "renderer"];
    let plugins = emitters.iter().flat_map(|emitter| {
        let modifiers = emitter["modifiers"].as_array().unwrap().iter();
        roles.iter().map(|role| &emitter[*role]).chain(modifiers)
    });
    let names: std::collections::BTreeSet<&str> = plugins
        .map(|plugin| plugin["plugin"].as_str().unwrap())
        .collect();
    assert_eq!(names.len(), PLUGINS.len());
    assert_eq!(object["light_field"]["particles"], 9);
    let text = String::from_utf8(inspect(&[&path]).stdout).unwrap();
    assert!(text.contains("modifiers: linear_size, "), "{text}");
    assert!(text.contains(": not drawn"), "{text}");
}

/// A burst of two particles that rise, and a stream that begins later.
fn rising() -> Vec<u8> {
    let mut rising = emitter(Properties {
        in_bursts: true,
        bursts: 1,
        particles_per_burst: 2,
        lifetime: 2.0,
        gravity: -1.0,
        random_color: [0.0, 0.0, 0.0, -1.0],
        ..Properties::default()
    });
    rising.position = Shape::Exact([1.0, 0.0, 0.0]).into();
    rising.velocity = Shape::Exact([0.0, 2.0, 0.0]).into();
    rising.tracks.red = Track::linear(&[[0.0, 255.0], [1.0, 0.0]]);
    rising.tracks.alpha = Track::constant(0.0);
    rising.tracks.scale = Track::linear(&[[0.0, 10.0], [1.0, 20.0]]);
    let index = Track::linear(&[[0.0, 63.0], [0.25, 65.5], [1.0, 0.0]]);
    rising.tracks.index = index.with(Interpolation::Step);
    rising.tracks.rotation_speed = Track::constant(0.5);
    let later = emitter(Properties {
        particles_per_second: 4,
        initial_delay: 0.75,
        ..Properties::default()
    });
    bytes(vec![rising, later])
}

#[test]
fn simulated_systems_have_the_oldest_particle_of_each_emitter() {
    let folder = tempfile::tempdir().unwrap();
    let path = save(folder.path(), "p_rising.alo", &rising());
    let output = inspect(&["--json", "--simulate", "0.5,1", "--simulate", "9", &path]);
    assert_eq!(output.status.code(), Some(0));
    let object = &lines(&output)[0];
    assert_eq!(object["format"], "alo-particles");
    let none = json!({"alive": 0, "mean_position": null, "oldest": null});
    assert_eq!(
        object["simulated"][0],
        json!({"time": 0.5, "emitters": [
            {
                "alive": 2, "mean_position": [1.0, 1.0, 0.125],
                "oldest": {
                    "age": 0.5, "position": [1.0, 1.0, 0.125], "velocity": [0.0, 2.0, 0.5],
                    "size": 12.5, "color": [0.75, 1.0, 1.0, 0.0], "tile": 1, "turns": 0.25,
                },
            },
            none,
        ]})
    );
    let later = &object["simulated"][1]["emitters"][1];
    assert_eq!(
        (&later["alive"], &later["oldest"]["age"]),
        (&json!(2), &json!(0.25))
    );
    assert_eq!(object["simulated"][2]["emitters"][0], none);
    assert_eq!(object["simulated"][2]["emitters"][1]["alive"], 4);
    assert_eq!(object["simulated"].as_array().unwrap().len(), 3);

    let text = inspect(&["--simulate", "0.5", &path]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(
        text.contains("particles of each emitter at 0.5 s: 2, 0"),
        "{text}"
    );
}

#[test]
fn times_with_too_many_particles_have_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let burst = emitter(Properties {
        in_bursts: true,
        bursts: 1,
        particles_per_burst: 40_000,
        ..Properties::default()
    });
    let path = save(
        folder.path(),
        "p_huge.alo",
        &bytes(vec![burst.clone(), burst]),
    );
    let warning = "at 0.5 s more than 65536 particles: the others are missing";
    let output = inspect(&["--json", "--simulate", "0.5,2", &path]);
    assert_eq!(output.status.code(), Some(0));
    let object = &lines(&output)[0];
    assert_eq!(object["warnings"], json!([warning]));
    let alive = |time: usize| {
        let emitters = &object["simulated"][time]["emitters"];
        [0, 1].map(|emitter| emitters[emitter]["alive"].as_u64())
    };
    assert_eq!(alive(0), [Some(40_000), Some(25_536)]);
    assert_eq!(alive(1), [Some(0), Some(0)]);

    let text = inspect(&["--simulate", "0.5,2", &path]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("at 0.5 s: 40000, 25536\n"), "{text}");
    assert!(text.contains(&format!("warning: {warning}\n")), "{text}");
}

#[test]
fn every_real_system_is_simulated() {
    let Some(folder) = corpus("every_real_system_is_simulated") else {
        return;
    };
    let paths = paths_of(&folder, "alo").into_iter().filter(|path| {
        let bytes = std::fs::read(path).unwrap();
        bytes.starts_with(&0x900_u32.to_le_bytes())
    });
    let paths: Vec<_> = paths.map(|path| path.display().to_string()).collect();
    if paths.is_empty() {
        println!("every_real_system_is_simulated: skipped, no particle system in the corpus");
        return;
    }
    let mut args = vec!["--json", "--simulate", "0,0.5,10"];
    args.extend(paths.iter().map(String::as_str));
    let output = inspect(&args);
    assert_eq!(output.status.code(), Some(0));
    let objects = lines(&output);
    assert_eq!(objects.len(), paths.len());
    let has_particles = |object: &Value| {
        let times = object["simulated"].as_array().unwrap().iter();
        let mut emitters = times.flat_map(|time| time["emitters"].as_array().unwrap());
        emitters.any(|emitter| emitter["alive"].as_u64() > Some(0))
    };
    assert!(objects.iter().all(has_particles));
}
