//! Spawns and updates the attachments of manifests. An attachment that the game has attached to another root is no
//! longer updated.

use crate::load::names::folded;
use crate::manifest::apply::components::update_component;
use crate::manifest::apply::state::{ModelState, SpawnedAttachment};
use crate::manifest::classic_model::{ClassicModel, warn_manifest};
use crate::manifest::model_manifest::{ManifestAttachment, ModelManifest};
use crate::manifest::read::resolve::ResolvedFiles;
use crate::root::play::{ClipRef, PlayClip};
use crate::root::skins::ModelSkin;
use crate::spawn::attach::AttachedToBone;
use crate::spawn::instance::RandomSeed;
use bevy::asset::AssetPath;
use bevy::ecs::entity::EntityHashSet;
use bevy::prelude::*;

/// The maximum depth of attachments of attachments.
const MAX_DEPTH: usize = 4;

/// The maximum count of attachments below one outermost model, at all depths together.
const MAX_ATTACHMENTS: usize = 1024;

/// On an attachment of a manifest: the outermost model that it is attached to, directly or through others.
#[derive(Component)]
#[relationship(relationship_target = AllAttachments)]
pub(crate) struct OutermostModel(Entity);

/// On an outermost model: all attachments of manifests below it.
#[derive(Component)]
#[relationship_target(relationship = OutermostModel)]
pub(crate) struct AllAttachments(EntityHashSet);

/// An attachment in a manifest, with its resolved path.
struct WantedAttachment<'a> {
    attachment: &'a ManifestAttachment,
    /// The index in the manifest.
    index: usize,
    /// Case-folded.
    bone: String,
    model: &'a AssetPath<'static>,
    transform: Transform,
}

impl<'a> WantedAttachment<'a> {
    /// The attachments of a manifest, except those whose files were not found.
    fn all(manifest: &'a ModelManifest, files: &'a ResolvedFiles) -> Vec<Self> {
        let all = manifest.attachments.iter().zip(&files.attachments);
        let wanted = all.enumerate().filter_map(|(index, (attachment, model))| {
            Some(Self {
                attachment,
                index,
                bone: folded(&attachment.bone),
                model: model.as_ref()?,
                transform: attachment.transform(),
            })
        });
        wanted.collect()
    }

    fn matches(&self, spawned: &SpawnedAttachment) -> bool {
        spawned.bone == self.bone && spawned.model == *self.model
    }
}

/// Spawns the new attachments of a manifest, despawns those that were removed from it, and updates the others. `update`
/// spawns the model of a new attachment.
pub(crate) fn update_manifest_attachments(
    world: &mut World,
    root: Entity,
    mut spawned: Vec<SpawnedAttachment>,
    manifest: &ModelManifest,
    files: &ResolvedFiles,
    update: fn(&mut World, Entity),
) -> Vec<SpawnedAttachment> {
    let wanted = WantedAttachment::all(manifest, files);
    let kept = take_matching(&mut spawned, &wanted);
    for removed in spawned {
        removed.remove(world, root);
    }
    let mut all = Vec::new();
    for (kept, wanted) in kept.into_iter().zip(&wanted) {
        let is_new = kept.is_none();
        if let Some(mut spawned) = kept.or_else(|| spawn(world, root, wanted)) {
            let has_removed = spawned.update(world, root, wanted);
            if is_new || has_removed {
                // In this frame, so that a loaded model and its attachments appear together.
                update(world, spawned.entity);
            }
            all.push(spawned);
        }
    }
    all
}

/// For each wanted attachment, takes the spawned one with the same bone and model. If there are several, one with the
/// same transform in the manifest is preferred.
fn take_matching(
    spawned: &mut Vec<SpawnedAttachment>,
    wanted: &[WantedAttachment<'_>],
) -> Vec<Option<SpawnedAttachment>> {
    let mut take = |is_match: &dyn Fn(&SpawnedAttachment) -> bool| {
        let index = spawned.iter().position(is_match)?;
        Some(spawned.remove(index))
    };
    let unmoved = wanted.iter().map(|wanted| {
        take(&|spawned| spawned.manifest_transform == wanted.transform && wanted.matches(spawned))
    });
    let mut kept: Vec<Option<SpawnedAttachment>> = unmoved.collect();
    for (kept, wanted) in kept.iter_mut().zip(wanted) {
        if kept.is_none() {
            *kept = take(&|spawned| wanted.matches(spawned));
        }
    }
    kept
}

impl SpawnedAttachment {
    /// Whether the entity is still attached to the root. Otherwise the game has despawned it or attached it to another
    /// root.
    fn is_attached(&self, world: &World, root: Entity) -> bool {
        let attached = world.get::<AttachedToBone>(self.entity);
        attached.is_some_and(|attached| attached.to == root)
    }

    /// Despawns the entity, unless the game has attached it to another root.
    pub(crate) fn remove(self, world: &mut World, root: Entity) {
        if self.is_attached(world, root) {
            world.despawn(self.entity);
        } else if let Ok(mut entity) = world.get_entity_mut(self.entity) {
            entity.remove::<OutermostModel>();
        }
    }

    /// Applies the fields of the manifest. Returns whether an overriding component was removed, so that the
    /// attachment's own manifest applies again.
    fn update(&mut self, world: &mut World, root: Entity, wanted: &WantedAttachment<'_>) -> bool {
        self.manifest_transform = wanted.transform;
        self.index = wanted.index;
        if !self.is_attached(world, root) {
            return false;
        }
        let mut entity = world.entity_mut(self.entity);
        let play = wanted.attachment.play.clone().map(ClipRef::from);
        let play = play.map(PlayClip::from_manifest);
        let skin = wanted.attachment.skin.clone().map(ModelSkin::from);
        update_component(&mut entity, &mut self.transform, Some(&wanted.transform));
        let has_removed_play =
            override_component(&mut entity, &mut self.play, play.as_ref(), |state| {
                &mut state.applied.play
            });
        let has_removed_skin =
            override_component(&mut entity, &mut self.skin, skin.as_ref(), |state| {
                &mut state.applied.skin
            });
        has_removed_play || has_removed_skin
    }
}

/// Like [`update_component`], but also replaces the component that the model's own manifest has set, which `own`
/// accesses. Returns whether the component was removed.
fn override_component<C: Component + Clone + PartialEq>(
    entity: &mut EntityWorldMut<'_>,
    applied: &mut Option<C>,
    wanted: Option<&C>,
    own: fn(&mut ModelState) -> &mut Option<C>,
) -> bool {
    // An observer of another component may have despawned it.
    if entity.is_despawned() {
        return false;
    }
    if applied.is_none() && wanted.is_some() {
        let current = entity.get::<C>().cloned();
        if let Some(mut state) = entity.get_mut::<ModelState>() {
            let own = own(&mut state);
            if own.is_some() {
                if *own != current {
                    // The game has changed the component.
                    return false;
                }
                *own = None;
                entity.remove::<C>();
            }
        }
    }
    let was_applied = applied.is_some();
    update_component(entity, applied, wanted);
    was_applied && applied.is_none()
}

fn spawn(
    world: &mut World,
    root: Entity,
    wanted: &WantedAttachment<'_>,
) -> Option<SpawnedAttachment> {
    let model = wanted.model;
    let outermost = match find_outermost(world, root, model) {
        Ok(outermost) => outermost,
        Err(problem) => {
            warn_manifest(world, root, &problem);
            return None;
        }
    };
    if !has_capacity(world, outermost) {
        let message = format!(
            "more than {MAX_ATTACHMENTS} models are attached, directly or to each other; the others are not spawned"
        );
        // The outermost model may have been spawned without `ClassicModel`.
        let is_manifest = world.get::<ClassicModel>(outermost).is_some();
        let entity = if is_manifest { outermost } else { root };
        warn_manifest(world, entity, &message);
        return None;
    }
    let attached = AttachedToBone {
        to: root,
        bone: wanted.attachment.bone.clone(),
    };
    let classic_model = ClassicModel::new(model.clone());
    let name = model.path().file_name().unwrap_or_default();
    let name = Name::new(name.to_string_lossy().into_owned());
    let outermost = OutermostModel(outermost);
    let of_root = RandomSeed::of_root(world.get(root), 0);
    let part = (model.to_string(), &wanted.bone, wanted.index);
    let seed = RandomSeed::of_part(of_root, part);
    let attachment = (attached, classic_model, outermost, seed);
    let entity = world.spawn((name, wanted.transform, attachment));
    Some(SpawnedAttachment {
        entity: entity.id(),
        index: wanted.index,
        bone: wanted.bone.clone(),
        model: model.clone(),
        manifest_transform: wanted.transform,
        transform: Some(wanted.transform),
        play: None,
        skin: None,
    })
}

/// The outermost model for an attachment of a root.
///
/// # Errors
/// A message if the attachment closes a cycle or is nested too deep.
pub(crate) fn find_outermost(
    world: &World,
    root: Entity,
    model: &AssetPath<'static>,
) -> Result<Entity, String> {
    let mut outer = root;
    for _ in 0..MAX_DEPTH {
        let manifest = world.get::<ClassicModel>(outer);
        if manifest.and_then(|manifest| manifest.0.path()) == Some(model) {
            return Err(format!(
                "{model} is attached to itself, directly or through other models; it is not spawned again"
            ));
        }
        match world.get::<AttachedToBone>(outer) {
            Some(attached) => outer = attached.to,
            None => return Ok(outer),
        }
    }
    let depth = MAX_DEPTH + 1;
    Err(format!(
        "{model} is attached {depth} models deep, but at most {MAX_DEPTH} are allowed; it is not spawned"
    ))
}

/// Whether an outermost model has fewer than [`MAX_ATTACHMENTS`].
fn has_capacity(world: &World, outermost: Entity) -> bool {
    let attachments = world.get::<AllAttachments>(outermost);
    attachments.is_none_or(|attachments| attachments.0.len() < MAX_ATTACHMENTS)
}
