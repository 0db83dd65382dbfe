//! Positions of the vertices of a spawned model at a time. The plugin loads, spawns and animates the model, as in a
//! game.

use crate::archive_file::{self, Location, locate};
use crate::archive_sources::ArchiveSources;
use crate::file_format::FileFormat;
use crate::game::Game;
use crate::inspect::description::Description;
use crate::inspect::failure::Failure;
use crate::load_error::explain;
use crate::paths;
use bevy::asset::{Asset, AssetPath, LoadState, RecursiveDependencyLoadState, UntypedAssetId};
use bevy::prelude::*;
use bevy_classic_models::archive::ArchiveSourceError;
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::Wind;
use classic_models_support::gpuless;
use std::path::{Path, PathBuf};

/// The file system's root, so that clips beside any model are found.
const ASSETS: &str = "/";

/// The clip and time at which models are measured.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Name of the clip, or for Alamo models also its file. `None` is the first clip of Quake and LithTech models, and
    /// the rest pose of Alamo models.
    pub animation: Option<String>,
    /// Seconds into the clip.
    pub time: f64,
}

impl Request {
    /// The time, not before the start of the clip.
    pub fn seconds(&self) -> f32 {
        self.time.clamp(0.0, f32::MAX.into()) as f32
    }
}

/// An app that measures one model after the other.
pub struct Poser {
    pub app: App,
    pub request: Request,
    archives: Result<ArchiveSources, ArchiveSourceError>,
    /// The game whose files the paths are of.
    game: Option<Game>,
}

impl Poser {
    /// `files` are all files that will be posed. Those of archives and of a game need asset sources, which are registered at
    /// the start.
    pub fn new(request: Request, files: &[&Path], game: Option<&Game>) -> Self {
        let mut app = App::new();
        let clip = request.animation.as_deref().map(Path::new);
        let archives = match game {
            Some(game) => {
                let mut archives = ArchiveSources::default();
                archives.add(game.root.clone(), game.source.clone());
                Ok(archives)
            }
            None => ArchiveSources::of(files.iter().copied().chain(clip)),
        };
        if let Ok(archives) = &archives {
            archives.register(&mut app);
        }
        app.add_plugins((
            gpuless::plugins(Path::new(ASSETS), false),
            ClassicModelsPlugins,
        ));
        // Billboards do not follow the wind.
        app.insert_resource(Wind {
            direction: Vec3::ZERO,
            ..default()
        });
        gpuless::finish(&mut app);
        Self {
            app,
            request,
            archives,
            game: game.cloned(),
        }
    }

    /// Spawns a model, plays the clip at the time, and adds the measured positions to the description. Animations and
    /// textures are not changed.
    pub fn pose(&mut self, path: &Path, description: &mut Description) -> Result<(), Failure> {
        let path = self.asset_path(path)?;
        let bytes = &description.bytes;
        description.posed = match description.format {
            Some(FileFormat::Abc) => self.pose_abc(path, bytes)?,
            Some(FileFormat::Mdl) => self.pose_mdl(path)?,
            Some(FileFormat::Alo) => {
                let (posed, warnings) = self.pose_alo(path, bytes)?;
                description.warnings.extend(warnings);
                posed
            }
            _ => match self.request.animation.as_deref() {
                Some(clip) => return Err(no_clip(clip, &[])),
                None => return Ok(()),
            },
        };
        Ok(())
    }

    /// The asset path of a file or an entry. A `#` in the name does not start a label.
    pub fn asset_path(&self, path: &Path) -> Result<AssetPath<'static>, Failure> {
        let in_source = match &self.game {
            Some(game) => Some(game.root.join(path)),
            None if matches!(locate(path), Ok(Location::Entry { .. })) => {
                Some(archive_file::absolute(path))
            }
            None => None,
        };
        if let Some(path) = in_source {
            let archives = self.archives.as_ref().map_err(Failure::new)?;
            let path = archives.asset_path(&path);
            return path.ok_or_else(|| Failure::new("the archive cannot be loaded"));
        }
        let path = paths::absolute(path).map_err(Failure::new)?;
        let from_root = path.strip_prefix(ASSETS).map(PathBuf::from);
        Ok(AssetPath::from_path_buf(from_root.unwrap_or(path)))
    }

    /// Whether a clip's name is the path of a file: one of the game, if there is one.
    pub fn is_file(&self, clip: &str) -> bool {
        let clip = Path::new(clip);
        match &self.game {
            Some(game) => game.locate(clip).is_some(),
            None => archive_file::check_exists(clip).is_ok(),
        }
    }

    /// The bytes of a file, of an entry of an archive, or of a file of the game.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let Some(game) = &self.game else {
            return Ok(archive_file::read(path)?);
        };
        let (file, location) = game.locate(path).ok_or_else(|| Failure::new("not found"))?;
        Ok(match location {
            Location::File => archive_file::read(&file)?,
            Location::Entry { archive, entry } => {
                let archive = archive_file::open_file(&archive)?;
                archive_file::read_entry(&archive, &entry)?
            }
        })
    }

    /// Waits for a model or an animation and its dependencies.
    pub fn load<A: Asset>(&mut self, asset: &Handle<A>) -> Result<(), Failure> {
        let server = self.app.world().resource::<AssetServer>().clone();
        let mut error = None;
        let loaded = gpuless::wait_until(&mut self.app, |_| {
            error = failed(&server, asset.id().untyped());
            error.is_some() || server.is_loaded_with_dependencies(asset)
        });
        match error {
            Some(error) => Err(Failure::new(error)),
            None if loaded => Ok(()),
            None => Err(timed_out()),
        }
    }

    /// Waits until the root of a scene has a component.
    pub fn await_on<C: Component>(&mut self, root: Entity) -> Result<(), Failure> {
        let spawned = gpuless::wait_until(&mut self.app, |world| world.get::<C>(root).is_some());
        if spawned { Ok(()) } else { Err(timed_out()) }
    }

    /// Waits until the requested clip plays.
    pub fn await_clip(&mut self, plays: impl FnMut(&mut World) -> bool) -> Result<(), Failure> {
        match gpuless::wait_until(&mut self.app, plays) {
            true => Ok(()),
            false => Err(Failure::new("the clip did not load in time")),
        }
    }

    /// A `PlayClip` at the requested time, with speed 0, because some frames pass before the model is measured. It
    /// plays once, so that times after the end show the last frame.
    pub fn still(&self, clip: impl Into<ClipRef>) -> PlayClip {
        PlayClip::once(clip)
            .starting_at(self.request.seconds())
            .with_speed(0.0)
    }

    /// Despawns a model.
    pub fn despawn(&mut self, root: Entity) {
        self.app.world_mut().entity_mut(root).despawn();
        gpuless::step(&mut self.app, 0.0);
    }
}

/// The error of an asset or of a dependency that failed to load.
fn failed(server: &AssetServer, asset: UntypedAssetId) -> Option<String> {
    match server.get_load_states(asset)? {
        (LoadState::Failed(error), ..) | (_, _, RecursiveDependencyLoadState::Failed(error)) => {
            Some(explain(&error))
        }
        _ => None,
    }
}

/// The error for a missing clip, with the names that exist.
pub fn no_clip(name: &str, names: &[&str]) -> Failure {
    let names = match names {
        [] => "none".to_owned(),
        _ => names.join(", "),
    };
    Failure::new(format!("there is no clip \"{name}\"; there are {names}"))
}

fn timed_out() -> Failure {
    Failure::new("it did not load in time")
}
