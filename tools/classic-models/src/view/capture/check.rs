//! Checks that the clips, skins and parts that the command line names exist, before an image is written.

use crate::messages;
use crate::view::models::clip_list::{ClipList, ClipState};
use crate::view::models::clips::PendingClips;
use crate::view::models::file_data::parts;
use crate::view::models::viewed_model::{ModelAssets, ViewedModel};
use crate::view::open::args::Args;
use crate::view::row::Row;
use bevy::prelude::*;
use bevy_classic_models::load::{did_you_mean, listed_names};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::root::ModelSkins;

/// A model, its clips and skins, and the names of its parts.
struct Choices<'a> {
    name: &'a str,
    list: &'a ClipList,
    /// The skin count; `None` if the skin of this format cannot be chosen.
    skins: Option<usize>,
    /// Names of skins in the model's manifest.
    skin_names: Vec<&'a str>,
    /// `None` for formats without named parts.
    parts: Option<Vec<String>>,
}

/// Returns the load errors of the models, or an error if no model has a clip, skin or part that the arguments name.
pub fn check_args(
    (args, row): (Res<Args>, Res<Row>),
    models: Query<(&ViewedModel, &ClipList, Option<&ModelSkins>)>,
    assets: ModelAssets,
    pending_clips: Res<PendingClips>,
) -> Result<(), String> {
    let models = || {
        row.models
            .iter()
            .filter_map(|model| models.get(*model).ok())
    };
    let problems = models().filter_map(|(model, ..)| model.problem.as_ref());
    let problems = problems.chain(&pending_clips.problems);
    let problems: Vec<&str> = problems.map(|problem| &**problem).collect();
    if !problems.is_empty() {
        return Err(problems.join("\nclassic-models: "));
    }
    let mut choices = Vec::new();
    for (model, list, skins) in models() {
        check_broken_clips(&args, model, list)?;
        let abc = model.asset(&assets.abc).map(|abc| abc.skins.len());
        let mdl = model.asset(&assets.mdl).map(|mdl| mdl.skins.len());
        let alo = model.asset(&assets.alo);
        let alo = alo.map(|alo| parts(alo).into_iter().map(|part| part.name).collect());
        let lgw = model.asset(&assets.lgw).map(|lgw| lgw.meshes.iter());
        let lgw = lgw.map(|meshes| meshes.map(|mesh| mesh.name.to_string()).collect());
        choices.push(Choices {
            name: &model.name,
            list,
            skins: abc.or(mdl),
            skin_names: skins.map_or_else(Vec::new, |skins| skins.names().collect()),
            parts: alo.or(lgw),
        });
    }
    let is_quake = models().any(|(model, ..)| model.is::<Mdl>());
    if !is_quake {
        for option in of_quake(&args) {
            messages::message(format_args!(
                "warning: {option} has no effect: no model is a Quake model"
            ));
        }
    }
    check_clip(&args, &choices)?;
    check_skin(&args, &choices)?;
    check_parts(&args, &choices)
}

/// The options that are given, and have an effect only on Quake models.
fn of_quake(args: &Args) -> impl Iterator<Item = &'static str> {
    let options = [
        ("--palette", args.palette.is_some()),
        ("--hole-index", args.hole_index.is_some()),
        ("--external-skins", args.external_skins),
        ("--colors", args.colors.is_some()),
    ];
    let given = options.into_iter().filter(|(_, is_given)| *is_given);
    given.map(|(option, _)| option)
}

/// Returns an error if a clip that the arguments name is broken. Other broken clips are warnings.
fn check_broken_clips(args: &Args, model: &ViewedModel, list: &ClipList) -> Result<(), String> {
    let is_given = |name: &str| {
        let mut files = args.files.iter().filter_map(|file| file.file_stem());
        let name = name.to_lowercase();
        files.any(|file| file.to_string_lossy().to_lowercase().ends_with(&name))
    };
    for clip in &list.0 {
        let ClipState::Broken(why) = &clip.state else {
            continue;
        };
        let requested = args.clip.as_deref().and_then(|name| list.named(name));
        let problem = format!("{}, clip {}: {why}", model.name, clip.name);
        if is_given(clip.name.trim_end_matches(".ala")) || requested == Some(clip) {
            return Err(problem);
        }
        warn!("{problem}");
    }
    Ok(())
}

fn check_clip(args: &Args, models: &[Choices]) -> Result<(), String> {
    let Some(name) = &args.clip else {
        return Ok(());
    };
    if models.iter().any(|model| model.list.named(name).is_some()) {
        return Ok(());
    }
    let list = |model: &Choices| {
        let clips = match model.list.0.is_empty() {
            true => "no clips".to_owned(),
            false => listed_names(model.list.names()),
        };
        format!("{} has {clips}", model.name)
    };
    let lists = models.iter().map(list).collect::<Vec<_>>().join("; ");
    let near = did_you_mean(name, models.iter().flat_map(|model| model.list.names()));
    Err(format!("no model has a clip \"{name}\": {lists}{near}"))
}

fn check_skin(args: &Args, models: &[Choices]) -> Result<(), String> {
    let most = models.iter().filter_map(|model| model.skins).max();
    let most = most.unwrap_or_default();
    match &args.skin {
        Some(ModelSkin::Index(skin)) if *skin >= most => Err(match most {
            0 => format!("no model has a skin {skin}: the models have no skins"),
            _ => format!(
                "no model has a skin {skin}: the largest index is {}",
                most - 1
            ),
        }),
        // A name with an extension may be the path of an image.
        Some(ModelSkin::Name(name)) if !name.contains('.') => check_skin_name(name, models),
        _ => Ok(()),
    }
}

fn check_skin_name(name: &str, models: &[Choices]) -> Result<(), String> {
    let names = models.iter().flat_map(|model| &model.skin_names);
    let mut names: Vec<&str> = names.copied().collect();
    names.sort_unstable();
    if names.contains(&&*name.to_lowercase()) {
        return Ok(());
    }
    Err(match names.len() {
        0 => {
            format!("no model has a skin \"{name}\": only manifests name skins, and none here does")
        }
        _ => format!(
            "no model has a skin \"{name}\": the manifests have {}{}",
            listed_names(names.iter().copied()),
            did_you_mean(name, names.iter().copied())
        ),
    })
}

fn check_parts(args: &Args, models: &[Choices]) -> Result<(), String> {
    let parts = models
        .iter()
        .filter_map(|model| Some((model.name, model.parts.as_ref()?)));
    for (name, _) in &args.parts.0 {
        let matches = |part: &String| part.to_lowercase() == name.to_lowercase();
        if !parts.clone().any(|(_, parts)| parts.iter().any(matches)) {
            let list = |(model, parts): (&str, &Vec<String>)| {
                format!(
                    "{model} has {}",
                    listed_names(parts.iter().map(String::as_str))
                )
            };
            let lists: Vec<String> = parts.clone().map(list).collect();
            let lists = match lists.is_empty() {
                true => "the models have no named parts".to_owned(),
                false => lists.join("; "),
            };
            let all = parts.clone().flat_map(|(_, parts)| parts);
            let near = did_you_mean(name, all.map(String::as_str));
            return Err(format!("no model has a part \"{name}\": {lists}{near}"));
        }
    }
    Ok(())
}
