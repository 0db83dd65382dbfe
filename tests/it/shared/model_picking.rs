//! Picking of models of all formats with Bevy's pointers, over reloads and despawns.

use crate::alo::picking::spawn_pointer;
use crate::alo::raycast::{unit_model, unit_model_with};
use crate::support::abc::{bytes as abc_bytes, figure as abc_figure};
use crate::support::lgw_stage::Quad;
use crate::support::lgw_stage::model as lgw_model;
use crate::support::mdl::figure;
use crate::support::prelude::*;
use crate::support::rays::Triangle;

/// A model of UFO: Aftermath with six quads that face up. `angle` is that between their halves.
fn quads(angle: f32) -> Vec<u8> {
    let up = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    let quads: Vec<Quad> = (0..6)
        .map(|index| Quad::in_grid(index, 3).curved(up, angle))
        .collect();
    let materials: Vec<_> = (0..6).map(|id| material(id, Vec::new())).collect();
    lgw_model(&materials, &quads)
}

/// A point in view that no model covers.
const BESIDE: Vec3 = Vec3::new(30.0, 0.0, 20.0);

/// A point on a triangle.
fn middle(triangle: &Triangle) -> Vec3 {
    let [a, b, c] = triangle.corners;
    (a * 0.5 + b * 0.3 + c * 0.2).as_vec3()
}

/// An app with a pointer and a camera that looks down.
struct PickTest {
    app: TestApp,
    caster: RayCaster,
    camera: Entity,
    target: NormalizedRenderTarget,
}

impl PickTest {
    fn new(files: &[(&str, Vec<u8>)]) -> Self {
        let plugins = (ClassicModelsPlugins, PickingPlugin, InteractionPlugin);
        let mut app = TestApp::with_plugin(files, plugins);
        let caster = RayCaster::new(app.world());
        let (camera, target) = spawn_pointer(app.world());
        Self {
            app,
            caster,
            camera,
            target,
        }
    }

    fn settle(&mut self) {
        self.app.steps(2, 0.0);
    }

    fn triangles(&mut self, root: Entity, bytes: &[u8]) -> Vec<Triangle> {
        let mut targets = Targets::default();
        targets.add_model(self.app.world(), root, bytes);
        targets.triangles
    }

    /// Fits a model into the view. Returns its triangles.
    fn fit(&mut self, root: Entity, bytes: &[u8]) -> Vec<Triangle> {
        self.app.insert(root, Transform::IDENTITY);
        self.settle();
        let (center, radius) = bounding_sphere(&self.triangles(root, bytes));
        let scale = 15.0 / radius as f32;
        let transform =
            Transform::from_translation(-center.as_vec3() * scale).with_scale(Vec3::splat(scale));
        self.app.insert(root, transform);
        self.settle();
        self.triangles(root, bytes)
    }

    /// Moves the pointer over a point. Returns the ray from the camera to it.
    fn point_at(&mut self, point: Vec3) -> Ray3d {
        let world = self.app.world();
        let view = world.get::<Camera>(self.camera).unwrap();
        let transform = world.get::<GlobalTransform>(self.camera).unwrap();
        let position = view.world_to_viewport(transform, point).unwrap();
        let ray = view.viewport_to_world(transform, position).unwrap();
        let location = Location {
            target: self.target.clone(),
            position,
        };
        let action = PointerAction::Move { delta: Vec2::ONE };
        world.write_message(PointerInput::new(PointerId::Mouse, location, action));
        ray
    }

    /// The parts under the pointer, with their hits.
    fn hovered(&mut self) -> Vec<(Entity, ModelRayHit)> {
        let hovered = self.app.world().resource::<HoverMap>();
        let hovered = hovered.get(&PointerId::Mouse).unwrap();
        let hits = hovered.iter();
        hits.map(|(part, data)| (*part, *data.extra_as::<ModelRayHit>().unwrap()))
            .collect()
    }

    /// The first hit of pointers over the triangles.
    fn first_hit(&mut self, triangles: &[Triangle]) -> Option<ModelRayHit> {
        triangles.iter().find_map(|triangle| {
            self.point_at(middle(triangle));
            self.settle();
            Some(self.hovered().first()?.1)
        })
    }

    /// Asserts that pointers over some of the triangles hit what rays hit, on these triangles. Returns the count of hits.
    #[track_caller]
    fn assert_picks(&mut self, root: Entity, triangles: &[Triangle], context: &str) -> usize {
        let mut picked = 0;
        let step = triangles.len().div_ceil(20);
        for triangle in triangles.iter().step_by(step) {
            let ray = self.point_at(middle(triangle));
            self.settle();
            let query =
                RayQuery::new(ray).with_visibility(ModelRayCastVisibility::SolidAtCurrentLod);
            let expected = self.caster.cast(self.app.world(), vec![query]).remove(0);
            let hits = self.hovered();
            let parts: Vec<Entity> = hits.iter().map(|(part, _)| *part).collect();
            let expected_parts: Vec<Entity> = expected.hits.iter().map(|hit| hit.part).collect();
            assert_eq!(parts, expected_parts, "{context}");
            for ((_, hit), expected) in hits.iter().zip(&expected.hits) {
                assert_eq!((hit.root, hit.part), (root, expected.part), "{context}");
                assert_eq!((hit.bone, hit.triangle), (expected.bone, expected.triangle));
                assert!(hit.point.abs_diff_eq(expected.point, 1e-3), "{hit:?}");
                assert_on_triangle(triangles, hit, context);
                picked += 1;
            }
        }
        picked
    }
}

/// Asserts that a hit is on the triangle that it names, at the positions of the file.
#[track_caller]
fn assert_on_triangle(triangles: &[Triangle], hit: &ModelRayHit, context: &str) {
    let mut triangles = triangles.iter();
    let is_hit = |triangle: &&Triangle| {
        triangle.entity == hit.part && triangle.index == hit.triangle as usize
    };
    let triangle = triangles.find(is_hit).expect(context);
    let [a, b, c] = triangle.corners.map(|corner| corner.as_vec3());
    let [u, v, w] = hit.barycentrics.to_array();
    let point = a * u + b * v + c * w;
    assert!(hit.point.abs_diff_eq(point, 1e-2), "{context}: {hit:?}");
}

/// A model of each format: its path, its scene, its bytes, and the bytes of an edit.
fn models() -> [(&'static str, &'static str, Vec<u8>, Vec<u8>); 4] {
    let mut tall = figure(Precision::Bits8);
    tall.header.scale[2] *= 3.0;
    [
        (
            "figure.mdl",
            "figure.mdl#Scene",
            figure(Precision::Bits8).to_bytes(),
            tall.to_bytes(),
        ),
        (
            "banner.abc",
            "banner.abc#Scene",
            abc_bytes(&banner()),
            abc_bytes(&abc_figure()),
        ),
        ("quads.lgw", "quads.lgw#Scene", quads(0.2), quads(0.5)),
        (
            "unit.alo",
            "unit.alo#Scene",
            unit_model(),
            unit_model_with([3.0, 1.0, 0.25]),
        ),
    ]
}

/// The files before their edits.
fn files() -> Vec<(&'static str, Vec<u8>)> {
    models()
        .into_iter()
        .map(|(path, _, bytes, _)| (path, bytes))
        .collect()
}

#[test]
fn pointers_hit_the_parts_that_rays_hit_before_and_after_reloads() {
    let mut test = PickTest::new(&files());
    for (path, scene, before, after) in models() {
        let root = test.app.spawn_ready(scene, ());
        let old = test.fit(root, &before);
        let picked = test.assert_picks(root, &old, path);
        assert!(picked > 1, "{path}: {picked}");
        if path.ends_with(".alo") || path.ends_with(".abc") {
            test.app.insert(root, Crowd);
            let member = test.fit(root, &before);
            let context = format!("{path} as a member of a crowd");
            let picked = test.assert_picks(root, &member, &context);
            assert!(picked > 1, "{context}: {picked}");
            test.app.world().entity_mut(root).remove::<Crowd>();
        }
        let old = test.fit(root, &before);
        // The pointer stays over a part of the old file during the reload.
        let part = test.first_hit(&old).expect(path).part;
        test.app.keep_loaded(path);
        test.app.replace(path, after.clone());
        test.settle();
        assert!(!test.app.exists(part), "{path}");
        assert!(test.hovered().iter().all(|(other, _)| *other != part));
        let new = test.fit(root, &after);
        let context = format!("{path} after its reload");
        let picked = test.assert_picks(root, &new, &context);
        assert!(picked > 1, "{context}: {picked}");
        test.app.despawn(root);
        test.settle();
        assert!(test.hovered().is_empty(), "{path}");
    }
}

/// How a model is despawned in the frame in which the pointer enters it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum DespawnedBy {
    /// An observer of the pointer's event.
    Observer,
    /// The app, before the frame.
    App,
}

#[test]
fn models_may_be_despawned_in_the_frame_of_a_hit() {
    let mut test = PickTest::new(&files());
    for (path, scene, bytes, _) in models() {
        for by in [DespawnedBy::Observer, DespawnedBy::App] {
            let context = format!("{path}, despawned by {by:?}");
            let root = test.app.spawn_ready(scene, ());
            let triangles = test.fit(root, &bytes);
            let transform = *test.app.get::<Transform>(root);
            let point = test.first_hit(&triangles).expect(path).point;
            test.point_at(BESIDE);
            test.settle();
            assert!(test.hovered().is_empty(), "{context}");
            test.app.world().entity_mut(root).observe(
                move |_: On<Pointer<Over>>, mut commands: Commands| {
                    commands.entity(root).despawn();
                },
            );
            test.point_at(point);
            if by == DespawnedBy::App {
                test.app.despawn(root);
            }
            test.settle();
            assert!(!test.app.exists(root), "{context}");
            test.settle();
            assert!(test.hovered().is_empty(), "{context}");
            // The next model is hit at once.
            let next = test.app.spawn_ready(scene, transform);
            test.settle();
            test.settle();
            let roots: Vec<Entity> = test.hovered().iter().map(|(_, hit)| hit.root).collect();
            assert_eq!(roots, [next], "{context}");
            test.app.despawn(next);
            test.settle();
        }
    }
}
