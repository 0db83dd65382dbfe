//! The archives and folders of known games, in the order in which the games read them.

// For maintainers: reading archives does not belong here.

pub(crate) mod alamo;
pub(crate) mod games;
pub(crate) mod layers;
pub(crate) mod mega_files;
