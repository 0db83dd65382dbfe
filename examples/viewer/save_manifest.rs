//! Writes a manifest of what is shown now.

use crate::actions::Action;
use crate::alo_panel::parts;
use crate::files::absolute;
use crate::models::{Row, ViewedModel};
use bevy::asset::io::AssetSourceId;
use bevy::ecs::query::QueryData;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy_classic_models::model::manifest::{
    ManifestClip, ManifestColors, ManifestRepeat, NameOrIndex,
};
use bevy_classic_models::prelude::*;
use std::path::{Path, PathBuf};

/// What is chosen about a model.
#[derive(QueryData)]
pub struct Shown {
    model: &'static ViewedModel,
    play: Option<&'static PlayClip>,
    skin: Option<&'static ModelSkin>,
    distances: Option<&'static LodDistances>,
    team: Option<&'static TeamColor>,
    colors: Option<&'static PlayerColors>,
    hidden: Option<&'static HiddenParts>,
    alt: Option<&'static ModelAlt>,
    alo: Option<&'static AloInstance>,
    abc: Option<&'static AbcInstance>,
    lgw: Option<&'static LgwInstance>,
}

/// Writes manifests of models.
#[derive(SystemParam)]
pub struct ManifestWriter<'w, 's> {
    row: Res<'w, Row>,
    manifests: Res<'w, Assets<ModelManifest>>,
    models: Query<'w, 's, Shown>,
}

impl ManifestWriter<'_, '_> {
    /// Writes what is shown of the selected model.
    pub fn write(&self, file: &Path) -> Result<(), String> {
        let selected = self.row.selected();
        let shown = selected.and_then(|model| self.models.get(model).ok());
        let shown = shown.ok_or("there is no model")?;
        let file = absolute(file);
        let manifest = self.manifest(&shown, &file)?;
        let text = manifest.to_ron().map_err(|error| error.to_string())?;
        std::fs::write(&file, text).map_err(|error| format!("{}: {error}", file.display()))
    }

    /// A name beside the model that no file has.
    fn free_name(&self) -> Option<PathBuf> {
        let file = &self.models.get(self.row.selected()?).ok()?.model.file;
        let stem = file.file_stem()?.to_string_lossy();
        let names = (1..).map(|number| match number {
            1 => format!("{stem}.model.ron"),
            _ => format!("{stem}-{number}.model.ron"),
        });
        names
            .map(|name| file.with_file_name(name))
            .find(|path| !path.exists())
    }

    fn manifest(&self, shown: &ShownItem, file: &Path) -> Result<ModelManifest, String> {
        let opened = shown.model.manifest.as_ref();
        let before = opened.and_then(|opened| self.manifests.get(&opened.handle));
        let mut manifest = before.cloned().unwrap_or_default();
        let moves = opened.is_some_and(|opened| opened.file.parent() != file.parent());
        if moves && names_files(&manifest) {
            let name = &shown.model.name;
            return Err(format!(
                "{name} names files from its own folder: save the new manifest there too"
            ));
        }
        manifest.model = model_name(shown.model, file)?;
        if let Some(play) = shown.play {
            manifest.play = playing(play, &mut manifest.clips);
        } else {
            manifest.play = None;
        }
        manifest.skin = skin(shown.skin, &mut manifest)?;
        manifest.lod_distances = distances(shown);
        manifest.team_color = shown.team.map(|TeamColor(color)| color.to_srgba());
        manifest.player_colors = shown.colors.map(|colors| ManifestColors {
            shirt: colors.shirt,
            pants: colors.pants,
        });
        manifest.alt = shown.alt.map(|alt| alt.0).filter(|alt| *alt > 0);
        (manifest.hidden, manifest.shown) = hidden(shown);
        Ok(manifest)
    }
}

/// Whether it names files beside the model.
fn names_files(manifest: &ModelManifest) -> bool {
    !manifest.skins.is_empty()
        || !manifest.attachments.is_empty()
        || manifest.palette.is_some()
        || !manifest.texture_folders.is_empty()
        || manifest.clips.iter().any(|clip| clip.file.is_some())
}

/// The model's file as a manifest names it: from its own folder, else from the root of the assets.
fn model_name(model: &ViewedModel, manifest: &Path) -> Result<String, String> {
    let folder = manifest.parent().unwrap_or(Path::new(""));
    let name = match (model.file.strip_prefix(folder), model.path.source()) {
        (Ok(beside), _) => beside.to_string_lossy(),
        (Err(_), AssetSourceId::Default) => model.path.path().to_string_lossy(),
        _ => {
            let folder = model.file.parent().unwrap_or(Path::new(""));
            let place = folder.display();
            return Err(format!(
                "a manifest finds {} only from {place}, or a folder above it",
                model.name
            ));
        }
    };
    Ok(name.replace('\\', "/"))
}

/// What plays, as a clip of the manifest's own where it has another speed or end than it would have.
fn playing(play: &PlayClip, clips: &mut Vec<ManifestClip>) -> Option<NameOrIndex> {
    let chosen = match &play.clip {
        ClipRef::Name(name) => NameOrIndex::Name(name.clone()),
        ClipRef::Index(index) => NameOrIndex::Index(*index),
        // No file and no name says which.
        _ => return None,
    };
    let name = match &chosen {
        NameOrIndex::Name(name) => name.clone(),
        NameOrIndex::Index(index) => format!("clip {index}"),
    };
    let own = clips
        .iter_mut()
        .find(|clip| clip.name.to_lowercase() == name.to_lowercase());
    let repeat = match play.repeat {
        Repeat::Loop => Some(ManifestRepeat::Loop),
        Repeat::Once => Some(ManifestRepeat::Once),
        Repeat::AsStated => None,
    };
    if let Some(own) = own {
        own.speed *= play.speed;
        own.repeat = repeat.unwrap_or(own.repeat);
        return Some(chosen);
    }
    let repeat = repeat.unwrap_or_default();
    if play.speed == 1.0 && repeat == ManifestRepeat::default() {
        return Some(chosen);
    }
    clips.push(ManifestClip {
        name: name.clone(),
        clip: Some(chosen),
        speed: play.speed,
        repeat,
        ..ManifestClip::default()
    });
    Some(NameOrIndex::Name(name))
}

fn skin(
    skin: Option<&ModelSkin>,
    manifest: &mut ModelManifest,
) -> Result<Option<NameOrIndex>, String> {
    Ok(match skin {
        None | Some(ModelSkin::Index(0)) => None,
        Some(ModelSkin::Index(index)) => Some(NameOrIndex::Index(*index)),
        Some(ModelSkin::Name(name)) => Some(NameOrIndex::Name(name.clone())),
        Some(ModelSkin::Path(path)) => {
            let file = path.path().to_string_lossy().into_owned();
            manifest.skins.insert("shown".to_owned(), file);
            Some("shown".into())
        }
        Some(ModelSkin::Image(_)) => {
            return Err("the skin is in no file that a manifest could name".to_owned());
        }
    })
}

/// Those that were chosen, else those of the model's file.
fn distances(shown: &ShownItem) -> Vec<f32> {
    let own = || shown.abc.map(|abc| abc.model().lod_distances.clone());
    let chosen = shown.distances.map(|distances| distances.0.clone());
    let mut distances = chosen.or_else(own).unwrap_or_default();
    distances.retain(|distance| distance.is_finite());
    distances
}

/// Names of parts that are hidden, and of those that are shown although the file hides them.
fn hidden(shown: &ShownItem) -> (Vec<String>, Vec<String>) {
    let alo = shown.alo.into_iter().flat_map(|alo| parts(alo.model()));
    let alo = alo.map(|part| part.name);
    let lgw = shown.lgw.into_iter().flat_map(|lgw| &lgw.model().meshes);
    let lgw = lgw.map(|mesh| mesh.name.to_string());
    let abc = shown.abc.into_iter().flat_map(|abc| &abc.model().nodes);
    let abc = abc.map(|node| node.name.to_string());
    let mut names: Vec<String> = alo.chain(lgw).chain(abc).collect();
    names.sort();
    names.dedup();
    let state = |name: &String| shown.hidden.and_then(|hidden| hidden.get(name));
    let of = |wanted: bool| {
        let names = names.iter().filter(|name| state(name) == Some(wanted));
        names.cloned().collect()
    };
    (of(true), of(false))
}

/// Writes a manifest beside the selected model when that is asked for, under a name that no file has.
pub fn act_on_manifest(mut actions: MessageReader<Action>, writer: ManifestWriter) {
    for _ in actions.read().filter(|of| **of == Action::SaveManifest) {
        let Some(file) = writer.free_name() else {
            continue;
        };
        match writer.write(&file) {
            Ok(()) => info!("{} is what is shown now", file.display()),
            Err(error) => warn!("no manifest was written: {error}"),
        }
    }
}
