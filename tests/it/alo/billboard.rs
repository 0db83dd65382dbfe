//! Bones that turn to the camera, to the light or with the wind.

use crate::support::app::TestApp;
use crate::support::stage::Stage;
use bevy::app::AnimationSystems;
use bevy::asset::RenderAssetUsages;
use bevy::image::ImageSampler;
use bevy::mesh::{Indices, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{Extent3d, TextureDimension, TextureFormat};
use bevy_classic_models::alamo::{AloBillboard, AloRoot, Billboard};
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::{BillboardCamera, Wind};
use std::f32::consts::FRAC_PI_2;

/// A model that is turned, moved and scaled, with a bone below a bone that is turned and moved too.
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
        let root = world.spawn((AloRoot, up, ChildOf(outside))).id();
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
        self.app.world().entity_mut(entity).insert(transform);
    }

    /// What propagation has made of it in the last frame.
    fn global(&mut self, entity: Entity) -> GlobalTransform {
        *self.app.world().get::<GlobalTransform>(entity).unwrap()
    }

    fn local(&mut self, entity: Entity) -> Transform {
        *self.app.world().get::<Transform>(entity).unwrap()
    }

    /// The bone as it would be without a turn: a space of its own.
    fn unturned(&mut self, base: Transform) -> GlobalTransform {
        self.global(self.parent) * base
    }

    /// The turned bone's axes in the space of the bone that does not turn.
    fn axis(&mut self, base: Transform, axis: Vec3) -> Vec3 {
        let own = self.unturned(base).affine().inverse();
        let world = self.global(self.bone).affine().transform_vector3(axis);
        own.transform_vector3(world)
    }

    #[track_caller]
    fn faces_camera(&mut self, what: &str) {
        let (camera, bone) = (self.global(self.camera), self.global(self.bone));
        let rotation = bone.rotation();
        same(rotation * Vec3::NEG_Y, *camera.back(), what);
        same(rotation * Vec3::Z, *camera.up(), what);
        same(rotation * Vec3::X, *camera.right(), what);
    }

    #[track_caller]
    fn keeps_place_and_size(&mut self, base: Transform, what: &str) {
        let (bone, unturned) = (self.global(self.bone), self.unturned(base));
        same(bone.translation(), unturned.translation(), what);
        same(bone.scale(), unturned.scale(), what);
    }

    /// A bone that stands upright in its own space and whose back looks along a world direction.
    #[track_caller]
    fn has_its_back_to(&mut self, base: Transform, world: Vec3, what: &str) {
        let own = self.unturned(base).affine().inverse();
        let heading = own.transform_vector3(world).with_z(0.0).normalize();
        same(self.axis(base, Vec3::Y), heading, what);
        same(self.axis(base, Vec3::Z), Vec3::Z, what);
        self.keeps_place_and_size(base, what);
    }

    /// The bone is where its rest place goes when the model's +X is turned to the sun.
    #[track_caller]
    fn is_at_the_sun(&mut self, base: Transform, what: &str) {
        let model = self.global(self.root).affine();
        let unturned = self.unturned(base).translation();
        let rest = model.inverse().transform_point3(unturned);
        let towards = *self.global(self.light).back();
        let sun = model.inverse().transform_vector3(towards).normalize();
        let side = Vec3::Z.cross(sun).normalize();
        let carried = rest.x * sun + rest.y * side + rest.z * sun.cross(side);
        let place = self.global(self.bone).translation();
        same(place, model.transform_point3(carried), what);
        let (bone, unturned) = (self.global(self.bone), self.unturned(base));
        same(bone.scale(), unturned.scale(), what);
    }

    #[track_caller]
    fn child_follows(&mut self, what: &str) {
        let along = self
            .global(self.bone)
            .transform_point(Vec3::new(0.0, -3.0, 0.0));
        let child = self.global(self.child).translation();
        same(child, along, what);
    }

    #[track_caller]
    fn check(&mut self, mode: Billboard, base: Transform, what: &str) {
        let what = format!("{mode:?}, {what}");
        match mode {
            Billboard::None => {
                let (bone, unturned) = (self.global(self.bone), self.unturned(base));
                assert!(bone.affine().abs_diff_eq(unturned.affine(), 1e-4), "{what}");
            }
            Billboard::Parallel | Billboard::Face => {
                self.faces_camera(&what);
                self.keeps_place_and_size(base, &what);
            }
            Billboard::ZView => {
                let bone = self.unturned(base).translation();
                let away = bone - self.global(self.camera).translation();
                self.has_its_back_to(base, away, &what);
            }
            Billboard::ZLight => {
                let light = *self.global(self.light).forward();
                self.has_its_back_to(base, light, &what);
            }
            Billboard::ZWind => {
                let wind = self.app.world().resource::<Wind>().direction;
                self.has_its_back_to(base, wind, &what);
            }
            Billboard::SunGlow | Billboard::Sun => {
                self.faces_camera(&what);
                self.is_at_the_sun(base, &what);
            }
        }
        self.child_follows(&what);
    }
}

#[track_caller]
fn same(a: Vec3, b: Vec3, what: &str) {
    assert!(a.abs_diff_eq(b, 1e-4), "{what}: {a} is not {b}");
}

fn modes() -> impl Iterator<Item = Billboard> {
    (0..8).filter_map(Billboard::from_raw)
}

#[test]
fn every_mode_is_right_in_the_frame_in_which_something_moves() {
    for mode in modes() {
        let mut model = Model::new(mode);
        model.check(mode, rest(), "at the start");

        let camera = Transform::from_xyz(30.0, -4.0, -9.0).looking_at(Vec3::ZERO, Vec3::X);
        model.set(model.camera, camera);
        model.app.step(0.1);
        model.check(mode, rest(), "another camera");

        model.set(
            model.light,
            Transform::from_xyz(-2.0, 1.0, 0.5).looking_at(Vec3::ZERO, Vec3::Y),
        );
        model.app.world().resource_mut::<Wind>().direction = Vec3::new(-1.0, 0.2, 3.0);
        model.app.step(0.1);
        model.check(mode, rest(), "another light and wind");

        let outside = Transform::from_xyz(-3.0, 0.0, 1.0)
            .with_rotation(Quat::from_rotation_y(2.5))
            .with_scale(Vec3::splat(0.7));
        model.set(model.outside, outside);
        model.set(
            model.parent,
            Transform::from_xyz(0.0, 1.0, 0.0).with_rotation(Quat::from_rotation_z(1.0)),
        );
        model.app.step(0.1);
        model.check(mode, rest(), "another place");

        for _ in 0..5 {
            model.app.step(0.1);
        }
        model.check(mode, rest(), "later");
        let base = model
            .app
            .world()
            .get::<AloBillboard>(model.bone)
            .unwrap()
            .base();
        assert_eq!(base, rest(), "{mode:?} crept into its base");
    }
}

#[test]
fn an_animation_moves_what_turns() {
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
fn bones_turn_after_animations_of_the_same_frame() {
    #[derive(Resource)]
    struct Pose(Entity, Transform);
    let mut model = Model::new(Billboard::ZView);
    let pose = Transform::from_xyz(-3.0, 1.0, 2.0).with_rotation(Quat::from_rotation_y(0.5));
    let bone = model.bone;
    model.app.world().insert_resource(Pose(bone, pose));
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
fn an_animation_that_only_moves_a_bone_leaves_its_rotation() {
    for mode in modes() {
        let mut model = Model::new(mode);
        for frame in 1..4 {
            let place = Vec3::new(frame as f32, 1.0, -2.0);
            let bone = model.bone;
            model
                .app
                .world()
                .get_mut::<Transform>(bone)
                .unwrap()
                .translation = place;
            model.app.step(0.1);
            model.check(
                mode,
                rest().with_translation(place),
                &format!("frame {frame}"),
            );
        }
    }
}

#[test]
fn a_mode_that_is_taken_away_leaves_the_bone_as_it_was() {
    let mut model = Model::new(Billboard::Sun);
    assert_ne!(model.local(model.bone), rest());
    let bone = model.bone;
    model
        .app
        .world()
        .get_mut::<AloBillboard>(bone)
        .unwrap()
        .mode = Billboard::None;
    model.app.step(0.0);
    assert_eq!(model.local(model.bone), rest());
}

#[test]
fn a_turned_bone_below_a_turned_bone_faces_too() {
    let mut model = Model::new(Billboard::ZView);
    let inner = Transform::from_xyz(1.0, -2.0, 0.0).with_rotation(Quat::from_rotation_y(1.0));
    let inner = (
        AloBillboard::new(Billboard::Parallel),
        inner,
        ChildOf(model.child),
    );
    model.bone = model.app.world().spawn(inner).id();
    for place in [Vec3::new(5.0, 1.0, 9.0), Vec3::new(-8.0, 4.0, 3.0)] {
        model.set(
            model.camera,
            Transform::from_translation(place).looking_at(Vec3::ZERO, Vec3::Y),
        );
        model.app.step(0.1);
        model.faces_camera("below another");
    }
}

#[test]
fn nothing_turns_without_a_camera_or_a_light() {
    for mode in modes().filter(|mode| *mode != Billboard::ZWind) {
        let mut model = Model::new(mode);
        for entity in [model.camera, model.light] {
            model.app.world().despawn(entity);
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
fn a_bone_at_rest_is_not_a_change() {
    #[derive(Resource, Default)]
    struct Changes(usize);
    let mut model = Model::new(Billboard::Parallel);
    model.app.world().init_resource::<Changes>();
    let count = |bones: Query<(Ref<Transform>, Ref<AloBillboard>)>,
                 mut changes: ResMut<Changes>| {
        let changed = bones
            .iter()
            .filter(|(place, bone)| place.is_changed() || bone.is_changed());
        changes.0 += changed.count();
    };
    model.app.app.add_systems(Last, count);
    model.app.step(0.1);
    let so_far = model.app.world().resource::<Changes>().0;
    assert_eq!(so_far, 1, "the system is new, and sees all as changed");
    for _ in 0..3 {
        model.app.step(0.1);
    }
    assert_eq!(model.app.world().resource::<Changes>().0, so_far);
}

#[test]
fn the_marked_camera_is_faced_before_the_one_of_least_order() {
    let mut model = Model::new(Billboard::Parallel);
    let spawn = |model: &mut Model, order: isize, is_active: bool, to: Vec3| {
        let camera = Camera {
            order,
            is_active,
            ..default()
        };
        let place = Transform::default().looking_to(to, Vec3::Y);
        model
            .app
            .world()
            .spawn((Camera3d::default(), camera, place))
            .id()
    };
    let inactive = spawn(&mut model, -9, false, Vec3::X);
    let later = spawn(&mut model, 3, true, Vec3::Z);
    let marked = spawn(&mut model, 7, true, Vec3::new(1.0, 0.0, 1.0));
    let unseen = spawn(&mut model, -7, true, Vec3::new(1.0, 0.0, 5.0));
    let nowhere = bevy::camera::RenderTarget::None { size: UVec2::ONE };
    model.app.world().entity_mut(unseen).insert(nowhere);
    let flat = spawn(&mut model, -8, true, Vec3::new(1.0, 0.0, -5.0));
    model.app.world().entity_mut(flat).remove::<Camera3d>();
    model.app.step(0.0);
    model.faces_camera("the one of least order");

    let first = spawn(&mut model, -1, true, Vec3::NEG_X);
    model.app.step(0.0);
    let old = std::mem::replace(&mut model.camera, first);
    model.faces_camera("a lower order");

    model.app.world().entity_mut(marked).insert(BillboardCamera);
    model.app.step(0.0);
    model.camera = marked;
    model.faces_camera("the marked");
    for camera in [old, first, inactive, later] {
        model.app.world().despawn(camera);
    }
    model.app.step(0.0);
    model.faces_camera("the marked alone");
}

#[test]
fn the_brightest_light_that_is_not_hidden_counts() {
    let mut model = Model::new(Billboard::ZLight);
    let old = model.light;
    let bright = DirectionalLight {
        illuminance: 90_000.0,
        ..default()
    };
    let to = Transform::default().looking_to(Vec3::new(0.3, -1.0, 0.6), Vec3::X);
    let bright = model.app.world().spawn((bright, to)).id();
    model.app.step(0.0);
    model.light = bright;
    model.check(Billboard::ZLight, rest(), "the brighter");
    model
        .app
        .world()
        .entity_mut(bright)
        .insert(Visibility::Hidden);
    model.app.step(0.0);
    model.light = old;
    model.check(Billboard::ZLight, rest(), "the other is hidden");
}

#[test]
fn a_scene_may_hold_billboards() {
    let mut source = World::new();
    let root = source
        .spawn((AloRoot, Transform::default(), Visibility::default()))
        .id();
    source.spawn((
        AloBillboard::new(Billboard::Parallel),
        rest(),
        Visibility::default(),
        ChildOf(root),
    ));
    let mut model = Model::new(Billboard::None);
    let scene = model
        .app
        .world()
        .resource_mut::<Assets<WorldAsset>>()
        .add(WorldAsset::new(source));
    model.app.world().spawn(WorldAssetRoot(scene));
    let ready = crate::gpuless::wait_until(&mut model.app.app, |world| {
        world.query::<&AloBillboard>().iter(world).count() == 2
    });
    assert!(ready, "the scene was not spawned");
    let bone = model.bone;
    let world = model.app.world();
    let mut bones = world.query::<(Entity, &AloBillboard)>();
    let spawned = bones
        .iter(world)
        .map(|(entity, _)| entity)
        .find(|entity| *entity != bone);
    model.bone = spawned.unwrap();
    model.app.step(0.0);
    model.faces_camera("spawned from a scene");
}

// What is seen.

/// Left to right, then down: no turn and no mirror of it looks the same.
const COLORS: [[u8; 3]; 6] = [
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
    [255, 255, 0],
    [0, 255, 255],
    [255, 255, 255],
];

/// The half width and half height of the picture's square.
const HALF: Vec2 = Vec2::new(18.0, 12.0);

fn picture() -> Image {
    let size = Extent3d {
        width: 3,
        height: 2,
        depth_or_array_layers: 1,
    };
    let data = COLORS
        .iter()
        .flat_map(|[r, g, b]| [*r, *g, *b, 255])
        .collect();
    let format = TextureFormat::Rgba8UnormSrgb;
    let mut image = Image::new(
        size,
        TextureDimension::D2,
        data,
        format,
        RenderAssetUsages::default(),
    );
    image.sampler = ImageSampler::nearest();
    image
}

/// A square that is seen from one side, where its corners go counter-clockwise from the lower left.
fn square(corners: [Vec3; 4]) -> Mesh {
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

fn spawn_square(stage: &mut Stage, corners: [Vec3; 4]) -> Entity {
    let world = stage.world();
    let image = world.resource_mut::<Assets<Image>>().add(picture());
    let mesh = world.resource_mut::<Assets<Mesh>>().add(square(corners));
    let material = StandardMaterial {
        base_color_texture: Some(image),
        unlit: true,
        ..default()
    };
    let material = world
        .resource_mut::<Assets<StandardMaterial>>()
        .add(material);
    world.spawn((Mesh3d(mesh), MeshMaterial3d(material))).id()
}

#[test]
fn a_parallel_bone_shows_its_front_upright_and_unmirrored() {
    let mut stage = Stage::dark(&[]);
    let world = stage.world();
    let turned = Transform::from_xyz(3.0, 4.0, -6.0)
        .with_rotation(Quat::from_rotation_y(2.0) * Quat::from_rotation_x(-FRAC_PI_2));
    let root = world.spawn((AloRoot, turned, Visibility::default())).id();
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
    let subject = spawn_square(&mut stage, LOWER_LEFT_FIRST.map(in_bone));
    stage.world().entity_mut(subject).insert(ChildOf(bone));
    let center = turned.transform_point(Vec3::new(4.0, -3.0, 2.0));

    for view in [
        Vec3::new(50.0, 35.0, -70.0),
        Vec3::new(-75.0, 20.0, 35.0),
        Vec3::new(5.0, -60.0, 50.0),
    ] {
        stage.look_from(view);
        let seen = stage.capture();
        let camera = *stage.camera().get::<Transform>().unwrap();
        let in_world = |corner: Vec2| {
            center + camera.right() * corner.x * HALF.x + camera.up() * corner.y * HALF.y
        };
        let control = spawn_square(&mut stage, LOWER_LEFT_FIRST.map(in_world));
        stage.world().entity_mut(bone).insert(Visibility::Hidden);
        let expected = stage.capture();
        seen.assert_is(&expected, &format!("parallel bone from {view}"));
        stage.world().entity_mut(bone).insert(Visibility::Inherited);
        stage.world().despawn(control);

        // The control shows what it should: each colour left of the next, and above the next row.
        let seen_at = |color: [u8; 3]| {
            let texels = seen.0.iter().enumerate();
            let of_color = texels.filter(|(_, texel)| texel[..3] == color);
            let places: Vec<_> = of_color
                .map(|(index, _)| Vec2::new((index % 320) as f32, (index / 320) as f32))
                .collect();
            assert!(
                places.len() > 500,
                "{color:?} is seen on {} pixels",
                places.len()
            );
            places.iter().sum::<Vec2>() / places.len() as f32
        };
        let [a, b, c, d, e, f] = COLORS.map(seen_at);
        assert!(a.x + 20.0 < b.x && b.x + 20.0 < c.x && d.x + 20.0 < e.x && e.x + 20.0 < f.x);
        assert!(a.y + 20.0 < d.y && b.y + 20.0 < e.y && c.y + 20.0 < f.y);
    }
}
