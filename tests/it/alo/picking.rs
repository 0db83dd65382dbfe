//! Pointers at the parts of spawned Alamo models, by Bevy's own picking.

use crate::ala::play::{FPS, ala, moves};
use crate::alo::raycast::unit;
use crate::support::app::TestApp;
use crate::support::rays::submeshes;
use bevy::camera::visibility::RenderLayers;
use bevy::camera::{
    ComputedCameraValues, ImageRenderTarget, NormalizedRenderTarget, RenderTarget, RenderTargetInfo,
};
use bevy::picking::hover::HoverMap;
use bevy::picking::pointer::{
    Location, PointerAction, PointerButton, PointerId, PointerInput, PointerLocation,
};
use bevy::picking::{InteractionPlugin, PickingPlugin};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_classic_models::alamo::{
    AloHit, AloPickable, AloPickingCamera, AloPickingSettings, AloRayCastVisibility,
};
use bevy_classic_models::prelude::*;

const SIZE: UVec2 = UVec2::new(400, 300);

/// An app with a box over another, a camera that looks down on them, and a pointer.
struct Desk {
    app: TestApp,
    root: Entity,
    hull: Entity,
    turret: Entity,
    camera: Entity,
    target: NormalizedRenderTarget,
}

/// What observers were told.
#[derive(Resource, Default)]
struct Told(Vec<Event>);

struct Event {
    what: &'static str,
    /// Whose observer it is, and what the pointer met.
    at: Entity,
    of: Entity,
    hit: bevy::picking::backend::HitData,
}

impl Desk {
    fn new(bundle: impl Bundle) -> Self {
        let files = [
            ("unit.alo", unit()),
            ("unit_MOVE_00.ala", ala(&moves(10.0))),
        ];
        let plugins = (ClassicModelsPlugins, PickingPlugin, InteractionPlugin);
        let mut app = TestApp::with_plugin(&files, plugins);
        let root = app.spawn_ready("unit.alo#Scene", bundle);
        let entities = submeshes(app.world(), root);
        let [hull, turret] = [(0, 0), (1, 0)].map(|part| entities[&part]);
        let world = app.world();
        world.init_resource::<Told>();
        // Bevy asks for one even where nothing is drawn to it.
        world.spawn((Window::default(), PrimaryWindow));
        let target = ImageRenderTarget {
            handle: world.resource::<Assets<Image>>().reserve_handle(),
            scale_factor: 1.0,
        };
        let aspect = SIZE.x as f32 / SIZE.y as f32;
        // Only an app that renders has this done.
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
        let place = Transform::from_xyz(0.0, 60.0, 0.0).looking_at(Vec3::ZERO, Vec3::NEG_Z);
        let camera = (camera, RenderTarget::Image(target.clone()), place);
        let camera = world.spawn(camera).id();
        let target = NormalizedRenderTarget::Image(target);
        let location = Location {
            target: target.clone(),
            position: Vec2::ONE,
        };
        world.spawn((PointerId::Mouse, PointerLocation::new(location)));
        for entity in [root, hull, turret] {
            world
                .entity_mut(entity)
                .observe(move |over: On<Pointer<Over>>, mut told: ResMut<Told>| {
                    told.0.push(Event {
                        what: "over",
                        at: entity,
                        of: over.original_event_target(),
                        hit: over.hit.clone(),
                    });
                })
                .observe(move |out: On<Pointer<Out>>, mut told: ResMut<Told>| {
                    told.0.push(Event {
                        what: "out",
                        at: entity,
                        of: out.original_event_target(),
                        hit: out.hit.clone(),
                    });
                })
                .observe(move |click: On<Pointer<Click>>, mut told: ResMut<Told>| {
                    told.0.push(Event {
                        what: "click",
                        at: entity,
                        of: click.original_event_target(),
                        hit: click.hit.clone(),
                    });
                });
        }
        let mut desk = Self {
            app,
            root,
            hull,
            turret,
            camera,
            target,
        };
        desk.app.step(0.0);
        desk
    }

    fn world(&mut self) -> &mut World {
        self.app.world()
    }

    /// Where on the screen a place is.
    fn on_screen(&mut self, place: Vec3) -> Vec2 {
        let camera = self.camera;
        let camera = self.world().entity(camera);
        let (camera, transform) = (
            camera.get::<Camera>().unwrap(),
            camera.get::<GlobalTransform>().unwrap(),
        );
        camera.world_to_viewport(transform, place).unwrap()
    }

    fn act(&mut self, place: Vec3, action: PointerAction) {
        let location = Location {
            target: self.target.clone(),
            position: self.on_screen(place),
        };
        let input = PointerInput::new(PointerId::Mouse, location, action);
        self.world().write_message(input);
        self.app.step(0.0);
    }

    fn point_at(&mut self, place: Vec3) {
        self.act(place, PointerAction::Move { delta: Vec2::ONE });
    }

    /// What observers were told since they were last asked about.
    fn told(&mut self) -> Vec<Event> {
        core::mem::take(&mut self.world().resource_mut::<Told>().0)
    }

    /// What the pointer is over now.
    fn hovered(&mut self) -> Vec<Entity> {
        // What was changed shows after a frame, and is met in the next.
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

/// On the upper side of the upper box, with the lower box below.
const ON_TURRET: Vec3 = Vec3::new(0.3, 6.5, 0.4);
const BESIDE: Vec3 = Vec3::new(9.0, 6.5, 0.4);

#[track_caller]
fn assert_told(events: &[Event], expected: &[(&str, Entity, Entity)]) {
    let found: Vec<_> = events
        .iter()
        .map(|event| (event.what, event.at, event.of))
        .collect();
    assert_eq!(found, expected);
    for event in events {
        let part = event.hit.extra_as::<AloHit>().unwrap();
        // The upper side is the fifth of the box's.
        assert!([8, 9].contains(&part.triangle), "{part:?}");
        assert_eq!((part.mesh, part.submesh, part.bone), (1, 0, 2));
        let (position, normal) = (event.hit.position.unwrap(), event.hit.normal.unwrap());
        assert!(position.abs_diff_eq(ON_TURRET, 1e-3), "{position}");
        assert!(normal.abs_diff_eq(Vec3::Y, 1e-5), "{normal}");
        // From the near plane.
        let depth = event.hit.depth;
        assert!((53.3..53.6).contains(&depth), "{depth}");
    }
}

#[test]
fn pointers_tell_parts_and_their_models() {
    let mut desk = Desk::new(());
    let (root, turret) = (desk.root, desk.turret);
    assert!(desk.told().is_empty());
    desk.point_at(ON_TURRET);
    let told = desk.told();
    assert_told(&told, &[("over", turret, turret), ("over", root, turret)]);
    desk.act(ON_TURRET, PointerAction::Press(PointerButton::Primary));
    assert!(desk.told().is_empty());
    desk.act(ON_TURRET, PointerAction::Release(PointerButton::Primary));
    let told = desk.told();
    assert_told(&told, &[("click", turret, turret), ("click", root, turret)]);
    desk.point_at(BESIDE);
    let told = desk.told();
    assert_told(&told, &[("out", turret, turret), ("out", root, turret)]);
}

#[test]
fn what_is_not_pickable_is_not_picked() {
    let mut desk = Desk::new(());
    let (root, hull, turret) = (desk.root, desk.hull, desk.turret);
    desk.point_at(ON_TURRET);
    assert_eq!(desk.hovered(), [turret]);
    desk.insert(root, Pickable::IGNORE);
    assert_eq!(desk.hovered(), []);
    desk.insert(turret, Pickable::default());
    assert_eq!(desk.hovered(), [turret], "a part has its own");
    desk.remove::<Pickable>(root);
    desk.insert(turret, Pickable::IGNORE);
    assert_eq!(desk.hovered(), [hull], "what is below");
    let clear = Pickable {
        should_block_lower: false,
        is_hoverable: true,
    };
    desk.insert(turret, clear);
    let mut both = [hull, turret];
    both.sort();
    assert_eq!(desk.hovered(), both);
    desk.remove::<Pickable>(turret);
    assert_eq!(desk.hovered(), [turret]);
}

#[test]
fn cameras_pick_what_is_on_their_layers() {
    let mut desk = Desk::new(());
    let (root, hull, turret, camera) = (desk.root, desk.hull, desk.turret, desk.camera);
    desk.point_at(ON_TURRET);
    desk.insert(root, RenderLayers::layer(1));
    assert_eq!(desk.hovered(), []);
    desk.insert(hull, RenderLayers::layer(0));
    assert_eq!(desk.hovered(), [hull], "a part has its own");
    desk.insert(camera, RenderLayers::layer(1));
    assert_eq!(desk.hovered(), [turret]);
    desk.remove::<RenderLayers>(root);
    assert_eq!(desk.hovered(), []);
    desk.remove::<RenderLayers>(camera);
    assert_eq!(desk.hovered(), [turret]);
}

#[test]
fn markers_are_asked_for_if_they_are_to_be() {
    let mut desk = Desk::new(());
    let (root, hull, turret, camera) = (desk.root, desk.hull, desk.turret, desk.camera);
    desk.point_at(ON_TURRET);
    desk.world()
        .resource_mut::<AloPickingSettings>()
        .require_markers = true;
    assert_eq!(desk.hovered(), []);
    desk.insert(root, AloPickable);
    assert_eq!(desk.hovered(), [], "no camera is marked");
    desk.insert(camera, AloPickingCamera);
    assert_eq!(desk.hovered(), [turret]);
    desk.remove::<AloPickable>(root);
    assert_eq!(desk.hovered(), [], "no model is marked");
    desk.insert(hull, AloPickable);
    assert_eq!(desk.hovered(), [hull], "a single part is marked");
    desk.remove::<AloPickingCamera>(camera);
    desk.world()
        .resource_mut::<AloPickingSettings>()
        .require_markers = false;
    assert_eq!(desk.hovered(), [turret]);
}

#[test]
fn pointers_meet_what_the_settings_say() {
    let mut desk = Desk::new(());
    let (root, hull, turret) = (desk.root, desk.hull, desk.turret);
    desk.point_at(ON_TURRET);
    desk.insert(root, PartVisibility::new(["turret"]));
    assert_eq!(desk.hovered(), [hull]);
    let set = |desk: &mut Desk, visibility| {
        desk.world().resource_mut::<AloPickingSettings>().visibility = visibility;
    };
    set(&mut desk, AloRayCastVisibility::Any);
    assert_eq!(desk.hovered(), [turret]);
    set(&mut desk, AloRayCastVisibility::Visible);
    assert_eq!(desk.hovered(), [hull]);
}

#[test]
fn a_part_that_a_clip_moves_is_picked_where_it_is() {
    let mut desk = Desk::new(PlayClip::looping("MOVE_00"));
    let turret = desk.turret;
    desk.point_at(ON_TURRET);
    assert_eq!(desk.hovered(), [turret]);
    desk.app.step(2.0 / FPS);
    assert_eq!(desk.hovered(), [], "the pointer is where it was");
    desk.point_at(ON_TURRET + 20.0 * Vec3::X);
    assert_eq!(desk.hovered(), [turret]);
    desk.app.step(1.0 / FPS);
    assert_eq!(desk.hovered(), []);
}
