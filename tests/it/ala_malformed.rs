//! The promise on bad Alamo animations: every class, with its kind and offset; truncation; bit flips.

use crate::support::ala::{clean, edited, minimal, small};
use crate::support::alo::{
    Body, Raw, all_chunks, data, mini, minis, nest, patched, place, put_together, rearranged,
    taken_apart, with_data,
};
use bevy_classic_models::alamo::ala::write::{AlaDocument, write};
use bevy_classic_models::alamo::ala::{AlaFile, MAX_FRAMES, parse};
use bevy_classic_models::read::ErrorKind;

/// What must become of a bad file.
enum Expect {
    /// It is refused: for this reason, at this offset.
    Reject(fn(&ErrorKind) -> bool, u64),
    /// It loads, with one warning that contains this, at this offset.
    Warn(&'static str, u64),
    /// It loads without a word.
    Silent,
}
use Expect::{Reject, Silent, Warn};

struct Case {
    /// Number of the class in the list of malformed inputs.
    class: u32,
    name: String,
    bytes: Vec<u8>,
    expect: Expect,
}

fn case(class: u32, name: impl Into<String>, bytes: Vec<u8>, expect: Expect) -> Case {
    Case {
        class,
        name: name.into(),
        bytes,
        expect,
    }
}

macro_rules! kinds {
    ($($name:ident: $pattern:pat,)*) => {
        $(fn $name(kind: &ErrorKind) -> bool {
            matches!(kind, $pattern)
        })*
    };
}

kinds! {
    truncated: ErrorKind::Truncated { .. },
    magic: ErrorKind::WrongMagic { .. },
    bad_count: ErrorKind::BadCount { .. },
    mismatch: ErrorKind::CountMismatch { .. },
    wrong_length: ErrorKind::WrongLength { .. },
    wrong_kind: ErrorKind::WrongChunkKind { .. },
    too_deep: ErrorKind::TooDeep { limit: 16 },
    not_finite: ErrorKind::NotFinite,
    not_positive: ErrorKind::NotPositive,
    not_multiple: ErrorKind::NotMultiple { .. },
    missing: ErrorKind::Missing { .. },
    bad_word: ErrorKind::IndexOutOfRange { element: "word", .. },
}

/// A file, and what is done to it.
struct File(Vec<u8>);

impl File {
    fn at(&self, offset: u64, by: &[u8]) -> Vec<u8> {
        patched(&self.0, offset, by)
    }

    fn at_u32(&self, offset: u64, value: u32) -> Vec<u8> {
        self.at(offset, &value.to_le_bytes())
    }

    fn at_f32(&self, offset: u64, value: f32) -> Vec<u8> {
        self.at(offset, &value.to_le_bytes())
    }

    fn with(&self, path: &str, edit: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        with_data(&self.0, path, edit)
    }

    /// Where the value of a mini-chunk is.
    fn value(&self, path: &str, id: u8) -> u64 {
        mini(&self.0, path, id) + 2
    }

    fn body(&self, path: &str) -> u64 {
        place(&self.0, path).body
    }

    /// Without one of the mini-chunks of a chunk.
    fn without_mini(&self, path: &str, id: u8) -> Vec<u8> {
        let at = (mini(&self.0, path, id) - self.body(path)) as usize;
        self.with(path, |data| {
            let end = at + 2 + usize::from(data[at + 1]);
            data.drain(at..end);
        })
    }

    fn without(&self, path: &str, id: u32) -> Vec<u8> {
        rearranged(&self.0, path, |chunks| {
            chunks.retain(|chunk| chunk.id != id)
        })
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for version in [1, 2] {
        let file = File(clean(version));
        cases.extend(file_cases(&file));
        cases.extend(chunk_cases(&file));
        cases.extend(mini_cases(&file));
        cases.extend(text_cases(&file));
        cases.extend(info_cases(&file));
        cases.extend(bone_cases(&file));
        cases.extend(bit_cases(&file));
    }
    cases.extend(own_track_cases());
    cases.extend(block_cases());
    cases
}

fn file_cases(file: &File) -> Vec<Case> {
    let bytes = &file.0;
    let end = bytes.len() as u64;
    let with = |tail: &[u8]| [&bytes[..], tail].concat();
    let mut cases = vec![
        case(1, "empty", vec![], Reject(truncated, 0)),
        case(1, "three bytes", bytes[..3].to_vec(), Reject(truncated, 0)),
        case(1, "a type", bytes[..4].to_vec(), Reject(truncated, 0)),
        case(1, "a header", bytes[..8].to_vec(), Reject(truncated, 8)),
        case(
            1,
            "an empty animation",
            [&bytes[..4], &[0, 0, 0, 0x80]].concat(),
            Reject(missing, 8),
        ),
        case(4, "a trailing byte", with(b"!"), Warn("1 bytes after", end)),
        case(4, "a text", with(b"and more"), Warn("8 bytes after", end)),
        case(4, "ones", with(&[0xff; 30]), Warn("30 bytes after", end)),
        case(4, "zeros", with(&[0; 8]), Warn("unknown chunk 0x0", end)),
        case(
            4,
            "a second animation that was cut off",
            with(&bytes[..60]),
            Reject(truncated, end + 8),
        ),
        case(14, "two animations", with(bytes), Reject(mismatch, end)),
    ];
    for (id, said) in [
        (0x200, "Alamo model (ALO)"),
        (0x400, "Alamo model (ALO)"),
        (0x900, "Alamo particle system (version 1)"),
        (0x1500, "Alamo particle system (version 2)"),
        (0x1001, "\\x01\\x10\\x00\\x00"),
        (u32::from_le_bytes(*b"IDPO"), "IDPO"),
        (u32::from_le_bytes(*b"\x89HDF"), "\\x89HDF"),
    ] {
        let bytes = file.at_u32(0, id);
        let message = parse(&bytes).unwrap_err().to_string();
        assert!(message.contains(said), "{message}");
        cases.push(case(2, said, bytes, Reject(magic, 0)));
    }
    cases
}

fn chunk_cases(file: &File) -> Vec<Case> {
    let bytes = &file.0;
    let mut cases = Vec::new();
    for path in ["1000", "1000/1002", "1000/1002.31"] {
        let inside = path.split('/').count();
        let end = place(bytes, path).end;
        let unknown = |chunk: Raw| rearranged(bytes, path, |chunks| chunks.push(chunk));
        cases.extend([
            case(
                5,
                format!("unknown chunk in {path}"),
                unknown(data(0x7777, b"what")),
                Warn("unknown chunk 0x7777", end),
            ),
            case(
                12,
                format!("as deep as may be, in {path}"),
                unknown(nest(16 - inside)),
                Warn("unknown chunk 0x7777", end),
            ),
            case(
                12,
                format!("deeper than may be, in {path}"),
                unknown(nest(17 - inside)),
                Reject(too_deep, end + 8 * (16 - inside as u64)),
            ),
        ]);
        // The last chunk of a container: one byte more than the container has, and far more.
        let place = place(bytes, path);
        let inner = all_chunks(bytes)
            .into_iter()
            .rfind(|(_, inner, _)| inner.end == place.end && inner.header >= place.body);
        let (_, inner, is_container) = inner.unwrap();
        let bit = u32::from(is_container) << 31;
        let length = (inner.end - inner.body) as u32;
        for longer in [length + 1, (1 << 31) - 1] {
            cases.push(case(
                10,
                format!("{longer} bytes in {path}"),
                file.at_u32(inner.header + 4, longer | bit),
                Reject(truncated, inner.body),
            ));
        }
    }
    for (id, place, is_container) in all_chunks(bytes) {
        let mark = bytes[place.header as usize + 7] ^ 0x80;
        cases.push(case(
            11,
            format!("chunk {id:#x} with is_container {}", !is_container),
            file.at(place.header + 7, &[mark]),
            Reject(wrong_kind, place.header),
        ));
    }
    let end = bytes.len() as u64;
    let deep = |depth| rearranged(bytes, "", |chunks| chunks.push(nest(depth)));
    cases.extend([
        case(12, "16 deep", deep(16), Warn("unknown chunk", end)),
        case(12, "17 deep", deep(17), Reject(too_deep, end + 16 * 8)),
        case(12, "5000 deep", deep(5000), Reject(too_deep, end + 16 * 8)),
        case(
            10,
            "the whole file as one chunk",
            file.at_u32(4, u32::MAX),
            Reject(truncated, 8),
        ),
    ]);
    cases
}

fn mini_cases(file: &File) -> Vec<Case> {
    let bytes = &file.0;
    let mut cases = Vec::new();
    for (path, texts) in [("1000/1001", &[][..]), ("1000/1002.5/1003", &[4])] {
        let chunk = place(bytes, path);
        cases.push(case(
            5,
            format!("unknown mini-chunk in {path}"),
            file.with(path, |data| data.extend([77, 2, 0, 0])),
            Warn("unknown mini-chunk 77", chunk.end),
        ));
        cases.push(case(
            13,
            format!("half a header in {path}"),
            file.with(path, |data| data.push(1)),
            Reject(truncated, chunk.end),
        ));
        for (id, header) in minis(&bytes[..chunk.end as usize], chunk.body) {
            let length = bytes[header as usize + 1];
            cases.push(case(
                13,
                format!("mini-chunk {id} of {path} beyond its chunk"),
                file.at(header + 1, &[255]),
                Reject(truncated, header + 2),
            ));
            if ![10, 11].contains(&id) {
                cases.push(case(
                    13,
                    format!("no mini-chunk {id} in {path}"),
                    file.without_mini(path, id),
                    Reject(missing, chunk.body),
                ));
            }
            if texts.contains(&id) {
                continue;
            }
            let end = (header - chunk.body) as usize + 2 + usize::from(length);
            let shorter = file.with(path, |data| {
                data.remove(end - 1);
                data[end - usize::from(length) - 1] -= 1;
            });
            let longer = file.with(path, |data| {
                data.insert(end, 0);
                data[end - usize::from(length) - 1] += 1;
            });
            for (what, bytes) in [("shorter", shorter), ("longer", longer)] {
                let name = format!("mini-chunk {id} of {path}, {what}");
                cases.push(case(13, name, bytes, Reject(wrong_length, header)));
            }
        }
    }
    cases.push(case(
        13,
        "no mini-chunk 10",
        file.without_mini("1000/1002.5/1003", 10),
        Silent,
    ));
    cases
}

fn text_cases(file: &File) -> Vec<Case> {
    let path = "1000/1002.3/1003";
    let header = mini(&file.0, path, 4);
    let last = header + 1 + u64::from(file.0[header as usize + 1]);
    vec![
        case(
            7,
            "not UTF-8",
            file.at(header + 2, &[0xff]),
            Warn("not UTF-8", header + 2),
        ),
        case(7, "no NUL", file.at(last, b"x"), Warn("no NUL", header + 2)),
        case(7, "a NUL", file.at(header + 2, &[0]), Silent),
    ]
}

fn info_cases(file: &File) -> Vec<Case> {
    let [frames, fps, bones] = [1, 2, 3].map(|id| file.value("1000/1001", id));
    let mut cases = vec![
        case(
            24,
            "no frames",
            file.at_u32(frames, 0),
            Reject(bad_count, frames),
        ),
        case(
            24,
            "2³¹ frames",
            file.at_u32(frames, 1 << 31),
            Reject(bad_count, frames),
        ),
        case(
            24,
            "2³¹ − 1 frames",
            file.at_u32(frames, i32::MAX as u32),
            Reject(bad_count, frames),
        ),
        case(
            14,
            "a bone less",
            file.at_u32(bones, 31),
            Reject(mismatch, bones),
        ),
        case(
            14,
            "a bone more",
            file.at_u32(bones, 33),
            Reject(mismatch, bones),
        ),
        case(
            14,
            "2³² − 1 bones",
            file.at_u32(bones, u32::MAX),
            Reject(bad_count, bones),
        ),
        case(
            14,
            "no header",
            file.without("1000", 0x1001),
            Reject(missing, 8),
        ),
        case(
            14,
            "no bones",
            file.without("1000", 0x1002),
            Reject(mismatch, bones),
        ),
        case(
            14,
            "two headers",
            rearranged(&file.0, "1000", |chunks| {
                let info = chunks[0].clone();
                chunks.insert(1, info);
            }),
            Reject(mismatch, place(&file.0, "1000/1001").end),
        ),
        case(
            24,
            "the header last",
            rearranged(&file.0, "1000", |chunks| chunks.rotate_left(1)),
            Silent,
        ),
    ];
    for value in [0.0, -0.0, -30.0, f32::MIN] {
        cases.push(case(
            25,
            format!("{value} frames per second"),
            file.at_f32(fps, value),
            Reject(not_positive, fps),
        ));
    }
    // The last is so small that no number says how long a frame takes.
    for value in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e-44] {
        cases.push(case(
            25,
            format!("{value} frames per second"),
            file.at_f32(fps, value),
            Reject(not_finite, fps),
        ));
    }
    cases
}

fn bone_cases(file: &File) -> Vec<Case> {
    let path = "1000/1002.5/1003";
    let bone = place(&file.0, "1000/1002.5");
    let mut cases = vec![
        case(
            14,
            "no record",
            file.without("1000/1002.5", 0x1003),
            Reject(missing, bone.body),
        ),
        case(
            14,
            "two records",
            rearranged(&file.0, "1000/1002.5", |chunks| {
                let record = chunks[0].clone();
                chunks.insert(0, record);
            }),
            Reject(mismatch, place(&file.0, path).end),
        ),
        case(
            27,
            "a bone twice",
            file.at_u32(file.value(path, 5), 1),
            Warn("bone 1 is animated more than once", 0),
        ),
        case(
            27,
            "an index beyond all skeletons",
            file.at_u32(file.value(path, 5), u32::MAX),
            Silent,
        ),
    ];
    for id in 6..=9 {
        let value = file.value(path, id);
        for (axis, bad) in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY]
            .into_iter()
            .enumerate()
        {
            let at = value + 4 * axis as u64;
            let name = format!("{bad} in mini-chunk {id}");
            cases.push(case(6, name, file.at_f32(at, bad), Reject(not_finite, at)));
        }
    }
    // Bone 5 has both tracks, bone 0 has none: there it means nothing.
    for id in [7, 9] {
        let at = file.value(path, id) + 8;
        let name = format!("too much in mini-chunk {id}");
        cases.push(case(6, name, file.at_f32(at, 1e35), Reject(not_finite, at)));
        let at = file.value("1000/1002/1003", id) + 8;
        let name = format!("too much in mini-chunk {id}, without a track");
        cases.push(case(6, name, file.at_f32(at, 1e35), Silent));
    }
    cases
}

fn bit_cases(file: &File) -> Vec<Case> {
    let mut cases = Vec::new();
    for path in ["1000/1002.8/1007", "1000/1002.16/1008"] {
        let chunk = place(&file.0, path);
        assert_eq!(chunk.end - chunk.body, 2);
        for length in [0, 1, 3, 11, 100] {
            cases.push(case(
                28,
                format!("{length} bytes of bits in {path}"),
                file.with(path, |data| data.resize(length, 0xff)),
                Reject(wrong_length, chunk.body),
            ));
        }
        cases.push(case(
            28,
            format!("ones after the last frame in {path}"),
            file.at(chunk.body + 1, &[0xff]),
            Silent,
        ));
        let (bone, id) = path.rsplit_once('/').unwrap();
        let id = u32::from_str_radix(id, 16).unwrap();
        cases.push(case(
            28,
            format!("two of {path}"),
            rearranged(&file.0, bone, |chunks| chunks.push(data(id, &[0, 0]))),
            Reject(mismatch, chunk.end),
        ));
    }
    cases
}

/// The tracks of format 1.
fn own_track_cases() -> Vec<Case> {
    let file = File(clean(1));
    let mut cases = Vec::new();
    for (path, width) in [
        ("1000/1002.1/1004", 6),
        ("1000/1002.4/1005", 6),
        ("1000/1002.2/1006", 8),
    ] {
        let chunk = place(&file.0, path);
        assert_eq!(chunk.end - chunk.body, 11 * width);
        for length in [0, 1, 2 * width, 11 * width - 1] {
            cases.push(case(
                26,
                format!("{length} bytes of {path}"),
                file.with(path, |data| data.truncate(length as usize)),
                Reject(wrong_length, chunk.body),
            ));
        }
        for more in [1, width as usize] {
            cases.push(case(
                26,
                format!("{more} bytes more of {path}"),
                file.with(path, |data| data.extend(vec![1; more])),
                Warn("beyond the last frame", chunk.end),
            ));
        }
        let (bone, id) = path.rsplit_once('/').unwrap();
        let id = u32::from_str_radix(id, 16).unwrap();
        cases.push(case(
            26,
            format!("no {path}"),
            file.without(bone, id),
            Silent,
        ));
    }
    let rotation = file.body("1000/1002.2/1006");
    let constant = file.body("1000/1002/1006");
    let frames = file.value("1000/1001", 1);
    let end = place(&file.0, "1000").end;
    cases.extend([
        case(
            26,
            "frames that no track has",
            // And no more bits than there were.
            file.at_u32(frames, 12),
            Reject(wrong_length, file.body("1000/1002.1/1004")),
        ),
        case(
            29,
            "a quaternion of zeros",
            file.at(rotation + 16, &[0; 8]),
            Warn(
                "quaternion 2 of 0x1000 / 0x1002 bone 2 \"B_02\" / 0x1006 is zero",
                rotation + 16,
            ),
        ),
        case(
            29,
            "the only quaternion of zeros",
            file.at(constant, &[0; 8]),
            Warn("quaternion 0", constant),
        ),
        case(
            5,
            "a block in format 1",
            rearranged(&file.0, "1000", |chunks| chunks.push(data(0x1009, &[0; 8]))),
            Warn("unknown chunk 0x1009", end),
        ),
        case(
            5,
            "a size of a block in format 1",
            file.with("1000/1001", |data| data.extend([12, 4, 3, 0, 0, 0])),
            Warn("unknown mini-chunk 12", place(&file.0, "1000/1001").end),
        ),
        case(
            5,
            "the index of a track in format 1",
            file.with("1000/1002/1003", |data| data.extend([14, 2, 3, 0])),
            Warn(
                "unknown mini-chunk 14",
                place(&file.0, "1000/1002/1003").end,
            ),
        ),
    ]);
    cases
}

/// The blocks of format 2.
fn block_cases() -> Vec<Case> {
    let file = File(clean(2));
    let end = place(&file.0, "1000").end;
    let mut cases = Vec::new();
    for (mini_id, block, width, index_id, bone) in [
        (11, "1009", 4, 16, 2),
        (12, "100A", 3, 14, 1),
        (13, "100B", 3, 15, 4),
    ] {
        let size = file.value("1000/1001", mini_id);
        let record = format!("1000/1002.{bone}/1003");
        let index = file.value(&record, index_id);
        let path = format!("1000/{block}");
        let chunk = place(&file.0, &path);
        let id = u32::from_str_radix(block, 16).unwrap();
        let words = 16 * width;
        assert_eq!(chunk.end - chunk.body, 2 * 11 * u64::from(words));
        for bad in [
            1,
            words - 1,
            words + 1,
            (1 << 31) - width + 1 - (1 << 31) % width,
        ] {
            cases.push(case(
                26,
                format!("a size of {bad} for {block}"),
                file.at_u32(size, bad),
                Reject(not_multiple, size),
            ));
        }
        cases.push(case(
            26,
            format!("a size of 2³² − 1 for {block}"),
            file.at_u32(size, u32::MAX),
            Reject(bad_count, size),
        ));
        for longer in [words + width, ((1 << 31) - 1) / 12 * 12] {
            cases.push(case(
                26,
                format!("a size of {longer} for {block}"),
                file.at_u32(size, longer),
                Reject(wrong_length, chunk.body),
            ));
        }
        for length in [0, 1, chunk.end - chunk.body - 1] {
            cases.push(case(
                26,
                format!("{length} bytes of {block}"),
                file.with(&path, |data| data.truncate(length as usize)),
                Reject(wrong_length, chunk.body),
            ));
        }
        cases.push(case(
            26,
            format!("more of {block} than there are frames"),
            file.with(&path, |data| data.extend([1; 5])),
            Warn("5 bytes of 0x1000 / 0x100", chunk.end),
        ));
        cases.push(case(
            26,
            format!("no {block}"),
            file.without("1000", id),
            Reject(missing, 8),
        ));
        cases.push(case(
            26,
            format!("{block} twice"),
            rearranged(&file.0, "1000", |chunks| chunks.push(data(id, &[]))),
            Reject(mismatch, end),
        ));
        for bad in [words - width + 1, words, 0xfffe] {
            cases.push(case(
                26,
                format!("a track of {block} at word {bad}"),
                file.at(index, &(bad as u16).to_le_bytes()),
                Reject(bad_word, index),
            ));
        }
        cases.push(case(
            26,
            format!("a track of {block} between others"),
            file.at(index, &[1, 0]),
            Warn("begins within another: at word 1", index),
        ));
        cases.push(case(
            26,
            format!("no track of {block}"),
            file.at(index, &[0xff, 0xff]),
            Silent,
        ));
        let at_rest = file.value("1000/1002/1003", index_id);
        cases.push(case(
            26,
            format!("a track of {block} that another has"),
            file.at(at_rest, &[0, 0]),
            Silent,
        ));
    }
    let rotations = file.body("1000/1009");
    let default = file.value("1000/1002/1003", 17);
    let unused = file.value("1000/1002.2/1003", 17);
    let bone = place(&file.0, "1000/1002.2");
    cases.extend([
        case(
            29,
            "a quaternion of zeros in the block",
            file.at(rotations + 8 * 20, &[0; 8]),
            Warn(
                "quaternion 20 of 0x1000 / 0x1009 is zero",
                rotations + 8 * 20,
            ),
        ),
        case(
            29,
            "a default rotation of zeros",
            file.at(default, &[0; 8]),
            Warn("default rotation is zero", default),
        ),
        case(
            29,
            "a default rotation of zeros where there is a track",
            file.at(unused, &[0; 8]),
            Silent,
        ),
        case(
            5,
            "a track of its own in format 2",
            rearranged(&file.0, "1000/1002.2", |chunks| {
                chunks.push(data(0x1004, &[0; 66]));
            }),
            Warn("unknown chunk 0x1004", bone.end),
        ),
    ]);
    cases
}

/// Every file that is refused: its name, its bytes and the offset that the error tells.
pub fn refused() -> Vec<(String, Vec<u8>, u64)> {
    let cases = cases().into_iter();
    cases
        .filter_map(|case| match case.expect {
            Reject(_, offset) => Some((case.name, case.bytes, offset)),
            Warn(..) | Silent => None,
        })
        .collect()
}

#[test]
fn every_class_is_refused_or_warned_about_where_it_is_wrong() {
    let cases = cases();
    for class in (1..=29).filter(|class| ![3, 8, 9].contains(class) && !(15..=23).contains(class)) {
        assert!(cases.iter().any(|case| case.class == class), "{class}");
    }
    let failures: Vec<_> = cases.iter().filter_map(failure).collect();
    println!("{} cases", cases.len());
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What became of a case, if it is not what must become of it.
fn failure(case: &Case) -> Option<String> {
    let as_expected = match (parse(&case.bytes), &case.expect) {
        (Err(error), Reject(kind, offset)) => kind(&error.kind) && error.offset == *offset,
        (Ok(file), expect) => {
            sample_all(&file);
            match (expect, &file.warnings[..]) {
                (Warn(said, offset), [warning]) => {
                    warning.message.contains(said) && warning.offset == *offset
                }
                (Silent, []) => true,
                _ => false,
            }
        }
        _ => false,
    };
    let became = || match parse(&case.bytes) {
        Ok(file) => format!("{:?}", file.warnings),
        Err(error) => error.to_string(),
    };
    let expected = || match &case.expect {
        Reject(_, offset) => format!("an error at {offset}"),
        Warn(said, offset) => format!("{said:?} at {offset}"),
        Silent => "nothing".to_owned(),
    };
    (!as_expected).then(|| {
        let Case { class, name, .. } = case;
        let (became, expected) = (became(), expected());
        format!("class {class}, {name}: {became} instead of {expected}")
    })
}

/// Whatever parses can be sampled, and gives numbers.
fn sample_all(file: &AlaFile<'_>) {
    let last = (file.frames - 1) as f32;
    assert!(file.seconds().is_finite());
    for bone in &file.bones {
        for time in [0.0, 0.3, last / 2.0, last - 0.25, last] {
            let pose = file.sample(bone, time);
            let rotation = pose.rotation.unwrap_or_default();
            let mut numbers = pose.translation.iter().chain(&pose.scale).chain(&rotation);
            assert!(numbers.all(|value| value.is_finite()), "{pose:?}");
        }
    }
}

#[test]
fn format_2_without_what_tells_it_is_format_1_and_its_tracks_are_unknown() {
    let file = File(clean(2)).without_mini("1000/1001", 11);
    let file = parse(&file).unwrap();
    assert_eq!(file.version, 1);
    let messages: Vec<_> = file
        .warnings
        .iter()
        .map(|warning| &*warning.message)
        .collect();
    assert!(matches!(messages[..], [minis, chunks]
        if minis.starts_with("unknown mini-chunk 12") && chunks.starts_with("unknown chunk 0x100b")));
    let pose = file.sample(&file.bones[31], 2.0);
    assert_eq!(
        (pose.rotation, pose.translation),
        (None, file.bones[31].translation_offset)
    );
}

#[test]
fn the_order_of_mini_chunks_and_of_chunks_means_nothing() {
    for version in [1, 2] {
        let file = File(clean(version));
        let expected = serde_json::to_string(&parse(&file.0).unwrap()).unwrap();
        for id in [4, 5, 8] {
            let path = "1000/1002.7/1003";
            let chunk = file.body(path);
            let begin = (mini(&file.0, path, id) - chunk) as usize;
            let bytes = file.with(path, |data| {
                let end = begin + 2 + usize::from(data[begin + 1]);
                let moved: Vec<u8> = data.drain(begin..end).collect();
                data.extend(moved);
            });
            assert!(bytes != file.0);
            let read = parse(&bytes).unwrap();
            assert_eq!(read.warnings, []);
            assert_eq!(serde_json::to_string(&read).unwrap(), expected);
        }
        let bytes = rearranged(&file.0, "1000/1002.31", |chunks| chunks.reverse());
        let read = parse(&bytes).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), expected);
    }
}

#[test]
fn a_zero_quaternion_is_no_rotation() {
    let file = File(clean(2));
    let bytes = file.at(file.body("1000/1009"), &[0; 8]);
    let read = parse(&bytes).unwrap();
    let bone = read.bones.iter().find(|bone| bone.rotation.is_some());
    let pose = read.sample(bone.unwrap(), 0.0);
    assert_eq!(pose.rotation, Some([0.0, 0.0, 0.0, 1.0]));
    let bytes = edited(&minimal(1), |document| {
        document.bones[0].rotation.default = Some([0; 4]);
    });
    let read = parse(&bytes).unwrap();
    assert_eq!(
        read.sample(&read.bones[0], 0.0).rotation,
        Some([0.0, 0.0, 0.0, 1.0])
    );
}

#[test]
fn as_many_frames_as_a_float_can_tell_need_no_data() {
    let bytes = edited(&minimal(2), |document| document.frames = MAX_FRAMES);
    assert_eq!(parse(&bytes).unwrap().frames, MAX_FRAMES);
    let bytes = edited(&minimal(2), |document| document.frames = MAX_FRAMES + 1);
    assert!(bad_count(&parse(&bytes).unwrap_err().kind));
}

#[test]
fn a_message_is_the_path_to_the_fault() {
    let file = File(clean(2));
    let bits = file.body("1000/1002.8/1007");
    let index = file.value("1000/1002.1/1003", 14);
    let size = file.value("1000/1001", 11);
    for (bytes, message) in [
        (
            file.with("1000/1002.8/1007", |data| data.push(0)),
            format!(
                "ALA: 0x1000 / 0x1002 bone 8 \"B_08\" / 0x1007 at offset {bits} \
                 is 3 bytes long, but must be 2"
            ),
        ),
        (
            file.at(index, &[48, 0]),
            format!(
                "ALA: 0x1000 / 0x1002 bone 1 \"B_01\" track at offset {index} uses word 48 of 48"
            ),
        ),
        (
            file.at_u32(size, 65),
            format!(
                "ALA: 0x1000 / 0x1001 words of rotation per frame at offset {size} \
                 is 65, but must be a multiple of 4"
            ),
        ),
        (
            file.at_u32(0, 0x200),
            "ALA: first chunk at offset 0 is not what the format begins with: \
             the file is an Alamo model (ALO), not an animation"
                .to_owned(),
        ),
    ] {
        assert_eq!(parse(&bytes).unwrap_err().to_string(), message);
    }
}

#[test]
fn truncation_at_every_byte_is_an_error() {
    for version in [1, 2] {
        for bytes in [minimal(version), small(version), clean(version)] {
            for length in 0..bytes.len() {
                let error = parse(&bytes[..length]).unwrap_err();
                assert!(truncated(&error.kind), "{length} bytes: {error}");
                assert!(error.offset <= length as u64, "{length} bytes: {error}");
            }
        }
    }
    // Bad files may be refused for what is bad before the end is missed.
    for (number, Case { bytes, .. }) in cases().into_iter().enumerate() {
        for length in (number % 37..bytes.len()).step_by(37) {
            let _ = parse(&bytes[..length]);
        }
    }
}

#[test]
fn no_flipped_bit_is_fatal() {
    let mut outcomes = [0; 2];
    for mut bytes in [1, 2]
        .into_iter()
        .flat_map(|version| [minimal(version), small(version)])
    {
        for bit in 0..8 * bytes.len() {
            bytes[bit / 8] ^= 1 << (bit % 8);
            let read = parse(&bytes);
            outcomes[usize::from(read.is_ok())] += 1;
            if let Ok(file) = read {
                sample_all(&file);
                let document = AlaDocument::from(&file);
                // What was made UTF-8 may be too long, or hold a NUL no more.
                if let Ok(written) = write(&document) {
                    assert_eq!(AlaDocument::from(&parse(&written).unwrap()), document);
                }
            }
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
    }
    assert!(outcomes[0] > 1000 && outcomes[1] > 1000, "{outcomes:?}");
}

#[test]
fn no_chunk_removed_or_emptied_or_doubled_is_fatal() {
    fn visit(chunks: &[Raw], whole: &dyn Fn(Vec<Raw>)) {
        for index in 0..chunks.len() {
            let mut without = chunks.to_vec();
            let removed = without.remove(index);
            whole(without);
            let mut twice = chunks.to_vec();
            twice.insert(index, removed);
            whole(twice);
            let mut emptied = chunks.to_vec();
            emptied[index].body = match &chunks[index].body {
                Body::Data(_) => Body::Data(Vec::new()),
                Body::Chunks(_) => Body::Chunks(Vec::new()),
            };
            whole(emptied);
            if let Body::Chunks(inner) = &chunks[index].body {
                visit(inner, &|inner| {
                    let mut outer = chunks.to_vec();
                    outer[index].body = Body::Chunks(inner);
                    whole(outer);
                });
            }
        }
    }
    for version in [1, 2] {
        visit(&taken_apart(&clean(version)), &|chunks| {
            if let Ok(file) = parse(&put_together(&chunks)) {
                sample_all(&file);
            }
        });
    }
}

/// Small files for the fuzz target to begin with, and to be replayed: see `fuzz.rs`.
#[test]
#[ignore = "writes the files of tests/regressions/ala anew"]
fn regression_files() {
    let [one, two] = [1, 2].map(|version| File(small(version)));
    let frames = |file: &File| file.value("1000/1001", 1);
    let track = two.value("1000/1002.1/1003", 14);
    let hollow = |chunks: &mut Vec<Raw>| {
        let bone = Raw {
            id: 0x1002,
            body: Body::Chunks(Vec::new()),
        };
        chunks.extend(vec![bone; 40]);
    };
    let files = [
        ("format-1", one.0.clone()),
        ("format-2", two.0.clone()),
        ("minimal", minimal(2)),
        ("empty", Vec::new()),
        ("model", two.at_u32(0, 0x200)),
        ("two-billion-frames", one.at_u32(frames(&one), 1 << 31)),
        (
            "most-frames",
            edited(&minimal(2), |document| document.frames = MAX_FRAMES),
        ),
        (
            "two-billion-words",
            two.at_u32(two.value("1000/1001", 11), 0x7fff_fffc),
        ),
        ("track-past-its-block", two.at(track, &[0xfe, 0xff])),
        ("hollow-bones", rearranged(&two.0, "1000", hollow)),
        (
            "seventeen-deep",
            rearranged(&two.0, "", |chunks| chunks.push(nest(17))),
        ),
    ];
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/regressions/ala");
    for (name, bytes) in files {
        std::fs::write(format!("{folder}/{name}"), bytes).unwrap();
    }
}
