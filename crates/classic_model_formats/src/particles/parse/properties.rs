//! The properties of an emitter, chunk 0x2, and the warnings about unusable values.

use super::state::Parser;
use crate::chunk::{Chunk, MiniChunk};
use crate::chunk_parser::Mini;
use crate::particles::evaluate::schedule::{MAX_ALIVE, Schedule};
use crate::particles::properties::{BLEND_MODES, Properties, PropertyValue, usual_order};
use crate::read::ParseError;
use std::borrow::Cow;
use zerocopy::little_endian::{F32, I32, U32};
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

impl Parser {
    /// The properties, and the types of their mini-chunks in file order unless that is the usual order.
    pub(super) fn properties(
        &mut self,
        chunk: &Chunk<'_>,
        index: u32,
    ) -> Result<(Properties, Option<Vec<u8>>), ParseError> {
        if let Some(properties) = usual_properties(chunk, index) {
            self.check_properties(&properties, chunk);
            return Ok((properties, None));
        }
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
        // Unknown mini-chunks may be between those of the usual order.
        let is_usual = order == Properties::USUAL_ORDER;
        Ok((properties, (!is_usual).then_some(order)))
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

/// A value as a mini-chunk has it.
trait Stored {
    type Value;

    fn value(&self) -> Self::Value;

    fn is_finite(&self) -> bool {
        true
    }
}

impl Stored for u8 {
    type Value = bool;

    fn value(&self) -> bool {
        *self != 0
    }
}

impl Stored for U32 {
    type Value = u32;

    fn value(&self) -> u32 {
        self.get()
    }
}

impl Stored for I32 {
    type Value = i32;

    fn value(&self) -> i32 {
        self.get()
    }
}

impl Stored for F32 {
    type Value = f32;

    fn value(&self) -> f32 {
        self.get()
    }

    fn is_finite(&self) -> bool {
        self.get().is_finite()
    }
}

impl<const N: usize> Stored for [F32; N] {
    type Value = [f32; N];

    fn value(&self) -> [f32; N] {
        self.map(F32::get)
    }

    fn is_finite(&self) -> bool {
        self.iter().all(Stored::is_finite)
    }
}

/// The type of a value in its mini-chunk.
macro_rules! stored {
    (Bool) => {
        u8
    };
    (U32) => {
        U32
    };
    (I32) => {
        I32
    };
    (F32) => {
        F32
    };
    (Vec3) => {
        [F32; 3]
    };
    (Vec4) => {
        [F32; 4]
    };
}

/// Defines [`UsualProperties`].
macro_rules! usual_properties {
    ($($id:literal $name:ident: $kind:ident;)+) => {
        /// The mini-chunks of most real files.
        ///
        /// Reading them at once is an optimization: one by one, they take most of the parsing time.
        #[derive(FromBytes, KnownLayout, Immutable, Unaligned)]
        #[repr(C)]
        struct UsualProperties {
            $($name: Mini<stored!($kind)>,)+
        }

        impl UsualProperties {
            /// `None` if the mini-chunks differ or need an error: then [`Parser::properties`] reads them.
            fn properties(&self, index: u32) -> Option<Properties> {
                let is_usual = $(self.$name.is($id) & self.$name.value.is_finite())&+;
                is_usual.then(|| Properties {
                    $($name: self.$name.value.value(),)+
                    ..Properties::of_index(index)
                })
            }
        }
    };
}

usual_order!(usual_properties);

/// Reads properties that have the mini-chunks of most real files in their order. `None` for others.
fn usual_properties(chunk: &Chunk<'_>, index: u32) -> Option<Properties> {
    let mut body = chunk.body.clone();
    let usual: &UsualProperties = body.record("").ok()?;
    usual.properties(index).filter(|_| body.remaining() == 0)
}

/// A value that is not used as stored.
struct Flaw {
    /// The type of the mini-chunk.
    id: u8,
    /// The kind of the warning.
    kind: &'static str,
    value: f64,
    effect: Cow<'static, str>,
}

impl Flaw {
    fn new(
        id: u8,
        kind: &'static str,
        value: impl Into<f64>,
        effect: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            id,
            kind,
            value: value.into(),
            effect: effect.into(),
        }
    }
}

fn flaws(properties: &Properties) -> impl Iterator<Item = Flaw> {
    let Properties {
        blend_mode,
        ground,
        emit_mode,
        lifetime,
        bursts,
        weather_cube_size,
        texture_elements,
        ..
    } = *properties;
    let share = |id, kind, value: f32| {
        let effect = "it is clamped to the range from 0 to 1";
        (!(0.0..=1.0).contains(&value)).then(|| Flaw::new(id, kind, value, effect))
    };
    let time = |id, kind, value: f32, effect: &'static str| {
        (value < 0.0).then(|| Flaw::new(id, kind, value, effect))
    };
    let is_empty = properties.weather && weather_cube_size <= 0.0;
    let side = properties.tiles_per_side();
    [
        (blend_mode >= BLEND_MODES).then(|| {
            let effect = format!("{} is used", properties.effective_blend_mode());
            Flaw::new(0x04, "blend mode", blend_mode, effect)
        }),
        (ground > 3).then(|| Flaw::new(0x2F, "ground", ground, "the ground has no effect")),
        (emit_mode > 3).then(|| Flaw::new(0x34, "emit mode", emit_mode, "it is ignored")),
        (lifetime <= 0.0).then(|| Flaw::new(0x0F, "lifetime", lifetime, "no particle is visible")),
        share(0x12, "random scale", properties.random_scale),
        share(0x13, "random lifetime", properties.random_lifetime),
        time(0x24, "initial delay", properties.initial_delay, "0 is used"),
        time(0x25, "burst delay", properties.burst_delay, "0.01 is used"),
        time(0x33, "skip time", properties.skip_time, "0 is used"),
        time(0x32, "freeze time", properties.freeze_time, "0 is used"),
        (bursts < -1).then(|| Flaw::new(0x27, "bursts", bursts, "bursts are endless")),
        is_empty.then(|| {
            Flaw::new(
                0x3E,
                "weather cube",
                weather_cube_size,
                "nothing is emitted",
            )
        }),
        (side * side != texture_elements).then(|| {
            let effect = format!("{side} × {side} tiles are used");
            Flaw::new(0x10, "tiles", texture_elements, effect)
        }),
        budget(properties),
    ]
    .into_iter()
    .flatten()
}

/// Whether more particles live at once than the evaluation allows.
fn budget(properties: &Properties) -> Option<Flaw> {
    let schedule = Schedule::new(properties);
    let alive = schedule.max_alive();
    let (id, count) = if properties.in_bursts && !properties.weather {
        (0x26, properties.particles_per_burst)
    } else {
        (0x2A, properties.particles_per_second)
    };
    (alive > MAX_ALIVE).then(|| {
        let effect = match schedule.lives_forever() {
            true => format!("particles live for ever, births beyond {MAX_ALIVE} are dropped"),
            false => {
                format!(
                    "{alive} particles would live at once, births beyond {MAX_ALIVE} are dropped"
                )
            }
        };
        Flaw::new(id, "budget", count, effect)
    })
}

/// The file offset of a property's value; that of the chunk if the property is absent.
fn value_offset(chunk: &Chunk<'_>, id: u8) -> u64 {
    let minis = chunk.minis().map_while(Result::ok);
    let last = minis.filter(|mini| mini.id == id).last();
    last.map_or(chunk.offset, |mini| mini.body.offset())
}
