//! What most tests use.

pub use super::app::TestApp;
pub use super::entities::{Recorded, TestWorld, is_spawned};
pub use super::lgw::BICYCLE;
pub use super::loads::Loads;
pub use super::mdl::tetrahedron;
pub use super::stage::Stage;
pub use super::{abc, ala, alo, log, mdl};
pub use crate::attach::scene::on;
pub use bevy::asset::io::AssetSourceId;
pub use bevy::asset::io::memory::Dir;
pub use bevy::asset::{AssetPath, LoadState};
pub use bevy::camera::primitives::Aabb;
pub use bevy::ecs::system::SystemState;
pub use bevy::prelude::*;
pub use bevy::world_serialization::WorldAsset;
pub use bevy_classic_models::alamo::{
    Alo, AloAnimator, AloInstance, AloLoaderSettings, AloMaterial,
};
pub use bevy_classic_models::archive::ArchiveSource;
pub use bevy_classic_models::lgw::{Lgw, LgwInstance, LgwLoaderSettings};
pub use bevy_classic_models::lithtech::{
    Abc, AbcAnimator, AbcInstance, AbcLoaderSettings, AbcMesh,
};
pub use bevy_classic_models::manifest::ModelManifest;
pub use bevy_classic_models::prelude::*;
pub use bevy_classic_models::quake::mdl::Precision;
pub use bevy_classic_models::quake::{
    Mdl, MdlInstance, MdlLoaderSettings, MdlMaterial, PoseBlend, PosePair,
};
pub use bevy_classic_models::query::ModelQuery;
pub use bevy_classic_models::root::{NamedClip, Repeat};
pub use classic_models_support::gpuless;
pub use std::path::Path;
pub use std::sync::{Arc, Mutex};
pub use tempfile::TempDir;
