//! The integration tests, one binary.

#[path = "../../examples/support/headless.rs"]
mod headless;
mod smoke;
