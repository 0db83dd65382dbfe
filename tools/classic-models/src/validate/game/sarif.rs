//! The report as SARIF 2.1.0, which code review sites show beside the files.

use crate::validate::game::problem::{Kind, Problem};
use crate::validate::game::report::Report;
use serde_json::{Value, json};

/// The report as a SARIF log. `uri` returns the URI of a file. Without `all`, shadowed files are left out.
pub fn log(report: &Report, has_baseline: bool, all: bool, uri: impl Fn(&str) -> String) -> Value {
    let problems = report.problems.iter();
    let listed = problems.filter(|problem| all || problem.kind != Kind::Shadowed);
    let results: Vec<Value> = listed
        .map(|problem| result(problem, has_baseline, &uri(&problem.file)))
        .collect();
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": env!("CARGO_PKG_NAME"),
                "version": env!("CARGO_PKG_VERSION"),
                "rules": Kind::ALL.map(rule),
            } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn rule(kind: Kind) -> Value {
    json!({
        "id": kind.id(),
        "shortDescription": { "text": kind.description() },
        "defaultConfiguration": { "level": kind.severity().name() },
    })
}

fn result(problem: &Problem, has_baseline: bool, uri: &str) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": uri } });
    if let Some((line, column)) = problem.position {
        location["region"] = json!({ "startLine": line, "startColumn": column });
    }
    let mut result = json!({
        "ruleId": problem.kind.id(),
        "ruleIndex": Kind::ALL.iter().position(|kind| *kind == problem.kind),
        "level": problem.severity.name(),
        "message": { "text": problem.message },
        "locations": [{ "physicalLocation": location }],
    });
    if has_baseline {
        let state = if problem.is_known { "unchanged" } else { "new" };
        result["baselineState"] = state.into();
    }
    result
}

/// The URI of a path with `/`: relative, or with the scheme `file` if it is absolute.
pub fn uri(path: &str) -> String {
    let is_drive = path.as_bytes().get(1) == Some(&b':');
    let mut uri = match path.starts_with('/') {
        true => "file://".to_owned(),
        false if is_drive => "file:///".to_owned(),
        false => String::new(),
    };
    for byte in path.strip_prefix("./").unwrap_or(path).bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        match is_plain || is_drive && byte == b':' {
            true => uri.push(char::from(byte)),
            false => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_are_encoded() {
        for (path, expected) in [
            ("./a/b c#1.alo", "a/b%20c%231.alo"),
            ("ä:b.mdl", "%C3%A4%3Ab.mdl"),
            ("/games/a.mdl", "file:///games/a.mdl"),
            ("C:/games/a.mdl", "file:///C:/games/a.mdl"),
        ] {
            assert_eq!(uri(path), expected);
        }
    }
}
