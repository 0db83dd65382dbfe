//! Where the vertices of Alamo models are.

use crate::describe::Failure;
use crate::pose::{Posed, Poser};
use crate::support::gpuless;
use crate::support::places::Places;
use bevy::asset::AssetPath;
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloSubmeshOf;
use bevy_classic_models::prelude::*;
use std::collections::HashSet;

impl Poser {
    /// `placeless` are vertices that do not count: mesh, sub-mesh, vertex. `None` if nothing is drawn.
    pub(crate) fn pose_alo(
        &mut self,
        path: AssetPath<'static>,
        placeless: &HashSet<[usize; 3]>,
    ) -> Result<Option<Posed>, Failure> {
        if let Some(name) = &self.request.animation {
            return Err(Failure::new(format!(
                "there is no clip \"{name}\"; there are none"
            )));
        }
        let server = self.app.world().resource::<AssetServer>().clone();
        let settings = |settings: &mut AloLoaderSettings| {
            settings.load_textures = false;
            settings.load_lights = false;
        };
        // By the type of the asset, so that the file may be named as it likes.
        let alo: Handle<Alo> = server.load_builder().with_settings(settings).load(path);
        self.load(&alo)?;
        let models = self.app.world().resource::<Assets<Alo>>();
        let scene = models.get(&alo).map(|alo| alo.scene.clone());
        let scene = WorldAssetRoot(scene.unwrap_or_default());
        let root = self.app.world_mut().spawn(scene).id();
        let spawned = self.await_on::<AloInstance>(root);
        gpuless::step(&mut self.app, 0.0);
        let posed = spawned.and_then(|()| {
            let drawn = self.app.world_mut().run_system_once(drawn);
            let drawn = drawn.map_err(Failure::new)?;
            Ok(Posed::of(drawn.into_iter().filter_map(
                |(vertex, place)| (!placeless.contains(&vertex)).then_some(place),
            )))
        });
        self.despawn(root);
        posed
    }
}

/// The vertices of all sub-meshes that are drawn, and where they are.
fn drawn(
    submeshes: Query<(Entity, &AloSubmeshOf)>,
    parents: Query<(&Visibility, Option<&ChildOf>)>,
    places: Places,
) -> Vec<([usize; 3], Vec3)> {
    let mut drawn = Vec::new();
    for (entity, of) in &submeshes {
        if !shows(entity, &parents) {
            continue;
        }
        let vertices = places.vertices(entity).unwrap_or_default();
        let vertices = vertices.into_iter().enumerate();
        drawn.extend(vertices.map(|(index, place)| ([of.mesh, of.submesh, index], place)));
    }
    drawn
}

/// Whether neither an entity nor any above it is hidden.
fn shows(entity: Entity, parents: &Query<(&Visibility, Option<&ChildOf>)>) -> bool {
    let mut next = Some(entity);
    while let Some((visibility, parent)) = next.and_then(|entity| parents.get(entity).ok()) {
        match visibility {
            Visibility::Hidden => return false,
            Visibility::Visible => return true,
            Visibility::Inherited => next = parent.map(ChildOf::parent),
        }
    }
    true
}
