//! The guides, as in the folder `docs` of the repository.

// The definitions of links come first, so they win over those at the end of the files.

/// [alamo]: crate::guides::alamo
/// [alamo-collision]: crate::guides::alamo#collision
/// [architecture]: crate::read
/// [lgw]: crate::guides::lgw
/// [lithtech]: crate::guides::lithtech
/// [manifest]: crate::guides::manifest
/// [performance]: crate::guides::performance
/// [reload]: crate::guides::reload
/// [vocabulary]: crate::guides::vocabulary
#[doc = include_str!("../docs/manual.md")]
pub mod manual {}

/// [manifest]: crate::guides::manifest
#[doc = include_str!("../docs/vocabulary.md")]
pub mod vocabulary {}

#[doc = include_str!("../docs/manifest.md")]
pub mod manifest {}

/// [manifest]: crate::guides::manifest
#[doc = include_str!("../docs/reload.md")]
pub mod reload {}

#[doc = include_str!("../docs/alamo.md")]
pub mod alamo {}

#[doc = include_str!("../docs/lithtech.md")]
pub mod lithtech {}

#[doc = include_str!("../docs/lgw.md")]
pub mod lgw {}

#[doc = include_str!("../docs/performance.md")]
pub mod performance {}
