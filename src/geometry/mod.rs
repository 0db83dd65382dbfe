//! Plain geometry: axes, normals, boxes, triangles, rays at them, movements along the ground, and strides.

// For maintainers: systems and assets do not belong here. Collision trees are in `formats::alamo::collision`.

pub(crate) mod axes;
pub(crate) mod box_index;
pub(crate) mod collider_mesh;
pub(crate) mod ground_motion;
pub(crate) mod parts;
pub(crate) mod posed;
pub(crate) mod ray_settings;
pub(crate) mod rays;
pub(crate) mod stride;
pub(crate) mod surface;
pub(crate) mod vertices;
