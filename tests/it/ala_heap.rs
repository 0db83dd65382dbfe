//! The heap that an Alamo animation takes while it is parsed and loaded, on files made to cost as much of
//! it as they can, and what stays of it.

use crate::heap::{alone, kept, peak};
use crate::support::ala::{all_tracks, clean, every_track, minimal};
use crate::support::alo::{Body, data, place, rearranged};
use crate::support::app::TestApp;
use crate::support::{corpus, files_of};
use bevy_classic_models::alamo::ala::parse;
use bevy_classic_models::alamo::{Ala, clip};

/// So many times the file, itself counted, leaves as much again to what is made of the animation.
const FACTOR: usize = 8;
const CONSTANT: usize = 1 << 16;
const COUNT: usize = 30_000;

#[test]
fn parsing_takes_little_heap() {
    alone("ala_heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn parsing_measured_alone() {
    let mut files = adversaries();
    if let Some(folder) = corpus("parsing_takes_little_heap") {
        files.extend(files_of(&folder, "ala"));
    }
    println!("{:32} {:>10} {:>8}", "file", "bytes", "× parsed");
    for (name, bytes) in files {
        let taken = peak(|| {
            // A file is in memory while it is parsed.
            let bytes = bytes.clone();
            let _ = parse(&bytes);
        });
        let factor = taken as f64 / bytes.len() as f64;
        println!("{name:32} {:10} {factor:8.2}", bytes.len());
        let allowed = FACTOR * bytes.len() + CONSTANT;
        assert!(taken <= allowed, "{name}: {taken} of {allowed} bytes");
    }
}

/// The promise on loads: so many times the file, and so much more.
const LOAD_FACTOR: usize = 16;
const LOAD_CONSTANT: usize = 1 << 20;

#[test]
fn loads_of_animations_keep_the_promise_on_heap() {
    alone("ala_heap::loads_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loads_measured_alone() {
    let mut files = adversaries();
    for version in [1, 2] {
        let bytes = all_tracks(version, 200, 300);
        files.push((format!("much-of-format-{version}"), bytes));
    }
    println!("{:32} {:>10} {:>8}", "file", "bytes", "× loaded");
    for (name, bytes) in files {
        let path: &'static str = format!("{name}.ala").leak();
        let mut app = TestApp::new(&[(path, bytes.clone())]);
        for _ in 0..8 {
            app.step(0.0);
        }
        let taken = peak(|| {
            let handle = app.load::<Ala>(path);
            app.finish_load(&handle);
            // The asset and its clip stay in the app, and are a part of the peak. Some are refused.
        });
        let factor = taken as f64 / bytes.len() as f64;
        println!("{name:32} {:10} {factor:8.2}", bytes.len());
        let promised = LOAD_FACTOR * bytes.len() + LOAD_CONSTANT;
        assert!(taken <= promised, "{name}: {taken} of {promised} bytes");
    }
}

/// Of a file larger than this what stays is hardly more than the file: all is packed as it is there.
const KEPT_FACTOR: f64 = 1.2;
const LARGE: usize = 2048;

#[test]
fn clips_stay_as_small_as_their_files() {
    alone("ala_heap::clips_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn clips_measured_alone() {
    // What is made once for all clips.
    let _ = clip(&parse(&clean(2)).unwrap());
    let mut files = Vec::new();
    for version in [1, 2] {
        // Fewer frames than real ones have leave nothing but what each bone takes by itself.
        for (bones, frames) in [(40, 2), (1, 60), (40, 60), (200, 30), (5, 1000)] {
            let name = format!("{bones} bones, {frames} frames, format {version}");
            files.push((name, all_tracks(version, bones, frames)));
        }
        let name = format!("32 kinds of bones, 60 frames, format {version}");
        files.push((name, every_track(version, 60)));
    }
    if let Some(folder) = corpus("clips_stay_as_small_as_their_files") {
        files.extend(files_of(&folder, "ala"));
    }
    println!("{:44} {:>8} {:>8} {:>6}", "file", "bytes", "kept", "×");
    let mut failures = Vec::new();
    for (name, bytes) in files {
        let kept = kept(|| clip(&parse(&bytes).unwrap()));
        let factor = kept as f64 / bytes.len() as f64;
        let row = format!("{name:44} {:8} {kept:8} {factor:6.2}", bytes.len());
        println!("{row}");
        let allowed = match name.contains(" 2 frames") {
            true => 2.0,
            false => KEPT_FACTOR,
        };
        if bytes.len() > LARGE && factor > allowed {
            failures.push(row);
        }
    }
    assert!(failures.is_empty(), "too much:\n{}", failures.join("\n"));
}

/// Format 1 or 2 with very many bones, and with as many chunks that say nothing.
fn adversaries() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for version in [1, 2] {
        let file = minimal(version);
        let header = place(&file, "1000/1001").header;
        assert_eq!(header, 8);
        let bones = rearranged(&file, "1000", |chunks| {
            let mut bone = chunks[1].clone();
            if let Body::Chunks(chunks) = &mut bone.body {
                chunks.truncate(1);
                if let Body::Data(record) = &mut chunks[0].body {
                    // No name.
                    let length = usize::from(record[1]);
                    record.drain(2..2 + length);
                    record[1] = 0;
                }
            }
            if let Body::Data(info) = &mut chunks[0].body {
                info[14..18].copy_from_slice(&(COUNT as u32 + 1).to_le_bytes());
            }
            chunks.extend(vec![bone; COUNT]);
        });
        assert_eq!(parse(&bones).unwrap().bones.len(), COUNT + 1);
        let hollow = rearranged(&file, "1000", |chunks| {
            let mut bone = chunks[1].clone();
            bone.body = Body::Chunks(Vec::new());
            chunks.splice(1..1, vec![bone; COUNT]);
        });
        let unknown = rearranged(&file, "1000", |chunks| {
            chunks.extend(vec![data(0x7777, &[]); COUNT]);
        });
        files.extend([
            (format!("format-{version}"), clean(version)),
            (format!("bones-of-format-{version}"), bones),
            (format!("hollow-bones-of-format-{version}"), hollow),
            (format!("unknown-chunks-of-format-{version}"), unknown),
        ]);
    }
    files
}
