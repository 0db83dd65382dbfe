//! Writes the poses of members to the pose table.

use crate::crowd::data::clips::Found;
use crate::crowd::data::models::{CrowdModel, CrowdModels};
use crate::crowd::format::{CrowdFormat, CrowdMaterial};
use crate::crowd::members::member::CrowdMember;
use crate::crowd::members::shown::{ShownClip, ShownPoses};
use crate::gpu::pose_table::PoseTable;
use crate::load::warnings::ModelWarnings;
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::playing_clip::PlayingClip;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use bevy::ecs::system::SystemParam;
use bevy::prelude::*;

/// The components of a member that poses depend on.
type Posed<F> = (
    Entity,
    &'static mut CrowdMember<F>,
    &'static ModelAnimator<F>,
);

/// The assets from which clips are baked.
#[derive(SystemParam)]
pub(crate) struct ClipAssets<'w, F: CrowdFormat> {
    files: Res<'w, Assets<<F as Rig>::ClipFile>>,
    clips: Res<'w, Assets<AnimationClip>>,
}

/// Writes the poses of all members, after their clips have advanced.
pub(crate) fn write_poses<F: CrowdFormat>(
    mut members: Query<Posed<F>>,
    mut models: ResMut<CrowdModels<F>>,
    mut table: ResMut<PoseTable<CrowdMaterial<F>>>,
    assets: ClipAssets<F>,
    mut warnings: ModelWarnings,
) {
    let models = models.bypass_change_detection();
    let table = table.bypass_change_detection();
    for (root, mut member, player) in &mut members {
        let member = member.bypass_change_detection();
        let Some(crowd) = models.get_mut(member.slot) else {
            continue;
        };
        // Most members show one clip, which they have looked up before.
        if !show_known::<F>(member, crowd, player)
            && let Some(warning) = look_up::<F>(member, crowd, player, &assets)
        {
            warnings.warn_once(root, &warning);
        }
        table.set(member.row, member.shown.blend());
    }
}

/// Updates the position of the only clip that plays. Returns false if it must be looked up, or if several clips play.
#[inline]
fn show_known<F: CrowdFormat>(
    member: &mut CrowdMember<F>,
    crowd: &CrowdModel<F>,
    player: &ModelAnimator<F>,
) -> bool {
    let (Some(clip), Some(shown)) = (player.active_clips().only(), &mut member.shown.to) else {
        return false;
    };
    if shown.clip.id != clip.source.clip.id() || shown.generation != crowd.clips.generation {
        return false;
    }
    let time = clip.playback.time;
    shown.position = shown.clip.position(time, clip.source.frames.as_ref());
    member.shown.from_weight = 0.0;
    if member.shown.from.is_some() {
        member.shown.from = None;
    }
    member.is_baking = false;
    member.bakes_at_once = false;
    true
}

/// Looks up the clips that a member plays, and updates its poses. Returns a warning about a clip that cannot be shown.
fn look_up<F: CrowdFormat>(
    member: &mut CrowdMember<F>,
    crowd: &mut CrowdModel<F>,
    player: &ModelAnimator<F>,
    assets: &ClipAssets<'_, F>,
) -> Option<String> {
    let active = player.active_clips();
    let Some(selected) = active.selected() else {
        if member.shown.to.is_some() || member.shown.from.is_some() {
            member.shown = ShownPoses::default();
        }
        member.is_baking = false;
        return None;
    };
    let mut lookup = Lookup::<F> {
        crowd,
        assets,
        at_once: member.bakes_at_once,
        failed: member.failed,
        warning: None,
    };
    let shown = &mut member.shown;
    let is_shown = lookup.update(&mut shown.to, selected);
    member.is_baking =
        !is_shown && lookup.warning.is_none() && lookup.failed != lookup.key(&selected.source);
    if is_shown {
        member.bakes_at_once = false;
        let others = active.iter().count() - 1;
        let fading = active.weights().zip(active.iter()).take(others);
        let fading = fading.filter(|(weight, _)| *weight > 0.0);
        let heaviest = fading.max_by(|(a, _), (b, _)| a.total_cmp(b));
        let is_fading = heaviest.is_some_and(|(_, clip)| lookup.update(&mut shown.from, clip));
        shown.from_weight = if is_fading {
            1.0 - player.weight()
        } else {
            0.0
        };
        if !is_fading {
            shown.from = None;
        }
    }
    member.failed = lookup.failed;
    lookup.warning
}

/// Looks up the clips of a member.
struct Lookup<'a, 'w, F: CrowdFormat> {
    crowd: &'a mut CrowdModel<F>,
    assets: &'a ClipAssets<'w, F>,
    at_once: bool,
    failed: Option<(AssetId<AnimationClip>, u32)>,
    /// The warning about a clip that cannot be shown.
    warning: Option<String>,
}

impl<F: CrowdFormat> Lookup<'_, '_, F> {
    fn key(&self, source: &ClipSource) -> Option<(AssetId<AnimationClip>, u32)> {
        Some((source.clip.id(), self.crowd.clips.generation))
    }

    /// Sets a shown clip to a clip that plays. Returns false if that is not baked yet. Then the shown clip stays.
    fn update(&mut self, shown: &mut Option<ShownClip<F::Sampler>>, playing: &PlayingClip) -> bool {
        let (source, time) = (&playing.source, playing.playback.time);
        let (id, generation) = (source.clip.id(), self.crowd.clips.generation);
        let part = source.frames.as_ref();
        if let Some(shown) = shown
            && shown.clip.id == id
            && shown.generation == generation
        {
            shown.position = shown.clip.position(time, part);
            return true;
        }
        if self.failed == Some((id, generation)) {
            return false;
        }
        match self.find(source) {
            Found::Ready(clip) => {
                let position = clip.position(time, part);
                *shown = Some(ShownClip {
                    clip,
                    generation,
                    position,
                });
                true
            }
            Found::Pending => {
                // An edited clip plays on until it is baked again.
                if let Some(shown) = shown
                    && shown.clip.id == id
                {
                    shown.position = shown.clip.position(time, part);
                }
                false
            }
            Found::Failed(reason) => {
                self.failed = Some((id, generation));
                let path = source.clip.path();
                let name = path.map_or_else(|| "a clip".to_owned(), ToString::to_string);
                self.warning = Some(format!("cannot show {name} in a crowd: {reason}"));
                false
            }
        }
    }

    /// Looks up a clip, and starts to bake it if it is new.
    fn find(&mut self, source: &ClipSource) -> Found<F::Sampler> {
        let model = self.crowd.model.clone();
        let CrowdModel {
            clips,
            data,
            skeleton,
            texture,
            bounds,
            ..
        } = &mut *self.crowd;
        let mut target = crate::crowd::data::clips::Target {
            skeleton,
            texture,
            bounds,
        };
        let ClipAssets { files, clips: all } = self.assets;
        let clip = || F::clip(source, &model, data, files, all);
        clips.find(source.clip.id(), clip, &mut target, self.at_once)
    }
}
