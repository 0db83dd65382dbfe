//! Opens manifests: loads their models, lists the clips that they name, and applies the options of the command line, which override
//! the manifest.

use crate::view::alo_clips::AssignedClips;
use crate::view::args::Args;
use crate::view::clips::{ClipList, ClipState, Frames, ListedClip, ReadyClip};
use crate::view::files::Folders;
use crate::view::mdl_models::mdl_clip;
use crate::view::viewed_model::{ViewedModel, is};
use crate::view::viewed_model::{load, yaw};
use bevy::asset::AssetPath;
use bevy::ecs::query::QueryData;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Ala, Alo, AloInstance};
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::lithtech::{Abc, AbcInstance};
use bevy_classic_models::manifest::ModelManifest;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{Mdl, MdlInstance};
use bevy_classic_models::root::Repeat;
use std::ops::Range;

/// Loads the models of manifests that have been loaded, and spawns them with the manifests' settings. If a manifest
/// changes to another model, that model replaces the previous one.
pub fn open_manifests(
    mut commands: Commands,
    folders: Res<Folders>,
    server: Res<AssetServer>,
    manifests: Res<Assets<ModelManifest>>,
    mut models: Query<(Entity, &mut ViewedModel, &mut Transform)>,
) {
    for (entity, mut model, mut transform) in &mut models {
        let Some(opened) = &model.manifest else {
            continue;
        };
        let path = manifests
            .get(&opened.handle)
            .and_then(|manifest| manifest.files.model());
        let Some(path) = path.filter(|path| **path != model.path) else {
            continue;
        };
        let Some(file) = folders.file_of(path) else {
            continue;
        };
        let is_first = is::<ModelManifest>(&model.handle);
        let spawned = ClassicModel(opened.handle.clone());
        model.handle = load(&file, path, &folders, &server);
        model.path = path.clone();
        model.file = file;
        transform.rotation = Quat::from_rotation_y(yaw(&model.handle));
        let mut entity = commands.entity(entity);
        if is::<Alo>(&model.handle) {
            entity.insert((AssignedClips::started(), ClipList::default()));
        } else if is::<Abc>(&model.handle) {
            entity.insert(ClipList::default());
        }
        if is_first {
            entity.insert(spawned);
        }
    }
}

/// The clips that a clip of a manifest can refer to.
pub struct ClipSources<'a> {
    /// The clips that the manifest names.
    pub own: &'a ModelClips,
    /// The clips of the model's files.
    pub listed: &'a [ListedClip],
    /// Returns the state of a clip of another file.
    pub of_file: &'a dyn Fn(&Handle<AnimationClip>) -> ClipState,
}

impl ClipSources<'_> {
    /// The clips that the manifest names.
    pub fn manifest_clips(&self) -> Vec<ListedClip> {
        let own = self.own.0.iter();
        own.map(|named| {
            let play = ClipRef::Name(named.name.clone());
            let state = match self.state(&play, &mut Vec::new()) {
                ClipState::Ready(ready) => ClipState::Ready(ReadyClip {
                    play,
                    ends: named.repeat == Repeat::Once,
                    ..ready
                }),
                other => other,
            };
            ListedClip {
                name: named.name.clone(),
                from_manifest: true,
                ala: None,
                state,
            }
        })
        .collect()
    }

    /// The state of a clip. `seen` are the indices of the manifest's clips on the way to it: each is followed only
    /// once, so that cycles end.
    fn state(&self, clip: &ClipRef, seen: &mut Vec<usize>) -> ClipState {
        let found = match clip {
            ClipRef::Name(name) => {
                let own = self.own.0.iter();
                let index = own.clone().position(|named| is_named(&named.name, name));
                if let Some(index) = index.filter(|index| !seen.contains(index)) {
                    seen.push(index);
                    return self.state(&self.own.0[index].clip, seen);
                }
                self.listed.iter().find(|clip| is_named(&clip.name, name))
            }
            ClipRef::Index(index) => self.listed.get(*index),
            ClipRef::Handle(clip) => return (self.of_file)(clip),
            ClipRef::Part { clip, frames } => {
                return match self.state(clip, seen) {
                    ClipState::Ready(ready) => part(ready, frames),
                    other => other,
                };
            }
            _ => None,
        };
        found.map_or_else(|| missing(clip), |clip| clip.state.clone())
    }
}

fn is_named(name: &str, requested: &str) -> bool {
    name.to_lowercase() == requested.to_lowercase()
}

fn missing(clip: &ClipRef) -> ClipState {
    ClipState::Broken(format!("the model has no clip {clip}"))
}

/// A range of a clip's frames.
fn part(of: ReadyClip, frames: &Range<u32>) -> ClipState {
    let end = frames.end.min(of.frames.last() + 1);
    if frames.start >= end {
        return ClipState::Broken(format!(
            "frames {} to {} are not in the clip, which has {} frames",
            frames.start,
            frames.end.saturating_sub(1),
            of.frames.last() + 1
        ));
    }
    let first = of.frames.seconds(frames.start);
    let seconds = of.frames.seconds(end - 1) - first;
    ClipState::Ready(ReadyClip {
        frames: match &of.frames {
            Frames::Even { fps, .. } => Frames::Even {
                count: end - frames.start,
                fps: *fps,
            },
            Frames::At(_) => {
                let times = (frames.start..end).map(|frame| of.frames.seconds(frame) - first);
                Frames::At(times.collect())
            }
        },
        seconds,
        facts: format!(
            "frames {} to {}, {seconds:.2} s, of\n{}",
            frames.start,
            end - 1,
            of.facts
        ),
        ..of
    })
}

/// The animation files that a manifest names. The plugin keeps only their clips loaded, not the [`Ala`] assets.
#[derive(Component)]
pub struct ManifestClipFiles(pub Vec<Handle<Ala>>);

/// Loads the animation files and keeps their handles, so that their frame counts are available.
pub fn load_clip_files(
    mut commands: Commands,
    server: Res<AssetServer>,
    models: Query<(Entity, &ModelClips), Changed<ModelClips>>,
) {
    for (entity, own) in &models {
        let files = own.0.iter().filter_map(|named| file_of(&named.clip));
        let files = files.map(|path| server.load(path)).collect();
        commands.entity(entity).insert(ManifestClipFiles(files));
    }
}

fn file_of(clip: &ClipRef) -> Option<AssetPath<'static>> {
    match clip {
        ClipRef::Part { clip, .. } => file_of(clip),
        ClipRef::Handle(clip) => Some(clip.path()?.clone().without_label().clone_owned()),
        _ => None,
    }
}

/// Marks a model of a manifest to which the options were applied.
#[derive(Component)]
pub struct OverridesApplied;

/// A model of a manifest, with the components that the options change.
#[derive(QueryData)]
pub struct ManifestModel {
    entity: Entity,
    model: &'static ViewedModel,
    is_mdl: Has<MdlInstance>,
    alo: Option<&'static AloInstance>,
    abc: Option<&'static AbcInstance>,
    is_lgw: Has<LgwInstance>,
    list: Option<&'static ClipList>,
    clips: Option<&'static ModelClips>,
    play: Option<&'static PlayClip>,
    hidden: Option<&'static PartVisibility>,
}

/// Models to which the manifest was applied, but not yet the options.
type WithoutOverrides = (
    With<ClassicModel>,
    With<WorldAssetRoot>,
    Without<OverridesApplied>,
);

/// Applies the options once to each model, when the model is spawned and its clips are listed.
pub fn apply_overrides(
    mut commands: Commands,
    args: Res<Args>,
    mdl: Res<Assets<Mdl>>,
    models: Query<ManifestModel, WithoutOverrides>,
) {
    for model in models.iter().filter(ManifestModelItem::is_ready) {
        let mut entity = commands.entity(model.entity);
        entity.insert(OverridesApplied);
        override_clip(&mut entity, &args, &model, &mdl);
        override_appearance(&mut entity, &args, &model);
    }
}

impl ManifestModelItem<'_, '_> {
    /// Whether the model is spawned and its clips are listed.
    fn is_ready(&self) -> bool {
        let alo = self.alo.map(|of| of.model().animations.len());
        let abc = self.abc.map(|of| of.model().animations.len());
        let Some(count) = alo.or(abc) else {
            return self.is_mdl || self.is_lgw;
        };
        let has_clips = count > 0 || self.clips.is_some();
        let list = self.list.map_or(&[][..], |list| &list.0);
        let is_loading = list.iter().any(|clip| clip.state == ClipState::Loading);
        !is_loading && (!has_clips || !list.is_empty())
    }

    /// A clip by its name in the manifest, its name in the model's file, or its index.
    fn clip(&self, name: &str, mdl: &Assets<Mdl>) -> Option<ClipRef> {
        if self.clips.is_some_and(|own| own.get(name).is_some()) {
            return Some(name.into());
        }
        let of_mdl = self.model.asset(mdl).and_then(|mdl| mdl_clip(mdl, name));
        of_mdl.or_else(|| Some(self.list?.named(name)?.ready()?.play.clone()))
    }
}

fn override_clip(
    entity: &mut EntityCommands<'_>,
    args: &Args,
    model: &ManifestModelItem<'_, '_>,
    mdl: &Assets<Mdl>,
) {
    if args.rest {
        entity.remove::<PlayClip>();
        return;
    }
    let requested = args.clip.as_deref();
    let requested = requested.and_then(|name| model.clip(name, mdl));
    let Some(mut play) = requested
        .map(PlayClip::from_manifest)
        .or_else(|| model.play.cloned())
    else {
        return;
    };
    if args.once {
        play.repeat = Repeat::Once;
    }
    if args.time.is_some() {
        play.start = args.time;
        play.paused = true;
    }
    // An unchanged component still follows changes of the manifest.
    if model.play != Some(&play) {
        entity.insert(play);
    }
}

fn override_appearance(
    entity: &mut EntityCommands<'_>,
    args: &Args,
    model: &ManifestModelItem<'_, '_>,
) {
    if let Some(skin) = &args.skin {
        entity.insert(skin.clone());
    }
    if let Some(colors) = args.colors {
        entity.insert(colors);
    }
    if let Some(level) = args.lod {
        entity.insert(ModelLod(level));
    }
    if let Some(stage) = args.damage_stage {
        entity.insert(DamageStage(stage));
    }
    if let Some(team) = args.team {
        entity.insert(TeamColor(team));
    }
    if !args.parts.0.is_empty() {
        entity.insert(
            args.parts
                .applied_to(model.hidden.cloned().unwrap_or_default()),
        );
    }
}

/// Whether the options were applied to all models of manifests that loaded.
pub fn overrides_applied(models: Query<(&ViewedModel, Has<OverridesApplied>)>) -> bool {
    models
        .iter()
        .all(|(model, is_done)| is_done || model.manifest.is_none() || model.problem.is_some())
}
