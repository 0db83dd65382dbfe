//! The drawn level of detail of a model, and its selection by distance.

use crate::support::prelude::*;

/// The index of the level of detail that a model is drawn at; 0 is the finest.
pub fn level(app: &mut TestApp, root: Entity) -> usize {
    if let Some(instance) = app.world().get::<AloInstance>(root) {
        let model = instance.model().clone();
        let parts = instance.parts().to_vec();
        let mut shown = Vec::new();
        for part in parts {
            let world = app.world();
            let lod = world.get::<AloPart>(part).unwrap().lod;
            if *world.get::<Visibility>(part).unwrap() != Visibility::Hidden {
                shown.extend(lod);
            }
        }
        assert_eq!(shown.len(), 1, "{shown:?}");
        return model.lods.iter().position(|lod| *lod == shown[0]).unwrap();
    }
    let instance = app.world().get::<AbcInstance>(root).unwrap();
    let (model, mesh) = (instance.model().clone(), instance.meshes()[0]);
    let Mesh3d(mesh) = app.world().get::<Mesh3d>(mesh).unwrap().clone();
    let mut levels = model.levels.iter();
    let drawn = levels.position(|level| level.meshes.iter().any(|info| info.mesh == mesh));
    drawn.unwrap()
}

/// Moves a root or a camera, and waits until levels are updated.
pub fn move_to(app: &mut TestApp, entity: Entity, x: f32) {
    let transform = Transform::from_xyz(x, 0.0, 0.0);
    app.world().entity_mut(entity).insert(transform);
    // Levels use the global transforms of the previous frame.
    app.step(0.0);
    app.step(0.0);
}

/// Asserts that the distances 100 and 200 select the drawn level of a model. Returns a camera at distance 300.
pub fn assert_selected_by_distance(app: &mut TestApp, root: Entity) -> Entity {
    assert_eq!(level(app, root), 0, "without a camera");
    let camera = app.world().spawn(Camera3d::default()).id();
    for (at, expected) in [
        (0.0, 0),
        (99.0, 0),
        (101.0, 1),
        // Hysteresis: the finer level returns only if the camera is clearly nearer.
        (96.0, 1),
        (94.0, 0),
        (500.0, 2),
        (191.0, 2),
        (189.0, 1),
        (-101.0, 1),
        (-1.0, 0),
    ] {
        move_to(app, camera, at);
        assert_eq!(level(app, root), expected, "at {at}");
    }
    move_to(app, camera, 300.0);
    assert_eq!(level(app, root), 2);
    // The nearest active camera determines the level.
    let other = app.world().spawn(Camera3d::default()).id();
    move_to(app, other, 150.0);
    assert_eq!(level(app, root), 1);
    let mut entity = app.world().entity_mut(other);
    entity.get_mut::<Camera>().unwrap().is_active = false;
    app.step(0.0);
    app.step(0.0);
    assert_eq!(level(app, root), 2, "an inactive camera is ignored");
    app.world().despawn(other);
    // A scale of 2 has the effect of half the distance.
    let large = Transform::from_scale(Vec3::splat(2.0));
    app.world().entity_mut(root).insert(large);
    app.step(0.0);
    app.step(0.0);
    assert_eq!(level(app, root), 1);
    app.world().entity_mut(root).insert(Transform::IDENTITY);
    app.step(0.0);
    // `ModelLod` overrides the distances.
    for (index, expected) in [(9, 2), (0, 0)] {
        app.world().entity_mut(root).insert(ModelLod(index));
        app.step(0.0);
        assert_eq!(level(app, root), expected, "level {index}");
    }
    app.world().entity_mut(root).remove::<ModelLod>();
    app.step(0.0);
    assert_eq!(level(app, root), 2);
    camera
}
