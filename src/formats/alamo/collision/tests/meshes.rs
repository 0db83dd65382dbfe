//! The meshes that tests use.

use crate::formats::alamo::collision::tests::{Random, Sample};
use bevy::math::Vec3;
use core::f32::consts::{PI, TAU};

/// A closed bumpy sphere whose triangles share vertices.
pub fn ball(segments: u16, rings: u16) -> Sample {
    let mut positions = vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    for ring in 1..rings {
        let down = PI * f32::from(ring) / f32::from(rings);
        for segment in 0..segments {
            let around = TAU * f32::from(segment) / f32::from(segments);
            let size = 1.0 + 0.2 * (5.0 * around).sin() * (4.0 * down).sin();
            let [x, y] = [around.cos(), around.sin()].map(|at| at * down.sin() * size);
            positions.push([x, y, down.cos() * size]);
        }
    }
    let at = |ring: u16, segment: u16| match ring {
        0 => 0,
        ring if ring == rings => 1,
        ring => 2 + (ring - 1) * segments + segment % segments,
    };
    let mut indices = Vec::new();
    for ring in 0..rings {
        for segment in 0..segments {
            let [a, b] = [at(ring, segment), at(ring, segment + 1)];
            let [c, d] = [at(ring + 1, segment), at(ring + 1, segment + 1)];
            if a != b {
                indices.extend([a, c, b]);
            }
            if c != d {
                indices.extend([b, c, d]);
            }
        }
    }
    Sample::from_indexed(positions, indices, 4)
}

/// The cube from -1 to 1.
pub fn cube() -> Sample {
    let corner = |bits: u16| [0, 1, 2].map(|axis| if bits >> axis & 1 == 1 { 1.0 } else { -1.0 });
    #[rustfmt::skip]
    let indices = vec![
        0, 2, 1, 1, 2, 3, 4, 5, 6, 6, 5, 7, 0, 1, 4, 4, 1, 5,
        2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 5, 3, 7,
    ];
    Sample::from_indexed((0..8).map(corner).collect(), indices, 2)
}

fn triangles(
    count: usize,
    random: &mut Random,
    triangle: fn(&mut Random) -> [Vec3; 3],
) -> Vec<[Vec3; 3]> {
    (0..count).map(|_| triangle(random)).collect()
}

/// A triangle of this size at a random position.
fn small(random: &mut Random, size: f32) -> [Vec3; 3] {
    let center = random.point();
    [(); 3].map(|()| center + random.point() * size)
}

/// A random triangle of any size.
fn any_size(random: &mut Random) -> [Vec3; 3] {
    let size = random.number().abs().powi(3);
    small(random, size)
}

/// Difficult triangles: flat, coplanar, overlapping, without area, thin, and far from the origin.
type Kind = (&'static str, usize, fn(&mut Random) -> [Vec3; 3]);
const ADVERSARIAL: [Kind; 9] = [
    ("one plane", 100, |random| {
        small(random, 0.2).map(|at| at.with_z(0.25))
    }),
    ("identical triangles", 64, |_| [Vec3::X, Vec3::Y, Vec3::Z]),
    ("one tilted plane", 100, |random| {
        small(random, 0.2).map(|at| at.with_z(0.5 * at.x + 0.25 * at.y))
    }),
    ("needles", 200, |random| {
        let (a, b) = (random.point(), random.point());
        [a, b, b + random.point() * 1e-4]
    }),
    ("some without area", 100, |random| {
        let (a, b) = (random.point(), random.point());
        [[a, a, a], [a, b, a], [a, b, random.point()]][random.below(3)]
    }),
    ("no area at all", 20, |random| [random.point(); 3]),
    ("far from the origin", 300, |random| {
        small(random, 0.2).map(|at| Vec3::new(1000.0, -2000.0, 500.0) + at)
    }),
    ("rod", 300, |random| {
        small(random, 0.05).map(|at| at * Vec3::new(100.0, 0.1, 0.2))
    }),
    ("integer grid", 300, |random| {
        [(); 3].map(|()| Vec3::from_array([(); 3].map(|()| random.below(4) as f32)))
    }),
];

pub fn adversarial() -> Vec<(&'static str, Sample)> {
    let mut random = Random(7);
    let sample = |(name, count, kind)| (name, Sample::new(&triangles(count, &mut random, kind), 4));
    ADVERSARIAL.map(sample).into()
}

/// All meshes that have a name.
pub fn all() -> Vec<(&'static str, Sample)> {
    let soup = |count, seed| Sample::new(&triangles(count, &mut Random(seed), any_size), 3);
    let mut all = adversarial();
    all.extend([
        ("cube", cube()),
        ("ball", ball(14, 8)),
        ("larger ball", ball(50, 30)),
        ("soup", soup(500, 1)),
        ("one triangle", soup(1, 2)),
        ("five triangles", soup(5, 3)),
    ]);
    all
}

/// A random mesh of up to 60 triangles in a tree with leaves of up to 8.
pub fn random_mesh(random: &mut Random) -> Sample {
    let count = 1 + random.below(60);
    let (mut positions, indices) = match random.below(7) {
        0 => unconnected(count, || [(); 3].map(|()| random.point())),
        1 => field(1 + random.below(5), random),
        2 => integer_grid(count, random),
        3 => flat(count, random),
        4 => unconnected(count, || {
            let (a, b) = (random.point(), random.point());
            let thin = 10_f32.powi(-(random.below(7) as i32));
            [a, b, a.lerp(b, random.number()) + random.point() * thin]
        }),
        5 => double_pyramid(random),
        _ => unconnected(count, || {
            let size = 10_f32.powi(-(random.below(7) as i32));
            small(random, size)
        }),
    };
    let offset = match random.below(4) {
        0 => random.point() * 1000.0,
        _ => Vec3::ZERO,
    };
    let stretch = match random.below(4) {
        0 => random.point() * Vec3::new(1.0, 1.0, 1e-3),
        _ => Vec3::ONE,
    };
    let scale = match random.below(3) {
        0 => 2_f32.powi(random.below(200) as i32 - 100) * (1.5 + 0.5 * random.number()),
        _ => 1.0,
    };
    for position in &mut positions {
        *position = (*position * stretch + offset) * scale;
    }
    let positions = positions.iter().map(Vec3::to_array).collect();
    let mut sample = Sample::from_indexed(positions, indices, 1 + random.below(8));
    // Some trees have nodes that overlap completely.
    if random.below(8) == 0 {
        for at in 1..sample.map.len() {
            sample.map.swap(at, random.below(at + 1));
        }
    }
    sample
}

type Triangles = (Vec<Vec3>, Vec<u16>);

/// Triangles without shared vertices.
fn unconnected(count: usize, mut triangle: impl FnMut() -> [Vec3; 3]) -> Triangles {
    let triangles: Vec<[Vec3; 3]> = (0..count).map(|_| triangle()).collect();
    (triangles.concat(), (0..3 * count as u16).collect())
}

/// A height field of squares, each of two triangles.
fn field(side: usize, random: &mut Random) -> Triangles {
    let corner = |at: usize| Vec3::new((at % (side + 1)) as f32, (at / (side + 1)) as f32, 0.0);
    let corners = (0..(side + 1) * (side + 1)).map(corner);
    let height = random.number();
    let positions = corners.map(|corner| corner.with_z(random.number() * height));
    let squares = (0..side * side).flat_map(|square| {
        let a = (square / side * (side + 1) + square % side) as u16;
        let c = a + side as u16 + 1;
        [a, a + 1, c, c, a + 1, c + 1]
    });
    (positions.collect(), squares.collect())
}

/// Triangles between points of integer coordinates: coplanar, overlapping, without area.
fn integer_grid(count: usize, random: &mut Random) -> Triangles {
    let positions = (0..27).map(|at| [at % 3, at / 3 % 3, at / 9].map(|at| at as f32));
    let indices = (0..3 * count).map(|_| random.below(27) as u16);
    (positions.map(Vec3::from).collect(), indices.collect())
}

/// Triangles in one plane.
fn flat(count: usize, random: &mut Random) -> Triangles {
    let slope = match random.below(2) {
        0 => Vec3::ZERO,
        _ => random.point(),
    };
    let turn = random.below(3);
    unconnected(count, || {
        [(); 3].map(|()| {
            let at = random.point();
            let [x, y, z] = at.with_z(slope.dot(at.with_z(0.0))).to_array();
            [[x, y, z], [y, z, x], [z, x, y]][turn].into()
        })
    })
}

fn double_pyramid(random: &mut Random) -> Triangles {
    let sides = 3 + random.below(20) as u16;
    let corner = |side: u16| {
        let angle = TAU * f32::from(side) / f32::from(sides);
        Vec3::new(angle.cos(), angle.sin(), 0.0)
    };
    let mut positions: Vec<Vec3> = (0..sides).map(corner).collect();
    positions.extend([Vec3::Z, Vec3::NEG_Z]);
    let indices = (0..sides).flat_map(|side| {
        let next = (side + 1) % sides;
        [side, next, sides, next, side, sides + 1]
    });
    (positions, indices.collect())
}
