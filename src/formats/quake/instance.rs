//! Spawns models, and answers questions about them for code on any format.

use crate::formats::quake::asset::{MdlModel, Sequence, SyncType};
use crate::formats::quake::components::{MdlInstance, MdlMesh, MdlPoseRow};
use crate::geometry::stride::ClipPose;
use crate::gpu::pose_table::PoseBlend;
use crate::playback::clip_events::ClipEvents;
use crate::root::play::ClipRef;
use crate::spawn::format::FoundClip;
use crate::spawn::format::{ModelClip, ModelInfo, ModelPose, NamedEntity};
use crate::spawn::instance::{ModelFormat, ModelInstance, RandomSeed, RayPart};
use crate::spawn::render_layers::HasLayers;
use crate::spawn::scene::{SceneRoot, Spawnable, insert, spawn_below};
use bevy::camera::primitives::Aabb;
use bevy::camera::visibility::NoAutoAabb;
use bevy::ecs::system::SystemParam;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use core::ops::Range;
use std::sync::Arc;

impl MdlInstance {
    fn new(model: Arc<MdlModel>, mesh: Entity) -> Self {
        Self {
            sequence: model.default_sequence(),
            phase: 0.0,
            model,
            mesh,
            row: None,
            selection: None,
            events: ClipEvents::default(),
            is_missing: false,
            model_changed: false,
            fade: None,
            shown: PoseBlend::default(),
            material_inputs: None,
            used_materials: Vec::new(),
        }
    }

    /// Replaces the model after a reload.
    fn set_model(&mut self, model: Arc<MdlModel>, mesh: Entity) {
        self.model = model;
        self.mesh = mesh;
        self.row = None;
        self.model_changed = true;
        // Pose indices of the old model are not valid for the new one.
        self.fade = None;
        self.material_inputs = None;
    }
}

/// Sets the offset of an instance's clock, from 0 to 1 second. It differs between roots, but not between runs.
fn set_phase(world: &mut World, root: Entity) {
    let seed = RandomSeed::of_root(world.get(root), 0);
    if let Some(mut instance) = world.get_mut::<MdlInstance>(root) {
        instance.phase = match instance.model.sync_type {
            // As many bits as an `f32` has.
            SyncType::Random => (seed >> 40) as f32 / (1 << 24) as f32,
            _ => 0.0,
        };
    }
}

impl Spawnable for MdlModel {
    fn spawn(self: Arc<Self>, world: &mut World, root: Entity, scene: SceneRoot) {
        let (min, max) = self.poses.bounds();
        let components = (
            scene.bundle,
            Mesh3d(self.mesh.clone()),
            Aabb::from_min_max(min, max),
            NoAutoAabb,
            HasLayers,
            MdlMesh(self.clone()),
            RayPart {
                format: ModelFormat::Quake,
                root,
            },
        );
        let mesh = match self.material(0, 0) {
            Some(material) => {
                let material = MeshMaterial3d(material.clone());
                spawn_below(world, root, (components, material))
            }
            None => spawn_below(world, root, components),
        };
        // The scene's only entity is not a named part.
        let any = ModelInstance::new(ModelFormat::Quake, self.shared.clone(), mesh, []);
        let Ok(mut entity) = world.get_entity_mut(root) else {
            return;
        };
        if let Some(mut instance) = entity.get_mut::<MdlInstance>() {
            instance.set_model(self, mesh);
            entity.insert(any);
        } else {
            entity.insert((MdlInstance::new(self, mesh), any));
        }
        // The instance requires the seed.
        set_phase(world, root);
        // After the instance, because adding the component sets the row of the instance.
        insert(world, mesh, MdlPoseRow { row: 0, root });
    }
}

/// The spawned Quake models.
#[derive(SystemParam)]
pub(crate) struct MdlInfo<'w, 's> {
    roots: Query<'w, 's, &'static MdlInstance>,
    names: Query<'w, 's, &'static Name>,
}

impl MdlInfo<'_, '_> {
    /// The box around all vertices in a sequence. They move in straight lines between its poses.
    fn sequence_bounds(&self, root: Entity, sequence: &Sequence) -> Option<Aabb3d> {
        let poses = &self.roots.get(root).ok()?.model().poses;
        let first = sequence.first_pose;
        let positions = (first..first + sequence.pose_count).flat_map(|pose| poses.pose(pose));
        let (min, max) = positions.fold(
            (Vec3::INFINITY, Vec3::NEG_INFINITY),
            |(min, max), (position, _)| (min.min(position), max.max(position)),
        );
        min.cmple(max).all().then(|| Aabb3d {
            min: min.into(),
            max: max.into(),
        })
    }
}

impl ModelInfo for MdlInfo<'_, '_> {
    fn clips(&self, root: Entity) -> Vec<ModelClip> {
        let Ok(animator) = self.roots.get(root) else {
            return Vec::new();
        };
        let clips = animator.model().clips.iter();
        clips
            .map(|clip| ModelClip {
                name: clip.name.to_string(),
                seconds: Some(clip.sequence.seconds()),
                frames: Some(clip.sequence.pose_count),
            })
            .collect()
    }

    fn find_clip(&self, root: Entity, clip: &ClipRef) -> FoundClip {
        let instance = self.roots.get(root);
        match instance
            .ok()
            .and_then(|instance| instance.model().sequence(clip))
        {
            Some(sequence) => FoundClip::Found {
                frames: Some(sequence.pose_count),
                files: Vec::new(),
            },
            None => FoundClip::Missing,
        }
    }

    /// The poses already have the part, and the time of the games' clock.
    fn pose(&self, root: Entity, time: f32, _: Option<&Range<u32>>) -> Option<ModelPose> {
        let animator = self.roots.get(root).ok()?;
        let shown = animator.shown().to;
        let sequence = animator.sequence();
        let contains = |clip: &Sequence| {
            let range = clip.first_pose..clip.first_pose + clip.pose_count;
            range.contains(&shown.a)
        };
        let clips = &animator.model().clips;
        let whole = clips.iter().position(|clip| clip.sequence == *sequence);
        let clip = whole.or_else(|| clips.iter().position(|clip| contains(&clip.sequence)));
        let first = clip.map_or(sequence.first_pose, |clip| clips[clip].sequence.first_pose);
        let start = sequence.first_pose.saturating_sub(first);
        // A part of a clip plays at the rate of the clip.
        let before = match start {
            0 => 0.0,
            _ => clips[clip?].sequence.timing.seconds(start),
        };
        Some(ModelPose {
            clip,
            seconds: before + time,
            frame: shown.a.saturating_sub(first),
            towards_next: shown.towards_b,
        })
    }

    /// The box of pose 0.
    fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        let first = Sequence {
            pose_count: 1,
            ..self.roots.get(root).ok()?.model().default_sequence()
        };
        self.sequence_bounds(root, &first)
    }

    fn clip_bounds(&self, root: Entity, clip: &ClipRef) -> Option<Aabb3d> {
        let sequence = self.roots.get(root).ok()?.model().sequence(clip)?;
        self.sequence_bounds(root, &sequence)
    }

    /// The poses of the file, and the first one again.
    fn clip_poses(&self, root: Entity, clip: &ClipRef) -> Option<Vec<ClipPose>> {
        let model = self.roots.get(root).ok()?.model();
        let sequence = model.sequence(clip)?;
        let pose = |step: u32| {
            let pose = sequence.first_pose + step % sequence.pose_count;
            let vertices = model.poses.pose(pose);
            ClipPose {
                seconds: sequence.timing.seconds(step),
                vertices: vertices.map(|(position, _)| position.into()).collect(),
            }
        };
        Some((0..=sequence.pose_count).map(pose).collect())
    }

    fn skins(&self, root: Entity) -> usize {
        let animator = self.roots.get(root);
        animator.map_or(0, |animator| animator.model().skins.len())
    }

    fn parts(&self, root: Entity) -> Vec<NamedEntity> {
        let mesh = self.roots.get(root).map(MdlInstance::mesh);
        let part = |entity| NamedEntity {
            entity,
            name: self
                .names
                .get(entity)
                .map_or_else(|_| String::new(), ToString::to_string),
            parent: None,
        };
        mesh.into_iter().map(part).collect()
    }
}
