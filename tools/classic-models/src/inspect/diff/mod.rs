//! `inspect --diff`: the differences between two versions of a file. `content` adds what descriptions do not have: hashes of
//! geometry, of keyframes and of texels, and names in place of indices.

mod content;

use crate::inspect::describe::{self, Options};
use crate::messages::{self, printable};
use crate::paths::archive_file;
use crate::paths::path_args::Unmatched;
use bevy_classic_models::texture::Pixels;
use content::HASH;
use serde_json::{Map, Value, json};
use std::collections::{BTreeSet, HashMap};
use std::fmt::{self, Display};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The exit status if the files cannot be compared. 1 means that they differ.
const TROUBLE: u8 = 2;

/// Compares two files, and prints their differences.
pub fn run(files: &[Result<PathBuf, Unmatched>], json: bool) -> ExitCode {
    for unmatched in files.iter().filter_map(|file| file.as_ref().err()) {
        messages::error(format_args!(
            "{}: {}",
            unmatched.path.display(),
            unmatched.error
        ));
    }
    let [Ok(a), Ok(b)] = files else {
        messages::error(format_args!(
            "--diff needs two files; {} are given",
            files.iter().flatten().count()
        ));
        return ExitCode::from(TROUBLE);
    };
    let described: Vec<Result<Value, String>> = [a, b].map(|path| describe(path)).into();
    let mut values = Vec::new();
    for (path, described) in [a, b].into_iter().zip(described) {
        match described {
            Ok(value) => values.push(value),
            Err(error) => messages::error(format_args!("{}: {error}", path.display())),
        }
    }
    let [first, second] = &values[..] else {
        return ExitCode::from(TROUBLE);
    };
    let differences = compare(first, second);
    let printed = match json {
        true => print_json(a, b, &differences),
        false => print_text(a, b, &differences),
    };
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            messages::error(error);
            ExitCode::from(TROUBLE)
        }
        _ => ExitCode::from(u8::from(!differences.is_empty())),
    }
}

/// The description of a file with its content.
fn describe(path: &Path) -> Result<Value, String> {
    if crate::file_format::is_picture(path) {
        let bytes = archive_file::read(path).map_err(|error| error.to_string())?;
        let pixels = Pixels::decode(&bytes, path).map_err(|error| error.to_string())?;
        return Ok(json!({
            "format": "image",
            "width": pixels.width,
            "height": pixels.height,
            "texels": content::hash(&pixels.rgba),
        }));
    }
    let options = Options {
        times: &[],
        engines: &[],
        only_archives: false,
        game: None,
    };
    let description = describe::describe(path, &options).map_err(|failure| failure.message)?;
    let mut value = description.to_json();
    value.as_object_mut().map(|object| object.remove("posed"));
    content::add(path, &mut value)?;
    Ok(value)
}

fn print_text(a: &Path, b: &Path, differences: &[Difference]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (a, b) = (a.display(), b.display());
    if differences.is_empty() {
        return writeln!(
            out,
            "{}",
            printable(format_args!("{a} and {b} have no differences"))
        );
    }
    writeln!(out, "{}", printable(format_args!("- {a}\n+ {b}")))?;
    for difference in differences {
        writeln!(out, "{}", printable(difference))?;
    }
    Ok(())
}

fn print_json(a: &Path, b: &Path, differences: &[Difference]) -> io::Result<()> {
    let differences: Vec<Value> = differences.iter().map(Difference::to_json).collect();
    let object = json!({
        "files": [a.display().to_string(), b.display().to_string()],
        "equal": differences.is_empty(),
        "differences": differences,
    });
    writeln!(io::stdout().lock(), "{object}")
}

/// The most elements of an array that is shown.
const MAX_SHOWN: usize = 16;

/// A difference between two values.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The way to the value: keys, and names or indices of elements.
    pub path: Vec<String>,
    /// The value of the first; `None` if it has none.
    pub a: Option<Value>,
    /// The value of the second; `None` if it has none.
    pub b: Option<Value>,
}

impl Difference {
    pub fn to_json(&self) -> Value {
        let kind = match (&self.a, &self.b) {
            (None, _) => "added",
            (_, None) => "removed",
            _ => "changed",
        };
        json!({ "path": self.path, "kind": kind, "a": self.a, "b": self.b })
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.join(" / ");
        match (&self.a, &self.b) {
            (None, _) => write!(f, "  + {path}"),
            (_, None) => write!(f, "  - {path}"),
            (Some(a), Some(b)) if is_shown(a) && is_shown(b) => write!(f, "    {path}: {a} → {b}"),
            _ => write!(f, "    {path}: changed"),
        }
    }
}

/// Whether a value is short enough to show.
fn is_shown(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.starts_with(HASH),
        Value::Array(values) => values.len() <= MAX_SHOWN,
        Value::Object(_) => false,
        _ => true,
    }
}

/// The differences between two values.
pub fn compare(a: &Value, b: &Value) -> Vec<Difference> {
    let mut comparison = Comparison::default();
    comparison.values(a, b);
    comparison.differences
}

#[derive(Default)]
struct Comparison {
    path: Vec<String>,
    differences: Vec<Difference>,
}

impl Comparison {
    fn values(&mut self, a: &Value, b: &Value) {
        match (a, b) {
            _ if a == b => {}
            (Value::Object(a), Value::Object(b)) => self.objects(a, b),
            (Value::Array(a), Value::Array(b)) if are_items(a) && are_items(b) => {
                self.items(a, b);
            }
            _ => self.add(Some(a), Some(b)),
        }
    }

    fn add(&mut self, a: Option<&Value>, b: Option<&Value>) {
        self.differences.push(Difference {
            path: self.path.clone(),
            a: a.cloned(),
            b: b.cloned(),
        });
    }

    /// Compares values that one or both sides have.
    fn at(&mut self, key: String, a: Option<&Value>, b: Option<&Value>) {
        self.path.push(key);
        match (a, b) {
            (Some(a), Some(b)) => self.values(a, b),
            _ => self.add(a, b),
        }
        self.path.pop();
    }

    fn objects(&mut self, a: &Map<String, Value>, b: &Map<String, Value>) {
        // Different formats have nothing in common.
        if let (Some(format_a), Some(format_b)) = (a.get("format"), b.get("format"))
            && format_a != format_b
        {
            self.at("format".to_owned(), Some(format_a), Some(format_b));
            return;
        }
        let keys: BTreeSet<&String> = a.keys().chain(b.keys()).collect();
        for key in keys {
            self.at(key.clone(), a.get(key), b.get(key));
        }
    }

    /// Compares lists of objects: those with the same name, otherwise those with the same index.
    fn items(&mut self, a: &[Value], b: &[Value]) {
        let (names_a, names_b) = (names(a), names(b));
        let (by_name_a, by_name_b) = (by_name(&names_a, a), by_name(&names_b, b));
        for name in &names_a {
            let [a, b] = [&by_name_a, &by_name_b].map(|items| items.get(&**name).copied());
            self.at(name.clone(), a, b);
        }
        for name in &names_b {
            if !by_name_a.contains_key(&**name) {
                self.at(name.clone(), None, by_name_b.get(&**name).copied());
            }
        }
        let common_a = names_a.iter().filter(|it| by_name_b.contains_key(&***it));
        let common_b = names_b.iter().filter(|it| by_name_a.contains_key(&***it));
        if !common_a.eq(common_b) {
            self.at(
                "order".to_owned(),
                Some(&json!(names_a)),
                Some(&json!(names_b)),
            );
        }
    }
}

/// Whether all elements of a list are objects.
fn are_items(values: &[Value]) -> bool {
    values.iter().all(Value::is_object)
}

/// The objects by their names. Of equal names, the first is used.
fn by_name<'a>(names: &'a [String], items: &'a [Value]) -> HashMap<&'a str, &'a Value> {
    let mut by_name = HashMap::with_capacity(names.len());
    for (name, item) in names.iter().zip(items) {
        by_name.entry(&**name).or_insert(item);
    }
    by_name
}

/// The name of each object: its own, with a number if it occurs again, otherwise its index.
fn names(items: &[Value]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(items.len());
    let mut seen = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let name = item.get("name").and_then(Value::as_str);
        let Some(name) = name else {
            names.push(index.to_string());
            continue;
        };
        let count: &mut usize = seen.entry(name).or_default();
        *count += 1;
        names.push(match *count {
            1 => format!("{name:?}"),
            count => format!("{name:?} #{count}"),
        });
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(a: &Value, b: &Value) -> Vec<String> {
        let differences = compare(a, b);
        differences
            .iter()
            .map(|it| it.to_string().trim().to_owned())
            .collect()
    }

    #[test]
    fn items_are_compared_by_name_and_not_by_index() {
        let a = json!({ "bones": [
            { "name": "Root", "parent": null },
            { "name": "Arm", "parent": "Root" },
            { "name": "Arm", "parent": "Arm" },
        ]});
        let b = json!({ "bones": [
            { "name": "Root", "parent": null },
            { "name": "New", "parent": "Root" },
            { "name": "Arm", "parent": "New" },
        ]});
        let expected = [
            "bones / \"Arm\" / parent: \"Root\" → \"New\"",
            "- bones / \"Arm\" #2",
            "+ bones / \"New\"",
        ];
        assert_eq!(texts(&a, &b), expected);
        assert_eq!(texts(&a, &a), [""; 0]);
    }

    #[test]
    fn a_changed_order_is_a_difference() {
        let item = |name: &str| json!({ "name": name });
        let (a, b) = (json!([item("x"), item("y")]), json!([item("y"), item("x")]));
        assert_eq!(compare(&a, &b)[0].path, ["order"]);
    }

    #[test]
    fn hashes_and_long_lists_are_not_shown() {
        let a = json!({ "hash": "sha256:1", "list": [1, 2], "long": vec![0; 17] });
        let b = json!({ "hash": "sha256:2", "list": [1, 3], "long": vec![1; 17] });
        assert_eq!(
            texts(&a, &b),
            ["hash: changed", "list: [1,2] → [1,3]", "long: changed"]
        );
    }

    #[test]
    fn different_formats_are_not_compared_further() {
        let (a, b) = (
            json!({"format": "a", "x": 1}),
            json!({"format": "b", "y": 2}),
        );
        assert_eq!(texts(&a, &b), ["format: \"a\" → \"b\""]);
    }
}
