//! Classic game models for [Bevy](https://bevy.org): drop a file into `assets/`, spawn it by path,
//! animate it, edit it while the game runs.
//!
//! | format | games | feature |
//! |---|---|---|
//! | Alamo `.alo` and `.ala` (1 and 2) | Empire at War, Forces of Corruption, Universe at War | `alamo` |
//! | LithTech `.abc` (6) and `.dtx` | Shogo, Blood II, KISS: Psycho Circus | `lithtech` |
//! | LGW `.lgw` (text) | UFO: Aftermath | `lgw` |
//! | Quake `.mdl` (`IDPO` 6, `MD16`) | Quake, its mods and the engines that grew from it | `quake` |
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_classic_models::prelude::*;
//!
//! # fn main() {
//! App::new()
//!     .add_plugins((DefaultPlugins, ClassicModelsPlugin::default()))
//!     .add_systems(Startup, |mut commands: Commands, assets: Res<AssetServer>| {
//!         commands.spawn((
//!             WorldAssetRoot(assets.load("models/ogre.mdl#Scene")),
//!             PlayClip::looping("run"),
//!         ));
//!     })
//!     .run();
//! # }
//! ```
//!
//! # The way of the data
//!
//! Bytes become plain values in the format's own room ([`quake::mdl`]), which knows nothing of Bevy
//! and never panics; those become Bevy's assets and a `WorldAsset` under the label `Scene`; systems
//! bring the spawned scene to life. What a user may change about a model in play is a component of
//! the entity that was spawned: see [`scene`]. Pictures that models wear have a room of their own:
//! [`texture`].

#![forbid(unsafe_code)]
// What formats share is unused where not all of them are built, and what only manifests do without those.
#![cfg_attr(
    not(all(
        feature = "alamo",
        feature = "lgw",
        feature = "lithtech",
        feature = "manifest",
        feature = "quake"
    )),
    allow(dead_code, unused_imports, unused_mut)
)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(all(doctest, feature = "picking"))]
#[doc = include_str!("../docs/alamo.md")]
struct Alamo;

#[cfg(all(doctest, feature = "lgw"))]
#[doc = include_str!("../docs/lgw.md")]
struct UfoAftermath;

#[cfg(all(doctest, feature = "lithtech"))]
#[doc = include_str!("../docs/lithtech.md")]
struct LithTech;

#[cfg(all(doctest, feature = "manifest"))]
#[doc = include_str!("../docs/manifest.md")]
struct Manifests;

#[cfg(all(
    doctest,
    feature = "alamo",
    feature = "lithtech",
    feature = "quake",
    feature = "lgw"
))]
#[doc = include_str!("../docs/vocabulary.md")]
struct Vocabulary;

#[cfg(all(
    doctest,
    feature = "alamo",
    feature = "lithtech",
    feature = "quake",
    feature = "lgw",
    feature = "manifest"
))]
#[doc = include_str!("../docs/manual.md")]
struct Manual;

pub mod model;
pub mod read;
pub mod scene;

mod blend;

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
#[cfg(feature = "write")]
mod write;

use bevy::app::{App, Plugin};

/// What most users need.
pub mod prelude {
    pub use crate::ClassicModelsPlugin;
    #[cfg(feature = "alamo")]
    pub use crate::alamo::{
        Ala, AlaAssetLabel, Alo, AloAnimator, AloAssetLabel, AloBone, AloCollider, AloInstance,
        AloLoaderSettings, AloProxy, AloRayCast, AloRayCastSettings, AloRayCastVisibility,
        AloRayHit,
    };
    #[cfg(feature = "picking")]
    pub use crate::alamo::{AloHit, AloPickable, AloPickingCamera, AloPickingSettings};
    #[cfg(feature = "lgw")]
    pub use crate::lgw::{Lgw, LgwAssetLabel, LgwInstance, LgwLoaderSettings, LgwMaterial};
    #[cfg(feature = "lithtech")]
    pub use crate::lithtech::{
        Abc, AbcAnimator, AbcAssetLabel, AbcInstance, AbcKeyframeEvent, AbcLoaderSettings,
    };
    pub use crate::model::{Attached, ModelFormat, Models};
    #[cfg(feature = "manifest")]
    pub use crate::model::{ClassicModel, ModelManifest};
    #[cfg(feature = "quake")]
    pub use crate::quake::{Mdl, MdlAssetLabel, MdlLoaderSettings};
    pub use crate::scene::{
        BillboardCamera, ClipFinished, ClipRef, HiddenParts, LodDistances, ModelAlt, ModelClips,
        ModelLod, ModelSkin, ModelSkins, NamedClip, NightTime, PlayClip, Playback, PlayerColors,
        Repeat, TeamColor, Wind,
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
        let mut formats = model::FormatsByExtension::default();
        #[cfg(feature = "alamo")]
        formats.add::<alamo::Alo>(&self.alamo.extensions);
        #[cfg(feature = "lgw")]
        formats.add::<lgw::Lgw>(&self.lgw.extensions);
        #[cfg(feature = "lithtech")]
        formats.add::<lithtech::Abc>(&self.lithtech.extensions);
        #[cfg(feature = "quake")]
        formats.add::<quake::Mdl>(&self.quake.extensions);
        formats
    }
}
