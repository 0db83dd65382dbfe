//! Loads the models of the crowd and spawns its instances.

use crate::support::dice::Dice;
use bevy::asset::{LoadState, UntypedAssetId};
use bevy::camera::RenderTarget;
use bevy::ecs::system::SystemParam;
use bevy::math::Vec3A;
use bevy::prelude::*;
use bevy_classic_models::lgw::{Lgw, LgwInstance};
use bevy_classic_models::lithtech::{Abc, AbcAnimator};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::quake::MdlInstance;
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

/// The settings and state of the crowd.
#[derive(Resource)]
pub struct Crowd {
    /// Instance count.
    pub instances: usize,
    /// The render target; the primary window by default.
    pub target: RenderTarget,
    paths: Vec<PathBuf>,
    models: Vec<Model>,
    is_spawned: bool,
}

impl Crowd {
    /// The error of the first model that failed to load.
    pub fn failure(world: &World) -> Option<String> {
        let server = world.resource::<AssetServer>();
        let mut models = world.resource::<Self>().models.iter();
        models.find_map(|model| match server.load_state(model.id()) {
            LoadState::Failed(error) => Some(error.to_string()),
            _ => None,
        })
    }
}

impl Model {
    fn id(&self) -> UntypedAssetId {
        match self {
            Self::Mdl(handle) => handle.id().untyped(),
            Self::Abc(handle) => handle.id().untyped(),
            Self::Lgw(handle) => handle.id().untyped(),
        }
    }
}

/// The handle of a model.
enum Model {
    Mdl(Handle<Mdl>),
    Abc(Handle<Abc>),
    Lgw(Handle<Lgw>),
}

/// The assets of all supported formats.
#[derive(SystemParam)]
struct ModelAssets<'w> {
    mdl: Res<'w, Assets<Mdl>>,
    abc: Res<'w, Assets<Abc>>,
    lgw: Res<'w, Assets<Lgw>>,
}

/// The scene of a model, and the clips and skins to choose from.
struct Variants {
    scene: Handle<WorldAsset>,
    /// The larger horizontal size of the bounds.
    width: f32,
    /// Index and duration in seconds of each clip with more than one pose.
    clips: Vec<(usize, f32)>,
    skins: usize,
}

/// Filters the root entities of models that are spawned, with a running clip if they have clips.
pub type Playing = Or<(With<MdlInstance>, With<AbcAnimator>, With<LgwInstance>)>;

impl Crowd {
    /// A crowd of `instances` instances that cycles through the models.
    pub fn new(instances: usize, paths: Vec<PathBuf>) -> Self {
        Self {
            instances,
            target: RenderTarget::default(),
            paths,
            models: Vec::new(),
            is_spawned: false,
        }
    }
}

impl Model {
    /// Loads a file as the format of its extension.
    fn load(path: &Path, assets: &AssetServer) -> Self {
        // Skin paths are relative to the asset folder, so the model path must be too.
        let path = path.strip_prefix(ASSETS).unwrap_or(path).to_path_buf();
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("abc") => {
                Self::Abc(assets.load(path))
            }
            Some(extension) if extension.eq_ignore_ascii_case("lgw") => {
                Self::Lgw(assets.load(path))
            }
            _ => Self::Mdl(assets.load(path)),
        }
    }

    fn is_loaded(&self, assets: &AssetServer) -> bool {
        match self {
            Self::Mdl(handle) => assets.is_loaded_with_dependencies(handle),
            Self::Abc(handle) => assets.is_loaded_with_dependencies(handle),
            Self::Lgw(handle) => assets.is_loaded_with_dependencies(handle),
        }
    }

    fn variants(&self, assets: &ModelAssets) -> Option<Variants> {
        match self {
            Self::Mdl(handle) => assets.mdl.get(handle).map(mdl_variants),
            Self::Abc(handle) => assets.abc.get(handle).map(abc_variants),
            Self::Lgw(handle) => assets.lgw.get(handle).map(lgw_variants),
        }
    }
}

fn mdl_variants(model: &Mdl) -> Variants {
    let (min, max) = model.poses.bounds();
    let size = max - min;
    let clips = model.clips.iter().enumerate();
    let animated = clips.filter(|(_, clip)| clip.sequence.pose_count > 1);
    Variants {
        scene: model.scene.clone(),
        width: size.x.max(size.y),
        clips: animated
            .map(|(index, clip)| (index, clip.sequence.seconds()))
            .collect(),
        skins: model.skins.len(),
    }
}

fn abc_variants(model: &Abc) -> Variants {
    let size = model.bounds.max - model.bounds.min;
    let clips = model.animations.iter().enumerate();
    let animated = clips.filter(|(_, clip)| clip.keyframes.len() > 1);
    Variants {
        scene: model.scene.clone(),
        width: size.x.max(size.z),
        clips: animated
            .map(|(index, clip)| (index, clip.seconds))
            .collect(),
        skins: model.skins.len(),
    }
}

fn lgw_variants(model: &Lgw) -> Variants {
    let size = model
        .bounds
        .map_or(Vec3A::ONE, |bounds| bounds.max - bounds.min);
    Variants {
        scene: model.scene.clone(),
        width: size.x.max(size.z),
        clips: Vec::new(),
        skins: 0,
    }
}

/// Spawns the inserted [`Crowd`] once its models are loaded.
pub struct CrowdPlugin;

impl Plugin for CrowdPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(Startup, load_models)
            .add_systems(Update, populate);
    }
}

fn load_models(mut crowd: ResMut<Crowd>, assets: Res<AssetServer>) {
    let models = crowd.paths.iter().map(|path| Model::load(path, &assets));
    crowd.models = models.collect();
}

fn populate(
    mut crowd: ResMut<Crowd>,
    assets: Res<AssetServer>,
    models: ModelAssets,
    mut commands: Commands,
) {
    if crowd.is_spawned || !crowd.models.iter().all(|model| model.is_loaded(&assets)) {
        return;
    }
    crowd.is_spawned = true;
    let variants = crowd.models.iter();
    let variants: Vec<Variants> = variants
        .filter_map(|model| model.variants(&models))
        .collect();
    let spacing = variants.iter().map(|model| model.width).fold(1.0, f32::max);
    let per_side = (crowd.instances as f32).sqrt().ceil().max(1.0);
    for (index, model) in (0..crowd.instances).zip(variants.iter().cycle()) {
        let (row, column) = (index / per_side as usize, index % per_side as usize);
        let middle = (per_side - 1.0) / 2.0;
        let translation = Vec3::new(column as f32 - middle, 0.0, row as f32 - middle) * spacing;
        let mut dice = Dice::new(index as u32);
        let rotation = Quat::from_rotation_y(dice.roll() * core::f32::consts::TAU);
        commands.spawn((
            WorldAssetRoot(model.scene.clone()),
            Transform::from_translation(translation).with_rotation(rotation),
            random_clip(model, &mut dice),
            ModelSkin::Index(dice.choose(model.skins)),
        ));
    }
    spawn_view(&mut commands, &crowd.target, per_side * spacing);
}

/// A random clip with a random start time and a speed from 0.75 to 1.25.
fn random_clip(model: &Variants, dice: &mut Dice) -> PlayClip {
    let clip = model.clips.get(dice.choose(model.clips.len()));
    let (clip, seconds) = clip.copied().unwrap_or_default();
    PlayClip::looping(clip)
        .starting_at(dice.roll() * seconds)
        .with_speed(0.75 + dice.roll() / 2.0)
}

/// Spawns a camera that sees a square of this width, and a directional light.
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
