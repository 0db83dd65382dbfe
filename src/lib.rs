//! Loads the model files of classic games into [Bevy](https://bevy.org): drop a file into `assets/`, spawn it by
//! path, animate it, and edit it while the game runs.
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_classic_models::prelude::*;
//!
//! fn main() {
//!     App::new()
//!         .add_plugins((DefaultPlugins, ClassicModelsPlugin::default()))
//!         .add_systems(Startup, setup)
//!         .run();
//! }
//!
//! fn setup(mut commands: Commands, assets: Res<AssetServer>) {
//!     commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 1.0, 4.0)));
//!     commands.spawn(DirectionalLight::default());
//!     commands.spawn((
//!         ClassicModel(assets.load("models/sentry.mdl")), // one of the samples in the folder `assets`
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
//! | manifests `.model.ron` | your own | `manifest` | [`model`] |
//!
//! DDS, TGA and DTX textures come with the formats that use them.
//!
//! # Where to start
//!
//! - [`ClassicModelsPlugin`] goes after `DefaultPlugins`; [`prelude`] has what most apps need.
//! - `ClassicModel` spawns a model or a manifest. `WorldAssetRoot(assets.load("ogre.mdl#Scene"))` does the same without
//!   the feature `manifest`.
//! - Components on the spawned entity change a model at runtime: [`PlayClip`](scene::PlayClip),
//!   [`ModelSkin`](scene::ModelSkin), [`TeamColor`](scene::TeamColor), [`PartVisibility`](scene::PartVisibility) and the others
//!   of [`scene`].
//! - [`AttachedToBone`](model::AttachedToBone) attaches entities to bones; [`ModelQuery`](model::ModelQuery) finds the bones of any model.
//!
//! # Features
//!
//! On by default: `alamo`, `lgw`, `lithtech`, `quake` (the formats), `manifest`, `collision` (collision trees of Alamo
//! models and ray casts), and `picking` (pointer events on their parts; implies `collision`). Off by default:
//! `file_watcher` (edited files are shown at once), `gizmos` (draws collision trees), `write` (writers for all formats).
#![cfg_attr(
    all(
        doc,
        feature = "alamo",
        feature = "lgw",
        feature = "lithtech",
        feature = "manifest",
        feature = "picking",
        feature = "quake"
    ),
    doc = "
# Guides

Start with the [manual](guides::manual).

- [`guides::vocabulary`]: what each component does on each format
- [`guides::manifest`]: all fields of a manifest
- [`guides::reload`]: what is followed when files change
- [`guides::alamo`], [`guides::lithtech`], [`guides::lgw`]: the formats in detail
- [`guides::performance`]: what was measured
"
)]
// For maintainers: ARCHITECTURE.md has the map of the modules and the data flow. The crate
// `classic_model_formats` turns bytes into plain values, without Bevy and without panics; those become Bevy's assets and a `WorldAsset`
// under the label `Scene`; systems bring the spawned scene to life.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(
    any(doc, doctest),
    feature = "alamo",
    feature = "lgw",
    feature = "lithtech",
    feature = "manifest",
    feature = "picking",
    feature = "quake"
))]
pub mod guides;
pub mod model;
#[doc(inline)]
pub use classic_model_formats::read;
pub mod scene;

#[cfg(feature = "alamo")]
pub mod alamo;

#[cfg(feature = "lgw")]
pub mod lgw;
#[cfg(feature = "lithtech")]
pub mod lithtech;
#[cfg(feature = "quake")]
pub mod quake;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub mod texture;

use bevy::app::{App, Plugin};

/// What most users need.
pub mod prelude {
    pub use crate::ClassicModelsPlugin;
    #[cfg(feature = "alamo")]
    pub use crate::alamo::{
        Ala, AlaAssetLabel, Alo, AloAnimator, AloAssetLabel, AloBone, AloInstance,
        AloLoaderSettings, AloProxy,
    };
    #[cfg(all(feature = "alamo", feature = "collision"))]
    pub use crate::alamo::{
        AloCollider, AloRayCast, AloRayCastSettings, AloRayCastVisibility, AloRayHit,
    };
    #[cfg(feature = "picking")]
    pub use crate::alamo::{AloHit, AloPickable, AloPickingCamera, AloPickingSettings};
    #[cfg(feature = "lgw")]
    pub use crate::lgw::{Lgw, LgwAssetLabel, LgwInstance, LgwLoaderSettings, LgwMaterial};
    #[cfg(feature = "lithtech")]
    pub use crate::lithtech::{
        Abc, AbcAnimator, AbcAssetLabel, AbcInstance, AbcKeyframeEvent, AbcLoaderSettings,
    };
    pub use crate::model::{AttachedToBone, BevySpace, ModelFormat, ModelQuery};
    #[cfg(feature = "manifest")]
    pub use crate::model::{ClassicModel, ModelManifest};
    #[cfg(feature = "quake")]
    pub use crate::quake::{Mdl, MdlAssetLabel, MdlLoaderSettings};
    pub use crate::scene::{
        BillboardCamera, ClipFinished, ClipRef, DamageStage, LodDistances, ModelClips, ModelLod,
        ModelSkin, ModelSkins, NamedClip, NightTime, PartVisibility, PlayClip, Playback,
        PlayerColors, Repeat, TeamColor, Wind,
    };
}

/// Loads the model files of classic games. Add it after `DefaultPlugins`.
#[derive(Default)]
pub struct ClassicModelsPlugin {
    /// Alamo models.
    #[cfg(feature = "alamo")]
    pub alamo: alamo::AlamoPlugin,
    /// Models of UFO: Aftermath.
    #[cfg(feature = "lgw")]
    pub lgw: lgw::LgwPlugin,
    /// LithTech models.
    #[cfg(feature = "lithtech")]
    pub lithtech: lithtech::LithTechPlugin,
    /// Quake models.
    #[cfg(feature = "quake")]
    pub quake: quake::QuakePlugin,
}

impl Plugin for ClassicModelsPlugin {
    fn build(&self, app: &mut App) {
        if !app.is_plugin_added::<scene::ScenePlugin>() {
            app.add_plugins(scene::ScenePlugin);
        }
        app.add_plugins(model::ModelPlugin);
        #[cfg(feature = "manifest")]
        app.add_plugins(model::ManifestPlugin {
            formats: self.formats(),
        });
        #[cfg(feature = "alamo")]
        app.add_plugins(alamo::AlamoPlugin {
            extensions: self.alamo.extensions.clone(),
            animation_extensions: self.alamo.animation_extensions.clone(),
        });
        #[cfg(feature = "lgw")]
        app.add_plugins(lgw::LgwPlugin {
            extensions: self.lgw.extensions.clone(),
        });
        #[cfg(feature = "lithtech")]
        app.add_plugins(lithtech::LithTechPlugin {
            extensions: self.lithtech.extensions.clone(),
        });
        #[cfg(feature = "quake")]
        app.add_plugins(quake::QuakePlugin {
            extensions: self.quake.extensions.clone(),
        });
    }
}

#[cfg(feature = "manifest")]
impl ClassicModelsPlugin {
    /// Which extensions are whose.
    fn formats(&self) -> model::FormatsByExtension {
        let formats = model::FormatsByExtension::default();
        #[cfg(feature = "alamo")]
        let formats = formats.with(&self.alamo.extensions, |model: &alamo::Alo| &model.scene);
        #[cfg(feature = "lgw")]
        let formats = formats.with(&self.lgw.extensions, |model: &lgw::Lgw| &model.scene);
        #[cfg(feature = "lithtech")]
        let formats = formats.with(&self.lithtech.extensions, |model: &lithtech::Abc| {
            &model.scene
        });
        #[cfg(feature = "quake")]
        let formats = formats.with(&self.quake.extensions, |model: &quake::Mdl| &model.scene);
        formats
    }
}
