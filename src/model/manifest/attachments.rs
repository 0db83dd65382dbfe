//! Models that hang on the bones of others.

use super::classic_model::ClassicModel;
use super::document::{ManifestAttachment, ModelManifest};
use super::files::ManifestFiles;
use super::given::follow;
use super::spawn::Told;
use crate::model::Attached;
use crate::scene::{ClipRef, ModelSkin, PlayClip};
use bevy::asset::{AssetPath, AssetServer};
use bevy::ecs::entity::Entity;
use bevy::ecs::name::Name;
use bevy::ecs::world::World;
use bevy::transform::components::Transform;

/// Models may hang on each other so deep.
const MAX_DEPTH: usize = 4;

/// A model that was hung on a bone, and what it was given.
pub(super) struct Hung {
    pub(super) entity: Entity,
    bone: String,
    model: AssetPath<'static>,
    transform: Option<Transform>,
    play: Option<PlayClip>,
    skin: Option<ModelSkin>,
}

/// Hangs on a root what its manifest states, and takes away what it states no more. What is still stated stays
/// as it is, but for what the manifest says about it otherwise and nobody else does.
pub(super) fn hang(
    world: &mut World,
    root: Entity,
    before: Vec<Hung>,
    manifest: &ModelManifest,
    files: &ManifestFiles,
) -> Vec<Hung> {
    let mut before = before;
    let mut all = Vec::new();
    for (stated, model) in manifest.attachments.iter().zip(&files.attachments) {
        let Some(model) = model else {
            continue;
        };
        let is_same = |hung: &Hung| hung.bone == stated.bone && hung.model == *model;
        let place = before.iter().position(is_same);
        let hung = match place {
            Some(place) => Some(before.remove(place)),
            None => spawn(world, root, stated, model),
        };
        if let Some(mut hung) = hung {
            hung.give(world, stated);
            all.push(hung);
        }
    }
    for hung in before {
        world.try_despawn(hung.entity).ok();
    }
    all
}

impl Hung {
    fn give(&mut self, world: &mut World, stated: &ManifestAttachment) {
        // The user may have despawned it.
        let Ok(mut entity) = world.get_entity_mut(self.entity) else {
            return;
        };
        let play = stated.play.clone().map(ClipRef::from);
        let skin = stated.skin.clone().map(ModelSkin::from);
        follow(&mut entity, &mut self.transform, Some(stated.transform()));
        follow(&mut entity, &mut self.play, play.map(PlayClip::stated));
        follow(&mut entity, &mut self.skin, skin);
    }
}

fn spawn(
    world: &mut World,
    root: Entity,
    stated: &ManifestAttachment,
    model: &AssetPath<'static>,
) -> Option<Hung> {
    if let Some(flaw) = flaw(world, root, model) {
        Told::warn(world, root, flaw);
        return None;
    }
    let server = world.resource::<AssetServer>();
    let transform = stated.transform();
    let attached = Attached {
        to: root,
        bone: stated.bone.clone(),
    };
    let model_of = ClassicModel::open(server, model.clone());
    let name = model.path().file_name().unwrap_or_default();
    let name = Name::new(name.to_string_lossy().into_owned());
    let entity = world.spawn((name, transform, attached, model_of)).id();
    Some(Hung {
        entity,
        bone: stated.bone.clone(),
        model: model.clone(),
        transform: Some(transform),
        play: None,
        skin: None,
    })
}

/// Why a model is not hung on another one.
fn flaw(world: &World, root: Entity, model: &AssetPath<'static>) -> Option<String> {
    let mut above = Some(root);
    let mut depth = 0;
    while let Some(entity) = above {
        let path = world.get::<ClassicModel>(entity);
        if path.and_then(|of| of.0.path()) == Some(model) {
            return Some(format!(
                "{model} is attached to itself, which is not followed"
            ));
        }
        depth += 1;
        if depth > MAX_DEPTH {
            return Some(format!(
                "{model} is attached {depth} models deep, which is not followed"
            ));
        }
        above = world.get::<Attached>(entity).map(|attached| attached.to);
    }
    None
}
