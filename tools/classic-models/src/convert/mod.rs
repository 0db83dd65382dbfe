//! The subcommand `convert`: converts models to glTF, textures to PNG, and both back.
//!
//! - `options` are the options of the command line, and `batch` plans and runs a `job` for each `input`, whose result `output`
//!   writes.
//! - `files` finds the files that models name.
//! - `document` is the glTF document, with `accessors` for its data, `mesh`, `morph`, `clip`, `textures`, `material` and `lods` for its
//!   parts, `names` for unique names, and `glb` for its containers.
//! - `alo`, `abc`, `mdl` and `lgw` convert one format each, with the `model` as their common interface.
//! - `html` makes pages that show models in a browser.
//! - `back` converts glTF files to those of games, `particles` text to particle systems and back, and `images` images and palettes.
//!
//! The values are those of the parsers and of the plugin's conversions. No app runs.

mod abc;
mod accessors;
pub mod alo;
mod back;
pub mod batch;
mod clip;
mod document;
pub mod files;
mod html;
mod images;
mod job;
mod lgw;
mod material;
mod mdl;
mod mesh;
mod model;
mod morph;
pub mod options;
mod particles;
#[cfg(test)]
mod tests;
mod textures;

use crate::file_format::is_model;
use crate::messages;
use crate::paths::archive_file::is_archive;
use crate::paths::game::{self, GameArgs, GameFiles};
use crate::paths::path_args::{self, Selected, Unmatched, WRONG_ARGUMENTS, Wanted};
use batch::{Plan, Run};
use files::Files;
use job::Input;
use options::{Options, Output};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;

/// Converts models to glTF for Blender and other programs, textures to PNG, and both back.
///
/// From .glb and .gltf to .mdl: all meshes become one, animations become poses, ten per second, and textures a skin in the
/// colors of a palette. To .lgw: a mesh for each material of each mesh. New textures become .tga files beside it. To .abc: nodes,
/// animations and events; each vertex follows one node, and new textures become one .tga file.
///
/// Models: Alamo .alo with the .ala animations beside it, LithTech .abc, Quake .mdl, UFO: Aftermath .lgw. Textures: .dds, .tga,
/// .dtx. A file can also be in an archive: id1/pak0.pak/progs/player.mdl. With --game, all models of a game are converted, or
/// those that match a pattern, and their textures, skins and animations are found in all its archives and folders.
///
/// IN can be a pattern, such as "Models/*.alo" or "id1/pak0.pak/progs/*.mdl", or a folder, which stands for all models and
/// textures in it and its folders.
///
/// To .html: one page with the model and a viewer, for any browser, without a server. Also from .glb and .gltf.
///
/// Particle systems, .alo, become text, .ron, in which all values can be edited, and back.
///
/// Images, .png, .jpg and textures, become .dds, .dtx or .tga textures; those of 256 texels become palettes, .lmp, and back.
///
/// OUT is a file if its extension is a kind of --format, otherwise a folder, which is created; a new folder with a dot in its
/// name needs a / at the end. In a folder, results have the names of their files; with --game, and if IN is a folder, also their
/// folders. Textures, skins and animations are found in the same folders as in the games, in any case, and become part of the
/// result. Y is up, models face +Z, and a unit of the file is a meter: see --scale.
///
/// Missing textures, skins and animations are warnings. A file that fails does not stop the others.
///
/// Exit status: 0; 1 if any file failed; 2 if the arguments are wrong.
#[derive(clap::Args)]
#[command(
    verbatim_doc_comment,
    override_usage = "classic-models convert [OPTIONS] <IN>... <OUT>",
    after_long_help = EXAMPLES
)]
pub struct Args {
    /// The files, or files in archives: ARCHIVE/PATH; patterns such as *.alo; folders: all models and textures in them; then
    /// the file or the folder to write to
    // One list, so that options can be between IN and OUT.
    #[arg(value_name = "IN> … <OUT", num_args = 1, required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    game: GameArgs,
    #[command(flatten)]
    options: Options,
    /// The kind of file in a folder; with glb and gltf, textures become .png files
    #[arg(long, value_name = "KIND", value_enum, default_value_t = Output::Glb)]
    format: Output,
    /// Replace existing files
    #[arg(long)]
    force: bool,
    /// How many files are converted at once; default: the count of processors
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

const EXAMPLES: &str = "\
Examples:
  One model, with its textures and animations:
    classic-models convert walker.alo walker.glb
  A page that shows a model in any browser:
    classic-models convert walker.alo walker.html
  All models of a folder, four at once:
    classic-models convert Models/*.abc out --jobs 4
  All models and textures in a folder and its folders:
    classic-models convert Data out
  A model in an archive, in meters:
    classic-models convert id1/pak0.pak/progs/player.mdl player.glb --scale 0.03125
  All models of a game, and only those in a folder of its archives:
    classic-models convert --game quake C:/Quake out --scale 0.03125
    classic-models convert --game empire-at-war C:/Games/EaW data/art/models/rv_* out
  A skin that is not at the games' path:
    classic-models convert hero.abc hero.glb --skin Skins/hero_red.dtx
  Textures in another folder, and a file for Blender, which shows all levels of detail:
    classic-models convert ship.alo ship.glb --textures Art/Textures --no-lods
  A model of Blender for Quake, with its clips in the order of the game's code:
    classic-models convert ogre.glb ogre.mdl --scale 0.03125 --clips stand,walk,run --engine quakespasm
  A particle system as text, and back:
    classic-models convert p_smoke.alo p_smoke.ron
    classic-models convert p_smoke.ron p_smoke.alo --force
  A texture, and all textures of a folder:
    classic-models convert hero.dtx hero.png
    classic-models convert Textures/*.dds pictures
  A skin for LithTech, all images of a folder as DDS textures, and a palette:
    classic-models convert hero.png hero.dtx --unlit ff8000
    classic-models convert Paintings out --format dds
    classic-models convert palette.png gfx/palette.lmp";

/// The files to convert, and what reads them.
///
/// # Errors
/// If the game cannot be opened, or has no models.
fn inputs(
    args: &Args,
    paths: &[PathBuf],
    kind: Output,
) -> Result<(Vec<Result<Input, Unmatched>>, Files), String> {
    let is_wanted = kind.takes();
    let Some((game, paths)) = args.game.open(paths)? else {
        let wanted = Wanted {
            is_wanted,
            what: kind.inputs(),
            keeps_folders: false,
            opens_archives: true,
        };
        let mut selected = path_args::expand(paths, &wanted);
        let is_single = matches!(paths, [path] if path.is_file() && is_archive(path));
        if is_single {
            keep_single_model(&mut selected);
        }
        let inputs = selected.into_iter();
        let inputs = inputs.map(|file| file.map(|file| Input::of(&file)));
        return Ok((inputs.collect(), Files::default()));
    };
    let selected = game::select(&game.source, paths, is_wanted);
    if selected.is_empty() {
        return Err(game::NO_MODELS.to_owned());
    }
    let inputs = selected.iter().map(|path| Ok(Input::of_game(&game, path)));
    let files = Files::of_game(GameFiles::of(&game));
    Ok((inputs.collect(), files))
}

/// Of an archive with one model, keeps only the model, which has the textures in its file. It is no folder.
fn keep_single_model(selected: &mut Vec<Result<Selected, Unmatched>>) {
    let is_model = |file: &&mut Result<Selected, Unmatched>| {
        file.as_ref().is_ok_and(|file| is_model(&file.path))
    };
    let mut models = selected.iter_mut().filter(is_model);
    if let (Some(Ok(model)), None) = (models.next(), models.next()) {
        let below = None;
        *selected = vec![Ok(Selected {
            path: model.path.clone(),
            below,
        })];
    }
}

/// Converts the files.
pub fn run(args: &Args) -> ExitCode {
    let Some((out, paths @ [_, ..])) = args.paths.split_last() else {
        messages::error("OUT is missing: give the file or the folder to write to after IN");
        return ExitCode::from(WRONG_ARGUMENTS);
    };
    let kind = Output::of(out).unwrap_or(args.format);
    let (inputs, files) = match inputs(args, paths, kind) {
        Ok(opened) => opened,
        Err(error) => return messages::failure(error),
    };
    let plan = match Plan::new(&inputs, out, args.format) {
        Ok(plan) => plan,
        Err(error) => {
            messages::error(error);
            return ExitCode::from(WRONG_ARGUMENTS);
        }
    };
    if let Some(option) = args.options.without_effect(kind) {
        let kind = kind.extension();
        messages::error(format_args!("{option} has no effect on .{kind} files"));
        return ExitCode::from(WRONG_ARGUMENTS);
    }
    let processors = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let run = Run {
        options: &args.options,
        files: &files,
        workers: args.jobs.map_or_else(processors, NonZeroUsize::get),
        force: args.force,
        beside: Mutex::default(),
    };
    let summary = run.convert(&plan);
    let files = messages::counted(summary.converted as u64, "file");
    let failed = match summary.failed {
        0 => String::new(),
        count => format!(", {count} failed"),
    };
    let out = out.display();
    let line = format_args!("{files} converted to {out}{failed}");
    match messages::line(line) {
        Ok(()) if summary.failed == 0 => ExitCode::SUCCESS,
        Ok(()) => ExitCode::FAILURE,
        Err(error) => messages::failure(error),
    }
}
