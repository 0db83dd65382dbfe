//! Bones that turn to the camera, to the light or with the wind.
//!
//! A bone's own transform stays what its animation or the user made it; the turn is added on top,
//! after animations and before transforms propagate, so that it is right in the same frame.
//!
//! What may not enter: bytes of files, and how anything is drawn.

use crate::scene::{BillboardCamera, ClassicModelsSystems, Wind};
use bevy::app::{AnimationSystems, App, Plugin, PostUpdate};
use bevy::camera::visibility::Visibility;
use bevy::camera::{Camera, Camera3d, RenderTarget};
use bevy::ecs::change_detection::{DetectChangesMut, Mut, Res};
use bevy::ecs::component::Component;
use bevy::ecs::entity::Entity;
use bevy::ecs::hierarchy::ChildOf;
use bevy::ecs::query::{Has, Or, With};
use bevy::ecs::reflect::ReflectComponent;
use bevy::ecs::schedule::IntoScheduleConfigs;
use bevy::ecs::system::{Local, Query, SystemParam};
use bevy::light::DirectionalLight;
use bevy::math::{Affine3A, Quat, Vec3, Vec3Swizzles};
use bevy::reflect::Reflect;
use bevy::reflect::std_traits::ReflectDefault;
use bevy::transform::TransformSystems;
use bevy::transform::components::Transform;
use serde::Serialize;
use std::f32::consts::FRAC_PI_2;

/// How a bone turns. The front is the bone's −Y, up is +Z.
///
/// `Parallel`, `Face`, `SunGlow` and `Sun` give the bone the camera's orientation, whatever its own;
/// the three that begin with Z turn it about its own Z.
#[derive(Reflect, Serialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Clone, Debug, PartialEq, Hash)]
pub enum Billboard {
    /// It does not turn.
    #[default]
    None,
    /// The front looks against the camera's direction, and up is up on the screen.
    Parallel,
    /// Drawn as `Parallel`.
    Face,
    /// The front looks to the camera.
    ZView,
    /// The front looks to where the brightest directional light comes from.
    ZLight,
    /// The back looks to where the wind blows to.
    ZWind,
    /// Turns as `Parallel`, and is carried around the model's origin: what rests on the model's +X
    /// goes to where the brightest directional light comes from.
    SunGlow,
    /// Drawn as `SunGlow`.
    Sun,
}

impl Billboard {
    /// From the number in the file; `None` if no game knows it.
    pub fn from_raw(raw: u32) -> Option<Self> {
        Some(match raw {
            0 => Self::None,
            1 => Self::Parallel,
            2 => Self::Face,
            3 => Self::ZView,
            4 => Self::ZLight,
            5 => Self::ZWind,
            6 => Self::SunGlow,
            7 => Self::Sun,
            _ => return None,
        })
    }
}

/// Marks the root entity of an Alamo model's scene, whose space is the model's: Z up.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct AloRoot;

/// A bone that turns. See [`BillboardCamera`] for whom it turns to.
///
/// Animations and users write the bone's [`Transform`] as if it did not turn. What they have not
/// written since the last frame is there with the turn in it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct AloBillboard {
    /// How it turns.
    pub mode: Billboard,
    /// The transform without the turn.
    base: Transform,
    /// The transform as the system left it.
    written: Option<Transform>,
}

impl AloBillboard {
    /// A bone that will turn.
    pub fn new(mode: Billboard) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }

    /// The bone's local transform without the turn, as of the last frame.
    pub fn base(&self) -> Transform {
        self.base
    }

    /// Takes over what others have written. Each part for itself: an animation may move a bone and
    /// leave its rotation alone, which then still is the turned one.
    fn follow(&mut self, now: &Transform) {
        let Some(written) = self.written else {
            self.base = *now;
            return;
        };
        if now.translation != written.translation {
            self.base.translation = now.translation;
        }
        if now.rotation != written.rotation {
            self.base.rotation = now.rotation;
        }
        if now.scale != written.scale {
            self.base.scale = now.scale;
        }
    }
}

/// Turns bones.
pub(crate) struct BillboardPlugin;

impl Plugin for BillboardPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<AloBillboard>()
            .register_type::<AloRoot>()
            .add_systems(
                PostUpdate,
                turn_billboards.in_set(ClassicModelsSystems::Billboards),
            )
            .configure_sets(
                PostUpdate,
                ClassicModelsSystems::Billboards
                    .after(AnimationSystems)
                    .after(ClassicModelsSystems::Appearance)
                    .before(TransformSystems::Propagate),
            );
    }
}

/// What bones turn to, in world space.
#[derive(Clone, Copy, Debug, Default)]
struct Surroundings {
    camera: Option<Affine3A>,
    /// Where the light travels to.
    light: Option<Vec3>,
    /// Where the wind blows to.
    wind: Vec3,
}

type CameraData = (
    Entity,
    Option<(&'static Camera, &'static RenderTarget)>,
    Has<Camera3d>,
    Has<BillboardCamera>,
);

type MayBeFaced = Or<(With<Camera3d>, With<BillboardCamera>)>;

type LightData = (
    Entity,
    &'static DirectionalLight,
    Option<&'static Visibility>,
);

/// Finds what bones turn to.
#[derive(SystemParam)]
struct Finder<'w, 's> {
    cameras: Query<'w, 's, CameraData, MayBeFaced>,
    lights: Query<'w, 's, LightData>,
    wind: Res<'w, Wind>,
}

impl Finder<'_, '_> {
    fn camera(&self) -> Option<Entity> {
        let candidates = self
            .cameras
            .iter()
            .filter_map(|(entity, camera, is_3d, marked)| {
                let shows = camera.is_some_and(|(camera, target)| {
                    let seen = matches!(target, RenderTarget::Window(_) | RenderTarget::Image(_));
                    is_3d && camera.is_active && seen
                });
                let order = camera.map_or(0, |(camera, _)| camera.order);
                (marked || shows).then_some((!marked, order, entity))
            });
        candidates.min().map(|(.., entity)| entity)
    }

    /// The brightest light that is not hidden itself.
    fn light(&self) -> Option<Entity> {
        let shines = |visibility: Option<&Visibility>| visibility != Some(&Visibility::Hidden);
        let lights = self.lights.iter();
        lights
            .filter(|(.., visibility)| shines(*visibility))
            .max_by(|(a, light_a, _), (b, light_b, _)| {
                let order = light_a.illuminance.total_cmp(&light_b.illuminance);
                order.then_with(|| b.cmp(a))
            })
            .map(|(entity, ..)| entity)
    }

    fn surroundings(&self, tree: &Tree) -> Surroundings {
        let light = self.light().map(|light| tree.world_from(light));
        Surroundings {
            camera: self.camera().map(|camera| tree.world_from(camera)),
            light: light.map(|light| light.transform_vector3(Vec3::NEG_Z).normalize_or_zero()),
            wind: self.wind.direction,
        }
    }
}

/// The hierarchy as it is now, before transforms have propagated.
#[derive(SystemParam)]
struct Tree<'w, 's> {
    transforms: Query<'w, 's, &'static mut Transform>,
    parents: Query<'w, 's, &'static ChildOf>,
    roots: Query<'w, 's, (), With<AloRoot>>,
}

impl Tree<'_, '_> {
    fn local(&self, entity: Entity) -> Affine3A {
        let transform = self.transforms.get(entity);
        transform.map_or(Affine3A::IDENTITY, Transform::compute_affine)
    }

    fn world_from(&self, entity: Entity) -> Affine3A {
        let ancestors = self.parents.iter_ancestors(entity);
        ancestors.fold(self.local(entity), |world, ancestor| {
            self.local(ancestor) * world
        })
    }

    /// World from the bone's parent, and world from the model if there is one.
    fn spaces(&self, bone: Entity) -> (Affine3A, Option<Affine3A>) {
        let parent = self.parents.get(bone).map(ChildOf::parent).ok();
        let parent = parent.map_or(Affine3A::IDENTITY, |parent| self.world_from(parent));
        let mut ancestors = self.parents.iter_ancestors(bone);
        let root = ancestors.find(|ancestor| self.roots.contains(*ancestor));
        (parent, root.map(|root| self.world_from(root)))
    }
}

fn turn_billboards(
    mut bones: Query<(Entity, &mut AloBillboard)>,
    mut tree: Tree,
    finder: Finder,
    mut order: Local<Vec<(usize, Entity)>>,
) {
    if bones.is_empty() {
        return;
    }
    let surroundings = finder.surroundings(&tree);
    // Parents first: a turned bone carries those below it.
    order.clear();
    order.extend(
        bones
            .iter()
            .map(|(bone, _)| (tree.parents.iter_ancestors(bone).count(), bone)),
    );
    order.sort_unstable();
    for (_, bone) in order.iter() {
        if let Ok((_, billboard)) = bones.get_mut(*bone) {
            turn_bone(*bone, billboard, &mut tree, &surroundings);
        }
    }
}

fn turn_bone(
    bone: Entity,
    mut billboard: Mut<AloBillboard>,
    tree: &mut Tree,
    surroundings: &Surroundings,
) {
    let (parent, model) = tree.spaces(bone);
    let Ok(mut transform) = tree.transforms.get_mut(bone) else {
        return;
    };
    // Bookkeeping is no change that others should react to.
    let billboard = billboard.bypass_change_detection();
    billboard.follow(&transform);
    let turned = turned(
        billboard.mode,
        billboard.base,
        &parent,
        model.as_ref(),
        surroundings,
    );
    billboard.written = Some(turned);
    transform.set_if_neq(turned);
}

/// The local transform of a bone with its turn.
///
/// Nothing turns without what it should turn to, or in a space that has collapsed.
fn turned(
    mode: Billboard,
    base: Transform,
    parent: &Affine3A,
    model: Option<&Affine3A>,
    surroundings: &Surroundings,
) -> Transform {
    let bone = *parent * base.compute_affine();
    let with_turn = |turn: Quat| base.with_rotation(base.rotation * turn);
    let turned = match mode {
        Billboard::None => base,
        Billboard::Parallel | Billboard::Face => facing(base, parent, surroundings.camera),
        Billboard::ZView => with_turn(surroundings.camera.map_or(Quat::IDENTITY, |camera| {
            let camera = bone.inverse().transform_point3(camera.translation.into());
            turn_to_heading(-camera)
        })),
        Billboard::ZLight => with_turn(surroundings.light.map_or(Quat::IDENTITY, |light| {
            turn_to_heading(bone.inverse().transform_vector3(light))
        })),
        Billboard::ZWind => with_turn(turn_to_heading(
            bone.inverse().transform_vector3(surroundings.wind),
        )),
        Billboard::SunGlow | Billboard::Sun => Transform {
            translation: carried_to_sun(base.translation, parent, model, surroundings.light),
            ..facing(base, parent, surroundings.camera)
        },
    };
    if turned.is_finite() { turned } else { base }
}

/// The same, with the front to the camera.
fn facing(base: Transform, parent: &Affine3A, camera: Option<Affine3A>) -> Transform {
    let Some(camera) = camera else {
        return base;
    };
    let (_, camera, _) = camera.to_scale_rotation_translation();
    let (scale, parent, _) = parent.to_scale_rotation_translation();
    let local = parent.inverse() * camera * Quat::from_rotation_x(-FRAC_PI_2);
    // The scale of a mirrored space has one negative axis, X. A bone in it is mirrored too, and
    // faces the camera if its rotation is.
    let local = if scale.x < 0.0 {
        Quat::from_xyzw(local.x, -local.y, -local.z, local.w)
    } else {
        local
    };
    base.with_rotation(local.normalize())
}

/// Turns +Y about Z to the heading of a vector, and so −Y to where it comes from. A vector without
/// a heading turns nothing.
fn turn_to_heading(to: Vec3) -> Quat {
    if has_heading(to) {
        Quat::from_rotation_z(to.y.atan2(to.x) - FRAC_PI_2)
    } else {
        Quat::IDENTITY
    }
}

fn has_heading(v: Vec3) -> bool {
    v.xy().length() > 1e-6 * v.length()
}

/// Where a bone that follows the sun goes from its place, both in its parent's space.
fn carried_to_sun(
    rest: Vec3,
    parent: &Affine3A,
    model: Option<&Affine3A>,
    light: Option<Vec3>,
) -> Vec3 {
    let (Some(model), Some(light)) = (model, light) else {
        return rest;
    };
    let model_from_parent = model.inverse() * *parent;
    let turn = turn_to_sun(model.inverse().transform_vector3(light));
    let carried = turn * model_from_parent.transform_point3(rest);
    model_from_parent.inverse().transform_point3(carried)
}

/// The turn about the model's origin that brings +X to where light comes from: a tilt about −Y, then
/// one about Z. `light` is where it travels to.
fn turn_to_sun(light: Vec3) -> Quat {
    let sun = -light.normalize_or_zero();
    let azimuth = if has_heading(sun) {
        sun.y.atan2(sun.x)
    } else {
        0.0
    };
    let tilt = sun.z.clamp(-1.0, 1.0).asin();
    Quat::from_rotation_z(azimuth) * Quat::from_axis_angle(Vec3::NEG_Y, tilt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn same(a: Vec3, b: Vec3) {
        assert!(a.abs_diff_eq(b, 1e-5), "{a} is not {b}");
    }

    fn around(camera: Transform, light: Vec3, wind: Vec3) -> Surroundings {
        Surroundings {
            camera: Some(camera.compute_affine()),
            light: Some(light),
            wind,
        }
    }

    #[test]
    fn the_numbers_are_those_of_the_file() {
        use Billboard::{Face, None, Parallel, Sun, SunGlow, ZLight, ZView, ZWind};
        let all = [None, Parallel, Face, ZView, ZLight, ZWind, SunGlow, Sun];
        for (raw, mode) in (0..).zip(all) {
            assert_eq!(Billboard::from_raw(raw), Some(mode));
            assert_eq!(mode as u32, raw);
        }
        assert_eq!(Billboard::from_raw(8), Option::None);
        assert_eq!(Billboard::from_raw(u32::MAX), Option::None);
    }

    #[test]
    fn headings_turn_the_back_to_where_a_vector_leads() {
        for to in [
            Vec3::X,
            Vec3::NEG_X,
            Vec3::Y,
            Vec3::NEG_Y,
            Vec3::new(3.0, -4.0, 0.0),
        ] {
            let turn = turn_to_heading(to + Vec3::Z * 2.0);
            same(turn * Vec3::Y, to.normalize());
            same(turn * Vec3::Z, Vec3::Z);
        }
        for nowhere in [Vec3::ZERO, Vec3::Z, Vec3::NEG_Z, Vec3::NAN] {
            assert_eq!(turn_to_heading(nowhere), Quat::IDENTITY);
        }
    }

    #[test]
    fn the_sun_is_where_light_comes_from() {
        for light in [
            Vec3::NEG_X,
            Vec3::Y,
            Vec3::NEG_Z,
            Vec3::Z,
            Vec3::new(0.3, -0.5, -0.7),
            Vec3::new(-2.0, 5.0, 1.0),
        ] {
            same(turn_to_sun(light) * Vec3::X, -light.normalize());
            // It is carried along its own height and never leaned.
            assert!((turn_to_sun(light) * Vec3::Y).z.abs() < 1e-6);
        }
        assert_eq!(turn_to_sun(Vec3::ZERO), Quat::IDENTITY);
    }

    #[test]
    fn a_parallel_bone_shows_its_front_in_mirrored_spaces_too() {
        let camera =
            Transform::from_xyz(3.0, 9.0, 4.0).looking_at(Vec3::new(1.0, 0.0, 2.0), Vec3::Y);
        let surroundings = around(camera, Vec3::NEG_Y, Vec3::X);
        let base = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_y(0.4));
        for scale in [
            Vec3::ONE,
            Vec3::splat(3.0),
            Vec3::new(-2.0, 2.0, 2.0),
            Vec3::splat(-1.0),
        ] {
            let parent = Transform::from_xyz(-5.0, 1.0, 0.5)
                .with_rotation(Quat::from_euler(bevy::math::EulerRot::XYZ, 0.3, 1.1, -0.8))
                .with_scale(scale)
                .compute_affine();
            let local = turned(Billboard::Parallel, base, &parent, None, &surroundings);
            let world = parent * local.compute_affine();
            let sign = parent.matrix3.determinant().signum();
            let axis = |axis| world.transform_vector3(axis) / scale.x.abs();
            same(axis(Vec3::NEG_Y), camera.back().into());
            same(axis(Vec3::Z), camera.up().into());
            same(axis(Vec3::X), sign * Vec3::from(camera.right()));
            assert_eq!(
                (local.translation, local.scale),
                (base.translation, base.scale)
            );
        }
    }

    #[test]
    fn nothing_turns_without_a_cause() {
        let base = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_x(0.5));
        let parent = Transform::from_xyz(4.0, 0.0, 0.0).compute_affine();
        let nothing = Surroundings::default();
        let collapsed = Affine3A::from_scale(Vec3::ZERO);
        let all = around(
            Transform::from_xyz(0.0, 7.0, 1.0),
            Vec3::new(0.6, 0.0, -0.8),
            Vec3::X,
        );
        for mode in (0..8).filter_map(Billboard::from_raw) {
            assert_eq!(
                turned(mode, base, &parent, None, &nothing),
                base,
                "{mode:?}"
            );
            let local = turned(mode, base, &collapsed, Some(&collapsed), &all);
            assert!(local.is_finite(), "{mode:?}");
        }
    }

    #[test]
    fn what_others_write_is_taken_part_by_part() {
        let mut bone = AloBillboard::new(Billboard::Parallel);
        let first = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_z(0.3));
        bone.follow(&first);
        assert_eq!(bone.base, first);
        let written = first.with_rotation(Quat::from_rotation_x(1.0));
        bone.written = Some(written);
        bone.follow(&written);
        assert_eq!(bone.base, first);
        bone.follow(&written.with_translation(Vec3::ONE));
        assert_eq!(bone.base, first.with_translation(Vec3::ONE));
    }
}
