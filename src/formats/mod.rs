//! The formats, one folder each, with the same files for the same roles.

// For maintainers: formats do not import each other. What two formats need belongs in one of the other folders.

#[cfg(feature = "alamo")]
pub mod alamo;
#[cfg(feature = "lgw")]
pub mod lgw;
#[cfg(feature = "lithtech")]
pub mod lithtech;
#[cfg(feature = "quake")]
pub mod quake;

use crate::geometry::rays::Rays;
use crate::spawn::format::ModelInfo;
use crate::spawn::instance::ModelFormat;
use bevy::ecs::system::SystemParam;

/// Defines a system parameter with one parameter of each format, and `all`, which lists them by format.
macro_rules! formats_param {
    ($name:ident: $trait:ident, $($mut:ident)?; $alamo:ty, $lgw:ty, $lithtech:ty, $quake:ty) => {
        #[derive(SystemParam)]
        pub(crate) struct $name<'w, 's> {
            #[cfg(feature = "alamo")]
            alamo: $alamo,
            #[cfg(feature = "lgw")]
            lgw: $lgw,
            #[cfg(feature = "lithtech")]
            lithtech: $lithtech,
            #[cfg(feature = "quake")]
            quake: $quake,
        }

        impl $name<'_, '_> {
            pub(crate) fn all(&$($mut)? self) -> impl Iterator<Item = (ModelFormat, &$($mut)? dyn $trait)> {
                let all: [(ModelFormat, &$($mut)? dyn $trait); _] = [
                    #[cfg(feature = "alamo")]
                    (ModelFormat::Alamo, &$($mut)? self.alamo),
                    #[cfg(feature = "lgw")]
                    (ModelFormat::UfoAftermath, &$($mut)? self.lgw),
                    #[cfg(feature = "lithtech")]
                    (ModelFormat::LithTech, &$($mut)? self.lithtech),
                    #[cfg(feature = "quake")]
                    (ModelFormat::Quake, &$($mut)? self.quake),
                ];
                all.into_iter()
            }
        }
    };
}

formats_param!(FormatInfos: ModelInfo,;
    alamo::info::AloInfo<'w, 's>,
    lgw::info::LgwInfo<'w, 's>,
    lithtech::info::AbcInfo<'w, 's>,
    quake::info::MdlInfo<'w, 's>
);

formats_param!(FormatRays: Rays, mut;
    alamo::raycast::rays::AloRays<'w, 's>,
    crate::geometry::rays::SurfaceRays<'w, 's, lgw::surfaces::LgwSurfaces<'static, 'static>>,
    crate::geometry::rays::SurfaceRays<'w, 's, lithtech::surfaces::AbcSurfaces<'static, 'static>>,
    crate::geometry::rays::SurfaceRays<'w, 's, quake::surfaces::MdlSurfaces<'static, 'static>>
);
