//! Parsers and writers for the model files and archives of classic games, in plain Rust: no game engine, no `unsafe`, and no
//! I/O except positioned reading of archives.
//!
//! Use it in importers, converters and tools. The crate [`bevy_classic_models`](https://crates.io/crates/bevy_classic_models)
//! converts the same values to Bevy assets.
//!
//! # Formats
//!
//! | Module | Files | Games |
//! |---|---|---|
//! | [`alo`], [`ala`] | `.alo` models, `.ala` animations and lists of their sounds | Empire at War, Forces of Corruption, Universe at War |
//! | [`particles`] | `.alo` particle systems | Empire at War, Forces of Corruption, Universe at War |
//! | [`abc`], [`dtx`] | `.abc` models of version 6, `.dtx` textures | Shogo, Blood II, KISS: Psycho Circus |
//! | [`mdl`] | `.mdl` models | Quake |
//! | [`lgw`] | `.lgw` models as text | UFO: Aftermath |
//! | [`meg`] | `.meg` archives | Empire at War and other games of Petroglyph |
//! | [`pak`] | `.pak` archives | Quake, Hexen II, Quake II, Half-Life |
//! | [`pk3`] | `.pk3` and `.kpf` archives (ZIP) | Quake with DarkPlaces, Quake III, Quake of 2021 |
//! | [`rez`] | `.rez` archives | Shogo, Blood II, KISS: Psycho Circus, No One Lives Forever, Aliens versus Predator 2 |
//! | [`vfs`] | `.vfs` archives | UFO: Aftermath, Aftershock, Afterlight |
//!
//! # Reading
//!
//! Each module of a model or texture format has a function `parse` from bytes to plain values. The values borrow from the bytes.
//!
//! ```
//! # #[cfg(feature = "alo")] {
//! use classic_model_formats::alo;
//! use classic_model_formats::read::ParseError;
//!
//! /// Prints the names of a model's bones.
//! fn print_bones(bytes: &[u8]) -> Result<(), ParseError> {
//!     let file = alo::parse(bytes)?;
//!     for bone in &file.bones {
//!         println!("{}", bone.name);
//!     }
//!     for warning in &file.warnings {
//!         eprintln!("warning: {warning}");
//!     }
//!     Ok(())
//! }
//!
//! let error = print_bones(b"no model").unwrap_err();
//! assert_eq!(error.offset, 0);
//! # }
//! ```
//!
//! A parser accepts any bytes. It returns the values with a list of [`Warning`](read::Warning)s about harmless flaws, or
//! a [`ParseError`](read::ParseError) that names the faulty value and its offset. It does not panic, and it allocates
//! memory in proportion to the length of the bytes: see [`read`].
//!
//! # Evaluating
//!
//! Some modules also compute what a game shows: [`ala::AlaFile::sample`] the pose of a bone, [`abc`] the positions of
//! vertices, and [`particles::evaluate`] the births and the motion of particles. These are reference implementations.
//!
//! # Archives
//!
//! Each module of an archive format has a function `open` from a reader to an [`Archive`](archive::Archive). An archive can be larger
//! than the memory, so it is not given as bytes: the reader is a [`ReadAt`](archive::ReadAt), which this crate implements for
//! [`std::fs::File`] and for bytes. That is the only I/O of this crate. See [`archive`].
//!
//! ```
//! # #[cfg(feature = "meg")] {
//! use classic_model_formats::meg;
//! use std::fs::File;
//!
//! /// Prints the files in an archive of Empire at War.
//! fn list(path: &str) -> Result<(), Box<dyn std::error::Error>> {
//!     let archive = meg::open(File::open(path)?)?;
//!     for entry in archive.entries() {
//!         println!("{} {}", entry.size(), entry.path());
//!     }
//!     Ok(())
//! }
//!
//! assert!(list("missing.meg").is_err());
//! # }
//! ```
//!
//! # Writing
//!
//! With the feature `write`, each format has a writer: the module `write` of its module, or the function `lgw::write`.
//! Writers check the values and return a `WriteError` for values that the format cannot store.
//!
//! # Features
//!
//! | Feature | Default | Effect |
//! |---|---|---|
//! | `abc`, `ala`, `alo`, `dtx`, `lgw`, `mdl`, `meg`, `pak`, `particles`, `pk3`, `rez`, `vfs` | yes | the module of the same name |
//! | `write` | no | writers |
//! | `serde` | no | `Serialize` for the values of `.alo` and `.ala` files, `Serialize` and `Deserialize` for `lgw::Tolerance` |

// For maintainers: this crate must not use types of a game engine, or I/O outside of `archive/reader.rs`.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![forbid(unsafe_code)]

pub mod read;

#[cfg(feature = "abc")]
pub mod abc;
#[cfg(feature = "ala")]
pub mod ala;
#[cfg(feature = "alo")]
pub mod alo;
#[cfg(any(
    feature = "meg",
    feature = "pak",
    feature = "pk3",
    feature = "rez",
    feature = "vfs"
))]
#[cfg_attr(
    not(all(
        feature = "meg",
        feature = "pak",
        feature = "pk3",
        feature = "rez",
        feature = "vfs"
    )),
    allow(
        dead_code,
        unused_imports,
        reason = "each format needs only a part of it"
    )
)]
pub mod archive;
#[cfg(any(feature = "ala", feature = "alo", feature = "particles"))]
pub mod chunk;
#[cfg(feature = "dtx")]
pub mod dtx;
#[cfg(any(feature = "abc", feature = "ala"))]
pub mod interpolate;
#[cfg(feature = "lgw")]
pub mod lgw;
#[cfg(feature = "mdl")]
pub mod mdl;
#[cfg(feature = "meg")]
pub mod meg;
#[cfg(feature = "pak")]
pub mod pak;
#[cfg(feature = "particles")]
pub mod particles;
#[cfg(feature = "pk3")]
pub mod pk3;
#[cfg(feature = "rez")]
pub mod rez;
#[cfg(feature = "vfs")]
pub mod vfs;
#[cfg(any(feature = "ala", feature = "meg"))]
pub mod xml_list;

#[cfg(any(feature = "ala", feature = "alo", feature = "particles"))]
#[cfg_attr(
    not(all(feature = "ala", feature = "alo")),
    allow(dead_code, reason = "each format needs only a part of it")
)]
mod chunk_parser;
#[cfg(all(
    feature = "write",
    any(feature = "ala", feature = "alo", feature = "particles")
))]
#[cfg_attr(
    not(all(feature = "ala", feature = "alo")),
    allow(
        dead_code,
        unused_imports,
        reason = "each format needs only a part of it"
    )
)]
mod chunk_write;
#[cfg(feature = "write")]
#[cfg_attr(
    not(all(feature = "abc", feature = "alo", feature = "lgw")),
    allow(dead_code, reason = "each format needs only a part of it")
)]
mod write;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(feature = "write")]
pub use write::WriteError;
