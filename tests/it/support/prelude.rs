//! What most tests use.

pub use crate::attach::scene::on;
pub use crate::gpuless::Patience;
pub use crate::headless::Headless;
pub use crate::support::abc::{FLAG_NODE, IDENTITY_ROTATION, banner, keyframe, walk};
pub use crate::support::abc_random::Size;
pub use crate::support::abc_stage::{Shown, colors, tower};
pub use crate::support::activity::{Activity, Quiet};
pub use crate::support::ala::{Decoder, every_track};
pub use crate::support::alo::{between_rings, corpus_alo, minimal, patched};
pub use crate::support::alo_stage::{
    IDENTITY, Matrix, cuboid, inverse, matte, quarters, raw_image, stored, texels, tga, turned,
};
pub use crate::support::app::{TestApp, load_model};
pub use crate::support::crowd::{Pair, PosedVertex, crowd_vertices, is_baking, scene_vertices};
pub use crate::support::entities::{Recorded, TestWorld, is_spawned, still};
pub use crate::support::heap::run_in_own_process;
pub use crate::support::held_files::HeldFiles;
pub use crate::support::lgw::{BICYCLE, EVERYTHING};
pub use crate::support::lgw_stage::FRONT_VIEW;
pub use crate::support::lgw_stage::Pixel;
pub use crate::support::lgw_stage::Texels;
pub use crate::support::lgw_stage::dds;
pub use crate::support::lgw_stage::material;
pub use crate::support::loads::Loads;
pub use crate::support::lods::assert_selected_by_distance;
pub use crate::support::mdl::{tetrahedron, wide_tetrahedron};
pub use crate::support::model_rays::Targets;
pub use crate::support::particle_app::{ParticleApp, burst};
pub use crate::support::rays::{
    HitModel, RayCaster, RayCounts, RayQuery, bounding_sphere, by_transforms, submeshes,
};
pub use crate::support::sample_files::{REFERENCES, spawn_all};
pub use crate::support::stage::{Control, Picture, Stage, VIEWS};
pub use crate::support::{
    abc, abc_app, abc_random, ala, alo, alo_stage, corpus, corpus_mdl, cpu_time, files_of, log,
    mdl, squad,
};
pub use bevy::animation::graph::{AnimationGraph, AnimationGraphHandle};
pub use bevy::animation::{
    AnimatedBy, AnimationClip, AnimationPlayer, AnimationTargetId, animated_field,
};
pub use bevy::app::{App, PluginGroupBuilder, Plugins};
pub use bevy::asset::io::memory::{Dir, MemoryAssetReader};
pub use bevy::asset::io::{
    AssetReader, AssetReaderError, AssetSource, AssetSourceBuilder, AssetSourceId,
    ErasedAssetReader, PathStream, Reader, ReaderNotSeekableError, SeekableReader,
};
pub use bevy::asset::processor::{AssetProcessor, FileTransactionLogFactory};
pub use bevy::asset::{
    AssetLoadError, AssetLoader, AssetMode, AssetPath, LoadContext, LoadState, LoadedFolder,
    RecursiveDependencyLoadState, RenderAssetUsages,
};
pub use bevy::camera::primitives::Aabb;
pub use bevy::camera::visibility::RenderLayers;
pub use bevy::camera::{Hdr, NormalizedRenderTarget, RenderTarget, Viewport};
pub use bevy::core_pipeline::prepass::{
    DeferredPrepass, DepthPrepass, MotionVectorPrepass, NormalPrepass,
};
pub use bevy::core_pipeline::tonemapping::Tonemapping;
pub use bevy::ecs::system::{RunSystemOnce, SystemId, SystemState};
pub use bevy::image::ImageSampler;
pub use bevy::light::NotShadowCaster;
pub use bevy::math::bounding::{Aabb3d, BoundingVolume};
pub use bevy::math::{Affine3A, DVec2, DVec3, Vec3, Vec3A};
pub use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
pub use bevy::mesh::{
    Indices, MeshTag, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues,
};
pub use bevy::pbr::{DefaultOpaqueRendererMethod, DistanceFog, FogFalloff};
pub use bevy::picking::hover::HoverMap;
pub use bevy::picking::pointer::{Location, PointerAction, PointerId, PointerInput};
pub use bevy::picking::{InteractionPlugin, PickingPlugin};
pub use bevy::prelude::*;
pub use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
pub use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
pub use bevy::tasks::block_on;
pub use bevy::world_serialization::{WorldAsset, WorldInstanceSpawner};
pub use bevy_classic_models::alamo::ala::write::{AlaDocument, BoneTracks, Rotations, Vectors};
pub use bevy_classic_models::alamo::ala::{AlaFile, AlaPose};
pub use bevy_classic_models::alamo::alo::write::SubmeshBuffers;
pub use bevy_classic_models::alamo::alo::{AloFile, Dazzle, Parameter, Submesh, Vertex};
pub use bevy_classic_models::alamo::particles::evaluate::{BirthRecord, Draws, LivingParticle};
pub use bevy_classic_models::alamo::particles::{Emitter, Properties, Shape, Track};
pub use bevy_classic_models::alamo::{
    Ala, AlaAssetLabel, Alo, AloAnimator, AloAssetLabel, AloBillboard, AloBone, AloCollider,
    AloCrowd, AloCrowdMaterial, AloInstance, AloLight, AloLoaderSettings, AloMaterial, AloModel,
    AloPart, AloParticleSystem, AloParticles, AloPoseTable, AloProxy, AloSubmeshIndex, Billboard,
    BoneVisibility, DazzleMaterial, EmitterRecords, FULL_LIGHT, ParticleBudget, ParticleEmission,
    ParticleRecords, ParticleSeed, RecordSpace, bone_target,
};
pub use bevy_classic_models::archive::{ArchiveSource, ArchiveSourceError, SourceWarning};
pub use bevy_classic_models::lgw::lgw::{TexGenKind, TextureMode, Tolerance};
pub use bevy_classic_models::lgw::{
    Lgw, LgwAssetLabel, LgwInstance, LgwLoaderSettings, LgwMaterial, LgwModel, LgwTexEnvMaterial,
};
pub use bevy_classic_models::lithtech::abc::write::{
    AbcDocument, AnimationDocument, GeometryDocument,
};
pub use bevy_classic_models::lithtech::abc::{AbcFile, TransformInfo, node_flags};
pub use bevy_classic_models::lithtech::dtx::texture_flags;
pub use bevy_classic_models::lithtech::dtx::write::DtxDocument;
pub use bevy_classic_models::lithtech::{
    Abc, AbcAnimator, AbcCrowdMaterial, AbcCrowdPoseTable, AbcDeformMaterial, AbcInstance,
    AbcLoaderSettings, AbcMesh, AbcModel, AbcPoseTable, ConvertedAbc,
};
pub use bevy_classic_models::load::ModelLoadError;
pub use bevy_classic_models::manifest::{
    ManifestAttachment, ModelManifest, ModelSource, NameOrIndex,
};
pub use bevy_classic_models::prelude::*;
pub use bevy_classic_models::quake::mdl::Precision;
pub use bevy_classic_models::quake::mdl::write::{FrameDocument, MdlDocument, SkinDocument};
pub use bevy_classic_models::quake::{
    ConvertedMdl, Mdl, MdlInstance, MdlLoaderSettings, MdlMaterial, MdlModel, MdlPoseTable,
    Palette, PoseBlend, PosePair, QuakePlugin,
};
pub use bevy_classic_models::query::{
    ColliderParts, ModelColliders, ModelQuery, ModelRayCastSettings, ModelRayCastVisibility,
    ModelRayHit,
};
pub use bevy_classic_models::read::ErrorKind;
pub use bevy_classic_models::root::{
    BoneMask, CrowdBone, LayerFinished, LayerId, LodDistances, ModelLod, ModelMasks, ModelSkins,
    RootMotion, Wind,
};
pub use bevy_classic_models::spawn::{ModelFormat, ModelInstance};
pub use bevy_classic_models::texture::ClassicImageSettings;
pub use classic_models_fixtures::malformed::Expect::{Reject, Silent, Warn};
pub use classic_models_fixtures::malformed::{Case, Expect, LocationText};
pub use classic_models_fixtures::particles::full;
pub use classic_models_support::gpuless;
pub use classic_models_support::world_vertices::WorldVertices;
pub use core::ops::Range;
pub use std::collections::{BTreeMap, HashSet};
pub use std::path::{Path, PathBuf};
pub use std::pin::Pin;
pub use std::sync::atomic::{AtomicUsize, Ordering};
pub use std::sync::{Arc, Mutex};
pub use std::task::Poll;
pub use std::time::Duration;
pub use tempfile::TempDir;
