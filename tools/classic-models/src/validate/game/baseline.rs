//! The baseline: known problems, from an earlier output of `--json`.

use crate::validate::game::problem::Problem;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// Marks the problems that are in a baseline.
///
/// # Errors
/// If the file cannot be read, or is not an output of `--json`.
pub fn mark(problems: &mut [Problem], file: &Path) -> Result<(), String> {
    let text = std::fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let known = known(&text).ok_or_else(|| {
        let file = file.display();
        format!("{file}: not a baseline, which is an output of `validate --json`")
    })?;
    for problem in problems {
        problem.is_known = known.contains(&key(&problem.to_json()).unwrap_or_default());
    }
    Ok(())
}

/// The kind, file and message of a problem. Its line may change by an edit elsewhere in the file.
type Key = [String; 3];

fn key(problem: &Value) -> Option<Key> {
    let text = |name| problem.get(name)?.as_str().map(str::to_owned);
    Some([text("kind")?, text("file")?, text("message")?])
}

fn known(text: &[u8]) -> Option<HashSet<Key>> {
    let root: Value = serde_json::from_slice(text).ok()?;
    root.get("problems")?.as_array()?.iter().map(key).collect()
}
