//! Validates a [`ModelManifest`] that was parsed or created in code, without access to other files.

use crate::load::names::folded;
use crate::manifest::model_manifest::{
    ManifestAttachment, ManifestClip, ManifestEvent, ModelManifest,
};
use crate::manifest::read::problem::Step::{Element, Field, Key};
use crate::manifest::read::problem::{Problem, Step};
use crate::manifest::values::{MAX_LIST_LENGTH, NameOrIndex};
use crate::root::skins::PlayerColors;
use std::collections::HashSet;

/// The maximum length of a file name in bytes. A limit is needed because the search for a file builds many paths from
/// its name. Paths on Windows have at most 260 characters.
const MAX_NAME_LENGTH: usize = 1024;

/// Whether a file name is a pattern with `*` or `?`.
pub(crate) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// The first problem that makes a manifest invalid. The model may be that of the manifest that it extends.
pub(crate) fn check(manifest: &ModelManifest) -> Option<Problem<'_>> {
    if manifest.model.is_empty() && manifest.extends.is_none() {
        return Some(Problem::new([], "lacks the field `model`"));
    }
    check_values(manifest)
}

/// Like [`check`], for a manifest without a model, which others extend.
pub(crate) fn check_values(manifest: &ModelManifest) -> Option<Problem<'_>> {
    let named = |field, name: &Option<String>| check_file([Field(field)], name.as_ref()?);
    let model = || match &*manifest.model {
        "" => None,
        name => check_file([Field("model")], name),
    };
    let problem = check_lengths(manifest)
        .or_else(|| check_masks(manifest))
        .or_else(|| named("extends", &manifest.extends))
        .or_else(model)
        .or_else(|| check_positive([Field("scale")], manifest.scale))
        .or_else(|| check_axes(manifest))
        .or_else(|| check_measures(manifest))
        .or_else(|| check_files(manifest))
        .or_else(|| check_distances(&manifest.lod_distances))
        .or_else(|| check_colors(manifest));
    let clips = || check_each("clips", &manifest.clips, check_clip);
    let names = || duplicate_names(&manifest.clips);
    let events = || check_each("events", &manifest.events, check_event);
    let attachments = || check_each("attachments", &manifest.attachments, check_attachment);
    problem
        .or_else(clips)
        .or_else(names)
        .or_else(events)
        .or_else(attachments)
}

/// Finds a list that is too long, in a manifest that was created in code. The parser has its own check.
fn check_lengths(manifest: &ModelManifest) -> Option<Problem<'_>> {
    let lists = [
        ("texture_folders", manifest.texture_folders.len()),
        ("clips", manifest.clips.len()),
        ("events", manifest.events.len()),
        ("masks", manifest.masks.len()),
        ("skins", manifest.skins.len()),
        ("lod_distances", manifest.lod_distances.len()),
        ("hidden", manifest.hidden.len()),
        ("shown", manifest.shown.len()),
        ("attachments", manifest.attachments.len()),
    ];
    let (list, length) = lists
        .into_iter()
        .find(|(_, length)| *length > MAX_LIST_LENGTH)?;
    let message = format!("has {length} elements, but must have at most {MAX_LIST_LENGTH}");
    Some(Problem::new([Field(list)], message))
}

/// Finds a mask without bones, with too many bones, or with the name of another mask.
fn check_masks(manifest: &ModelManifest) -> Option<Problem<'_>> {
    let mut names = HashSet::new();
    manifest.masks.iter().find_map(|(name, bones)| {
        let message = match bones.len() {
            _ if !names.insert(folded(name)) => "has the name of another mask".to_owned(),
            0 => "is empty, but must list bones".to_owned(),
            1..=MAX_LIST_LENGTH => return None,
            length => format!("has {length} elements, but must have at most {MAX_LIST_LENGTH}"),
        };
        Some(Problem::new([Field("masks"), Key(name)], message))
    })
}

/// The first problem of the elements of a list.
fn check_each<'a, T>(
    list: &'static str,
    elements: &'a [T],
    check: impl Fn(&[Step<'a>], &'a T) -> Option<Problem<'a>>,
) -> Option<Problem<'a>> {
    let mut elements = elements.iter().enumerate();
    elements.find_map(|(index, element)| check(&[Field(list), Element(index)], element))
}

fn with_field<'a>(steps: &[Step<'a>], field: &'static str) -> Vec<Step<'a>> {
    let mut steps = steps.to_vec();
    steps.push(Field(field));
    steps
}

fn check_file<'a>(steps: impl IntoIterator<Item = Step<'a>>, name: &str) -> Option<Problem<'a>> {
    match name.len() {
        0 => Some(Problem::new(
            steps,
            "is empty, but must be the name of a file",
        )),
        1..=MAX_NAME_LENGTH => None,
        length => {
            let message = format!("is {length} bytes long, but must be at most {MAX_NAME_LENGTH}");
            Some(Problem::new(steps, message))
        }
    }
}

fn check_files(manifest: &ModelManifest) -> Option<Problem<'_>> {
    let folders = &manifest.texture_folders;
    let folders = || {
        check_each("texture_folders", folders, |steps, name| {
            check_file(steps.to_vec(), name)
        })
    };
    let palette = manifest.palette.as_ref();
    let palette = palette.and_then(|name| check_file([Field("palette")], name));
    let mut skins = manifest.skins.iter();
    let skins = || skins.find_map(|(key, name)| check_file([Field("skins"), Key(key)], name));
    palette.or_else(folders).or_else(skins)
}

fn check_positive<'a>(
    steps: impl IntoIterator<Item = Step<'a>>,
    value: f32,
) -> Option<Problem<'a>> {
    let message = format!("is {value}, but must be a finite number above 0");
    let is_valid = value.is_finite() && value > 0.0;
    (!is_valid).then(|| Problem::new(steps, message))
}

fn check_finite<'a>(steps: impl IntoIterator<Item = Step<'a>>, value: f32) -> Option<Problem<'a>> {
    let message = format!("is {value}, but must be a finite number");
    (!value.is_finite()).then(|| Problem::new(steps, message))
}

fn check_axes(manifest: &ModelManifest) -> Option<Problem<'_>> {
    let are_parallel = manifest.axes?.rotation().is_none();
    let message = "has parallel axes, but `up` and `forward` must be perpendicular";
    are_parallel.then(|| Problem::new([Field("axes")], message))
}

/// Finds a measure that is not valid, or two that contradict each other.
fn check_measures(manifest: &ModelManifest) -> Option<Problem<'_>> {
    let facing = manifest.facing.and_then(|facing| {
        let message = match manifest.axes {
            Some(_) => "must not be combined with `axes`, which has the front too",
            None if facing.turn_to_front().is_none() => "must be X, Z, NegX or NegZ",
            None => return None,
        };
        Some(Problem::new([Field("facing")], message))
    });
    let both = manifest.meters.and(manifest.height).map(|_| {
        let message = "must not be combined with `meters`, which has the size too";
        Problem::new([Field("height")], message)
    });
    let positive = |field, value: Option<f32>| check_positive([Field(field)], value?);
    facing
        .or(both)
        .or_else(|| positive("meters", manifest.meters))
        .or_else(|| positive("height", manifest.height))
}

fn check_distances(distances: &[f32]) -> Option<Problem<'static>> {
    let mut last = 0.0;
    for (index, distance) in distances.iter().enumerate() {
        let is_valid = distance.is_finite() && *distance >= last;
        if !is_valid {
            let message =
                format!("is {distance}, but must be a finite number that is not below {last}");
            return Some(Problem::new(
                [Field("lod_distances"), Element(index)],
                message,
            ));
        }
        last = *distance;
    }
    None
}

fn check_colors(manifest: &ModelManifest) -> Option<Problem<'_>> {
    if let Some(color) = manifest.team_color {
        let channels = [color.red, color.green, color.blue];
        let message = "must have channels from 0 to 1 and no alpha";
        let are_valid = channels.iter().all(|channel| (0.0..=1.0).contains(channel));
        if !are_valid || color.alpha != 1.0 {
            return Some(Problem::new([Field("team_color")], message));
        }
    }
    let colors = manifest.player_colors?;
    let (field, row) = PlayerColors::from(colors).beyond()?;
    let last = PlayerColors::LAST_ROW;
    let message = format!("is {row}, but must be from 0 to {last}");
    Some(Problem::new(
        [Field("player_colors"), Field(field)],
        message,
    ))
}

fn check_clip<'a>(steps: &[Step<'a>], clip: &'a ManifestClip) -> Option<Problem<'a>> {
    let message = if clip.clip.is_some() && clip.file.is_some() {
        "has both `clip` and `file`, but must have only one of them"
    } else if clip.clip.is_none() && clip.file.is_none() && clip.frames.is_none() {
        "needs `clip`, `file` or `frames`"
    } else if clip.name.is_empty() && clip.file.is_none() {
        "lacks the field `name`"
    } else {
        return check_clip_values(steps, clip);
    };
    Some(Problem::new(steps.to_vec(), message))
}

fn check_clip_values<'a>(steps: &[Step<'a>], clip: &'a ManifestClip) -> Option<Problem<'a>> {
    if let Some(name) = &clip.file {
        if let Some(problem) = check_file(with_field(steps, "file"), name) {
            return Some(problem);
        }
        if is_glob(name) && !clip.name.is_empty() {
            let message = "must be empty, because `file` is a pattern for several files";
            return Some(Problem::new(with_field(steps, "name"), message));
        }
    }
    if let Some((first, last)) = clip.frames
        && (first > last || last == u32::MAX)
    {
        let message = format!(
            "is ({first}, {last}), but the last frame must be at least the first and below {}",
            u32::MAX
        );
        return Some(Problem::new(with_field(steps, "frames"), message));
    }
    let stride = || check_positive(with_field(steps, "stride"), clip.stride?);
    check_finite(with_field(steps, "speed"), clip.speed).or_else(stride)
}

/// Finds a clip with the name of an earlier clip.
fn duplicate_names(clips: &[ManifestClip]) -> Option<Problem<'_>> {
    let mut names = HashSet::new();
    let is_duplicate =
        |clip: &ManifestClip| !clip.name.is_empty() && !names.insert(folded(&clip.name));
    let index = clips.iter().position(is_duplicate)?;
    let steps = [Field("clips"), Element(index), Field("name")];
    Some(Problem::new(steps, "is already the name of another clip"))
}

fn check_event<'a>(steps: &[Step<'a>], event: &'a ManifestEvent) -> Option<Problem<'a>> {
    let message = "is empty, but must be the name of the event";
    event
        .name
        .is_empty()
        .then(|| Problem::new(with_field(steps, "name"), message))
}

fn check_attachment<'a>(
    steps: &[Step<'a>],
    attachment: &'a ManifestAttachment,
) -> Option<Problem<'a>> {
    if attachment.model.is_empty() {
        return Some(Problem::new(steps.to_vec(), "lacks the field `model`"));
    }
    let vector = |field: &'static str, vector: &[f32; 3]| {
        let mut numbers = vector.iter().enumerate();
        let mut steps = with_field(steps, field);
        numbers.find_map(|(index, number)| {
            steps.truncate(3);
            steps.push(Element(index));
            check_finite(steps.clone(), *number)
        })
    };
    check_file(with_field(steps, "model"), &attachment.model)
        .or_else(|| vector("translation", &attachment.translation))
        .or_else(|| vector("rotation", &attachment.rotation))
        .or_else(|| check_positive(with_field(steps, "scale"), attachment.scale))
}

/// The name, if it is not an index.
pub(crate) fn as_name(value: &Option<NameOrIndex>) -> Option<&str> {
    match value {
        Some(NameOrIndex::Name(name)) => Some(name),
        Some(NameOrIndex::Index(_)) | None => None,
    }
}
