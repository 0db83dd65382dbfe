//! The heap that parsing an Alamo animation takes, on files made to cost as much of it as they can.

use crate::heap::{alone, peak};
use crate::support::ala::{clean, minimal};
use crate::support::alo::{Body, data, place, rearranged};
use crate::support::{corpus, files_of};
use bevy_classic_models::alamo::ala::parse;

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
