//! Combines a manifest with those that it extends. No files are accessed.

use crate::manifest::model_manifest::ModelManifest;
use crate::manifest::read::sources::{Source, Sources};
use crate::manifest::read::spans::field_names;
use bevy::asset::AssetPath;
use std::collections::BTreeMap;

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
        load_lights,
        hidden_bones_hide_children,
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
