//! The emitters of the [`AloParticles`](crate::alamo::AloParticles) asset, and how far from their particles they draw.

use crate::formats::alamo::particles::plugins::{Anchor, DrawStyle};
use crate::formats::alamo::particles::{Emitter, Track};
use bevy::prelude::*;
use core::f32::consts::SQRT_2;

/// An emitter of an [`AloParticles`](crate::alamo::AloParticles).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct AloEmitter {
    /// The emitter as stored in the file. For one made of plug-ins, the one of the other format that is most similar:
    /// [`to_emitters`](crate::alamo::particles::plugins::PluginFile::to_emitters).
    pub emitter: Emitter<'static>,
    /// The texture of colors. `None` if it was not found, or if textures are not loaded.
    pub texture: Option<Handle<Image>>,
    /// About how many particles live at once, at most
    /// [`MAX_ALIVE`](crate::alamo::particles::evaluate::MAX_ALIVE). It is the most that can live at once for emitters that
    /// no particle spawns. If an emitter emits from every vertex of a mesh (`emit_mode` 3), the mesh counts as one vertex.
    pub max_alive: u64,
    /// How quads are placed.
    pub(crate) style: Style,
    /// How far from their centers particles are drawn.
    pub(crate) reach: Reach,
}

/// How the quads of an emitter are placed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Style {
    /// As the properties say.
    Properties,
    /// As the renderer of an emitter made of plug-ins says.
    Renderer(DrawStyle),
    /// Nothing is known to draw it.
    NotDrawn,
}

/// The greatest value of a track, at least 0.
fn greatest(track: &Track) -> f32 {
    let values = track.keys.iter().map(|key| key.value.abs());
    values.fold(0.0, f32::max)
}

/// How far from its position a particle is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reach {
    /// Half of the greatest edge length.
    half: f32,
    /// The length of the tail, or the distance of a corner beyond that of a square, in half edge lengths; otherwise 0.
    tail: f32,
    /// Whether the tail grows with the speed.
    has_speed_tail: bool,
    /// What is added for any size, in units of the file.
    added: f32,
}

impl Reach {
    pub(crate) fn new(emitter: &Emitter<'_>, style: Style) -> Self {
        let properties = &emitter.properties;
        let plain = Self {
            half: 0.5 * greatest(&emitter.tracks.scale),
            tail: 0.0,
            has_speed_tail: false,
            added: 0.0,
        };
        match style {
            Style::Properties if properties.has_tail => Self {
                tail: properties.tail_size.abs(),
                has_speed_tail: properties.emitter_speed != 0.0,
                ..plain
            },
            Style::Renderer(DrawStyle::Kite { tail_size, .. }) => Self {
                added: 0.5 * SQRT_2 * tail_size.abs(),
                ..plain
            },
            Style::Renderer(DrawStyle::VelocityAligned { anchor, aspect, .. }) => {
                let shift = if anchor == Anchor::Center { 0.0 } else { 1.0 };
                let [a, b] = aspect.map(f32::abs);
                Self {
                    tail: shift + a.max(b).hypot(1.0),
                    ..plain
                }
            }
            Style::Properties | Style::Renderer(_) | Style::NotDrawn => plain,
        }
    }

    /// The farthest for a size factor, and this greatest speed in the file's units per second. `scale` is units of the
    /// record per unit of the file, by which the size factor is multiplied already.
    pub(crate) fn at(&self, speed: f32, size: f32, scale: f32) -> f32 {
        let tail = if self.has_speed_tail {
            self.tail * speed / 1000.0
        } else {
            self.tail
        };
        // `max` returns the other operand for NaN.
        self.half * tail.max(SQRT_2) * size.abs() + scale * self.added
    }
}
