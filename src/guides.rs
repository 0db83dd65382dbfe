//! The guides, as in the folder `docs` of the repository.

// The definitions of links come first, so they win over those at the end of the files.

/// [alamo]: crate::guides::alamo
/// [animation]: crate::guides::animation
/// [archives]: crate::guides::archives
/// [architecture]: crate::read
/// [attachments]: crate::guides::attachments
/// [collision]: crate::guides::collision
/// [components]: crate::guides::components
/// [crowds]: crate::guides::crowds
/// [formats]: crate::guides::formats
/// [lgw]: crate::guides::lgw
/// [lithtech]: crate::guides::lithtech
/// [manifest]: crate::guides::manifest
/// [particles]: crate::guides::particles
/// [parts]: crate::guides::parts_and_damage
/// [performance]: crate::guides::performance
/// [quake]: crate::guides::quake
/// [reload]: crate::guides::reload
/// [settings]: crate::guides::settings
/// [skins]: crate::guides::skins_and_teams
#[doc = include_str!("../docs/manual.md")]
pub mod manual {}

/// [alamo]: crate::guides::alamo
/// [animation]: crate::guides::animation#animation-graphs-of-your-own
/// [archives]: crate::guides::archives
/// [collision]: crate::guides::collision
/// [crowds]: crate::guides::crowds
/// [lgw]: crate::guides::lgw
/// [lithtech]: crate::guides::lithtech
/// [manifest]: crate::guides::manifest
/// [materials]: crate::guides::alamo#materials
/// [particles]: crate::guides::particles
/// [quake]: crate::guides::quake
#[doc = include_str!("../docs/formats.md")]
pub mod formats {}

/// [animation]: crate::guides::animation
/// [collision]: crate::guides::collision
/// [particles]: crate::guides::particles
/// [manifest]: crate::guides::manifest
#[doc = include_str!("../docs/alamo.md")]
pub mod alamo {}

#[doc = include_str!("../docs/particles.md")]
pub mod particles {}

/// [animation]: crate::guides::animation
/// [crowds]: crate::guides::crowds
/// [parts]: crate::guides::parts_and_damage
/// [skins]: crate::guides::skins_and_teams
#[doc = include_str!("../docs/lithtech.md")]
pub mod lithtech {}

/// [animation]: crate::guides::animation
/// [manifest]: crate::guides::manifest
/// [skins]: crate::guides::skins_and_teams
#[doc = include_str!("../docs/quake.md")]
pub mod quake {}

#[doc = include_str!("../docs/lgw.md")]
pub mod lgw {}

/// [animation]: crate::guides::animation
/// [attachments]: crate::guides::attachments
/// [crowds]: crate::guides::crowds
/// [parts]: crate::guides::parts_and_damage
/// [skins]: crate::guides::skins_and_teams
/// [units]: crate::guides::manual#units-and-front
#[doc = include_str!("../docs/components.md")]
pub mod components {}

/// [alamo]: crate::guides::alamo#animations
/// [lithtech]: crate::guides::lithtech#animations
/// [manifest]: crate::guides::manifest
/// [quake]: crate::guides::quake#frames-and-clips
#[doc = include_str!("../docs/animation.md")]
pub mod animation {}

/// [alamo]: crate::guides::alamo#materials
/// [lithtech]: crate::guides::lithtech#skins
/// [manifest]: crate::guides::manifest
/// [quake]: crate::guides::quake#skins
#[doc = include_str!("../docs/skins-and-teams.md")]
pub mod skins_and_teams {}

/// [alamo]: crate::guides::alamo#visibility
#[doc = include_str!("../docs/parts-and-damage.md")]
pub mod parts_and_damage {}

/// [manifest]: crate::guides::manifest#attachments
/// [ownership]: crate::guides::manifest#the-spawned-entity
#[doc = include_str!("../docs/attachments.md")]
pub mod attachments {}

#[doc = include_str!("../docs/manifest.md")]
pub mod manifest {}

#[doc = include_str!("../docs/crowds.md")]
pub mod crowds {}

/// [performance]: crate::guides::performance#collision-queries
#[doc = include_str!("../docs/collision.md")]
pub mod collision {}

/// [performance]: crate::guides::performance#archives
/// [reload]: crate::guides::reload
/// [settings]: crate::guides::settings
#[doc = include_str!("../docs/archives.md")]
pub mod archives {}

/// [lgw]: crate::guides::lgw#editing
/// [manifest]: crate::guides::manifest
#[doc = include_str!("../docs/settings.md")]
pub mod settings {}

/// [archives]: crate::guides::archives#hot-reload
/// [manifest]: crate::guides::manifest
/// [settings]: crate::guides::settings#settings-in-code
#[doc = include_str!("../docs/reload.md")]
pub mod reload {}

#[doc = include_str!("../docs/performance.md")]
pub mod performance {}
