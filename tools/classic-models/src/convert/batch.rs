//! Plans the output files of a run, and converts several files at once.

use crate::convert::files::Files;
use crate::convert::job::{Input, Job};
use crate::convert::options::{Options, Output};
use crate::file_format::is_texture;
use crate::messages;
use crate::output_file::{check, write_all};
use crate::paths::archive_file;
use crate::paths::path_args::Unmatched;
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};

/// The jobs of a run. A planned job can be an error: its file is not converted.
pub struct Plan {
    pub jobs: Vec<Result<Job, Unmatched>>,
    /// The absolute paths of the files on the disk that are read, which no result may replace.
    stored: HashSet<PathBuf>,
}

/// The count of files that were converted, and that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub converted: usize,
    pub failed: usize,
}

impl Plan {
    /// Plans the output of each input. `out` is a file if it has the extension of one, otherwise a folder.
    ///
    /// # Errors
    /// If `out` is a file, and there are several inputs, or if it is neither a folder nor a file that can be written.
    pub fn new(
        inputs: &[Result<Input, Unmatched>],
        out: &Path,
        format: Output,
    ) -> Result<Self, String> {
        let stored = inputs
            .iter()
            .flatten()
            .filter_map(|input| input.stored.clone())
            .collect();
        let kind = Output::of(out).filter(|_| !out.is_dir() && !ends_with_separator(out));
        if kind.is_none() {
            check_folder(out)?;
        } else if inputs.len() != 1 {
            let message = "is a file, but several files need a folder for their results";
            return Err(format!("{}: {message}", out.display()));
        }
        // Files whose extension is not that of an input are last: a `hero.txt` must not take the name of the result of `hero.mdl`.
        let takes = kind.unwrap_or(format).takes();
        let is_known = |input: &Input| takes(&input.path);
        let mut order: Vec<_> = inputs.iter().enumerate().collect();
        order.sort_by_key(|(_, input)| !input.as_ref().is_ok_and(is_known));
        let mut planned = HashMap::new();
        let mut plan = |input: &Input| {
            let (output, kind) = match kind {
                Some(kind) => input.check_found().map(|()| (out.to_path_buf(), kind)),
                None => in_folder(input, out, format, &mut planned),
            }
            .map_err(|error| Unmatched {
                path: input.path.clone(),
                error,
            })?;
            Ok(Job {
                input: input.path.clone(),
                output,
                kind,
            })
        };
        let jobs = order.into_iter().map(|(index, input)| {
            let input = input.as_ref().map_err(Unmatched::clone);
            (index, input.and_then(&mut plan))
        });
        let mut jobs: Vec<_> = jobs.collect();
        jobs.sort_by_key(|(index, _)| *index);
        Ok(Self {
            jobs: jobs.into_iter().map(|(_, job)| job).collect(),
            stored,
        })
    }
}

/// Checks that the path of a folder is not that of a file, which is an input if the output was forgotten.
fn check_folder(out: &Path) -> Result<(), String> {
    let what = if out.is_dir() {
        return Ok(());
    } else if out.exists() {
        "is an existing file".to_owned()
    } else if let Some(extension) = out.extension().filter(|_| !ends_with_separator(out)) {
        format!("ends in .{}", extension.display())
    } else {
        return Ok(());
    };
    Err(format!(
        "{}: OUT {what}: give a file that ends in one of {}, or a folder (with / at its end if its name has a dot)",
        out.display(),
        Output::extensions()
    ))
}

/// Whether a path can only be that of a folder. `Path` drops the separator.
fn ends_with_separator(path: &Path) -> bool {
    let last = path.as_os_str().as_encoded_bytes().last();
    last.is_some_and(|byte| std::path::is_separator(char::from(*byte)))
}

/// The path and the kind of a result in a folder. `planned` has the inputs by their results in lower case.
fn in_folder(
    input: &Input,
    out: &Path,
    format: Output,
    planned: &mut HashMap<PathBuf, PathBuf>,
) -> Result<(PathBuf, Output), String> {
    let is_image = matches!(format, Output::Glb | Output::Gltf) && is_texture(&input.path);
    let kind = if is_image { Output::Png } else { format };
    let mut name = input.name()?.into_os_string();
    name.push(".");
    name.push(kind.extension());
    let output = out.join(name);
    let key = lower_case(&output);
    if let Some(other) = planned.get(&key) {
        let (output, other) = (output.display(), other.display());
        return Err(format!("{output} is already the result of {other}"));
    }
    planned.insert(key, input.path.clone());
    Ok((output, kind))
}

/// A path in lower case: on some systems it is the same file.
fn lower_case(path: &Path) -> PathBuf {
    PathBuf::from(path.to_string_lossy().to_lowercase())
}

/// How to run the jobs of a plan.
pub struct Run<'a> {
    pub options: &'a Options,
    pub files: &'a Files,
    /// The count of files that are converted at once, at least 1.
    pub workers: usize,
    /// Whether existing files are replaced.
    pub force: bool,
    /// The inputs by the files beside their results, in lower case.
    pub beside: Mutex<HashMap<PathBuf, PathBuf>>,
}

impl Run<'_> {
    /// Converts all files, and prints warnings and errors in the order of the files.
    pub fn convert(&self, plan: &Plan) -> Summary {
        let progress = progress(plan.jobs.len());
        let next = AtomicUsize::new(0);
        let mut summary = Summary::default();
        std::thread::scope(|scope| {
            let (sender, results) = mpsc::channel();
            for _ in 0..self.workers.clamp(1, plan.jobs.len().max(1)) {
                let (sender, next) = (sender.clone(), &next);
                scope.spawn(move || {
                    loop {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        let Some(job) = plan.jobs.get(index) else {
                            break;
                        };
                        let result = match job {
                            Ok(job) => self.run(job, &plan.stored),
                            Err(unmatched) => Err(unmatched.error.clone()),
                        };
                        if sender.send((index, result)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(sender);
            // Results that arrive before those of earlier files.
            let mut early = HashMap::new();
            let mut expected = 0;
            for (index, result) in results {
                progress.inc(1);
                early.insert(index, result);
                while let Some(result) = early.remove(&expected) {
                    let job = plan.jobs.get(expected);
                    progress.suspend(|| report(job, &result));
                    match result {
                        Ok(_) => summary.converted += 1,
                        Err(_) => summary.failed += 1,
                    }
                    expected += 1;
                }
            }
        });
        progress.finish_and_clear();
        summary
    }

    /// Converts a file and writes the result, unless it would replace one of the inputs. Returns the warnings.
    fn run(&self, job: &Job, inputs: &HashSet<PathBuf>) -> Result<Vec<String>, String> {
        if inputs.contains(&archive_file::absolute(&job.output)) {
            let output = job.output.display();
            return Err(format!("{output}: the result would replace an input"));
        }
        check(&job.output, self.force)?;
        let written = job.convert(self.files, self.options)?;
        // One job at a time, because files beside results can have the same names.
        let mut known = self.beside.lock().unwrap_or_else(PoisonError::into_inner);
        let mut files = Vec::new();
        for (name, bytes) in &written.beside {
            let path = job.output.with_file_name(name);
            if fs::read(&path).is_ok_and(|found| found == *bytes) {
                continue;
            }
            let what = path.display();
            if let Some(other) = known.get(&lower_case(&path)) {
                let other = other.display();
                return Err(format!(
                    "{what} is already a file of {other} and differs: give it another name"
                ));
            }
            if inputs.contains(&archive_file::absolute(&path)) {
                return Err(format!("{what}: the result would replace an input"));
            }
            check(&path, self.force)?;
            files.push((path, &bytes[..]));
        }
        let all = files.iter().map(|(path, bytes)| (&**path, *bytes));
        write_all(all.chain([(&*job.output, &written.bytes[..])]))?;
        let paths = written
            .beside
            .keys()
            .map(|name| job.output.with_file_name(name));
        known.extend(paths.map(|path| (lower_case(&path), job.input.clone())));
        Ok(written.warnings)
    }
}

fn report(job: Option<&Result<Job, Unmatched>>, result: &Result<Vec<String>, String>) {
    let input = match job {
        Some(Ok(job)) => &job.input,
        Some(Err(unmatched)) => &unmatched.path,
        None => return,
    };
    let input = input.display();
    match result {
        Ok(warnings) => {
            for warning in warnings {
                messages::message(format_args!("{input}: warning: {warning}"));
            }
        }
        Err(error) => messages::error(format_args!("{input}: {error}")),
    }
}

/// A progress bar on the terminal. It is hidden for a single file, and if standard error is not a terminal.
pub fn progress(length: usize) -> ProgressBar {
    if length < 2 {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} files, {eta} left");
    let bar = ProgressBar::new(length as u64);
    match style {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::path_args::Selected;

    fn input(path: &str) -> Result<Input, Unmatched> {
        Ok(Input::of(&Selected {
            path: path.into(),
            below: None,
        }))
    }

    #[test]
    fn results_have_the_names_of_their_files() {
        let inputs = ["a/Hero.abc", "b/skin.DTX", "c/hero.mdl"].map(input);
        let plan = Plan::new(&inputs, Path::new("out"), Output::Gltf).unwrap();
        let outputs: Vec<_> = plan
            .jobs
            .iter()
            .map(|job| job.as_ref().map(|job| job.output.display().to_string()))
            .collect();
        assert_eq!(outputs[0].as_deref(), Ok("out/Hero.gltf"));
        assert_eq!(outputs[1].as_deref(), Ok("out/skin.png"));
        let Unmatched { path, error } = plan.jobs[2].as_ref().unwrap_err();
        assert_eq!(path, Path::new("c/hero.mdl"));
        assert!(error.contains("a/Hero.abc"), "{error}");
    }

    #[test]
    fn a_file_can_only_be_the_result_of_one_input() {
        let inputs = ["a.abc", "b.abc"].map(input);
        assert!(Plan::new(&inputs, Path::new("out.glb"), Output::Glb).is_err());
        let plan = Plan::new(&inputs[..1], Path::new("out.GLTF"), Output::Glb).unwrap();
        let job = plan.jobs[0].as_ref().unwrap();
        assert_eq!(job.kind, Output::Gltf);
    }
}
