//! A manifest of a model of UFO: Aftermath that hides a mesh, turns the model, and holds a bare MDL model.

use super::{Kind, Subject, check, held, lgw, mdl, scale, spawn_manifest, stand};
use bevy::prelude::*;
use bevy_classic_models::lgw::LgwInstance;
use bevy_classic_models::prelude::*;

pub struct Unit;

/// The mesh that the gun hangs on, which is the first.
const BONE: &str = "Quad 0";

/// Where a game puts the gun.
const PLACE: Transform = Transform::from_xyz(0.0, 7.0, 0.0);

/// The first pose of the clip that the gun plays.
const POSE: u32 = 4;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        &[
            Kind::Model,
            Kind::Meta,
            Kind::Picture,
            Kind::Manifest,
            Kind::HeldModel,
        ]
    }

    fn model_file(&self) -> &'static str {
        lgw::Unit.model_file()
    }

    fn loader(&self) -> &'static str {
        lgw::LOADER
    }

    fn model(&self, version: u8) -> Vec<u8> {
        lgw::model(version)
    }

    /// The second version also has other axes, another folder and another gun, and the gun has another skin.
    fn manifest(&self, version: u8) -> String {
        let (more, gun, skin) = match version {
            2 => (
                "axes: (up: Z, forward: Y), texture_folders: [\"more\"],",
                "(bone: \"Quad 2\", model: \"gun.mdl\"),",
                0,
            ),
            _ => ("", "", 1),
        };
        format!(
            "(
                model: \"unit.lgw\",
                scale: {version},
                hidden: [\"Quad {version}\"],
                {more}
                attachments: [
                    (
                        bone: {BONE:?},
                        model: \"gun.mdl\",
                        translation: ({version}, 0, 0),
                        play: \"die\",
                        skin: {skin},
                    ),
                    {gun}
                ],
            )"
        )
    }

    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        spawn_manifest(world, path, ())
    }

    /// Moves the gun elsewhere than the manifest.
    fn change(&self, world: &mut World, root: Entity) {
        if let Some(gun) = held::paint(world, root, BONE) {
            world.entity_mut(gun).insert(PLACE);
        }
    }

    fn keeps(&self, world: &World, root: Entity) -> Result<(), String> {
        let instance = world.get::<LgwInstance>(root).ok_or("no model")?;
        let mesh = instance.mesh(BONE).ok_or("no mesh")?;
        let Some(gun) = held::keeps(world, root, BONE, mesh)? else {
            return Ok(());
        };
        let place = world.get::<Transform>(gun);
        check(place == Some(&PLACE), "with it in its place")?;
        held::keeps_gun(world, gun, POSE)
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        lgw::shown(world, root)
    }

    fn picture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        lgw::picture(world, root)
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Manifest => shown_manifest(world, root),
            _ => held::shown(world, root, BONE, kind),
        }
    }
}

/// Everything that a manifest states is of the same version.
fn shown_manifest(world: &World, root: Entity) -> Option<u8> {
    let scale = scale(world, root)?;
    let is_second = scale == 2;
    let is_turned = stand(world, root)?.rotation != Quat::IDENTITY;
    let hidden = [false, !is_second, is_second];
    let has_second_gun = held::on(world, root, "Quad 2").is_some();
    let gun = held::on(world, root, BONE);
    let wears = |gun| mdl::wears(world, gun, usize::from(!is_second));
    let is_one = is_turned == is_second
        && lgw::hidden(world, root)? == hidden
        && has_second_gun == (is_second && gun.is_some())
        && gun.is_none_or(wears);
    is_one.then_some(scale)
}
