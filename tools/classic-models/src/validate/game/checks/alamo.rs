//! Checks of Alamo models with their clips, and of particle systems.

use crate::convert::alo::clips::mismatch;
use crate::validate::game::checks::findings::{Context, Findings};
use crate::validate::game::clips::{self, Clip};
use crate::validate::game::problem::{Kind, Problem};
use crate::validate::game::selection::Checked;
use bevy::asset::RenderAssetUsages;
use bevy_classic_models::alamo::particles::plugins::{self, is_plugin_system};
use bevy_classic_models::alamo::particles::{self, file_name};
use bevy_classic_models::alamo::{AloBoneInfo, AloTags, ConvertedAlo, ala};
use std::collections::BTreeSet;

/// Adds the problems of a model, and returns those of its clips.
pub fn model(
    context: &Context<'_>,
    file: &Checked,
    bytes: &[u8],
    clips: &[Clip],
    found: &mut Findings,
) -> Vec<Problem> {
    let loaded = ConvertedAlo::load(bytes, RenderAssetUsages::MAIN_WORLD);
    let model = found.add_error(loaded);
    if let Some(model) = &model {
        found.add_warnings(&model.warnings);
        found.add_textures(context, file, textures(model));
        add_proxies(context, file, model, found);
    }
    let bones = model.as_ref().map(|model| &*model.bones);
    let problems = clips.iter().flat_map(|clip| {
        let clip = context.checked.get(clip.file);
        clip.map(|clip| clip_of(context, clip, (file, bones)))
            .unwrap_or_default()
    });
    let mut problems: Vec<Problem> = problems.collect();
    problems.extend(clips::missing(clips, context.checked));
    problems
}

/// The textures of what is drawn.
fn textures<'m>(model: &'m ConvertedAlo<'_>) -> impl Iterator<Item = &'m str> {
    let submeshes = model
        .meshes
        .iter()
        .flatten()
        .map(|submesh| &submesh.shading);
    let drawn = submeshes.filter(|shading| shading.is_drawn());
    let of_submeshes = drawn.flat_map(|shading| {
        let textures = [
            &shading.base_texture,
            &shading.normal_texture,
            &shading.extra_texture,
        ];
        textures.into_iter().flatten().map(String::as_str)
    });
    let dazzles = model.file.dazzles.iter();
    of_submeshes.chain(dazzles.map(|dazzle| &*dazzle.texture))
}

fn add_proxies(
    context: &Context<'_>,
    file: &Checked,
    model: &ConvertedAlo<'_>,
    found: &mut Findings,
) {
    let proxies = model.file.proxies.iter();
    let stems: BTreeSet<String> = proxies.map(|proxy| AloTags::of(&proxy.name).stem).collect();
    for stem in stems {
        let name = format!("{stem}.alo");
        if context.files.beside(&file.path, &name).is_none() {
            let message = format!("the file of a proxy, \"{name}\", was not found");
            found.add(Kind::MissingProxy, message);
        }
    }
}

/// The problems of a clip. If its model can be read, also the bones that do not match.
fn clip_of(
    context: &Context<'_>,
    clip: &Checked,
    (model, bones): (&Checked, Option<&[AloBoneInfo]>),
) -> Vec<Problem> {
    let mut found = Findings::of(clip);
    let bytes = found.add_error(context.files.read(&clip.path));
    let bytes = bytes.unwrap_or_default();
    let parsed = match found.problems.is_empty() {
        true => found.add_error(ala::parse(&bytes)),
        false => None,
    };
    if let Some(parsed) = &parsed {
        found.add_warnings(&parsed.warnings);
    }
    let mut problems = match clip.is_selected {
        true => found.problems,
        false => Vec::new(),
    };
    let mismatches = parsed.iter().zip(bones).flat_map(|(parsed, bones)| {
        let bones = parsed.bones.iter().map(|bone| mismatch(bones, bone));
        bones.flatten()
    });
    let mismatches: Vec<String> = mismatches.collect();
    if let Some(first) = mismatches.first()
        && (clip.is_selected || model.is_selected)
    {
        let others = match mismatches.len() - 1 {
            0 => String::new(),
            others => format!(" (and {others} more bones)"),
        };
        let message = format!("does not fit {}: {first}{others}", model.shown);
        problems.push(Problem::new(Kind::ClipMismatch, &clip.shown, message));
    }
    problems
}

/// Adds the problems of a clip that belongs to no model.
pub fn clip(bytes: &[u8], found: &mut Findings) {
    if let Some(parsed) = found.add_error(ala::parse(bytes)) {
        found.add_warnings(&parsed.warnings);
    }
    let message = "no model's name begins the name of this clip, so no model plays it";
    found.add(Kind::ClipWithoutModel, message);
}

/// Adds the problems of a particle system.
pub fn particles(context: &Context<'_>, file: &Checked, bytes: &[u8], found: &mut Findings) {
    let (emitters, warnings) = if is_plugin_system(bytes) {
        let Some(parsed) = found.add_error(plugins::parse(bytes)) else {
            return;
        };
        (parsed.to_emitters(), parsed.warnings)
    } else {
        let Some(parsed) = found.add_error(particles::parse(bytes)) else {
            return;
        };
        (parsed.emitters, parsed.warnings)
    };
    found.add_warnings(&warnings);
    let textures = emitters.iter();
    let textures = textures.map(|emitter| file_name(&emitter.color_texture));
    found.add_textures(context, file, textures);
}
