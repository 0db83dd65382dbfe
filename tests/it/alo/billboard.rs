//! Billboard bones: transforms for every mode, and rendered orientation.

use crate::support::prelude::*;
use bevy::app::AnimationSystems;
use bevy_classic_models::alamo::AloSceneRoot;
use bevy_classic_models::root::BillboardCamera;
use std::f32::consts::FRAC_PI_2;

/// A rotated, moved and scaled model with a billboard bone. The bone's parent is rotated and moved too.
struct Model {
    app: TestApp,
    outside: Entity,
    root: Entity,
    parent: Entity,
    bone: Entity,
    child: Entity,
    camera: Entity,
    light: Entity,
}

const REST: Vec3 = Vec3::new(2.0, -1.0, 0.5);

fn rest() -> Transform {
    Transform::from_translation(REST)
        .with_rotation(Quat::from_euler(EulerRot::ZYX, 0.4, 0.0, 0.0))
        .with_scale(Vec3::splat(1.5))
}

impl Model {
    fn new(mode: Billboard) -> Self {
        let mut app = TestApp::new(&[]);
        let world = app.world();
        let outside = Transform::from_xyz(10.0, 2.0, -7.0)
            .with_rotation(Quat::from_euler(EulerRot::YXZ, 0.9, 0.2, -0.3))
            .with_scale(Vec3::splat(2.0));
        let outside = world.spawn((outside, Visibility::default())).id();
        let up = Transform::from_rotation(Quat::from_rotation_x(-FRAC_PI_2));
        let root = world.spawn((AloSceneRoot, up, ChildOf(outside))).id();
        let parent = Transform::from_xyz(0.5, 3.0, 1.0).with_rotation(Quat::from_rotation_x(0.7));
        let parent = world.spawn((parent, ChildOf(root))).id();
        let bone = (AloBillboard::new(mode), rest(), ChildOf(parent));
        let bone = world.spawn(bone).id();
        let child = Transform::from_xyz(0.0, -3.0, 0.0);
        let child = world.spawn((child, ChildOf(bone))).id();
        let camera =
            Transform::from_xyz(-4.0, 9.0, 12.0).looking_at(Vec3::new(8.0, 1.0, 0.0), Vec3::Y);
        let camera = world.spawn((Camera3d::default(), camera)).id();
        let light = Transform::from_xyz(3.0, 5.0, 2.0).looking_at(Vec3::ZERO, Vec3::Y);
        let light = world.spawn((DirectionalLight::default(), light)).id();
        let mut model = Self {
            app,
            outside,
            root,
            parent,
            bone,
            child,
            camera,
            light,
        };
        model.app.step(0.0);
        model
    }

    fn set(&mut self, entity: Entity, transform: Transform) {
        self.app.insert(entity, transform);
    }

    /// The global transform of the last frame.
    fn global(&mut self, entity: Entity) -> GlobalTransform {
        *self.app.get::<GlobalTransform>(entity)
    }

    fn local(&mut self, entity: Entity) -> Transform {
        *self.app.get::<Transform>(entity)
    }

    /// The bone's global transform without the billboard rotation.
    fn unrotated(&mut self, base: Transform) -> GlobalTransform {
        self.global(self.parent) * base
    }

    /// An axis of the rotated bone in the space of the unrotated bone.
    fn axis(&mut self, base: Transform, axis: Vec3) -> Vec3 {
        let from_world = self.unrotated(base).affine().inverse();
        let world = self.global(self.bone).affine().transform_vector3(axis);
        from_world.transform_vector3(world)
    }

    #[track_caller]
    fn assert_faces_camera(&mut self, context: &str) {
        let (camera, bone) = (self.global(self.camera), self.global(self.bone));
        let rotation = bone.rotation();
        assert_near(rotation * Vec3::NEG_Y, *camera.back(), context);
        assert_near(rotation * Vec3::Z, *camera.up(), context);
        assert_near(rotation * Vec3::X, *camera.right(), context);
    }

    #[track_caller]
    fn assert_keeps_position_and_scale(&mut self, base: Transform, context: &str) {
        let (bone, unrotated) = (self.global(self.bone), self.unrotated(base));
        assert_near(bone.translation(), unrotated.translation(), context);
        assert_near(bone.scale(), unrotated.scale(), context);
    }

    /// Asserts that the bone is upright in its own space and its back points along a world direction.
    #[track_caller]
    fn assert_back_points_to(&mut self, base: Transform, world: Vec3, context: &str) {
        let from_world = self.unrotated(base).affine().inverse();
        let heading = from_world.transform_vector3(world).with_z(0.0).normalize();
        assert_near(self.axis(base, Vec3::Y), heading, context);
        assert_near(self.axis(base, Vec3::Z), Vec3::Z, context);
        self.assert_keeps_position_and_scale(base, context);
    }

    /// Asserts that the bone's rest position is rotated as from the model's +X to the direction of the sun.
    #[track_caller]
    fn assert_is_at_sun(&mut self, base: Transform, context: &str) {
        let model = self.global(self.root).affine();
        let unrotated = self.unrotated(base).translation();
        let rest = model.inverse().transform_point3(unrotated);
        let to_sun = *self.global(self.light).back();
        let sun = model.inverse().transform_vector3(to_sun).normalize();
        let side = Vec3::Z.cross(sun).normalize();
        let expected = rest.x * sun + rest.y * side + rest.z * sun.cross(side);
        let position = self.global(self.bone).translation();
        assert_near(position, model.transform_point3(expected), context);
        let (bone, unrotated) = (self.global(self.bone), self.unrotated(base));
        assert_near(bone.scale(), unrotated.scale(), context);
    }

    #[track_caller]
    fn assert_child_follows(&mut self, context: &str) {
        let expected = self
            .global(self.bone)
            .transform_point(Vec3::new(0.0, -3.0, 0.0));
        let child = self.global(self.child).translation();
        assert_near(child, expected, context);
    }

    #[track_caller]
    fn check(&mut self, mode: Billboard, base: Transform, context: &str) {
        let context = format!("{mode:?}, {context}");
        match mode {
            Billboard::None => {
                let (bone, unrotated) = (self.global(self.bone), self.unrotated(base));
                assert!(
                    bone.affine().abs_diff_eq(unrotated.affine(), 1e-4),
                    "{context}"
                );
            }
            Billboard::Parallel | Billboard::Face => {
                self.assert_faces_camera(&context);
                self.assert_keeps_position_and_scale(base, &context);
            }
            Billboard::ZView => {
                let bone = self.unrotated(base).translation();
                let away = bone - self.global(self.camera).translation();
                self.assert_back_points_to(base, away, &context);
            }
            Billboard::ZLight => {
                let light = *self.global(self.light).forward();
                self.assert_back_points_to(base, light, &context);
            }
            Billboard::ZWind => {
                let wind = self.app.world().resource::<Wind>().direction;
                self.assert_back_points_to(base, wind, &context);
            }
            Billboard::SunGlow | Billboard::Sun => {
                self.assert_faces_camera(&context);
                self.assert_is_at_sun(base, &context);
            }
        }
        self.assert_child_follows(&context);
    }
}

#[track_caller]
fn assert_near(a: Vec3, b: Vec3, context: &str) {
    assert!(a.abs_diff_eq(b, 1e-4), "{context}: {a}, expected {b}");
}

fn modes() -> impl Iterator<Item = Billboard> {
    (0..8).filter_map(Billboard::from_raw)
}

#[test]
fn every_mode_follows_changes_in_the_same_frame() {
    for mode in modes() {
        let mut model = Model::new(mode);
        model.check(mode, rest(), "at the start");

        let camera = Transform::from_xyz(30.0, -4.0, -9.0).looking_at(Vec3::ZERO, Vec3::X);
        model.set(model.camera, camera);
        model.app.step(0.1);
        model.check(mode, rest(), "another camera");

        let light = Transform::from_xyz(-2.0, 1.0, 0.5).looking_at(Vec3::ZERO, Vec3::Y);
        model.set(model.light, light);
        model.app.world().resource_mut::<Wind>().direction = Vec3::new(-1.0, 0.2, 3.0);
        model.app.step(0.1);
        model.check(mode, rest(), "another light and wind");

        let outside = Transform::from_xyz(-3.0, 0.0, 1.0)
            .with_rotation(Quat::from_rotation_y(2.5))
            .with_scale(Vec3::splat(0.7));
        model.set(model.outside, outside);
        let parent = Transform::from_xyz(0.0, 1.0, 0.0);
        let parent = parent.with_rotation(Quat::from_rotation_z(1.0));
        model.set(model.parent, parent);
        model.app.step(0.1);
        model.check(mode, rest(), "another position");

        model.app.steps(5, 0.1);
        model.check(mode, rest(), "later");
        let base = model.app.get::<AloBillboard>(model.bone).base();
        assert_eq!(base, rest(), "the rotation of {mode:?} changed the base");
    }
}

#[test]
fn animations_move_billboards() {
    for mode in modes() {
        let mut model = Model::new(mode);
        for frame in 0..4 {
            let time = frame as f32;
            let base = Transform::from_xyz(time, 2.0 - time, 0.3 * time)
                .with_rotation(Quat::from_rotation_x(0.3 * time))
                .with_scale(Vec3::splat(1.0 + time));
            model.set(model.bone, base);
            model.app.step(0.1);
            model.check(mode, base, &format!("frame {frame}"));
        }
    }
}

#[test]
fn billboards_rotate_after_animations_of_the_same_frame() {
    #[derive(Resource)]
    struct Pose(Entity, Transform);
    let mut model = Model::new(Billboard::ZView);
    let pose = Transform::from_xyz(-3.0, 1.0, 2.0).with_rotation(Quat::from_rotation_y(0.5));
    let bone = model.bone;
    model.app.insert_resource(Pose(bone, pose));
    let animate = |pose: Res<Pose>, mut transforms: Query<&mut Transform>| {
        *transforms.get_mut(pose.0).unwrap() = pose.1;
    };
    let animate = animate.in_set(AnimationSystems);
    model.app.app.add_systems(PostUpdate, animate);
    for _ in 0..2 {
        model.app.step(0.1);
        model.check(Billboard::ZView, pose, "animated");
    }
}

#[test]
fn animations_of_translation_keep_the_base_rotation() {
    for mode in modes() {
        let mut model = Model::new(mode);
        for frame in 1..4 {
            let position = Vec3::new(frame as f32, 1.0, -2.0);
            let bone = model.bone;
            model.app.get_mut::<Transform>(bone).translation = position;
            model.app.step(0.1);
            let base = rest().with_translation(position);
            model.check(mode, base, &format!("frame {frame}"));
        }
    }
}

#[test]
fn removing_the_mode_restores_the_bone() {
    let mut model = Model::new(Billboard::Sun);
    assert_ne!(model.local(model.bone), rest());
    let bone = model.bone;
    model.app.get_mut::<AloBillboard>(bone).mode = Billboard::None;
    model.app.step(0.0);
    assert_eq!(model.local(model.bone), rest());
}

#[test]
fn nested_billboards_face_the_camera() {
    let mut model = Model::new(Billboard::ZView);
    let inner = Transform::from_xyz(1.0, -2.0, 0.0).with_rotation(Quat::from_rotation_y(1.0));
    let inner = (
        AloBillboard::new(Billboard::Parallel),
        inner,
        ChildOf(model.child),
    );
    model.bone = model.app.spawn_entity(inner);
    for position in [Vec3::new(5.0, 1.0, 9.0), Vec3::new(-8.0, 4.0, 3.0)] {
        let camera = Transform::from_translation(position).looking_at(Vec3::ZERO, Vec3::Y);
        model.set(model.camera, camera);
        model.app.step(0.1);
        model.assert_faces_camera("below another billboard");
    }
}

#[test]
fn billboards_stay_at_rest_without_a_camera_or_light() {
    for mode in modes().filter(|mode| *mode != Billboard::ZWind) {
        let mut model = Model::new(mode);
        for entity in [model.camera, model.light] {
            model.app.despawn(entity);
        }
        model.app.step(0.0);
        assert_eq!(model.local(model.bone), rest(), "{mode:?}");
    }
    let mut model = Model::new(Billboard::ZWind);
    model.app.world().resource_mut::<Wind>().direction = Vec3::ZERO;
    model.app.step(0.0);
    assert_eq!(model.local(model.bone), rest());
}

#[test]
fn unchanged_billboards_trigger_no_change_detection() {
    #[derive(Resource, Default)]
    struct Changes(usize);
    let mut model = Model::new(Billboard::Parallel);
    model.app.world().init_resource::<Changes>();
    let count = |bones: Query<(Ref<Transform>, Ref<AloBillboard>)>,
                 mut changes: ResMut<Changes>| {
        let changed = bones
            .iter()
            .filter(|(transform, bone)| transform.is_changed() || bone.is_changed());
        changes.0 += changed.count();
    };
    model.app.app.add_systems(Last, count);
    model.app.step(0.1);
    let so_far = model.app.world().resource::<Changes>().0;
    assert_eq!(so_far, 1, "a new system sees every component as changed");
    for _ in 0..3 {
        model.app.step(0.1);
    }
    assert_eq!(model.app.world().resource::<Changes>().0, so_far);
}

#[test]
fn marked_camera_takes_precedence_over_lowest_order() {
    let mut model = Model::new(Billboard::Parallel);
    let spawn = |model: &mut Model, order: isize, is_active: bool, to: Vec3| {
        let camera = Camera {
            order,
            is_active,
            ..default()
        };
        let transform = Transform::default().looking_to(to, Vec3::Y);
        model
            .app
            .spawn_entity((Camera3d::default(), camera, transform))
    };
    let inactive = spawn(&mut model, -9, false, Vec3::X);
    let later = spawn(&mut model, 3, true, Vec3::Z);
    let marked = spawn(&mut model, 7, true, Vec3::new(1.0, 0.0, 1.0));
    let untargeted = spawn(&mut model, -7, true, Vec3::new(1.0, 0.0, 5.0));
    let no_target = bevy::camera::RenderTarget::None { size: UVec2::ONE };
    model.app.insert(untargeted, no_target);
    let not_3d = spawn(&mut model, -8, true, Vec3::new(1.0, 0.0, -5.0));
    model.app.remove::<Camera3d>(not_3d);
    model.app.step(0.0);
    model.assert_faces_camera("the camera of lowest order");

    let first = spawn(&mut model, -1, true, Vec3::NEG_X);
    model.app.step(0.0);
    let old = std::mem::replace(&mut model.camera, first);
    model.assert_faces_camera("a new camera of lower order");

    model.app.insert(marked, BillboardCamera);
    model.app.step(0.0);
    model.camera = marked;
    model.assert_faces_camera("the marked camera");
    for camera in [old, first, inactive, later] {
        model.app.despawn(camera);
    }
    model.app.step(0.0);
    model.assert_faces_camera("only the marked camera");
}

#[test]
fn brightest_visible_light_is_used() {
    let mut model = Model::new(Billboard::ZLight);
    let old = model.light;
    let bright = DirectionalLight {
        illuminance: 90_000.0,
        ..default()
    };
    let to = Transform::default().looking_to(Vec3::new(0.3, -1.0, 0.6), Vec3::X);
    let bright = model.app.spawn_entity((bright, to));
    model.app.step(0.0);
    model.light = bright;
    model.check(Billboard::ZLight, rest(), "the brighter light");
    model.app.insert(bright, Visibility::Hidden);
    model.app.step(0.0);
    model.light = old;
    model.check(Billboard::ZLight, rest(), "the brighter light is hidden");
}

#[test]
fn billboards_in_scenes_work() {
    let mut source = World::new();
    let root = source
        .spawn((AloSceneRoot, Transform::default(), Visibility::default()))
        .id();
    source.spawn((
        AloBillboard::new(Billboard::Parallel),
        rest(),
        Visibility::default(),
        ChildOf(root),
    ));
    let mut model = Model::new(Billboard::None);
    let scene = model.app.add_asset(WorldAsset::new(source));
    model.app.world().spawn(WorldAssetRoot(scene));
    let ready = crate::gpuless::wait_until(&mut model.app.app, |world| {
        world.query::<&AloBillboard>().iter(world).count() == 2
    });
    assert!(ready, "the scene was not spawned");
    let bone = model.bone;
    let world = model.app.world();
    let mut bones = world.query::<(Entity, &AloBillboard)>();
    let mut spawned = bones.iter(world).map(|(entity, _)| entity);
    model.bone = spawned.find(|entity| *entity != bone).unwrap();
    model.app.step(0.0);
    model.assert_faces_camera("spawned from a scene");
}

// Rendering.

/// Left to right, then down. The image has no symmetry.
const COLORS: [[u8; 3]; 6] = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 0],
    [0, 255, 255],
    [255, 255, 255],
];

/// The half width and half height of the rectangle.
const HALF: Vec2 = Vec2::new(18.0, 12.0);

fn color_image() -> Image {
    let texels = COLORS.map(|[r, g, b]| [r, g, b, 255]);
    let data = texels.as_flattened().to_vec();
    let mut image = raw_image(3, data, TextureFormat::Rgba8UnormSrgb);
    image.sampler = ImageSampler::nearest();
    image
}

/// A single-sided rectangle. Seen from the front, the corners are counter-clockwise from the lower left.
fn rectangle(corners: [Vec3; 4]) -> Mesh {
    Mesh::new(
        PrimitiveTopology::TriangleList,
        RenderAssetUsages::default(),
    )
    .with_inserted_indices(Indices::U16(vec![0, 1, 2, 0, 2, 3]))
    .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, corners.to_vec())
    .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, vec![Vec3::Y; 4])
    .with_inserted_attribute(
        Mesh::ATTRIBUTE_UV_0,
        vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
    )
}

const LOWER_LEFT_FIRST: [Vec2; 4] = [
    Vec2::new(-1.0, -1.0),
    Vec2::new(1.0, -1.0),
    Vec2::new(1.0, 1.0),
    Vec2::new(-1.0, 1.0),
];

fn spawn_rectangle(stage: &mut Stage, corners: [Vec3; 4]) -> Entity {
    let image = stage.add_asset(color_image());
    let mesh = stage.add_asset(rectangle(corners));
    let material = stage.add_material(StandardMaterial {
        base_color_texture: Some(image),
        unlit: true,
        ..default()
    });
    stage.spawn_entity((Mesh3d(mesh), material))
}

#[test]
fn parallel_billboard_is_upright_and_unmirrored() {
    let mut stage = Stage::dark(&[]);
    let world = stage.world();
    let root_transform = Transform::from_xyz(3.0, 4.0, -6.0)
        .with_rotation(Quat::from_rotation_y(2.0) * Quat::from_rotation_x(-FRAC_PI_2));
    let root = world
        .spawn((AloSceneRoot, root_transform, Visibility::default()))
        .id();
    let bone = Transform::from_xyz(4.0, -3.0, 2.0).with_rotation(Quat::from_rotation_x(0.8));
    let bone = (
        AloBillboard::new(Billboard::Parallel),
        bone,
        Visibility::default(),
        ChildOf(root),
    );
    let bone = world.spawn(bone).id();
    // Seen from −Y, X is right and Z is up.
    let in_bone = |corner: Vec2| Vec3::new(corner.x * HALF.x, 0.0, corner.y * HALF.y);
    let entity = spawn_rectangle(&mut stage, LOWER_LEFT_FIRST.map(in_bone));
    stage.insert(entity, ChildOf(bone));
    let center = root_transform.transform_point(Vec3::new(4.0, -3.0, 2.0));

    for view in [
        Vec3::new(50.0, 35.0, -70.0),
        Vec3::new(-75.0, 20.0, 35.0),
        Vec3::new(5.0, -60.0, 50.0),
    ] {
        stage.move_camera(view);
        let subject = stage.capture();
        let camera = *stage.camera().get::<Transform>().unwrap();
        let in_world = |corner: Vec2| {
            center + camera.right() * corner.x * HALF.x + camera.up() * corner.y * HALF.y
        };
        let control = spawn_rectangle(&mut stage, LOWER_LEFT_FIRST.map(in_world));
        stage.insert(bone, Visibility::Hidden);
        let expected = stage.capture();
        subject.assert_matches(&expected, &format!("parallel bone from {view}"));
        stage.insert(bone, Visibility::Inherited);
        stage.despawn(control);

        // Check the control too: each color is left of the next, and above the next row.
        let color_center = |color: [u8; 3]| {
            let texels = subject.0.iter().enumerate();
            let of_color = texels.filter(|(_, texel)| texel[..3] == color);
            let pixels: Vec<_> = of_color
                .map(|(index, _)| Vec2::new((index % 320) as f32, (index / 320) as f32))
                .collect();
            assert!(
                pixels.len() > 500,
                "{color:?} covers only {} pixels",
                pixels.len()
            );
            pixels.iter().sum::<Vec2>() / pixels.len() as f32
        };
        let [a, b, c, d, e, f] = COLORS.map(color_center);
        assert!(a.x + 20.0 < b.x && b.x + 20.0 < c.x && d.x + 20.0 < e.x && e.x + 20.0 < f.x);
        assert!(a.y + 20.0 < d.y && b.y + 20.0 < e.y && c.y + 20.0 < f.y);
    }
}
