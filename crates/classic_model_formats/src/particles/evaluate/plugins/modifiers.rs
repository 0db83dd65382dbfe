//! The modifiers of an emitter. Most are values of the first format; the others are kept as they are.
//!
//! A modifier of a value replaces that of the modifiers before it. One that writes only once, at birth, counts if no other
//! replaces it during the life. Source: GlyphXTools' alo-viewer, which runs all modifiers in their order in each frame.

use super::forces::{Field, Path};
use super::texture::Texture;
use crate::particles::file::{Emitter, Key, Track};
use crate::particles::plugins::{Plugin, Vec4Key, track};

/// What the modifiers of an emitter set, beside the values of the first format.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Modified {
    /// The range of a random value that is added to each color channel.
    pub(super) added_color: [[f32; 2]; 4],
    /// The angle in turns over the life, to which the angle at birth is added.
    pub(super) angle: Option<Track>,
    /// The angle at birth, in turns.
    pub(super) start: StartAngle,
    pub(super) texture: Texture,
    /// The motion beside its constant acceleration.
    pub(super) path: Path,
    /// Share of the wind's velocity at birth that is added per second.
    pub(super) wind_response: f32,
}

/// A random angle at birth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct StartAngle {
    pub(super) angle: f32,
    /// The greatest difference to it.
    pub(super) variation: f32,
    /// Whether it may be negative.
    pub(super) is_reversed: bool,
}

/// The modifiers that set a value, by the names of their plug-ins.
const SIZES: [&str; 3] = ["constant_size", "linear_size", "keyed_size"];
const COLORS: [&str; 3] = ["constant_color", "linear_color", "keyed_color"];
const ANGLES: [&str; 3] = ["constant_rotation", "linear_rotation", "keyed_rotation"];
const RATES: [&str; 2] = ["linear_rotation_rate", "keyed_rotation_rate"];
const TEXTURES: [&str; 3] = ["constant_uv", "keyed_uv", "slotted_random_uv"];

/// Sets the values of an emitter, and returns the others.
pub(super) fn apply(modifiers: &[Plugin<'_>], emitter: &mut Emitter<'_>) -> Modified {
    let mut modified = Modified::default();
    set_size(modifiers, emitter);
    set_color(modifiers, emitter, &mut modified);
    set_rotation(modifiers, emitter, &mut modified);
    set_texture(modifiers, &mut modified);
    set_motion(modifiers, emitter, &mut modified);
    modified
}

/// The modifier of a value that counts, with its position.
fn effective<'m, 'a>(
    modifiers: &'m [Plugin<'a>],
    names: &[&str],
) -> Option<(usize, &'m Plugin<'a>)> {
    let named = || {
        let modifiers = modifiers.iter().enumerate();
        modifiers.filter(|(_, it)| names.contains(&it.name()) && has_values(it))
    };
    let lasting = named().rfind(|(_, it)| !it.flag("write_once"));
    lasting.or_else(|| named().next_back())
}

/// Whether a modifier is not one of keys without any key.
fn has_values(modifier: &Plugin<'_>) -> bool {
    let keys = ["sizes", "colors", "rotations", "rates"];
    match modifier.name() {
        "keyed_uv" => !modifier.vec4_keys("texture_coordinates").is_empty(),
        "keyed_color" => !modifier.vec4_keys("colors").is_empty(),
        name if name.starts_with("keyed") => {
            keys.iter().any(|name| !modifier.keys(name).is_empty())
        }
        _ => true,
    }
}

/// A size is half of an edge length. Its factor is between 1 − v and 1 + v.
fn set_size(modifiers: &[Plugin<'_>], emitter: &mut Emitter<'_>) {
    let (sizes, variation) = match effective(modifiers, &SIZES) {
        None => (Track::constant(1.0), 0.0),
        Some((_, it)) => {
            let sizes = match it.name() {
                "constant_size" => Track::constant(it.number("size")),
                "linear_size" => it.linear_track(it.number("start_size"), it.number("end_size")),
                _ => it.track("sizes"),
            };
            (sizes, it.number("size_variation").clamp(0.0, 1.0))
        }
    };
    // The first format draws between 1 − r and 1.
    emitter.properties.random_scale = 2.0 * variation / (1.0 + variation);
    emitter.tracks.scale = scaled(sizes, 2.0 * (1.0 + variation));
}

fn scaled(mut track: Track, factor: f32) -> Track {
    for key in &mut track.keys {
        key.value = (key.value * factor).clamp(f32::MIN, f32::MAX);
    }
    track
}

fn set_color(modifiers: &[Plugin<'_>], emitter: &mut Emitter<'_>, modified: &mut Modified) {
    let color = effective(modifiers, &COLORS);
    if let Some((_, it)) = color {
        let channel = |index: usize| {
            let of = |color: [f32; 4]| color.get(index).copied().unwrap_or_default();
            let channel = match it.name() {
                "constant_color" => Track::constant(of(it.color("color"))),
                "linear_color" => {
                    it.linear_track(of(it.color("start_color")), of(it.color("end_color")))
                }
                _ => {
                    let keys = it.vec4_keys("colors").iter();
                    let keys = keys.map(|Vec4Key { time, value }| Key {
                        time: *time,
                        value: of(*value),
                    });
                    track(keys, it.flag("smooth"))
                }
            };
            scaled(channel, 255.0)
        };
        let tracks = &mut emitter.tracks;
        [tracks.red, tracks.green, tracks.blue, tracks.alpha] = [0, 1, 2, 3].map(channel);
    }
    let Some((position, variance)) = effective(modifiers, &["color_variance"]) else {
        return;
    };
    // A modifier that sets the color during the life overwrites earlier additions.
    let is_after = color.is_none_or(|(earlier, _)| earlier < position);
    let is_kept = color.is_none_or(|(_, color)| color.flag("write_once"));
    let once = variance.flag("write_once");
    let is_effective = if is_kept {
        is_after || !once
    } else {
        is_after && !once
    };
    if is_effective {
        let range = |min, max| [variance.number(min), variance.number(max)];
        modified.added_color = [
            range("min_red", "max_red"),
            range("min_green", "max_green"),
            range("min_blue", "max_blue"),
            range("min_alpha", "max_alpha"),
        ];
        emitter.properties.random_color_is_gray = variance.flag("grayscale");
    }
}

fn set_rotation(modifiers: &[Plugin<'_>], emitter: &mut Emitter<'_>, modified: &mut Modified) {
    let angle = effective(modifiers, &ANGLES);
    let rate = effective(modifiers, &RATES);
    let properties = &mut emitter.properties;
    // An angle that is written during the life replaces what a rate has added.
    let rate = rate.filter(|_| angle.is_none_or(|(_, it)| it.flag("write_once")));
    if let Some((_, it)) = rate {
        emitter.tracks.rotation_speed = match it.name() {
            "linear_rotation_rate" => {
                it.linear_track(it.number("start_rate"), it.number("end_rate"))
            }
            _ => it.track("rates"),
        };
        properties.random_rotation_direction = it.flag("reverse");
        if let Some((_, it)) = angle {
            let angle = it.number("rotation");
            modified.start = StartAngle {
                angle,
                variation: (angle * it.number("rotation_variation")).abs(),
                is_reversed: it.flag("reverse"),
            };
        }
        return;
    }
    let Some((_, it)) = angle else { return };
    properties.random_rotation_direction = it.flag("reverse");
    if it.name() == "constant_rotation" {
        properties.fixed_rotation = true;
        properties.rotation_variance = it.number("rotation_variation").max(0.0);
        emitter.tracks.rotation_speed = Track::constant(it.number("rotation"));
        return;
    }
    modified.angle = Some(match it.name() {
        "linear_rotation" => {
            it.linear_track(it.number("start_rotation"), it.number("end_rotation"))
        }
        _ => it.track("rotations"),
    });
    if it.flag("randomize") {
        modified.start.variation = it.number("rotation_variation").max(0.0);
    }
}

fn set_texture(modifiers: &[Plugin<'_>], modified: &mut Modified) {
    let texture = &mut modified.texture;
    if let Some((_, it)) = effective(modifiers, &TEXTURES) {
        *texture = Texture::new(it);
    }
    texture.has_random_offset = modifiers.iter().any(|it| it.name() == "random_uv");
}

/// Each acceleration replaces those before it, except that of the wind, which is added. Each speed replaces the speeds and
/// the limits before it.
fn set_motion(modifiers: &[Plugin<'_>], emitter: &mut Emitter<'_>, modified: &mut Modified) {
    let properties = &mut emitter.properties;
    let Modified {
        path,
        wind_response,
        ..
    } = modified;
    let mut bounce = None;
    for it in modifiers {
        match it.name() {
            "wind_acceleration" => {
                let sum = *wind_response + it.number("wind_response");
                *wind_response = sum.clamp(f32::MIN, f32::MAX);
            }
            "speed_limit" => path.limit_speed(it.range("min_speed", "max_speed")),
            "linear_speed" => {
                let speed = it.linear_track(it.number("start_speed"), it.number("end_speed"));
                (path.speed, path.speed_limit) = (Some(speed), None);
            }
            "terrain_bounce" => bounce = Some(it.number("elasticity").max(0.0)),
            "acceleration" => {
                (path.field, *wind_response) = (None, 0.0);
                properties.acceleration = it.vector("acceleration");
                properties.object_space_acceleration = it.flag("local_space");
            }
            _ => {
                if let Some(field) = field(it) {
                    (path.field, *wind_response) = (Some(field), 0.0);
                    properties.acceleration = [0.0; 3];
                }
            }
        }
    }
    if path.is_stepped() {
        path.bounce = bounce;
    } else if let Some(bounce) = bounce {
        (properties.ground, properties.bounciness) = (2, bounce);
    }
}

/// The acceleration of a modifier, unless it is constant.
fn field(it: &Plugin<'_>) -> Option<Field> {
    let is_local = it.flag("local_space");
    Some(match it.name() {
        "attract_acceleration" => Field::Outward(it.number("attract")),
        "attractor" => Field::Attractor {
            factors: ["constant", "linear", "inverse_linear"].map(|name| it.number(name)),
            range: it.range("min_distance", "max_distance"),
        },
        "keyed_acceleration" => Field::Keyed {
            direction: it.vector("direction"),
            magnitude: it.track("magnitude"),
            is_local,
        },
        "vortex" => Field::Vortex {
            axis: it.vector("axis"),
            speed: it.number("speed"),
            is_local,
        },
        _ => return None,
    })
}
