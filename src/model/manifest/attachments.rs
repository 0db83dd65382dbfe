//! Models that hang on the bones of others.

use super::classic_model::ClassicModel;
use super::document::{ManifestAttachment, ModelManifest};
use super::files::Whereabouts;
use super::given::follow;
use super::spawn::warn_of;
use crate::model::Attached;
use crate::scene::{ClipRef, ModelSkin, PlayClip};
use bevy::asset::{AssetPath, AssetServer};
use bevy::ecs::component::Component;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::name::Name;
use bevy::ecs::world::World;
use bevy::transform::components::Transform;

/// Models may hang on each other so deep.
const MAX_DEPTH: usize = 4;

/// So many models may hang below the topmost one, of which each may have its own attachments.
const MOST_BELOW: usize = 1024;

/// On a model that a manifest has hung: the topmost of those above it.
#[derive(Component)]
#[relationship(relationship_target = AllBelow)]
pub(super) struct HangsBelow(Entity);

/// On a topmost model: all that manifests have hung below it.
#[derive(Component)]
#[relationship_target(relationship = HangsBelow)]
pub(super) struct AllBelow(EntityHashSet);

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
    files: &Whereabouts,
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
    let top = match top(world, root, model) {
        Ok(top) => top,
        Err(flaw) => {
            warn_of(world, root, &flaw);
            return None;
        }
    };
    if !has_room(world, top) {
        let message = format!(
            "more than {MOST_BELOW} models hang on it and on each other, and the others are left out"
        );
        // The topmost may be a model that nobody spawned as one of a manifest.
        let is_ours = world.get::<ClassicModel>(top).is_some();
        warn_of(world, if is_ours { top } else { root }, &message);
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
    let below = HangsBelow(top);
    let entity = world.spawn((name, transform, attached, model_of, below));
    let entity = entity.id();
    Some(Hung {
        entity,
        bone: stated.bone.clone(),
        model: model.clone(),
        transform: Some(transform),
        play: None,
        skin: None,
    })
}

/// The topmost of the models above one that is to be hung on a root; or why it is not hung there.
fn top(world: &World, root: Entity, model: &AssetPath<'static>) -> Result<Entity, String> {
    let mut above = root;
    for _ in 0..MAX_DEPTH {
        let path = world.get::<ClassicModel>(above);
        if path.and_then(|of| of.0.path()) == Some(model) {
            return Err(format!(
                "{model} is attached to itself, which is not followed"
            ));
        }
        match world.get::<Attached>(above) {
            Some(attached) => above = attached.to,
            None => return Ok(above),
        }
    }
    let depth = MAX_DEPTH + 1;
    Err(format!(
        "{model} is attached {depth} models deep, which is not followed"
    ))
}

/// Whether one more may hang below a topmost model.
fn has_room(world: &World, top: Entity) -> bool {
    let below = world.get::<AllBelow>(top);
    below.is_none_or(|below| below.0.len() < MOST_BELOW)
}
