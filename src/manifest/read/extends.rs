//! Reads the manifests that a manifest extends, combines them with it, and remembers which of their texts sets a value.

use crate::load::concurrent::RunningLoad;
use crate::load::find::FileSearch;
use crate::manifest::check::values::check_values;
use crate::manifest::classic_model::is_manifest;
use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::error::Step::Field;
use crate::manifest::read::error::{ManifestLoaderError, Problem};
use crate::manifest::read::parse::{Check, field_names, parse_with};
use crate::manifest::read::paths::{Source, Sources};
use bevy::asset::{AssetPath, LoadContext};
use std::collections::BTreeMap;

/// The maximum count of manifests that a manifest extends, directly and through others.
const MAX_BASES: usize = 8;

/// Combines the text of a manifest with the manifests that it extends. `check` checks the text and the combined values.
///
/// # Errors
/// [`ManifestLoaderError`] if one of them cannot be read or is invalid, or if one extends itself. A change of one of
/// them loads the manifest again, as does a change of a combined manifest.
pub(crate) async fn read_with_bases(
    bytes: &[u8],
    load: &RunningLoad,
    search: &mut FileSearch<'_>,
    load_context: &mut LoadContext<'_>,
    check: Check,
) -> Result<(Sources, ModelManifest), ManifestLoaderError> {
    let own = parse_file(load_context.path().clone_owned(), bytes, check)?;
    let mut bases = Vec::new();
    let read = read_bases(&own, &mut bases, load, search, load_context).await;
    let paths: Vec<_> = bases.iter().map(|(base, _)| base.path.clone()).collect();
    let merged = read.and_then(|()| {
        let (sources, merged) = merge(own, bases);
        match check(&merged) {
            Err(problem) => Err(sources.of(&problem.steps).error(problem)),
            Ok(()) => Ok((sources, merged)),
        }
    });
    for base in paths {
        match merged {
            Ok(_) => search.note_read(&base),
            // Bevy does not track the dependencies of failed loads: https://github.com/bevyengine/bevy/issues/7470
            Err(_) => search.note_unusable(base.path()),
        }
    }
    merged
}

fn parse_file(
    path: AssetPath<'static>,
    bytes: &[u8],
    check: Check,
) -> Result<ParsedFile, ManifestLoaderError> {
    match parse_with(bytes, check) {
        Ok((manifest, text)) => Ok(parsed_file(path, text, manifest)),
        Err(source) => Err(ManifestLoaderError::Manifest {
            path: path.to_string(),
            source,
        }),
    }
}

/// Adds the manifests that a manifest extends, directly and through others, to `bases`.
async fn read_bases(
    own: &ParsedFile,
    bases: &mut Vec<ParsedFile>,
    load: &RunningLoad,
    search: &mut FileSearch<'_>,
    load_context: &mut LoadContext<'_>,
) -> Result<(), ManifestLoaderError> {
    loop {
        let (source, manifest) = bases.last().unwrap_or(own);
        let Some(name) = &manifest.extends else {
            return Ok(());
        };
        let found = search.find_beside(&source.path, name).await;
        let base = found.map_err(|error| error.to_string()).and_then(|base| {
            check_base(own, bases, &base)?;
            Ok(base)
        });
        let base =
            base.map_err(|problem| source.error(Problem::new([Field("extends")], problem)))?;
        let bytes = load_context.read_asset_bytes(base.clone()).await;
        let bytes = bytes.map_err(|error| ManifestLoaderError::Io {
            path: base.to_string(),
            source: std::io::Error::other(error),
        });
        load.add_input(&bytes.as_deref().unwrap_or_default());
        let file = bytes.and_then(|bytes| parse_file(base.clone(), &bytes, check_values));
        if file.is_err() {
            search.note_unusable(base.path());
        }
        bases.push(file?);
    }
}

/// Checks the path of the manifest that the last of `bases` extends.
fn check_base(
    own: &ParsedFile,
    bases: &[ParsedFile],
    base: &AssetPath<'static>,
) -> Result<(), String> {
    if !is_manifest(base) {
        return Err(format!("is {base}, but must be a manifest, `*.model.ron`"));
    }
    let files = core::iter::once(own).chain(bases);
    let paths: Vec<_> = files.map(|(file, _)| &file.path).collect();
    if let Some(first) = paths.iter().position(|path| *path == base) {
        let cycle = paths.into_iter().skip(first).chain([base]);
        let cycle: Vec<String> = cycle.map(ToString::to_string).collect();
        return Err(format!("is a cycle: {}", cycle.join(" extends ")));
    }
    if bases.len() == MAX_BASES {
        return Err(format!(
            "is {base}, but at most {MAX_BASES} manifests can be extended"
        ));
    }
    Ok(())
}

/// A file, and its values without those of the manifest that it extends.
pub(crate) type ParsedFile = (Source, ModelManifest);

/// The file of a manifest that was parsed from a text.
pub(crate) fn parsed_file(
    path: AssetPath<'static>,
    text: &str,
    manifest: ModelManifest,
) -> ParsedFile {
    let masks = manifest.masks.keys().map(|key| ("masks", key));
    let skins = manifest.skins.keys().map(|key| ("skins", key));
    let source = Source::new(path, text, field_names(text), masks.chain(skins));
    (source, manifest)
}

/// Combines a manifest with those that it extends. Each of `bases` extends the next.
pub(crate) fn merge(own: ParsedFile, bases: Vec<ParsedFile>) -> (Sources, ModelManifest) {
    let (own, mut merged) = own;
    let mut sources = Vec::new();
    let bases = bases.into_iter().rev();
    let base = bases.fold(None, |base, (source, mut manifest)| {
        inherit(&mut manifest, base, &source);
        sources.push(source);
        Some(manifest)
    });
    inherit(&mut merged, base, &own);
    merged.extends = None;
    sources.reverse();
    (Sources::new(own, sources), merged)
}

/// Sets the values of a manifest that its text does not set to those of the manifest that it extends.
fn inherit(manifest: &mut ModelManifest, base: Option<ModelManifest>, source: &Source) {
    let Some(base) = base else {
        return;
    };
    macro_rules! inherit_unset {
        ($($field:ident,)* ; $($other:ident,)*) => {
            // Without `..`, so that a new field cannot be forgotten.
            let ModelManifest {
                extends: _,
                files: _,
                $($field,)*
                $($other,)*
            } = base;
            $(if !source.sets(stringify!($field)) {
                manifest.$field = $field;
            })*
        };
    }
    inherit_unset!(
        model,
        scale,
        texture_folders,
        palette,
        hole_index,
        external_skins,
        load_lights,
        hidden_bones_hide_children,
        clip_bones,
        clips,
        events,
        play,
        skin,
        lod_distances,
        team_color,
        player_colors,
        hidden,
        shown,
        damage_stage,
        crowd,
        attachments,
        view,
        ;
        axes,
        facing,
        meters,
        height,
        masks,
        skins,
    );
    // Either field of a pair replaces both.
    if !source.sets("axes") && !source.sets("facing") {
        (manifest.axes, manifest.facing) = (axes, facing);
    }
    if !source.sets("meters") && !source.sets("height") {
        (manifest.meters, manifest.height) = (meters, height);
    }
    inherit_keys(&mut manifest.masks, masks, |key| {
        source.sets_key("masks", key)
    });
    inherit_keys(&mut manifest.skins, skins, |key| {
        source.sets_key("skins", key)
    });
}

/// Adds the entries whose keys are not set.
fn inherit_keys<T>(
    own: &mut BTreeMap<String, T>,
    base: BTreeMap<String, T>,
    is_set: impl Fn(&str) -> bool,
) {
    own.extend(base.into_iter().filter(|(key, _)| !is_set(key)));
}
