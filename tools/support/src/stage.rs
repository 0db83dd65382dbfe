//! Lighting that shows a model from all sides, and cameras that frame it.

use bevy::light::{CascadeShadowConfig, CascadeShadowConfigBuilder};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloModel;

/// A dark neutral background, one light with shadows, a weak one from behind, and ambient light.
/// Together they leave a texel that faces the camera about as bright as in its texture.
pub struct StagePlugin;

impl Plugin for StagePlugin {
    fn build(&self, app: &mut App) {
        app.insert_resource(ClearColor(Color::srgb(0.115, 0.12, 0.13)))
            .init_resource::<GlobalAmbientLight>()
            .add_systems(
                Startup,
                (
                    |mut commands: Commands| spawn_lights(&mut commands, 500.0),
                    set_ambient_light,
                ),
            );
    }
}

/// Marks the lights of the stage.
#[derive(Component)]
pub struct StageLight;

/// Marks the light that casts shadows.
#[derive(Component)]
pub struct KeyLight;

/// Sets the ambient light of the stage.
pub fn set_ambient_light(mut light: ResMut<GlobalAmbientLight>) {
    *light = GlobalAmbientLight {
        brightness: 520.0,
        ..default()
    };
}

/// Spawns the lights of the stage. `reach` is the distance of shadows from the camera, in world units.
pub fn spawn_lights(commands: &mut Commands, reach: f32) {
    // Models look towards −Z: the light comes from their front, from above and from their left.
    let from = |x, y, z| Transform::from_xyz(x, y, z).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((
        (StageLight, KeyLight),
        DirectionalLight {
            illuminance: 3000.0,
            color: Color::srgb(1.0, 0.97, 0.92),
            shadow_maps_enabled: true,
            ..default()
        },
        shadows(reach),
        from(-0.35, 0.9, -0.8),
    ));
    commands.spawn((
        StageLight,
        DirectionalLight {
            illuminance: 1400.0,
            color: Color::srgb(0.9, 0.94, 1.0),
            ..default()
        },
        from(0.8, 0.3, 0.6),
    ));
}

/// Shadows up to the distance `reach` from the camera, in world units.
pub fn shadows(reach: f32) -> CascadeShadowConfig {
    CascadeShadowConfigBuilder {
        num_cascades: 1,
        minimum_distance: 0.0,
        maximum_distance: reach,
        ..default()
    }
    .build()
}

/// The corners of a box.
pub fn corners(min: Vec3, max: Vec3) -> [Vec3; 8] {
    [0, 1, 2, 3, 4, 5, 6, 7].map(|corner| {
        Vec3::new(
            if corner & 1 == 0 { min.x } else { max.x },
            if corner & 2 == 0 { min.y } else { max.y },
            if corner & 4 == 0 { min.z } else { max.z },
        )
    })
}

/// The nearest position of a camera with this rotation from which all points are in view, with a small margin,
/// and the distance from there to their middle. `None` without points.
///
/// `fov` is the vertical angle in radians, `aspect` the image's width divided by its height.
pub fn fit(points: &[Vec3], rotation: Quat, fov: f32, aspect: f32) -> Option<(Vec3, f32)> {
    const USED: f32 = 0.9;
    // Right, up, forward.
    let seen = points
        .iter()
        .map(|point| rotation.inverse() * *point * Vec3::new(1.0, 1.0, -1.0));
    let low = seen.clone().reduce(Vec3::min)?;
    let high = seen.clone().reduce(Vec3::max)?;
    let slope_y = (fov / 2.0).tan() * USED;
    let slopes = [slope_y * aspect, slope_y];
    // On each axis: of all lines along the image's two edges that pass through a point, the
    // outermost two cross where the camera is at the nearest.
    let nearest = |axis: usize| {
        let slope = slopes[axis];
        let edge = |sign: f32| {
            let places = seen.clone().map(|p| sign * p[axis] - slope * p.z);
            places.fold(f32::NEG_INFINITY, f32::max)
        };
        -(edge(1.0) + edge(-1.0)) / (2.0 * slope)
    };
    // A point or a line is seen from some distance too.
    let size = (high - low).max_element().max(1e-3);
    let forward = nearest(0).min(nearest(1)).min(low.z - 0.2 * size);
    // On each axis: equal margins on both sides. The difference decreases with the position.
    let middle = |axis: usize| {
        let (mut from, mut to) = (low[axis], high[axis]);
        for _ in 0..40 {
            let place = (from + to) / 2.0;
            let slopes = seen.clone().map(|p| (p[axis] - place) / (p.z - forward));
            let (least, greatest) = slopes.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), s| {
                (a.min(s), b.max(s))
            });
            if least + greatest > 0.0 {
                from = place;
            } else {
                to = place;
            }
        }
        (from + to) / 2.0
    };
    let eye = rotation * Vec3::new(middle(0), middle(1), -forward);
    Some((eye, (low.z + high.z) / 2.0 - forward))
}

/// The bounding box of a model's visible, non-additive parts at rest, in the file's axes.
pub fn extent(model: &AloModel) -> (Vec3, Vec3) {
    let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
    for mesh in model.meshes.iter().filter(|mesh| !mesh.hidden) {
        let drawn = mesh.submeshes.iter().filter(|part| part.material.is_some());
        for part in drawn.filter(|part| !part.is_additive) {
            let place = model.bones.get(mesh.bone).map(|bone| bone.bind_pose);
            let place = place
                .filter(|_| part.palette.is_empty())
                .unwrap_or_default();
            let (min, max) = (part.bounds.min.into(), part.bounds.max.into());
            for corner in corners(min, max) {
                let corner = place.transform_point3(corner);
                (low, high) = (low.min(corner), high.max(corner));
            }
        }
    }
    (low, high)
}
