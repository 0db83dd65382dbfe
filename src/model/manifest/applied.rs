//! What a manifest gives to the root of its model, and what of that the user has changed since.

use super::manifest::{ManifestClip, ModelManifest};
use super::resolve::ResolvedFiles;
use crate::scene::{
    ClipFiles, ClipRef, DamageStage, LodDistances, ModelClips, ModelSkin, ModelSkins, NamedClip,
    PartVisibility, PlayClip, PlayerColors, TeamColor,
};
use bevy::asset::{AssetPath, AssetServer};
use bevy::color::Color;
use bevy::ecs::component::Component;
use bevy::ecs::world::{EntityWorldMut, World};
use bevy::world_serialization::WorldAssetRoot;

/// Loads the files that manifests name.
pub(super) struct Loads<'a> {
    pub(super) server: &'a AssetServer,
    /// Loads clips that are files of their own, if a format has them.
    pub(super) clips: Option<ClipFiles>,
}

impl<'a> Loads<'a> {
    pub(super) fn of(world: &'a World) -> Self {
        Self {
            server: world.resource::<AssetServer>(),
            clips: world.get_resource::<ClipFiles>().copied(),
        }
    }
}

/// Components that were given to a root.
#[derive(Clone, Default)]
pub(super) struct AppliedComponents {
    pub(super) root: Option<WorldAssetRoot>,
    pub(super) play: Option<PlayClip>,
    pub(super) skin: Option<ModelSkin>,
    clips: Option<ModelClips>,
    skins: Option<ModelSkins>,
    distances: Option<LodDistances>,
    team: Option<TeamColor>,
    player: Option<PlayerColors>,
    hidden: Option<PartVisibility>,
    alt: Option<DamageStage>,
}

impl AppliedComponents {
    /// What a manifest states. The scene is not known before the model is loaded.
    pub(super) fn stated(
        manifest: &ModelManifest,
        files: &ResolvedFiles,
        loads: &Loads<'_>,
    ) -> Self {
        let play = manifest.play.clone();
        let skin = manifest.skin.clone().filter(|_| !files.is_skin_nowhere);
        let clips = clips(manifest, files, loads);
        let mut skins = ModelSkins::default();
        for (name, path) in &files.skins {
            skins.insert(name, ModelSkin::Path(path.clone()));
        }
        let mut hidden = PartVisibility::new(manifest.hidden.iter().map(String::as_str));
        for name in &manifest.shown {
            hidden.show(name);
        }
        let distances = LodDistances(manifest.lod_distances.clone());
        Self {
            root: None,
            play: play.map(|clip| PlayClip::from_manifest(ClipRef::from(clip))),
            skin: skin.map(ModelSkin::from),
            clips: unless_empty(ModelClips::new(clips)),
            skins: unless_empty(skins),
            distances: unless_empty(distances),
            team: manifest.team_color.map(Color::from).map(TeamColor),
            player: manifest.player_colors.map(PlayerColors::from),
            hidden: unless_empty(hidden),
            alt: manifest.alt.map(DamageStage),
        }
    }

    /// Gives an entity what is wanted now in the place of what it was given before. What the user has put there, or
    /// changed, stays.
    pub(super) fn follow(
        &mut self,
        entity: &mut EntityWorldMut<'_>,
        wanted: &Self,
        root: Option<&WorldAssetRoot>,
    ) {
        // First, so that nothing looks for what is not there yet.
        follow(entity, &mut self.clips, wanted.clips.as_ref());
        follow(entity, &mut self.skins, wanted.skins.as_ref());
        follow(entity, &mut self.play, wanted.play.as_ref());
        follow(entity, &mut self.skin, wanted.skin.as_ref());
        follow(entity, &mut self.distances, wanted.distances.as_ref());
        follow(entity, &mut self.team, wanted.team.as_ref());
        follow(entity, &mut self.player, wanted.player.as_ref());
        follow(entity, &mut self.hidden, wanted.hidden.as_ref());
        follow(entity, &mut self.alt, wanted.alt.as_ref());
        follow(entity, &mut self.root, root);
    }
}

fn unless_empty<C: Default + PartialEq>(component: C) -> Option<C> {
    (component != C::default()).then_some(component)
}

/// Gives an entity one component, unless the one that it has is not the one that it was given.
pub(super) fn follow<C: Component + Clone + PartialEq>(
    entity: &mut EntityWorldMut<'_>,
    given: &mut Option<C>,
    wanted: Option<&C>,
) {
    // An observer of another component may have despawned it.
    if entity.is_despawned() || entity.get::<C>() != given.as_ref() || given.as_ref() == wanted {
        return;
    }
    match wanted {
        Some(component) => entity.insert(component.clone()),
        None => entity.remove::<C>(),
    };
    *given = wanted.cloned();
}

/// Clips in the order of the manifest.
fn clips(manifest: &ModelManifest, files: &ResolvedFiles, loads: &Loads<'_>) -> Vec<NamedClip> {
    let mut clips = Vec::new();
    for (entry, stated) in manifest.clips.iter().enumerate() {
        if stated.file.is_none() {
            clips.extend(own_clip(stated).map(|clip| named(stated, &stated.name, clip)));
        }
        for file in files.clips.iter().filter(|file| file.entry == entry) {
            let clip = file_clip(stated, &file.path, loads);
            clips.extend(clip.map(|clip| named(stated, &file.name, clip)));
        }
    }
    clips
}

fn named(stated: &ManifestClip, name: &str, clip: ClipRef) -> NamedClip {
    NamedClip {
        name: name.to_owned(),
        clip,
        speed: stated.speed,
        repeat: stated.repeat.into(),
    }
}

/// A clip of the model's file.
fn own_clip(stated: &ManifestClip) -> Option<ClipRef> {
    match stated.clip.clone() {
        Some(clip) => Some(part(stated, clip.into())),
        None => frames(stated).map(ClipRef::Frames),
    }
}

/// A clip that is a file, if a format has such files.
fn file_clip(
    stated: &ManifestClip,
    path: &AssetPath<'static>,
    loads: &Loads<'_>,
) -> Option<ClipRef> {
    let clip = (loads.clips?.load)(loads.server, path);
    Some(part(stated, clip))
}

/// The frames of a clip, if not all are meant.
fn part(stated: &ManifestClip, clip: ClipRef) -> ClipRef {
    match frames(stated) {
        Some(frames) => ClipRef::part(clip, frames),
        None => clip,
    }
}

/// As a range, of which the last is not part. The parser sees to it that there is a number after the last.
fn frames(stated: &ManifestClip) -> Option<core::ops::Range<u32>> {
    let (first, last) = stated.frames?;
    Some(first..last.saturating_add(1))
}
