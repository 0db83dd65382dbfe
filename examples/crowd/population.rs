//! Who is in the crowd, where they stand, and what they do.

use crate::support::dice::Dice;
use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use std::path::{Path, PathBuf};

/// The folder of the bundled assets.
pub const ASSETS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/assets");

/// Files of the bundled models, in order of their names.
pub fn bundled_models() -> Vec<PathBuf> {
    let folder = Path::new(ASSETS).join("models");
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut models: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "mdl"))
        .collect();
    models.sort();
    models
}

/// What the crowd is made of.
#[derive(Resource)]
pub struct Crowd {
    /// Number of instances.
    pub instances: usize,
    /// Where the crowd is drawn; the window by default.
    pub target: RenderTarget,
    paths: Vec<PathBuf>,
    models: Vec<Handle<Mdl>>,
    complete: bool,
}

impl Crowd {
    /// So many instances, taking turns between models.
    pub fn new(instances: usize, paths: Vec<PathBuf>) -> Self {
        Self {
            instances,
            target: RenderTarget::default(),
            paths,
            models: Vec::new(),
            complete: false,
        }
    }
}

/// Spawns the [`Crowd`] that was inserted, once its models are there.
pub struct CrowdPlugin;

impl Plugin for CrowdPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, load).add_systems(Update, populate);
    }
}

fn load(mut crowd: ResMut<Crowd>, assets: Res<AssetServer>) {
    crowd.models = crowd
        .paths
        .iter()
        .map(|path| assets.load(path.clone()))
        .collect();
}

fn populate(
    mut crowd: ResMut<Crowd>,
    assets: Res<AssetServer>,
    models: Res<Assets<Mdl>>,
    mut commands: Commands,
) {
    if crowd.complete {
        return;
    }
    let loaded = |model| assets.is_loaded_with_dependencies(model);
    if !crowd.models.iter().all(loaded) {
        return;
    }
    crowd.complete = true;
    let kinds: Vec<&Mdl> = crowd
        .models
        .iter()
        .filter_map(|model| models.get(model))
        .collect();
    let extent = kinds.iter().map(|model| extent(model));
    let spacing = extent.fold(1.0, f32::max);
    let per_side = (crowd.instances as f32).sqrt().ceil().max(1.0);
    for (index, model) in (0..crowd.instances).zip(kinds.iter().cycle()) {
        let (row, column) = (index / per_side as usize, index % per_side as usize);
        let middle = (per_side - 1.0) / 2.0;
        let place = Vec3::new(column as f32 - middle, 0.0, row as f32 - middle) * spacing;
        let mut dice = Dice::new(index as u32);
        let turn = Quat::from_rotation_y(dice.roll() * core::f32::consts::TAU);
        commands.spawn((
            WorldAssetRoot(model.scene.clone()),
            Transform::from_translation(place).with_rotation(turn),
            clip(model, &mut dice),
            ModelSkin::Index(dice.choose(model.skins.len())),
        ));
    }
    spawn_view(&mut commands, &crowd.target, per_side * spacing);
}

/// Widest way across a model's bounds.
fn extent(model: &Mdl) -> f32 {
    let (min, max) = model.poses.bounds();
    let size = max - min;
    size.x.max(size.y)
}

/// Any clip that moves, from anywhere, a bit faster or slower than it was made.
fn clip(model: &Mdl, dice: &mut Dice) -> PlayClip {
    let moving = |clip: usize| model.clips[clip].sequence.pose_count > 1;
    let moving: Vec<usize> = (0..model.clips.len())
        .filter(|clip| moving(*clip))
        .collect();
    let clip = moving
        .get(dice.choose(moving.len()))
        .copied()
        .unwrap_or_default();
    let seconds = model
        .clips
        .get(clip)
        .map_or(0.0, |clip| clip.sequence.seconds());
    PlayClip::looping(clip)
        .starting_at(dice.roll() * seconds)
        .with_speed(0.75 + dice.roll() / 2.0)
}

/// A camera that sees a square of this width as a whole, and a sun.
fn spawn_view(commands: &mut Commands, target: &RenderTarget, width: f32) {
    let projection = PerspectiveProjection {
        far: width * 4.0 + 1000.0,
        ..default()
    };
    commands.spawn((
        Camera3d::default(),
        Projection::Perspective(projection),
        target.clone(),
        Transform::from_xyz(0.0, width * 0.9, width * 1.2).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((
        DirectionalLight {
            illuminance: light_consts::lux::OVERCAST_DAY * 5.0,
            ..default()
        },
        Transform::from_xyz(1.0, 2.0, 1.5).looking_at(Vec3::ZERO, Vec3::Y),
    ));
}
