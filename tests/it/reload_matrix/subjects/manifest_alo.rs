//! A manifest of an Alamo model that plays a part of an animation found by a pattern, and holds what another
//! manifest says: an MDL model with a palette and a skin by name.

use super::{Kind, Subject, alo, held, scale, spawn_manifest};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::prelude::*;

pub struct Unit;

/// Called otherwise than the model, so that only the manifest finds it.
const ANIMATION: &str = "any_HOLD_00.ala";

/// Where what hangs on it hangs.
const BONE: &str = "Hull";

/// In the middle of the clip's part.
const TIME: f32 = 0.05;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        &[
            Kind::Model,
            Kind::Meta,
            Kind::Picture,
            Kind::PictureMeta,
            Kind::Animation,
            Kind::Palette,
            Kind::Manifest,
            Kind::Held,
            Kind::HeldModel,
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

    /// The second version also has another clip, and another thing on another bone.
    fn manifest(&self, version: u8) -> String {
        let (clip, thing) = match version {
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
                alt: 0,
                attachments: [
                    (bone: {BONE:?}, model: \"gun.model.ron\", translation: ({version}, 0, 0)),
                    {thing}
                ],
            )"
        )
    }

    fn seeker(&self, kind: Kind) -> Kind {
        match kind {
            Kind::Picture => Kind::Model,
            Kind::HeldModel | Kind::Palette | Kind::Skin => Kind::Held,
            _ => Kind::Manifest,
        }
    }

    fn colored(&self) -> Kind {
        Kind::HeldModel
    }

    fn needs(&self, kind: Kind, other: Kind) -> bool {
        match other {
            Kind::Held => matches!(kind, Kind::HeldModel | Kind::Palette | Kind::Skin),
            Kind::HeldModel => matches!(kind, Kind::Held | Kind::Palette | Kind::Skin),
            _ => false,
        }
    }

    /// Some things are chosen that its manifest states otherwise.
    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        spawn_manifest(world, path, alo::chosen("any_HOLD_00", TIME))
    }

    fn change(&self, world: &mut World, root: Entity) {
        held::paint(world, root, BONE);
    }

    fn keeps(&self, world: &World, root: Entity) -> Result<(), String> {
        alo::keeps(world, root, TIME)?;
        let instance = world.get::<AloInstance>(root).ok_or("no model")?;
        match held::keeps(world, root, BONE, instance.bones()[alo::HULL])? {
            // The clip begins with the second pose of the model.
            Some(gun) => held::keeps_gun(world, gun, 1),
            None => Ok(()),
        }
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        alo::shown(world, root)
    }

    fn picture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        alo::picture(world, root)
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Animation => alo::shown_animation(world, root),
            Kind::Manifest => shown_manifest(world, root),
            _ => held::shown(world, root, BONE, kind),
        }
    }
}

/// Everything that a manifest states is of the same version.
fn shown_manifest(world: &World, root: Entity) -> Option<u8> {
    let scale = scale(world, root)?;
    if let Some(gun) = held::on(world, root, BONE) {
        let place = world.get::<Transform>(gun)?.translation.x as u8;
        (place == scale).then_some(())?;
    }
    let things = usize::from(scale == 2) + 1;
    let clips = world.get::<ModelClips>(root).map(|clips| &clips.0);
    if let Some(clip) = clips.and_then(|clips| clips.first()) {
        (clip.speed as u8 == scale && clips?.len() == things).then_some(())?;
    }
    Some(scale)
}
