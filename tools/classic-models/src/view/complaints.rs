//! What was asked for on the command line and is not there.

use crate::view::alo_clips::Inbox;
use crate::view::alo_panel::parts;
use crate::view::args::Args;
use crate::view::clips::{ClipList, ClipState};
use crate::view::models::{ModelHandle, ViewedModel, mdl_clip};
use bevy::prelude::*;
use bevy_classic_models::alamo::Alo;
use bevy_classic_models::lgw::Lgw;
use bevy_classic_models::lithtech::Abc;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;

/// What a model has to choose from.
struct Offer<'a> {
    name: &'a str,
    clips: Vec<&'a str>,
    /// Whether the clip is one of them that was asked for.
    has_clip: bool,
    /// `None` if models of its kind have none to choose from.
    skins: Option<usize>,
    /// Names that its manifest has for skins.
    skin_names: Vec<&'a str>,
}

/// What there is to know of a model, and what its manifest names.
type Known = (
    &'static ViewedModel,
    Option<&'static ClipList>,
    Option<&'static ModelClips>,
    Option<&'static ModelSkins>,
);

/// What a model has that can be hidden.
struct Parts<'a> {
    model: &'a str,
    names: Vec<String>,
}

/// Why there shall be no picture.
pub fn complain(
    args: Res<Args>,
    models: Query<Known>,
    mdl: Res<Assets<Mdl>>,
    alo: Res<Assets<Alo>>,
    abc: Res<Assets<Abc>>,
    lgw: Res<Assets<Lgw>>,
    inbox: Res<Inbox>,
) -> Result<(), String> {
    let problems = models
        .iter()
        .filter_map(|(model, ..)| model.problem.clone());
    let problems: Vec<_> = problems.chain(inbox.problems.iter().cloned()).collect();
    if !problems.is_empty() {
        return Err(problems.join("\nclassic-models: "));
    }
    let mut offers = Vec::new();
    let mut with_parts: Vec<Parts> = Vec::new();
    for (model, list, own, skins) in &models {
        complain_of_broken_clips(&args, model, list)?;
        offers.extend(
            offer(&args, model, list, own, &mdl, &abc).map(|offer| Offer {
                skin_names: skins.map_or_else(Vec::new, |skins| skins.names().collect()),
                ..offer
            }),
        );
        let alo = model.handle.alo().and_then(|of| alo.get(of));
        let of_alo = alo.map(|alo| parts(alo).into_iter().map(|part| part.name).collect());
        let lgw = model.handle.lgw().and_then(|of| lgw.get(of));
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
    complain_of_clip(&args, &offers)?;
    complain_of_skin(&args, &offers)?;
    complain_of_parts(&args, &with_parts)
}

/// What a model has to choose from; `None` if it is not there.
fn offer<'a>(
    args: &Args,
    model: &'a ViewedModel,
    list: Option<&'a ClipList>,
    own: Option<&'a ModelClips>,
    mdl: &'a Assets<Mdl>,
    abc: &Assets<Abc>,
) -> Option<Offer<'a>> {
    let asked = args.clip.as_deref();
    if let ModelHandle::Mdl(handle) = &model.handle {
        let mdl = mdl.get(handle)?;
        let stated = own.into_iter().flat_map(|own| own.0.iter());
        let stated = stated.map(|clip| &*clip.name);
        let is_stated = |name| own.is_some_and(|own| own.get(name).is_some());
        return Some(Offer {
            name: &model.name,
            clips: stated
                .chain(mdl.clips.iter().map(|clip| &*clip.name))
                .collect(),
            has_clip: asked.is_some_and(|name| is_stated(name) || mdl_clip(mdl, name).is_some()),
            skins: Some(mdl.skins.len()),
            skin_names: Vec::new(),
        });
    }
    if model.handle.lgw().is_some() && model.problem.is_none() {
        return Some(Offer {
            name: &model.name,
            clips: Vec::new(),
            has_clip: false,
            skins: None,
            skin_names: Vec::new(),
        });
    }
    let list = list?;
    let abc = model.handle.abc().and_then(|of| abc.get(of));
    Some(Offer {
        name: &model.name,
        clips: list.0.iter().map(|clip| &*clip.name).collect(),
        has_clip: asked.is_some_and(|name| list.named(name).is_some()),
        skins: abc.map(|abc| abc.skins.len()),
        skin_names: Vec::new(),
    })
}

/// Clips that were given or asked for and are broken. Of others it is enough to tell.
fn complain_of_broken_clips(
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
        let asked = args.clip.as_deref().and_then(|name| list.named(name));
        let problem = format!("{}, clip {}: {why}", model.name, clip.name);
        if is_given(clip.name.trim_end_matches(".ala")) || asked == Some(clip) {
            return Err(problem);
        }
        warn!("{problem}");
    }
    Ok(())
}

fn complain_of_clip(args: &Args, offers: &[Offer]) -> Result<(), String> {
    let Some(name) = &args.clip else {
        return Ok(());
    };
    if offers.iter().any(|offer| offer.has_clip) {
        return Ok(());
    }
    let told = |offer: &Offer| match offer.clips.len() {
        0 => format!("{} has none", offer.name),
        _ => format!("{} has {}", offer.name, offer.clips.join(", ")),
    };
    let lists: Vec<String> = offers.iter().map(told).collect();
    Err(format!("there is no clip \"{name}\": {}", lists.join("; ")))
}

fn complain_of_skin(args: &Args, offers: &[Offer]) -> Result<(), String> {
    let most = offers.iter().filter_map(|offer| offer.skins).max();
    let most = most.unwrap_or_default();
    match &args.skin {
        Some(ModelSkin::Index(skin)) if *skin >= most => Err(format!(
            "there is no skin {skin}: {most} at most, counted from 0"
        )),
        // It may be the path of a picture, which has an extension.
        Some(ModelSkin::Name(name)) if !name.contains('.') => complain_of_skin_name(name, offers),
        _ => Ok(()),
    }
}

fn complain_of_skin_name(name: &str, offers: &[Offer]) -> Result<(), String> {
    let names = offers.iter().flat_map(|offer| &offer.skin_names);
    let mut names: Vec<&str> = names.copied().collect();
    names.sort_unstable();
    if names.contains(&&*name.to_lowercase()) {
        return Ok(());
    }
    Err(match names.len() {
        0 => format!("there is no skin \"{name}\": only manifests name skins"),
        _ => format!(
            "there is no skin \"{name}\": there are {}",
            names.join(", ")
        ),
    })
}

fn complain_of_parts(args: &Args, models: &[Parts]) -> Result<(), String> {
    for (name, _) in &args.parts.0 {
        let is_it = |known: &String| known.to_lowercase() == name.to_lowercase();
        if !models.iter().any(|model| model.names.iter().any(is_it)) {
            let told = |of: &Parts| format!("{} has {}", of.model, of.names.join(", "));
            let lists = match models {
                [] => "no model here has parts".to_owned(),
                _ => models.iter().map(told).collect::<Vec<_>>().join("; "),
            };
            return Err(format!("there is no part \"{name}\": {lists}"));
        }
    }
    Ok(())
}
