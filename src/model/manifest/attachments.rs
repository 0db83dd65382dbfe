//! Models that hang on the bones of others, until the game takes them.

use super::applied::follow;
use super::classic_model::{ClassicModel, is_manifest, warn_of};
use super::manifest::{ManifestAttachment, ModelManifest};
use super::resolve::ResolvedFiles;
use super::state::{ModelState, SpawnedAttachment};
use crate::model::AttachedToBone;
use crate::scene::{ClipRef, ModelSkin, PlayClip, folded};
use bevy::asset::{AssetPath, AssetServer, Assets};
use bevy::ecs::component::Component;
use bevy::ecs::entity::{Entity, EntityHashSet};
use bevy::ecs::name::Name;
use bevy::ecs::world::{EntityWorldMut, World};
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

/// A model that a manifest wants to hang on a bone.
struct Wanted<'a> {
    stated: &'a ManifestAttachment,
    /// Folded.
    bone: String,
    model: &'a AssetPath<'static>,
    place: Transform,
}

impl<'a> Wanted<'a> {
    /// All that a manifest states, but for those whose files are nowhere.
    fn all(manifest: &'a ModelManifest, files: &'a ResolvedFiles) -> Vec<Self> {
        let stated = manifest.attachments.iter().zip(&files.attachments);
        let wanted = stated.filter_map(|(stated, model)| {
            Some(Self {
                stated,
                bone: folded(&stated.bone),
                model: model.as_ref()?,
                place: stated.transform(),
            })
        });
        wanted.collect()
    }

    fn is(&self, hung: &SpawnedAttachment) -> bool {
        hung.bone == self.bone && hung.model == *self.model
    }
}

/// Hangs on a root what its manifest states, and takes away what it states no more. What is still stated stays
/// as it is, but for what the manifest says about it otherwise and nobody else does. `update` spawns the model of one that
/// is new.
pub(super) fn hang(
    world: &mut World,
    root: Entity,
    mut before: Vec<SpawnedAttachment>,
    manifest: &ModelManifest,
    files: &ResolvedFiles,
    update: fn(&mut World, Entity),
) -> Vec<SpawnedAttachment> {
    let wanted = Wanted::all(manifest, files);
    let kept = keep(&mut before, &wanted);
    for hung in before {
        hung.take_down(world, root);
    }
    let mut all = Vec::new();
    for (kept, wanted) in kept.into_iter().zip(&wanted) {
        let is_new = kept.is_none();
        if let Some(mut hung) = kept.or_else(|| spawn(world, root, wanted)) {
            let is_left = hung.give(world, root, wanted);
            if is_new || is_left {
                // In this frame, so that all of a model that is loaded appears at once.
                update(world, hung.entity);
            }
            all.push(hung);
        }
    }
    all
}

/// Takes, for each that is wanted, what hangs there already. Of several of one model on one bone it is the one that
/// was stated to be in the same place, if there is one.
fn keep(
    before: &mut Vec<SpawnedAttachment>,
    wanted: &[Wanted<'_>],
) -> Vec<Option<SpawnedAttachment>> {
    let mut take = |is_it: &dyn Fn(&SpawnedAttachment) -> bool| {
        let index = before.iter().position(is_it)?;
        Some(before.remove(index))
    };
    let in_place = wanted
        .iter()
        .map(|wanted| take(&|hung| hung.place == wanted.place && wanted.is(hung)));
    let mut kept: Vec<Option<SpawnedAttachment>> = in_place.collect();
    for (kept, wanted) in kept.iter_mut().zip(wanted) {
        if kept.is_none() {
            *kept = take(&|hung| wanted.is(hung));
        }
    }
    kept
}

impl SpawnedAttachment {
    /// Whether it still hangs on the root that it was hung on. Otherwise the game has despawned it, or taken it: then
    /// it is the game's, as any component is that the game has changed.
    fn is_on(&self, world: &World, root: Entity) -> bool {
        let attached = world.get::<AttachedToBone>(self.entity);
        attached.is_some_and(|attached| attached.to == root)
    }

    /// Despawns it, unless the game has taken it.
    pub(super) fn take_down(self, world: &mut World, root: Entity) {
        if self.is_on(world, root) {
            world.despawn(self.entity);
        } else if let Ok(mut entity) = world.get_entity_mut(self.entity) {
            entity.remove::<HangsBelow>();
        }
    }

    /// Gives it what is stated about it; whether it has lost something that its own manifest may state.
    fn give(&mut self, world: &mut World, root: Entity, wanted: &Wanted<'_>) -> bool {
        self.place = wanted.place;
        if !self.is_on(world, root) {
            return false;
        }
        let mut entity = world.entity_mut(self.entity);
        let play = wanted.stated.play.clone().map(ClipRef::from);
        let play = play.map(PlayClip::from_manifest);
        let skin = wanted.stated.skin.clone().map(ModelSkin::from);
        follow(&mut entity, &mut self.transform, Some(&wanted.place));
        let loses_play = replace(&mut entity, &mut self.play, play.as_ref(), |state| {
            &mut state.given.play
        });
        let loses_skin = replace(&mut entity, &mut self.skin, skin.as_ref(), |state| {
            &mut state.given.skin
        });
        loses_play || loses_skin
    }
}

/// As [`follow`], and goes before what the model's own manifest has `given`; whether the component was removed.
fn replace<C: Component + Clone + PartialEq>(
    entity: &mut EntityWorldMut<'_>,
    stated: &mut Option<C>,
    wanted: Option<&C>,
    given: fn(&mut ModelState) -> &mut Option<C>,
) -> bool {
    // An observer of another component may have despawned it.
    if entity.is_despawned() {
        return false;
    }
    if stated.is_none() && wanted.is_some() {
        let has = entity.get::<C>().cloned();
        if let Some(mut state) = entity.get_mut::<ModelState>() {
            let own = given(&mut state);
            if own.is_some() {
                if *own != has {
                    // The game has changed it since.
                    return false;
                }
                *own = None;
                entity.remove::<C>();
            }
        }
    }
    let was_stated = stated.is_some();
    follow(entity, stated, wanted);
    was_stated && stated.is_none()
}

fn spawn(world: &mut World, root: Entity, wanted: &Wanted<'_>) -> Option<SpawnedAttachment> {
    let model = wanted.model;
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
    let attached = AttachedToBone {
        to: root,
        bone: wanted.stated.bone.clone(),
    };
    let model_of = open(world, model);
    let name = model.path().file_name().unwrap_or_default();
    let name = Name::new(name.to_string_lossy().into_owned());
    let below = HangsBelow(top);
    let entity = world.spawn((name, wanted.place, attached, model_of, below));
    Some(SpawnedAttachment {
        entity: entity.id(),
        bone: wanted.bone.clone(),
        model: model.clone(),
        place: wanted.place,
        transform: Some(wanted.place),
        play: None,
        skin: None,
    })
}

/// As [`ClassicModel::open`], but of a bare model the manifest is there at once.
fn open(world: &mut World, model: &AssetPath<'static>) -> ClassicModel {
    if is_manifest(model) {
        return ClassicModel(world.resource::<AssetServer>().load(model.clone()));
    }
    let manifest = ModelManifest::of(model.without_label().into_owned());
    ClassicModel(world.resource_mut::<Assets<ModelManifest>>().add(manifest))
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
        match world.get::<AttachedToBone>(above) {
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
