//! Billboards: bones that turn to the camera, to the light or with the wind.
//!
//! Animations and users write a bone's transform without the turn. The turn is added after animations and before
//! transform propagation, so it is up to date in the same frame.
//!
//! Parsing and drawing do not belong here.

use crate::root::environment::{BillboardCamera, ClassicModelsSystems, Wind};
use bevy::app::AnimationSystems;
use bevy::camera::RenderTarget;
use bevy::ecs::system::SystemParam;
use bevy::math::Affine3A;
use bevy::prelude::*;
use serde::Serialize;
use std::f32::consts::FRAC_PI_2;

/// How a bone turns. The bone's front is −Y, and up is +Z.
///
/// `Parallel`, `Face`, `SunGlow` and `Sun` replace the bone's orientation with the camera's. The modes that begin with
/// Z turn the bone about its own Z axis.
#[derive(Reflect, Serialize, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Default, Clone, Debug, PartialEq, Hash)]
pub enum Billboard {
    /// It does not turn.
    #[default]
    None,
    /// The front points opposite to the camera's direction, and up is up on the screen.
    Parallel,
    /// The same as `Parallel`.
    Face,
    /// The front points to the camera.
    ZView,
    /// The front points to the source of the brightest directional light.
    ZLight,
    /// The back points in the direction of the wind.
    ZWind,
    /// Turns as `Parallel`, and moves around the model's origin. A bone that rests on the model's +X axis moves to the
    /// direction from which the brightest directional light comes.
    SunGlow,
    /// The same as `SunGlow`.
    Sun,
}

impl Billboard {
    /// The mode of a number in the file; `None` if no game supports it.
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

/// Marks the root entity of an Alamo model's scene. Its space is the model's, with Z up.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct AloSceneRoot;

/// A bone that turns. See [`BillboardCamera`] for the camera that it turns to.
///
/// Animations and users write the bone's [`Transform`] without the turn. A field that they have not written since the
/// last frame contains the turn.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Component, Default, Clone, Debug, PartialEq)]
pub struct AloBillboard {
    /// How it turns.
    pub mode: Billboard,
    /// The transform without the turn.
    base: Transform,
    /// The transform as the system last wrote it.
    written: Option<Transform>,
}

impl AloBillboard {
    /// Creates the component for a mode.
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

    /// Copies the fields that others have written to the base. Each field is compared separately: if an animation
    /// writes only the translation, the rotation is still the turned one.
    fn update_base(&mut self, now: &Transform) {
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

/// Adds billboards.
pub(crate) struct BillboardPlugin;

impl Plugin for BillboardPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<AloBillboard>()
            .register_type::<AloSceneRoot>()
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

/// The camera, light and wind that bones turn to, in world space.
#[derive(Clone, Copy, Debug, Default)]
struct BillboardTargets {
    camera: Option<Affine3A>,
    /// The direction in which the light travels.
    light: Option<Vec3>,
    /// The direction in which the wind blows.
    wind: Vec3,
}

type CameraData = (
    Entity,
    Option<(&'static Camera, &'static RenderTarget)>,
    Has<Camera3d>,
    Has<BillboardCamera>,
);

type CameraFilter = Or<(With<Camera3d>, With<BillboardCamera>)>;

type LightData = (
    Entity,
    &'static DirectionalLight,
    Option<&'static Visibility>,
);

/// Finds the camera, light and wind that bones turn to.
#[derive(SystemParam)]
struct TargetFinder<'w, 's> {
    cameras: Query<'w, 's, CameraData, CameraFilter>,
    lights: Query<'w, 's, LightData>,
    wind: Res<'w, Wind>,
}

impl TargetFinder<'_, '_> {
    fn camera(&self) -> Option<Entity> {
        let candidates = self
            .cameras
            .iter()
            .filter_map(|(entity, camera, is_3d, marked)| {
                let is_shown = camera.is_some_and(|(camera, target)| {
                    let has_image =
                        matches!(target, RenderTarget::Window(_) | RenderTarget::Image(_));
                    is_3d && camera.is_active && has_image
                });
                let order = camera.map_or(0, |(camera, _)| camera.order);
                (marked || is_shown).then_some((!marked, order, entity))
            });
        candidates.min().map(|(.., entity)| entity)
    }

    /// The brightest light whose own `Visibility` is not `Hidden`.
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

    fn targets(&self, hierarchy: &Hierarchy) -> BillboardTargets {
        let light = self.light().map(|light| hierarchy.world_from(light));
        BillboardTargets {
            camera: self.camera().map(|camera| hierarchy.world_from(camera)),
            light: light.map(|light| light.transform_vector3(Vec3::NEG_Z).normalize_or_zero()),
            wind: self.wind.direction,
        }
    }
}

/// Computes world transforms of this frame, before transform propagation.
#[derive(SystemParam)]
struct Hierarchy<'w, 's> {
    transforms: Query<'w, 's, &'static mut Transform>,
    parents: Query<'w, 's, &'static ChildOf>,
    roots: Query<'w, 's, (), With<AloSceneRoot>>,
}

impl Hierarchy<'_, '_> {
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

    /// The world transforms of the bone's parent, and of the model's root if there is one.
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
    mut hierarchy: Hierarchy,
    finder: TargetFinder,
    mut order: Local<Vec<(usize, Entity)>>,
) {
    if bones.is_empty() {
        return;
    }
    let targets = finder.targets(&hierarchy);
    // Parents first, because a turned bone moves its children.
    order.clear();
    order.extend(
        bones
            .iter()
            .map(|(bone, _)| (hierarchy.parents.iter_ancestors(bone).count(), bone)),
    );
    order.sort_unstable();
    for (_, bone) in order.iter() {
        if let Ok((_, billboard)) = bones.get_mut(*bone) {
            turn_bone(*bone, billboard, &mut hierarchy, &targets);
        }
    }
}

fn turn_bone(
    bone: Entity,
    mut billboard: Mut<AloBillboard>,
    hierarchy: &mut Hierarchy,
    targets: &BillboardTargets,
) {
    let (parent, model) = hierarchy.spaces(bone);
    let Ok(mut transform) = hierarchy.transforms.get_mut(bone) else {
        return;
    };
    // Internal state must not trigger change detection.
    let billboard = billboard.bypass_change_detection();
    billboard.update_base(&transform);
    let turned = turned(
        billboard.mode,
        billboard.base,
        &parent,
        model.as_ref(),
        targets,
    );
    billboard.written = Some(turned);
    transform.set_if_neq(turned);
}

/// The local transform of a bone with its turn.
///
/// Returns `base` if there is no target to turn to, or if the result is not finite because a scale is 0.
fn turned(
    mode: Billboard,
    base: Transform,
    parent: &Affine3A,
    model: Option<&Affine3A>,
    targets: &BillboardTargets,
) -> Transform {
    let bone = *parent * base.compute_affine();
    let with_turn = |turn: Quat| base.with_rotation(base.rotation * turn);
    let turned = match mode {
        Billboard::None => base,
        Billboard::Parallel | Billboard::Face => facing(base, parent, targets.camera),
        Billboard::ZView => with_turn(targets.camera.map_or(Quat::IDENTITY, |camera| {
            let camera = bone.inverse().transform_point3(camera.translation.into());
            turn_to_heading(-camera)
        })),
        Billboard::ZLight => with_turn(targets.light.map_or(Quat::IDENTITY, |light| {
            turn_to_heading(bone.inverse().transform_vector3(light))
        })),
        Billboard::ZWind => with_turn(turn_to_heading(
            bone.inverse().transform_vector3(targets.wind),
        )),
        Billboard::SunGlow | Billboard::Sun => Transform {
            translation: moved_to_sun(base.translation, parent, model, targets.light),
            ..facing(base, parent, targets.camera)
        },
    };
    if turned.is_finite() { turned } else { base }
}

/// The local transform of a bone whose front faces the camera.
fn facing(base: Transform, parent: &Affine3A, camera: Option<Affine3A>) -> Transform {
    let Some(camera) = camera else {
        return base;
    };
    let (_, camera, _) = camera.to_scale_rotation_translation();
    let (scale, parent, _) = parent.to_scale_rotation_translation();
    let local = parent.inverse() * camera * Quat::from_rotation_x(-FRAC_PI_2);
    // A mirrored space has a negative scale on one axis, X. Mirror the rotation too, so that the bone faces the camera.
    let local = if scale.x < 0.0 {
        Quat::from_xyzw(local.x, -local.y, -local.z, local.w)
    } else {
        local
    };
    base.with_rotation(local.normalize())
}

/// The rotation about Z that turns +Y to the heading of a vector, and so −Y to its source. A vector without a heading
/// gives the identity.
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

/// The position of a bone that follows the sun. `rest` is its position without the turn. Both are in its parent's
/// space.
fn moved_to_sun(
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
    let moved = turn * model_from_parent.transform_point3(rest);
    model_from_parent.inverse().transform_point3(moved)
}

/// The rotation about the model's origin that turns +X to the source of the light: first about −Y, then about Z.
/// `light` is the direction in which the light travels.
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
    fn assert_near(a: Vec3, b: Vec3) {
        assert!(a.abs_diff_eq(b, 1e-5), "expected {b}, found {a}");
    }

    fn targets_of(camera: Transform, light: Vec3, wind: Vec3) -> BillboardTargets {
        BillboardTargets {
            camera: Some(camera.compute_affine()),
            light: Some(light),
            wind,
        }
    }

    #[test]
    fn modes_have_the_numbers_of_the_file_format() {
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
    fn turn_to_heading_points_the_back_along_the_vector() {
        for to in [
            Vec3::X,
            Vec3::NEG_X,
            Vec3::Y,
            Vec3::NEG_Y,
            Vec3::new(3.0, -4.0, 0.0),
        ] {
            let turn = turn_to_heading(to + Vec3::Z * 2.0);
            assert_near(turn * Vec3::Y, to.normalize());
            assert_near(turn * Vec3::Z, Vec3::Z);
        }
        for without_heading in [Vec3::ZERO, Vec3::Z, Vec3::NEG_Z, Vec3::NAN] {
            assert_eq!(turn_to_heading(without_heading), Quat::IDENTITY);
        }
    }

    #[test]
    fn turn_to_sun_points_x_to_the_source_of_the_light() {
        for light in [
            Vec3::NEG_X,
            Vec3::Y,
            Vec3::NEG_Z,
            Vec3::Z,
            Vec3::new(0.3, -0.5, -0.7),
            Vec3::new(-2.0, 5.0, 1.0),
        ] {
            assert_near(turn_to_sun(light) * Vec3::X, -light.normalize());
            // The rotation has no roll: Y stays horizontal.
            assert!((turn_to_sun(light) * Vec3::Y).z.abs() < 1e-6);
        }
        assert_eq!(turn_to_sun(Vec3::ZERO), Quat::IDENTITY);
    }

    #[test]
    fn parallel_bone_faces_the_camera_in_mirrored_spaces() {
        let camera =
            Transform::from_xyz(3.0, 9.0, 4.0).looking_at(Vec3::new(1.0, 0.0, 2.0), Vec3::Y);
        let targets = targets_of(camera, Vec3::NEG_Y, Vec3::X);
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
            let local = turned(Billboard::Parallel, base, &parent, None, &targets);
            let world = parent * local.compute_affine();
            let sign = parent.matrix3.determinant().signum();
            let axis = |axis| world.transform_vector3(axis) / scale.x.abs();
            assert_near(axis(Vec3::NEG_Y), camera.back().into());
            assert_near(axis(Vec3::Z), camera.up().into());
            assert_near(axis(Vec3::X), sign * Vec3::from(camera.right()));
            assert_eq!(
                (local.translation, local.scale),
                (base.translation, base.scale)
            );
        }
    }

    #[test]
    fn bones_do_not_turn_without_targets() {
        let base = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_x(0.5));
        let parent = Transform::from_xyz(4.0, 0.0, 0.0).compute_affine();
        let no_targets = BillboardTargets::default();
        let collapsed = Affine3A::from_scale(Vec3::ZERO);
        let all = targets_of(
            Transform::from_xyz(0.0, 7.0, 1.0),
            Vec3::new(0.6, 0.0, -0.8),
            Vec3::X,
        );
        for mode in (0..8).filter_map(Billboard::from_raw) {
            assert_eq!(
                turned(mode, base, &parent, None, &no_targets),
                base,
                "{mode:?}"
            );
            let local = turned(mode, base, &collapsed, Some(&collapsed), &all);
            assert!(local.is_finite(), "{mode:?}");
        }
    }

    #[test]
    fn base_follows_each_written_field_separately() {
        let mut bone = AloBillboard::new(Billboard::Parallel);
        let first = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_z(0.3));
        bone.update_base(&first);
        assert_eq!(bone.base, first);
        let written = first.with_rotation(Quat::from_rotation_x(1.0));
        bone.written = Some(written);
        bone.update_base(&written);
        assert_eq!(bone.base, first);
        bone.update_base(&written.with_translation(Vec3::ONE));
        assert_eq!(bone.base, first.with_translation(Vec3::ONE));
    }
}
