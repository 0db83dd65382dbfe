//! Picking of models without collision trees with Bevy's pointers.

use crate::alo::picking::spawn_pointer;
use crate::support::abc::{banner, bytes as abc_bytes};
use crate::support::app::TestApp;
use crate::support::lgw_stage::{Quad, material, model as lgw_model};
use crate::support::mdl::figure;
use crate::support::model_rays::{ModelRayCaster, Targets};
use crate::support::rays::{RayQuery, bounding_sphere};
use bevy::picking::hover::HoverMap;
use bevy::picking::pointer::{Location, PointerAction, PointerId, PointerInput};
use bevy::picking::{InteractionPlugin, PickingPlugin};
use bevy::prelude::*;
use bevy_classic_models::model::{ModelRayCastVisibility, ModelRayHit};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::mdl::Precision;

/// A model of UFO: Aftermath with six quads that face up.
fn quads() -> Vec<u8> {
    let up = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    let quads: Vec<Quad> = (0..6)
        .map(|index| Quad::in_grid(index, 3).curved(up, 0.2))
        .collect();
    let materials: Vec<_> = (0..6).map(|id| material(id, Vec::new())).collect();
    lgw_model(&materials, &quads)
}

#[test]
fn pointers_hit_the_parts_that_rays_hit() {
    let files = [
        ("figure.mdl", figure(Precision::Bits8).to_bytes()),
        ("banner.abc", abc_bytes(&banner())),
        ("quads.lgw", quads()),
    ];
    let plugins = (ClassicModelsPlugins, PickingPlugin, InteractionPlugin);
    let mut app = TestApp::with_plugin(&files, plugins);
    let caster = ModelRayCaster::new(app.world());
    let (camera, target) = spawn_pointer(app.world());
    let scenes = ["figure.mdl#Scene", "banner.abc#Scene", "quads.lgw#Scene"];
    for (scene, (_, bytes)) in scenes.into_iter().zip(&files) {
        let root = app.spawn_ready(scene, ());
        app.step(0.0);
        app.step(0.0);
        // Fits the model into the view.
        let mut targets = Targets::default();
        targets.add_model(app.world(), root, bytes);
        let (center, radius) = bounding_sphere(&targets.triangles);
        let scale = 15.0 / radius as f32;
        let transform =
            Transform::from_translation(-center.as_vec3() * scale).with_scale(Vec3::splat(scale));
        app.world().entity_mut(root).insert(transform);
        app.step(0.0);
        let mut targets = Targets::default();
        targets.add_model(app.world(), root, bytes);
        let mut picked = 0;
        let step = targets.triangles.len().div_ceil(20);
        for triangle in targets.triangles.iter().step_by(step) {
            let [a, b, c] = triangle.corners;
            let point = (a * 0.5 + b * 0.3 + c * 0.2).as_vec3();
            let world = app.world();
            let view = world.get::<Camera>(camera).unwrap();
            let transform = world.get::<GlobalTransform>(camera).unwrap();
            let position = view.world_to_viewport(transform, point).unwrap();
            let ray = view.viewport_to_world(transform, position).unwrap();
            let location = Location {
                target: target.clone(),
                position,
            };
            let action = PointerAction::Move { delta: Vec2::ONE };
            world.write_message(PointerInput::new(PointerId::Mouse, location, action));
            app.step(0.0);
            app.step(0.0);
            let query =
                RayQuery::new(ray).with_visibility(ModelRayCastVisibility::SolidAtCurrentLod);
            let expected = caster.cast(app.world(), vec![query]).remove(0);
            let hovered = app.world().resource::<HoverMap>();
            let hovered = hovered.get(&PointerId::Mouse).unwrap();
            let hits: Vec<_> = hovered.iter().collect();
            let parts: Vec<Entity> = hits.iter().map(|(part, _)| **part).collect();
            let expected_parts: Vec<Entity> = expected.hits.iter().map(|hit| hit.part).collect();
            assert_eq!(parts, expected_parts, "{scene}");
            for ((_, data), expected) in hits.iter().zip(&expected.hits) {
                let hit = data.extra_as::<ModelRayHit>().unwrap();
                assert_eq!((hit.root, hit.part), (root, expected.part));
                assert_eq!((hit.bone, hit.triangle), (expected.bone, expected.triangle));
                assert!(hit.point.abs_diff_eq(expected.point, 1e-3), "{hit:?}");
                picked += 1;
            }
        }
        assert!(picked > 1, "{scene}: {picked}");
        app.world().entity_mut(root).despawn();
        app.step(0.0);
    }
}
