//! Picking parts of spawned Alamo models with Bevy's pointers.

use crate::ala::play::{FPS, ala, moves};
use crate::alo::raycast::unit_model;
use crate::support::prelude::*;
use bevy::camera::{ComputedCameraValues, ImageRenderTarget, RenderTargetInfo};
use bevy::picking::backend::HitData;
use bevy::picking::pointer::{PointerButton, PointerLocation};
use bevy::window::PrimaryWindow;
use bevy_classic_models::query::{ModelPickable, ModelPickingCamera, ModelPickingSettings};
use core::fmt::Debug;

pub const SIZE: UVec2 = UVec2::new(400, 300);

/// An app with two boxes, one above the other, a camera that looks down at them, and a pointer.
struct PickingApp {
    app: TestApp,
    root: Entity,
    hull: Entity,
    turret: Entity,
    camera: Entity,
    target: NormalizedRenderTarget,
}

/// The events that observers received.
#[derive(Resource, Default)]
struct Received(Vec<Event>);

struct Event {
    kind: &'static str,
    /// The observed entity.
    observed: Entity,
    /// The entity under the pointer.
    target: Entity,
    hit: HitData,
}

/// Receives the events of an entity of a type.
fn observe<E: Clone + Debug + Reflect>(
    world: &mut World,
    observed: Entity,
    kind: &'static str,
    hit: fn(&E) -> &HitData,
) {
    let receive = move |event: On<Pointer<E>>, mut received: ResMut<Received>| {
        received.0.push(Event {
            kind,
            observed,
            target: event.original_event_target(),
            hit: hit(&event).clone(),
        });
    };
    world.entity_mut(observed).observe(receive);
}

/// Spawns a pointer, and a camera 60 units above the origin that looks down. Returns the camera and its render target.
pub fn spawn_pointer(world: &mut World) -> (Entity, NormalizedRenderTarget) {
    // Bevy's picking requires a window, even without rendering.
    world.spawn((Window::default(), PrimaryWindow));
    let target = ImageRenderTarget {
        handle: world.resource::<Assets<Image>>().reserve_handle(),
        scale_factor: 1.0,
    };
    let aspect = SIZE.x as f32 / SIZE.y as f32;
    // Bevy computes these values only in apps that render.
    let computed = ComputedCameraValues {
        clip_from_view: Mat4::perspective_infinite_reverse_rh(0.9, aspect, 0.1),
        target_info: Some(RenderTargetInfo {
            physical_size: SIZE,
            scale_factor: 1.0,
        }),
        ..default()
    };
    let camera = Camera {
        computed,
        ..default()
    };
    let transform = Transform::from_xyz(0.0, 60.0, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z);
    let camera = (camera, RenderTarget::Image(target.clone()), transform);
    let camera = world.spawn(camera).id();
    let target = NormalizedRenderTarget::Image(target);
    let location = Location {
        target: target.clone(),
        position: Vec2::ONE,
    };
    world.spawn((PointerId::Mouse, PointerLocation::new(location)));
    (camera, target)
}

impl PickingApp {
    fn new(bundle: impl Bundle) -> Self {
        let files = [
            ("unit.alo", unit_model()),
            ("unit_MOVE_00.ala", ala(&moves(10.0))),
        ];
        let plugins = (ClassicModelsPlugins, PickingPlugin, InteractionPlugin);
        let mut app = TestApp::with_plugin(&files, plugins);
        let root = app.spawn_ready("unit.alo#Scene", bundle);
        let entities = submeshes(app.world(), root);
        let [hull, turret] = [(0, 0), (1, 0)].map(|part| entities[&part]);
        let world = app.world();
        world.init_resource::<Received>();
        let (camera, target) = spawn_pointer(world);
        for entity in [root, hull, turret] {
            observe(world, entity, "over", |over: &Over| &over.hit);
            observe(world, entity, "out", |out: &Out| &out.hit);
            observe(world, entity, "click", |click: &Click| &click.hit);
        }
        let mut picking = Self {
            app,
            root,
            hull,
            turret,
            camera,
            target,
        };
        picking.app.step(0.0);
        picking
    }

    fn world(&mut self) -> &mut World {
        self.app.world()
    }

    /// The viewport position of a world position.
    fn on_screen(&mut self, position: Vec3) -> Vec2 {
        let camera = self.camera;
        let camera = self.world().entity(camera);
        let (camera, transform) = (
            camera.get::<Camera>().unwrap(),
            camera.get::<GlobalTransform>().unwrap(),
        );
        camera.world_to_viewport(transform, position).unwrap()
    }

    fn act(&mut self, position: Vec3, action: PointerAction) {
        let location = Location {
            target: self.target.clone(),
            position: self.on_screen(position),
        };
        let input = PointerInput::new(PointerId::Mouse, location, action);
        self.world().write_message(input);
        self.app.step(0.0);
    }

    fn point_at(&mut self, position: Vec3) {
        self.act(position, PointerAction::Move { delta: Vec2::ONE });
    }

    /// Takes the events received since the last call.
    fn take_events(&mut self) -> Vec<Event> {
        core::mem::take(&mut self.world().resource_mut::<Received>().0)
    }

    /// The entities under the pointer, sorted.
    fn hovered(&mut self) -> Vec<Entity> {
        // Changes apply in the first frame, and picking sees them in the second.
        self.app.step(0.0);
        self.app.step(0.0);
        let hovered = self.world().resource::<HoverMap>().get(&PointerId::Mouse);
        let mut hovered: Vec<Entity> = hovered
            .into_iter()
            .flat_map(|map| map.keys().copied())
            .collect();
        hovered.sort();
        hovered
    }

    fn insert(&mut self, entity: Entity, bundle: impl Bundle) {
        self.world().entity_mut(entity).insert(bundle);
    }

    fn remove<B: Bundle>(&mut self, entity: Entity) {
        self.world().entity_mut(entity).remove::<B>();
    }
}

/// A point on the top of the upper box. The lower box is below.
const ON_TURRET: Vec3 = Vec3::new(0.3, 6.5, 0.4);
const BESIDE: Vec3 = Vec3::new(9.0, 6.5, 0.4);

#[track_caller]
fn assert_events(picking: &mut PickingApp, kind: &str) {
    let (root, turret) = (picking.root, picking.turret);
    let events = picking.take_events();
    let found = events
        .iter()
        .map(|event| (event.kind, event.observed, event.target));
    let found: Vec<_> = found.collect();
    assert_eq!(found, [(kind, turret, turret), (kind, root, turret)]);
    for event in events {
        let part = event.hit.extra_as::<ModelRayHit>().unwrap();
        // The top is the fifth side of the box.
        assert!([8, 9].contains(&part.triangle), "{part:?}");
        let bone = picking.world().get::<AloInstance>(root).unwrap().bones()[2];
        assert_eq!(
            (part.root, part.part, part.bone),
            (root, turret, Some(bone))
        );
        let (position, normal) = (event.hit.position.unwrap(), event.hit.normal.unwrap());
        assert!(position.abs_diff_eq(ON_TURRET, 1e-3), "{position}");
        assert!(normal.abs_diff_eq(Vec3::Y, 1e-5), "{normal}");
        // Depth is measured from the near plane.
        let depth = event.hit.depth;
        assert!((53.3..53.6).contains(&depth), "{depth}");
    }
}

#[test]
fn pointer_events_reach_parts_and_their_models() {
    let mut picking = PickingApp::new(());
    assert!(picking.take_events().is_empty());
    picking.point_at(ON_TURRET);
    assert_events(&mut picking, "over");
    picking.act(ON_TURRET, PointerAction::Press(PointerButton::Primary));
    assert!(picking.take_events().is_empty());
    picking.act(ON_TURRET, PointerAction::Release(PointerButton::Primary));
    assert_events(&mut picking, "click");
    picking.point_at(BESIDE);
    assert_events(&mut picking, "out");
}

#[test]
fn pickable_controls_picking() {
    let mut picking = PickingApp::new(());
    let (root, hull, turret) = (picking.root, picking.hull, picking.turret);
    picking.point_at(ON_TURRET);
    assert_eq!(picking.hovered(), [turret]);
    picking.insert(root, Pickable::IGNORE);
    assert_eq!(picking.hovered(), []);
    picking.insert(turret, Pickable::default());
    assert_eq!(
        picking.hovered(),
        [turret],
        "the part's own component applies"
    );
    picking.remove::<Pickable>(root);
    picking.insert(turret, Pickable::IGNORE);
    assert_eq!(picking.hovered(), [hull], "the part below");
    let clear = Pickable {
        should_block_lower: false,
        is_hoverable: true,
    };
    picking.insert(turret, clear);
    let mut both = [hull, turret];
    both.sort();
    assert_eq!(picking.hovered(), both);
    picking.remove::<Pickable>(turret);
    assert_eq!(picking.hovered(), [turret]);
}

#[test]
fn render_layers_limit_picking() {
    let mut picking = PickingApp::new(());
    let (root, hull, turret, camera) = (picking.root, picking.hull, picking.turret, picking.camera);
    picking.point_at(ON_TURRET);
    picking.insert(root, RenderLayers::layer(1));
    assert_eq!(picking.hovered(), []);
    picking.insert(hull, RenderLayers::layer(0));
    assert_eq!(
        picking.hovered(),
        [hull],
        "the part's own component applies"
    );
    picking.insert(camera, RenderLayers::layer(1));
    assert_eq!(picking.hovered(), [turret]);
    picking.remove::<RenderLayers>(root);
    assert_eq!(picking.hovered(), []);
    picking.remove::<RenderLayers>(camera);
    assert_eq!(picking.hovered(), [turret]);
}

#[test]
fn require_markers_limits_picking_to_marked_entities() {
    let mut picking = PickingApp::new(());
    let (root, hull, turret, camera) = (picking.root, picking.hull, picking.turret, picking.camera);
    picking.point_at(ON_TURRET);
    picking
        .world()
        .resource_mut::<ModelPickingSettings>()
        .require_markers = true;
    assert_eq!(picking.hovered(), []);
    picking.insert(root, ModelPickable);
    assert_eq!(picking.hovered(), [], "no camera is marked");
    picking.insert(camera, ModelPickingCamera);
    assert_eq!(picking.hovered(), [turret]);
    picking.remove::<ModelPickable>(root);
    assert_eq!(picking.hovered(), [], "no model is marked");
    picking.insert(hull, ModelPickable);
    assert_eq!(picking.hovered(), [hull], "a single part is marked");
    picking.remove::<ModelPickingCamera>(camera);
    picking
        .world()
        .resource_mut::<ModelPickingSettings>()
        .require_markers = false;
    assert_eq!(picking.hovered(), [turret]);
}

#[test]
fn visibility_setting_limits_picking() {
    let mut picking = PickingApp::new(());
    let (root, hull, turret) = (picking.root, picking.hull, picking.turret);
    picking.point_at(ON_TURRET);
    picking.insert(root, PartVisibility::hidden(["turret"]));
    assert_eq!(picking.hovered(), [hull]);
    let set = |picking: &mut PickingApp, visibility| {
        picking
            .world()
            .resource_mut::<ModelPickingSettings>()
            .visibility = visibility;
    };
    set(&mut picking, ModelRayCastVisibility::Any);
    assert_eq!(picking.hovered(), [turret]);
    set(&mut picking, ModelRayCastVisibility::Visible);
    assert_eq!(picking.hovered(), [hull]);
}

#[test]
fn animated_part_is_picked_at_its_current_position() {
    let mut picking = PickingApp::new(PlayClip::looping("MOVE_00"));
    let turret = picking.turret;
    picking.app.wait_for_clip(picking.root);
    picking.point_at(ON_TURRET);
    assert_eq!(picking.hovered(), [turret]);
    picking.app.step(2.0 / FPS);
    assert_eq!(picking.hovered(), [], "the pointer did not move");
    picking.point_at(ON_TURRET + 20.0 * Vec3::X);
    assert_eq!(picking.hovered(), [turret]);
    picking.app.step(1.0 / FPS);
    assert_eq!(picking.hovered(), []);
}
