//! The options of a whole game's or folder's report.

use std::path::PathBuf;

/// How the problems of a whole game or folder are reported.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct ReportArgs {
    /// Print one JSON object with all problems
    #[arg(long, conflicts_with = "sarif")]
    pub json: bool,
    /// Print the problems as SARIF 2.1.0, for code review sites
    #[arg(long)]
    pub sarif: bool,
    /// Problems in this file are known: they are counted, not listed, and do not fail
    ///
    /// It is an earlier output of --json. Two problems are the same if their kind, file and message are.
    #[arg(long, value_name = "FILE", verbatim_doc_comment)]
    pub baseline: Option<PathBuf>,
    /// Also fail if there are warnings
    #[arg(long)]
    pub strict: bool,
    /// List all problems, instead of at most ten lines per kind
    #[arg(long)]
    pub all: bool,
}

impl ReportArgs {
    /// Whether an option is given.
    pub fn is_any_given(&self) -> bool {
        let Self {
            json,
            sarif,
            baseline,
            strict,
            all,
        } = self;
        *json || *sarif || *strict || *all || baseline.is_some()
    }
}
