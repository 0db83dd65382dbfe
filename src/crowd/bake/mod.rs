//! Samples clips on a task pool: poses of joints at sample times.

// For maintainers: textures and entities do not belong here.

pub(crate) mod curves;
pub(crate) mod deformed;
pub(crate) mod sample_times;
pub(crate) mod skeleton;
pub(crate) mod task;
pub(crate) mod timeline;
#[cfg(test)]
pub(crate) mod turning;
