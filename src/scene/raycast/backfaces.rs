//! How rays treat back faces.

use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;

/// How a ray treats back faces.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Clone, Debug, Default, PartialEq, Hash)]
pub enum Backfaces {
    /// The ray passes through them.
    #[default]
    Cull,
    /// The ray hits them. The hit's normal is that of the front, which points away from the ray's origin.
    Keep,
    /// The ray hits them. The hit's normal is that of the back, which points towards the ray's origin.
    Flip,
}
