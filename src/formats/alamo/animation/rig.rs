//! The bones and clips of Alamo models, for playback.

use crate::formats::alamo::animation::asset::{Ala, AlaAssetLabel};
use crate::formats::alamo::animation::binding::{BoneMismatch, bone_target};
use crate::formats::alamo::animation::sampler::ClipSampler;
use crate::formats::alamo::animation::visibility::visibility_evaluator;
use crate::formats::alamo::asset::{Alo, AloModel};
use crate::formats::alamo::components::{AloBone, AloInstance};
use crate::load::names::has_extension;
use crate::playback::clip_events::StoredEvents;
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::pose_source::{
    ClipCurves, ClipData, ClipOrigin, Timeline, curve_timeline,
};
use crate::playback::skeletal::rig::{ClipInfo, ClipSource, Rig, RigBone, RigClip};
use crate::root::play::ClipRef;
use crate::spawn::formats::ClipFiles;
use bevy::animation::AnimationTargetId;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use core::any::TypeId;
use std::sync::Arc;

/// The playback state of a spawned Alamo model. It is on the root entity once the scene is spawned.
pub type AloAnimator = ModelAnimator<Alo>;

impl Rig for Alo {
    type Model = AloModel;
    type Bone = AloBone;
    type ClipFile = Ala;
    type Sampler = ClipSampler;

    fn model(instance: &AloInstance) -> &Arc<AloModel> {
        instance.model()
    }

    fn bone_entities(instance: &AloInstance) -> &[Entity] {
        instance.bones()
    }

    fn bones(model: &AloModel) -> impl ExactSizeIterator<Item = RigBone<'_>> {
        model.bones.iter().map(|bone| RigBone {
            name: &bone.name,
            parent: bone.parent,
            rest: bone.transform,
            is_visible: bone.visible,
        })
    }

    fn target(bone: usize) -> AnimationTargetId {
        bone_target(bone)
    }

    fn clips(model: &AloModel) -> impl Iterator<Item = RigClip<'_>> {
        model.animations.iter().map(|animation| RigClip {
            name: &animation.name,
            clip: &animation.clip,
            file: Some(animation.ala.clone().untyped()),
        })
    }

    fn clip_info<'a>(
        source: &ClipSource,
        model: Option<&'a AloModel>,
        alas: &'a Assets<Ala>,
    ) -> Option<ClipInfo<'a>> {
        let ala = alas.get(source.file_id()?)?;
        let mut animations = model.into_iter().flat_map(|model| &model.animations);
        let own = animations.find(|own| own.clip == source.clip);
        let own = own.filter(|own| !own.events.is_empty());
        let events = own.map(|own| {
            let seconds = ala.seconds();
            let count = own.events.partition_point(|event| event.seconds <= seconds);
            StoredEvents {
                clip: &own.reference,
                events: own.events.get(..count).unwrap_or_default(),
                fps: Some(ala.fps),
            }
        });
        Some(ClipInfo {
            frames: ala.frame_times(),
            events,
        })
    }

    /// Loads the animation if only its clip is loaded.
    fn file_of(
        clip: &Handle<AnimationClip>,
        server: &AssetServer,
        extensions: &[String],
    ) -> Option<Handle<Ala>> {
        let path = server.get_path(clip.id());
        let path = path.filter(|path| path.label() == Some(&AlaAssetLabel::Clip.to_string()))?;
        let path = path.without_label();
        match server.get_path_and_type_id_handle(&path, TypeId::of::<Ala>()) {
            Some(ala) => Some(ala.typed()),
            // Only the clip is loaded, but the names of the bones are in the animation.
            None => has_extension(path.path(), extensions).then(|| server.load(path.clone_owned())),
        }
    }

    fn clip_data(
        source: &ClipSource,
        model: &AloModel,
        files: &Assets<Ala>,
        clips: &Assets<AnimationClip>,
    ) -> Option<ClipData<ClipSampler>> {
        let ala = source.file_id::<Ala>();
        let origin = ala.map_or(ClipOrigin::Clip, |ala| ClipOrigin::File(ala.untyped()));
        if let Some(ala) = ala.and_then(|ala| files.get(ala)) {
            return Some(ClipData {
                sampler: ClipSampler::of_ala(ala, model),
                timeline: Timeline::Rate {
                    count: ala.frames,
                    fps: ala.fps,
                },
                holds: ala.bones.iter().any(|bone| bone.steps),
                origin,
            });
        }
        let clip = clips.get(&source.clip)?;
        let visibility = visibility_evaluator();
        let curves = ClipCurves::new(clip, model.bones.len(), bone_target, Some(&visibility));
        Some(ClipData {
            sampler: ClipSampler::Curves(curves),
            timeline: curve_timeline(clip),
            holds: false,
            origin,
        })
    }

    fn mismatch(source: &ClipSource, model: &AloModel, alas: &Assets<Ala>) -> Option<String> {
        let ala = alas.get(source.file_id()?)?;
        mismatch_warning(&ala.mismatches(model))
    }
}

/// The warning that tracks do not match a model. `None` if there are no such tracks.
fn mismatch_warning(mismatches: &[BoneMismatch]) -> Option<String> {
    /// The most mismatches that the warning lists.
    const MAX_LISTED: usize = 12;
    if mismatches.is_empty() {
        return None;
    }
    let listed = mismatches.iter().take(MAX_LISTED).map(ToString::to_string);
    let listed: Vec<String> = listed.collect();
    let more = match mismatches.len().saturating_sub(MAX_LISTED) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    Some(format!(
        "has tracks that do not match the bones of the model and are ignored: {}{more}",
        listed.join("; ")
    ))
}

/// The functions that load the clip of an animation file.
pub(crate) fn clip_files() -> ClipFiles {
    ClipFiles {
        load: |server, file| ClipRef::Handle(server.load(clip_path(file))),
        load_within: |load_context, file| {
            let builder = load_context.load_builder();
            builder.load::<AnimationClip>(clip_path(file)).untyped()
        },
    }
}

fn clip_path(file: &AssetPath<'static>) -> AssetPath<'static> {
    AlaAssetLabel::Clip.from_asset(file.clone())
}
