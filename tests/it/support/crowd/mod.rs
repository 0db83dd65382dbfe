//! Members of crowds beside the same models as scenes, and the positions of their vertices as the shader computes them.

mod member;
mod scene;

pub use member::{
    crowd_vertices, deformed_normals, is_baking, member, pose, previous_pose, world_normal,
};
pub use scene::scene_vertices;

use crate::gpuless;
use crate::support::prelude::*;

/// A vertex in the world, and whether it is visible.
pub type PosedVertex = (Vec3, bool);

/// The same model as a scene and as a member of a crowd.
#[derive(Clone, Copy)]
pub struct Pair {
    pub scene: Entity,
    pub crowd: Entity,
}

impl Pair {
    /// Spawns both with a bundle, and waits for the clips, which a model does not wait for.
    pub fn spawn<B: Bundle + Clone>(app: &mut TestApp, path: &str, bundle: B) -> Self {
        let scene: &str = format!("{path}#Scene").leak();
        let pair = Self {
            scene: app.spawn_ready(scene, bundle.clone()),
            crowd: app.spawn_ready(scene, (Crowd, bundle)),
        };
        app.wait_until(|world| {
            let server = world.resource::<AssetServer>();
            let alo = world.get::<AloInstance>(pair.scene);
            let mut clips = alo.into_iter().flat_map(|alo| &alo.model().animations);
            clips.all(|clip| server.is_loaded_with_dependencies(&clip.ala))
        });
        pair
    }

    /// Inserts a bundle on both.
    pub fn insert<B: Bundle + Clone>(self, app: &mut TestApp, bundle: B) {
        for root in [self.scene, self.crowd] {
            app.world().entity_mut(root).insert(bundle.clone());
        }
    }

    /// Removes a bundle from both.
    pub fn remove<B: Bundle>(self, app: &mut TestApp) {
        for root in [self.scene, self.crowd] {
            app.world().entity_mut(root).remove::<B>();
        }
    }

    /// Despawns both.
    pub fn despawn(self, app: &mut TestApp) {
        for root in [self.scene, self.crowd] {
            app.world().despawn(root);
        }
        app.step(0.0);
    }

    /// Shows a clip at a time in seconds, and waits until it is baked.
    pub fn show(self, app: &mut TestApp, clip: impl Into<ClipRef>, seconds: f32) {
        let play = PlayClip::once(clip).starting_at(seconds).with_speed(0.0);
        self.insert(app, play);
        self.wait(app);
    }

    /// Runs frames until no clip is being baked. No time passes.
    pub fn wait(self, app: &mut TestApp) {
        app.step(0.0);
        let crowd = self.crowd;
        let is_baked = gpuless::wait_until(&mut app.app, |world| !is_baking(world, crowd));
        assert!(is_baked, "the clip was not baked");
        app.step(0.0);
    }

    /// The vertices of both, each in the order in which the crowd draws them.
    pub fn vertices(self, app: &mut TestApp) -> [Vec<PosedVertex>; 2] {
        let scene = scene_vertices(app.world(), self.scene);
        let crowd = crowd_vertices(app.world(), self.crowd);
        assert_eq!(scene.len(), crowd.len(), "count of vertices");
        [scene, crowd]
    }

    /// Asserts that all vertices are where those of the scene are. `tolerance` is a fraction of the model's size.
    /// Returns the count of visible vertices.
    #[track_caller]
    pub fn assert_equal(self, app: &mut TestApp, tolerance: f32, what: &str) -> usize {
        let [scene, crowd] = self.vertices(app);
        assert_close(&crowd, &scene, tolerance, what)
    }
}

/// The longest side of the box around visible vertices.
pub fn size(vertices: &[PosedVertex]) -> f32 {
    let visible = || vertices.iter().filter(|(_, is_visible)| *is_visible);
    let min = visible().fold(Vec3::INFINITY, |min, (vertex, _)| min.min(*vertex));
    let max = visible().fold(Vec3::NEG_INFINITY, |max, (vertex, _)| max.max(*vertex));
    match min.x <= max.x {
        true => (max - min).max_element(),
        false => 0.0,
    }
}

/// Asserts that vertices are at expected positions. Returns the count of visible ones.
#[track_caller]
pub fn assert_close(
    found: &[PosedVertex],
    expected: &[PosedVertex],
    tolerance: f32,
    what: &str,
) -> usize {
    assert_within(found, expected, tolerance * size(expected), what)
}

/// Asserts that vertices are at most this distance from expected positions. Returns the count of visible ones.
#[track_caller]
pub fn assert_within(
    found: &[PosedVertex],
    expected: &[PosedVertex],
    most: f32,
    what: &str,
) -> usize {
    let mut visible = 0;
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.1, expected.1, "{what}: visibility of vertex {index}");
        if expected.1 {
            visible += 1;
            let distance = found.0.distance(expected.0);
            assert!(
                distance <= most,
                "{what}: vertex {index} at {} is {distance} from {}, at most {most} is accepted",
                found.0,
                expected.0
            );
        }
    }
    visible
}
