//! What the checks of one file need and find.

use crate::convert::files::Files;
use crate::convert::options::Options;
use crate::engines::{BrokenLimit, Engine};
use crate::validate::game::problem::{Kind, Problem, Severity};
use crate::validate::game::selection::Checked;
use std::fmt::Display;

/// What checks need beside the file.
pub struct Context<'a> {
    pub files: &'a Files,
    pub checked: &'a [Checked],
    pub options: &'a Options,
    /// The engines whose limits are errors.
    pub engines: &'a [Engine],
}

/// The problems of one file.
pub struct Findings {
    pub file: String,
    pub problems: Vec<Problem>,
}

impl Findings {
    pub fn of(file: &Checked) -> Self {
        Self {
            file: file.shown.clone(),
            problems: Vec::new(),
        }
    }

    pub fn add(&mut self, kind: Kind, message: impl Into<String>) {
        self.problems.push(Problem::new(kind, &self.file, message));
    }

    /// The value of a result. An error means that the file is refused.
    pub fn add_error<T, E: Display>(&mut self, result: Result<T, E>) -> Option<T> {
        let error = |error: &E| self.add(Kind::Refused, error.to_string());
        result.inspect_err(error).ok()
    }

    pub fn add_warnings(&mut self, warnings: &[impl Display]) {
        for warning in warnings {
            self.add(Kind::FileWarning, warning.to_string());
        }
    }

    /// Adds the textures that are not found. Each name is searched once.
    pub fn add_textures<'n>(
        &mut self,
        context: &Context<'_>,
        file: &Checked,
        names: impl IntoIterator<Item = &'n str>,
    ) {
        let mut names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            if context
                .files
                .texture(&file.path, name, context.options)
                .is_none()
            {
                let message = format!("texture \"{name}\" was not found");
                self.add(Kind::MissingTexture, message);
            }
        }
    }
}

/// The problem of a limit: an error if the engine is given, otherwise a warning. If the engine only warns, it is less.
pub fn limit_problem(file: &str, limit: &BrokenLimit, engines: &[Engine]) -> Problem {
    let severity = match (engines.is_empty(), limit.is_warning) {
        (false, false) => Severity::Error,
        (true, true) => Severity::Note,
        _ => Severity::Warning,
    };
    Problem {
        severity,
        ..Problem::new(Kind::EngineLimit, file, limit.to_string())
    }
}
