//! The scene around the models of an example: a camera, a light, a floor and texts.

use super::controls::ControlsPlugin;
use super::stage;
use bevy::prelude::*;

/// Text size in percent of the window's height, so that texts fit into images of any size.
const FONT_SIZE: FontSize = FontSize::Vh(2.3);

/// Distance of texts from the edges in pixels.
const MARGIN: f32 = 16.0;

/// Adds the scene. Space pauses the app's time, and the left and right arrow keys turn the camera around `target`.
pub struct StudioPlugin {
    /// Position of the camera.
    pub eye: Vec3,
    /// The point in the middle of the image.
    pub target: Vec3,
    /// What the example's keys do, in lines. It is shown at the top.
    pub keys: &'static str,
    /// Whether models cast shadows.
    pub shadows: bool,
}

impl Default for StudioPlugin {
    /// A view of a few models at the origin that face −Z.
    fn default() -> Self {
        Self {
            eye: Vec3::new(0.0, 3.0, -9.0),
            target: Vec3::Y * 2.0,
            keys: "",
            shadows: true,
        }
    }
}

/// On the text at the bottom, which the example writes.
#[derive(Component)]
pub struct Caption;

/// On the text above it, for measured times. It is hidden in images, because times differ from run to run.
#[derive(Component)]
pub struct MeasuredText;

/// On the text of a loading screen. The time of images starts when it is despawned and all models are ready.
#[derive(Component)]
pub struct LoadingScreen;

impl Plugin for StudioPlugin {
    fn build(&self, app: &mut App) {
        let Self {
            eye,
            target,
            keys,
            shadows,
        } = *self;
        app.add_plugins(ControlsPlugin { center: target })
            .insert_resource(ClearColor(Color::srgb(0.115, 0.12, 0.13)))
            .insert_resource(GlobalAmbientLight {
                brightness: 500.0,
                ..default()
            })
            .add_systems(
                Startup,
                (
                    move |mut commands: Commands| {
                        spawn_camera(&mut commands, eye, target);
                        spawn_light(&mut commands, shadows, eye.distance(target));
                        spawn_texts(&mut commands, keys);
                    },
                    spawn_floor,
                ),
            );
    }
}

fn spawn_camera(commands: &mut Commands, eye: Vec3, target: Vec3) {
    commands.spawn((
        Camera3d::default(),
        Projection::Perspective(PerspectiveProjection {
            far: 1000.0 + 4.0 * eye.distance(target),
            ..default()
        }),
        Transform::from_translation(eye).looking_at(target, Vec3::Y),
    ));
}

/// The light comes from before the models, from above, and from their left.
fn spawn_light(commands: &mut Commands, shadows: bool, distance: f32) {
    commands.spawn((
        DirectionalLight {
            illuminance: 7000.0,
            shadow_maps_enabled: shadows,
            ..default()
        },
        stage::shadows(3.0 * distance),
        Transform::from_xyz(-3.0, 7.0, -6.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}

fn spawn_floor(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    commands.spawn((
        Mesh3d(meshes.add(Plane3d::new(Vec3::Y, Vec2::splat(2000.0)))),
        MeshMaterial3d(materials.add(StandardMaterial {
            base_color: Color::srgb(0.2, 0.21, 0.22),
            perceptual_roughness: 1.0,
            reflectance: 0.0,
            ..default()
        })),
    ));
}

fn spawn_texts(commands: &mut Commands, keys: &str) {
    let keys = format!("{keys}\nSpace: pause   Left, Right: turn the camera");
    let font = TextFont::from_font_size(FONT_SIZE);
    commands.spawn((
        Text::new(keys.trim_start()),
        font.clone(),
        Node {
            position_type: PositionType::Absolute,
            top: px(MARGIN),
            left: px(MARGIN),
            ..default()
        },
    ));
    commands.spawn((
        Node {
            position_type: PositionType::Absolute,
            bottom: px(MARGIN),
            left: px(MARGIN),
            flex_direction: FlexDirection::Column,
            ..default()
        },
        children![
            (MeasuredText, Text::default(), font.clone()),
            (Caption, Text::default(), font)
        ],
    ));
}
