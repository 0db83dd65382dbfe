//! Positions of the vertices and bones of Alamo models.

use crate::clip_names::clip_named;
use crate::inspect::alo::non_finite;
use crate::inspect::description::{Failure, Posed, PosedBone, PosedVertices};
use crate::inspect::pose::{Poser, no_clip};
use bevy::asset::AssetPath;
use bevy::ecs::system::RunSystemOnce;
use bevy::math::Affine3A;
use bevy::prelude::*;
use bevy_classic_models::alamo::{
    Ala, Alo, AloAnimator, AloInstance, AloLoaderSettings, AloSceneRoot, AloSubmeshIndex,
    BoneVisibility, ala, alo,
};
use bevy_classic_models::prelude::*;
use classic_models_support::gpuless;
use classic_models_support::world_vertices::WorldVertices;
use std::collections::HashSet;
use std::path::Path;

/// The requested clip.
enum Clip {
    /// A clip in a file that the request names.
    File(Handle<Ala>),
    /// The name of a clip beside the model.
    Beside(String),
}

impl Poser {
    /// Measures a model, and returns the warnings of the clip. `None` if nothing is drawn and no clip was requested.
    pub(crate) fn pose_alo(
        &mut self,
        path: AssetPath<'static>,
        bytes: &[u8],
    ) -> Result<(Option<Posed>, Vec<String>), Failure> {
        let non_finite = non_finite(&alo::parse(bytes)?);
        let alo = self.load_alo(path)?;
        let clip = self.clip(&alo)?;
        let root = self.spawn(&alo, |alo: &Alo| &alo.scene);
        if let Some(clip) = &clip {
            let play = self.play(clip);
            self.app.world_mut().entity_mut(root).insert(play);
        }
        let spawned = self.await_on::<AloInstance>(root);
        if clip.is_some() {
            self.await_clip(|world| {
                let animator = world.get::<AloAnimator>(root);
                animator.is_some_and(|animator| animator.clip().is_some())
            })?;
        }
        gpuless::step(&mut self.app, 0.0);
        let posed = spawned.and_then(|()| {
            let mut posed = self.measure_alo(root, &non_finite, clip.is_some())?;
            if let Some(clip) = &clip {
                self.add_stride(root, self.play(clip).clip, &mut posed)?;
            }
            Ok(posed)
        });
        self.despawn(root);
        Ok((posed?, self.clip_warnings(clip.as_ref(), &alo)))
    }

    /// The warnings of a clip, and its tracks that do not match the model.
    fn clip_warnings(&self, clip: Option<&Clip>, alo: &Handle<Alo>) -> Vec<String> {
        let Some(model) = self.app.world().resource::<Assets<Alo>>().get(alo) else {
            return Vec::new();
        };
        let ala = match clip {
            Some(Clip::File(ala)) => Some(ala),
            Some(Clip::Beside(name)) => model.animation(name).map(|animation| &animation.ala),
            None => None,
        };
        let alas = self.app.world().resource::<Assets<Ala>>();
        let Some(ala) = ala.and_then(|ala| alas.get(ala)) else {
            return Vec::new();
        };
        let warnings = ala.warnings.iter().map(ToString::to_string);
        let mismatches = ala.mismatches(model);
        let left_out = mismatches.iter().map(|bone| format!("left out: {bone}"));
        let warnings = warnings.chain(left_out);
        warnings
            .map(|warning| format!("animation: {warning}"))
            .collect()
    }

    fn load_alo(&mut self, path: AssetPath<'static>) -> Result<Handle<Alo>, Failure> {
        let request = self.request.animation.as_deref();
        let load_animations = request.is_some_and(|clip| !self.is_file(clip));
        let settings = move |settings: &mut AloLoaderSettings| {
            settings.load_textures = false;
            settings.load_lights = false;
            settings.load_animations = load_animations;
        };
        self.load_as(path, settings)
    }

    /// The requested clip: a file if one with this path exists, otherwise a clip beside the model. A broken clip is an
    /// error of each model that should play it.
    fn clip(&mut self, alo: &Handle<Alo>) -> Result<Option<Clip>, Failure> {
        let Some(request) = self.request.animation.clone() else {
            return Ok(None);
        };
        let file = Path::new(&request);
        if !self.is_file(&request) {
            let beside = self.clip_beside(&request, alo)?;
            return Ok(Some(Clip::Beside(beside)));
        }
        // The parser's error has an offset, which the asset server's error lacks.
        let bytes = self.read(file)?;
        ala::parse(&bytes).map_err(|error| Failure {
            message: format!("{request}: {error}"),
            ..Failure::from(error)
        })?;
        let server = self.app.world().resource::<AssetServer>().clone();
        let ala: Handle<Ala> = server.load(self.asset_path(file)?);
        self.load(&ala)?;
        Ok(Some(Clip::File(ala)))
    }

    /// The name of a clip beside a model, in the case of its file. The number at its end may be left out.
    fn clip_beside(&self, name: &str, alo: &Handle<Alo>) -> Result<String, Failure> {
        let models = self.app.world().resource::<Assets<Alo>>();
        let clips = models.get(alo).map(|alo| &alo.animations[..]);
        let names: Vec<&str> = clips
            .unwrap_or_default()
            .iter()
            .map(|clip| &*clip.name)
            .collect();
        let found = clip_named(names.iter().copied(), name).and_then(|index| names.get(index));
        match found {
            Some(found) => Ok((*found).to_owned()),
            None => Err(no_clip(&name.into(), &names)),
        }
    }

    fn play(&self, clip: &Clip) -> PlayClip {
        self.still(match clip {
            Clip::File(ala) => {
                let clips = self.app.world().resource::<Assets<Ala>>();
                let clip = clips.get(ala).map(|ala| ala.clip.clone());
                ClipRef::from(clip.unwrap_or_default())
            }
            Clip::Beside(name) => ClipRef::from(name.as_str()),
        })
    }

    fn measure_alo(
        &mut self,
        root: Entity,
        non_finite: &HashSet<[usize; 3]>,
        with_bones: bool,
    ) -> Result<Option<Posed>, Failure> {
        let world = self.app.world_mut();
        let drawn = world.run_system_once(drawn).map_err(Failure::new)?;
        let counted = drawn
            .into_iter()
            .filter_map(|(vertex, position)| (!non_finite.contains(&vertex)).then_some(position));
        let vertices = PosedVertices::of(counted);
        let bones = match with_bones {
            true => Some(world.run_system_once_with(bones, root)),
            false => None,
        };
        let bones = bones.transpose().map_err(Failure::new)?;
        Ok(Posed::new(vertices, bones))
    }
}

/// The bones of a spawned model, in file order.
fn bones(
    root: In<Entity>,
    models: Query<&AloInstance>,
    transforms: Query<(&Name, &GlobalTransform, &BoneVisibility)>,
    scenes: Query<&GlobalTransform, With<AloSceneRoot>>,
    ancestors: Query<&ChildOf>,
) -> Vec<PosedBone> {
    let entities = models.get(*root).map_or(&[][..], AloInstance::bones);
    let bone = |entity: &Entity| {
        let (name, transform, own) = transforms.get(*entity).ok()?;
        // The scene's root converts the model's space to Bevy's.
        let scene = ancestors
            .iter_ancestors(*entity)
            .find_map(|entity| scenes.get(entity).ok());
        let to_model = scene.map_or(Affine3A::IDENTITY, |scene| scene.affine().inverse());
        Some(PosedBone {
            name: name.to_string(),
            matrix: Mat4::from(to_model * transform.affine()),
            visible: own.is_visible(),
        })
    };
    entities.iter().filter_map(bone).collect()
}

/// The vertices of all drawn sub-meshes, with their positions.
fn drawn(
    submeshes: Query<(Entity, &AloSubmeshIndex)>,
    parents: Query<(&Visibility, Option<&ChildOf>)>,
    world_vertices: WorldVertices,
) -> Vec<([usize; 3], Vec3)> {
    let mut drawn = Vec::new();
    for (entity, of) in &submeshes {
        if !shows(entity, &parents) {
            continue;
        }
        let vertices = world_vertices.positions(entity).unwrap_or_default();
        let vertices = vertices.into_iter().enumerate();
        drawn.extend(vertices.map(|(index, position)| ([of.mesh, of.submesh, index], position)));
    }
    drawn
}

/// Whether neither an entity nor any of its ancestors is hidden.
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
