//! The guides, as in the folder `docs` of the repository.

// The definitions of links come first, so they win over those at the end of the files.

/// [architecture]: crate::read
/// [archives]: crate::guides::archives
/// [collision]: crate::guides::collision
/// [components]: crate::guides::components
/// [crowds]: crate::guides::crowds
/// [guides]: crate::guides
/// [manifest]: crate::guides::manifest
/// [performance]: crate::guides::performance
/// [proxies]: crate::guides::alamo#proxies
/// [reload]: crate::guides::reload
/// [settings]: crate::guides::settings
#[doc = include_str!("../docs/manual.md")]
pub mod manual {}

/// [alamo]: crate::guides::alamo
/// [archives]: crate::guides::archives
/// [components]: crate::guides::components
/// [games]: crate#formats
/// [lgw]: crate::guides::lgw
/// [lithtech]: crate::guides::lithtech
/// [materials]: crate::guides::alamo#materials
/// [particles]: crate::guides::particles
/// [quake]: crate::guides::quake
#[doc = include_str!("../docs/formats.md")]
pub mod formats {}

/// [animation]: crate::guides::animation
/// [archives]: crate::guides::archives
/// [manifest]: crate::guides::manifest
/// [particles]: crate::guides::particles
/// [parts]: crate::guides::parts_and_damage#hide-a-bone-for-good
#[doc = include_str!("../docs/alamo.md")]
pub mod alamo {}

/// [performance]: crate::guides::performance#particle-systems-in-view
/// [proxies]: crate::guides::alamo#proxies
#[doc = include_str!("../docs/particles.md")]
pub mod particles {}

/// [animation]: crate::guides::animation
/// [archives]: crate::guides::archives
/// [events]: crate::guides::animation#events
/// [parts]: crate::guides::parts_and_damage#levels-of-detail
/// [search]: crate::guides::settings#file-search
/// [skins]: crate::guides::skins_and_teams
#[doc = include_str!("../docs/lithtech.md")]
pub mod lithtech {}

/// [archives]: crate::guides::archives
/// [manifest]: crate::guides::manifest
/// [search]: crate::guides::settings#file-search
/// [skins]: crate::guides::skins_and_teams
#[doc = include_str!("../docs/quake.md")]
pub mod quake {}

/// [archives]: crate::guides::archives
/// [reload]: crate::guides::reload
/// [search]: crate::guides::settings#file-search
/// [settings]: crate::guides::settings#all-settings
#[doc = include_str!("../docs/lgw.md")]
pub mod lgw {}

/// [animation]: crate::guides::animation
/// [attachments]: crate::guides::attachments
/// [colliders]: crate::guides::collision#colliders-for-physics
/// [crowds]: crate::guides::crowds
/// [events]: crate::guides::animation#events
/// [layers]: crate::guides::animation#layers
/// [particles]: crate::guides::particles
/// [parts]: crate::guides::parts_and_damage
/// [picking]: crate::guides::collision#picking
/// [rays]: crate::guides::collision#rays-into-the-world
/// [ready]: crate::guides::manual#loading-screens
/// [skins]: crate::guides::skins_and_teams
/// [stride]: crate::guides::animation#feet-that-do-not-slide
/// [units]: crate::guides::manual#units-and-front
/// [visibility]: crate::guides::alamo#visibility
#[doc = include_str!("../docs/components.md")]
pub mod components {}

/// [manifest]: crate::guides::manifest
#[doc = include_str!("../docs/animation.md")]
pub mod animation {}

/// [alamo]: crate::guides::alamo#materials
/// [manifest]: crate::guides::manifest
#[doc = include_str!("../docs/skins-and-teams.md")]
pub mod skins_and_teams {}

/// [alamo]: crate::guides::alamo#visibility
/// [lithtech]: crate::guides::lithtech#levels-of-detail
#[doc = include_str!("../docs/parts-and-damage.md")]
pub mod parts_and_damage {}

/// [manifest]: crate::guides::manifest#attachments
/// [query]: crate::guides::components#modelquery
/// [visibility]: crate::guides::alamo#visibility
#[doc = include_str!("../docs/attachments.md")]
pub mod attachments {}

/// [components]: crate::guides::components
/// [events]: crate::guides::animation#events
/// [loading]: crate::guides::manual#loading-screens
/// [search]: crate::guides::settings#file-search
/// [settings]: crate::guides::settings#all-settings
#[doc = include_str!("../docs/manifest.md")]
pub mod manifest {}

/// [performance]: crate::guides::performance#a-crowd
#[doc = include_str!("../docs/crowds.md")]
pub mod crowds {}

/// [performance]: crate::guides::performance#collision-queries
#[doc = include_str!("../docs/collision.md")]
pub mod collision {}

/// [performance]: crate::guides::performance#archives
/// [reload]: crate::guides::reload
/// [settings]: crate::guides::settings#how-settings-reach-a-model
#[doc = include_str!("../docs/archives.md")]
pub mod archives {}

/// [alamo]: crate::guides::alamo#visibility
/// [archives]: crate::guides::archives#names
/// [lgw]: crate::guides::lgw#editing
/// [manifest]: crate::guides::manifest
#[doc = include_str!("../docs/settings.md")]
pub mod settings {}

/// [archives]: crate::guides::archives#hot-reload
/// [settings]: crate::guides::settings#how-settings-reach-a-model
#[doc = include_str!("../docs/reload.md")]
pub mod reload {}

#[doc = include_str!("../docs/performance.md")]
pub mod performance {}
