//! Asset sources of the games' archives (`.meg`, `.pak`, `.pk3`, `.rez`, `.vfs`) and of folders. Feature `archives`; not on the web.
//!
//! An [`ArchiveSource`] is a list of layers. A layer is an archive or a folder, and later layers win. Register it before
//! `DefaultPlugins`, as Bevy requires of all asset sources:
//!
//! ```no_run
//! use bevy::prelude::*;
//! use bevy_classic_models::prelude::*;
//!
//! fn main() -> Result {
//!     let game = ArchiveSource::empire_at_war("C:/Games/Star Wars Empire at War/GameData")?;
//!     App::new()
//!         .register_asset_source("eaw", game.into_builder())
//!         .add_plugins((DefaultPlugins, ClassicModelsPlugins))
//!         .add_systems(Startup, |mut commands: Commands| {
//!             commands.spawn(ClassicModel::new("eaw://data/art/models/uv_atat.alo"));
//!         })
//!         .run();
//!     Ok(())
//! }
//! ```
//!
//! Files are found in any case: the exact spelling first, otherwise a name that differs only in case. Always write the same
//! spelling, best in lower case, because Bevy distinguishes asset paths by case. Listings have the names of archives in lower
//! case, and names that no archive has as in the lowest folder on disk that has them.

// For maintainers: models, formats of models and components don't belong here. `classic_model_formats` parses archives.

pub(crate) mod archive_file;
pub(crate) mod asked;
#[cfg(feature = "file_watcher")]
pub(crate) mod changes;
pub(crate) mod entry_path;
pub(crate) mod error;
pub(crate) mod folder;
pub(crate) mod layer;
pub(crate) mod mega_files;
pub(crate) mod presets;
pub(crate) mod reader;
pub(crate) mod shared;
pub(crate) mod source;
#[cfg(feature = "file_watcher")]
pub(crate) mod watch;
#[cfg(feature = "file_watcher")]
pub(crate) mod watch_state;

#[cfg(feature = "write")]
pub use classic_model_formats::archive::ArchiveFile;
pub use classic_model_formats::archive::{Archive, Entry, ReadAt, detect};
#[doc(inline)]
pub use classic_model_formats::{meg, pak, pk3, rez, vfs};
pub use error::{ArchiveSourceError, SourceWarning};
pub use layer::LocatedFile;
pub use source::{ArchiveSource, SourceLayer};
