//! Checks one file, by its format. No app runs.

mod alamo;
pub mod findings;
mod others;

use crate::file_format::{FileFormat, is_picture};
use crate::validate::game::clips::Clip;
use crate::validate::game::problem::{Kind, Problem};
use crate::validate::game::selection::Checked;
use bevy_classic_models::texture::Pixels;
use findings::{Context, Findings};

/// The problems of a file, and of the clips of a model. Those of files that are not selected are left out.
pub fn check(context: &Context<'_>, file: &Checked, clips: &[Clip]) -> Vec<Problem> {
    let mut found = Findings::of(file);
    let mut problems = match context.files.read(&file.path) {
        Ok(bytes) => content(context, file, &bytes, clips, &mut found),
        Err(error) => {
            found.add(Kind::Refused, error);
            Vec::new()
        }
    };
    if file.is_selected {
        problems.extend(found.problems);
    }
    problems
}

/// Adds the problems of a file, and returns those of its clips.
fn content(
    context: &Context<'_>,
    file: &Checked,
    bytes: &[u8],
    clips: &[Clip],
    found: &mut Findings,
) -> Vec<Problem> {
    if is_picture(&file.path) {
        found.add_error(Pixels::check(bytes, &file.path));
        return Vec::new();
    }
    match FileFormat::known(&file.path, bytes) {
        Some(FileFormat::Alo) => return alamo::model(context, file, bytes, clips, found),
        Some(FileFormat::Ala) => alamo::clip(bytes, found),
        Some(FileFormat::Particles) => alamo::particles(context, file, bytes, found),
        Some(FileFormat::Abc) => others::abc(context, file, bytes, found),
        Some(FileFormat::Lgw) => others::lgw(context, file, bytes, found),
        Some(FileFormat::Mdl) => others::mdl(context.engines, bytes, found),
        Some(FileFormat::Dtx) => others::dtx(bytes, found),
        None => found.add(Kind::Refused, "the format is not known"),
    }
    Vec::new()
}
