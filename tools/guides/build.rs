//! Writes the complete programs of the README and the guides into one Rust file, each as a module.

use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let root = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../..");
    let docs = root.join("docs");
    println!("cargo::rerun-if-changed={}", docs.display());
    let mut files: Vec<PathBuf> = fs::read_dir(docs)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "md"));
    files.sort();
    files.insert(0, root.join("README.md"));

    let (mut modules, mut table) = (String::new(), String::new());
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let guide = file.file_stem().unwrap_or_default().to_string_lossy();
        let guide = guide.to_lowercase();
        for (index, program) in programs(&fs::read_to_string(&file)?).iter().enumerate() {
            let name = format!("{guide}-{}", index + 1);
            let module = name.replace('-', "_");
            writeln!(
                modules,
                "mod {module} {{ use crate::DefaultPlugins;\n{program}}}"
            )?;
            writeln!(table, "    ({name:?}, || {{ let _ = {module}::main(); }}),")?;
        }
    }
    let text = format!(
        "{modules}\n/// Names and `main` functions.\npub const PROGRAMS: &[(&str, fn())] = &[\n{table}];\n"
    );
    fs::write(Path::new(&env::var("OUT_DIR")?).join("programs.rs"), text)?;
    Ok(())
}

/// The code blocks that are complete programs with a window and a model.
fn programs(text: &str) -> Vec<String> {
    let mut programs = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(attributes) = line.strip_prefix("```") else {
            continue;
        };
        let mut code = String::new();
        for line in lines.by_ref().take_while(|line| *line != "```") {
            // Hidden lines of documentation tests.
            code += match line {
                "#" => "",
                _ => line.strip_prefix("# ").unwrap_or(line),
            };
            code.push('\n');
        }
        let is_complete = code.contains("fn main()") && code.contains("DefaultPlugins");
        let has_window = !code.contains("WinitPlugin");
        let has_model = code.contains("ClassicModel::new(")
            || code.contains("ClassicModel(")
            || code.contains("Mesh3d(");
        if attributes.starts_with("rust") && is_complete && has_window && has_model {
            programs.push(code.replace("fn main()", "pub fn main()"));
        }
    }
    programs
}
