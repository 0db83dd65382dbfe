//! Validates a [`ModelManifest`] that was parsed or created in code, without access to other files.

use crate::load::names::folded;
use crate::manifest::model_manifest::{ManifestAttachment, ManifestClip, ModelManifest};
use crate::manifest::read::error::Step::{Element, Field, Key};
use crate::manifest::read::error::{Problem, Step};
use crate::manifest::values::{MAX_LIST_LENGTH, NameOrIndex};
use crate::root::skins::PlayerColors;
use core::fmt::Display;
use std::collections::HashSet;

/// The maximum length of a file name in bytes. A limit is needed because the search for a file builds many paths from
/// its name. Paths on Windows have at most 260 characters.
const MAX_NAME_LENGTH: usize = 1024;

/// Nothing, or the first problem that makes a manifest invalid.
type Checked<'a> = Result<(), Problem<'a>>;

/// Whether a file name is a pattern with `*` or `?`.
pub(crate) fn is_glob(name: &str) -> bool {
    name.contains(['*', '?'])
}

/// Checks a manifest. The model may be that of the manifest that it extends.
pub(crate) fn check(manifest: &ModelManifest) -> Checked<'_> {
    let has_model = !manifest.model.is_empty() || manifest.extends.is_some();
    require(has_model, [], "lacks the field `model`")?;
    check_values(manifest)
}

/// Like [`check`], for a manifest without a model, which others extend.
pub(crate) fn check_values(manifest: &ModelManifest) -> Checked<'_> {
    check_lengths(manifest)?;
    check_clip_bones(manifest)?;
    check_masks(manifest)?;
    check_named("extends", &manifest.extends)?;
    if !manifest.model.is_empty() {
        check_file([Field("model")], &manifest.model)?;
    }
    check_positive([Field("scale")], Some(manifest.scale))?;
    check_axes(manifest)?;
    check_measures(manifest)?;
    check_files(manifest)?;
    check_distances(&manifest.lod_distances)?;
    check_colors(manifest)?;
    for (index, clip) in manifest.clips.iter().enumerate() {
        check_clip([Field("clips"), Element(index)], clip)?;
    }
    check_clip_names(&manifest.clips)?;
    for (index, event) in manifest.events.iter().enumerate() {
        let steps = [Field("events"), Element(index), Field("name")];
        let message = "is empty, but must be the name of the event";
        require(!event.name.is_empty(), steps, message)?;
    }
    for (index, attachment) in manifest.attachments.iter().enumerate() {
        check_attachment([Field("attachments"), Element(index)], attachment)?;
    }
    check_view(manifest)
}

fn check_view(manifest: &ModelManifest) -> Checked<'_> {
    let Some(view) = &manifest.view else {
        return Ok(());
    };
    let at = |field| [Field("view"), Field(field)];
    check_finite(at("yaw"), view.yaw)?;
    check_finite(at("pitch"), view.pitch)?;
    check_positive(at("distance"), Some(view.distance))?;
    for (index, number) in view.focus.iter().enumerate() {
        check_finite([Field("view"), Field("focus"), Element(index)], *number)?;
    }
    Ok(())
}

/// A problem with a value, unless it is valid.
fn require<'a>(
    is_valid: bool,
    steps: impl IntoIterator<Item = Step<'a>>,
    message: impl Display,
) -> Checked<'a> {
    if is_valid {
        Ok(())
    } else {
        Err(Problem::new(steps, message))
    }
}

/// Finds a list that is too long, in a manifest that was created in code. The parser has its own check.
fn check_lengths(manifest: &ModelManifest) -> Checked<'_> {
    for (list, length) in [
        ("texture_folders", manifest.texture_folders.len()),
        ("clips", manifest.clips.len()),
        ("events", manifest.events.len()),
        ("clip_bones", manifest.clip_bones.len()),
        ("masks", manifest.masks.len()),
        ("skins", manifest.skins.len()),
        ("lod_distances", manifest.lod_distances.len()),
        ("hidden", manifest.hidden.len()),
        ("shown", manifest.shown.len()),
        ("attachments", manifest.attachments.len()),
    ] {
        check_length([Field(list)], length)?;
    }
    Ok(())
}

fn check_length<'a>(steps: impl IntoIterator<Item = Step<'a>>, length: usize) -> Checked<'a> {
    let is_valid = length <= MAX_LIST_LENGTH;
    let message = format_args!("has {length} elements, but must have at most {MAX_LIST_LENGTH}");
    require(is_valid, steps, message)
}

/// Finds a bone that is named twice.
fn check_clip_bones(manifest: &ModelManifest) -> Checked<'_> {
    let mut names = HashSet::new();
    manifest.clip_bones.keys().try_for_each(|name| {
        let steps = [Field("clip_bones"), Key(name)];
        let is_new = names.insert(folded(name));
        require(is_new, steps, "has the name of another bone")
    })
}

/// Finds a mask without bones, with too many bones, or with the name of another mask.
fn check_masks(manifest: &ModelManifest) -> Checked<'_> {
    let mut names = HashSet::new();
    for (name, bones) in &manifest.masks {
        let steps = [Field("masks"), Key(name)];
        let is_new = names.insert(folded(name));
        require(is_new, steps, "has the name of another mask")?;
        require(!bones.is_empty(), steps, "is empty, but must list bones")?;
        check_length(steps, bones.len())?;
    }
    Ok(())
}

fn check_file<'a>(steps: impl IntoIterator<Item = Step<'a>>, name: &str) -> Checked<'a> {
    match name.len() {
        1..=MAX_NAME_LENGTH => Ok(()),
        0 => Err(Problem::new(
            steps,
            "is empty, but must be the name of a file",
        )),
        length => {
            let message = format!("is {length} bytes long, but must be at most {MAX_NAME_LENGTH}");
            Err(Problem::new(steps, message))
        }
    }
}

fn check_named<'a>(field: &'static str, name: &Option<String>) -> Checked<'a> {
    name.as_ref()
        .map_or(Ok(()), |name| check_file([Field(field)], name))
}

fn check_files(manifest: &ModelManifest) -> Checked<'_> {
    check_named("palette", &manifest.palette)?;
    for (index, name) in manifest.texture_folders.iter().enumerate() {
        check_file([Field("texture_folders"), Element(index)], name)?;
    }
    for (key, name) in &manifest.skins {
        check_file([Field("skins"), Key(key)], name)?;
    }
    Ok(())
}

fn check_positive<'a>(
    steps: impl IntoIterator<Item = Step<'a>>,
    value: Option<f32>,
) -> Checked<'a> {
    let value = value.unwrap_or(1.0);
    let message = format_args!("is {value}, but must be a finite number above 0");
    require(value.is_finite() && value > 0.0, steps, message)
}

fn check_finite<'a>(steps: impl IntoIterator<Item = Step<'a>>, value: f32) -> Checked<'a> {
    let message = format_args!("is {value}, but must be a finite number");
    require(value.is_finite(), steps, message)
}

fn check_axes(manifest: &ModelManifest) -> Checked<'_> {
    let is_valid = manifest.axes.is_none_or(|axes| axes.rotation().is_some());
    let message = "has parallel axes, but `up` and `forward` must be perpendicular";
    require(is_valid, [Field("axes")], message)
}

/// Finds a measure that is not valid, or two that contradict each other.
fn check_measures(manifest: &ModelManifest) -> Checked<'_> {
    if let Some(facing) = manifest.facing {
        let message = "must not be combined with `axes`, which has the front too";
        require(manifest.axes.is_none(), [Field("facing")], message)?;
        let is_valid = facing.turn_to_front().is_some();
        require(is_valid, [Field("facing")], "must be X, Z, NegX or NegZ")?;
    }
    let is_one = manifest.meters.is_none() || manifest.height.is_none();
    let message = "must not be combined with `meters`, which has the size too";
    require(is_one, [Field("height")], message)?;
    check_positive([Field("meters")], manifest.meters)?;
    check_positive([Field("height")], manifest.height)
}

fn check_distances(distances: &[f32]) -> Checked<'static> {
    let mut last = 0.0;
    for (index, distance) in distances.iter().enumerate() {
        let steps = [Field("lod_distances"), Element(index)];
        let is_valid = distance.is_finite() && *distance >= last;
        let message =
            format_args!("is {distance}, but must be a finite number that is not below {last}");
        require(is_valid, steps, message)?;
        last = *distance;
    }
    Ok(())
}

fn check_colors(manifest: &ModelManifest) -> Checked<'_> {
    if let Some(color) = manifest.team_color {
        let channels = [color.red, color.green, color.blue];
        let are_valid = channels.iter().all(|channel| (0.0..=1.0).contains(channel));
        let message = "must have channels from 0 to 1 and no alpha";
        require(
            are_valid && color.alpha == 1.0,
            [Field("team_color")],
            message,
        )?;
    }
    let colors = manifest.player_colors.map(PlayerColors::from);
    match colors.and_then(PlayerColors::beyond) {
        None => Ok(()),
        Some((field, row)) => {
            let last = PlayerColors::LAST_ROW;
            let message = format!("is {row}, but must be from 0 to {last}");
            Err(Problem::new(
                [Field("player_colors"), Field(field)],
                message,
            ))
        }
    }
}

fn check_clip<'a>(steps: [Step<'a>; 2], clip: &ManifestClip) -> Checked<'a> {
    let [list, element] = steps;
    let at = |field| [list, element, Field(field)];
    let (has_clip, has_file) = (clip.clip.is_some(), clip.file.is_some());
    let message = "has both `clip` and `file`, but must have only one of them";
    require(!(has_clip && has_file), steps, message)?;
    let has_any = has_clip || has_file || clip.frames.is_some();
    require(has_any, steps, "needs `clip`, `file` or `frames`")?;
    let has_name = has_file || !clip.name.is_empty();
    require(has_name, steps, "lacks the field `name`")?;
    if let Some(name) = &clip.file {
        check_file(at("file"), name)?;
        let message = "must be empty, because `file` is a pattern for several files";
        let is_valid = clip.name.is_empty() || !is_glob(name);
        require(is_valid, at("name"), message)?;
    }
    if let Some((first, last)) = clip.frames {
        let message = format_args!(
            "is ({first}, {last}), but the last frame must be at least the first and below {}",
            u32::MAX
        );
        require(first <= last && last < u32::MAX, at("frames"), message)?;
    }
    check_finite(at("speed"), clip.speed)?;
    check_positive(at("stride"), clip.stride)
}

/// Finds a clip with the name of an earlier clip.
fn check_clip_names(clips: &[ManifestClip]) -> Checked<'_> {
    let mut names = HashSet::new();
    for (index, clip) in clips.iter().enumerate() {
        let is_new = clip.name.is_empty() || names.insert(folded(&clip.name));
        let steps = [Field("clips"), Element(index), Field("name")];
        require(is_new, steps, "is already the name of another clip")?;
    }
    Ok(())
}

fn check_attachment<'a>(steps: [Step<'a>; 2], attachment: &ManifestAttachment) -> Checked<'a> {
    let [list, element] = steps;
    let at = |field| [list, element, Field(field)];
    require(
        !attachment.model.is_empty(),
        steps,
        "lacks the field `model`",
    )?;
    check_file(at("model"), &attachment.model)?;
    for (field, vector) in [
        ("translation", &attachment.translation),
        ("rotation", &attachment.rotation),
    ] {
        for (index, number) in vector.iter().enumerate() {
            check_finite([list, element, Field(field), Element(index)], *number)?;
        }
    }
    check_positive(at("scale"), Some(attachment.scale))
}

/// The name, if it is not an index.
pub(crate) fn as_name(value: &Option<NameOrIndex>) -> Option<&str> {
    match value {
        Some(NameOrIndex::Name(name)) => Some(name),
        Some(NameOrIndex::Index(_)) | None => None,
    }
}
