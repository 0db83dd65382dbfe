//! The heap that an Alamo animation takes while it is loaded, on files made to cost as much of it as they can, and
//! what stays of it.

use crate::support::ala::{all_tracks, clean, every_track};
use crate::support::ala_adversarial::adversarial_files;
use crate::support::app::TestApp;
use crate::support::heap::{kept, peak, run_in_own_process};
use crate::support::{corpus, files_of};
use bevy_classic_models::alamo::ala::parse;
use bevy_classic_models::alamo::{Ala, clip};

/// The promise on loads: so many times the file, and so much more.
const LOAD_FACTOR: usize = 16;
const LOAD_CONSTANT: usize = 1 << 20;

#[test]
fn loads_of_animations_keep_the_promise_on_heap() {
    run_in_own_process("ala::heap::loads_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn loads_measured_alone() {
    let mut files = adversarial_files();
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
            _ = app.finish_load(&handle);
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
    run_in_own_process("ala::heap::clips_measured_alone");
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
