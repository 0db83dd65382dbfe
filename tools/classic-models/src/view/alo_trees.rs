//! Draws the collision trees.

use crate::view::overlay::Overlays;
use crate::view::trees::Trees;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloColliderGizmos;

/// Draws the collision trees that [`Overlays`] selects.
pub struct AloTreesPlugin;

impl Plugin for AloTreesPlugin {
    fn build(&self, app: &mut App) {
        let mut config = GizmoConfig {
            // The boxes of flat parts coincide with their triangles.
            depth_bias: -0.001,
            ..default()
        };
        config.line.width = 1.0;
        app.insert_gizmo_config(AloColliderGizmos::default(), config)
            .add_systems(
                PostUpdate,
                choose
                    .before(TransformSystems::Propagate)
                    .run_if(resource_changed::<Overlays>),
            );
    }
}

fn choose(overlays: Res<Overlays>, mut store: ResMut<GizmoConfigStore>) {
    let (_, config) = store.config_mut::<AloColliderGizmos>();
    config.draw_all = overlays.trees != Trees::Off;
    config.level = match overlays.trees {
        Trees::Level(level) => Some(level),
        Trees::Off | Trees::All => None,
    };
}
