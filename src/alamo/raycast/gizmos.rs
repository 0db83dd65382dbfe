//! Collision trees drawn as boxes, where rays meet them.

use super::collider::{AloCollider, Placed};
use super::param::Colliders;
use super::settings::{AloRayCastSettings, AloRayCastVisibility};
use bevy::app::{App, Plugin, PostUpdate};
use bevy::camera::visibility::VisibilitySystems;
use bevy::color::{Alpha, Color, Oklcha};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::query::{With, Without};
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::Query;
use bevy::gizmos::config::GizmoConfigGroup;
use bevy::gizmos::gizmos::Gizmos;
use bevy::gizmos::{AppGizmoBuilder, GizmoPlugin};
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::transform::TransformSystems;

/// How opaque a leaf is that ends above the level that is drawn.
const ABOVE: f32 = 0.35;

/// Lines of collision trees, a group of Bevy's gizmos: what is drawn, and how.
///
/// The boxes are those that rays are tested against, where `GlobalTransform` has them, be it turned,
/// stretched or mirrored; of skinned colliders those of the pose. Level 0 is one box around all
/// triangles, and each further level parts the boxes of the one before into up to four.
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
    /// Whether all colliders are drawn that [`visibility`](Self::visibility) lets count. If not, only
    /// those with [`ShowAloColliderGizmo`] are.
    pub draw_all: bool,
    /// Which colliders count as all.
    pub visibility: AloRayCastVisibility,
    /// The level that is drawn. Leaves above it are drawn as well, but paler, so that the boxes hold
    /// all triangles between them. Below the last level, such as at `usize::MAX`, there are the
    /// leaves alone, and none of them is paler. `None` draws all levels at once.
    pub level: Option<usize>,
    /// The colour of all boxes. `None` gives each level a hue of its own.
    pub color: Option<Color>,
}

/// Draws the collision tree of the entity's [`AloCollider`], even if something hides the part.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
// So that to give and take it does not move colliders in memory, and rays find them in their order.
#[component(storage = "SparseSet")]
#[reflect(Component, Clone, Debug, Default, PartialEq)]
pub struct ShowAloColliderGizmo {
    /// The level, instead of that of [`AloColliderGizmos`].
    pub level: Option<usize>,
    /// The colour likewise.
    pub color: Option<Color>,
}

/// Draws what [`AloColliderGizmos`] and [`ShowAloColliderGizmo`] say. Part of
/// [`AlamoPlugin`](crate::alamo::AlamoPlugin) with the feature `gizmos`; it does nothing in apps
/// without Bevy's own gizmos, which must be added before it.
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

/// What is drawn of one tree.
#[derive(Clone, Copy)]
struct Style {
    level: Option<usize>,
    color: Option<Color>,
}

fn draw(
    mut colliders: Colliders,
    single: Query<(Entity, &ShowAloColliderGizmo), With<AloCollider>>,
    others: Query<Entity, (With<AloCollider>, Without<ShowAloColliderGizmo>)>,
    mut gizmos: Gizmos<AloColliderGizmos>,
) {
    if !gizmos.config.enabled {
        return;
    }
    colliders.begin();
    let config = gizmos.config_ext;
    for (entity, own) in &single {
        let style = Style {
            level: own.level.or(config.level),
            color: own.color.or(config.color),
        };
        let any = AloRayCastSettings::default().with_visibility(AloRayCastVisibility::Any);
        colliders.ask(entity, &any, |_, placed| {
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
    let counted = AloRayCastSettings::default().with_visibility(config.visibility);
    for entity in &others {
        colliders.ask(entity, &counted, |_, placed| {
            draw_tree(placed, style, &mut gizmos);
        });
    }
}

fn draw_tree(placed: &Placed<'_>, style: Style, gizmos: &mut Gizmos<AloColliderGizmos>) {
    let (tree, affine) = placed.parts();
    let color = |level| style.color.unwrap_or_else(|| level_color(level));
    if let Some(level) = style.level {
        for (own, bounds) in tree.partition(level) {
            let is_above = own < level && level < tree.levels();
            let strength = if is_above { ABOVE } else { 1.0 };
            let color = color(own);
            gizmos.aabb_3d(bounds, *affine, color.with_alpha(color.alpha() * strength));
        }
        return;
    }
    for level in 0..tree.levels() {
        for bounds in tree.boxes(level) {
            gizmos.aabb_3d(bounds, *affine, color(level));
        }
    }
}

/// Hues that differ much from one level to the next.
fn level_color(level: usize) -> Color {
    const FIRST: f32 = 90.0;
    const STEP: f32 = 75.0;
    let hue = (FIRST + STEP * level as f32) % 360.0;
    Oklcha::lch(0.78, 0.16, hue).into()
}
