//! What is opened: the command line, the files that it selects, the asset sources that have them, and the list of files.
//! Nothing here spawns models.

pub mod args;
pub mod browser;
pub mod files;
pub mod image_args;
pub mod keys;
pub mod recent;
pub mod shown;
pub mod standard_input;
