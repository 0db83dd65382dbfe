//! The members of crowds: they join and leave, and their poses are written to the pose table.

use crate::crowd::clips::Found;
use crate::crowd::format::{CrowdFormat, CrowdMaterial};
use crate::crowd::models::{Appearance, CrowdModel, CrowdModels};
use crate::crowd::own_pose::{OwnPose, show_layers};
use crate::crowd::shown_poses::{ShownClip, ShownPoses};
use crate::crowd::skeleton::CrowdSkeleton;
use crate::gpu::pose_table::{PoseBlend, PoseTable};
use crate::load::warnings::ModelWarnings;
use crate::playback::skeletal::active_clips::PlayingClip;
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::propagate::PosedScene;
use crate::playback::skeletal::rig::{ClipSource, Rig};
use crate::root::spawning::ModelScene;
use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::system::SystemParam;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;
use core::fmt;
use std::sync::Arc;

/// A member of a crowd. It is on the root entity of a model that was spawned as a [`Crowd`](crate::root::Crowd), beside
/// the component of its format, such as `AloInstance`.
#[derive(Component)]
#[component(on_remove = leave_crowd::<F>, clone_behavior = Ignore)]
pub struct CrowdMember<F: CrowdFormat> {
    /// The slot of its model.
    pub(crate) slot: usize,
    pub(crate) row: u32,
    /// The asset of its scene.
    pub(crate) asset: Option<AssetId<WorldAsset>>,
    pub(crate) scene: Entity,
    pub(crate) meshes: Vec<Entity>,
    /// The meshes that it shows. `None` until they are merged.
    pub(crate) appearance: Option<Arc<Appearance<F>>>,
    pub(crate) skeleton: Arc<CrowdSkeleton>,
    pub(crate) shown: ShownPoses<F::Sampler>,
    /// The pose with layers. `None` if it never had any.
    pub(crate) own_pose: Option<OwnPose>,
    pub(crate) is_baking: bool,
    /// Whether clips are baked at once, because the member showed one before a reload of its scene.
    pub(crate) bakes_at_once: bool,
    /// A clip that cannot be shown, and the generation of the clips then.
    pub(crate) failed: Option<(AssetId<AnimationClip>, u32)>,
}

impl<F: CrowdFormat> CrowdMember<F> {
    /// The root entity of its scene, which is the parent of its meshes.
    pub fn scene(&self) -> Entity {
        self.scene
    }

    /// The entities of its meshes. Each draws all parts with one material.
    pub fn meshes(&self) -> &[Entity] {
        &self.meshes
    }

    /// Its row in the pose table of the format's crowds, which is the `MeshTag` of its meshes.
    pub fn row(&self) -> u32 {
        self.row
    }

    /// The bones of the pose that it shows instead of its clips, because it has layers.
    pub(crate) fn own_bones(&self) -> Option<&[(Transform, bool)]> {
        let own = self.own_pose.as_ref().filter(|own| own.is_shown)?;
        Some(&own.bones)
    }

    /// Whether the clip that plays is being baked. The member shows its previous pose meanwhile.
    pub fn is_baking(&self) -> bool {
        self.is_baking
    }
}

impl<F: CrowdFormat> fmt::Debug for CrowdMember<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CrowdMember")
            .field("row", &self.row)
            .field("scene", &self.scene)
            .field("meshes", &self.meshes)
            .finish_non_exhaustive()
    }
}

/// Releases the row and the meshes of a member, and the data of the crowd with its last member. A component hook.
fn leave_crowd<F: CrowdFormat>(mut world: DeferredWorld<'_>, context: HookContext) {
    let Some(member) = world.get::<CrowdMember<F>>(context.entity) else {
        return;
    };
    let (slot, row, meshes) = (member.slot, member.row, member.meshes.clone());
    let segments = member.own_pose.as_ref().map(OwnPose::segments);
    if let Some(mut table) = world.get_resource_mut::<PoseTable<CrowdMaterial<F>>>() {
        table.release(row);
    }
    if let Some(mut models) = world.get_resource_mut::<CrowdModels<F>>() {
        if let Some(crowd) = models.get_mut(slot) {
            for first in segments.into_iter().flatten() {
                crowd.texture.remove(first);
            }
        }
        models.leave(slot);
    }
    let mut commands = world.commands();
    for mesh in meshes {
        if let Ok(mut mesh) = commands.get_entity(mesh) {
            mesh.try_despawn();
        }
    }
}

/// Prepares a root whose scene was spawned: as a member of the crowd of its model, or as a scene with bones.
pub(crate) fn update_member<F: CrowdFormat>(
    world: &mut World,
    root: Entity,
    scene: Entity,
    is_crowd: bool,
    model: &Arc<F::Model>,
) {
    let Ok(mut entity) = world.get_entity_mut(root) else {
        return;
    };
    if !is_crowd {
        entity.remove::<CrowdMember<F>>();
        entity.insert(PosedScene::new(scene));
        return;
    }
    entity.remove::<PosedScene>();
    let asset = entity.get::<ModelScene>().map(|root| root.scene.id());
    let old = entity.get::<CrowdMember<F>>();
    let bakes_at_once = old.is_some_and(|old| old.shown.to.is_some() && old.asset == asset);
    entity.remove::<CrowdMember<F>>();
    let joined = world.resource_scope(|world, mut models: Mut<CrowdModels<F>>| {
        let meshes = world.get_resource::<Assets<Mesh>>()?;
        let images = world.get_resource::<Assets<Image>>()?;
        Some(models.join(model, meshes, images))
    });
    let Some((slot, skeleton)) = joined else {
        return;
    };
    let mut table = world.resource_mut::<PoseTable<CrowdMaterial<F>>>();
    let row = table.allocate();
    table.reset(row, PoseBlend::default());
    let member = CrowdMember::<F> {
        slot,
        row,
        asset,
        scene,
        meshes: Vec::new(),
        appearance: None,
        skeleton,
        shown: ShownPoses::default(),
        own_pose: None,
        is_baking: false,
        bakes_at_once,
        failed: None,
    };
    match world.get_entity_mut(root) {
        Ok(mut entity) => {
            entity.insert(member);
        }
        // An observer of the removal has despawned it.
        Err(_) => {
            world
                .resource_mut::<PoseTable<CrowdMaterial<F>>>()
                .release(row);
            world.resource_mut::<CrowdModels<F>>().leave(slot);
        }
    }
}

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
        let mut shown = member.shown.blend();
        if player.has_layers() {
            let own = &mut member.own_pose;
            match show_layers(own, &member.shown, crowd, player) {
                Ok(own) => shown = own,
                Err(error) => warnings.warn_once(root, &format!("cannot show layers: {error}")),
            }
        } else if let Some(own) = &mut member.own_pose {
            own.is_shown = false;
        }
        table.set(member.row, shown);
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
        let mut target = crate::crowd::clips::Target {
            skeleton,
            texture,
            bounds,
        };
        let ClipAssets { files, clips: all } = self.assets;
        let clip = || {
            let mut clip = F::clip_data(source, &model, files, all)?;
            F::add_deforms(&mut clip.sampler, source, &model, data);
            Some(clip)
        };
        clips.find(source.clip.id(), clip, &mut target, self.at_once)
    }
}
