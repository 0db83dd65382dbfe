//! The properties of an emitter, chunk 0x2, and the warnings about unusable values.

use super::state::Parser;
use crate::chunk::{Chunk, MiniChunk};
use crate::particles::evaluate::schedule::{MAX_ALIVE, Schedule};
use crate::particles::properties::{BLEND_MODES, Properties, PropertyValue};
use crate::read::ParseError;

impl Parser {
    /// The properties, and the types of their mini-chunks in file order.
    pub(super) fn properties(
        &mut self,
        chunk: &Chunk<'_>,
        index: u32,
    ) -> Result<(Properties, Vec<u8>), ParseError> {
        let mut properties = Properties::of_index(index);
        let mut order = Vec::with_capacity(Properties::NAMES.len());
        let mut seen = 0;
        for mini in chunk.minis() {
            let mini = mini.map_err(|error| self.within(error))?;
            let Some(earlier) = properties.get(mini.id) else {
                self.skip_mini(&mini);
                continue;
            };
            let value = self.property(&mini, earlier)?;
            // All known types are below 128.
            let bit = 1_u128 << (mini.id & 127);
            if seen & bit != 0 && value != earlier {
                self.warn_repeated(&mini);
            }
            // The limit keeps repeated mini-chunks from taking memory.
            if seen & bit == 0 || order.len() < 2 * Properties::NAMES.len() {
                order.push(mini.id);
            }
            seen |= bit;
            properties.set(mini.id, value);
        }
        self.check_properties(&properties, chunk);
        Ok((properties, order))
    }

    /// The value of a mini-chunk, which has the type of another value of this property.
    fn property(
        &self,
        mini: &MiniChunk<'_>,
        kind: PropertyValue,
    ) -> Result<PropertyValue, ParseError> {
        let name = Properties::name(mini.id).unwrap_or_default();
        Ok(match kind {
            PropertyValue::Bool(_) => {
                let mut body = self.fixed_mini(mini, 1)?;
                let value: &u8 = body.record(self.at(name))?;
                PropertyValue::Bool(*value != 0)
            }
            PropertyValue::U32(_) => {
                PropertyValue::U32(self.fixed_mini(mini, 4)?.u32(self.at(name))?)
            }
            PropertyValue::I32(_) => {
                PropertyValue::I32(self.fixed_mini(mini, 4)?.i32(self.at(name))?)
            }
            PropertyValue::F32(_) => {
                let [value] = self.finite_mini(mini, name)?;
                PropertyValue::F32(value)
            }
            PropertyValue::Vec3(_) => PropertyValue::Vec3(self.finite_mini(mini, name)?),
            PropertyValue::Vec4(_) => PropertyValue::Vec4(self.finite_mini(mini, name)?),
        })
    }

    fn finite_mini<const N: usize>(
        &self,
        mini: &MiniChunk<'_>,
        name: &str,
    ) -> Result<[f32; N], ParseError> {
        let mut body = self.fixed_mini(mini, 4 * N as u64)?;
        let mut values = [0.0; N];
        for value in &mut values {
            *value = self.finite(&mut body, name)?;
        }
        Ok(values)
    }

    /// Warns about values that the evaluation does not use as stored.
    fn check_properties(&mut self, properties: &Properties, chunk: &Chunk<'_>) {
        for flaw in flaws(properties) {
            let offset = value_offset(chunk, flaw.id);
            let name = Properties::name(flaw.id).unwrap_or_default();
            self.warn(flaw.kind, offset, |parser| {
                let (path, effect) = (parser.at(name), flaw.effect);
                format!("{path} is {}: {effect}", flaw.value)
            });
        }
    }
}

/// A value that is not used as stored.
struct Flaw {
    /// The type of the mini-chunk.
    id: u8,
    /// The kind of the warning.
    kind: &'static str,
    value: f64,
    effect: String,
}

fn flaws(properties: &Properties) -> impl Iterator<Item = Flaw> {
    let Properties {
        lifetime,
        random_scale,
        random_lifetime,
        initial_delay,
        burst_delay,
        skip_time,
        freeze_time,
        bursts,
        weather,
        weather_cube_size,
        blend_mode,
        ground,
        emit_mode,
        texture_elements,
        ..
    } = *properties;
    let flaw = |is_flawed: bool, id: u8, kind, value: f64, effect: &str| {
        is_flawed.then(|| Flaw {
            id,
            kind,
            value,
            effect: effect.to_owned(),
        })
    };
    let unsigned = |is_flawed, id, kind, value: u32, effect: &str| {
        flaw(is_flawed, id, kind, value.into(), effect)
    };
    let share = |id, kind, value: f32| {
        let is_flawed = !(0.0..=1.0).contains(&value);
        flaw(
            is_flawed,
            id,
            kind,
            value.into(),
            "it is clamped to the range from 0 to 1",
        )
    };
    let time = |id, kind, value: f32| flaw(value < 0.0, id, kind, value.into(), "0 is used");
    let side = properties.tiles_per_side();
    let tiles = format!("{side} × {side} tiles are used");
    let mode = format!("{} is used", properties.effective_blend_mode());
    [
        unsigned(
            blend_mode >= BLEND_MODES,
            0x04,
            "blend mode",
            blend_mode,
            &mode,
        ),
        unsigned(
            ground > 3,
            0x2F,
            "ground",
            ground,
            "the ground has no effect",
        ),
        unsigned(emit_mode > 3, 0x34, "emit mode", emit_mode, "it is ignored"),
        flaw(
            lifetime <= 0.0,
            0x0F,
            "lifetime",
            lifetime.into(),
            "no particle is visible",
        ),
        share(0x12, "random scale", random_scale),
        share(0x13, "random lifetime", random_lifetime),
        time(0x24, "initial delay", initial_delay),
        flaw(
            burst_delay < 0.0,
            0x25,
            "burst delay",
            burst_delay.into(),
            "0.01 is used",
        ),
        time(0x33, "skip time", skip_time),
        time(0x32, "freeze time", freeze_time),
        flaw(
            bursts < -1,
            0x27,
            "bursts",
            bursts.into(),
            "bursts are endless",
        ),
        flaw(
            weather && weather_cube_size <= 0.0,
            0x3E,
            "weather cube",
            weather_cube_size.into(),
            "nothing is emitted",
        ),
        unsigned(
            side * side != texture_elements,
            0x10,
            "tiles",
            texture_elements,
            &tiles,
        ),
        budget(properties),
    ]
    .into_iter()
    .flatten()
}

/// Whether more particles live at once than the evaluation allows.
fn budget(properties: &Properties) -> Option<Flaw> {
    let alive = Schedule::new(properties).max_alive();
    (alive > MAX_ALIVE).then(|| Flaw {
        id: if properties.in_bursts && !properties.weather {
            0x26
        } else {
            0x2A
        },
        kind: "budget",
        value: if properties.in_bursts && !properties.weather {
            properties.particles_per_burst
        } else {
            properties.particles_per_second
        }
        .into(),
        effect: format!(
            "{alive} particles would live at once, births beyond {MAX_ALIVE} are dropped"
        ),
    })
}

/// The file offset of a property's value; that of the chunk if the property is absent.
fn value_offset(chunk: &Chunk<'_>, id: u8) -> u64 {
    let minis = chunk.minis().map_while(Result::ok);
    let last = minis.filter(|mini| mini.id == id).last();
    last.map_or(chunk.offset, |mini| mini.body.offset())
}
