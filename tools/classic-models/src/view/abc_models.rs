//! Loads and spawns LithTech models, and lists their clips.

use crate::view::abc_file::read_files;
use crate::view::args::Args;
use crate::view::clips::{ClipList, ClipState, Frames, ListedClip, ReadyClip};
use crate::view::files::Folders;
use crate::view::manifest_clips::ClipSources;
use crate::view::row::RowLayout;
use crate::view::viewed_model::ViewedModel;
use bevy::prelude::*;
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::lithtech::{AbcAnimation, AbcModel};
use bevy_classic_models::prelude::*;

/// The largest count of levels of detail to choose from.
const LEVELS: u16 = 24;

/// Types of clips that play by default.
const FIRST: [&str; 2] = ["Walk", "Run"];

/// Spawns LithTech models, and keeps their clip lists and bounds up to date.
pub struct AbcModelsPlugin;

impl Plugin for AbcModelsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, (spawn, update_clip_lists))
            .add_systems(PostUpdate, read_files.before(RowLayout));
    }
}

/// The loader settings of models: with up to [`LEVELS`] levels of detail, from the full model to the coarsest.
pub fn settings(folders: &Folders) -> impl Fn(&mut AbcLoaderSettings) + Send + Sync + 'static {
    let (skins, textures) = (folders.skins(), folders.texture_folders());
    move |settings| {
        settings.skins.extend(skins.iter().cloned());
        settings.texture_folders.extend(textures.iter().cloned());
        let shares = (0..LEVELS).map(|level| f32::from(level) / f32::from(LEVELS));
        settings.lod_shares = shares.collect();
    }
}

/// Spawns models that have been loaded.
fn spawn(
    mut commands: Commands,
    args: Res<Args>,
    assets: Res<Assets<Abc>>,
    models: Query<(Entity, &ViewedModel), Without<WorldAssetRoot>>,
) {
    for (entity, model) in models.iter().filter(|(_, model)| model.manifest.is_none()) {
        let Some(abc) = model.asset(&assets) else {
            continue;
        };
        let list = clip_list(abc, None);
        let clip = list.requested(args.clip.as_deref(), FIRST);
        let play = clip.map(|clip| args.play(clip.play.clone()));
        let mut entity = commands.entity(entity);
        if let Some(play) = play.filter(|_| !args.rest) {
            entity.insert(play);
        }
        entity.insert((
            WorldAssetRoot(abc.scene.clone()),
            ModelLod(args.lod.unwrap_or_default()),
            args.skin.clone().unwrap_or_default(),
            list,
        ));
        info!(
            "{}: {} nodes ({} with deformed vertices), {} levels of detail, {} clips, {} skins",
            model.name,
            abc.nodes.len(),
            abc.deforms.len(),
            abc.levels.len(),
            abc.animations.len(),
            abc.skins.len()
        );
    }
}

/// The components of a model that determine its clip list.
type Listed = (
    &'static AbcInstance,
    Option<&'static ModelClips>,
    &'static mut ClipList,
);

/// Filters models whose clip lists may have changed.
type ClipsChanged = Or<(Changed<AbcInstance>, Changed<ModelClips>)>;

/// Updates the clip lists of models that were respawned, or whose manifests changed.
fn update_clip_lists(mut models: Query<Listed, ClipsChanged>) {
    for (instance, own, mut list) in &mut models {
        list.set_if_neq(clip_list(instance.model(), own));
    }
}

fn clip_list(model: &AbcModel, own: Option<&ModelClips>) -> ClipList {
    let animations = model.animations.iter().enumerate();
    let clips = animations.map(|(index, animation)| {
        let namesakes = model.animations_named(&animation.name);
        let is_first = namesakes.first() == Some(&index);
        let (name, play) = match is_first {
            // A name stays valid if the file changes.
            true => (animation.name.to_string(), (&*animation.name).into()),
            false => (format!("{} #{index}", animation.name), index.into()),
        };
        ListedClip {
            name,
            from_manifest: false,
            ala: None,
            state: ClipState::Ready(ready(animation, play)),
        }
    });
    let mut clips: Vec<_> = clips.collect();
    if let Some(own) = own {
        // Only Alamo models have clips in separate files.
        let of_file = |clip: &Handle<_>| {
            ClipState::Broken(format!("{:?} is not a clip of a LithTech model", clip.id()))
        };
        let sources = ClipSources {
            own,
            listed: &clips,
            of_file: &of_file,
        };
        let manifest_clips = sources.manifest_clips();
        clips.extend(manifest_clips);
    }
    ClipList(clips)
}

fn ready(animation: &AbcAnimation, play: ClipRef) -> ReadyClip {
    let dims = animation
        .dims
        .map(|Vec3 { x, y, z }| format!("\nhalf dims {x:.1}, {y:.1}, {z:.1}"));
    ReadyClip {
        play,
        frames: Frames::At(animation.keyframes.clone()),
        seconds: animation.seconds,
        ends: false,
        facts: format!(
            "{} keyframes, {:.2} s{}",
            animation.keyframes.len(),
            animation.seconds,
            dims.unwrap_or_default(),
        ),
        remark: None,
    }
}
