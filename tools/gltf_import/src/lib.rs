//! Makes the model files of classic games from glTF files: the way back of `classic-models convert`.
//!
//! - `json` has the fields of the file, `accessor` reads its arrays, and `read` makes a [`Scene`] of both, with everything checked.
//! - [`Scene`] poses its nodes and vertices at any time of an animation: see `animation` and `pose`.
//! - `parts` has the primitives that are drawn. `skin` lays out the textures of all materials in one image, and `palette` maps it
//!   to a palette.
//! - [`abc`] makes LithTech models, [`mdl`] Quake models, and [`lgw`] models of UFO: Aftermath, and [`alo`] Alamo models.
//!
//! Nothing here does I/O: [`Scene::read`] asks its caller for external files.

pub mod abc;
mod accessor;
pub mod alo;
mod animation;
mod error;
mod image_data;
mod json;
pub mod lgw;
pub mod mdl;
mod names;
mod palette;
mod parts;
mod pose;
mod read;
mod scene;
mod skin;

pub use error::Error;
pub use image_data::Pixels;
pub use palette::{Dithering, Nearest, Palette};
pub use scene::Scene;
