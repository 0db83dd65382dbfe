//! What all formats share on the Bevy side: axes, the components of a spawned model's root, and the
//! search for the files that a model names.
//!
//! The root is the entity that was spawned with a `WorldAssetRoot`. It survives a hot reload, while
//! everything below it is despawned and spawned anew; so all that a user may change about a
//! model is a component of the root, and each format applies those again when its scene is ready.
//!
//! What may not enter: bytes of files, and anything that only one format has.

#[cfg(any(feature = "alamo", feature = "lithtech"))]
mod animation;
mod axes;
mod bind;
mod clips;
mod extensions;
mod find;
mod lods;
mod look;
mod matching;
mod names;
mod overrides;
mod parts;
mod play;
mod reload;
mod shaders;
mod stated;
mod surroundings;
mod told;
mod watch;
mod worn;

#[cfg(any(feature = "alamo", feature = "lithtech"))]
pub(crate) use animation::{
    Animator, Asked, Binder, ClipParts, ClipSource, Frames, Lane, Lanes, Rotation, STILL, Scale,
    Translation, edited_clips, node, says, slerp, take_away,
};
pub use axes::{Axes, z_up_forward_minus_y, z_up_forward_x};
pub(crate) use axes::{Mirror, is_near};
pub(crate) use bind::{Pictured, follow_pictures};
pub use clips::{ModelClips, NamedClip};
pub(crate) use extensions::all_cases;
pub(crate) use find::clean_path;
pub use find::{FileFinder, FileSearch, NotFound};
use lods::on_distances_removed;
pub(crate) use lods::{DistanceLod, Leveled, choose_levels};
pub(crate) use look::team_color_tag;
pub use look::{ModelSkin, ModelSkins, PlayerColors, TeamColor};
#[cfg(feature = "manifest")]
pub(crate) use matching::Pattern;
pub(crate) use matching::{folded, has_extension, raised, same_name};
pub use names::Names;
pub(crate) use names::{index_names, named};
pub(crate) use overrides::{LoaderOverride, LoaderOverrides};
pub use parts::{HiddenParts, LodDistances, ModelAlt, ModelLod};
pub(crate) use play::wrap;
pub use play::{ClipFinished, ClipRef, PlayClip, Playback, Repeat};
pub(crate) use reload::{Reloads, SceneModel, SpawnEarly, follow_scenes};
pub(crate) use shaders::hold_shader;
pub(crate) use stated::{Chosen, Stated, StatedClip, state_clips};
pub use surroundings::{BillboardCamera, NightTime, Wind};
pub(crate) use told::{Said, Told, follow_said};
pub(crate) use worn::{Wardrobe, WornMaterials, WornPicture, WornSkin, wear};
use worn::{choose_skins, put_on_pictures};

use bevy::app::{App, Plugin, PostUpdate};
use bevy::ecs::schedule::{IntoScheduleConfigs, SystemSet};

/// When this crate's systems run, all in `PostUpdate`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassicModelsSystems {
    /// Clips advance. Changes that `Update` made to [`PlayClip`] show in the same frame.
    Play,
    /// Skins and colours are applied, parts are shown and hidden.
    Look,
    /// Billboards turn to the camera, the light or the wind, after all animations.
    Billboards,
}

/// Registers what all formats share.
pub(crate) struct ScenePlugin;

impl Plugin for ScenePlugin {
    fn build(&self, app: &mut App) {
        reload::register(app);
        told::register(app);
        #[cfg(not(target_arch = "wasm32"))]
        watch::register(app);
        app.register_type::<PlayClip>()
            .register_type::<Playback>()
            // A scene may hold only what is registered.
            .register_type::<Stated>()
            .register_type::<Mirror>()
            .register_type::<ModelSkin>()
            .register_type::<PlayerColors>()
            .register_type::<TeamColor>()
            .register_type::<ModelSkins>()
            .register_type::<ModelClips>()
            .register_type::<ModelLod>()
            .register_type::<LodDistances>()
            .register_type::<ModelAlt>()
            .register_type::<HiddenParts>()
            .register_type::<BillboardCamera>()
            .register_type::<Wind>()
            .register_type::<NightTime>()
            .init_resource::<Wind>()
            .init_resource::<NightTime>()
            .init_resource::<LoaderOverrides>()
            .add_message::<ClipFinished>()
            .add_observer(on_distances_removed)
            .add_systems(PostUpdate, state_clips.before(ClassicModelsSystems::Play))
            .add_systems(
                PostUpdate,
                (choose_skins, put_on_pictures)
                    .chain()
                    .before(ClassicModelsSystems::Look),
            );
    }
}
