//! Writes a manifest of the selected model as it is shown, and images of the window.

use crate::output_file::create_folder;
use crate::paths::archive_file::{Location, absolute, locate};
use crate::view::actions::action::Action;
use crate::view::camera::framing::{DefaultView, OpenedModels};
use crate::view::camera::orbit::Orbit;
use crate::view::models::file_data::parts;
use crate::view::models::shown_model::{ShownModel, ShownModelItem};
use crate::view::open::files::Folders;
use crate::view::row::Row;
use bevy::asset::AssetPath;
use bevy::asset::io::AssetSourceId;
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy_classic_models::lithtech::AbcLoaderSettings;
use bevy_classic_models::manifest::{
    ManifestClip, ManifestColors, ManifestRepeat, ManifestView, ModelManifest, NameOrIndex,
};
use bevy_classic_models::prelude::{PlayClip, *};
use bevy_classic_models::root::Repeat;
use classic_models_support::images::{self, Alpha};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Writes manifests of models.
#[derive(SystemParam)]
pub struct ManifestWriter<'w, 's> {
    row: Res<'w, Row>,
    folders: Res<'w, Folders>,
    manifests: Res<'w, Assets<ModelManifest>>,
    models: Query<'w, 's, ShownModel>,
    opened: OpenedModels<'w, 's>,
    cameras: Query<'w, 's, &'static Orbit>,
    default_view: Res<'w, DefaultView>,
}

impl ManifestWriter<'_, '_> {
    /// Writes a manifest of the selected model. With `force`, an existing file is replaced.
    ///
    /// # Errors
    /// If the file exists, the model as shown cannot be described, or the file cannot be written.
    pub fn write(&self, file: &Path, force: bool) -> Result<(), String> {
        let selected = self.row.selected();
        let shown = selected.and_then(|model| self.models.get(model).ok());
        let shown = shown.ok_or("no model is selected")?;
        let file = absolute(file);
        let mut manifest = self.manifest(&shown, &file)?;
        manifest.view = self.view().or(manifest.view);
        let text = manifest.to_ron().map_err(|error| error.to_string())?;
        create_folder(&file)?;
        save(&file, &text, force).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => exists(&file),
            _ => format!("{}: {error}", file.display()),
        })
    }

    /// A path where no file exists: beside the model, or in the nearest folder above it that has the skin too.
    fn free_name(&self) -> Option<PathBuf> {
        let shown = self.models.get(self.row.selected()?).ok()?;
        let file = &shown.model.file;
        let stem = file.file_stem()?.to_string_lossy();
        let folder = self.folder_with_skin(file.parent()?, shown.skin);
        let path = |number| match number {
            1 => folder.join(format!("{stem}.model.ron")),
            _ => folder.join(format!("{stem}-{number}.model.ron")),
        };
        (1..).map(path).find(|path| !path.exists())
    }

    /// The nearest folder from which a manifest can refer to a skin. Manifests can refer to all files of the assets folder.
    fn folder_with_skin<'a>(&self, folder: &'a Path, skin: Option<&ModelSkin>) -> &'a Path {
        let skin = match skin {
            Some(ModelSkin::Path(path)) if *path.source() != AssetSourceId::Default => {
                self.folders.file_of(path)
            }
            _ => None,
        };
        let above = skin.and_then(|skin| folder.ancestors().find(|above| skin.starts_with(above)));
        above.unwrap_or(folder)
    }

    /// The view of the selected model, unless it is the default.
    fn view(&self) -> Option<ManifestView> {
        let (origin, size) = self.opened.measures(self.row.selected()?)?;
        let camera = self.cameras.iter().next()?;
        let is_default = self.default_view.0 == Some(*camera);
        (!is_default).then(|| camera.to_manifest(origin, size))
    }

    fn manifest(&self, shown: &ShownModelItem, file: &Path) -> Result<ModelManifest, String> {
        let opened = shown.model.manifest.as_ref();
        if !matches!(locate(&shown.model.file), Ok(Location::File)) {
            let name = &shown.model.name;
            return Err(format!(
                "{name} is in an archive: extract it to write a manifest of it"
            ));
        }
        let before = opened.and_then(|opened| self.manifests.get(&opened.handle));
        let mut manifest = before.cloned().unwrap_or_default();
        let moves = opened.is_some_and(|opened| opened.file.parent() != file.parent());
        if moves && names_files(&manifest) {
            let name = &shown.model.name;
            return Err(format!(
                "{}: the manifest of {name} has paths relative to its own folder: save the new manifest in that folder",
                file.display()
            ));
        }
        let model = shown.model;
        manifest.model = name_from(file, &model.file, &model.path)?;
        manifest.play = match shown.play {
            Some((play, _)) => {
                let clip = self.clip(&play.clip, file)?;
                Some(played_clip(play, clip, &mut manifest.clips))
            }
            None => None,
        };
        manifest.skin = self.skin(shown.skin, &mut manifest.skins, file)?;
        manifest.lod_distances = distances(shown);
        manifest.team_color = shown.team.map(|TeamColor(color)| color.to_srgba());
        manifest.player_colors = shown.colors.map(|colors| ManifestColors {
            shirt: colors.shirt,
            pants: colors.pants,
        });
        manifest.damage_stage = shown.stage.map(|alt| alt.0).filter(|alt| *alt > 0);
        (manifest.hidden, manifest.shown) = hidden(shown);
        Ok(manifest)
    }

    /// The path by which `manifest` refers to the file of an asset path.
    fn name(&self, manifest: &Path, path: &AssetPath<'static>) -> Result<String, String> {
        let path = path.clone().without_label().clone_owned();
        let file = self.folders.file_of(&path);
        let file =
            file.ok_or_else(|| format!("{path} is not in a folder that a manifest can refer to"))?;
        name_from(manifest, &file, &path)
    }

    /// The manifest entry of a clip, without name, speed and repeat mode.
    fn clip(&self, clip: &ClipRef, file: &Path) -> Result<ManifestClip, String> {
        let mut entry = ManifestClip::default();
        match clip {
            ClipRef::Name(name) => entry.clip = Some(NameOrIndex::Name(name.clone())),
            ClipRef::Index(index) => entry.clip = Some(NameOrIndex::Index(*index)),
            ClipRef::Frames(range) => entry.frames = frames(range),
            ClipRef::Handle(clip) => {
                let path = clip.path().ok_or("the clip was not loaded from a file")?;
                entry.file = Some(self.name(file, path)?);
            }
            ClipRef::Part {
                clip,
                frames: range,
            } => {
                entry = self.clip(clip, file)?;
                if entry.frames.is_some() {
                    return Err(
                        "a manifest cannot refer to frames of a clip that is itself a range of frames"
                            .to_owned(),
                    );
                }
                entry.frames = frames(range);
            }
            _ => return Err("a manifest cannot refer to the clip that plays".to_owned()),
        }
        Ok(entry)
    }

    /// The value of `skin`. Adds an entry to `skins` for an image that is given by its path, unless there is one.
    fn skin(
        &self,
        skin: Option<&ModelSkin>,
        skins: &mut BTreeMap<String, String>,
        file: &Path,
    ) -> Result<Option<NameOrIndex>, String> {
        Ok(match skin {
            None | Some(ModelSkin::Index(0)) => None,
            Some(ModelSkin::Index(index)) => Some(NameOrIndex::Index(*index)),
            Some(ModelSkin::Name(name)) if skins.contains_key(name) || !name.contains('.') => {
                Some(NameOrIndex::Name(name.clone()))
            }
            Some(ModelSkin::Name(name)) => {
                let path = AssetPath::try_parse(name).map_err(|error| error.to_string())?;
                let path = ModelSkin::Path(path.into_owned());
                return self.skin(Some(&path), skins, file);
            }
            Some(ModelSkin::Path(path)) => {
                let image = self.name(file, path)?;
                let existing = skins.iter().find(|(_, other)| **other == image);
                if let Some((name, _)) = existing {
                    return Ok(Some(NameOrIndex::Name(name.clone())));
                }
                let name = free_name("shown", |name| skins.contains_key(name));
                skins.insert(name.clone(), image);
                Some(NameOrIndex::Name(name))
            }
            Some(_) => {
                return Err("the skin was not loaded from a file".to_owned());
            }
        })
    }
}

/// Writes a file. Only with `force`, an existing one is replaced.
fn save(file: &Path, text: &str, force: bool) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    options.create_new(!force);
    options.open(file)?.write_all(text.as_bytes())
}

/// The error of a manifest that exists.
pub fn exists(file: &Path) -> String {
    format!("{} exists; --force replaces it", file.display())
}

/// The first and the last frame, both included.
fn frames(range: &Range<u32>) -> Option<(u32, u32)> {
    Some((range.start, range.end.saturating_sub(1)))
}

/// Whether a manifest refers to files other than the model.
fn names_files(manifest: &ModelManifest) -> bool {
    !manifest.skins.is_empty()
        || !manifest.attachments.is_empty()
        || manifest.palette.is_some()
        || !manifest.texture_folders.is_empty()
        || manifest.clips.iter().any(|clip| clip.file.is_some())
}

/// The path by which a manifest refers to a file: relative to its own folder, otherwise to the root of the assets.
fn name_from(manifest: &Path, file: &Path, path: &AssetPath) -> Result<String, String> {
    let folder = manifest.parent().unwrap_or(Path::new(""));
    let name = match (file.strip_prefix(folder), path.source()) {
        (Ok(beside), _) => beside.to_string_lossy(),
        (Err(_), AssetSourceId::Default) => path.path().to_string_lossy(),
        _ => {
            let folder = file.parent().unwrap_or(Path::new("")).display();
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            return Err(format!(
                "{}: a manifest here cannot refer to {name}: save it in {folder} or a folder above",
                manifest.display()
            ));
        }
    };
    Ok(name.replace('\\', "/"))
}

/// The LOD distances of the component, otherwise of the model's file: of the levels that a game loads by default, because the
/// viewer loads more.
fn distances(shown: &ShownModelItem) -> Vec<f32> {
    let own = || {
        let (abc, _) = shown.abc?;
        let model = abc.model();
        let full = model.levels.first()?.triangles as f32;
        let level = |share: f32| {
            let mut levels = model.levels.iter();
            let level = levels.position(|level| level.triangles as f32 <= full * share);
            level.unwrap_or(model.levels.len() - 1)
        };
        let shares = AbcLoaderSettings::default().lod_shares;
        let mut levels: Vec<usize> = shares.into_iter().map(level).collect();
        levels.sort_unstable();
        levels.dedup();
        let distance = |level: usize| model.lod_distances.get(level.checked_sub(1)?).copied();
        Some(levels.into_iter().filter_map(distance).collect())
    };
    let chosen = shown.distances.map(|distances| distances.0.clone());
    let mut distances = chosen.or_else(own).unwrap_or_default();
    distances.retain(|distance| distance.is_finite());
    distances
}

/// Names of the parts that [`PartVisibility`] hides, and of those that it shows.
fn hidden(shown: &ShownModelItem) -> (Vec<String>, Vec<String>) {
    let mut names: Vec<String> = Vec::new();
    if let Some(alo) = shown.alo {
        names.extend(parts(alo.model()).into_iter().map(|part| part.name));
    }
    if let Some((lgw, _)) = shown.lgw {
        names.extend(lgw.model().meshes.iter().map(|mesh| mesh.name.to_string()));
    }
    if let Some((abc, _)) = shown.abc {
        names.extend(abc.model().nodes.iter().map(|node| node.name.to_string()));
    }
    names.sort();
    names.dedup();
    let state = |name: &String| shown.parts.and_then(|hidden| hidden.get(name));
    let of = |wanted: bool| {
        let names = names.iter().filter(|name| state(name) == Some(wanted));
        names.cloned().collect()
    };
    (of(true), of(false))
}

/// Writes a manifest beside the selected model on [`Action::SaveManifest`]. Never overwrites a file.
pub fn act_on_manifest(mut actions: MessageReader<Action>, writer: ManifestWriter) {
    for _ in actions.read().filter(|of| **of == Action::SaveManifest) {
        let Some(file) = writer.free_name() else {
            continue;
        };
        match writer.write(&file, false) {
            Ok(()) => info!("wrote {}", file.display()),
            Err(error) => warn!("the manifest was not written: {error}"),
        }
    }
}

/// The manifest value of `play` that plays the same as the component `play`. `shown` is the clip of `play`, without
/// name, speed and repeat mode.
///
/// Adds an entry to `clips` if the clip has another speed or repeat mode, a range of frames or a file, unless an equal
/// entry exists.
pub fn played_clip(
    play: &PlayClip,
    shown: ManifestClip,
    clips: &mut Vec<ManifestClip>,
) -> NameOrIndex {
    let repeat = match play.repeat {
        Repeat::Loop => Some(ManifestRepeat::Loop),
        Repeat::Once => Some(ManifestRepeat::Once),
        _ => None,
    };
    let plain = match (&shown.file, shown.frames, &shown.clip) {
        (None, None, Some(clip)) => Some(clip.clone()),
        _ => None,
    };
    // A name that refers to an entry plays at the entry's speed. An index never refers to an entry.
    if let Some(NameOrIndex::Name(name)) = &plain
        && let Some(entry) = clips.iter_mut().find(|entry| is_named(entry, name))
    {
        entry.speed *= play.speed;
        entry.repeat = repeat.unwrap_or(entry.repeat);
        return NameOrIndex::Name(name.clone());
    }
    let mut entry = ManifestClip {
        speed: play.speed,
        repeat: repeat.unwrap_or_default(),
        ..shown
    };
    let has_defaults = entry.speed == 1.0 && entry.repeat == ManifestRepeat::default();
    if let Some(plain) = &plain
        && has_defaults
    {
        return plain.clone();
    }
    if let Some(name) = name_of_same(&entry, clips) {
        return NameOrIndex::Name(name);
    }
    let name = match plain {
        Some(NameOrIndex::Name(name)) => name,
        Some(NameOrIndex::Index(index)) => format!("clip {index}"),
        None => "shown".to_owned(),
    };
    entry.name = free_name(&name, |name| {
        clips.iter().any(|entry| is_named(entry, name))
    });
    let name = NameOrIndex::Name(entry.name.clone());
    clips.push(entry);
    name
}

/// The name of an entry that is equal except for its name.
fn name_of_same(entry: &ManifestClip, clips: &[ManifestClip]) -> Option<String> {
    let is_same = |other: &&ManifestClip| {
        let renamed = ManifestClip {
            name: other.name.clone(),
            ..entry.clone()
        };
        !other.name.is_empty() && renamed == **other
    };
    clips.iter().find(is_same).map(|other| other.name.clone())
}

fn is_named(entry: &ManifestClip, name: &str) -> bool {
    entry.name.to_lowercase() == name.to_lowercase()
}

/// A name that is not taken: `name`, otherwise `name` with a number from 2.
pub fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let mut names = (1..).map(|number| match number {
        1 => name.to_owned(),
        _ => format!("{name} {number}"),
    });
    names.find(|name| !is_taken(name)).unwrap_or_default()
}

/// Writes an image of the window to the current folder on [`Action::SaveImage`]. Never overwrites a file.
pub fn act_on_image(mut actions: MessageReader<Action>, mut commands: Commands) {
    for _ in actions.read().filter(|of| **of == Action::SaveImage) {
        commands
            .spawn(Screenshot::primary_window())
            .observe(write_image);
    }
}

fn write_image(shot: On<ScreenshotCaptured>) {
    let file = free_image(Path::new(""));
    match images::save(shot.image.clone(), Alpha::Opaque, &file) {
        Ok(()) => info!("wrote {}", file.display()),
        Err(error) => error!("the image was not written: {error}"),
    }
}

/// A path in a folder where no file exists.
fn free_image(folder: &Path) -> PathBuf {
    let mut paths = (1..).map(|number: u32| folder.join(format!("classic-models-{number}.png")));
    paths.find(|path| !path.exists()).unwrap_or_default()
}

#[cfg(test)]
mod played_clip_tests;

#[cfg(test)]
mod window_image_tests {
    use super::free_image;

    #[test]
    fn images_do_not_overwrite_others() {
        let folder = tempfile::tempdir().unwrap();
        let first = free_image(folder.path());
        std::fs::write(&first, "").unwrap();
        let second = free_image(folder.path());
        assert!(first.ends_with("classic-models-1.png"));
        assert!(second.ends_with("classic-models-2.png"));
    }
}
