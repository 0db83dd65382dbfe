//! The RON extensions and limits of manifests.

use ron::Options;
use ron::extensions::Extensions;

/// The maximum nesting of values. Valid manifests have four levels.
const MAX_NESTING: usize = 32;

/// The options of every reader and writer of manifests.
pub(super) fn options() -> Options {
    Options::default()
        .with_default_extension(Extensions::IMPLICIT_SOME)
        .with_recursion_limit(MAX_NESTING)
}
