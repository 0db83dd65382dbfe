//! Says what is in files of models, animations and pictures: for people, or with `--json` one object
//! per file and line.
//!
//! You should see, for `cargo run --example inspect assets/models/sentry.mdl`, its skins, clips and
//! counts. With `--animation` and `--time` it also says where the vertices are then, and for Alamo
//! models the bones. No window opens and no GPU is needed.

mod abc;
mod ala;
mod alo;
mod describe;
mod dtx;
mod lgw;
mod mdl;
mod pose;
mod pose_abc;
mod pose_alo;
mod pose_mdl;

use classic_models_support as support;
use describe::{Content, Description};
use pose::{Poser, Request};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

const HELP: &str = "\
Says what is in files of models, animations and pictures.

usage: inspect FILE... [--json] [--animation CLIP] [--time SECONDS]

Files are Quake's .mdl, Alamo's .alo and .ala, LithTech's .abc and .dtx, and the .lgw of UFO:
Aftermath, whatever they are named.

  --json            one JSON object per file and line
  --animation CLIP  also say where the vertices are in this clip
  --time SECONDS    also say where the vertices are at this time of it (default: 0)

The CLIP of a Quake model is the name of one that is in it, by default the first; the time goes
round in it. That of an Alamo model is an .ala file, or the name in any case of one beside the model,
such as MOVE_00 for walker_MOVE_00.ala; the time stops at its end. Then it is also said where the
bones are, and which are visible. Without a clip an Alamo model is at rest.

That of a LithTech model is the name of one that is in it, in any case; of several of that name it is
the first. Without a name it is the first of all, and the time stops at its end.

An LGW model has no clips. What is wrong with one is told with its line and column.

The JSON of Alamo, LithTech and LGW models says where their vertices are in any case.

Exit status 1 if any file failed, 2 if the arguments are wrong.";

struct Args {
    files: Vec<PathBuf>,
    json: bool,
    request: Option<Request>,
}

fn main() -> ExitCode {
    let args = match parse(std::env::args_os().skip(1)) {
        Ok(Some(args)) => args,
        Ok(None) => {
            // Whoever reads may have had enough.
            let _ = writeln!(io::stdout(), "{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("inspect: {error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match inspect(&args) {
        Ok(failed) => ExitCode::from(u8::from(failed)),
        // Whoever reads has had enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("inspect: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Describes every file; true if any of them failed.
fn inspect(args: &Args) -> io::Result<bool> {
    let mut out = io::stdout().lock();
    let mut poser = None;
    let mut failed = false;
    for file in &args.files {
        let mut description = describe::describe(file);
        if let Description::Content(content) = &mut description
            && is_posed(args, content)
        {
            let new = || Poser::new(args.request.clone().unwrap_or_default());
            if let Err(error) = poser.get_or_insert_with(new).pose(file, content) {
                description = Description::Failed(error);
            }
        }
        failed |= matches!(description, Description::Failed(_));
        let file = file.display().to_string();
        if args.json {
            writeln!(out, "{}", description.to_json(&file))?;
        } else {
            writeln!(out, "{}", description.to_text(&file))?;
        }
    }
    Ok(failed)
}

/// Whether to say where the vertices are.
fn is_posed(args: &Args, content: &Content) -> bool {
    match content {
        Content::Mdl(_) => args.request.is_some(),
        Content::Abc(_) | Content::Alo(_) => args.request.is_some() || args.json,
        // Where those of a model without clips are is known already; a clip is an error.
        Content::Lgw(_) => {
            let request = args.request.as_ref();
            request.is_some_and(|request| request.animation.is_some())
        }
        Content::Ala(_) | Content::Dtx(_) => false,
    }
}

fn parse(args: impl Iterator<Item = OsString>) -> Result<Option<Args>, lexopt::Error> {
    use lexopt::prelude::*;
    let mut parser = lexopt::Parser::from_args(args);
    let mut files = Vec::new();
    let mut json = false;
    let (mut animation, mut time) = (None, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Value(file) => files.push(PathBuf::from(file)),
            Long("json") => json = true,
            Long("animation") => animation = Some(parser.value()?.string()?),
            Long("time") => time = Some(parser.value()?.parse::<f64>()?),
            Long("help") | Short('h') => return Ok(None),
            _ => return Err(argument.unexpected()),
        }
    }
    if files.is_empty() {
        return Err("no files".into());
    }
    if time.is_some_and(|time| !time.is_finite()) {
        return Err("--time must be a finite number".into());
    }
    let request = (animation.is_some() || time.is_some()).then(|| Request {
        animation,
        time: time.unwrap_or(0.0),
    });
    Ok(Some(Args {
        files,
        json,
        request,
    }))
}
