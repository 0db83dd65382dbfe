//! The contents of a particle system made of plug-ins: plain values.

use super::table::{Parameter, PluginKind};
use super::value::Value;
use crate::read::Warning;
use std::borrow::Cow;

/// A parsed particle system made of plug-ins.
///
/// Right-handed, Z is up. The unit of length is the game's, times are in seconds.
#[derive(Clone, Debug, Default)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct PluginFile<'a> {
    /// The name; empty if the file has none.
    pub name: Cow<'a, str>,
    /// The bytes of chunk 1, without known meaning.
    #[cfg_attr(feature = "serde", serde(default))]
    pub unknown_1: Option<Cow<'a, [u8]>>,
    /// The bytes of chunk 2, without known meaning.
    #[cfg_attr(feature = "serde", serde(default))]
    pub unknown_2: Option<Cow<'a, [u8]>>,
    /// The emitters, in file order.
    pub emitters: Vec<PluginEmitter<'a>>,
    /// A light that moves with the system.
    #[cfg_attr(feature = "serde", serde(default))]
    pub light_field: Option<LightField>,
    /// Harmless flaws of the file, and plug-ins that [`evaluate`](crate::particles::evaluate) does not know fully.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub warnings: Vec<Warning>,
}

/// An emitter: creates particles of one kind.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(deny_unknown_fields)
)]
pub struct PluginEmitter<'a> {
    /// The name, by which other emitters refer to it; empty if the file has none.
    pub name: Cow<'a, str>,
    /// Creates particles: when, where, and how fast.
    pub creator: Plugin<'a>,
    /// Decides whether particles move with the emitter.
    pub translator: Plugin<'a>,
    /// Decides when particles die.
    pub killer: Plugin<'a>,
    /// Decides how particles are drawn.
    pub renderer: Plugin<'a>,
    /// Change particles during their life, in this order. A later one overwrites what an earlier one has set.
    pub modifiers: Vec<Plugin<'a>>,
}

/// A plug-in with its parameters. Serialized by their names in the table of [plug-ins](super::PLUGINS).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(
        try_from = "super::serialize::NamedPlugin<'_>",
        into = "super::serialize::NamedPlugin<'a>"
    )
)]
pub struct Plugin<'a> {
    /// Identifies the [`PluginKind`]. An unknown plug-in has no parameters.
    pub id: u32,
    /// Identifier and value of each parameter of the file, in file order.
    pub parameters: Vec<(u32, Value<'a>)>,
}

/// A light that moves with a particle system, as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Deserialize, serde::Serialize),
    serde(default, deny_unknown_fields)
)]
pub struct LightField {
    /// Position in the system's space.
    pub position: [f32; 3],
    /// Extent of the light.
    pub width: f32,
    /// Extent of the light.
    pub length: f32,
    /// Extent of the light.
    pub height: f32,
    /// Red, green and blue, from 0 to 1.
    pub diffuse: [f32; 3],
    /// Factor of the color.
    pub intensity: f32,
    /// Whether the intensity of all lights of the game counts.
    pub affected_by_global_intensity: bool,
    /// Amount of the noise of the intensity.
    pub intensity_noise_scale: f32,
    /// Speed of the noise of the intensity.
    pub intensity_noise_time_scale: f32,
    /// Whether the light fades by time. Otherwise by the count of particles.
    pub fades_by_time: bool,
    /// Seconds until the light begins to fade.
    pub auto_destruct_time: f32,
    /// Duration of that in seconds.
    pub auto_destruct_fade_time: f32,
    /// The count of particles at which the light is full.
    pub particles: u32,
}

impl PluginFile<'_> {
    /// The same without borrowed texts.
    pub fn into_owned(self) -> PluginFile<'static> {
        let bytes = |bytes: Cow<'_, [u8]>| Cow::Owned(bytes.into_owned());
        let emitters = self.emitters.into_iter();
        PluginFile {
            name: self.name.into_owned().into(),
            unknown_1: self.unknown_1.map(bytes),
            unknown_2: self.unknown_2.map(bytes),
            emitters: emitters.map(PluginEmitter::into_owned).collect(),
            light_field: self.light_field,
            warnings: self.warnings,
        }
    }
}

impl PluginEmitter<'_> {
    fn into_owned(self) -> PluginEmitter<'static> {
        let modifiers = self.modifiers.into_iter();
        PluginEmitter {
            name: self.name.into_owned().into(),
            creator: self.creator.into_owned(),
            translator: self.translator.into_owned(),
            killer: self.killer.into_owned(),
            renderer: self.renderer.into_owned(),
            modifiers: modifiers.map(Plugin::into_owned).collect(),
        }
    }
}

impl Plugin<'_> {
    fn into_owned(self) -> Plugin<'static> {
        let parameters = self.parameters.into_iter();
        Plugin {
            id: self.id,
            parameters: parameters
                .map(|(id, value)| (id, value.into_owned()))
                .collect(),
        }
    }
}

impl<'a> Plugin<'a> {
    /// A plug-in without parameters.
    pub fn new(id: u32) -> Self {
        Self {
            id,
            parameters: Vec::new(),
        }
    }

    /// The entry in the table of plug-ins; `None` if the plug-in is unknown.
    pub fn kind(&self) -> Option<&'static PluginKind> {
        PluginKind::of_id(self.id)
    }

    /// The name in the table of plug-ins; empty if the plug-in is unknown.
    pub fn name(&self) -> &'static str {
        self.kind().map_or("", |kind| kind.name)
    }

    /// The value of a parameter by its name in the table. `None` if the file has none, or if there is no such parameter.
    pub fn get(&self, name: &str) -> Option<&Value<'a>> {
        let parameter = self.kind()?.parameters().find(|it| it.name == name)?;
        self.value(parameter.id)
    }

    /// The value of a parameter by its identifier.
    pub fn value(&self, id: u32) -> Option<&Value<'a>> {
        let found = self.parameters.iter().find(|(other, _)| *other == id);
        found.map(|(_, value)| value)
    }

    /// Sets the value of a parameter by its name in the table. Returns false, without any effect, if there is no parameter
    /// with this name and type.
    pub fn set(&mut self, name: &str, value: Value<'a>) -> bool {
        let is_same = |it: &&Parameter| it.name == name && it.kind == value.kind();
        let Some(parameter) = self.kind().and_then(|kind| kind.parameters().find(is_same)) else {
            return false;
        };
        self.put(parameter.id, value);
        true
    }

    /// Sets the value of a parameter by its identifier.
    pub(super) fn put(&mut self, id: u32, value: Value<'a>) {
        match self.parameters.iter_mut().find(|(other, _)| *other == id) {
            Some((_, slot)) => *slot = value,
            None => self.parameters.push((id, value)),
        }
    }
}
