//! The choice of the levels of collision trees that are drawn.

use bevy_classic_models::alamo::AloModel;

/// The levels of collision trees that are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trees {
    /// Nothing.
    #[default]
    Off,
    /// The boxes of a level, and in a paler color the leaves of the levels above.
    Level(usize),
    /// The boxes of all levels.
    All,
}

impl Trees {
    /// The next choice. `levels` is the level count of the deepest tree.
    pub fn next(self, levels: usize) -> Self {
        match self {
            Self::Off if levels > 0 => Self::Level(0),
            Self::Level(level) if level + 1 < levels => Self::Level(level + 1),
            Self::Level(_) => Self::All,
            Self::Off | Self::All => Self::Off,
        }
    }
}

/// The level count of a model's deepest tree.
pub fn levels(model: &AloModel) -> usize {
    let submeshes = model.meshes.iter().flat_map(|mesh| &mesh.submeshes);
    let trees = submeshes.filter_map(|submesh| submesh.tree.as_ref());
    trees.map(|tree| tree.levels()).max().unwrap_or(0)
}
