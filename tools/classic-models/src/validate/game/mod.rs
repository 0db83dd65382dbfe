//! Checks all files of a game, of a mod, or in folders, in one pass.
//!
//! - `options` are the options of the command line, `selection` the files to check, and `clips` which clips belong to which
//!   models.
//! - `checks` check one file each, `manifests` all manifests, and `layers` the archives and folders of a game.
//! - `problem` is what they find, `baseline` marks known problems, and `report` and `sarif` print them.
//!
//! Only manifests need an app. The other files are read by the parsers and the plugin's conversions, on all cores.

mod baseline;
mod checks;
mod clips;
mod layers;
mod manifests;
pub mod options;
mod problem;
mod report;
mod sarif;
mod selection;

use crate::convert::batch::progress;
use crate::convert::options::Options;
use crate::engines::Engine;
use crate::file_format::is_manifest;
use crate::messages;
use crate::paths::game::GameArgs;
use crate::paths::path_args::WRONG_ARGUMENTS;
use checks::findings::Context;
use clap::Parser;
use clips::Clip;
use indicatif::ProgressBar;
use options::ReportArgs;
use problem::Problem;
use report::Report;
use selection::{Checked, Selection};
use std::collections::HashSet;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What to check, and how to report it.
pub struct Request<'a> {
    pub paths: &'a [PathBuf],
    pub game: &'a GameArgs,
    /// The root of manifests on the disk.
    pub assets: Option<&'a Path>,
    /// The engines whose limits are errors.
    pub engines: &'a [Engine],
    pub report: &'a ReportArgs,
}

/// Checks the files, and prints the report.
pub fn run(request: &Request<'_>) -> ExitCode {
    let (selection, options) = match (Selection::of(request.game, request.paths), defaults()) {
        (Ok(selection), Ok(options)) => (selection, options),
        (Err(error), _) | (_, Err(error)) => return messages::failure(error),
    };
    let mut report = check(request, &selection, &options);
    if let Some(file) = &request.report.baseline
        && let Err(error) = baseline::mark(&mut report.problems, file)
    {
        messages::error(error);
        return ExitCode::from(WRONG_ARGUMENTS);
    }
    let fails = report.fails(request.report.strict);
    let text = text(request.report, &report, &selection);
    match io::stdout().write_all(text.as_bytes()) {
        // The reader of the pipe has closed it.
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => messages::failure(error),
        _ => ExitCode::from(u8::from(fails)),
    }
}

fn text(args: &ReportArgs, report: &Report, selection: &Selection) -> String {
    if args.json {
        return format!("{}\n", report.to_json());
    }
    if args.sarif {
        let uri = |file: &str| selection.uri(file);
        let log = sarif::log(report, args.baseline.is_some(), args.all, uri);
        return format!("{log}\n");
    }
    report.to_text(args.all)
}

/// The options of `convert` with which files are found.
fn defaults() -> Result<Options, String> {
    #[derive(Parser)]
    struct Defaults {
        #[command(flatten)]
        options: Options,
    }
    let parsed = Defaults::try_parse_from(["convert"]);
    let options = parsed.map(|parsed| parsed.options);
    options.map_err(|error| error.to_string())
}

/// Checks all files.
fn check(request: &Request<'_>, selection: &Selection, options: &Options) -> Report {
    let checked = &selection.checked;
    let files = checked.iter().filter(|file| file.is_selected).count();
    let progress = progress(files);
    let context = Context {
        files: &selection.files,
        checked,
        options,
        engines: request.engines,
    };
    let mut problems = check_files(&context, &progress);
    problems.extend(manifests::problems(selection, request.assets, &progress));
    problems.extend(layers::problems(selection, request.engines));
    problems.extend(selection.unmatched.iter().cloned());
    progress.finish_and_clear();
    let mut report = Report { files, problems };
    report.sort();
    report
}

/// A file to check, with its clips if it is a model.
type Job<'a> = (&'a Checked, Vec<Clip>);

/// Checks all files but manifests, on all cores.
fn check_files(context: &Context<'_>, progress: &ProgressBar) -> Vec<Problem> {
    let jobs = jobs(context.checked);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut problems = Vec::new();
        while let Some((file, clips)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            problems.extend(checks::check(context, file, clips));
            let clips = clips.iter().filter_map(|it| context.checked.get(it.file));
            let files = clips.chain([*file]).filter(|file| file.is_selected);
            progress.inc(files.count() as u64);
        }
        problems
    };
    let workers = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let problems = workers.into_iter().flat_map(|worker| {
            let found = worker.join();
            found.unwrap_or_else(|panic| resume_unwind(panic))
        });
        problems.collect()
    })
}

/// The files to check. A clip is part of its model's job, which is needed if one of both is selected.
fn jobs(checked: &[Checked]) -> Vec<Job<'_>> {
    let mut by_model = clips::by_model(checked);
    let clips: HashSet<usize> = by_model.values().flatten().map(|clip| clip.file).collect();
    let files = checked.iter().enumerate();
    let files = files.filter(|(index, file)| !clips.contains(index) && !is_manifest(&file.path));
    let jobs = files.map(|(index, file)| (file, by_model.remove(&index).unwrap_or_default()));
    let is_selected = |(file, clips): &Job<'_>| {
        let clips = clips.iter().filter_map(|clip| checked.get(clip.file));
        clips.chain([*file]).any(|file| file.is_selected)
    };
    jobs.filter(is_selected).collect()
}
