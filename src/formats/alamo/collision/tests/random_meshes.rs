//! Ray casts on many small random meshes, compared with the reference.

use crate::formats::alamo::collision::tests::rays::{ALL, rays};
use crate::formats::alamo::collision::tests::reference::{RayQuery, Reference};
use crate::formats::alamo::collision::tests::{Random, Sample, ray};
use crate::formats::alamo::collision::winding::Winding;
use bevy::math::DVec3;
use bevy::prelude::*;

/// Meshes per unit of [`rays`].
const MESHES: usize = 20;
/// Rays per mesh.
const RAYS: usize = 180;

#[test]
fn ray_casts_on_random_meshes_match_the_reference() {
    let mut random = Random(1);
    let (mut cast, mut certain, mut hits) = (0_u64, 0_u64, 0_u64);
    for _ in 0..MESHES * rays() {
        let sample = mesh(&mut random);
        let tree = sample.tree();
        let mut reference = Reference::new(&sample);
        for _ in 0..RAYS {
            let query = some_query(&sample, &mut random);
            let RayQuery {
                ray,
                max,
                backfaces,
                winding,
            } = query;
            let hit = tree.cast_ray_with_winding(ray, max, backfaces, winding);
            let any = tree.any_hit_with_winding(ray, max, backfaces, winding);
            assert_eq!(any, hit.is_some(), "{query:?} {hit:?}");
            cast += 1;
            hits += u64::from(any);
            match reference.check(&query, hit.as_ref()) {
                Ok(is_certain) => certain += u64::from(is_certain),
                Err(error) => panic!("{error}: {query:?} {hit:?} {:?}", sample.positions),
            }
        }
    }
    println!("{cast} rays, {hits} hits, {certain} certain hits");
    assert!(certain > cast / 5, "{certain} of {cast}");
}

/// A mesh of up to 60 triangles in a tree with leaves of up to 8.
fn mesh(random: &mut Random) -> Sample {
    let count = 1 + random.below(60);
    let (mut positions, indices) = match random.below(7) {
        0 => soup(count, random),
        1 => field(1 + random.below(5), random),
        2 => integer_grid(count, random),
        3 => flat(count, random),
        4 => needles(count, random),
        5 => double_pyramid(random),
        _ => all_sizes(count, random),
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

fn soup(count: usize, random: &mut Random) -> Triangles {
    unconnected(count, || [(); 3].map(|()| random.point()))
}

/// A height field of squares, each of two triangles.
fn field(side: usize, random: &mut Random) -> Triangles {
    let corner = |at: usize| Vec3::new((at % (side + 1)) as f32, (at / (side + 1)) as f32, 0.0);
    let corners = (0..(side + 1) * (side + 1)).map(corner);
    let height = random.number();
    let positions = corners
        .map(|corner| corner.with_z(random.number() * height))
        .collect();
    let squares = (0..side * side).flat_map(|square| {
        let a = (square / side * (side + 1) + square % side) as u16;
        let c = a + side as u16 + 1;
        [a, a + 1, c, c, a + 1, c + 1]
    });
    (positions, squares.collect())
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

fn needles(count: usize, random: &mut Random) -> Triangles {
    unconnected(count, || {
        let (a, b) = (random.point(), random.point());
        let thin = 10_f32.powi(-(random.below(7) as i32));
        [a, b, a.lerp(b, random.number()) + random.point() * thin]
    })
}

/// A double pyramid.
fn double_pyramid(random: &mut Random) -> Triangles {
    let sides = 3 + random.below(20) as u16;
    let corner = |side: u16| {
        let angle = core::f32::consts::TAU * f32::from(side) / f32::from(sides);
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

fn all_sizes(count: usize, random: &mut Random) -> Triangles {
    unconnected(count, || {
        let center = random.point();
        let size = 10_f32.powi(-(random.below(7) as i32));
        [(); 3].map(|()| center + random.point() * size)
    })
}

fn some_query(sample: &Sample, random: &mut Random) -> RayQuery {
    let ray = loop {
        if let Some(ray) = some_ray(sample, random) {
            break ray;
        }
    };
    let corner = sample.triangle(random.below(sample.triangle_count()))[0];
    let far = DVec3::from(corner).distance(ray.origin.into()) as f32;
    let max = match random.below(4) {
        0 => f32::INFINITY,
        1 => f32::MAX,
        2 => far,
        _ => far * 2.0 * random.number().abs(),
    };
    RayQuery {
        ray,
        max,
        backfaces: ALL[random.below(3)],
        winding: match random.below(4) {
            0 => Winding::Clockwise,
            _ => Winding::CounterClockwise,
        },
    }
}

/// A ray to, from or along a face, edge or corner, along an axis, from far away, or random.
fn some_ray(sample: &Sample, random: &mut Random) -> Option<Ray3d> {
    let count = sample.triangle_count();
    let [a, b, c] = sample.triangle(random.below(count));
    let [d, e, f] = sample.triangle(random.below(count));
    let size = (a - d).abs().max((b - a).abs()).max_element();
    let on_edge = a + (b - a) * random.number().abs();
    let inside = a + (b - a) * 0.4 + (c - a) * 0.3;
    let other = d + (e - d) * 0.3 + (f - d) * 0.6;
    let outside = inside + random.point() * 2.0 * size;
    let to = match random.below(4) {
        0 => a,
        1 => on_edge,
        _ => inside,
    };
    match random.below(10) {
        0..3 => ray(outside, to),
        3 => ray(other, to),
        4 => ray(d, to),
        5 => ray(a + (a - b) * random.number(), b),
        6 => ray(inside + random.point() * 1e5 * size, to),
        7 => {
            let axis = Vec3::AXES[random.below(3)] * random.number().signum();
            Some(Ray3d::new(to - axis * size, Dir3::new(axis).ok()?))
        }
        8 => {
            let plane = random.direction().with_z(random.number() * 1e-30);
            Some(Ray3d::new(to - plane * size, Dir3::new(plane).ok()?))
        }
        _ => Some(Ray3d::new(outside, random.direction())),
    }
}
