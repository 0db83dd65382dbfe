//! The report as text and as JSON: grouped by kind, the worst first, and cut.

use crate::messages::printable;
use crate::validate::game::problem::{Kind, Problem, Severity, count};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The maximum count of lines of a group, without `--all`.
const MOST_LINES: usize = 10;

/// What was checked, and its problems.
pub struct Report {
    /// The count of files.
    pub files: usize,
    /// Sorted: see [`sort`](Self::sort).
    pub problems: Vec<Problem>,
}

impl Report {
    /// Sorts the problems by severity, kind, file and message.
    pub fn sort(&mut self) {
        let key = |it: &Problem| {
            (
                it.severity,
                it.kind,
                it.file.to_lowercase(),
                it.file.clone(),
                it.position,
                it.message.clone(),
            )
        };
        self.problems.sort_by_cached_key(key);
        self.problems.dedup();
    }

    /// The problems that are not in the baseline.
    pub fn new_problems(&self) -> impl Iterator<Item = &Problem> + Clone {
        self.problems.iter().filter(|problem| !problem.is_known)
    }

    /// Whether there are new errors, or new warnings if these are failures.
    pub fn fails(&self, strict: bool) -> bool {
        let least = if strict {
            Severity::Warning
        } else {
            Severity::Error
        };
        self.new_problems().any(|problem| problem.severity <= least)
    }

    /// The whole report as an object.
    pub fn to_json(&self) -> Value {
        let counts = Severity::ALL.map(|severity| {
            let count = count(&self.problems, severity);
            (severity.name().to_owned(), count.into())
        });
        let problems: Vec<Value> = self.problems.iter().map(Problem::to_json).collect();
        json!({
            "version": 1,
            "files": self.files,
            "counts": counts.into_iter().collect::<serde_json::Map<_, _>>(),
            "problems": problems,
        })
    }

    /// The report as lines of text. With `all`, every problem is a line.
    pub fn to_text(&self, all: bool) -> String {
        let group = |kind| {
            let problems = self.new_problems().filter(|problem| problem.kind == kind);
            (kind, problems.collect::<Vec<_>>())
        };
        let mut groups = Kind::ALL.map(group).to_vec();
        groups.retain(|(_, problems)| !problems.is_empty());
        // The problems are sorted, so the first is the worst. The sort is stable.
        groups.sort_by_key(|(_, problems)| problems.first().map(|problem| problem.severity));
        let mut text = String::new();
        for (kind, problems) in groups {
            write_group(&mut text, kind, &problems, all);
        }
        let files = plural(self.files, "file");
        let found = summary(self.new_problems());
        let known = self.problems.len() - self.new_problems().count();
        // Writing to a string does not fail.
        let _ = write!(text, "checked {files}: {found}");
        if known > 0 {
            let known = plural(known, "known problem");
            let _ = write!(text, "; {known} of the baseline left out");
        }
        text.push('\n');
        text
    }
}

/// The counts of the severities, such as "1 error, 2 notes".
fn summary<'a>(problems: impl Iterator<Item = &'a Problem> + Clone) -> String {
    let counts = Severity::ALL.map(|severity| (count(problems.clone(), severity), severity));
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts = counts.map(|(count, severity)| plural(*count, severity.name()));
    let counts: Vec<String> = counts.collect();
    match counts.is_empty() {
        true => "no problems".to_owned(),
        false => counts.join(", "),
    }
}

/// A count with its noun, such as "1,234 files".
fn plural(count: usize, noun: &str) -> String {
    let end = if count == 1 { "" } else { "s" };
    format!("{} {noun}{end}", grouped(count))
}

/// A count with commas, such as 1,234.
fn grouped(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn write_group(text: &mut String, kind: Kind, problems: &[&Problem], all: bool) {
    let counts = summary(problems.iter().copied());
    // Writing to a string does not fail.
    let _ = write!(text, "{}: {counts}", kind.id());
    // A mod hides files of the game on purpose.
    if kind == Kind::Shadowed && !all {
        text.push_str(" (--all prints them)\n");
        return;
    }
    text.push('\n');
    let lines = match all {
        true => problems.iter().map(|problem| vec![*problem]).collect(),
        false => merged(problems),
    };
    let most = if all { lines.len() } else { MOST_LINES };
    for same in lines.iter().take(most) {
        write_line(text, same);
    }
    let others: usize = lines.iter().skip(most).map(Vec::len).sum();
    if others > 0 {
        let others = grouped(others);
        let _ = writeln!(text, "  … and {others} more (--all prints them)");
    }
}

/// A line for problems with the same message.
fn write_line(text: &mut String, same: &[&Problem]) {
    let Some(first) = same.first() else {
        return;
    };
    let others = match same.len() - 1 {
        0 => String::new(),
        others => format!(" and {} more", grouped(others)),
    };
    let line = format!("{}{others}: {}", first.place(), first.message);
    let line = line.replace('\n', " ");
    let _ = writeln!(text, "  {}", printable(line));
}

/// The problems with the same message and severity together: the worst first, then those of most files.
fn merged<'a>(problems: &[&'a Problem]) -> Vec<Vec<&'a Problem>> {
    let mut by_message: BTreeMap<_, Vec<&Problem>> = BTreeMap::new();
    for problem in problems {
        let key = (problem.severity, &problem.message);
        by_message.entry(key).or_default().push(problem);
    }
    let mut lines: Vec<Vec<&Problem>> = by_message.into_values().collect();
    let key = |same: &Vec<&Problem>| {
        let first = same.first();
        let severity = first.map(|problem| problem.severity);
        (
            severity,
            usize::MAX - same.len(),
            first.map(|problem| problem.place()),
        )
    };
    lines.sort_by_cached_key(key);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(problems: Vec<Problem>) -> Report {
        let mut report = Report { files: 3, problems };
        report.sort();
        report
    }

    #[test]
    fn groups_are_sorted_merged_and_cut() {
        let mut problems: Vec<Problem> = (0..1250)
            .map(|n| {
                Problem::new(
                    Kind::FileWarning,
                    &format!("{n:04}.alo"),
                    format!("flaw {n}"),
                )
            })
            .collect();
        problems.push(Problem::new(Kind::Refused, "z.alo", "damaged"));
        for file in ["b.alo", "a.alo", "c.alo"] {
            problems.push(Problem::new(Kind::MissingTexture, file, "texture \"x\""));
        }
        problems.push(Problem::new(Kind::MissingTexture, "a.alo", "texture \"y\""));
        problems.push(Problem::new(Kind::Shadowed, "a.alo", "hides"));
        let report = report(problems);
        let text = report.to_text(false);
        let lines: Vec<&str> = text.lines().collect();
        let expected = [
            "refused: 1 error",
            "  z.alo: damaged",
            "missing-texture: 4 warnings",
            "  a.alo and 2 more: texture \"x\"",
            "  a.alo: texture \"y\"",
            "file-warning: 1,250 notes",
            "  0000.alo: flaw 0",
        ];
        assert_eq!(lines[..7], expected);
        let expected = [
            "  … and 1,240 more (--all prints them)",
            "shadowed: 1 note (--all prints them)",
            "checked 3 files: 1 error, 4 warnings, 1,251 notes",
        ];
        assert_eq!(lines[16..], expected);
        assert_eq!(report.to_text(true).lines().count(), 1256 + 4 + 1);
    }

    #[test]
    fn known_problems_do_not_fail() {
        let mut report = report(vec![
            Problem::new(Kind::Refused, "a", "x"),
            Problem::new(Kind::Case, "a", "x"),
        ]);
        assert!(report.fails(false));
        report.problems[0].is_known = true;
        assert!(!report.fails(false));
        assert!(report.fails(true));
        report.problems[1].is_known = true;
        assert!(!report.fails(true));
        let text = "checked 3 files: no problems; 2 known problems of the baseline left out\n";
        assert_eq!(report.to_text(false), text);
    }
}
