//! Where the vertices of a spawned model are at a time: the model is loaded, spawned and animated by
//! the plugin, as in a game, and then asked.

use crate::describe::{Content, Failure};
use crate::support::gpuless;
use bevy::asset::{Asset, AssetLoadError, AssetPath, LoadState};
use bevy::math::DVec3;
use bevy::prelude::*;
use bevy_classic_models::ClassicModelsPlugin;
use bevy_classic_models::alamo::AloLoaderError;
use bevy_classic_models::quake::MdlLoaderError;
use std::path::Path;

/// The moment that is asked for.
#[derive(Clone, Debug, Default)]
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

impl Posed {
    /// `None` without vertices.
    pub fn of(places: impl IntoIterator<Item = Vec3>) -> Option<Self> {
        let (mut min, mut max) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let (mut sum, mut count) = (DVec3::ZERO, 0_u32);
        for place in places {
            min = min.min(place);
            max = max.max(place);
            sum += place.as_dvec3();
            count += 1;
        }
        (count > 0).then(|| Self {
            min,
            max,
            centroid: (sum / f64::from(count)).as_vec3(),
        })
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
            gpuless::plugins(Path::new("."), false),
            ClassicModelsPlugin::default(),
        ));
        gpuless::finish(&mut app);
        Self { app, request }
    }

    /// Spawns a model, plays the clip to the moment, and tells the description.
    /// Nothing is to be told of an animation.
    pub fn pose(&mut self, path: &Path, content: &mut Content) -> Result<(), Failure> {
        let path = std::path::absolute(path).map_err(Failure::new)?;
        let path = AssetPath::from_path_buf(path);
        match content {
            Content::Mdl(model) => model.posed = self.pose_mdl(path)?,
            Content::Alo(model) => model.posed = self.pose_alo(path, &model.placeless)?,
            Content::Ala(_) => {}
        }
        Ok(())
    }

    /// Waits for a model.
    pub fn load<A: Asset>(&mut self, model: &Handle<A>) -> Result<(), Failure> {
        let server = self.app.world().resource::<AssetServer>().clone();
        let mut error = None;
        let loaded = gpuless::wait_until(&mut self.app, |_| {
            if let LoadState::Failed(failed) = server.load_state(model) {
                error = Some(explain(&failed));
            }
            error.is_some() || server.is_loaded_with_dependencies(model)
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

    /// Takes a model away.
    pub fn despawn(&mut self, root: Entity) {
        self.app.world_mut().entity_mut(root).despawn();
        gpuless::step(&mut self.app, 0.0);
    }
}

fn late() -> Failure {
    Failure::new("the model did not load in time")
}

/// What the loader said, without what Bevy says around it.
fn explain(error: &AssetLoadError) -> String {
    let AssetLoadError::AssetLoaderError(of_loader) = error else {
        return error.to_string();
    };
    let own = of_loader.error();
    None.or_else(|| Some(own.downcast_ref::<MdlLoaderError>()?.to_string()))
        .or_else(|| Some(own.downcast_ref::<AloLoaderError>()?.to_string()))
        .unwrap_or_else(|| error.to_string())
}
