//! Rays through pixels, compared with the rendered image.

use crate::ala::render::{FRAMES, PALETTE, bend_clip, chain, limb, model_at_rest, swing_clip};
use crate::alo::render::{FILE, matte_parameters};
use crate::support::prelude::*;
use crate::support::rays::Random;
use bevy_classic_models::alamo::alo::Mesh as FileMesh;
use bevy_classic_models::alamo::alo::write::write;

const SIZE: UVec2 = UVec2::new(320, 240);
const FPS: f32 = 10.0;

/// Single-sided squares in random directions. Many show their backs, which are not drawn.
fn leaves() -> (Vec<Vertex>, Vec<[u16; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let mut random = Random(11);
    for _ in 0..40 {
        let center = random.direction().as_vec3() * 22.0;
        let rotation = random.rotation();
        let first = vertices.len() as u16;
        for (u, v) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            vertices.push(Vertex {
                position: (center + rotation * Vec3::new(4.0 * u, 4.0 * v, 0.0)).to_array(),
                normal: (rotation * Vec3::Z).to_array(),
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

/// A skinned limb, leaves on one of its bones, and an invisible hull around both.
fn tree() -> Vec<u8> {
    let (vertices, triangles) = limb(true);
    let limb = SubmeshBuffers::new(&vertices, &triangles)
        .with_palette(&PALETTE)
        .with_tree();
    let with_tree = |(vertices, triangles): (Vec<_>, Vec<_>)| {
        SubmeshBuffers::new(&vertices, &triangles).with_tree()
    };
    let leaves = with_tree(leaves());
    let hull = with_tree(cuboid([40.0; 3], [0.0; 3]));
    let mut file = model_at_rest(&chain());
    let limb = limb.submesh(
        "RSkinGloss.fx",
        "alD3dVertB4I4NU2",
        matte_parameters("colors.tga"),
    );
    let leaves = leaves.submesh(
        "MeshGloss.fx",
        "alD3dVertNU2",
        matte_parameters("colors.tga"),
    );
    let hull = hull.submesh("Collision.fx", "alD3dVertN", vec![]);
    file.meshes = vec![
        FileMesh::new("Limb", 0, vec![limb]),
        FileMesh::new("Leaves", 3, vec![leaves]),
        FileMesh::new("Hull", 1, vec![hull]),
    ];
    write(&file).unwrap()
}

/// Whether a pixel and its eight neighbors are all drawn or all empty. Returns `None` on an outline.
fn is_drawn(image: &Picture, at: UVec2) -> Option<bool> {
    let pixel = |x: u32, y: u32| image.0[(y * SIZE.x + x) as usize];
    let background = pixel(0, 0);
    let neighbors = (0..9).map(|n| pixel(at.x + n % 3 - 1, at.y + n / 3 - 1) != background);
    let drawn = neighbors.filter(|drawn| *drawn).count();
    match drawn {
        0 => Some(false),
        9 => Some(true),
        _ => None,
    }
}

/// Asserts that rays through pixels hit exactly where something is drawn. Returns the image.
#[track_caller]
fn compare(stage: &mut Stage, caster: &RayCaster, context: &str) -> Picture {
    let image = stage.capture();
    let rows = (2..SIZE.y - 1).step_by(4);
    let pixels: Vec<UVec2> = rows
        .flat_map(|y| (2..SIZE.x - 1).step_by(4).map(move |x| UVec2::new(x, y)))
        .collect();
    let camera = stage.camera();
    let (camera, transform) = (
        camera.get::<Camera>().unwrap(),
        camera.get::<GlobalTransform>().unwrap(),
    );
    let query = |pixel: &UVec2| {
        let ray = camera.viewport_to_world(transform, pixel.as_vec2() + 0.5);
        RayQuery::new(ray.unwrap()).with_visibility(ModelRayCastVisibility::VisibleInView)
    };
    let queries = pixels.iter().map(query).collect();
    let results = caster.cast(stage.world(), queries);
    let (mut hits, mut misses, mut wrong) = (0, 0, Vec::new());
    for (pixel, result) in pixels.iter().zip(&results) {
        let hit = !result.hits.is_empty();
        match is_drawn(&image, *pixel) {
            Some(drawn) if drawn != hit => wrong.push(*pixel),
            Some(true) => hits += 1,
            Some(false) => misses += 1,
            None => {}
        }
    }
    assert_eq!(
        wrong,
        [],
        "{context}: drawn without a hit, or hit without being drawn"
    );
    assert!(
        hits > 300 && misses > 500,
        "{context}: {hits} hits, {misses} misses"
    );
    image
}

#[test]
fn rays_through_pixels_hit_what_is_drawn() {
    let mut stage = Stage::new(&[
        (FILE, tree()),
        ("colors.tga", tga(&quarters([255; 4]))),
        ("subject_SWING_00.ala", swing_clip(2)),
        ("subject_BEND_00.ala", bend_clip(2)),
    ]);
    let caster = RayCaster::new(stage.world());
    let root = stage.spawn_alo(FILE, Transform::IDENTITY);
    let mut captures = Vec::new();
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
        stage.insert(root, (play, transform));
        stage.headless.step(0.0);
        for view in VIEWS {
            stage.move_camera(view);
            let context = format!("{clip} at {frame}, scaled by {mirror}, from {view}");
            captures.push(compare(&mut stage, &caster, &context));
        }
    }
    for pair in captures.windows(2) {
        pair[0].assert_differs(&pair[1], "the next pose or view");
    }
}
