//! Limits on the heap of each format's parser, measured with files that are made to maximize it and with real files. For
//! archives, also the time.

use crate::archives::Opened;
use crate::prelude::*;
use classic_model_formats::ala::sound_events::SoundEvents;
use classic_model_formats::{lgw, meg, pak, pk3, rez};
use classic_models_fixtures::cpu_time::assert_cpu_time_grows_linearly;
use classic_models_fixtures::heap::{HeapBudget, Outcome, run_in_own_process};
use classic_models_fixtures::{
    abc_adversarial, ala_adversarial, alo_adversarial, lgw_adversarial, particles_adversarial,
    plugins_adversarial,
};

/// Names and bytes of files.
type Files = Vec<(String, Vec<u8>)>;

/// The files of a format, and the limit of the heap that its parser may use.
struct Limit {
    /// Names the format in the output.
    format: &'static str,
    /// The limit is `factor × file length + constant` bytes. The file's bytes count too, because they are in memory while
    /// it is parsed. The limit of loading a model is twice this factor, so the other half is for the converted values.
    factor: usize,
    constant: usize,
    files: fn() -> Files,
    /// The expected result of the file with a name.
    outcome: fn(&str) -> Outcome,
    parse: fn(&[u8]) -> Result<(), ParseError>,
}

const MODEL: Limit = Limit {
    format: "",
    factor: 8,
    constant: 1 << 16,
    files: Vec::new,
    outcome: |_| Outcome::Accepted,
    parse: |_| Ok(()),
};

const ARCHIVE: Limit = Limit {
    factor: 16,
    constant: 1 << 20,
    outcome: |name| {
        let rejected = [
            "four billion files",
            "directory of 4 GiB",
            "root of 4 GiB",
            "four billion clusters",
        ];
        Outcome::rejected_if(rejected.contains(&name))
    },
    ..MODEL
};

const LIMITS: [Limit; 14] = [
    Limit {
        format: "ALO",
        files: || with_real(alo_adversarial::adversarial_files(), "alo"),
        outcome: alo_adversarial::parse_outcome,
        parse: |bytes| alo::parse(bytes).map(drop),
        ..MODEL
    },
    Limit {
        format: "ALA",
        files: || with_real(ala_adversarial::adversarial_files(), "ala"),
        outcome: ala_adversarial::parse_outcome,
        parse: |bytes| ala::parse(bytes).map(drop),
        ..MODEL
    },
    Limit {
        format: "sound events",
        files: || sound_events(1 << 16),
        outcome: |name| Outcome::rejected_if(name == "open elements"),
        parse: |bytes| {
            let mut events = SoundEvents::default();
            events.add(bytes).map(drop)
        },
        ..ARCHIVE
    },
    Limit {
        format: "particles",
        files: particle_files,
        outcome: |name| Outcome::rejected_if(name == "two billion bytes"),
        parse: |bytes| particles::parse(bytes).map(drop),
        ..MODEL
    },
    Limit {
        format: "plug-ins of particles",
        files: || plugins_adversarial::files(8),
        outcome: |name| Outcome::rejected_if(name == "four billion keys"),
        parse: |bytes| particles::plugins::parse(bytes).map(drop),
        ..MODEL
    },
    Limit {
        format: "ABC",
        files: || with_real(abc_adversarial::adversarial_files(), "abc"),
        outcome: abc_adversarial::parse_outcome,
        parse: |bytes| abc::parse(bytes).map(drop),
        ..MODEL
    },
    Limit {
        format: "DTX",
        files: || with_real(abc_adversarial::adversarial_textures(), "dtx"),
        // DDS images have another parser.
        outcome: |name| Outcome::rejected_if(name.ends_with(".dds")),
        parse: |bytes| dtx::parse(bytes).map(drop),
        ..MODEL
    },
    Limit {
        format: "LGW",
        constant: 1 << 20,
        files: lgw_adversarial::adversarial_files,
        outcome: lgw_adversarial::parse_outcome,
        parse: |bytes| lgw::parse(bytes, Tolerance::Lenient).map(drop),
        ..MODEL
    },
    Limit {
        format: "repetitive LGW",
        constant: 1 << 20,
        files: || lgw_adversarial::repetitive_texts(1 << 20).collect(),
        outcome: |_| Outcome::Rejected,
        parse: |bytes| lgw::parse(bytes, Tolerance::Lenient).map(drop),
        ..MODEL
    },
    Limit {
        format: "MEG",
        files: || crate::meg::adversarial::files(4),
        parse: |bytes| open_and_read(meg::open(bytes), usize::MAX),
        ..ARCHIVE
    },
    Limit {
        format: "PAK",
        files: || crate::pak::adversarial::files(4),
        parse: |bytes| open_and_read(pak::open(bytes), usize::MAX),
        ..ARCHIVE
    },
    Limit {
        format: "PK3",
        files: || crate::pk3::adversarial::files(4),
        parse: |bytes| open_and_read(pk3::open(bytes), usize::MAX),
        ..ARCHIVE
    },
    Limit {
        format: "REZ",
        files: || crate::rez::adversarial::files(4),
        parse: |bytes| open_and_read(rez::open(bytes), usize::MAX),
        ..ARCHIVE
    },
    Limit {
        format: "VFS",
        files: || crate::vfs::adversarial::files(4),
        // Most files claim to be large, and their chains are long.
        parse: |bytes| open_and_read(vfs::open(bytes), 3),
        ..ARCHIVE
    },
];

/// Adds the real files with this extension, if there is a corpus.
fn with_real(mut files: Files, extension: &str) -> Files {
    if let Some(folder) = corpus("parsing_heap_is_limited_by_file_size") {
        files.extend(files_of(&folder, extension));
    }
    files
}

/// Lists of this count of the shortest possible parts.
fn sound_events(count: usize) -> Files {
    /// A name and what is repeated, in which `#` is the index.
    const PARTS: [(&str, &str); 8] = [
        ("events", "<a Name='#'><Samples>b</Samples></a>"),
        ("presets", "<a Name='#'><Is_Preset>1</Is_Preset></a>"),
        ("files", "<File>a</File>"),
        ("samples", "a,"),
        ("warnings", "<a><Is_3D>#</Is_3D></a>"),
        ("empty elements", "<a/>"),
        ("open elements", "<a>"),
        ("attributes", "a='' "),
    ];
    let files = PARTS.map(|(name, part)| {
        let parts: String = (0..count)
            .map(|index| part.replace('#', &format!("{index:x}")))
            .collect();
        let text = match name {
            "samples" => format!("<l><a Name='b'><Samples>{parts}</Samples></a></l>"),
            "attributes" => format!("<l><a {parts}/></l>"),
            "open elements" => parts,
            _ => format!("<l>{parts}</l>"),
        };
        (name.to_owned(), text.into_bytes())
    });
    files.into()
}

fn particle_files() -> Files {
    let mut files = particles_adversarial::adversarial_files();
    files.extend(corpus_particles("parsing_heap_is_limited_by_file_size"));
    files
}

/// Reads the first entries of an archive.
fn open_and_read(opened: Opened<'_>, entries: usize) -> Result<(), ParseError> {
    let archive = opened?;
    for entry in archive.entries().take(entries) {
        let _ = archive.read(entry);
    }
    Ok(())
}

#[test]
fn parsing_heap_is_limited_by_file_size() {
    run_in_own_process("heap::parsing_measured_alone");
}

#[test]
#[ignore = "run by `parsing_heap_is_limited_by_file_size` in a process of its own"]
fn parsing_measured_alone() {
    for limit in LIMITS {
        println!("{}", limit.format);
        let mut measured = HeapBudget::new(limit.factor, limit.constant);
        for (name, bytes) in (limit.files)() {
            measured.take(&name, bytes.len(), (limit.outcome)(&name), || {
                let bytes = bytes.clone();
                (limit.parse)(&bytes).map_err(|error| error.to_string())
            });
        }
        measured.finish();
    }
}

/// The limit of the heap of an evaluation, which has at most 65,536 particles and twice as many instances and deaths.
const EVALUATION: usize = 64 << 20;

#[test]
fn evaluation_heap_is_limited() {
    run_in_own_process("heap::evaluation_measured_alone");
}

#[test]
#[ignore = "run by `evaluation_heap_is_limited` in a process of its own"]
fn evaluation_measured_alone() {
    let mut measured = HeapBudget::new(MODEL.factor, EVALUATION);
    for (name, bytes) in particle_files() {
        let Ok(file) = particles::parse(&bytes) else {
            continue;
        };
        measured.take(&name, bytes.len(), Outcome::Accepted, || {
            ParticleSystem::new(&file).state(0, 1e6);
            Ok(())
        });
    }
    for (name, bytes) in plugins_adversarial::files(8) {
        let Ok(file) = particles::plugins::parse(&bytes) else {
            continue;
        };
        measured.take(&name, bytes.len(), Outcome::Accepted, || {
            ParticleSystem::from_plugins(&file).state(0, 1e6);
            Ok(())
        });
    }
    measured.finish();
}

/// Opens an archive, and finds its entries, unless their paths together are much longer than the file.
fn open_and_find(opened: Opened<'_>, length: usize) {
    let Ok(archive) = opened else { return };
    let mut left = 4 * length;
    for entry in archive.entries() {
        let path = entry.path();
        let Some(rest) = left.checked_sub(path.len()) else {
            break;
        };
        left = rest;
        archive.find(&path);
        assert!(archive.find_any_case(&path).is_some());
        archive.find_any_case(&path.to_ascii_uppercase());
    }
}

/// The functions that make archives whose length is in proportion to an argument, and that open them.
type Archives = (fn(usize) -> Files, fn(&[u8]) -> Opened<'_>);

#[test]
fn time_to_read_sound_events_grows_with_the_file() {
    let (small, large) = (sound_events(1 << 14), sound_events(1 << 16));
    for ((name, small), (_, large)) in small.iter().zip(&large) {
        let read = |bytes: &[u8]| {
            let _ = SoundEvents::default().add(bytes);
        };
        assert_cpu_time_grows_linearly(name, || read(small), || read(large));
    }
}

#[test]
fn opening_time_grows_with_the_archive() {
    let formats: [Archives; 5] = [
        (crate::meg::adversarial::files, |bytes| meg::open(bytes)),
        (crate::pak::adversarial::files, |bytes| pak::open(bytes)),
        (crate::pk3::adversarial::files, |bytes| pk3::open(bytes)),
        (crate::rez::adversarial::files, |bytes| rez::open(bytes)),
        (crate::vfs::adversarial::files, |bytes| vfs::open(bytes)),
    ];
    for (files, open) in formats {
        for ((name, small), (_, large)) in files(1).iter().zip(&files(4)) {
            let run = |bytes: &[u8]| open_and_find(open(bytes), bytes.len());
            assert_cpu_time_grows_linearly(name, || run(small), || run(large));
        }
    }
}
