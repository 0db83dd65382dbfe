//! Checks that the clips, skins and parts that the command line names exist, before an image is written.

use crate::view::alo_clips::PendingClips;
use crate::view::alo_parts::parts;
use crate::view::args::Args;
use crate::view::clips::{ClipList, ClipState};
use crate::view::mdl_models::mdl_clip;
use crate::view::viewed_model::{ViewedModel, is};
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;

/// The clips and skins of a model.
struct Choices<'a> {
    name: &'a str,
    clips: Vec<&'a str>,
    /// Whether the model has the clip of `--clip`.
    has_clip: bool,
    /// The skin count; `None` if the skin of this format cannot be chosen.
    skins: Option<usize>,
    /// Names of skins in the model's manifest.
    skin_names: Vec<&'a str>,
}

/// A model, and the clips and skins of its manifest.
type ModelData = (
    &'static ViewedModel,
    Option<&'static ClipList>,
    Option<&'static ModelClips>,
    Option<&'static ModelSkins>,
);

/// The names of a model's parts.
struct Parts<'a> {
    model: &'a str,
    names: Vec<String>,
}

/// Returns the load errors of the models, or an error if no model has a clip, skin or part that the arguments name.
pub fn check_args(
    args: Res<Args>,
    models: Query<ModelData>,
    mdl: Res<Assets<Mdl>>,
    alo: Res<Assets<Alo>>,
    abc: Res<Assets<Abc>>,
    lgw: Res<Assets<Lgw>>,
    pending_clips: Res<PendingClips>,
) -> Result<(), String> {
    let problems = models
        .iter()
        .filter_map(|(model, ..)| model.problem.clone());
    let problems: Vec<_> = problems
        .chain(pending_clips.problems.iter().cloned())
        .collect();
    if !problems.is_empty() {
        return Err(problems.join("\nclassic-models: "));
    }
    let mut choices = Vec::new();
    let mut with_parts: Vec<Parts> = Vec::new();
    for (model, list, own, skins) in &models {
        check_broken_clips(&args, model, list)?;
        choices.extend(
            choices_of(&args, model, list, own, &mdl, &abc).map(|choices| Choices {
                skin_names: skins.map_or_else(Vec::new, |skins| skins.names().collect()),
                ..choices
            }),
        );
        let alo = model.asset(&alo);
        let of_alo = alo.map(|alo| parts(alo).into_iter().map(|part| part.name).collect());
        let lgw = model.asset(&lgw);
        let of_lgw = lgw.map(|lgw| {
            lgw.meshes
                .iter()
                .map(|mesh| mesh.name.to_string())
                .collect()
        });
        let names = of_alo.or(of_lgw);
        with_parts.extend(names.map(|names| Parts {
            model: &model.name,
            names,
        }));
    }
    check_clip(&args, &choices)?;
    check_skin(&args, &choices)?;
    check_parts(&args, &with_parts)
}

/// The clips and skins of a model; `None` if it is not loaded.
fn choices_of<'a>(
    args: &Args,
    model: &'a ViewedModel,
    list: Option<&'a ClipList>,
    own: Option<&'a ModelClips>,
    mdl: &'a Assets<Mdl>,
    abc: &Assets<Abc>,
) -> Option<Choices<'a>> {
    let requested = args.clip.as_deref();
    if is::<Mdl>(&model.handle) {
        let mdl = model.asset(mdl)?;
        let named = own.into_iter().flat_map(|own| own.0.iter());
        let named = named.map(|clip| &*clip.name);
        let is_named = |name| own.is_some_and(|own| own.get(name).is_some());
        return Some(Choices {
            name: &model.name,
            clips: named
                .chain(mdl.clips.iter().map(|clip| &*clip.name))
                .collect(),
            has_clip: requested.is_some_and(|name| is_named(name) || mdl_clip(mdl, name).is_some()),
            skins: Some(mdl.skins.len()),
            skin_names: Vec::new(),
        });
    }
    if is::<Lgw>(&model.handle) && model.problem.is_none() {
        return Some(Choices {
            name: &model.name,
            clips: Vec::new(),
            has_clip: false,
            skins: None,
            skin_names: Vec::new(),
        });
    }
    let list = list?;
    let abc = model.asset(abc);
    Some(Choices {
        name: &model.name,
        clips: list.0.iter().map(|clip| &*clip.name).collect(),
        has_clip: requested.is_some_and(|name| list.named(name).is_some()),
        skins: abc.map(|abc| abc.skins.len()),
        skin_names: Vec::new(),
    })
}

/// Returns an error if a clip that the arguments name is broken. Other broken clips are warnings.
fn check_broken_clips(
    args: &Args,
    model: &ViewedModel,
    list: Option<&ClipList>,
) -> Result<(), String> {
    let is_given = |name: &str| {
        let mut files = args.files.iter().filter_map(|file| file.file_stem());
        let name = name.to_lowercase();
        files.any(|file| file.to_string_lossy().to_lowercase().ends_with(&name))
    };
    let Some(list) = list else {
        return Ok(());
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
    if models.iter().any(|model| model.has_clip) {
        return Ok(());
    }
    let list = |model: &Choices| match model.clips.len() {
        0 => format!("{} has no clips", model.name),
        _ => format!("{} has {}", model.name, model.clips.join(", ")),
    };
    let lists: Vec<String> = models.iter().map(list).collect();
    Err(format!(
        "no model has a clip \"{name}\": {}",
        lists.join("; ")
    ))
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
            "no model has a skin \"{name}\": the manifests have {}",
            names.join(", ")
        ),
    })
}

fn check_parts(args: &Args, models: &[Parts]) -> Result<(), String> {
    for (name, _) in &args.parts.0 {
        let matches = |part: &String| part.to_lowercase() == name.to_lowercase();
        if !models.iter().any(|model| model.names.iter().any(matches)) {
            let list = |of: &Parts| format!("{} has {}", of.model, of.names.join(", "));
            let lists = match models {
                [] => "the models have no named parts".to_owned(),
                _ => models.iter().map(list).collect::<Vec<_>>().join("; "),
            };
            return Err(format!("no model has a part \"{name}\": {lists}"));
        }
    }
    Ok(())
}
