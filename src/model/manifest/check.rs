//! Checks a [`ModelManifest`] by itself, without other files: one that was read, and one made by code.

use super::manifest::{ManifestAttachment, ManifestClip, ModelManifest};
use super::problem::Flaw;
use super::problem::Step::{self, Element, Field, Key};
use super::values::{LONGEST_LIST, NameOrIndex};
use crate::scene::{PlayerColors, folded};
use std::collections::HashSet;

/// The longest name that is looked for, in bytes: many paths are made of it. Those of Windows have 260.
const LONGEST_NAME: usize = 1024;

/// Whether a name is a pattern of file names.
pub(super) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// The first flaw of a manifest that makes it useless.
pub(super) fn check(manifest: &ModelManifest) -> Option<Flaw<'_>> {
    if manifest.model.is_empty() {
        return Some(Flaw::new([], "lacks the field `model`"));
    }
    let flaw = lengths(manifest)
        .or_else(|| file([Field("model")], &manifest.model))
        .or_else(|| positive([Field("scale")], manifest.scale))
        .or_else(|| axes(manifest))
        .or_else(|| files(manifest))
        .or_else(|| distances(&manifest.lod_distances))
        .or_else(|| colors(manifest));
    let clips = || each("clips", &manifest.clips, clip);
    let names = || twice(&manifest.clips);
    let attachments = || each("attachments", &manifest.attachments, attachment);
    flaw.or_else(clips).or_else(names).or_else(attachments)
}

/// A list that is too long. Readers see to that by themselves.
fn lengths(manifest: &ModelManifest) -> Option<Flaw<'_>> {
    let lists = [
        ("texture_folders", manifest.texture_folders.len()),
        ("clips", manifest.clips.len()),
        ("skins", manifest.skins.len()),
        ("lod_distances", manifest.lod_distances.len()),
        ("hidden", manifest.hidden.len()),
        ("shown", manifest.shown.len()),
        ("attachments", manifest.attachments.len()),
    ];
    let (list, length) = lists
        .into_iter()
        .find(|(_, length)| *length > LONGEST_LIST)?;
    let message = format!("has {length} elements, but must have at most {LONGEST_LIST}");
    Some(Flaw::new([Field(list)], message))
}

/// The first flaw of the elements of a list.
fn each<'a, T>(
    list: &'static str,
    elements: &'a [T],
    check: impl Fn(&[Step<'a>], &'a T) -> Option<Flaw<'a>>,
) -> Option<Flaw<'a>> {
    let mut elements = elements.iter().enumerate();
    elements.find_map(|(index, element)| check(&[Field(list), Element(index)], element))
}

fn with<'a>(steps: &[Step<'a>], field: &'static str) -> Vec<Step<'a>> {
    let mut steps = steps.to_vec();
    steps.push(Field(field));
    steps
}

fn file<'a>(steps: impl IntoIterator<Item = Step<'a>>, name: &str) -> Option<Flaw<'a>> {
    match name.len() {
        0 => Some(Flaw::new(steps, "is empty, but must be the name of a file")),
        1..=LONGEST_NAME => None,
        length => {
            let message = format!("is {length} bytes long, but must be at most {LONGEST_NAME}");
            Some(Flaw::new(steps, message))
        }
    }
}

fn files(manifest: &ModelManifest) -> Option<Flaw<'_>> {
    let folders = &manifest.texture_folders;
    let folders = || {
        each("texture_folders", folders, |steps, name| {
            file(steps.to_vec(), name)
        })
    };
    let palette = manifest.palette.as_ref();
    let palette = palette.and_then(|name| file([Field("palette")], name));
    let mut skins = manifest.skins.iter();
    let skins = || skins.find_map(|(key, name)| file([Field("skins"), Key(key)], name));
    palette.or_else(folders).or_else(skins)
}

fn positive<'a>(steps: impl IntoIterator<Item = Step<'a>>, value: f32) -> Option<Flaw<'a>> {
    let message = format!("is {value}, but must be a finite number above 0");
    let is_sound = value.is_finite() && value > 0.0;
    (!is_sound).then(|| Flaw::new(steps, message))
}

fn finite<'a>(steps: impl IntoIterator<Item = Step<'a>>, value: f32) -> Option<Flaw<'a>> {
    let message = format!("is {value}, but must be a finite number");
    (!value.is_finite()).then(|| Flaw::new(steps, message))
}

fn axes(manifest: &ModelManifest) -> Option<Flaw<'_>> {
    let is_flat = manifest.axes?.rotation().is_none();
    let message = "has one line for both axes, but they must be at right angles";
    is_flat.then(|| Flaw::new([Field("axes")], message))
}

fn distances(distances: &[f32]) -> Option<Flaw<'static>> {
    let mut last = 0.0;
    for (index, distance) in distances.iter().enumerate() {
        let is_sound = distance.is_finite() && *distance >= last;
        if !is_sound {
            let message =
                format!("is {distance}, but must be a finite number that is not below {last}");
            return Some(Flaw::new([Field("lod_distances"), Element(index)], message));
        }
        last = *distance;
    }
    None
}

fn colors(manifest: &ModelManifest) -> Option<Flaw<'_>> {
    if let Some(color) = manifest.team_color {
        let channels = [color.red, color.green, color.blue];
        let message = "must have numbers from 0 to 1, and no alpha";
        let are_sound = channels.iter().all(|channel| (0.0..=1.0).contains(channel));
        if !are_sound || color.alpha != 1.0 {
            return Some(Flaw::new([Field("team_color")], message));
        }
    }
    let colors = manifest.player_colors?;
    let (field, row) = PlayerColors::from(colors).beyond()?;
    let last = PlayerColors::LAST_ROW;
    let message = format!("is {row}, but must be from 0 to {last}");
    Some(Flaw::new([Field("player_colors"), Field(field)], message))
}

fn clip<'a>(steps: &[Step<'a>], clip: &'a ManifestClip) -> Option<Flaw<'a>> {
    let message = if clip.clip.is_some() && clip.file.is_some() {
        "has both clip and file, but must have one of them"
    } else if clip.clip.is_none() && clip.file.is_none() && clip.frames.is_none() {
        "has neither clip nor file nor frames"
    } else if clip.name.is_empty() && clip.file.is_none() {
        "lacks the field `name`"
    } else {
        return clip_values(steps, clip);
    };
    Some(Flaw::new(steps.to_vec(), message))
}

fn clip_values<'a>(steps: &[Step<'a>], clip: &'a ManifestClip) -> Option<Flaw<'a>> {
    if let Some(name) = &clip.file {
        if let Some(flaw) = file(with(steps, "file"), name) {
            return Some(flaw);
        }
        if is_glob(name) && !clip.name.is_empty() {
            let message = "names many files, which have names of their own";
            return Some(Flaw::new(with(steps, "name"), message));
        }
    }
    if let Some((first, last)) = clip.frames
        && (first > last || last == u32::MAX)
    {
        let message =
            format!("is from {first} to {last}, but the last must not be before the first");
        return Some(Flaw::new(with(steps, "frames"), message));
    }
    finite(with(steps, "speed"), clip.speed)
}

/// Two clips of one name.
fn twice(clips: &[ManifestClip]) -> Option<Flaw<'_>> {
    let mut names = HashSet::new();
    let is_second =
        |clip: &ManifestClip| !clip.name.is_empty() && !names.insert(folded(&clip.name));
    let index = clips.iter().position(is_second)?;
    let steps = [Field("clips"), Element(index), Field("name")];
    Some(Flaw::new(steps, "is that of another clip before it"))
}

fn attachment<'a>(steps: &[Step<'a>], of: &'a ManifestAttachment) -> Option<Flaw<'a>> {
    if of.model.is_empty() {
        return Some(Flaw::new(steps.to_vec(), "lacks the field `model`"));
    }
    let vector = |field: &'static str, vector: &[f32; 3]| {
        let mut numbers = vector.iter().enumerate();
        let mut steps = with(steps, field);
        numbers.find_map(|(index, number)| {
            steps.truncate(3);
            steps.push(Element(index));
            finite(steps.clone(), *number)
        })
    };
    file(with(steps, "model"), &of.model)
        .or_else(|| vector("translation", &of.translation))
        .or_else(|| vector("rotation", &of.rotation))
        .or_else(|| positive(with(steps, "scale"), of.scale))
}

/// The name that something is chosen by, if it is that.
pub(super) fn name_of(chosen: &Option<NameOrIndex>) -> Option<&str> {
    match chosen {
        Some(NameOrIndex::Name(name)) => Some(name),
        Some(NameOrIndex::Index(_)) | None => None,
    }
}
