//! The meshes that tests use.

use crate::formats::alamo::collision::tests::{Random, Sample};
use crate::formats::alamo::collision::tree::TreeLink;
use bevy::math::Vec3;

/// A closed bumpy sphere whose triangles share vertices.
pub fn ball(segments: u16, rings: u16) -> Sample {
    let mut positions = vec![[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    for ring in 1..rings {
        let down = core::f32::consts::PI * f32::from(ring) / f32::from(rings);
        for segment in 0..segments {
            let around = core::f32::consts::TAU * f32::from(segment) / f32::from(segments);
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
    let faces = [
        [0, 2, 1, 3],
        [4, 5, 6, 7],
        [0, 1, 4, 5],
        [2, 6, 3, 7],
        [0, 4, 2, 6],
        [1, 3, 5, 7],
    ];
    let indices = faces
        .iter()
        .flat_map(|[a, b, c, d]| [*a, *b, *c, *c, *b, *d])
        .collect();
    Sample::from_indexed((0..8).map(corner).collect(), indices, 2)
}

/// Random triangles of different sizes.
pub fn soup(count: usize, seed: u64) -> Sample {
    let mut random = Random(seed);
    let triangles: Vec<[Vec3; 3]> = (0..count)
        .map(|_| {
            let center = random.point();
            let size = random.number().abs().powi(3);
            [(); 3].map(|()| center + random.point() * size)
        })
        .collect();
    Sample::new(&triangles, 3)
}

type Generator = Box<dyn FnMut(&mut Random) -> [Vec3; 3]>;

/// Difficult meshes: flat, coplanar, overlapping, without area, thin, and far from the origin.
pub fn adversarial() -> Vec<(&'static str, Sample)> {
    let mut random = Random(7);
    let mut many = |count: usize, mut triangle: Generator| {
        let triangles: Vec<[Vec3; 3]> = (0..count).map(|_| triangle(&mut random)).collect();
        Sample::new(&triangles, 4)
    };
    let around = |random: &mut Random, center: Vec3, size: f32| {
        [(); 3].map(|()| center + random.point() * size)
    };
    vec![
        (
            "one plane",
            many(
                100,
                Box::new(move |random| {
                    let center = random.point();
                    around(random, center, 0.2).map(|corner| corner.with_z(0.25))
                }),
            ),
        ),
        (
            "identical triangles",
            many(64, Box::new(|_| [Vec3::X, Vec3::Y, Vec3::Z])),
        ),
        (
            "one tilted plane",
            many(
                100,
                Box::new(move |random| {
                    let center = random.point();
                    around(random, center, 0.2).map(|at| at.with_z(0.5 * at.x + 0.25 * at.y))
                }),
            ),
        ),
        (
            "needles",
            many(
                200,
                Box::new(|random| {
                    let (a, b) = (random.point(), random.point());
                    [a, b, b + random.point() * 1e-4]
                }),
            ),
        ),
        (
            "some without area",
            many(
                100,
                Box::new(|random| {
                    let (a, b) = (random.point(), random.point());
                    match random.below(3) {
                        0 => [a, a, a],
                        1 => [a, b, a],
                        _ => [a, b, random.point()],
                    }
                }),
            ),
        ),
        (
            "no area at all",
            many(
                20,
                Box::new(|random| {
                    let a = random.point();
                    [a, a, a]
                }),
            ),
        ),
        (
            "far from the origin",
            many(
                300,
                Box::new(move |random| {
                    let center = random.point();
                    around(random, center, 0.2).map(|at| Vec3::new(1000.0, -2000.0, 500.0) + at)
                }),
            ),
        ),
        (
            "rod",
            many(
                300,
                Box::new(move |random| {
                    let center = random.point();
                    around(random, center, 0.05).map(|at| at * Vec3::new(100.0, 0.1, 0.2))
                }),
            ),
        ),
        (
            "integer grid",
            many(
                300,
                Box::new(|random| {
                    [(); 3].map(|()| Vec3::from_array([(); 3].map(|()| random.below(4) as f32)))
                }),
            ),
        ),
    ]
}

/// All meshes.
pub fn all() -> Vec<(&'static str, Sample)> {
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

/// Trees exported from model files. The environment variable `COLLISION_TREES` is the path of the export;
/// without it there are none.
///
/// Per tree: counts of vertices, triangles, nodes and map entries as `u32`; positions as `f32`; then
/// indices, each node's triangle count and link, and the map as `u16`. All little endian.
pub fn exported() -> Vec<(String, Sample)> {
    let Some(path) = std::env::var_os("COLLISION_TREES") else {
        return Vec::new();
    };
    let bytes = std::fs::read(path).unwrap();
    let mut rest = &bytes[..];
    let mut take = |count: usize| rest.split_off(..count);
    let mut all = Vec::new();
    while let Some(counts) = take(16) {
        let counts: Vec<usize> = words(counts)
            .map(|bytes| u32::from_le_bytes(bytes) as usize)
            .collect();
        let positions: Vec<f32> = words(take(12 * counts[0]).unwrap())
            .map(f32::from_le_bytes)
            .collect();
        let mut shorts = |count: usize| -> Vec<u16> {
            words(take(2 * count).unwrap())
                .map(u16::from_le_bytes)
                .collect()
        };
        let indices = shorts(3 * counts[1]);
        let link = |[triangle_count, link]: &[u16; 2]| TreeLink {
            triangle_count: *triangle_count,
            link: *link,
        };
        let links = shorts(2 * counts[2])
            .as_chunks()
            .0
            .iter()
            .map(link)
            .collect();
        let name = format!("tree {} of {} triangles", all.len(), counts[1]);
        let map = shorts(counts[3]);
        let positions = positions.as_chunks().0.to_vec();
        all.push((
            name,
            Sample {
                links,
                map,
                positions,
                indices,
            },
        ));
    }
    all
}

fn words<const SIZE: usize>(bytes: &[u8]) -> impl Iterator<Item = [u8; SIZE]> {
    bytes.as_chunks().0.iter().copied()
}
