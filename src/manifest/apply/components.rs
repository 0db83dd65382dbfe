//! [`AppliedComponents`]: the components that a manifest sets on the root of its model.

use crate::manifest::model_manifest::{ManifestClip, ManifestEvent, ModelManifest};
use crate::manifest::read::resolve::ResolvedFiles;
use crate::root::events::{ClipEvent, ModelEvents};
use crate::root::layers::{BoneMask, ModelMasks};
use crate::root::parts::{DamageStage, LodDistances, PartVisibility};
use crate::root::play::{ClipRef, FollowVelocity, ModelClips, NamedClip, PlayClip};
use crate::root::skins::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
use crate::root::spawning::{BevySpace, Crowd, ModelScene};
use crate::spawn::formats::ClipFiles;
use bevy::asset::AssetPath;
use bevy::prelude::*;

/// The components that were set on a root. `None` for those that were not set, or that the user had set before.
#[derive(Clone, Default)]
pub(crate) struct AppliedComponents {
    pub(crate) scene: Option<ModelScene>,
    pub(crate) play: Option<PlayClip>,
    pub(crate) skin: Option<ModelSkin>,
    clips: Option<ModelClips>,
    events: Option<ModelEvents>,
    masks: Option<ModelMasks>,
    space: Option<BevySpace>,
    skins: Option<ModelSkins>,
    distances: Option<LodDistances>,
    team_color: Option<TeamColor>,
    player_colors: Option<PlayerColors>,
    parts: Option<PartVisibility>,
    stage: Option<DamageStage>,
    crowd: Option<Crowd>,
}

impl AppliedComponents {
    /// The components for a manifest, without the scene, which exists only once the model is loaded.
    pub(crate) fn from_manifest(
        manifest: &ModelManifest,
        files: &ResolvedFiles,
        world: &World,
    ) -> Self {
        let play = manifest.play.clone();
        let skin = manifest.skin.clone().filter(|_| !files.is_skin_missing);
        let clips = clips(manifest, files, world);
        let masks = manifest.masks.iter();
        let masks = masks.map(|(name, bones)| (name, BoneMask::Subtrees(bones.clone())));
        let mut skins = ModelSkins::default();
        for (name, path) in &files.skins {
            skins.insert(name, ModelSkin::Path(path.clone()));
        }
        let mut parts = PartVisibility::hidden(manifest.hidden.iter().map(String::as_str));
        for name in &manifest.shown {
            parts.show(name);
        }
        let distances = LodDistances(manifest.lod_distances.clone());
        Self {
            scene: None,
            play: play.map(|clip| PlayClip::from_manifest(ClipRef::from(clip))),
            skin: skin.map(ModelSkin::from),
            clips: unless_empty(ModelClips::new(clips)),
            events: unless_empty(manifest.events.iter().map(event).collect()),
            masks: unless_empty(ModelMasks::new(masks)),
            space: (manifest.meters.or(manifest.height)).map(|_| BevySpace::default()),
            skins: unless_empty(skins),
            distances: unless_empty(distances),
            team_color: manifest.team_color.map(Color::from).map(TeamColor),
            player_colors: manifest.player_colors.map(PlayerColors::from),
            parts: unless_empty(parts),
            stage: manifest.damage_stage.map(DamageStage),
            crowd: (manifest.crowd == Some(true)).then_some(Crowd),
        }
    }

    /// Replaces the components that were set before by those of `wanted`, and by `scene`. Components that the user has
    /// set or changed stay.
    pub(crate) fn update(
        &mut self,
        entity: &mut EntityWorldMut<'_>,
        wanted: &Self,
        scene: Option<&ModelScene>,
    ) {
        macro_rules! update {
            ($($field:ident),*) => {
                $(update_component(entity, &mut self.$field, wanted.$field.as_ref());)*
            };
        }
        // Before `play` and `skin`, which refer to them by name.
        update!(clips, events, masks, skins, space);
        let mut play = wanted.play.clone();
        accept_speed(entity, &mut self.play, &mut play);
        update_component(entity, &mut self.play, play.as_ref());
        update!(
            skin,
            distances,
            team_color,
            player_colors,
            parts,
            stage,
            crowd
        );
        update_component(entity, &mut self.scene, scene);
    }
}

/// Sets the speeds of both to that of the entity's [`PlayClip`] if [`FollowVelocity`] writes it, because then the user
/// has not changed it.
fn accept_speed(
    entity: &EntityWorldMut<'_>,
    applied: &mut Option<PlayClip>,
    wanted: &mut Option<PlayClip>,
) {
    if !entity.is_despawned()
        && entity.contains::<FollowVelocity>()
        && let Some(current) = entity.get::<PlayClip>()
    {
        for play in applied.iter_mut().chain(wanted) {
            play.speed = current.speed;
        }
    }
}

fn unless_empty<C: Default + PartialEq>(component: C) -> Option<C> {
    (component != C::default()).then_some(component)
}

/// Replaces the component that was `applied` before by `wanted`. If the entity's component differs from `applied`, the
/// user has set it, and it stays.
pub(crate) fn update_component<C: Component + Clone + PartialEq>(
    entity: &mut EntityWorldMut<'_>,
    applied: &mut Option<C>,
    wanted: Option<&C>,
) {
    // An observer of another component may have despawned it.
    if entity.is_despawned() || entity.get::<C>() != applied.as_ref() || applied.as_ref() == wanted
    {
        return;
    }
    match wanted {
        Some(component) => entity.insert(component.clone()),
        None => entity.remove::<C>(),
    };
    *applied = wanted.cloned();
}

/// Clips in the order of the manifest.
fn clips(manifest: &ModelManifest, files: &ResolvedFiles, world: &World) -> Vec<NamedClip> {
    let mut clips = Vec::new();
    for (entry, clip) in manifest.clips.iter().enumerate() {
        if clip.file.is_none() {
            let found = model_clip(clip);
            clips.extend(found.map(|found| named(clip, &clip.name, found)));
        }
        for file in files.clips.iter().filter(|file| file.entry == entry) {
            let found = file_clip(clip, &file.path, world);
            clips.extend(found.map(|found| named(clip, &file.name, found)));
        }
    }
    clips
}

fn event(event: &ManifestEvent) -> ClipEvent {
    ClipEvent::new(event.clip.clone(), event.frame, &*event.name)
}

fn named(clip: &ManifestClip, name: &str, found: ClipRef) -> NamedClip {
    NamedClip {
        name: name.to_owned(),
        clip: found,
        speed: clip.speed,
        repeat: clip.repeat.into(),
        stride: clip.stride,
    }
}

/// A clip that is in the model's file.
fn model_clip(clip: &ManifestClip) -> Option<ClipRef> {
    match clip.clip.clone() {
        Some(whole) => Some(part(clip, whole.into())),
        None => frames(clip).map(ClipRef::Frames),
    }
}

/// A clip that is a file, if a format has such files.
fn file_clip(clip: &ManifestClip, path: &AssetPath<'static>, world: &World) -> Option<ClipRef> {
    let clips = world.get_resource::<ClipFiles>()?;
    let whole = (clips.load)(world.resource::<AssetServer>(), path);
    Some(part(clip, whole))
}

/// The part of a clip that `frames` selects; the whole clip without `frames`.
fn part(clip: &ManifestClip, whole: ClipRef) -> ClipRef {
    match frames(clip) {
        Some(frames) => ClipRef::part(whole, frames),
        None => whole,
    }
}

/// The frames as a range with an exclusive end. `check` ensures that the last frame is below `u32::MAX`.
fn frames(clip: &ManifestClip) -> Option<core::ops::Range<u32>> {
    let (first, last) = clip.frames?;
    Some(first..last.saturating_add(1))
}
