//! Draws the boxes of collision trees.

use crate::formats::alamo::raycast::collider::{AloCollider, PlacedTree};
use crate::formats::alamo::raycast::colliders::Colliders;
use crate::geometry::ray_settings::{ModelRayCastSettings, ModelRayCastVisibility};
use bevy::camera::visibility::VisibilitySystems;
use bevy::gizmos::GizmoPlugin;
use bevy::prelude::*;

/// Opacity factor of leaves above the drawn level.
const LEAF_ABOVE_ALPHA: f32 = 0.35;

/// The gizmo config group of collision trees: which of them are drawn, and how.
///
/// The boxes are those that rays are tested against, transformed by `GlobalTransform`, or posed if the
/// collider is skinned. Level 0 is one box around all triangles. Each further level splits the boxes of
/// the level above into up to four.
///
/// ```
/// # use bevy::prelude::*;
/// # use bevy_classic_models::alamo::AloColliderGizmos;
/// fn show_trees(mut store: ResMut<GizmoConfigStore>) {
///     let (_, trees) = store.config_mut::<AloColliderGizmos>();
///     trees.draw_all = true;
///     trees.level = Some(2);
/// }
/// # bevy::ecs::system::assert_is_system(show_trees);
/// ```
#[derive(Clone, Default, Reflect, GizmoConfigGroup)]
#[reflect(Clone, Default)]
pub struct AloColliderGizmos {
    /// Whether to draw all colliders that [`visibility`](Self::visibility) includes. If false, only
    /// colliders with [`ShowAloColliderGizmo`] are drawn.
    pub draw_all: bool,
    /// Which colliders [`draw_all`](Self::draw_all) includes.
    pub visibility: ModelRayCastVisibility,
    /// The level to draw. Leaves above it are drawn more transparently, so that the boxes together
    /// contain all triangles. Beyond the last level, for example with `usize::MAX`, all leaves are drawn
    /// with full opacity. `None` draws all levels at once.
    pub level: Option<usize>,
    /// The color of all boxes. `None` gives each level its own hue.
    pub color: Option<Color>,
}

/// Draws the collision tree of the entity's [`AloCollider`], even if the part is hidden.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
// Sparse, so that inserting and removing it doesn't change the colliders' archetype and query order.
#[component(storage = "SparseSet")]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct ShowAloColliderGizmo {
    /// The level to draw. `None` uses that of [`AloColliderGizmos`].
    pub level: Option<usize>,
    /// The color of the boxes. `None` uses that of [`AloColliderGizmos`].
    pub color: Option<Color>,
}

/// Draws collision trees as configured by [`AloColliderGizmos`] and [`ShowAloColliderGizmo`].
///
/// Part of [`AlamoPlugin`](crate::alamo::AlamoPlugin) with the feature `gizmos`. It does nothing in apps
/// without Bevy's `GizmoPlugin`, which must be added before it.
pub struct AloColliderGizmosPlugin;

impl Plugin for AloColliderGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<ShowAloColliderGizmo>();
        if !app.is_plugin_added::<GizmoPlugin>() {
            return;
        }
        app.init_gizmo_group::<AloColliderGizmos>().add_systems(
            PostUpdate,
            draw.after(TransformSystems::Propagate)
                .after(VisibilitySystems::MarkNewlyHiddenEntitiesInvisible),
        );
    }
}

/// How one tree is drawn.
#[derive(Clone, Copy)]
struct Style {
    level: Option<usize>,
    color: Option<Color>,
}

fn draw(
    mut colliders: Colliders,
    marked: Query<(Entity, &ShowAloColliderGizmo), With<AloCollider>>,
    others: Query<Entity, (With<AloCollider>, Without<ShowAloColliderGizmo>)>,
    mut gizmos: Gizmos<AloColliderGizmos>,
) {
    if !gizmos.config.enabled {
        return;
    }
    colliders.begin();
    let config = gizmos.config_ext;
    for (entity, own) in &marked {
        let style = Style {
            level: own.level.or(config.level),
            color: own.color.or(config.color),
        };
        let any = ModelRayCastSettings::default().with_visibility(ModelRayCastVisibility::Any);
        colliders.with_tree(entity, &any, |placed| {
            draw_tree(placed, style, &mut gizmos);
        });
    }
    if !config.draw_all {
        return;
    }
    let style = Style {
        level: config.level,
        color: config.color,
    };
    let included = ModelRayCastSettings::default().with_visibility(config.visibility);
    for entity in &others {
        colliders.with_tree(entity, &included, |placed| {
            draw_tree(placed, style, &mut gizmos);
        });
    }
}

fn draw_tree(placed: &PlacedTree<'_>, style: Style, gizmos: &mut Gizmos<AloColliderGizmos>) {
    let (tree, affine) = placed.parts();
    let color = |level| style.color.unwrap_or_else(|| level_color(level));
    if let Some(level) = style.level {
        for (own, bounds) in tree.partition(level) {
            let is_above = own < level && level < tree.levels();
            let opacity = if is_above { LEAF_ABOVE_ALPHA } else { 1.0 };
            let color = color(own);
            gizmos.aabb_3d(bounds, *affine, color.with_alpha(color.alpha() * opacity));
        }
        return;
    }
    for level in 0..tree.levels() {
        for bounds in tree.boxes(level) {
            gizmos.aabb_3d(bounds, *affine, color(level));
        }
    }
}

/// A color whose hue differs clearly from those of the adjacent levels.
fn level_color(level: usize) -> Color {
    const FIRST: f32 = 90.0;
    const STEP: f32 = 75.0;
    let hue = (FIRST + STEP * level as f32) % 360.0;
    Oklcha::lch(0.78, 0.16, hue).into()
}
