//! Alamo particle systems: values of fixtures, round trips, write errors, and checks of real files.

use crate::prelude::*;
use classic_model_formats::particles::write::write;
use classic_model_formats::particles::{Key, Parent, PropertyValue, SpawnEvent, Track, parse};
use classic_models_fixtures::ala_malformed::File;
use classic_models_fixtures::particles::{edited, minimal, system};

fn without_warnings<'a>(bytes: &'a [u8]) -> ParticleFile<'a> {
    let file = parse(bytes).unwrap();
    assert_eq!(file.warnings, []);
    file
}

#[test]
fn parsed_systems_are_written_with_the_same_bytes() {
    for bytes in [minimal(), full()] {
        let file = without_warnings(&bytes);
        assert!(write(&file).unwrap() == bytes);
    }
}

#[test]
fn values_are_those_of_the_file() {
    let bytes = full();
    let file = without_warnings(&bytes);
    assert_eq!(
        (&*file.name, file.id, file.leave_particles),
        ("p_full", 7, false)
    );
    let [fire, trail, flash, stars] = &file.emitters[..] else {
        panic!("{} emitters", file.emitters.len());
    };
    assert_eq!((&*fire.name, &*trail.name), ("Fire", "Trail"));
    assert_eq!(
        fire.color_texture,
        "c:\\art\\textures\\p_particle_master.tga"
    );
    assert_eq!(
        (
            fire.secondary_texture.is_some(),
            trail.secondary_texture.clone()
        ),
        (true, None)
    );
    assert_eq!(trail.secondary_texture(), "p_particle_depth_master.tga");
    assert_eq!((flash.link_group, stars.link_group), (Some(1), None));

    let properties = &fire.properties;
    assert_eq!((properties.bursts, properties.particles_per_burst), (3, 4));
    assert_eq!(properties.acceleration, [0.5, 0.0, 1.0]);
    assert_eq!(properties.random_color, [0.25, 0.125, 0.0, -0.5]);
    assert_eq!((properties.index, stars.properties.index), (0, 3));
    assert_eq!(properties.unknown_49, 0xDEAD_BEEF);

    let radius = 2.0;
    assert_eq!(
        fire.position.shape(),
        Shape::Sphere {
            radius,
            surface: false
        }
    );
    assert_eq!(
        trail.position.shape(),
        Shape::Box([-1.0, 0.0, 1.0], [1.0, 2.0, 1.0])
    );
    assert_eq!(flash.position.shape(), Shape::Exact([0.0; 3]));
    assert_eq!(fire.lifetime.max, [0.0, 1.5, 0.0]);

    let key = |time, value| Key { time, value };
    let red = [
        key(0.0, 255.0),
        key(0.25, 128.0),
        key(0.25, 64.0),
        key(1.0, 0.0),
    ];
    assert_eq!(fire.tracks.red.keys, red);
    assert_eq!(fire.tracks.alpha.interpolation, Interpolation::Smooth);
    assert_eq!(fire.tracks.index.interpolation, Interpolation::Step);
    assert_eq!(fire.tracks.index.keys[1], key(0.5, 63.75));

    assert_eq!(
        (fire.spawn_on_death, fire.spawn_during_life),
        (Some(2), Some(1))
    );
    let parent = |event| Some(Parent { emitter: 0, event });
    assert_eq!([fire.parent, stars.parent], [None; 2]);
    assert_eq!(trail.parent, parent(SpawnEvent::Life));
    assert_eq!(flash.parent, parent(SpawnEvent::Death));
}

#[test]
fn mini_chunks_are_at_their_documented_types() {
    // Independent of the table of properties: types and bytes by hand.
    let bytes = full();
    let file = File(bytes);
    let body = |id| file.value("900/800/700/2", id) as usize;
    let float = |id: u8| f32::from_le_bytes(file.0[body(id)..body(id) + 4].try_into().unwrap());
    for (id, expected) in [
        (0x09, 3.0),
        (0x0B, -1.0),
        (0x0C, 2.0),
        (0x0F, 1.5),
        (0x13, 0.25),
    ] {
        assert_eq!(float(id), expected, "{id:#x}");
    }
    for (id, expected) in [(0x24, 0.125), (0x25, 0.25), (0x42, 3.0), (0x12, 0.5)] {
        assert_eq!(float(id), expected, "{id:#x}");
    }
    for (id, expected) in [
        (0x07, 1),
        (0x08, 0),
        (0x23, 1),
        (0x41, 1),
        (0x48, 0),
        (0x2F, 1),
    ] {
        assert_eq!(file.0[body(id)], expected, "{id:#x}");
    }
}

#[test]
fn absent_chunks_and_properties_have_defaults() {
    let bytes = full();
    let file = File(bytes);
    for (path, id) in [("900", 0), ("900", 1), ("900", 2)] {
        let bytes = file.without(path, id);
        let read = without_warnings(&bytes);
        match id {
            0 => assert_eq!(read.name, ""),
            1 => assert_eq!(read.id, 0),
            _ => assert!(read.leave_particles),
        }
    }
    let bytes = file.with("900/800/700.3/2", Vec::clear);
    let read = without_warnings(&bytes);
    assert_eq!(read.emitters[3].properties, Properties::of_index(3));
    assert_eq!(read.emitters[3].property_order.as_deref(), Some(&[][..]));
    let bytes = file.without("900/800/700", 0x36);
    let read = without_warnings(&bytes);
    assert_eq!(read.emitters[0].spawn_on_death, None);
    assert!(read.emitters.iter().all(|emitter| emitter.parent.is_none()));
}

#[test]
fn chunks_can_be_in_any_order() {
    let bytes = full();
    let expected = without_warnings(&bytes);
    for path in ["900", "900/800/700"] {
        let bytes = rearranged(&bytes, path, |chunks| chunks.reverse());
        let read = without_warnings(&bytes);
        assert_eq!(
            (&read.name, &read.emitters),
            (&expected.name, &expected.emitters)
        );
    }
}

#[test]
fn values_of_flawed_files_are_repaired() {
    let file = File(full());
    // The last of repeated properties counts. Any bool that is not 0 is true.
    let bytes = file.with("900/800/700/2", |data| data.extend([0x08, 1, 0x80]));
    let read = parse(&bytes).unwrap();
    assert!(read.emitters[0].properties.link_to_system);
    assert_eq!(read.warnings.len(), 1);
    let keys = file.body("900/800/700/1/1");
    let bytes = file.at_u32(keys + 2, 1000);
    assert_eq!(
        parse(&bytes).unwrap().emitters[0].tracks.red.keys[1].value,
        255.0
    );
    let interpolation = file.value("900/800/700/1/0.5", 4);
    let bytes = file.at_u32(interpolation, 9);
    let read = parse(&bytes).unwrap();
    assert_eq!(
        read.emitters[0].tracks.index.interpolation,
        Interpolation::Linear
    );
    // A chunk that only an editor writes, and an unknown chunk.
    let bytes = rearranged(&file.0, "900", |chunks| {
        chunks.push(classic_models_fixtures::alo::data(3, &[0; 9]));
    });
    assert_eq!(parse(&bytes).unwrap().emitters.len(), 4);
}

#[test]
fn properties_without_a_place_in_the_order_are_appended() {
    let bytes = edited(&full(), |file| {
        file.emitters[0].property_order = Some(vec![0x0F, 0x07, 0x99]);
        file.emitters[0]
            .properties
            .set(0x11, PropertyValue::F32(0.5));
    });
    let expected = full();
    let expected = &without_warnings(&expected).emitters[0];
    let read = without_warnings(&bytes);
    let read = &read.emitters[0];
    let order = read.property_order.as_deref().unwrap();
    assert_eq!(order[..2], [0x0F, 0x07]);
    assert!(order.contains(&0x26) && !order.contains(&0x3D) && !order.contains(&0x99));
    assert_eq!(read.properties.unknown_11, 0.5);
    let unknown_11 = 0.0;
    assert_eq!(
        Properties {
            unknown_11,
            ..read.properties.clone()
        },
        expected.properties
    );
}

#[test]
fn values_that_the_format_cannot_store_are_write_errors() {
    let error = |edit: &dyn Fn(&mut ParticleFile<'_>)| {
        let mut file = system(vec![emitter(Properties::default()), Emitter::new("second")]);
        edit(&mut file);
        write(&file).unwrap_err().to_string()
    };
    for (message, expected) in [
        (
            error(&|file| file.name = "a\0".into()),
            "0x900 / 0x0 cannot be stored",
        ),
        (
            error(&|file| file.emitters[1].color_texture = "a\0".into()),
            "0x900 / 0x800 / 0x700 emitter 1 \"second\" color texture cannot be stored",
        ),
        (
            error(&|file| file.emitters[0].properties.gravity = f32::NAN),
            "gravity is not a finite number",
        ),
        (
            error(&|file| file.emitters[0].tracks.red = Track::constant(1.5)),
            "track \"red\" value cannot be stored: a color must be a whole number",
        ),
        (
            error(&|file| file.emitters[0].tracks.scale.keys.truncate(1)),
            "track \"scale\" keys lacks a first key",
        ),
        (
            error(&|file| file.emitters[0].tracks.scale.keys[1].time = 0.5),
            "keys lacks",
        ),
        (
            error(&|file| {
                file.emitters[0].tracks.scale =
                    Track::linear(&[[0.0, 1.0], [0.5, 1.0], [0.4, 1.0], [1.0, 1.0]]);
            }),
            "time is not from the time of the key before it to 1",
        ),
        (
            error(&|file| file.emitters[0].position.shape = 9),
            "uses shape 9, but only 5 exist",
        ),
        (
            error(&|file| file.emitters[0].spawn_on_death = Some(0)),
            "emitter 0 / 0x36 cannot be stored: each link must name another emitter",
        ),
        (
            error(&|file| file.emitters[1].spawn_during_life = Some(2)),
            "emitter 1 / 0x36 cannot be stored",
        ),
    ] {
        assert!(
            message.contains(expected),
            "{message:?} does not contain {expected:?}"
        );
    }
}

#[test]
fn error_messages_begin_with_the_path_of_chunks() {
    let file = File(full());
    let at = file.value("900/800/700.2/2", 0x0F);
    let message = parse(&file.at_f32(at, f32::NAN)).unwrap_err().to_string();
    assert_eq!(
        message,
        format!(
            "ALO particles: 0x900 / 0x800 / 0x700 emitter 2 \"Flash\" / 0x2 lifetime at offset {at} \
             is not a finite number"
        )
    );
}

#[test]
fn serialized_keys_are_pairs() {
    let track = Track::linear(&[[0.0, 1.5], [1.0, 2.0]]);
    let json = serde_json::to_value(&track).unwrap();
    let keys = serde_json::json!([[0.0, 1.5], [1.0, 2.0]]);
    assert_eq!(
        json,
        serde_json::json!({ "interpolation": "linear", "keys": keys })
    );
}

#[test]
fn real_systems_are_written_with_the_same_bytes() {
    let files = corpus_particles("real_systems_are_written_with_the_same_bytes");
    let (mut identical, mut emitters) = (0, 0);
    let count = files.len();
    for (name, bytes) in files {
        let file = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        for warning in &file.warnings {
            println!("{name}: {warning}");
        }
        emitters += file.emitters.len();
        let written = write(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        // A third-party editor adds chunk 3 to the system.
        let expected = rearranged(&bytes, "900", |chunks| chunks.retain(|chunk| chunk.id != 3));
        assert!(written == expected, "{name}");
        identical += usize::from(written == bytes);
    }
    println!("{count} files, {emitters} emitters, {identical} written with identical bytes");
}
