//! What a format implements so that its models have crowds; and [`RigInfo`], what code for any format can ask about spawned models
//! with bones.

use crate::appearance::parts::Selected;
use crate::appearance::rebind_textures::HasTextures;
use crate::appearance::skins::SkinMaterials;
use crate::crowd::bake::PoseSource;
use crate::crowd::bones::crowd_bone;
use crate::crowd::clips::ClipData;
use crate::crowd::members::CrowdMember;
use crate::crowd::meshes::AttributeSet;
use crate::crowd::skeleton::CrowdSkeleton;
use crate::crowd::skinning::{CrowdSkinning, VertexJoints};
use crate::load::names::same_name;
use crate::playback::skeletal::animator::ModelAnimator;
use crate::playback::skeletal::rig::{ClipInfo, ClipSource, Rig, RigClip, SharedClips};
use crate::root::play::ClipRef;
use crate::spawn::format::{Format, FoundClip, ModelClip, ModelPose, NamedEntity, frame_at};
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::pbr::ExtendedMaterial;
use bevy::prelude::*;
use core::hash::Hash;
use core::ops::Range;
use std::sync::Arc;

/// A format whose models have crowds.
pub trait CrowdFormat: Rig {
    /// Poses the bones of a model at a position of a clip.
    type Sampler: PoseSource;
    /// The material of the format.
    type Base: HasTextures + Material<Data: Copy + Eq + Hash>;
    /// What selects materials beside the parts that are shown.
    type Skin: Clone + Eq + Hash + Send + Sync + 'static;
    /// What decides about the material of a sub-mesh.
    type Surface: Send + Sync + 'static;
    /// Data of a model that its samplers or selections need.
    type Data: Send + Sync + 'static;

    /// The sub-meshes of a model and the joints that they follow.
    fn content(
        model: &Self::Model,
        meshes: &Assets<Mesh>,
        images: &Assets<Image>,
    ) -> CrowdContent<Self::Surface, Self::Data>;

    /// What a clip is baked from. `None` if it is not loaded.
    fn clip(
        source: &ClipSource,
        model: &Self::Model,
        data: &Self::Data,
        files: &Assets<Self::ClipFile>,
        clips: &Assets<AnimationClip>,
    ) -> Option<ClipData<Self::Sampler>>;

    /// The parts and the skin that the components of a root select.
    fn selection(
        model: &Self::Model,
        data: &Self::Data,
        selected: &Selected<'_>,
    ) -> Selection<Self::Skin>;

    /// The material of a sub-mesh with a skin. `None` if it is not drawn.
    fn material(
        model: &Arc<Self::Model>,
        surface: &Self::Surface,
        skin: &Self::Skin,
        materials: &mut SkinMaterials<'_, Self::Base>,
    ) -> Option<Handle<Self::Base>>;
}

/// The material of a format's crowds.
pub(crate) type CrowdMaterial<F> = ExtendedMaterial<<F as CrowdFormat>::Base, CrowdSkinning>;

/// The sub-meshes of a model and the joints that they follow. The types are [`CrowdFormat::Surface`] and
/// [`CrowdFormat::Data`].
pub struct CrowdContent<P, D> {
    pub(crate) skeleton: CrowdSkeleton,
    pub(crate) submeshes: Vec<CrowdSubmesh<P>>,
    /// Why sub-meshes are missing. `None` if none is.
    pub(crate) missing: Option<Missing>,
    pub(crate) data: D,
}

/// Why sub-meshes of a model are missing in its crowd.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// Their meshes are not in the main world.
    NotInMainWorld,
    /// Vertices cannot store the offsets of their joints.
    TooManyJoints,
    /// The texture has no room for a pose.
    PoseTooLarge,
}

impl Missing {
    /// The warning. It follows the path of the model.
    pub(crate) fn warning(self) -> &'static str {
        match self {
            Self::NotInMainWorld => {
                "has meshes that are not in the main world, so its crowd cannot draw them: set `asset_usage` of its loader \
                 settings to the default"
            }
            Self::TooManyJoints => {
                "has more than 21,000 bones with vertices, so its crowd cannot draw all of them: spawn it as a scene"
            }
            Self::PoseTooLarge => {
                "has a pose that exceeds the adapter's maximum texture size, so its crowd draws nothing: spawn it as a scene"
            }
        }
    }
}

/// A sub-mesh that is drawn.
#[derive(Debug)]
pub struct CrowdSubmesh<P> {
    /// The index of the part that it belongs to.
    pub(crate) part: usize,
    pub(crate) mesh: Handle<Mesh>,
    pub(crate) surface: P,
    pub(crate) casts_shadows: bool,
    pub(crate) attributes: AttributeSet,
    pub(crate) joints: VertexJoints,
    /// The index of its visibility bit.
    pub(crate) visibility: u32,
}

/// The choices that decide about meshes and materials.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Selection<K> {
    /// Whether each part of the model is shown.
    pub(crate) parts: Box<[bool]>,
    /// The skin, for formats that have skins.
    pub(crate) skin: K,
}

/// The components of a root.
type Root<F> = (
    &'static <F as Format>::Instance,
    Option<&'static ModelAnimator<F>>,
    Option<&'static CrowdMember<F>>,
);

/// The spawned models of a format with bones.
#[derive(SystemParam)]
pub(crate) struct RigInfo<'w, 's, F: CrowdFormat> {
    roots: Query<'w, 's, Root<F>>,
    files: Option<Res<'w, Assets<<F as Rig>::ClipFile>>>,
    server: Option<Res<'w, AssetServer>>,
    shared: Option<Res<'w, SharedClips<F>>>,
}

impl<F: CrowdFormat> RigInfo<'_, '_, F> {
    pub(crate) fn instance(&self, root: Entity) -> Option<&F::Instance> {
        Some(self.roots.get(root).ok()?.0)
    }

    pub(crate) fn model(&self, root: Entity) -> Option<&F::Model> {
        Some(F::model(self.instance(root)?))
    }

    /// The assets that describe clips.
    pub(crate) fn files(&self) -> Option<&Assets<F::ClipFile>> {
        self.files.as_deref()
    }

    fn clip_info<'a>(&'a self, model: &'a F::Model, clip: RigClip<'_>) -> Option<ClipInfo<'a>> {
        F::clip_info(&ClipSource::from(clip), Some(model), self.files()?)
    }

    /// The clips, in file order.
    pub(crate) fn clips(&self, root: Entity) -> Vec<ModelClip> {
        let Some(model) = self.model(root) else {
            return Vec::new();
        };
        let clips = F::clips(model).map(|clip| {
            let name = clip.name.to_owned();
            let info = self.clip_info(model, clip);
            ModelClip {
                name,
                seconds: info.map(|info| info.frames.end()),
                frames: info.map(|info| info.frames.count()),
            }
        });
        clips.collect()
    }

    /// Looks up a clip that is not a part of another clip.
    pub(crate) fn find_clip(&self, root: Entity, clip: &ClipRef) -> FoundClip {
        let (Some(model), Some(files)) = (self.model(root), self.files()) else {
            return FoundClip::Unsupported;
        };
        let mut clips = F::clips(model);
        let found = match clip {
            ClipRef::Handle(clip) => return self.find_file(model, clip),
            ClipRef::Name(name) => clips.find(|clip| same_name(clip.name, name)),
            ClipRef::Index(index) => clips.nth(*index),
            _ => None,
        };
        let Some(source) = found.map(ClipSource::from) else {
            return FoundClip::Missing;
        };
        FoundClip::Found {
            frames: F::clip_info(&source, Some(model), files).map(|info| info.frames.count()),
            files: source.file.into_iter().collect(),
        }
    }

    /// Looks up a clip of a file. Its file is read only once the clip is loaded: otherwise an invalid file would be read and logged
    /// twice.
    fn find_file(&self, model: &F::Model, clip: &Handle<AnimationClip>) -> FoundClip {
        let (Some(server), Some(shared)) = (&self.server, &self.shared) else {
            return FoundClip::Unsupported;
        };
        let mut source = ClipSource::from(clip);
        if server.is_loaded(clip) {
            let file = F::file_of(clip, server, &shared.extensions);
            source.file = file.map(Handle::untyped);
        }
        let files = self.files().filter(|_| source.file.is_some());
        let info = files.and_then(|files| F::clip_info(&source, Some(model), files));
        FoundClip::Found {
            frames: info.map(|info| info.frames.count()),
            files: source
                .file
                .into_iter()
                .chain([clip.clone().untyped()])
                .collect(),
        }
    }

    /// The pose at a time of the clip that plays, in seconds. `part` is the part of the clip that plays.
    pub(crate) fn pose(
        &self,
        root: Entity,
        time: f32,
        part: Option<&Range<u32>>,
    ) -> Option<ModelPose> {
        let (instance, animator, _) = self.roots.get(root).ok()?;
        let playing = animator?.clip()?;
        let model = F::model(instance);
        let mut clips = F::clips(model).enumerate();
        let (index, clip) = clips.find(|(_, clip)| clip.clip == playing)?;
        let frames = self.clip_info(model, clip)?.frames;
        let span = part.and_then(|part| frames.span(part));
        let seconds = span.map_or(time, |span| span.time(time));
        let (frame, towards_next) = frame_at(|frame| frames.time(frame), frames.count(), seconds);
        Some(ModelPose {
            clip: Some(index),
            seconds,
            frame,
            towards_next,
        })
    }

    /// The bones, in file order.
    pub(crate) fn bones(&self, root: Entity) -> Vec<NamedEntity> {
        let Some(instance) = self.instance(root) else {
            return Vec::new();
        };
        let entities = F::bone_entities(instance);
        let bones = entities.iter().zip(F::bones(F::model(instance)));
        let named = bones.map(|(entity, bone)| NamedEntity {
            entity: *entity,
            name: bone.name.to_owned(),
            parent: bone.parent.and_then(|parent| entities.get(parent).copied()),
        });
        named.collect()
    }

    /// The meshes of a member of a crowd.
    pub(crate) fn crowd_meshes(&self, root: Entity) -> impl Iterator<Item = NamedEntity> {
        let member = self.roots.get(root).ok().and_then(|(.., member)| member);
        let meshes = member.into_iter().flat_map(CrowdMember::meshes);
        meshes.map(|entity| NamedEntity {
            entity: *entity,
            name: String::new(),
            parent: None,
        })
    }

    /// The transform of a bone of a crowd's member to the space of the scene's root entity. `None` if the root is no
    /// member, or there is no such bone.
    pub(crate) fn crowd_bone(&self, root: Entity, bone: usize) -> Option<Affine3A> {
        let (.., member) = self.roots.get(root).ok()?;
        crowd_bone(member?, bone)
    }
}
