//! No code: `Cargo.toml` enables all features of Bevy and of its dependencies that a package of this workspace uses.
