//! Loads the model files of classic games into [Bevy](https://bevy.org): put a file into `assets/`, spawn it by
//! path, animate it, and edit it while the game runs.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_classic_models::prelude::*;
//!
//! fn main() {
//!     App::new()
//!         .add_plugins((DefaultPlugins, ClassicModelsPlugins))
//!         .add_systems(Startup, setup)
//!         .run();
//! }
//!
//! fn setup(mut commands: Commands) {
//!     let eye = Transform::from_xyz(1.4, 1.4, -2.8);
//!     commands.spawn((Camera3d::default(), eye.looking_at(Vec3::Y * 0.7, Vec3::Y)));
//!     commands.spawn((DirectionalLight::default(), eye.looking_at(Vec3::ZERO, Vec3::Y)));
//!     commands.spawn((
//!         ClassicModel::new("models/sentry.mdl"), // one of the samples in the folder `assets`
//!         BevySpace::default(),                           // faces −Z, in meters
//!         PlayClip::looping("walk"),
//!     ));
//! }
//! ```
//!
//! # Formats
//!
//! | format | games | feature | module |
//! |---|---|---|---|
//! | Alamo `.alo` and `.ala` (1 and 2) | Empire at War, Forces of Corruption, Universe at War | `alamo` | `alamo` |
//! | LithTech `.abc` (6) and `.dtx` | Shogo, Blood II, KISS: Psycho Circus | `lithtech` | `lithtech` |
//! | LGW `.lgw` (text) | UFO: Aftermath | `lgw` | `lgw` |
//! | Quake `.mdl` (`IDPO` 6, `MD16`) | Quake, its mods and the engines that grew from it | `quake` | `quake` |
//! | manifests `.model.ron` | your own | | [`manifest`] |
//! | archives `.meg`, `.pak`, `.pk3`, `.rez`, `.vfs` | those of these games | `archives` | `archive` |
//!
//! DDS, TGA and DTX textures come with the formats that use them.
//!
//! # Where to start
//!
//! - [`ClassicModelsPlugins`] goes after `DefaultPlugins`; [`prelude`] has what most apps need.
//! - [`ClassicModel`](manifest::ClassicModel) spawns a model or a manifest.
//!   `WorldAssetRoot(assets.load("ogre.mdl#Scene"))` spawns a model as Bevy spawns glTF.
//! - Components on the spawned entity change a model at runtime: [`PlayClip`](root::PlayClip),
//!   [`ModelSkin`](root::ModelSkin), [`TeamColor`](root::TeamColor), [`PartVisibility`](root::PartVisibility) and
//!   the others of [`root`].
//! - [`ModelEvent`](root::ModelEvent) is sent when a clip passes a frame that has an event, and
//!   [`ModelReady`](manifest::ModelReady) when a model can be drawn.
//! - [`AttachedToBone`](spawn::AttachedToBone) attaches entities to bones; [`ModelQuery`](query::ModelQuery) finds the
//!   bones of any model.
//!
//! # Features
//!
//! On by default: `alamo`, `lgw`, `lithtech`, `quake` (the formats), `archives` (asset sources of the games' archives; not
//! on the web), and `picking` (pointer events on the parts of models). Off by default: `file_watcher` (edited files are
//! shown at once), `gizmos` (draws collision trees), `write` (writers for all formats).
#![cfg_attr(
    all(
        doc,
        feature = "alamo",
        feature = "archives",
        feature = "lgw",
        feature = "lithtech",
        feature = "picking",
        feature = "quake"
    ),
    doc = "
Start with the [manual](guides::manual). [`guides`] has all guides; [`guides::formats`] lists the supported features of
each format.
"
)]
// For maintainers: ARCHITECTURE.md describes the modules and the data flow. The crate `classic_model_formats` parses
// bytes to plain values, without Bevy and without panics. Loaders convert these to Bevy's assets and a `WorldAsset`
// under the label `Scene`. Systems apply the root's components to the spawned scene.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Shared code is compiled whatever the features are, also what only some of them use.
#![cfg_attr(
    not(all(
        feature = "alamo",
        feature = "archives",
        feature = "file_watcher",
        feature = "lgw",
        feature = "lithtech",
        feature = "picking",
        feature = "quake"
    )),
    allow(dead_code, unused_imports, unused_macros)
)]
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(
    any(doc, doctest),
    feature = "alamo",
    feature = "archives",
    feature = "lgw",
    feature = "lithtech",
    feature = "picking",
    feature = "quake"
))]
pub mod guides;

pub mod appearance;
#[cfg(all(feature = "archives", not(target_arch = "wasm32")))]
pub mod archive;
pub mod crowd;
mod formats;
mod geometry;
pub mod gpu;
pub mod load;
pub mod manifest;
pub mod playback;
pub mod query;
pub mod root;
pub mod spawn;
pub mod texture;

#[doc(inline)]
pub use classic_model_formats::read;
pub use formats::*;

use bevy::app::{PluginGroup, PluginGroupBuilder};

#[cfg(not(any(
    feature = "alamo",
    feature = "lgw",
    feature = "lithtech",
    feature = "quake"
)))]
compile_error!(
    "bevy_classic_models has no format: enable `alamo`, `lgw`, `lithtech` or `quake`, or the default features"
);

/// The types that most apps need. Everything else is used by its module path.
pub mod prelude {
    pub use crate::ClassicModelsPlugins;
    #[cfg(feature = "alamo")]
    pub use crate::alamo::{DespawnWhenFinished, ParticleEmission};
    #[cfg(all(feature = "archives", not(target_arch = "wasm32")))]
    pub use crate::archive::ArchiveSource;
    pub use crate::manifest::{ClassicModel, ModelManifest, ModelReady};
    pub use crate::query::{ModelQuery, ModelRayCast};
    pub use crate::root::{
        BevySpace, ClipEvent, ClipFinished, ClipLayer, ClipLayers, ClipRef, Crowd, DamageStage,
        FollowVelocity, ModelClips, ModelEvent, ModelEvents, ModelSkin, NamedClip, PartVisibility,
        PlayClip, Playback, PlayerColors, Repeat, TeamColor,
    };
    pub use crate::spawn::AttachedToBone;
}

/// Loads the model files of classic games. Add it after `DefaultPlugins`.
///
/// It has one plugin for each format whose feature is enabled: `AlamoPlugin`, `LgwPlugin`, `LithTechPlugin` and
/// `QuakePlugin`. Replace a format's plugin with `set`. To add one separately, disable it in the group, and add it
/// after the group: the group's other plugins must come first.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::prelude::*;
/// # #[cfg(all(feature = "lgw", feature = "quake"))]
/// # fn add(app: &mut App) {
/// use bevy_classic_models::{lgw::LgwPlugin, quake::QuakePlugin};
///
/// let mut quake = QuakePlugin::default();
/// quake.extensions.push("q1mdl".into());
/// app.add_plugins(ClassicModelsPlugins.set(quake).disable::<LgwPlugin>());
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ClassicModelsPlugins;

impl PluginGroup for ClassicModelsPlugins {
    fn build(self) -> PluginGroupBuilder {
        let group = PluginGroupBuilder::start::<Self>()
            .add(spawn::plugin::ModelsPlugin)
            .add(manifest::plugin::ManifestPlugin)
            .add(query::strides::StridePlugin);
        #[cfg(feature = "picking")]
        let group = group.add(query::ModelPickingPlugin);
        #[cfg(feature = "alamo")]
        let group = group.add(alamo::AlamoPlugin::default());
        #[cfg(feature = "lgw")]
        let group = group.add(lgw::LgwPlugin::default());
        #[cfg(feature = "lithtech")]
        let group = group.add(lithtech::LithTechPlugin::default());
        #[cfg(feature = "quake")]
        let group = group.add(quake::QuakePlugin::default());
        group
    }
}
