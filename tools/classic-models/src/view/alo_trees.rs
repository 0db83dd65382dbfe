//! Which level of collision trees is drawn.

use crate::view::overlay::Overlays;
use bevy::prelude::*;
use bevy_classic_models::alamo::{AloColliderGizmos, AloModel};

/// What is drawn of collision trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trees {
    /// Nothing.
    #[default]
    Off,
    /// The boxes of a level, and paler the leaves above it.
    Level(usize),
    /// Those of all levels.
    All,
}

impl Trees {
    /// What comes next, if the deepest tree has so many levels.
    pub fn next(self, levels: usize) -> Self {
        match self {
            Self::Off if levels > 0 => Self::Level(0),
            Self::Level(level) if level + 1 < levels => Self::Level(level + 1),
            Self::Level(_) => Self::All,
            Self::Off | Self::All => Self::Off,
        }
    }
}

/// Number of levels of a model's deepest tree.
pub fn levels(model: &AloModel) -> usize {
    let submeshes = model.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    let trees = submeshes.filter_map(|submesh| submesh.tree.as_ref());
    trees.map(|tree| tree.levels()).max().unwrap_or(0)
}

/// Draws what [`Overlays`] says of collision trees.
pub struct AloTreesPlugin;

impl Plugin for AloTreesPlugin {
    fn build(&self, app: &mut App) {
        let mut config = GizmoConfig {
            // The boxes of flat parts lie on them.
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
