//! Bakes the clips that play, and writes the poses of members to the pose table.

use crate::alamo::animation::{Ala, AlaSource, AloAnimator};
use crate::alamo::crowd::clips::{ClipAssets, Found};
use crate::alamo::crowd::instance::{AloCrowd, ShownClip, ShownPoses};
use crate::alamo::crowd::material::{AloCrowdMaterial, AloPoseTable};
use crate::alamo::crowd::model::{CrowdModel, CrowdModels};
use crate::alamo::crowd::parts::aabb;
use crate::scene::{ClipPlayer, ClipSource, ModelWarnings, PoseBlend, node};
use bevy::animation::{AnimationClip, AnimationPlayer};
use bevy::asset::{AssetEvent, AssetId, Assets};
use bevy::camera::primitives::Aabb;
use bevy::ecs::change_detection::DetectChangesMut;
use bevy::ecs::entity::Entity;
use bevy::ecs::message::MessageReader;
use bevy::ecs::system::{Query, Res, ResMut};
use bevy::ecs::world::{EntityRef, World};
use bevy::image::Image;

/// Retires edited clips, and stores the clips whose tasks have finished.
pub(super) fn update_clips(
    mut models: ResMut<CrowdModels>,
    mut ala_events: MessageReader<AssetEvent<Ala>>,
    mut clip_events: MessageReader<AssetEvent<AnimationClip>>,
) {
    let alas = ala_events.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => Some(*id),
        _ => None,
    });
    let alas: Vec<AssetId<Ala>> = alas.collect();
    let clips = clip_events.read().filter_map(|event| match event {
        AssetEvent::Modified { id } => Some(*id),
        _ => None,
    });
    let clips: Vec<AssetId<AnimationClip>> = clips.collect();
    let models = models.bypass_change_detection();
    for model in models.iter_mut() {
        let (crowd_clips, mut target) = model.clips();
        if !alas.is_empty() || !clips.is_empty() {
            crowd_clips.retire(|clip, ala| {
                clips.contains(&clip) || ala.is_some_and(|ala| alas.contains(&ala))
            });
        }
        crowd_clips.finish(&mut target);
        crowd_clips.free_unused(target.texture);
    }
}

/// The components of a member that poses depend on.
type Member = (
    Entity,
    &'static mut AloCrowd,
    &'static AloAnimator,
    &'static AnimationPlayer,
);

/// Writes the poses of all members, after Bevy has advanced their players.
pub(super) fn write_poses(
    mut members: Query<Member>,
    mut models: ResMut<CrowdModels>,
    mut table: ResMut<AloPoseTable>,
    alas: Res<Assets<Ala>>,
    clips: Res<Assets<AnimationClip>>,
    mut warnings: ModelWarnings,
) {
    let assets = ClipAssets {
        alas: &alas,
        clips: &clips,
    };
    let models = models.bypass_change_detection();
    let table = table.bypass_change_detection();
    for (root, mut member, animator, player) in &mut members {
        let member = member.bypass_change_detection();
        let Some(model) = models.get_mut(member.slot) else {
            continue;
        };
        let active = animator.animator().active_clips();
        let Some((index, selected)) = active.selected() else {
            if member.shown.to.is_some() || member.shown.from.is_some() {
                member.shown = ShownPoses::default();
            }
            member.is_baking = false;
            table.set(member.row, PoseBlend::default());
            continue;
        };
        let mut lookup = Lookup {
            model,
            assets: &assets,
            at_once: member.bakes_at_once,
            failed: member.failed,
            reason: None,
        };
        let seek = |index| {
            player
                .animation(node(index))
                .map_or(0.0, |animation| animation.seek_time())
        };
        let is_shown = lookup.update(&mut member.shown.to, &selected.source, seek(index));
        member.is_baking =
            !is_shown && lookup.reason.is_none() && lookup.failed != lookup.key(&selected.source);
        if is_shown {
            member.bakes_at_once = false;
            let weights = active.weights().zip(active.iter()).enumerate();
            let fading = weights.filter(|(other, (weight, _))| *other != index && *weight > 0.0);
            let heaviest = fading.max_by(|(_, (a, _)), (_, (b, _))| a.total_cmp(b));
            member.shown.from_weight = match heaviest {
                Some((other, (_, clip)))
                    if lookup.update(&mut member.shown.from, &clip.source, seek(other)) =>
                {
                    1.0 - animator.weight()
                }
                _ => {
                    if member.shown.from.is_some() {
                        member.shown.from = None;
                    }
                    0.0
                }
            };
        }
        if let Some(reason) = lookup.reason.take() {
            warnings.warn_once(root, &reason);
        }
        member.failed = lookup.failed;
        let blend = member.shown.blend();
        if is_shown || member.shown.to.is_some() {
            table.set(member.row, blend);
        }
    }
}

impl ShownPoses {
    #[inline]
    fn blend(&self) -> PoseBlend {
        let poses = |shown: &Option<ShownClip>| {
            let shown = shown.as_ref();
            shown.map_or_else(Default::default, |shown| shown.clip.poses(shown.seconds))
        };
        match self.from_weight > 0.0 {
            true => PoseBlend {
                to: poses(&self.to),
                from: poses(&self.from),
                from_weight: self.from_weight,
            },
            false => PoseBlend::from(poses(&self.to)),
        }
    }
}

/// Looks up the clips of a member.
struct Lookup<'a> {
    model: &'a mut CrowdModel,
    assets: &'a ClipAssets<'a>,
    at_once: bool,
    failed: Option<(AssetId<AnimationClip>, u32)>,
    /// The warning about a clip that cannot be shown.
    reason: Option<String>,
}

impl Lookup<'_> {
    fn key(&self, source: &AlaSource) -> Option<(AssetId<AnimationClip>, u32)> {
        Some((source.clip().id(), self.model.clips.generation))
    }

    /// Sets a shown clip to a source and a time of the part that plays, in seconds. Returns false if the clip is not
    /// baked yet. Then the shown clip stays.
    #[inline]
    fn update(&mut self, shown: &mut Option<ShownClip>, source: &AlaSource, time: f32) -> bool {
        let (id, generation) = (source.clip().id(), self.model.clips.generation);
        let part = source.frames();
        if let Some(shown) = shown
            && shown.clip.id == id
            && shown.generation == generation
        {
            shown.seconds = shown.clip.seconds(time, part);
            return true;
        }
        if self.failed == Some((id, generation)) {
            return false;
        }
        let (clips, mut target) = self.model.clips();
        match clips.find(source, &mut target, self.assets, self.at_once) {
            Found::Ready(clip) => {
                let seconds = clip.seconds(time, part);
                *shown = Some(ShownClip {
                    clip,
                    generation,
                    seconds,
                });
                true
            }
            Found::Pending => {
                // An edited clip plays on until it is baked again.
                if let Some(shown) = shown
                    && shown.clip.id == id
                {
                    shown.seconds = shown.clip.seconds(time, part);
                }
                false
            }
            Found::Failed(reason) => {
                self.failed = Some((id, generation));
                let path = source.clip().path();
                let name = path.map_or_else(|| "a clip".to_owned(), ToString::to_string);
                self.reason = Some(format!("cannot show {name} in a crowd: {reason}"));
                false
            }
        }
    }
}

/// Uploads the clips that were baked, and updates the boxes of the members' meshes.
pub(super) fn upload_clips(
    mut models: ResMut<CrowdModels>,
    mut images: ResMut<Assets<Image>>,
    mut materials: ResMut<Assets<AloCrowdMaterial>>,
    members: Query<&AloCrowd>,
    mut boxes: Query<&mut Aabb>,
) {
    let models = models.bypass_change_detection();
    let mut is_any = false;
    for model in models.iter_mut() {
        if !model.texture.is_changed() {
            continue;
        }
        is_any = true;
        model.texture.upload(&mut images);
        for material in model.materials.values() {
            // Marks the material as changed, so that it binds the new texture.
            if let Some(material) = materials.get_mut(material) {
                material.into_inner();
            }
        }
    }
    if !is_any {
        return;
    }
    for member in &members {
        let Some(model) = models.get(member.slot) else {
            continue;
        };
        let bounds = aabb(model.bounds);
        for mesh in member.meshes() {
            if let Ok(mut current) = boxes.get_mut(*mesh)
                && (current.center, current.half_extents) != (bounds.center, bounds.half_extents)
            {
                *current = bounds;
            }
        }
    }
}

/// Whether the clip of a member is being baked.
pub(super) fn is_baking(_: &World, entity: EntityRef<'_>) -> bool {
    entity.get::<AloCrowd>().is_some_and(AloCrowd::is_baking)
}
