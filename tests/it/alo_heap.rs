//! The heap that parsing an Alamo model takes, on files made to cost as much of it as they can.

use crate::heap::{alone, peak};
use crate::support::alo::{
    Body, Raw, clean, corpus_alo, data, minimal, patched, place, rearranged, with_data,
};
use bevy_classic_models::alamo::alo::parse;

/// So many times the file, itself counted, leaves as much again to what is made of the model.
const FACTOR: usize = 8;
const CONSTANT: usize = 1 << 16;

#[test]
fn parsing_takes_little_heap() {
    alone("alo_heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by the test above, alone in its process"]
fn parsing_measured_alone() {
    let mut files = adversaries();
    files.extend(corpus_alo("parsing_takes_little_heap"));
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

const COUNT: usize = 30_000;

fn container(id: u32, chunks: Vec<Raw>) -> Raw {
    Raw {
        id,
        body: Body::Chunks(chunks),
    }
}

/// Each thing as often as a file of some length can have it, in as few bytes as it can be.
fn adversaries() -> Vec<(String, Vec<u8>)> {
    let floats = |count: usize| vec![0; 4 * count];
    let bone = |parent: i32| {
        let record = [&parent.to_le_bytes()[..], &floats(13)].concat();
        container(0x202, vec![data(0x203, &[]), data(0x205, &record)])
    };
    let submesh = [
        container(0x10100, vec![data(0x10101, &[])]),
        container(0x10000, vec![data(0x10001, &[0; 8])]),
    ];
    let mesh = container(0x400, vec![data(0x401, &[]), data(0x402, &floats(10))]);
    let light = container(0x1300, vec![data(0x1301, &[]), data(0x1302, &floats(9))]);
    let parameter = data(0x10105, &[1, 0, 2, 0]);
    let object = data(0x602, &[2, 4, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0]);
    let proxy = data(0x603, &[5, 0, 6, 4, 0, 0, 0, 0]);
    let dazzle = data(0, &[5, 0, 10, 4, 0, 0, 0, 0, 11, 0]);
    let dazzle = container(0x604, vec![dazzle]);

    let base = minimal();
    let many = |path: &str, at: usize, chunks: &[Raw]| {
        let chunks = chunks.iter().cycle().take(COUNT).cloned();
        rearranged(&base, path, |there| {
            let last = there.split_off(at.min(there.len()));
            there.extend(chunks);
            there.extend(last);
        })
    };
    let counted =
        |bytes: Vec<u8>, offset: u64, count: u32| patched(&bytes, offset, &count.to_le_bytes());
    let announced = |bytes: Vec<u8>, counts: [u32; 3]| {
        let mut minis = Vec::new();
        for (id, count) in [1, 4, 9].into_iter().zip(counts) {
            minis.extend([id, 4]);
            minis.extend(count.to_le_bytes());
        }
        with_data(&bytes, "600/601", |data| *data = minis)
    };
    let count = COUNT as u32;
    let bones = many("200", 9, &[bone(-1)]);
    let bones_at = place(&bones, "200/201").body;
    let submeshes = many("400", 9, &submesh);
    let submeshes_at = place(&submeshes, "400/402").body;
    let long_names = |byte: u8| {
        rearranged(&base, "400", |chunks| {
            chunks[0] = data(0x401, &vec![byte; 1 << 20]);
        })
    };
    let bone_names = rearranged(&base, "200", |chunks| {
        for _ in 0..1000 {
            let record = [&(-1_i32).to_le_bytes()[..], &floats(13)].concat();
            let name = data(0x203, &[0xff; 1000]);
            chunks.push(container(0x202, vec![name, data(0x205, &record)]));
        }
    });
    let bone_names_at = place(&bone_names, "200/201").body;
    let proxy_names = {
        let mini = [&[5, 255][..], &[0xff; 255], &[6, 4, 0, 0, 0, 0]].concat();
        announced(many("600", 9, &[data(0x603, &mini)]), [1, count, 0])
    };
    // Headers alone: what is not there must not be made room for.
    let hollow = |path, id| many(path, 9, &[container(id, Vec::new())]);
    let files = [
        ("clean", clean()),
        ("bones", counted(bones, bones_at, count + 1)),
        ("meshes", many("", 1, std::slice::from_ref(&mesh))),
        ("lights", many("", 1, std::slice::from_ref(&light))),
        ("meshes-and-lights", many("", 1, &[mesh, light])),
        ("submeshes", counted(submeshes, submeshes_at, 1 + count / 2)),
        ("parameters", many("400/10100", 9, &[parameter])),
        (
            "objects",
            announced(many("600", 9, &[object]), [1 + count, 0, 0]),
        ),
        (
            "proxies",
            announced(many("600", 9, &[proxy]), [1, count, 0]),
        ),
        (
            "dazzles",
            announced(many("600", 9, &[dazzle]), [1, 0, count]),
        ),
        ("unknown", many("", 1, &[data(0x7777, &[])])),
        ("long-name-not-utf8", long_names(0xff)),
        ("long-name-of-controls", long_names(1)),
        (
            "bone-names-not-utf8",
            counted(bone_names, bone_names_at, 1001),
        ),
        ("proxy-names-not-utf8", proxy_names),
        ("hollow-bones", hollow("200", 0x202)),
        ("hollow-meshes", hollow("", 0x400)),
        ("hollow-submeshes", hollow("400", 0x10000)),
        (
            "hollow-parameters",
            many("400/10100", 9, &[data(0x10106, &[])]),
        ),
        ("hollow-proxies", many("600", 9, &[data(0x603, &[])])),
        ("hollow-dazzles", hollow("600", 0x604)),
    ];
    let refused = |name: &str| name.starts_with("hollow");
    let files = files.map(|(name, bytes)| {
        match parse(&bytes) {
            Ok(_) => assert!(!refused(name), "{name}"),
            Err(error) => assert!(refused(name), "{name}: {error}"),
        }
        (name.to_owned(), bytes)
    });
    files.into()
}
