//! The light of the games' maps: a sun, two fill lights, ambient light, and the sky that surfaces reflect.

use crate::texture::placeholder::Placeholder;
use crate::texture::settings::ClassicImageSettings;
use bevy::asset::AssetPath;
use bevy::camera::Exposure;
use bevy::prelude::*;
use core::f32::consts::PI;

/// The part of Bevy's ambient light that a white, matte surface reflects: the first term of Bevy's `F_AB` for the
/// roughness 1.
const REFLECTED_AMBIENT: f32 = 0.4524;

/// The lights of a map of the games, with the values of the map editor. The default is that of the GlyphX model viewer.
///
/// [`lights`](Self::lights) and [`ambient_light`](Self::ambient_light) convert them to Bevy's lights:
///
/// ```
/// # use bevy::prelude::*;
/// use bevy_classic_models::alamo::AlamoEnvironment;
///
/// fn light(mut commands: Commands) {
///     let environment = AlamoEnvironment::default();
///     let [sun, fills @ ..] = environment.lights();
///     commands.spawn(sun);
///     commands.spawn_batch(fills);
///     commands.insert_resource(environment.ambient_light());
/// }
/// # bevy::ecs::system::assert_is_system(light);
/// ```
///
/// The games add lights as screen colors: a surface has the color 2 × (ambient + Σ color × intensity × cosine) × texture.
/// With Bevy's default [`Exposure`] and without tone mapping, a surface that faces one of the lights or none has the same
/// color. Other surfaces differ somewhat, because Bevy adds light, not screen colors.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Default, Clone, Debug, PartialEq)]
pub struct AlamoEnvironment {
    /// The light that casts shadows.
    pub sun: AlamoMapLight,
    /// The lights without shadows.
    pub fills: [AlamoMapLight; 2],
    /// The light from everywhere, as a screen color.
    pub ambient: Color,
}

/// A directional light of an [`AlamoEnvironment`].
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Clone, Debug, PartialEq)]
pub struct AlamoMapLight {
    /// Its screen color.
    pub color: Color,
    /// A factor for the color. 0.5 of a white light makes a white surface that faces it white.
    pub intensity: f32,
    /// Where it comes from, in radians, counterclockwise as seen from above. At 0, it shines on the front of a model
    /// that is not rotated.
    pub heading: f32,
    /// Its angle above the horizon, in radians. Negative angles shine from below.
    pub elevation: f32,
}

impl Default for AlamoEnvironment {
    fn default() -> Self {
        let fill = |heading: f32| AlamoMapLight {
            color: Color::srgb(0.25, 0.25, 0.5),
            intensity: 0.5,
            heading: heading.to_radians(),
            elevation: (-10.0_f32).to_radians(),
        };
        Self {
            sun: AlamoMapLight {
                color: Color::WHITE,
                intensity: 0.5,
                heading: 0.0,
                elevation: 45.0_f32.to_radians(),
            },
            fills: [fill(210.0), fill(120.0)],
            ambient: Color::srgb(0.1, 0.1, 0.1),
        }
    }
}

impl AlamoEnvironment {
    /// The sun and the fill lights, in this order, for models with [`BevySpace`](crate::root::BevySpace). To light models
    /// without it, rotate the transforms by half a turn about Y.
    ///
    /// The lights have no shadow maps. The sun's are enabled by
    /// [`shadow_maps_enabled`](DirectionalLight::shadow_maps_enabled).
    pub fn lights(&self) -> [(DirectionalLight, Transform); 3] {
        let [first, second] = self.fills;
        [self.sun, first, second].map(|light| light.to_bevy(self.ambient))
    }

    /// The ambient light.
    pub fn ambient_light(&self) -> GlobalAmbientLight {
        let (color, brightness) = color_and_brightness(lit_white(channels(self.ambient)));
        GlobalAmbientLight {
            color,
            brightness: brightness / (REFLECTED_AMBIENT * Exposure::default().exposure()),
            ..GlobalAmbientLight::default()
        }
    }
}

impl AlamoMapLight {
    /// What the light adds to the ambient light of a surface that faces it.
    fn to_bevy(self, ambient: Color) -> (DirectionalLight, Transform) {
        let ambient = channels(ambient);
        let both = ambient + self.intensity * channels(self.color);
        let (color, brightness) = color_and_brightness(lit_white(both) - lit_white(ambient));
        let light = DirectionalLight {
            color,
            // A matte surface reflects 1 / π of it in each direction.
            illuminance: brightness * PI / Exposure::default().exposure(),
            ..DirectionalLight::default()
        };
        let at = Transform::default().looking_to(-self.direction_to_light(), Vec3::Y);
        (light, at)
    }

    /// The direction to the light, in the axes of `BevySpace`. In those of the games it is
    /// (sin h cos e, −cos h cos e, sin e), with Z up.
    fn direction_to_light(self) -> Vec3 {
        let (sin_heading, cos_heading) = self.heading.sin_cos();
        let (sin_elevation, cos_elevation) = self.elevation.sin_cos();
        Vec3::new(
            -sin_heading * cos_elevation,
            sin_elevation,
            -cos_heading * cos_elevation,
        )
    }
}

fn channels(color: Color) -> Vec3 {
    Srgba::from(color).to_vec3()
}

/// The linear color of a white surface in a light of the games, whose shaders double it as a screen color.
fn lit_white(light: Vec3) -> Vec3 {
    let [red, green, blue] = (2.0 * light.max(Vec3::ZERO)).to_array();
    LinearRgba::from(Srgba::rgb(red, green, blue)).to_vec3()
}

/// A linear color as a color whose greatest channel is 1, and a factor.
fn color_and_brightness(linear: Vec3) -> (Color, f32) {
    let linear = linear.max(Vec3::ZERO);
    match linear.max_element() {
        brightness if brightness > 0.0 => {
            let color = linear / brightness;
            (LinearRgba::from_vec3(color).into(), brightness)
        }
        _ => (Color::BLACK, 0.0),
    }
}

/// The sky that surfaces reflect, from a cube map of the games (`.dds`), for cameras:
///
/// ```
/// # use bevy::prelude::*;
/// use bevy_classic_models::alamo::sky_cube;
///
/// fn add_camera(mut commands: Commands, assets: Res<AssetServer>) {
///     commands.spawn((Camera3d::default(), sky_cube(&assets, "textures/sky.dds")));
/// }
/// # bevy::ecs::system::assert_is_system(add_camera);
/// ```
///
/// The file is loaded with [`ClassicImageSettings::is_sky_cube`], which turns it to the axes of models with
/// [`BevySpace`](crate::root::BevySpace). Its texels are screen colors at Bevy's default [`Exposure`]. As in the games, it
/// casts no light on matte surfaces.
pub fn sky_cube(assets: &AssetServer, path: impl Into<AssetPath<'static>>) -> EnvironmentMapLight {
    let load = assets.load_builder();
    let load = load.with_settings(|settings: &mut ClassicImageSettings| {
        settings.is_sky_cube = true;
    });
    EnvironmentMapLight {
        diffuse_map: assets.add(Placeholder::Black.cube()),
        specular_map: load.load(path),
        intensity: 1.0 / Exposure::default().exposure(),
        ..EnvironmentMapLight::default()
    }
}
