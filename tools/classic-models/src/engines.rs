//! The limits of Quake engines on models and archives. The plugin does not have them. `docs/quake.md` lists them.

use bevy_classic_models::quake::mdl::{MdlFile, Precision};
use bevy_classic_models::read::Format;
use classic_model_formats::archive::{Archive, ReadAt};
use serde_json::{Value, json};
use std::fmt::{self, Display};

/// An engine whose limits are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Engine {
    /// QuakeSpasm 0.95
    Quakespasm,
    /// ezQuake 3.6
    Ezquake,
    /// DarkPlaces of 2018
    Darkplaces,
}

/// All engines.
pub const ENGINES: [Engine; 3] = [Engine::Quakespasm, Engine::Ezquake, Engine::Darkplaces];

/// The given engines; all if there are none.
pub fn or_all(engines: &[Engine]) -> &[Engine] {
    match engines {
        [] => &ENGINES,
        engines => engines,
    }
}

/// A limit of an engine that a file exceeds.
#[derive(Clone, Debug)]
pub struct BrokenLimit {
    engine: Engine,
    /// Whether the engine only warns. Otherwise it quits, or does not find a file.
    pub is_warning: bool,
    message: String,
}

impl BrokenLimit {
    pub fn to_json(&self) -> Value {
        json!({
            "engine": self.engine_name(),
            "warning": self.is_warning,
            "message": self.message,
        })
    }

    fn engine_name(&self) -> &'static str {
        match self.engine {
            Engine::Quakespasm => "QuakeSpasm",
            Engine::Ezquake => "ezQuake",
            Engine::Darkplaces => "DarkPlaces",
        }
    }
}

impl Display for BrokenLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.engine_name(), self.message)
    }
}

fn limit(engine: Engine, is_warning: bool, message: String) -> BrokenLimit {
    BrokenLimit {
        engine,
        is_warning,
        message,
    }
}

/// The limits of these engines that a model exceeds.
pub fn of_model(model: &MdlFile<'_>, engines: &[Engine]) -> Vec<BrokenLimit> {
    let (width, height) = (model.header.skin_width, model.header.skin_height);
    let vertices = (model.st_vertices.len(), "vertices");
    let triangles = (model.triangles.len(), "triangles");
    let poses = (model.poses.len(), "poses");
    let skins = (model.skins.len(), "skins");
    let rows = (height as usize, "rows of the skin");
    let mut broken = Vec::new();
    for &engine in engines {
        let mut add = |is_warning, message| broken.push(limit(engine, is_warning, message));
        let (quits, warns): (&[_], &[_]) = match engine {
            Engine::Quakespasm => (
                &[
                    (vertices, 2000),
                    (triangles, 4096),
                    (poses, 256),
                    (skins, 32),
                ],
                &[(rows, 480)],
            ),
            Engine::Ezquake => (&[(vertices, 2048), (skins, 32), (rows, 480)], &[]),
            Engine::Darkplaces => (&[], &[]),
        };
        for (limits, is_warning, reaction) in [(quits, false, "quits"), (warns, true, "warns")] {
            for ((count, noun), limit) in limits {
                if count > limit {
                    let message = format!("{reaction}: {count} {noun}, at most {limit}");
                    add(is_warning, message);
                }
            }
        }
        if model.precision == Precision::Bits16 && engine != Engine::Ezquake {
            let message = "does not read MD16, the kind of file with 16 bits per coordinate";
            add(false, message.to_owned());
        }
        let area = u64::from(width) * u64::from(height);
        if engine == Engine::Ezquake && !area.is_multiple_of(4) {
            let message =
                format!("quits: {width} × {height} texels of the skin, not a multiple of 4");
            add(false, message);
        }
    }
    broken
}

/// The limits of these engines that an archive exceeds.
pub fn of_archive<R: ReadAt>(archive: &Archive<R>, engines: &[Engine]) -> Vec<BrokenLimit> {
    /// The length of a name in the directory of a PAK.
    const LENGTH: usize = 56;
    /// The count of files in a PAK that QuakeSpasm, like Quake, can open.
    const MAX_FILES: u64 = 2048;
    if archive.format() != Format::Pak {
        return Vec::new();
    }
    let mut long = Vec::new();
    let mut with_backslash = Vec::new();
    for entry in archive.entries() {
        let mut name = [0; LENGTH];
        let (reader, offset) = (archive.reader(), entry.record_offset());
        if reader.read_exact_at(&mut name, offset).is_err() {
            continue;
        }
        let end = name.iter().position(|byte| *byte == 0);
        let bytes = name.get(..end.unwrap_or(LENGTH)).unwrap_or_default();
        if end.is_none() {
            long.push(String::from_utf8_lossy(bytes).into_owned());
        } else if bytes.contains(&b'\\') {
            with_backslash.push(String::from_utf8_lossy(bytes).into_owned());
        }
    }
    let mut broken = Vec::new();
    let files = archive.entries().len() as u64 + archive.skipped();
    if files > MAX_FILES && engines.contains(&Engine::Quakespasm) {
        let message = format!("quits: {files} files, at most {MAX_FILES}");
        broken.push(limit(Engine::Quakespasm, false, message));
    }
    let no_names = |engine: &&Engine| **engine != Engine::Ezquake;
    for &engine in engines.iter().filter(no_names) {
        for (names, reason) in [
            (&long, "56 bytes, at most 55"),
            (&with_backslash, "a backslash"),
        ] {
            let message = match &names[..] {
                [] => continue,
                [name] => format!("does not find {name:?}: a name with {reason}"),
                [name, others @ ..] => format!(
                    "does not find {name:?} and {} more: names with {reason}",
                    others.len()
                ),
            };
            broken.push(limit(engine, false, message));
        }
    }
    broken
}
