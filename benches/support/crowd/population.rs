//! Who is in the crowd, where they stand, and what they do.

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
use bevy_classic_models::quake::MdlAnimator;
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
    models: Vec<Model>,
    complete: bool,
}

impl Crowd {
    /// Why there will be no crowd, if one of its models cannot be loaded.
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

/// A model's asset.
enum Model {
    Mdl(Handle<Mdl>),
    Abc(Handle<Abc>),
    Lgw(Handle<Lgw>),
}

/// The models that are loaded.
#[derive(SystemParam)]
struct Known<'w> {
    mdl: Res<'w, Assets<Mdl>>,
    abc: Res<'w, Assets<Abc>>,
    lgw: Res<'w, Assets<Lgw>>,
}

/// What there is to choose from in a model.
struct Kind {
    scene: Handle<WorldAsset>,
    /// Widest way across its bounds.
    width: f32,
    /// Clips that move, by their places, and seconds of each.
    clips: Vec<(usize, f32)>,
    skins: usize,
}

/// On the roots of models that are there and play, if they have clips.
pub type Playing = Or<(With<MdlAnimator>, With<AbcAnimator>, With<LgwInstance>)>;

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

impl Model {
    /// Loads a file as what its name says that it is.
    fn load(path: &Path, assets: &AssetServer) -> Self {
        // Skins are looked for in the folder of the assets.
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

    fn kind(&self, known: &Known) -> Option<Kind> {
        match self {
            Self::Mdl(handle) => known.mdl.get(handle).map(mdl_kind),
            Self::Abc(handle) => known.abc.get(handle).map(abc_kind),
            Self::Lgw(handle) => known.lgw.get(handle).map(lgw_kind),
        }
    }
}

fn mdl_kind(model: &Mdl) -> Kind {
    let (min, max) = model.poses.bounds();
    let size = max - min;
    let clips = model.clips.iter().enumerate();
    let moving = clips.filter(|(_, clip)| clip.sequence.pose_count > 1);
    Kind {
        scene: model.scene.clone(),
        width: size.x.max(size.y),
        clips: moving
            .map(|(place, clip)| (place, clip.sequence.seconds()))
            .collect(),
        skins: model.skins.len(),
    }
}

fn abc_kind(model: &Abc) -> Kind {
    let size = model.bounds.max - model.bounds.min;
    let clips = model.animations.iter().enumerate();
    let moving = clips.filter(|(_, clip)| clip.keyframes.len() > 1);
    Kind {
        scene: model.scene.clone(),
        width: size.x.max(size.z),
        clips: moving.map(|(place, clip)| (place, clip.seconds)).collect(),
        skins: model.skins.len(),
    }
}

fn lgw_kind(model: &Lgw) -> Kind {
    let size = model
        .bounds
        .map_or(Vec3A::ONE, |bounds| bounds.max - bounds.min);
    Kind {
        scene: model.scene.clone(),
        width: size.x.max(size.z),
        clips: Vec::new(),
        skins: 0,
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
    let models = crowd.paths.iter().map(|path| Model::load(path, &assets));
    crowd.models = models.collect();
}

fn populate(
    mut crowd: ResMut<Crowd>,
    assets: Res<AssetServer>,
    known: Known,
    mut commands: Commands,
) {
    if crowd.complete || !crowd.models.iter().all(|model| model.is_loaded(&assets)) {
        return;
    }
    crowd.complete = true;
    let kinds = crowd.models.iter();
    let kinds: Vec<Kind> = kinds.filter_map(|model| model.kind(&known)).collect();
    let spacing = kinds.iter().map(|kind| kind.width).fold(1.0, f32::max);
    let per_side = (crowd.instances as f32).sqrt().ceil().max(1.0);
    for (index, kind) in (0..crowd.instances).zip(kinds.iter().cycle()) {
        let (row, column) = (index / per_side as usize, index % per_side as usize);
        let middle = (per_side - 1.0) / 2.0;
        let place = Vec3::new(column as f32 - middle, 0.0, row as f32 - middle) * spacing;
        let mut dice = Dice::new(index as u32);
        let turn = Quat::from_rotation_y(dice.roll() * core::f32::consts::TAU);
        commands.spawn((
            WorldAssetRoot(kind.scene.clone()),
            Transform::from_translation(place).with_rotation(turn),
            clip(kind, &mut dice),
            ModelSkin::Index(dice.choose(kind.skins)),
        ));
    }
    spawn_view(&mut commands, &crowd.target, per_side * spacing);
}

/// Any clip that moves, from anywhere, a bit faster or slower than it was made.
fn clip(kind: &Kind, dice: &mut Dice) -> PlayClip {
    let clip = kind.clips.get(dice.choose(kind.clips.len()));
    let (clip, seconds) = clip.copied().unwrap_or_default();
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
