//! Positions of the vertices of Quake models.

use crate::inspect::failure::Failure;
use crate::inspect::pose::Poser;
use crate::inspect::posed::Posed;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::Mdl;
use bevy_classic_models::quake::MdlInstance;
use classic_models_support::gpuless;

impl Poser {
    pub(crate) fn pose_mdl(&mut self, path: AssetPath<'static>) -> Result<Option<Posed>, Failure> {
        let server = self.app.world().resource::<AssetServer>().clone();
        // The asset type selects the loader, so the file may have any extension.
        let mdl: Handle<Mdl> = server.load(path);
        self.load(&mdl)?;
        let models = self.app.world().resource::<Assets<Mdl>>();
        let scene = models.get(&mdl).map(|mdl| mdl.scene.clone());
        let scene = WorldAssetRoot(scene.unwrap_or_default());
        let clip = match &self.request.animation {
            Some(name) => ClipRef::from(name.as_str()),
            None => ClipRef::Index(0),
        };
        let play = PlayClip::looping(clip).starting_at(0.0).paused();
        let root = self.app.world_mut().spawn((scene, play.clone())).id();
        let posed = self.await_on::<MdlInstance>(root).and_then(|()| {
            self.seek(root);
            self.measure(root, &play.clip)
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
            let names = names.join(", ");
            return Err(Failure::new(format!(
                "there is no clip {clip}; there are {names}"
            )));
        }
        let transform = world.get::<GlobalTransform>(animator.mesh());
        let transform = transform.ok_or_else(|| Failure::new("the mesh has no transform"))?;
        let vertices = model.poses.blend(animator.shown());
        let positions = vertices.map(|(position, _)| transform.transform_point(position));
        Ok(Posed::of(positions))
    }
}
