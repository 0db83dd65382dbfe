//! Checks that two PNG images show the same: `compare-images A B`. CI compares two captures of a program with it.

use classic_models_support::comparison::difference;
use std::process::ExitCode;

fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let [a, b] = &paths[..] else {
        eprintln!("usage: compare-images A B");
        return ExitCode::from(2);
    };
    match compare(a, b) {
        Ok(None) => ExitCode::SUCCESS,
        Ok(Some(difference)) => {
            eprintln!("{a} and {b} differ: {difference}");
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn compare(a: &str, b: &str) -> Result<Option<String>, String> {
    let read = |path: &str| std::fs::read(path).map_err(|error| format!("{path}: {error}"));
    difference(&read(a)?, &read(b)?)
}
