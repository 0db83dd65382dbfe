//! Advances the clips of spawned models and writes what each of them shows to the [`PoseTable`].

use crate::quake::loader::MdlMesh;
use crate::quake::mdl::Timing;
use crate::quake::model::{MdlModel, Sequence, SyncType};
use crate::quake::pose_table::PoseTable;
use crate::quake::skins::Look;
use crate::scene::{
    Chosen, ClipFinished, ModelClips, OwnScenes, PlayClip, Playback, PoseBlend, PosePair, Repeat,
    SceneModel, Stated, StatedClip, Told, wrap,
};
use bevy::ecs::change_detection::{DetectChanges, DetectChangesMut, Ref};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::lifecycle::{HookContext, Remove};
use bevy::ecs::message::MessageWriter;
use bevy::ecs::observer::On;
use bevy::ecs::system::{Commands, Query, Res, ResMut};
use bevy::ecs::world::DeferredWorld;
use bevy::mesh::MeshTag;
use bevy::time::Time;
use bevy::world_serialization::{WorldAssetRoot, WorldInstanceReady};
use std::sync::Arc;

/// What a spawned Quake model is doing. On the root entity, once its scene is there.
#[derive(Component, Debug)]
#[require(Playback)]
#[component(on_remove = stop_motion)]
pub struct MdlAnimator {
    model: Arc<MdlModel>,
    mesh: Entity,
    /// The row of the mesh; none until the mesh has one, or if the mesh was despawned.
    row: Option<u32>,
    /// Seconds by which this instance is ahead of the client's clock.
    phase: f32,
    sequence: Sequence,
    /// What was asked for when `sequence` was chosen.
    chosen: Option<Chosen>,
    /// The model lacks what was asked for, so the sequence of the model plays instead.
    is_missing: bool,
    /// The model was exchanged since: what was shown means nothing any more.
    stale: bool,
    fade: Option<Fade>,
    shown: PoseBlend,
    pub(super) look: Option<Look>,
}

#[derive(Clone, Copy, Debug)]
struct Fade {
    from: PosePair,
    seconds: f32,
    left: f32,
}

impl MdlAnimator {
    /// The model, for its clips, skins and poses.
    pub fn model(&self) -> &Arc<MdlModel> {
        &self.model
    }

    /// The entity of the mesh, a child of the root.
    pub fn mesh(&self) -> Entity {
        self.mesh
    }

    /// What shows in this frame, once the systems of
    /// [`ClassicModelsSystems::Play`](crate::scene::ClassicModelsSystems) have run.
    ///
    /// [`MdlPoses::blend`](super::MdlPoses::blend) turns it into positions.
    pub fn shown(&self) -> PoseBlend {
        self.shown
    }

    /// Seconds that one pass of what plays takes.
    pub fn clip_seconds(&self) -> f32 {
        self.sequence.seconds()
    }

    /// The poses that play.
    pub fn sequence(&self) -> &Sequence {
        &self.sequence
    }

    /// The client's clock as this instance sees it.
    pub(super) fn clock(&self, time: &Time) -> f64 {
        time.elapsed_secs_f64() + f64::from(self.phase)
    }

    fn new(model: Arc<MdlModel>, mesh: Entity, root: Entity) -> Self {
        Self {
            sequence: model.default_sequence(),
            phase: phase(&model, root),
            model,
            mesh,
            row: None,
            chosen: None,
            is_missing: false,
            stale: false,
            fade: None,
            shown: PoseBlend::default(),
            look: None,
        }
    }

    /// Goes on with another model in the place of the old one.
    fn exchange(&mut self, model: Arc<MdlModel>, mesh: Entity, root: Entity) {
        self.phase = phase(&model, root);
        self.model = model;
        self.mesh = mesh;
        self.stale = true;
        // Poses of the old model mean nothing in the new one.
        self.fade = None;
        self.look = None;
    }

    /// Chooses the sequence that is asked for, or that of the model if nothing is asked for or it is missing. Returns
    /// whether it begins in this frame.
    fn choose(
        &mut self,
        clip: Option<&StatedClip>,
        found: Option<Sequence>,
        playback: &mut Playback,
        time: &Time,
    ) -> bool {
        let is_same = self.chosen.as_ref().is_some_and(|chosen| chosen.is(clip));
        let goes_on = self.stale && is_same && !self.is_missing;
        self.is_missing = clip.is_some() && found.is_none();
        self.sequence = found.unwrap_or_else(|| self.model.default_sequence());
        // Nothing has been shown that could be faded from.
        let fresh = self.stale || self.chosen.is_none();
        self.chosen = Some(Chosen::new(clip));
        self.stale = false;
        if goes_on {
            return false;
        }
        let fade = clip.map_or(0.0, |clip| clip.play.fade);
        let play = self.played(clip).map(|clip| &clip.play);
        self.fade = (fade > 0.0 && fade.is_finite() && !fresh).then(|| Fade {
            from: self.nearest_shown(),
            seconds: fade,
            left: fade,
        });
        playback.time = self.start(play, time);
        playback.finished = false;
        true
    }

    /// What is asked for, unless the model lacks it.
    fn played<'c>(&self, clip: Option<&'c StatedClip>) -> Option<&'c StatedClip> {
        clip.filter(|_| !self.is_missing)
    }

    /// The sequence of a clip, or what to say of the model that has none.
    fn find(&self, clip: &StatedClip, named: Option<&ModelClips>) -> Result<Sequence, String> {
        let sequence = self.model.sequence(&clip.play.clip);
        sequence.ok_or_else(|| match self.model.sequence(clip.play.clip.flat().0) {
            Some(whole) => clip.empty(Some(whole.pose_count)),
            None => {
                let names: Vec<_> = self.model.clips.iter().map(|clip| &*clip.name).collect();
                clip.missing(named, &names)
            }
        })
    }

    fn start(&self, play: Option<&PlayClip>, time: &Time) -> f32 {
        let length = self.sequence.seconds();
        let repeat = play.map_or(Repeat::Loop, |play| play.repeat);
        let runs_by_itself = self.sequence.is_group
            && repeat == Repeat::Loop
            && self.model.sync_type != SyncType::FrameTime;
        match play.and_then(|play| play.start) {
            Some(start) => start,
            None if runs_by_itself => (self.clock(time) % f64::from(length)) as f32,
            None if play.is_some_and(|play| play.speed < 0.0) => match repeat {
                Repeat::Once => length,
                Repeat::Loop | Repeat::AsStated => 0.0,
            },
            None => 0.0,
        }
    }

    /// The place between two poses that is closest to what shows: half of an unfinished fade is
    /// left behind.
    fn nearest_shown(&self) -> PosePair {
        if self.shown.from_weight > 0.5 {
            self.shown.from
        } else {
            self.shown.to
        }
    }

    fn locate(&self, time: f32, repeat: Repeat, interpolate: bool) -> PosePair {
        let Sequence {
            first_pose,
            pose_count,
            timing,
            ..
        } = &self.sequence;
        let (element, towards_next) = timing.locate(time, *pose_count);
        let next = match element + 1 {
            next if next < *pose_count => next,
            _ if repeat == Repeat::Loop => 0,
            _ => element,
        };
        PosePair {
            a: first_pose + element,
            b: first_pose + next,
            towards_b: if interpolate { towards_next } else { 0.0 },
        }
    }

    /// Share of the pose that is faded from, after `seconds` more.
    fn fade_weight(&mut self, seconds: f32) -> f32 {
        let Some(fade) = &mut self.fade else {
            return 0.0;
        };
        fade.left -= seconds;
        if fade.left > 0.0 {
            fade.left / fade.seconds
        } else {
            self.fade = None;
            0.0
        }
    }
}

/// A phase from 0 to 1 second that differs between entities but not between runs.
fn phase(model: &MdlModel, entity: Entity) -> f32 {
    match model.sync_type {
        // The multiplier is that of a Weyl sequence: it spreads consecutive indices evenly.
        SyncType::Random => {
            let spread = entity.index_u32().wrapping_mul(0x9e37_79b9);
            spread as f32 / u32::MAX as f32
        }
        _ => 0.0,
    }
}

/// A mesh that is left behind stays in the pose that it shows.
fn stop_motion(mut world: DeferredWorld<'_>, context: HookContext) {
    let animator = world.get::<MdlAnimator>(context.entity);
    let row = animator.and_then(|animator| Some((animator.row?, animator.shown)));
    if let (Some((row, shown)), Some(mut table)) = (row, world.get_resource_mut::<PoseTable>()) {
        table.reset(row, shown);
    }
}

/// On the mesh of a model: its row of the [`PoseTable`], which is freed with the mesh.
#[derive(Component, Debug)]
#[component(on_add = allocate_row, on_remove = release_row)]
pub(super) struct PoseRow {
    row: u32,
    root: Entity,
}

fn allocate_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let mesh = context.entity;
    let Some(row) = world.get_resource_mut::<PoseTable>() else {
        return;
    };
    let row = row.into_inner().allocate();
    let Some(mut of_mesh) = world.get_mut::<PoseRow>(mesh) else {
        return;
    };
    of_mesh.row = row;
    let root = of_mesh.root;
    set_row(&mut world, root, mesh, Some(row));
    world.commands().entity(mesh).try_insert(MeshTag(row));
}

fn release_row(mut world: DeferredWorld<'_>, context: HookContext) {
    let mesh = context.entity;
    let Some(&PoseRow { row, root }) = world.get::<PoseRow>(mesh) else {
        return;
    };
    if let Some(mut table) = world.get_resource_mut::<PoseTable>() {
        table.release(row);
    }
    set_row(&mut world, root, mesh, None);
}

/// Sets the row that an animator writes to, if it still animates the mesh.
fn set_row(world: &mut DeferredWorld<'_>, root: Entity, mesh: Entity, row: Option<u32>) {
    if let Some(mut animator) = world.get_mut::<MdlAnimator>(root)
        && animator.mesh == mesh
    {
        animator.bypass_change_detection().row = row;
    }
}

impl SceneModel for MdlMesh {
    type Instance = MdlAnimator;

    fn is_of(&self, instance: &MdlAnimator) -> bool {
        Arc::ptr_eq(&self.0, &instance.model)
    }
}

/// Takes charge of a scene that was spawned, or spawned anew because its file changed.
pub(super) fn on_scene_ready(
    ready: On<WorldInstanceReady>,
    mut commands: Commands,
    scenes: OwnScenes<'_, '_, MdlMesh>,
    meshes: Query<(&MdlMesh, Option<&PoseRow>)>,
    mut animators: Query<&mut MdlAnimator>,
) {
    let Some(entities) = scenes.entities(&ready) else {
        return;
    };
    let root = ready.entity;
    let model_of = |entity: Entity| Some((entity, meshes.get(entity).ok()?));
    let Some((mesh, (MdlMesh(model), row))) = entities.into_iter().find_map(model_of) else {
        if animators.contains(root) {
            commands.entity(root).try_remove::<MdlAnimator>();
        }
        return;
    };
    if let Ok(mut animator) = animators.get_mut(root) {
        animator.exchange(model.clone(), mesh, root);
        animator.row = row.map(|row| row.row);
    } else {
        let mut animator = MdlAnimator::new(model.clone(), mesh, root);
        animator.row = row.map(|row| row.row);
        commands.entity(root).try_insert(animator);
    }
    // After the animator, which takes note of a new row.
    let row = row.map_or(0, |row| row.row);
    commands.entity(mesh).try_insert(PoseRow { row, root });
}

/// Without a scene there is no instance.
pub(super) fn on_root_removed(removed: On<Remove, WorldAssetRoot>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<MdlAnimator>();
}

/// What decides about what a model plays.
type Players<'w> = (
    Entity,
    &'w mut MdlAnimator,
    &'w mut Playback,
    Option<Ref<'w, Stated>>,
    Option<&'w ModelClips>,
);

/// Advances every model's clip.
pub(super) fn play(
    time: Res<Time>,
    mut table: ResMut<PoseTable>,
    mut finished: MessageWriter<ClipFinished>,
    mut told: Told,
    mut models: Query<Players<'static>>,
) {
    let delta = time.delta_secs();
    for (entity, mut animator, mut playback, stated, named) in &mut models {
        let animator = animator.bypass_change_detection();
        let playback = playback.bypass_change_detection();
        let changed = match &stated {
            Some(stated) => stated.is_changed(),
            None => animator
                .chosen
                .as_ref()
                .is_some_and(|chosen| !chosen.is(None)),
        };
        let clip = stated.as_ref().and_then(|stated| stated.get());
        let fresh = animator.stale || animator.chosen.is_none();
        let differs = || {
            !animator
                .chosen
                .as_ref()
                .is_some_and(|chosen| chosen.is(clip))
        };
        let reconsider = fresh || (changed && differs());
        let begins = reconsider && {
            let found = clip.map(|clip| animator.find(clip, named)).transpose();
            let found = found.unwrap_or_else(|complaint| {
                told.warn_once(entity, &complaint);
                None
            });
            animator.choose(clip, found, playback, &time)
        };
        let asked = clip.map(|clip| &clip.play);
        let played = animator.played(clip);
        let play = played.map(|clip| &clip.play);

        let paused = asked.is_some_and(|play| play.paused);
        let seconds = if begins || paused { 0.0 } else { delta };
        let speed = play.map_or(1.0, |play| play.speed);
        let repeat = play.map_or(Repeat::Loop, |play| play.repeat);
        let length = animator.sequence.seconds();
        if playback.advance(seconds * speed, length, repeat)
            && let Some(clip) = played
        {
            finished.write(ClipFinished {
                entity,
                clip: clip.asked.clone(),
            });
        }

        let interpolate = animator.model.interpolate && asked.is_none_or(|play| play.interpolate);
        let to = animator.locate(playback.time, repeat, interpolate);
        let from_weight = animator.fade_weight(seconds);
        let from = animator.fade.map_or(PosePair::default(), |fade| fade.from);
        animator.shown = PoseBlend {
            to,
            from,
            from_weight,
        };
        match animator.row {
            Some(row) if fresh => table.reset(row, animator.shown),
            Some(row) => table.set(row, animator.shown),
            None => {}
        }
    }
}

/// The element of a sequence on the client's clock.
pub(super) fn element_at(timing: &Timing, count: u32, clock: f64) -> u32 {
    let length = timing.seconds(count);
    let time = wrap((clock % f64::from(length)) as f32, length);
    timing.locate(time, count).0
}
