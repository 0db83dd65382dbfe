//! Positions of the vertices of a spawned model at a time. The plugin loads, spawns and animates the model, as in a
//! game.

use crate::file_format::FileFormat;
use crate::inspect::description::{Description, Failure, Posed};
use crate::messages::explain;
use crate::paths::archive_file::{self, Location, locate};
use crate::paths::disk;
use crate::paths::disk_source::DiskSource;
use crate::paths::game::Game;
use bevy::asset::meta::Settings;
use bevy::asset::{AssetPath, LoadState, RecursiveDependencyLoadState, UntypedAssetId};
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bevy_classic_models::archive::ArchiveSourceError;
use bevy_classic_models::load::{did_you_mean, listed_names};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{Mdl, MdlInstance, MdlLoaderSettings};
use bevy_classic_models::root::Wind;
use classic_models_support::gpuless;
use std::path::{Path, PathBuf};

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
    archives: Result<DiskSource, ArchiveSourceError>,
    /// The root of the file system, so that clips beside any model are found. On Windows, the drive of the first file.
    assets: PathBuf,
    /// The game whose files the paths are of.
    game: Option<Game>,
}

impl Poser {
    /// `files` are all files that will be posed. Those of archives and of a game need asset sources, which are registered at
    /// the start.
    pub fn new(request: Request, files: &[&Path], game: Option<&Game>) -> Self {
        let mut app = App::new();
        let clip = request.animation.as_deref().map(Path::new);
        let archives = DiskSource::default();
        archives.register(&mut app);
        let opened = match game {
            Some(game) => {
                archives.mount(game.root.clone(), game.source.clone());
                Ok(())
            }
            None => archives.open_archives(files.iter().copied().chain(clip)),
        };
        let first = files.first().and_then(|file| disk::absolute(file).ok());
        let root = first.as_deref().and_then(|file| file.ancestors().last());
        let assets = root.unwrap_or(Path::new("/")).to_path_buf();
        app.add_plugins((gpuless::plugins(&assets, false), ClassicModelsPlugins));
        // Billboards do not follow the wind.
        app.insert_resource(Wind {
            direction: Vec3::ZERO,
            ..default()
        });
        gpuless::finish(&mut app);
        Self {
            app,
            request,
            archives: opened.map(|()| archives),
            assets,
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
                Some(clip) => return Err(no_clip(&clip.into(), &[])),
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
            let path = archives.archived_path(&path);
            return path.ok_or_else(|| Failure::new("the archive cannot be loaded"));
        }
        let path = disk::absolute(path).map_err(Failure::new)?;
        let from_root = path.strip_prefix(&self.assets).map(PathBuf::from);
        Ok(AssetPath::from_path_buf(from_root.unwrap_or(path)))
    }

    /// Whether a clip's name is the path of a file: one of the game, if there is one.
    pub fn is_file(&self, clip: &str) -> bool {
        let clip = Path::new(clip);
        match &self.game {
            Some(game) => game.stored(clip).is_some(),
            None => archive_file::check_exists(clip).is_ok(),
        }
    }

    /// The bytes of a file, of an entry of an archive, or of a file of the game.
    pub fn read(&self, path: &Path) -> Result<Vec<u8>, Failure> {
        let stored = match &self.game {
            Some(game) => game.stored(path),
            None => Some(path.to_path_buf()),
        };
        let stored = stored.ok_or_else(|| Failure::new("not found"))?;
        Ok(archive_file::read(&stored)?)
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

    /// Loads a model, whose file may have any extension: the asset type selects the loader.
    pub fn load_as<A: Asset, S: Settings + Default>(
        &mut self,
        path: AssetPath<'static>,
        settings: impl Fn(&mut S) + Send + Sync + 'static,
    ) -> Result<Handle<A>, Failure> {
        let server = self.app.world().resource::<AssetServer>().clone();
        let asset = server.load_builder().with_settings(settings).load(path);
        self.load(&asset)?;
        Ok(asset)
    }

    /// Spawns the scene of a loaded model.
    pub fn spawn<A: Asset>(
        &mut self,
        asset: &Handle<A>,
        scene: fn(&A) -> &Handle<WorldAsset>,
    ) -> Entity {
        let assets = self.app.world().resource::<Assets<A>>();
        let scene = assets.get(asset).map(scene);
        let scene = WorldAssetRoot(scene.cloned().unwrap_or_default());
        self.app.world_mut().spawn(scene).id()
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

    /// Adds the stride of a clip that is posed.
    pub fn add_stride(
        &mut self,
        root: Entity,
        clip: ClipRef,
        posed: &mut Option<Posed>,
    ) -> Result<(), Failure> {
        let stride = move |models: ModelQuery| models.stride(root, &clip);
        let stride = self.app.world_mut().run_system_once(stride);
        if let Some(posed) = posed {
            posed.stride = stride.map_err(Failure::new)?;
        }
        Ok(())
    }

    /// Despawns a model.
    pub fn despawn(&mut self, root: Entity) {
        self.app.world_mut().entity_mut(root).despawn();
        gpuless::step(&mut self.app, 0.0);
    }

    pub(crate) fn pose_mdl(&mut self, path: AssetPath<'static>) -> Result<Option<Posed>, Failure> {
        let mdl = self.load_as(path, |_: &mut MdlLoaderSettings| {})?;
        let clip = match &self.request.animation {
            Some(name) => ClipRef::from(name.as_str()),
            None => ClipRef::Index(0),
        };
        let play = PlayClip::looping(clip).starting_at(0.0).paused();
        let root = self.spawn(&mdl, |mdl: &Mdl| &mdl.scene);
        self.app.world_mut().entity_mut(root).insert(play.clone());
        let posed = self.await_on::<MdlInstance>(root).and_then(|()| {
            self.seek(root);
            let mut posed = self.measure(root, &play.clip)?;
            self.add_stride(root, play.clip, &mut posed)?;
            Ok(posed)
        });
        self.despawn(root);
        posed
    }

    /// Sets the time, modulo the duration of the clip, computed in `f64`.
    fn seek(&mut self, root: Entity) {
        let animator = self.app.world().get::<MdlInstance>(root);
        let seconds = animator.map_or(0.0, |animator| f64::from(animator.clip_seconds()));
        if let Some(mut playback) = self.app.world_mut().get_mut::<Playback>(root)
            && seconds > 0.0
        {
            playback.time = self.request.time.rem_euclid(seconds) as f32;
        }
        gpuless::step(&mut self.app, 0.0);
    }

    fn measure(&mut self, root: Entity, clip: &ClipRef) -> Result<Option<Posed>, Failure> {
        let world = self.app.world();
        let animator = world.get::<MdlInstance>(root);
        let animator = animator.ok_or_else(|| Failure::new("the model was not spawned"))?;
        let model = animator.model();
        if model.sequence(clip).is_none() {
            let names: Vec<_> = model.clips.iter().map(|clip| &*clip.name).collect();
            return Err(no_clip(clip, &names));
        }
        let transform = world.get::<GlobalTransform>(animator.mesh());
        let transform = transform.ok_or_else(|| Failure::new("the mesh has no transform"))?;
        let vertices = model.poses.blend(animator.shown());
        let positions = vertices.map(|(position, _)| transform.transform_point(position));
        Ok(Posed::of(positions))
    }
}

/// The error of an asset or of a dependency that failed to load.
fn failed(server: &AssetServer, asset: UntypedAssetId) -> Option<String> {
    match server.get_load_states(asset)? {
        (LoadState::Failed(error), ..) | (_, _, RecursiveDependencyLoadState::Failed(error)) => {
            let path = server.get_path(asset);
            let path = path.map_or_else(String::new, |path| path.to_string());
            Some(explain(path, &error))
        }
        _ => None,
    }
}

/// The error for a missing clip, with the names that exist.
pub fn no_clip(clip: &ClipRef, names: &[&str]) -> Failure {
    let near = match clip {
        ClipRef::Name(name) => did_you_mean(name, names.iter().copied()),
        _ => String::new(),
    };
    let names = listed_names(names.iter().copied());
    Failure::new(format!("there is no clip {clip}; there are {names}{near}"))
}

fn timed_out() -> Failure {
    Failure::new("it did not load in time")
}
