//! The formats, one folder each, mostly with the same files for the same roles.

// For maintainers: formats do not import each other. What two formats need belongs in one of the other folders.

#[cfg(feature = "alamo")]
pub mod alamo;
#[cfg(feature = "lgw")]
pub mod lgw;
#[cfg(feature = "lithtech")]
pub mod lithtech;
#[cfg(feature = "quake")]
pub mod quake;

use crate::geometry::rays::SurfaceRays;
use bevy::ecs::system::SystemParam;

/// Defines a system parameter with one parameter of each format.
macro_rules! formats_param {
    ($name:ident; $alamo:ty, $lgw:ty, $lithtech:ty, $quake:ty) => {
        #[derive(SystemParam)]
        pub(crate) struct $name<'w, 's> {
            #[cfg(feature = "alamo")]
            pub(crate) alamo: $alamo,
            #[cfg(feature = "lgw")]
            pub(crate) lgw: $lgw,
            #[cfg(feature = "lithtech")]
            pub(crate) lithtech: $lithtech,
            #[cfg(feature = "quake")]
            pub(crate) quake: $quake,
        }
    };
}

formats_param!(FormatInfos;
    alamo::instance::AloInfo<'w, 's>,
    lgw::instance::LgwInfo<'w, 's>,
    lithtech::instance::AbcInfo<'w, 's>,
    quake::instance::MdlInfo<'w, 's>
);

formats_param!(FormatRays;
    alamo::raycast::rays::AloRays<'w, 's>,
    SurfaceRays<'w, 's, lgw::surfaces::LgwSurfaces<'static, 'static>>,
    SurfaceRays<'w, 's, lithtech::surfaces::AbcSurfaces<'static, 'static>>,
    SurfaceRays<'w, 's, quake::surfaces::MdlSurfaces<'static, 'static>>
);

/// Evaluates `$body` for each format, with its value and a reference to its parameter in `$all`, `(&)` or `(&mut)`.
macro_rules! for_each_format {
    ($format:ident, $param:ident in ($($borrow:tt)+) $all:expr => $body:expr) => {{
        use $crate::spawn::instance::ModelFormat;
        #[cfg(feature = "alamo")]
        {
            let ($format, $param) = (ModelFormat::Alamo, $($borrow)+ $all.alamo);
            $body
        }
        #[cfg(feature = "lgw")]
        {
            let ($format, $param) = (ModelFormat::UfoAftermath, $($borrow)+ $all.lgw);
            $body
        }
        #[cfg(feature = "lithtech")]
        {
            let ($format, $param) = (ModelFormat::LithTech, $($borrow)+ $all.lithtech);
            $body
        }
        #[cfg(feature = "quake")]
        {
            let ($format, $param) = (ModelFormat::Quake, $($borrow)+ $all.quake);
            $body
        }
    }};
}
pub(crate) use for_each_format;
