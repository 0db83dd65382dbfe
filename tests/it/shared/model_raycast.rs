//! `ModelRayCast` on all formats, compared with brute force over all triangles.

use crate::crowd::subjects::SUBJECTS;
use crate::support::abc::{bytes as abc_bytes, figure as abc_figure};
use crate::support::crowd::{crowd_vertices, is_baking, pose};
use crate::support::lgw_stage::Quad;
use crate::support::lgw_stage::model as lgw_model;
use crate::support::mdl::figure as mdl_figure;
use crate::support::prelude::*;
use crate::support::rays::{Random, Triangle};
use bevy_classic_models::query::Backfaces;

/// Bundled samples: the path of the scene, a clip, and a time between two frames.
const SAMPLES: [(&str, Option<(&str, f32)>); 7] = [
    ("models/sentry.mdl#Scene", Some(("walk", 0.137))),
    ("models/brazier.mdl#Scene", None),
    ("models/crystal.mdl#Scene", None),
    ("models/walker.alo#Scene", Some(("MOVE_00", 0.217))),
    ("models/crate.alo#Scene", None),
    ("models/warden.abc#Scene", Some(("walk", 0.143))),
    ("models/courier.lgw#Scene", None),
];

fn assets() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("assets")
}

/// The bytes of the file of a bundled sample.
fn bundled(scene: &str) -> Vec<u8> {
    let path = scene.trim_end_matches("#Scene");
    std::fs::read(assets().join(path)).unwrap()
}

struct RayTest {
    app: TestApp,
    caster: RayCaster,
    random: Random,
}

impl RayTest {
    fn of(mut app: TestApp) -> Self {
        log::listen();
        let caster = RayCaster::new(app.world());
        Self {
            app,
            caster,
            random: Random(5),
        }
    }

    fn world(&mut self) -> &mut World {
        self.app.world()
    }

    /// Runs frames until all loads have ended and their results are visible.
    fn settle(&mut self) {
        self.app.wait_until_idle();
        for _ in 0..3 {
            self.app.step(0.0);
        }
    }

    fn spawn(&mut self, scene: &'static str, bundle: impl Bundle) -> Entity {
        let root = self.app.spawn_ready(scene, bundle);
        self.settle();
        root
    }

    fn targets(&mut self, root: Entity, bytes: &[u8]) -> Targets {
        let mut targets = Targets::default();
        targets.add_model(self.world(), root, bytes);
        targets
    }

    /// Compares rays at all targets, and cycles through the modes of back faces.
    #[track_caller]
    fn compare(
        &mut self,
        targets: &Targets,
        configure: impl Fn(RayQuery) -> RayQuery,
        count: usize,
        what: &str,
    ) {
        let rays = self.random.rays(&targets.triangles, count);
        let modes = [Backfaces::Cull, Backfaces::Keep, Backfaces::Flip];
        let queries = rays.iter().zip(modes.iter().cycle());
        let queries = queries.map(|(ray, backfaces)| {
            configure(RayQuery {
                backfaces: *backfaces,
                ..RayQuery::new(*ray)
            })
        });
        let (center, radius) = bounding_sphere(&targets.triangles);
        let tolerance = 2e-5 * (center.length() + 4.0 * radius);
        let world = self.app.app.world_mut();
        let queries = queries.collect();
        let counts = self
            .caster
            .compare(world, targets, queries, tolerance, what);
        // Samples have many small triangles, so many rays pass near an edge.
        let compared = counts.hits + counts.misses;
        let is_varied = counts.hits > 20 && counts.misses > 5;
        assert!(
            is_varied && counts.undecided < compared,
            "{what}: {counts:?}"
        );
    }

    /// Asserts that no ray hits anything.
    #[track_caller]
    fn assert_no_hits(&mut self, targets: &Targets, visibility: ModelRayCastVisibility) {
        let rays = self.random.rays(&targets.triangles, 100).into_iter();
        let queries = rays.map(|ray| RayQuery::new(ray).with_visibility(visibility));
        let queries = queries.collect();
        for result in self.caster.cast(self.app.app.world_mut(), queries) {
            assert!(result.hits.is_empty() && !result.any, "{result:?}");
        }
    }
}

/// A model of UFO: Aftermath with six quads, each rotated by `angle` more than the last.
fn quads(angle: f32) -> Vec<u8> {
    let quads: Vec<Quad> = (0..6_u8)
        .map(|index| {
            let rotation = Quat::from_rotation_y(angle * f32::from(index));
            Quad::in_grid(index.into(), 3).curved(rotation, 0.2)
        })
        .collect();
    let materials: Vec<_> = (0..6).map(|id| material(id, Vec::new())).collect();
    lgw_model(&materials, &quads)
}

fn transforms() -> [(&'static str, Transform); 5] {
    let rotation = Quat::from_euler(EulerRot::XYZ, 0.4, -1.1, 2.0);
    [
        ("at rest", Transform::IDENTITY),
        (
            "moved and rotated",
            Transform::from_xyz(20.0, -7.0, 3.0).with_rotation(rotation),
        ),
        (
            "uneven",
            Transform::from_rotation(rotation).with_scale(Vec3::new(0.5, 3.0, 1.2)),
        ),
        (
            "mirrored",
            Transform::from_xyz(5.0, 1.0, 0.0).with_scale(Vec3::new(-1.0, 1.0, 1.0)),
        ),
        (
            "small and mirrored",
            Transform::from_rotation(rotation).with_scale(Vec3::new(0.01, 0.02, -0.01)),
        ),
    ]
}

#[test]
fn rays_hit_the_bundled_samples_of_every_format() {
    let mut test = RayTest::of(TestApp::in_folder(&assets()));
    for (scene, clip) in SAMPLES {
        let bytes = bundled(scene);
        // Keeps the model loaded.
        let _scene: Handle<WorldAsset> = test.app.load(scene);
        for (name, transform) in transforms() {
            let root = test.spawn(scene, transform);
            if let Some((clip, seconds)) = clip {
                let play = PlayClip::once(clip).starting_at(seconds).paused();
                test.world().entity_mut(root).insert(play);
                test.settle();
                let animator = test.world().get::<MdlInstance>(root);
                let is_between = |animator: &MdlInstance| animator.shown().to.towards_b > 0.1;
                assert!(animator.is_none_or(is_between));
            }
            let targets = test.targets(root, &bytes);
            let what = format!("{scene} {name}");
            test.compare(&targets, |query| query, 250, &what);
            test.world().entity_mut(root).despawn();
            test.settle();
            test.assert_no_hits(&targets, ModelRayCastVisibility::Any);
        }
    }
}

#[test]
fn nearest_model_of_any_format_is_hit_first() {
    let mut test = RayTest::of(TestApp::in_folder(&assets()));
    let mut targets = Targets::default();
    let mut roots = Vec::new();
    for round in 0..3_u8 {
        for (index, (scene, clip)) in (0_u8..).zip(SAMPLES) {
            let root = test.app.spawn_ready(
                scene,
                (
                    BevySpace::default(),
                    Transform::from_xyz(
                        f32::from(index % 4) * 2.0,
                        f32::from(round) * 1.7,
                        f32::from(index / 4) * 3.0 + f32::from(round),
                    )
                    .with_rotation(Quat::from_rotation_y(f32::from(index + round))),
                ),
            );
            if let Some((clip, seconds)) = clip {
                let play = PlayClip::once(clip)
                    .starting_at(seconds * f32::from(1 + round))
                    .paused();
                test.world().entity_mut(root).insert(play);
            }
            roots.push((root, scene));
        }
    }
    test.settle();
    for (root, scene) in &roots {
        targets.add_model(test.world(), *root, &bundled(scene));
    }
    test.compare(&targets, |query| query, 150, "the nearest");
    let mut parts: Vec<Entity> = targets.triangles.iter().map(|it| it.entity).collect();
    parts.dedup();
    let third: Vec<Entity> = parts.iter().copied().step_by(3).collect();
    let filtered = |query| RayQuery {
        excluded: third.clone(),
        ..query
    };
    test.compare(&targets, filtered, 150, "filtered");
    let transparent = |query| RayQuery {
        transparent: third.clone(),
        max: 9.0,
        ..query
    };
    test.compare(
        &targets,
        transparent,
        150,
        "some transparent, within a distance",
    );
}

#[test]
fn rays_hit_blended_poses_during_a_cross_fade() {
    let files = [
        ("figure.mdl", mdl_figure(Precision::Bits16).to_bytes()),
        ("banner.abc", abc_bytes(&banner())),
    ];
    let mut test = RayTest::of(TestApp::new(&files));
    for ((scene, from, to), (_, bytes)) in [
        ("figure.mdl#Scene", "run", "die"),
        ("banner.abc#Scene", "Wave", "Furl"),
    ]
    .into_iter()
    .zip(files.clone())
    {
        let root = test.spawn(scene, PlayClip::looping(from));
        test.app.step(0.13);
        let play = PlayClip::looping(to).with_fade(1.0);
        test.world().entity_mut(root).insert(play);
        test.app.step(0.0);
        for step in 0..4 {
            test.app.step(0.17);
            if let Some(animator) = test.world().get::<MdlInstance>(root) {
                assert!(animator.shown().from_weight > 0.1);
            } else {
                let mesh = test.world().get::<AbcInstance>(root).unwrap().meshes()[1];
                let shown = abc_app::shown(test.world(), mesh).unwrap();
                assert!(shown.from_weight > 0.0);
            }
            let targets = test.targets(root, &bytes);
            let what = format!("{scene}, step {step}");
            test.compare(&targets, |query| query, 250, &what);
        }
        test.world().entity_mut(root).despawn();
        test.settle();
    }
}

/// Shows a clip on a member of a crowd at a time at which no baked poses are blended. Returns whether there is one near.
fn show_sample(test: &mut RayTest, root: Entity, clip: &str, seconds: f32) -> bool {
    (0..60_u8).any(|step| {
        let seconds = seconds + 0.01 * f32::from(step);
        let play = PlayClip::once(clip.to_owned())
            .starting_at(seconds)
            .paused();
        test.world().entity_mut(root).insert(play);
        test.settle();
        test.app.wait_until(|world| !is_baking(world, root));
        test.app.step(0.0);
        let shown = pose(test.world(), root).to;
        shown.a != 0 && (shown.towards_b < 1e-4 || shown.towards_b > 1.0 - 1e-4)
    })
}

/// Compares rays at a member of a crowd at rest and in its clips. Returns whether a bone was hidden.
fn compare_member(test: &mut RayTest, scene: &'static str, clips: [&str; 2]) -> bool {
    let mut has_hidden = false;
    for (name, transform) in transforms() {
        let root = test.spawn(scene, (Crowd, transform));
        let targets = test.targets(root, &[]);
        test.compare(&targets, |query| query, 150, &format!("{scene} {name}"));
        for (clip, seconds) in clips.into_iter().zip([0.1, 0.9]) {
            assert!(show_sample(test, root, clip, seconds), "{clip}");
            let targets = test.targets(root, &[]);
            let what = format!("{scene} {name}, {clip}");
            test.compare(&targets, |query| query, 150, &what);
            let all = crowd_vertices(test.world(), root);
            has_hidden |= all.iter().any(|(_, is_visible)| !is_visible);
        }
        test.world().entity_mut(root).insert(Visibility::Hidden);
        test.settle();
        let targets = test.targets(root, &[]);
        test.assert_no_hits(&targets, ModelRayCastVisibility::Solid);
        test.world().entity_mut(root).despawn();
        test.settle();
        test.assert_no_hits(&targets, ModelRayCastVisibility::Any);
    }
    has_hidden
}

#[test]
fn rays_hit_members_of_crowds_as_they_are_drawn() {
    let mut samples = RayTest::of(TestApp::in_folder(&assets()));
    let walker = compare_member(
        &mut samples,
        "models/walker.alo#Scene",
        ["MOVE_00", "DIE_00"],
    );
    compare_member(&mut samples, "models/warden.abc#Scene", ["walk", "attack"]);
    let files = SUBJECTS.iter().flat_map(|subject| (subject.files)());
    let mut subjects = RayTest::of(TestApp::new(&files.collect::<Vec<_>>()));
    let mut has_hidden = walker;
    for subject in &SUBJECTS {
        has_hidden |= compare_member(&mut subjects, subject.scene, subject.clips);
    }
    assert!(has_hidden, "no clip hides a bone");
}

#[test]
fn rays_hit_members_of_crowds_during_cross_fades_and_after_they_leave() {
    let files = SUBJECTS.iter().flat_map(|subject| (subject.files)());
    let mut test = RayTest::of(TestApp::new(&files.collect::<Vec<_>>()));
    for subject in &SUBJECTS {
        let root = test.spawn(subject.scene, Crowd);
        // Both are baked.
        for clip in subject.clips {
            assert!(show_sample(&mut test, root, clip, 0.0), "{clip}");
        }
        let from = PlayClip::once(subject.clips[0]).with_speed(0.0);
        test.world().entity_mut(root).insert(from);
        test.settle();
        let to = PlayClip::once(subject.clips[1]).with_speed(0.0);
        test.world().entity_mut(root).insert(to.with_fade(1.0));
        test.app.step(0.0);
        for step in 0..3 {
            test.app.step(0.25);
            assert!(pose(test.world(), root).from_weight > 0.1);
            let targets = test.targets(root, &[]);
            let what = format!("{}, step {step}", subject.path);
            test.compare(&targets, |query| query, 150, &what);
        }
        let layer = PlayClip::once(subject.clips[0])
            .starting_at(0.11)
            .with_speed(0.0);
        let layers = ClipLayers::new([ClipLayer::new(layer).with_weight(0.5)]);
        test.world().entity_mut(root).insert(layers);
        test.app.step(0.0);
        let member = test.targets(root, &[]);
        let what = format!("{} with a layer", subject.path);
        test.compare(&member, |query| query, 150, &what);
        test.world().entity_mut(root).remove::<Crowd>();
        test.settle();
        let rays = test.random.rays(&member.triangles, 100).into_iter();
        let queries = rays.map(RayQuery::new).collect();
        let results = test.caster.cast(test.app.app.world_mut(), queries);
        let hits = results.iter().flat_map(|result| &result.hits);
        let is_of_member = |hit: &ModelRayHit| {
            let mut triangles = member.triangles.iter();
            triangles.any(|triangle| triangle.entity == hit.part)
        };
        assert!(!hits.clone().any(is_of_member), "{}", subject.path);
        test.world().entity_mut(root).despawn();
        test.settle();
    }
}

#[test]
fn rays_hit_deforming_and_separate_node_meshes() {
    for separate_node_meshes in [false, true] {
        let settings = AbcLoaderSettings {
            separate_node_meshes,
            ..AbcLoaderSettings::default()
        };
        let (app, root) = abc_app::spawned(abc_bytes(&banner()), settings);
        let mut test = RayTest::of(app);
        let mirrored = Transform::from_scale(Vec3::new(1.0, -2.0, 0.5));
        test.world().entity_mut(root).insert(mirrored);
        for seconds in [0.0, 0.07, 0.16, 9.0] {
            abc_app::show(&mut test.app, root, 1, seconds);
            let targets = test.targets(root, &[]);
            let what = format!("separate_node_meshes: {separate_node_meshes}, {seconds} s");
            test.compare(&targets, |query| query, 250, &what);
        }
    }
}

#[test]
fn solid_hits_do_not_depend_on_the_drawn_level_of_detail() {
    let mut app = TestApp::in_folder(&assets());
    let settings = AbcLoaderSettings {
        lod_shares: vec![0.5, 0.2],
        ..AbcLoaderSettings::default()
    };
    let model = abc_app::load(&mut app, "models/warden.abc", settings).unwrap();
    let root = abc_app::spawn(&mut app, &model, ());
    let mut test = RayTest::of(app);
    abc_app::show(&mut test.app, root, 0, 0.11);
    let solid = |query: RayQuery| query.with_visibility(ModelRayCastVisibility::Solid);
    let finest = test.targets(root, &[]);
    test.compare(&finest, solid, 250, "finest level drawn");
    test.world().entity_mut(root).insert(ModelLod(2));
    test.settle();
    let coarsest = test.targets(root, &[]);
    assert!(2 * coarsest.triangles.len() < finest.triangles.len());
    test.compare(&finest, solid, 250, "coarsest level drawn");
    for visibility in [
        ModelRayCastVisibility::SolidAtCurrentLod,
        ModelRayCastVisibility::Visible,
    ] {
        let configure = |query: RayQuery| query.with_visibility(visibility);
        test.compare(&coarsest, configure, 250, &format!("{visibility:?}"));
    }
}

#[test]
fn hidden_parts_and_models_are_hit_only_with_any_visibility() {
    let files = [
        ("figure.abc", abc_bytes(&abc_figure())),
        ("quads.lgw", quads(0.1)),
        ("figure.mdl", mdl_figure(Precision::Bits8).to_bytes()),
    ];
    let mut test = RayTest::of(TestApp::new(&files));
    let settings = AbcLoaderSettings {
        separate_node_meshes: true,
        ..AbcLoaderSettings::default()
    };
    let model = abc_app::load(&mut test.app, "figure.abc", settings).unwrap();
    let abc = abc_app::spawn(&mut test.app, &model, ());
    test.settle();
    let instance = test.world().get::<AbcInstance>(abc).unwrap();
    let (body, arm) = (instance.meshes()[0], instance.meshes()[1]);
    let mut all = test.targets(abc, &[]);
    test.compare(&all, |query| query, 200, "all nodes");
    let hidden = PartVisibility::hidden(["arm"]);
    test.world().entity_mut(abc).insert(hidden);
    test.settle();
    let any = |query: RayQuery| query.with_visibility(ModelRayCastVisibility::Any);
    test.compare(&all, any, 200, "hidden node, any visibility");
    all.triangles.retain(|triangle| triangle.entity != arm);
    assert!(all.triangles.iter().all(|it| it.entity == body));
    for visibility in [
        ModelRayCastVisibility::Solid,
        ModelRayCastVisibility::SolidAtCurrentLod,
        ModelRayCastVisibility::Visible,
    ] {
        let configure = |query: RayQuery| query.with_visibility(visibility);
        test.compare(
            &all,
            configure,
            200,
            &format!("hidden node, {visibility:?}"),
        );
    }
    test.world().entity_mut(abc).despawn();

    let lgw = test.spawn("quads.lgw#Scene", ());
    let mut all = test.targets(lgw, &[]);
    let parts = test.world().get::<LgwInstance>(lgw).unwrap();
    let (part, name) = (parts.meshes()[0], parts.model().meshes[0].name.clone());
    let hidden = PartVisibility::hidden([&*name]);
    test.world().entity_mut(lgw).insert(hidden);
    test.settle();
    let is_of_part = |triangle: &mut Triangle| triangle.entity == part;
    let of_part: Vec<Triangle> = all.triangles.extract_if(.., is_of_part).collect();
    let queries = test.random.rays(&of_part, 200).into_iter();
    let queries: Vec<RayQuery> = queries
        .map(|ray| RayQuery {
            backfaces: Backfaces::Keep,
            ..RayQuery::new(ray)
        })
        .collect();
    for (visibility, is_hit) in [
        (ModelRayCastVisibility::Any, true),
        (ModelRayCastVisibility::Solid, false),
        (ModelRayCastVisibility::Visible, false),
    ] {
        let queries = queries.iter().cloned();
        let queries = queries.map(|query| query.with_visibility(visibility));
        let queries = queries.collect();
        let results = test.caster.cast(test.app.app.world_mut(), queries);
        let hits = results.iter().flat_map(|result| &result.hits);
        let count = hits.filter(|hit| hit.part == part).count();
        assert_eq!(count > 0, is_hit, "{visibility:?}");
    }
    test.world().entity_mut(lgw).despawn();

    let mdl = test.spawn("figure.mdl#Scene", Visibility::Hidden);
    let targets = test.targets(mdl, &files[2].1);
    test.assert_no_hits(&targets, ModelRayCastVisibility::Solid);
    test.assert_no_hits(&targets, ModelRayCastVisibility::VisibleInView);
    test.compare(&targets, any, 200, "hidden root");
}

#[test]
fn rays_hit_the_reloaded_file() {
    let mut doubled = mdl_figure(Precision::Bits8);
    for axis in 0..3 {
        doubled.header.scale[axis] *= 2.0;
        doubled.header.origin[axis] *= 2.0;
    }
    let reloads: [(&str, &str, Vec<u8>, Vec<u8>); 3] = [
        (
            "model.mdl",
            "model.mdl#Scene",
            mdl_figure(Precision::Bits8).to_bytes(),
            doubled.to_bytes(),
        ),
        (
            "model.abc",
            "model.abc#Scene",
            abc_bytes(&abc_figure()),
            abc_bytes(&banner()),
        ),
        ("model.lgw", "model.lgw#Scene", quads(0.1), quads(0.4)),
    ];
    let files: Vec<(&str, Vec<u8>)> = reloads
        .iter()
        .map(|(path, _, before, _)| (*path, before.clone()))
        .collect();
    let mut test = RayTest::of(TestApp::new(&files));
    for (path, scene, before, after) in reloads {
        let root = test.spawn(scene, ());
        let old = test.targets(root, &before);
        test.compare(&old, |query| query, 200, &format!("{path} before"));
        test.app.keep_loaded(path);
        test.app.replace(path, after.clone());
        test.settle();
        let new = test.targets(root, &after);
        assert!(new.triangles[0].entity != old.triangles[0].entity);
        test.compare(&new, |query| query, 200, &format!("{path} after"));
        test.world().entity_mut(root).despawn();
        test.settle();
        test.assert_no_hits(&new, ModelRayCastVisibility::Any);
    }
}

/// The distance at which a ray enters a box around the origin, in a space. `None` if it misses it or rounding decides.
fn box_entry(ray: &Ray3d, space: bevy::math::DAffine3, half: DVec3) -> Option<Option<f64>> {
    let inverse = space.inverse();
    let origin = inverse.transform_point3(ray.origin.as_dvec3());
    let direction = inverse.transform_vector3(ray.direction.as_vec3().as_dvec3());
    let a = (-half - origin) / direction;
    let b = (half - origin) / direction;
    let (near, far) = (a.min(b).max_element(), a.max(b).min_element());
    let gap = (far - near).abs();
    if gap < 1e-2 || near.abs() < 1e-2 {
        return None;
    }
    Some((near < far && near > 0.0).then_some(near))
}

#[test]
fn collision_boxes_replace_triangles_of_lithtech_models() {
    let mut plain = abc_figure();
    for animation in &mut plain.animations {
        animation.dims = None;
    }
    let files = [
        ("boxed.abc", abc_bytes(&abc_figure())),
        ("plain.abc", abc_bytes(&plain)),
    ];
    let mut test = RayTest::of(TestApp::new(&files));
    let transform = Transform::from_xyz(4.0, 5.0, -6.0)
        .with_rotation(Quat::from_rotation_y(0.7))
        .with_scale(Vec3::new(1.0, 0.5, -2.0));
    let root = test.spawn("boxed.abc#Scene", transform);
    for (clip, half) in [
        (None, [8.0, 24.0, 8.0]),
        (Some(1), [1.0, 2.0, 3.0]),
        (Some(2), [8.0, 24.0, 8.0]),
    ] {
        match clip {
            Some(clip) => abc_app::show(&mut test.app, root, clip, 0.0),
            None => test.settle(),
        }
        let first = test.world().get::<AbcInstance>(root).unwrap().nodes()[0];
        let scene = test.world().get::<ChildOf>(first).unwrap().parent();
        let space = by_transforms(test.world(), scene);
        let random = &mut test.random;
        let ray = |_| {
            let from = transform.translation.as_dvec3() + random.direction() * 90.0;
            let to = space.transform_point3(random.point(1.4) * DVec3::from_array(half));
            let direction = Dir3::new((to - from).as_vec3()).unwrap();
            Ray3d::new(from.as_vec3(), direction)
        };
        let rays: Vec<Ray3d> = (0..300).map(ray).collect();
        let queries = rays.iter().map(|ray| RayQuery {
            collision_boxes: true,
            backfaces: Backfaces::Keep,
            ..RayQuery::new(*ray).with_visibility(ModelRayCastVisibility::Solid)
        });
        let queries = queries.collect();
        let results = test.caster.cast(test.app.app.world_mut(), queries);
        let mut counts = [0; 2];
        for (ray, result) in rays.iter().zip(results) {
            let Some(expected) = box_entry(ray, space, DVec3::from_array(half)) else {
                continue;
            };
            counts[usize::from(expected.is_some())] += 1;
            assert_eq!(result.any, expected.is_some(), "{ray:?}");
            assert_eq!(result.hits.len(), usize::from(expected.is_some()));
            if let (Some(distance), [hit]) = (expected, &result.hits[..]) {
                assert_eq!((hit.root, hit.part, hit.bone), (root, root, None));
                assert!((f64::from(hit.distance) - distance).abs() < 1e-3, "{hit:?}");
                assert_eq!(hit.uv, None);
            }
        }
        assert!(counts.iter().all(|count| *count > 20), "{counts:?}");
    }
    test.world().entity_mut(root).despawn();
    let root = test.spawn("plain.abc#Scene", transform);
    let targets = test.targets(root, &[]);
    let boxes = |query| RayQuery {
        collision_boxes: true,
        ..query
    };
    test.compare(&targets, boxes, 200, "without boxes");
}
