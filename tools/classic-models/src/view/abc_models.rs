//! LithTech models: how they are loaded and spawned, and what they can play.

use crate::view::abc_file::read_files;
use crate::view::args::Args;
use crate::view::clips::{ClipList, ClipState, Frames, ListedClip, ReadyClip};
use crate::view::files::Folders;
use crate::view::models::{Standing, ViewedModel};
use crate::view::stated::Known;
use bevy::prelude::*;
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::lithtech::{AbcAnimation, AbcModel};
use bevy_classic_models::prelude::*;

/// Levels of detail that there are to choose from, if the file has as many.
const LEVELS: u16 = 24;

/// Types of clips that show most of a model.
const FIRST: [&str; 2] = ["Walk", "Run"];

/// Spawns models, and keeps what is known of them.
pub struct AbcModelsPlugin;

impl Plugin for AbcModelsPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Update, (spawn, list_again))
            .add_systems(PostUpdate, read_files.before(Standing));
    }
}

/// How models are loaded: with many levels of detail down to the coarsest.
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
        let Some(abc) = model.handle.abc().and_then(|abc| assets.get(abc)) else {
            continue;
        };
        let list = clip_list(abc, None);
        let clip = list.asked(args.clip.as_deref(), FIRST);
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
            "{}: {} nodes, {} of which deform, {} levels of detail, {} clips, {} skins",
            model.name,
            abc.nodes.len(),
            abc.deforms.len(),
            abc.levels.len(),
            abc.animations.len(),
            abc.skins.len()
        );
    }
}

/// What the clips of a model are known by.
type Listed = (
    &'static AbcInstance,
    Option<&'static ModelClips>,
    &'static mut ClipList,
);

/// Whether what is known of a model's clips may be other than before.
type OtherClips = Or<(Changed<AbcInstance>, Changed<ModelClips>)>;

/// Lists the clips of models that were spawned anew, or get other names for them.
fn list_again(mut models: Query<Listed, OtherClips>) {
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
            // Names outlive changes of the file.
            true => (animation.name.to_string(), (&*animation.name).into()),
            false => (format!("{} #{index}", animation.name), index.into()),
        };
        ListedClip {
            name,
            is_stated: false,
            ala: None,
            state: ClipState::Ready(ready(animation, play)),
        }
    });
    let mut clips: Vec<_> = clips.collect();
    if let Some(own) = own {
        let of_file = |clip: &Handle<_>| ClipState::Broken(format!("{:?} is not shown", clip.id()));
        let known = Known {
            own,
            listed: &clips,
            of_file: &of_file,
        };
        let stated = known.stated();
        clips.extend(stated);
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
