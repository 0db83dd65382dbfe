//! Plain geometry: axes, normals, boxes, triangles, and rays at them.

// For maintainers: systems and assets do not belong here. Collision trees are in `formats::alamo::collision`.

pub(crate) mod axes;
#[cfg(feature = "collision")]
pub(crate) mod box_index;
pub(crate) mod collider_mesh;
pub(crate) mod mesh_data;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) mod parts;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) mod posed;
pub(crate) mod ray_settings;
#[cfg(any(feature = "lgw", feature = "lithtech", feature = "quake"))]
pub(crate) mod surface;
#[cfg(any(feature = "alamo", feature = "lgw", feature = "lithtech"))]
pub(crate) mod vertices;
