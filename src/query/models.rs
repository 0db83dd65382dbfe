//! [`ModelQuery`]: what can be asked about spawned models of any format.

use crate::appearance::skins::ActiveSkin;
use crate::formats::{FormatInfos, for_each_format};
use crate::geometry::stride;
use crate::root::motion::ClipMotion;
use crate::root::parts::{DistanceLod, ModelLod};
use crate::root::play::{ClipRef, Playback, ResolvedClip};
use crate::root::skins::{ModelSkins, TeamColor};
use crate::root::spawning::ModelScene;
use crate::spawn::format::{
    FoundClip, ModelClip, ModelInfo, ModelPose, NamedEntity, transformed_bounds,
};
use crate::spawn::instance::ModelFormat;
use crate::spawn::roots::ModelRoots;
use bevy::asset::AssetPath;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use std::sync::PoisonError;

/// A bone of a spawned model: see [`ModelQuery::bones`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelBone {
    /// Its entity.
    pub entity: Entity,
    /// Its name in the file. Several bones may share a name.
    pub name: String,
    /// The bone above it. `None` for a root bone.
    pub parent: Option<Entity>,
    /// From its space to the world, at the last propagation of transforms.
    pub transform: GlobalTransform,
}

/// A part of a spawned model: see [`ModelQuery::parts`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ModelPart {
    /// Its entity.
    pub entity: Entity,
    /// Its name in the file, including tags. Empty for the skinned mesh of an ABC model.
    pub name: String,
    /// The bone that it is attached to.
    pub bone: Option<Entity>,
    /// Whether its `InheritedVisibility` is true.
    pub is_visible: bool,
}

/// The skins of a spawned model: see [`ModelQuery::skins`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelSkinInfo {
    /// The count of the model's own skins, for [`ModelSkin::Index`](crate::root::ModelSkin::Index).
    pub count: usize,
    /// The names in the root's [`ModelSkins`], in lower case, sorted.
    pub names: Vec<String>,
    /// The index of the model's own skin that is used. `None` if another image replaces it, or the model has no skins.
    pub current: Option<usize>,
}

/// Answers questions about spawned models of any format: format, clips, pose, bounds, strides, skins, team
/// color, level of detail, parts, bones, roots.
///
/// It reads [`Playback`], `Transform`, `GlobalTransform`, [`ModelSkins`], [`ModelLod`] and [`TeamColor`]. A system that also writes one of
/// these needs a `ParamSet`.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::prelude::*;
/// # use bevy_classic_models::spawn::ModelInstance;
/// fn describe(spawned: Query<Entity, Added<ModelInstance>>, models: ModelQuery) {
///     for root in &spawned {
///         for clip in models.clips(root) {
///             info!("{}: {:?} s, {:?} frames", clip.name, clip.seconds, clip.frames);
///         }
///         for bone in models.bones(root) {
///             info!("{} at {}", bone.name, bone.transform.translation());
///         }
///     }
/// }
/// # bevy::ecs::system::assert_is_system(describe);
/// ```
#[derive(SystemParam)]
pub struct ModelQuery<'w, 's> {
    roots: ModelRoots<'w, 's>,
    server: Res<'w, AssetServer>,
    scenes: Query<'w, 's, &'static ModelScene>,
    formats: FormatInfos<'w, 's>,
    playing: Query<'w, 's, (&'static Playback, Option<&'static ResolvedClip>)>,
    named_skins: Query<'w, 's, &'static ModelSkins>,
    active_skins: Query<'w, 's, &'static ActiveSkin>,
    transforms: Query<'w, 's, &'static GlobalTransform>,
    locals: Query<'w, 's, (&'static Transform, &'static ChildOf)>,
    visibilities: Query<'w, 's, &'static InheritedVisibility>,
    levels: Query<'w, 's, (Option<&'static DistanceLod>, Option<&'static ModelLod>)>,
    team_colors: Query<'w, 's, &'static TeamColor>,
    motions: Query<'w, 's, &'static ClipMotion>,
}

impl ModelQuery<'_, '_> {
    /// The format of a root's model. `None` until its scene is spawned.
    pub fn format(&self, root: Entity) -> Option<ModelFormat> {
        self.roots.format(root)
    }

    /// The path of the file of a root's model. `None` until its scene is spawned, and for a model that is created in code.
    pub fn path(&self, root: Entity) -> Option<AssetPath<'static>> {
        self.roots.format(root)?;
        let scene = self.scenes.get(root).ok()?;
        let path = self.server.get_path(scene.scene.id())?;
        Some(path.without_label().into_owned())
    }

    /// The root entity of the model that an entity belongs to: the entity itself if it is a root, otherwise its nearest
    /// ancestor that is a root. For an entity of a model that is attached to another, this is the root of the attached
    /// model.
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_classic_models::query::ModelQuery;
    /// fn on_click(click: On<Pointer<Click>>, models: ModelQuery, mut commands: Commands) {
    ///     if let Some(root) = models.root(click.entity) {
    ///         commands.entity(root).despawn();
    ///     }
    /// }
    /// # World::new().add_observer(on_click);
    /// ```
    pub fn root(&self, part: Entity) -> Option<Entity> {
        self.roots.root(part)
    }

    /// The entity with a name, in any case:
    ///
    /// - ALO: a bone, otherwise a proxy, mesh, light or dazzle. Tags are part of the name.
    /// - ABC: a node.
    /// - LGW: a mesh.
    /// - MDL: always `None`, because its entity has no name.
    ///
    /// If several have the name, this is the first in the file. `None` if none has it, or the scene is not spawned yet.
    ///
    /// A member of a crowd has an entity only for bones that something is attached to.
    pub fn bone(&self, root: Entity, name: &str) -> Option<Entity> {
        self.roots.bone(root, name)
    }

    /// The transform of a bone or part in the world, at the last propagation of transforms. `None` if no bone or part has
    /// the name, or the scene is not spawned yet.
    ///
    /// For a member of a crowd, it is computed from the clip for this bone, or for the bone of this part.
    pub fn bone_transform(&self, root: Entity, name: &str) -> Option<GlobalTransform> {
        let Some(bone) = self.roots.crowd_bone(root, name) else {
            return self.transforms.get(self.bone(root, name)?).ok().copied();
        };
        let info = self.info(root)?;
        let scene = self.transforms.get(self.roots.scene(root)?).ok()?;
        Some(GlobalTransform::from(
            scene.affine() * info.crowd_bone(root, bone)?,
        ))
    }

    fn info(&self, root: Entity) -> Option<&dyn ModelInfo> {
        let format = self.format(root)?;
        for_each_format!(of, info in (&) self.formats => {
            if of == format {
                return Some(info);
            }
        });
        None
    }

    /// The clips of a root's model, in file order: the index is that of
    /// [`ClipRef::Index`]. Empty for a model without clips, and until the scene is spawned.
    pub fn clips(&self, root: Entity) -> Vec<ModelClip> {
        self.info(root)
            .map_or_else(Vec::new, |info| info.clips(root))
    }

    /// Looks up a clip of a root's model. It must not be a part of another clip.
    pub(crate) fn find_clip(&self, root: Entity, clip: &ClipRef) -> FoundClip {
        let info = self.info(root);
        info.map_or(FoundClip::Unsupported, |info| info.find_clip(root, clip))
    }

    /// The pose that a root's model shows. `None` if no clip of its file plays, unless it is an MDL model, which always shows
    /// a pose.
    ///
    /// It is the pose of the last update: in `Update`, that of the previous frame.
    pub fn pose(&self, root: Entity) -> Option<ModelPose> {
        let (playback, resolved) = self.playing.get(root).ok()?;
        let play = resolved.and_then(ResolvedClip::get);
        let frames = play.and_then(|play| play.play.clip.split_frames().1);
        self.info(root)?.pose(root, playback.time, frames.as_ref())
    }

    /// The box around a root's model at rest, in the root's space. `None` if the model has no vertices, and until the scene is
    /// spawned.
    ///
    /// ALO: the parts that are drawn at the finest level of detail, undamaged. ABC: the bind pose. MDL: frame 0.
    pub fn bounds(&self, root: Entity) -> Option<Aabb3d> {
        let bounds = self.info(root)?.bounds(root)?;
        self.in_root(root, &bounds)
    }

    /// A box around a root's model in all poses of a clip of its file, in the root's space. `None` if there is no such clip,
    /// the clip is not loaded, or nothing is drawn. It does not resolve the names in `ModelClips`.
    ///
    /// The box contains all vertices; for models with bones it may be larger, because it is made of the boxes of what each
    /// bone moves. Between frames, rotating vertices may leave it by a small fraction of its size. This poses all bones in
    /// all frames, so store the result.
    pub fn clip_bounds(&self, root: Entity, clip: &ClipRef) -> Option<Aabb3d> {
        let bounds = self.info(root)?.clip_bounds(root, clip)?;
        self.in_root(root, &bounds)
    }

    /// The stride of a clip of a root's model: how far the model walks in one pass through the clip, in units of the root.
    /// `None` if there is no such clip, the clip is not loaded, or the model does not walk in it. It does not resolve the
    /// names in `ModelClips`.
    ///
    /// It is measured once per model and clip: the lowest vertices of the model, which stand on the ground, move back at the
    /// speed of the model. It is not known if meshes are not kept in the main world.
    pub fn stride(&self, root: Entity, clip: &ClipRef) -> Option<f32> {
        self.known_stride(root, clip)?
    }

    /// Like [`stride`](Self::stride). The inner `None` means that the model does not walk, the outer one that this is not known.
    pub(crate) fn known_stride(&self, root: Entity, clip: &ClipRef) -> Option<Option<f32>> {
        let stride = self.scene_stride(root, clip)?;
        let scale = self.scene_to_root(root)?.matrix3.x_axis.length();
        Some(stride.map(|stride| stride * scale))
    }

    /// The same in the units of the scene.
    fn scene_stride(&self, root: Entity, clip: &ClipRef) -> Option<Option<f32>> {
        let strides = &self.roots.model(root)?.strides;
        let lock = || strides.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = lock().iter().find(|(known, _)| known == clip) {
            return Some(*known);
        }
        let poses = self.info(root)?.clip_poses(root, clip)?;
        let stride = stride::stride(&poses, self.format(root)?.up());
        lock().push((clip.clone(), stride));
        Some(stride)
    }

    /// How the clips of a root have moved its model along the ground in the last update, in the root's space. `None` without a
    /// [`RootMotion`](crate::root::RootMotion).
    ///
    /// It is for games that move roots themselves, in `Last` or in the next frame, so that [`moves_root`](crate::root::RootMotion::moves_root) is false:
    ///
    /// ```
    /// # use bevy::prelude::*;
    /// # use bevy_classic_models::prelude::*;
    /// /// In units of the world per second.
    /// #[derive(Component)]
    /// struct Velocity(Vec3);
    ///
    /// fn walk(time: Res<Time>, models: ModelQuery, mut units: Query<(Entity, &Transform, &mut Velocity)>) {
    ///     for (root, transform, mut velocity) in &mut units {
    ///         let moved = models.root_motion(root).unwrap_or_default();
    ///         let moved = transform.rotation * (transform.scale * Vec3::from(moved.translation));
    ///         // The first frame has no duration.
    ///         velocity.0 = moved / time.delta_secs().max(1e-3);
    ///     }
    /// }
    /// # bevy::ecs::system::assert_is_system(walk);
    /// ```
    pub fn root_motion(&self, root: Entity) -> Option<Isometry3d> {
        let ClipMotion(moved) = self.motions.get(root).ok()?;
        Some(Isometry3d::new(moved.translation, moved.rotation()))
    }

    /// The level of detail that is drawn, from 0, the finest: that of [`ModelLod`] or that of the distance. `None` until the
    /// scene is spawned.
    pub fn lod(&self, root: Entity) -> Option<u32> {
        let coarsest = self.info(root)?.levels(root) as u32 - 1;
        let (by_distance, lod) = self.levels.get(root).ok()?;
        let by_distance = by_distance.map_or(0, |distance| distance.0);
        Some(lod.map_or(by_distance, |lod| lod.0).min(coarsest))
    }

    /// The color of the team that owns a root's model. `None` without a [`TeamColor`].
    pub fn team_color(&self, root: Entity) -> Option<Color> {
        Some(self.team_colors.get(root).ok()?.0)
    }

    /// The skins of a root's model.
    pub fn skins(&self, root: Entity) -> ModelSkinInfo {
        let count = self.info(root).map_or(0, |info| info.skins(root));
        let named = self.named_skins.get(root).into_iter();
        let names = named.flat_map(ModelSkins::names).map(str::to_owned);
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        let current = match self.active_skins.get(root) {
            Ok(active) if active.image.is_some() => None,
            Ok(active) => Some(active.index),
            Err(_) => Some(0),
        };
        ModelSkinInfo {
            count,
            names,
            current: current
                .zip(count.checked_sub(1))
                .map(|(index, last)| index.min(last)),
        }
    }

    /// The bones of a root's model, in file order: parents before their children. Empty for MDL and LGW models, and for
    /// members of crowds.
    pub fn bones(&self, root: Entity) -> Vec<ModelBone> {
        let bones = self
            .info(root)
            .map_or_else(Vec::new, |info| info.bones(root));
        let bone = |bone: NamedEntity| ModelBone {
            transform: self
                .transforms
                .get(bone.entity)
                .copied()
                .unwrap_or_default(),
            entity: bone.entity,
            name: bone.name,
            parent: bone.parent,
        };
        bones.into_iter().map(bone).collect()
    }

    /// The parts of a root's model, in file order.
    ///
    /// - ALO: meshes, lights, proxies and groups of dazzles.
    /// - ABC: the skinned mesh, and the meshes of nodes that have their own.
    /// - LGW: the meshes.
    /// - MDL: the mesh.
    /// - A member of a crowd: its meshes, without names.
    pub fn parts(&self, root: Entity) -> Vec<ModelPart> {
        let parts = self
            .info(root)
            .map_or_else(Vec::new, |info| info.parts(root));
        let part = |part: NamedEntity| ModelPart {
            is_visible: self
                .visibilities
                .get(part.entity)
                .is_ok_and(|visibility| visibility.get()),
            entity: part.entity,
            name: part.name,
            bone: part.parent,
        };
        parts.into_iter().map(part).collect()
    }

    /// Transforms a box from the space of the scene below a root to the root's space.
    fn in_root(&self, root: Entity, bounds: &Aabb3d) -> Option<Aabb3d> {
        transformed_bounds(&self.scene_to_root(root)?, bounds)
    }

    /// From the space of the scene below a root to the root's. Not by global transforms, which are wrong until they are
    /// propagated.
    fn scene_to_root(&self, root: Entity) -> Option<Affine3A> {
        let (mut entity, mut to_root) = (self.roots.scene(root)?, Affine3A::IDENTITY);
        while entity != root {
            let (transform, parent) = self.locals.get(entity).ok()?;
            to_root = transform.compute_affine() * to_root;
            entity = parent.parent();
        }
        Some(to_root)
    }
}
