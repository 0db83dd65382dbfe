//! A manifest of an Alamo model. It has a clip of a part of an animation, which a pattern finds. Its attachment is an MDL
//! model with its own manifest, a palette, and a named skin.

use super::{Kind, Subject, alo, attached, scale, spawn_manifest};
use crate::support::prelude::*;

pub struct Unit;

/// Not named like the model, so that only the manifest finds it.
const ANIMATION: &str = "any_HOLD_00.ala";

/// The bone of the attachment.
const BONE: &str = "Hull";

/// A time in the middle of the clip.
const TIME: f32 = 0.05;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        &[
            Kind::Model,
            Kind::Meta,
            Kind::Texture,
            Kind::TextureMeta,
            Kind::Animation,
            Kind::Palette,
            Kind::Manifest,
            Kind::AttachedManifest,
            Kind::AttachedModel,
            Kind::Skin,
        ]
    }

    fn model_file(&self) -> &'static str {
        alo::Unit.model_file()
    }

    fn animation_file(&self) -> &'static str {
        ANIMATION
    }

    fn loader(&self) -> &'static str {
        alo::Unit.loader()
    }

    fn model(&self, version: u8) -> Vec<u8> {
        alo::model(version)
    }

    /// The second version also has another clip, and another attachment on another bone.
    fn manifest(&self, version: u8) -> String {
        let (clip, attachment) = match version {
            2 => (
                format!("(name: \"more\", file: {ANIMATION:?}, frames: (0, 2)),"),
                "(bone: \"Version\", model: \"gun.model.ron\", play: \"run\", skin: 2),",
            ),
            _ => (String::new(), ""),
        };
        format!(
            "(
                model: \"unit.alo\",
                scale: {version},
                clips: [(file: \"any_*.ala\", frames: (1, 3), speed: {version}), {clip}],
                team_color: \"#000000\",
                hidden: [\"Hull\"],
                damage_stage: 0,
                attachments: [
                    (bone: {BONE:?}, model: \"gun.model.ron\", translation: ({version}, 0, 0)),
                    {attachment}
                ],
            )"
        )
    }

    fn referrer(&self, kind: Kind) -> Kind {
        match kind {
            Kind::Texture => Kind::Model,
            Kind::AttachedModel | Kind::Palette | Kind::Skin => Kind::AttachedManifest,
            _ => Kind::Manifest,
        }
    }

    fn palette_user(&self) -> Kind {
        Kind::AttachedModel
    }

    fn needs(&self, kind: Kind, other: Kind) -> bool {
        match other {
            Kind::AttachedManifest => {
                matches!(kind, Kind::AttachedModel | Kind::Palette | Kind::Skin)
            }
            Kind::AttachedModel => {
                matches!(kind, Kind::AttachedManifest | Kind::Palette | Kind::Skin)
            }
            _ => false,
        }
    }

    /// Spawns it with components that override the manifest.
    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        spawn_manifest(world, path, alo::components("any_HOLD_00", TIME))
    }

    fn change(&self, world: &mut World, root: Entity) {
        attached::recolor(world, root, BONE);
    }

    fn check_state(&self, world: &World, root: Entity) -> Result<(), String> {
        alo::check_state(world, root, TIME)?;
        let instance = world.get::<AloInstance>(root).ok_or("no model")?;
        match attached::check_state(world, root, BONE, instance.bones()[alo::HULL])? {
            // The clip begins with the second pose of the model.
            Some(gun) => attached::check_gun(world, gun, 1),
            None => Ok(()),
        }
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        alo::shown(world, root)
    }

    fn texture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        alo::texture(world, root)
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Animation => alo::shown_animation(world, root),
            Kind::Manifest => shown_manifest(world, root),
            _ => attached::shown(world, root, BONE, kind),
        }
    }
}

/// The version of the manifest, if everything that it sets has the same version.
fn shown_manifest(world: &World, root: Entity) -> Option<u8> {
    let scale = scale(world, root)?;
    if let Some(gun) = attached::attachment(world, root, BONE) {
        let translation = world.get::<Transform>(gun)?.translation.x as u8;
        (translation == scale).then_some(())?;
    }
    let count = usize::from(scale == 2) + 1;
    let clips = world.get::<ModelClips>(root).map(|clips| &clips.0);
    if let Some(clip) = clips.and_then(|clips| clips.first()) {
        (clip.speed as u8 == scale && clips?.len() == count).then_some(())?;
    }
    Some(scale)
}
