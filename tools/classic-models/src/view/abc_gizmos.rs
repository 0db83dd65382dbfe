//! Draws the collision boxes of LithTech models.

use crate::view::clips::ClipList;
use crate::view::overlay::Overlays;
use bevy::math::bounding::Aabb3d;
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;

const DIMS: Color = Color::srgb(0.55, 0.75, 1.0);

/// Draws the collision boxes if [`Overlays::dims`] is set.
pub struct AbcGizmosPlugin;

impl Plugin for AbcGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(
            PostUpdate,
            draw_dims
                .run_if(|o: Res<Overlays>| o.dims)
                .after(TransformSystems::Propagate),
        );
    }
}

/// Draws the box of the animation that plays, centered at the model's origin.
fn draw_dims(
    models: Query<(&AbcInstance, &ClipList, &PlayClip, &GlobalTransform)>,
    mut gizmos: Gizmos,
) {
    for (instance, list, play, transform) in &models {
        let animation = list.playing(play);
        let animation = animation.and_then(|index| instance.model().animations.get(index));
        if let Some(half) = animation.and_then(|animation| animation.dims) {
            gizmos.aabb_3d(Aabb3d::new(Vec3::ZERO, half), *transform, DIMS);
        }
    }
}
