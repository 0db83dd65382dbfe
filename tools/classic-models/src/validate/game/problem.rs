//! Problems as plain values: their kinds and severities. It must not print.

use serde_json::{Value, json};
use std::path::Path;

/// How bad a problem is, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
    Note,
}

impl Severity {
    /// All severities, the worst first.
    pub const ALL: [Self; 3] = [Self::Error, Self::Warning, Self::Note];

    /// The name in all reports. SARIF has the same ones.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        }
    }
}

/// A kind of problem. `docs/validate.md` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Refused,
    Manifest,
    MissingTexture,
    MissingProxy,
    MissingClip,
    ClipMismatch,
    EngineLimit,
    Case,
    MissingSkin,
    ClipWithoutModel,
    FileWarning,
    Shadowed,
}

impl Kind {
    /// All kinds, in the order of reports.
    pub const ALL: [Self; 12] = [
        Self::Refused,
        Self::Manifest,
        Self::MissingTexture,
        Self::MissingProxy,
        Self::MissingClip,
        Self::ClipMismatch,
        Self::EngineLimit,
        Self::Case,
        Self::MissingSkin,
        Self::ClipWithoutModel,
        Self::FileWarning,
        Self::Shadowed,
    ];

    /// The stable id.
    pub fn id(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Manifest => "manifest",
            Self::MissingTexture => "missing-texture",
            Self::MissingProxy => "missing-proxy",
            Self::MissingClip => "missing-clip",
            Self::ClipMismatch => "clip-mismatch",
            Self::EngineLimit => "engine-limit",
            Self::Case => "case",
            Self::MissingSkin => "missing-skin",
            Self::ClipWithoutModel => "clip-without-model",
            Self::FileWarning => "file-warning",
            Self::Shadowed => "shadowed",
        }
    }

    /// What such a problem is, as a sentence.
    pub fn description(self) -> &'static str {
        match self {
            Self::Refused => "A file cannot be read, or is damaged.",
            Self::Manifest => "A manifest has an invalid value.",
            Self::MissingTexture => {
                "A texture that a model or a particle system names was not found."
            }
            Self::MissingProxy => "A file that a proxy of a model names was not found.",
            Self::MissingClip => {
                "A clip is not found by the game, because one with a lower number is missing."
            }
            Self::ClipMismatch => "A clip has bones that its model does not have.",
            Self::EngineLimit => "A file exceeds a limit of an engine.",
            Self::Case => "Engines that compare case may not find a file.",
            Self::MissingSkin => "A model has no skin at the games' paths.",
            Self::ClipWithoutModel => "No model has the name with which a clip begins.",
            Self::FileWarning => "A file has a harmless flaw.",
            Self::Shadowed => "A file hides the same file in a lower layer.",
        }
    }

    /// The severity, unless the problem has its own.
    pub fn severity(self) -> Severity {
        match self {
            Self::Refused | Self::Manifest => Severity::Error,
            Self::MissingTexture
            | Self::MissingProxy
            | Self::MissingClip
            | Self::ClipMismatch
            | Self::EngineLimit
            | Self::Case => Severity::Warning,
            Self::MissingSkin | Self::ClipWithoutModel | Self::FileWarning | Self::Shadowed => {
                Severity::Note
            }
        }
    }
}

/// A problem of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    pub kind: Kind,
    /// The path of the file: as given, or from the root of the game.
    pub file: String,
    /// The line and column of a manifest, from 1.
    pub position: Option<(u64, u64)>,
    pub message: String,
    /// Whether it is in the baseline.
    pub is_known: bool,
}

impl Problem {
    pub fn new(kind: Kind, file: &str, message: impl Into<String>) -> Self {
        Self {
            severity: kind.severity(),
            kind,
            file: file.to_owned(),
            position: None,
            message: message.into(),
            is_known: false,
        }
    }

    /// The file with its line and column, if there are any.
    pub fn place(&self) -> String {
        match self.position {
            Some((line, column)) => format!("{}:{line}:{column}", self.file),
            None => self.file.clone(),
        }
    }

    pub fn to_json(&self) -> Value {
        let mut object = json!({
            "severity": self.severity.name(),
            "kind": self.kind.id(),
            "file": self.file,
            "message": self.message,
        });
        if let Some((line, column)) = self.position {
            object["line"] = line.into();
            object["column"] = column.into();
        }
        if self.is_known {
            object["known"] = true.into();
        }
        object
    }
}

/// A path as reports show it, with `/` on all systems.
pub fn shown(path: &Path) -> String {
    let text = path.to_string_lossy();
    match cfg!(windows) {
        true => text.replace('\\', "/"),
        false => text.into_owned(),
    }
}

/// The count of the problems of a severity.
pub fn count<'a>(problems: impl IntoIterator<Item = &'a Problem>, severity: Severity) -> usize {
    let problems = problems.into_iter();
    problems
        .filter(|problem| problem.severity == severity)
        .count()
}
