//! Emitters made of plug-ins, in the form in which they are evaluated: an emitter of the first format with what plug-ins do
//! the same, and [`PluginValues`] with the rest.

mod birth;
mod creators;
mod distribution;
pub(super) mod forces;
mod modifiers;
mod texture;
pub(super) mod values;

use super::emitter::PreparedEmitter;
use super::schedule::{Interval, Rounds, Schedule};
use crate::particles::file::{Emitter, Parent, SpawnEvent};
use crate::particles::plugins::{DrawStyle, PluginEmitter, PluginFile, Spawner, spawners};
use creators::Creator;
use values::{PluginValues, Region};

impl PluginFile<'_> {
    /// Each emitter as the one of the first format that is most similar, for what draws that format: textures, blend mode,
    /// renderer, tracks, and shapes that contain those of the file. [`Emitter::parent`] is set, but not the links of parents,
    /// which may spawn several emitters.
    pub fn to_emitters(&self) -> Vec<Emitter<'static>> {
        let emitters = self.prepared_emitters().into_iter();
        emitters.map(|(emitter, ..)| emitter).collect()
    }

    /// The emitters of the first format and in the form in which they are evaluated.
    pub(super) fn prepared_emitters(&self) -> Vec<(Emitter<'static>, PreparedEmitter)> {
        let spawners = spawners(&self.emitters);
        let emitters = (0..).zip(self.emitters.iter().zip(spawners));
        let prepared =
            emitters.map(|(index, (emitter, spawner))| prepared(index, emitter, spawner));
        prepared.collect()
    }
}

impl PluginEmitter<'_> {
    /// Whether particles spawn emitters when they die. Source: alo-viewer, which asks for one flag, whatever the cause.
    pub(super) fn spawns_on_death(&self) -> bool {
        self.killer.flag("spawn_on_age")
    }
}

fn prepared(
    index: u32,
    file: &PluginEmitter<'_>,
    spawner: Spawner,
) -> (Emitter<'static>, PreparedEmitter) {
    let mut emitter = Emitter::new(&*file.name);
    emitter.properties.index = index;
    emitter.properties.texture_elements = 1;
    emitter.parent = match spawner {
        Spawner::Emitter(emitter, event) => Some(Parent { emitter, event }),
        Spawner::None => None,
        // Nothing spawns it.
        Spawner::Missing => Some(Parent {
            emitter: u32::MAX,
            event: SpawnEvent::Life,
        }),
    };
    emitter.properties.link_to_system = file.translator.name() == "emitter";
    let (creator, rounds) = creators::apply(&file.creator, &mut emitter);
    let modified = modifiers::apply(&file.modifiers, &mut emitter);
    let region = set_life(file, &mut emitter);
    set_drawing(file, &mut emitter);
    set_similar_values(&creator, &rounds, &mut emitter);
    let values = PluginValues {
        creator,
        modified,
        region,
        aspect: match file.drawing().map(|drawing| drawing.style) {
            Some(DrawStyle::VelocityAligned { aspect, .. }) => aspect,
            _ => [1.0; 2],
        },
    };
    let mut prepared = PreparedEmitter::new(&emitter);
    prepared.schedule = Schedule::of_rounds(&emitter.properties, rounds);
    (emitter, prepared.with_plugins(values))
}

/// Sets values that are only similar. Births do not use them.
fn set_similar_values(creator: &Creator, rounds: &Rounds, emitter: &mut Emitter<'_>) {
    emitter.position = creator.position.shape().into();
    emitter.velocity = creator.velocity.shape().into();
    let properties = &mut emitter.properties;
    let [slow, fast] = creator.outward_speed;
    properties.outward_speed = if slow.abs() > fast.abs() { slow } else { fast };
    let [share, _] = creator.inherited_velocity;
    (properties.uses_emitter_speed, properties.emitter_speed) = (share != 0.0, share);
    properties.particles_per_burst = rounds.per_round;
    // The conversions saturate.
    match rounds.interval {
        Interval::Once => (properties.in_bursts, properties.bursts) = (true, 1),
        Interval::Rate(rate) => properties.particles_per_second = rate.round().max(1.0) as u32,
        Interval::Seconds(seconds) => {
            properties.in_bursts = true;
            properties.burst_delay = seconds as f32;
            let bursts = rounds.stop.map(|stop| (stop / seconds).ceil() as i32);
            properties.bursts = bursts.map_or(0, |bursts| bursts.max(1));
        }
    }
}

/// The killer: a life is between L and L · (1 + v), with the variation as a percentage.
fn set_life(file: &PluginEmitter<'_>, emitter: &mut Emitter<'_>) -> Region {
    let killer = &file.killer;
    let properties = &mut emitter.properties;
    let variation = (killer.number("lifetime_variation") / 100.0).max(0.0);
    let longest = killer.number("lifetime").max(0.0) * (1.0 + variation);
    properties.lifetime = longest.min(f32::MAX);
    // The first format draws between 1 − r and 1.
    properties.random_lifetime = 1.0 - 1.0 / (1.0 + variation);
    match killer.name() {
        "radius" => Region::Inside(killer.number("radius")),
        "target" => Region::Outside(killer.number("radius")),
        "terrain_killer" => {
            properties.ground = 1;
            Region::All
        }
        _ => Region::All,
    }
}

fn set_drawing(file: &PluginEmitter<'_>, emitter: &mut Emitter<'_>) {
    let properties = &mut emitter.properties;
    emitter.color_texture = "".into();
    emitter.secondary_texture = None;
    let Some(drawing) = file.drawing() else {
        return;
    };
    emitter.color_texture = drawing.texture.to_owned().into();
    // Most particles are drawn by their alpha.
    properties.blend_mode = drawing.blend_mode.unwrap_or(2);
    properties.no_depth_test = drawing.disable_depth_test;
    match drawing.style {
        DrawStyle::Billboard | DrawStyle::VelocityAligned { .. } => {}
        DrawStyle::XyAligned { .. } => properties.flat = true,
        DrawStyle::HeatSaturation { .. } => properties.heat = true,
        DrawStyle::Kite { tail_size, .. } => {
            (properties.has_tail, properties.tail_size) = (true, tail_size);
        }
    }
}
