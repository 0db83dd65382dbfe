//! Rays through pixels, beside what is drawn there.

use crate::ala::render::{FRAMES, PALETTE, bend, chain, limb, resting, swing};
use crate::alo::render::{FILE, dull};
use crate::support::alo_stage::{cuboid, quarters, tga};
use crate::support::rays::{Ask, Caster, Random};
use crate::support::stage::{Picture, Stage, VIEWS};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloRayCastVisibility;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{Mesh as FileMesh, Vertex};
use bevy_classic_models::prelude::*;

const SIZE: UVec2 = UVec2::new(320, 240);
const FPS: f32 = 10.0;

/// Squares that look anywhere, so that of many the back is seen, which is not drawn.
fn leaves() -> (Vec<Vertex>, Vec<[u16; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut random = Random(11);
    for _ in 0..40 {
        let place = random.direction().as_vec3() * 22.0;
        let turn = random.rotation();
        let first = vertices.len() as u16;
        for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            vertices.push(Vertex {
                position: (place + turn * Vec3::new(4.0 * u, 4.0 * v, 0.0)).to_array(),
                normal: (turn * Vec3::Z).to_array(),
                color: [1.0; 4],
                bone_weights: [1.0, 0.0, 0.0, 0.0],
                ..default()
            });
        }
        triangles.push([first, first + 1, first + 2]);
        triangles.push([first, first + 2, first + 3]);
    }
    (vertices, triangles)
}

/// A skinned limb, leaves on one of its bones, and a hull around all that nothing draws.
fn tree() -> Vec<u8> {
    let (vertices, triangles) = limb(true);
    let limb = SubmeshBuffers::new(&vertices, &triangles)
        .with_palette(&PALETTE)
        .with_tree();
    let made = |(vertices, triangles): (Vec<_>, Vec<_>)| {
        SubmeshBuffers::new(&vertices, &triangles).with_tree()
    };
    let leaves = made(leaves());
    let hull = made(cuboid([40.0; 3], [0.0; 3]));
    let mut file = resting(&chain());
    let limb = limb.submesh("RSkinGloss.fx", "alD3dVertB4I4NU2", dull("colors.tga"));
    let leaves = leaves.submesh("MeshGloss.fx", "alD3dVertNU2", dull("colors.tga"));
    let hull = hull.submesh("Collision.fx", "alD3dVertN", vec![]);
    file.meshes = vec![
        FileMesh::new("Limb", 0, vec![limb]),
        FileMesh::new("Leaves", 3, vec![leaves]),
        FileMesh::new("Hull", 1, vec![hull]),
    ];
    write(&file).unwrap()
}

/// Whether a pixel and all around it are drawn, or none of them; `None` on an outline.
fn is_drawn(picture: &Picture, at: UVec2) -> Option<bool> {
    let pixel = |x: u32, y: u32| picture.0[(y * SIZE.x + x) as usize];
    let background = pixel(0, 0);
    let around = (0..9).map(|n| pixel(at.x + n % 3 - 1, at.y + n / 3 - 1) != background);
    let drawn = around.filter(|drawn| *drawn).count();
    match drawn {
        0 => Some(false),
        9 => Some(true),
        _ => None,
    }
}

/// Fails unless rays through pixels meet something just where something is drawn.
#[track_caller]
fn compare(stage: &mut Stage, caster: &Caster, what: &str) -> Picture {
    let picture = stage.capture();
    let rows = (2..SIZE.y - 1).step_by(4);
    let pixels: Vec<UVec2> = rows
        .flat_map(|y| (2..SIZE.x - 1).step_by(4).map(move |x| UVec2::new(x, y)))
        .collect();
    let camera = stage.camera();
    let (camera, place) = (
        camera.get::<Camera>().unwrap(),
        camera.get::<GlobalTransform>().unwrap(),
    );
    let ask = |pixel: &UVec2| {
        let ray = camera.viewport_to_world(place, pixel.as_vec2() + 0.5);
        Ask::new(ray.unwrap()).seeing(AloRayCastVisibility::VisibleInView)
    };
    let asks = pixels.iter().map(ask).collect();
    let answers = caster.ask(stage.world(), asks);
    let (mut hits, mut misses, mut wrong) = (0, 0, Vec::new());
    for (pixel, answer) in pixels.iter().zip(&answers) {
        let met = !answer.hits.is_empty();
        match is_drawn(&picture, *pixel) {
            Some(drawn) if drawn != met => wrong.push(*pixel),
            Some(true) => hits += 1,
            Some(false) => misses += 1,
            None => {}
        }
    }
    assert_eq!(wrong, [], "{what}: drawn and not met, or met and not drawn");
    assert!(hits > 300 && misses > 500, "{what}: {hits} and {misses}");
    picture
}

#[test]
fn rays_through_pixels_meet_what_is_drawn_there() {
    let mut stage = Stage::new(&[
        (FILE, tree()),
        ("colors.tga", tga(&quarters([255; 4]))),
        ("subject_SWING_00.ala", swing(2)),
        ("subject_BEND_00.ala", bend(2)),
    ]);
    let caster = Caster::new(stage.world());
    let root = stage.spawn_alo(FILE, Transform::IDENTITY);
    let mut pictures = Vec::new();
    for (mirror, clip, frame) in [
        (Vec3::ONE, "SWING_00", 0.5),
        (Vec3::ONE, "BEND_00", 3.25),
        (Vec3::new(-1.0, 1.0, 1.0), "BEND_00", 3.25),
        (Vec3::new(1.0, 1.2, -0.7), "SWING_00", 2.0),
    ] {
        assert!(frame < FRAMES as f32);
        let play = PlayClip::once(clip)
            .starting_at(frame / FPS)
            .with_speed(0.0);
        let transform = Transform::from_scale(mirror);
        stage.world().entity_mut(root).insert((play, transform));
        stage.headless.step(0.0);
        for view in VIEWS {
            stage.look_from(view);
            let what = format!("{clip} at {frame}, scaled by {mirror}, from {view}");
            pictures.push(compare(&mut stage, &caster, &what));
        }
    }
    for pair in pictures.windows(2) {
        pair[0].assert_is_not(&pair[1], "the pictures differ");
    }
}
