//! Checks of models and textures of LithTech, Quake and UFO: Aftermath.

use crate::engines::{self, Engine};
use crate::validate::game::checks::findings::{Context, Findings, limit_problem};
use crate::validate::game::problem::Kind;
use crate::validate::game::selection::Checked;
use bevy_classic_models::lgw::{ConvertedLgw, LgwLoaderSettings};
use bevy_classic_models::lithtech::{AbcLoaderSettings, ConvertedAbc, dtx};
use bevy_classic_models::quake::{ConvertedMdl, MdlLoaderSettings, Palette, mdl};

/// Adds the problems of a LithTech model.
pub fn abc(context: &Context<'_>, file: &Checked, bytes: &[u8], found: &mut Findings) {
    let loaded = ConvertedAbc::load(bytes, &AbcLoaderSettings::default());
    let Some(model) = found.add_error(loaded) else {
        return;
    };
    found.add_warnings(&model.warnings);
    if context.files.skin(&file.path, context.options).is_none() {
        let message =
            "no skin with the model's name in Skins or beside it: the game's code may name another";
        found.add(Kind::MissingSkin, message);
    }
}

/// Adds the problems of a LithTech texture.
pub fn dtx(bytes: &[u8], found: &mut Findings) {
    if let Some(texture) = found.add_error(dtx::parse(bytes)) {
        found.add_warnings(&texture.warnings);
    }
}

/// Adds the problems of a model of UFO: Aftermath.
pub fn lgw(context: &Context<'_>, file: &Checked, bytes: &[u8], found: &mut Findings) {
    let loaded = ConvertedLgw::load(bytes, &LgwLoaderSettings::default());
    let Some(model) = found.add_error(loaded) else {
        return;
    };
    found.add_warnings(&model.warnings);
    let materials = model.file.materials.iter();
    let units = materials.flat_map(|material| material.units().into_iter().flatten());
    let names = units.filter_map(|texture| texture.file.as_deref());
    found.add_textures(context, file, names);
}

/// Adds the problems of a Quake model, and the limits of engines that it exceeds.
pub fn mdl(engines: &[Engine], bytes: &[u8], found: &mut Findings) {
    let Some(file) = found.add_error(mdl::parse(bytes)) else {
        return;
    };
    let loaded = ConvertedMdl::load(bytes, &MdlLoaderSettings::default(), &Palette::default());
    let Some(model) = found.add_error(loaded) else {
        return;
    };
    found.add_warnings(&model.warnings);
    for limit in engines::of_model(&file, engines::or_all(engines)) {
        let problem = limit_problem(&found.file, &limit, engines);
        found.problems.push(problem);
    }
}
