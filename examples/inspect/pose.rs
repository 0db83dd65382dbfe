//! Where the vertices of a spawned model are at a time: the model is loaded, spawned and animated by
//! the plugin, as in a game, and then asked.

use crate::describe::Failure;
use crate::support::gpuless;
use bevy::asset::{AssetLoadError, LoadState};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlAnimator, MdlLoaderError};
use std::path::Path;

/// The moment that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// Name of the clip; the first if there is none.
    pub animation: Option<String>,
    /// Seconds into the clip.
    pub time: f64,
}

/// The vertices of a model in Bevy's world space.
pub struct Posed {
    /// Least corner of their box.
    pub min: Vec3,
    /// Greatest corner of their box.
    pub max: Vec3,
    /// Their mean.
    pub centroid: Vec3,
}

/// An app that poses one model after the other.
pub struct Poser {
    app: App,
    request: Request,
}

impl Poser {
    pub fn new(request: Request) -> Self {
        let mut app = App::new();
        app.add_plugins((
            gpuless::plugins(Path::new("."), false),
            ClassicModelsPlugin::default(),
        ));
        gpuless::finish(&mut app);
        Self { app, request }
    }

    /// Spawns a model, plays the clip to the moment, and measures.
    pub fn pose(&mut self, path: &Path) -> Result<Posed, Failure> {
        let path = std::path::absolute(path).map_err(failure)?;
        let path = bevy::asset::AssetPath::from_path_buf(path);
        let server = self.app.world().resource::<AssetServer>().clone();
        // By the type of the asset, so that the file may be named as it likes.
        let mdl: Handle<Mdl> = server.load(path);
        let mut error = None;
        let loaded = gpuless::wait_until(&mut self.app, |_| {
            if let LoadState::Failed(failed) = server.load_state(&mdl) {
                error = Some(explain(&failed));
            }
            error.is_some() || server.is_loaded_with_dependencies(&mdl)
        });
        if let Some(error) = error {
            return Err(failure(error));
        }
        let models = self.app.world().resource::<Assets<Mdl>>();
        let Some(scene) = models.get(&mdl).map(|mdl| mdl.scene.clone()) else {
            return Err(failure("the model did not load in time"));
        };
        let clip = match &self.request.animation {
            Some(name) => ClipRef::from(name.as_str()),
            None => ClipRef::Index(0),
        };
        let play = PlayClip::looping(clip).starting_at(0.0).paused();
        let bundle = (WorldAssetRoot(scene), play.clone());
        let root = self.app.world_mut().spawn(bundle).id();
        let spawned = gpuless::wait_until(&mut self.app, |world| {
            world.get::<MdlAnimator>(root).is_some()
        });
        let posed = if loaded && spawned {
            self.seek(root);
            self.measure(root, &play.clip)
        } else {
            Err(failure("the model did not load in time"))
        };
        self.app.world_mut().entity_mut(root).despawn();
        gpuless::step(&mut self.app, 0.0);
        posed
    }

    /// Sets the time, modulo the clip while it still has all its digits.
    fn seek(&mut self, root: Entity) {
        let animator = self.app.world().get::<MdlAnimator>(root);
        let seconds = animator.map_or(0.0, |animator| f64::from(animator.clip_seconds()));
        if let Some(mut playback) = self.app.world_mut().get_mut::<Playback>(root)
            && seconds > 0.0
        {
            playback.time = self.request.time.rem_euclid(seconds) as f32;
        }
        gpuless::step(&mut self.app, 0.0);
    }

    fn measure(&mut self, root: Entity, clip: &ClipRef) -> Result<Posed, Failure> {
        let world = self.app.world();
        let animator = world.get::<MdlAnimator>(root);
        let animator = animator.ok_or_else(|| failure("the model was not spawned"))?;
        let model = animator.model();
        if model.sequence(clip).is_none() {
            let names: Vec<_> = model.clips.iter().map(|clip| &*clip.name).collect();
            let names = names.join(", ");
            return Err(failure(format!(
                "there is no clip {clip}; there are {names}"
            )));
        }
        let transform = world.get::<GlobalTransform>(animator.mesh());
        let transform = transform.ok_or_else(|| failure("the model has no place"))?;
        let places = model.poses.blend(animator.shown());
        let places = places.map(|(position, _)| transform.transform_point(position));
        let count = f64::from(model.poses.vertex_count());
        let mut posed = Posed {
            min: Vec3::INFINITY,
            max: Vec3::NEG_INFINITY,
            centroid: Vec3::ZERO,
        };
        let mut sum = bevy::math::DVec3::ZERO;
        for place in places {
            posed.min = posed.min.min(place);
            posed.max = posed.max.max(place);
            sum += place.as_dvec3();
        }
        posed.centroid = (sum / count).as_vec3();
        Ok(posed)
    }
}

/// What the loader said, without what Bevy says around it.
fn explain(error: &AssetLoadError) -> String {
    let AssetLoadError::AssetLoaderError(of_loader) = error else {
        return error.to_string();
    };
    let own = of_loader.error().downcast_ref::<MdlLoaderError>();
    own.map_or_else(|| error.to_string(), ToString::to_string)
}

fn failure(error: impl std::fmt::Display) -> Failure {
    Failure {
        offset: None,
        message: error.to_string(),
    }
}
