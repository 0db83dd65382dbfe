//! Repeating and transparent textures, and the cube map of the sky.

use crate::alamo::image::{Image, channel};
use crate::math::{hash, mix, noise, sin, smooth};
use bevy::prelude::*;

fn texel(color: Vec3, alpha: f32) -> [u8; 4] {
    [color.x, color.y, color.z, alpha].map(channel)
}

/// The position of a texel's center in its image, 0 to 1 from the upper left.
fn texel_uv(at: UVec2, size: UVec2) -> Vec2 {
    (at.as_vec2() + 0.5) / size.as_vec2()
}

/// A tire from shoulder to shoulder across the tread; the image covers an eighth of the
/// circumference.
pub fn tire() -> Image {
    let size = UVec2::new(32, 64);
    Image::new(size, |at| {
        let uv = texel_uv(at, size);
        let out = (uv.y - 0.5).abs();
        let grain = hash(at.x as i32, at.y as i32, 5) * 0.05;
        let mut level = 0.15 + grain;
        if out < 0.24 {
            // Tread blocks with a direction.
            let slant = (uv.x * 2.0 + out * 2.6).fract();
            let groove = smooth((0.16 - slant.min(1.0 - slant)) * 12.0);
            let middle = smooth((0.022 - (out - 0.09).abs()) * 90.0);
            level *= 1.0 - 0.7 * groove.max(middle);
            level += 0.08 * (1.0 - groove) * (1.0 - middle);
        } else {
            level += 0.05 * smooth((out - 0.33) * 20.0) + 0.03 * sin(uv.x * 2.0).abs();
        }
        let dust = smooth((out - 0.2) * 5.0) * 0.35 + 0.12;
        texel(
            Vec3::splat(level).lerp(Vec3::new(0.36, 0.3, 0.23), dust),
            1.0,
        )
    })
}

/// Four planks of a crate, with nails at their ends.
pub fn planks() -> Image {
    let size = UVec2::splat(64);
    Image::new(size, |at| {
        let uv = texel_uv(at, size);
        let plank = (uv.y * 4.0).floor();
        let inside = (uv.y * 4.0).fract();
        let seed = plank as i32;
        let bend = 0.06 * sin(uv.x + hash(seed, 2, 2));
        let grain = noise(Vec3::new(
            1.0 + 1.2 * sin(uv.x),
            (inside + bend) * 7.0,
            plank * 9.0,
        ));
        let fine = hash(at.x as i32 / 5, at.y as i32, 9);
        let mut color = Vec3::new(0.56, 0.42, 0.26) * mix(0.8, 1.08, hash(seed, 5, 1));
        color *= mix(0.72, 1.12, grain * 0.7 + fine * 0.3);
        let joint = (uv.x + 0.5 * (plank % 2.0) * 0.5).fract();
        let nail = Vec2::new(
            (joint.min(1.0 - joint) - 0.05) * 4.0,
            (inside - 0.5).abs() - 0.25,
        );
        if nail.length() < 0.09 {
            color = Vec3::splat(0.16);
        }
        let gap = smooth((0.1 - inside.min(1.0 - inside)) * 12.0);
        let end = smooth((0.02 - joint.min(1.0 - joint)) * 70.0);
        texel(color * (1.0 - 0.75 * gap.max(end)), 1.0)
    })
}

/// Two crossing families of lines, opaque on the lines.
fn lattice(size: UVec2, width: f32, color: impl Fn(Vec2, f32) -> Vec3) -> Image {
    Image::new(size, |at| {
        let position = texel_uv(at, size);
        let [a, b] = [position.x + position.y, position.x - position.y].map(|position| {
            let position = position * 2.0;
            (position - (position + 0.5).floor()).abs() * 2.0
        });
        let nearest = a.min(b);
        // The color extends into the gaps, so that filtering adds no dark rim.
        let alpha = smooth((width - nearest) / width * 1.5 + 0.25);
        texel(color(position, nearest / width), alpha)
    })
}

/// Wire with rust on it.
pub fn wire() -> Image {
    lattice(UVec2::splat(32), 0.26, |uv, out| {
        let rust = noise(Vec3::new(uv.x * 6.0, uv.y * 6.0, 2.0));
        let steel = Vec3::splat(0.6).lerp(Vec3::new(0.44, 0.25, 0.14), rust);
        steel * mix(1.15, 0.6, out.min(1.0))
    })
}

/// Rope, knotted to a net.
pub fn rope() -> Image {
    lattice(UVec2::splat(32), 0.24, |uv, out| {
        let twist = sin((uv.x + uv.y * 2.0) * 8.0) * 0.5 + 0.5;
        Vec3::new(0.68, 0.6, 0.42) * mix(1.1, 0.6, out.min(1.0)) * mix(0.8, 1.05, twist)
    })
}

/// Glass with dust outside the reach of the wipers; its alpha is its opacity. The left half is
/// cracked.
pub fn glass() -> Image {
    let size = UVec2::new(128, 64);
    Image::new(size, |at| {
        let both = texel_uv(at, size) * Vec2::new(2.0, 1.0);
        let uv = Vec2::new(both.x.fract(), both.y);
        let from_wiper = (uv - Vec2::new(0.3, 1.05)).length();
        let dirt = noise(Vec3::new(uv.x * 5.0, uv.y * 5.0, 4.0)) * 0.5
            + noise(Vec3::new(uv.x * 17.0, uv.y * 17.0, 4.0)) * 0.5;
        let dusty = smooth((from_wiper - 0.82) * 9.0).max(smooth((uv.y - 0.93) * 14.0));
        let dusty = dusty * mix(0.45, 1.0, dirt);
        let color = Vec3::new(0.34, 0.44, 0.45).lerp(Vec3::new(0.62, 0.55, 0.43), dusty);
        let cracked = if both.x < 1.0 { crack(uv) } else { 0.0 };
        let alpha = mix(mix(0.2, 0.62, dusty), 0.8, cracked);
        texel(color.lerp(Vec3::new(0.85, 0.9, 0.9), cracked), alpha)
    })
}

/// The intensity of the crack at texture coordinates of a pane; it spreads from a stone impact.
fn crack(uv: Vec2) -> f32 {
    let hit = uv - Vec2::new(0.66, 0.34);
    let rays = [
        (0.9, 0.43, 0.25),
        (-0.5, 0.86, 0.42),
        (-0.95, -0.3, 0.3),
        (0.35, -0.94, 0.2),
    ];
    let nearest = rays.iter().fold(f32::MAX, |nearest, (x, y, length)| {
        let ray = Vec2::new(*x, *y);
        let along = hit.dot(ray);
        let wobble = 0.016 * sin(along * 6.0);
        if (0.0..*length).contains(&along) {
            nearest.min((hit.perp_dot(ray) + wobble).abs())
        } else {
            nearest
        }
    });
    let web = ((hit.length() - 0.07).abs()).max(0.004);
    let lines = smooth((0.013 - nearest.min(web)) * 90.0);
    lines.max(smooth((0.03 - hit.length()) * 60.0)) * 0.85
}

/// A sphere map of headlight glass: the reflector, ribs, and the sky above.
pub fn lens() -> Image {
    let size = UVec2::splat(32);
    Image::new(size, |at| {
        let offset = texel_uv(at, size) * 2.0 - 1.0;
        let out = offset.length().min(1.0);
        let bowl = mix(0.95, 0.5, smooth(out * 1.2));
        let ribs = 1.0 - 0.12 * smooth(sin(offset.x * 3.0) * 3.0);
        let sky = smooth((-offset.y - 0.15) * 2.0) * 0.35;
        let bulb = smooth((0.24 - out) * 8.0);
        let color = Vec3::new(0.93, 0.92, 0.84) * bowl * ribs + Vec3::new(0.5, 0.7, 0.9) * sky;
        texel(color.lerp(Vec3::new(1.0, 0.95, 0.75), bulb), 1.0)
    })
}

/// The six sides of a cube map of the sky over the town. Its alpha is the reflectivity of varnish.
pub fn sky() -> [Image; 6] {
    let size = UVec2::splat(64);
    let side = |of: fn(f32, f32) -> Vec3| {
        Image::new(size, |at| {
            let offset = texel_uv(at, size) * 2.0 - 1.0;
            let (color, alpha) = sky_at(of(offset.x, offset.y).normalize());
            texel(color, alpha)
        })
    };
    [
        side(|u, v| Vec3::new(1.0, -v, -u)),
        side(|u, v| Vec3::new(-1.0, -v, u)),
        side(|u, v| Vec3::new(u, 1.0, v)),
        side(|u, v| Vec3::new(u, -1.0, -v)),
        side(|u, v| Vec3::new(u, -v, 1.0)),
        side(|u, v| Vec3::new(-u, -v, -1.0)),
    ]
}

/// The color and alpha of the sky in a direction, Y up: clouds, roofless houses along the horizon,
/// and the road.
fn sky_at(direction: Vec3) -> (Vec3, f32) {
    // House corners: the horizon is divided into blocks without computing an angle.
    let around = direction.x / (direction.x.abs() + direction.z.abs()).max(1e-3);
    let around = if direction.z < 0.0 {
        2.0 - around
    } else {
        around
    };
    let house = (around * 6.0).floor();
    let ragged = noise(Vec3::new(around * 23.0, 0.0, 1.0)) * 0.05;
    let roofs = 0.03 + 0.2 * hash(house as i32, 3, 8) + ragged;
    let flat = (direction.x * direction.x + direction.z * direction.z)
        .sqrt()
        .max(1e-3);
    let rise = direction.y / flat;
    if direction.y < 0.0 {
        let far = smooth(-direction.y * 2.2);
        let ground = Vec3::new(0.42, 0.36, 0.29).lerp(Vec3::new(0.15, 0.135, 0.12), far);
        let stains = noise(direction * 5.0);
        return (ground * mix(0.85, 1.1, stains), mix(0.14, 0.05, far));
    }
    if rise < roofs {
        let window = Vec2::new((around * 42.0).fract(), (rise * 22.0).fract()) - 0.5;
        let is_window = window.abs().max_element() < 0.24 && rise < roofs - 0.03;
        let wall = Vec3::new(0.3, 0.27, 0.25) * mix(0.8, 1.1, hash(house as i32, 1, 1));
        return (if is_window { wall * 0.4 } else { wall }, 0.12);
    }
    let high = smooth(direction.y * 1.25);
    let mut sky = Vec3::new(0.93, 0.84, 0.7).lerp(Vec3::new(0.36, 0.53, 0.7), high);
    let cloud = noise(direction * Vec3::new(3.0, 6.0, 3.0)) * 0.6 + noise(direction * 9.0) * 0.4;
    let cloud = smooth((cloud - 0.48) * 4.0);
    sky = sky.lerp(Vec3::new(0.97, 0.95, 0.91), cloud * 0.75);
    let sun = direction.dot(Vec3::new(0.37, 0.74, 0.56));
    let glare = smooth((sun - 0.93) * 20.0);
    let halo = smooth((sun - 0.7) * 3.3);
    sky = sky.lerp(Vec3::new(1.0, 0.97, 0.88), glare.max(halo * 0.5));
    let alpha = mix(0.3, 0.2, high) + 0.1 * cloud + 0.6 * glare + 0.12 * halo;
    (sky, alpha.min(0.95))
}
