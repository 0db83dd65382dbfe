//! Where the vertices of a spawned model are at a time: the model is loaded, spawned and animated by
//! the plugin, as in a game, and then asked.

use crate::inspect::content::Content;
use crate::inspect::failure::Failure;
use bevy::asset::{
    Asset, AssetLoadError, AssetPath, LoadState, RecursiveDependencyLoadState, UntypedAssetId,
};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::ModelLoadError;
use bevy_classic_models::scene::Wind;
use classic_models_support::gpuless;
use std::path::{Path, PathBuf};

/// All folders are in it, so that clips can be looked for beside any model.
const ASSETS: &str = "/";

/// The moment that is asked for.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Name of the clip, or for Alamo models its file. If there is none, the first clip of Quake and
    /// LithTech models, and the rest pose of Alamo models.
    pub animation: Option<String>,
    /// Seconds into the clip.
    pub time: f64,
}

impl Request {
    /// The time, which does not begin before the clip.
    pub fn seconds(&self) -> f32 {
        self.time.clamp(0.0, f32::MAX.into()) as f32
    }
}

/// An app that poses one model after the other.
pub struct Poser {
    pub app: App,
    pub request: Request,
}

impl Poser {
    pub fn new(request: Request) -> Self {
        let mut app = App::new();
        app.add_plugins((
            gpuless::plugins(Path::new(ASSETS), false),
            ClassicModelsPlugins,
        ));
        // Nothing turns to a camera, a light or the wind.
        app.insert_resource(Wind {
            direction: Vec3::ZERO,
        });
        gpuless::finish(&mut app);
        Self { app, request }
    }

    /// Spawns a model, plays the clip to the moment, and tells the description.
    /// Nothing is to be told of an animation or a picture.
    pub fn pose(&mut self, path: &Path, content: &mut Content) -> Result<(), Failure> {
        let path = asset_path(path)?;
        match content {
            Content::Abc(model) => model.posed = self.pose_abc(path, &model.bytes)?,
            Content::Mdl(model) => model.posed = self.pose_mdl(path)?,
            Content::Alo(model) => {
                let (posed, flaws) = self.pose_alo(path, &model.placeless)?;
                model.posed = posed;
                model.warnings.extend(flaws);
            }
            Content::Lgw(_) => {
                let clip = self.request.animation.as_deref();
                return clip.map_or(Ok(()), |clip| Err(no_clip(clip, &[])));
            }
            Content::Ala(_) | Content::Dtx(_) => {}
        }
        Ok(())
    }

    /// Waits for a model or an animation, and for all that it needs.
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
            None => Err(late()),
        }
    }

    /// Waits until the root of a scene has a component.
    pub fn await_on<C: Component>(&mut self, root: Entity) -> Result<(), Failure> {
        let spawned = gpuless::wait_until(&mut self.app, |world| world.get::<C>(root).is_some());
        if spawned { Ok(()) } else { Err(late()) }
    }

    /// Waits until the clip plays that was asked for.
    pub fn await_clip(&mut self, plays: impl FnMut(&mut World) -> bool) -> Result<(), Failure> {
        match gpuless::wait_until(&mut self.app, plays) {
            true => Ok(()),
            false => Err(Failure::new("the clip did not load in time")),
        }
    }

    /// Plays a clip at the moment that is asked for. It stands still there: frames pass until the
    /// model is asked. A clip that plays once has its last frame at its end and after it.
    pub fn still(&self, clip: impl Into<ClipRef>) -> PlayClip {
        PlayClip::once(clip)
            .starting_at(self.request.seconds())
            .with_speed(0.0)
    }

    /// Takes a model away.
    pub fn despawn(&mut self, root: Entity) {
        self.app.world_mut().entity_mut(root).despawn();
        gpuless::step(&mut self.app, 0.0);
    }
}

/// The whole of the path is the file's: `#` means nothing in it.
pub fn asset_path(path: &Path) -> Result<AssetPath<'static>, Failure> {
    let path = std::path::absolute(path).map_err(Failure::new)?;
    let from_root = path.strip_prefix(ASSETS).map(PathBuf::from);
    Ok(AssetPath::from_path_buf(from_root.unwrap_or(path)))
}

/// Why an asset cannot be loaded, or something that it needs.
fn failed(server: &AssetServer, asset: UntypedAssetId) -> Option<String> {
    match server.get_load_states(asset)? {
        (LoadState::Failed(error), ..) | (_, _, RecursiveDependencyLoadState::Failed(error)) => {
            Some(explain(&error))
        }
        _ => None,
    }
}

/// Why a clip does not play that is not there.
pub fn no_clip(name: &str, names: &[&str]) -> Failure {
    let names = match names {
        [] => "none".to_owned(),
        _ => names.join(", "),
    };
    Failure::new(format!("there is no clip \"{name}\"; there are {names}"))
}

fn late() -> Failure {
    Failure::new("it did not load in time")
}

/// What the loader said, without what Bevy says around it.
fn explain(error: &AssetLoadError) -> String {
    let AssetLoadError::AssetLoaderError(of_loader) = error else {
        return error.to_string();
    };
    let own = of_loader.error();
    let text = own.downcast_ref().map(ModelLoadError::to_string);
    text.unwrap_or_else(|| error.to_string())
}
