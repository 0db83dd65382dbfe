//! How the particles of an emitter are drawn: the renderers that GlyphXTools' alo-viewer draws.

use super::file::{Plugin, PluginEmitter};

/// How the particles of an emitter are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drawing<'a> {
    /// How a quad is placed.
    pub style: DrawStyle,
    /// The texture of colors, as stored.
    pub texture: &'a str,
    /// The shader's file, as stored.
    pub shader: &'a str,
    /// The blend mode of the first format that has the same shader; `None` if there is none.
    pub blend_mode: Option<u32>,
    /// Whether particles are drawn in front of everything.
    pub disable_depth_test: bool,
    /// Whether particles are drawn from back to front.
    pub sort: bool,
}

/// How the quad of a particle is placed. Without other words, its angle turns it in its plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DrawStyle {
    /// Parallel to the screen.
    Billboard,
    /// In the plane of X and Y: of the world, or of the emitter if it is local.
    XyAligned {
        /// Whether the plane turns with the emitter.
        local_space: bool,
    },
    /// Its vertical axis is along the velocity, and it turns around that towards the camera. The angle has no effect.
    VelocityAligned {
        /// What of the quad is at the particle.
        anchor: Anchor,
        /// The quad's turn in its plane, in quarter turns clockwise.
        quarter_turns: i32,
        /// Range of its width divided by its height, before it is turned.
        aspect: [f32; 2],
    },
    /// A billboard that distorts the picture behind it.
    HeatSaturation {
        /// Distance from the camera beyond which there is no effect.
        distance_cutoff: f32,
        /// Amount of the distortion.
        distortion: f32,
        /// Amount of the saturation.
        saturation: f32,
    },
    /// As aligned to the velocity, of half the size, with a corner that is drawn out against it. The angle has no effect.
    Kite {
        /// The quad's turn in its plane, in quarter turns clockwise.
        quarter_turns: i32,
        /// Added to the edges of the corner that is drawn out, for any size of the particle.
        tail_size: f32,
        /// Range of speeds of the tail. No known reader uses it.
        tail_speed: [f32; 2],
    },
}

/// What of a quad is at its particle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// The center.
    Center,
    /// The middle of the lower edge.
    Bottom,
    /// The middle of the upper edge.
    Top,
}

/// The shader of each blend mode of the first format.
const SHADERS: [&str; 14] = [
    "PrimOpaque",
    "PrimAdditive",
    "PrimAlpha",
    "PrimModulate",
    "PrimDepthSpriteAdditive",
    "PrimDepthSpriteAlpha",
    "PrimDepthSpriteModulate",
    "PrimDiffuseAlpha",
    "StencilDarken",
    "StencilDarkenFinalBlur",
    "PrimHeat",
    "PrimParticleBumpAlpha",
    "PrimDecalBumpAlpha",
    "PrimAlphaScanlines",
];

fn blend_mode(shader: &str) -> Option<u32> {
    let name = crate::particles::file_name(shader);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut shaders = (0..).zip(SHADERS);
    let found = shaders.find(|(_, shader)| shader.eq_ignore_ascii_case(stem));
    found.map(|(mode, _)| mode)
}

impl PluginEmitter<'_> {
    /// How particles are drawn; `None` for a renderer that is unknown or not drawn.
    pub fn drawing(&self) -> Option<Drawing<'_>> {
        let renderer = &self.renderer;
        let style = style(renderer)?;
        let shader = renderer.text("shader");
        Some(Drawing {
            style,
            texture: renderer.text("texture"),
            shader,
            blend_mode: blend_mode(shader),
            disable_depth_test: renderer.flag("disable_depth_test"),
            sort: renderer.flag("sort"),
        })
    }
}

fn style(renderer: &Plugin<'_>) -> Option<DrawStyle> {
    let quarter_turns = renderer.integer("rotation");
    Some(match renderer.name() {
        "billboard" => DrawStyle::Billboard,
        "xy_aligned" => DrawStyle::XyAligned {
            local_space: renderer.flag("local_space"),
        },
        "velocity_aligned" => DrawStyle::VelocityAligned {
            anchor: match renderer.integer("anchor") {
                1 => Anchor::Bottom,
                2 => Anchor::Top,
                _ => Anchor::Center,
            },
            quarter_turns,
            aspect: renderer.range("min_aspect", "max_aspect"),
        },
        "heat_saturation" => DrawStyle::HeatSaturation {
            distance_cutoff: renderer.number("distance_cutoff"),
            distortion: renderer.number("distortion"),
            saturation: renderer.number("saturation"),
        },
        "kites" => DrawStyle::Kite {
            quarter_turns,
            tail_size: renderer.number("tail_size"),
            tail_speed: ["min_tail_speed", "max_tail_speed"].map(|name| renderer.number(name)),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shaders_have_the_blend_mode_of_their_file_name() {
        assert_eq!(blend_mode("Engine/PrimAdditive.fx"), Some(1));
        assert_eq!(blend_mode("PARTICLE\\PRIMALPHA"), Some(2));
        assert_eq!(blend_mode("PrimAlphaScanlines.fx"), Some(13));
        assert_eq!(blend_mode("MyShader.fx"), None);
    }
}
