//! A manifest of a model of UFO: Aftermath: with a hidden mesh, other axes, and an MDL model without manifest as attachment.

use super::{Kind, Subject, attached, check, lgw, mdl, scale, scene_transform, spawn_manifest};
use crate::support::prelude::*;

pub struct Unit;

/// The name of the mesh that the gun is attached to, which is the first.
const BONE: &str = "Quad 0";

/// The transform that a game gives to the gun.
const GUN_TRANSFORM: Transform = Transform::from_xyz(0.0, 7.0, 0.0);

/// The first pose of the clip that the gun plays.
const POSE: u32 = 4;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        &[
            Kind::Model,
            Kind::Meta,
            Kind::Texture,
            Kind::Manifest,
            Kind::AttachedModel,
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

    /// Recolors the gun and overrides its transform in the manifest.
    fn change(&self, world: &mut World, root: Entity) {
        if let Some(gun) = attached::recolor(world, root, BONE) {
            world.entity_mut(gun).insert(GUN_TRANSFORM);
        }
    }

    fn check_state(&self, world: &World, root: Entity) -> Result<(), String> {
        let instance = world.get::<LgwInstance>(root).ok_or("no model")?;
        let mesh = instance.mesh(BONE).ok_or("no mesh")?;
        let Some(gun) = attached::check_state(world, root, BONE, mesh)? else {
            return Ok(());
        };
        let transform = world.get::<Transform>(gun);
        check(
            transform == Some(&GUN_TRANSFORM),
            "with the transform of the gun",
        )?;
        attached::check_gun(world, gun, POSE)
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        lgw::shown(world, root)
    }

    fn texture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        lgw::texture(world, root)
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Manifest => shown_manifest(world, root),
            _ => attached::shown(world, root, BONE, kind),
        }
    }
}

/// The version of the manifest, if everything that it sets has the same version.
fn shown_manifest(world: &World, root: Entity) -> Option<u8> {
    let scale = scale(world, root)?;
    let is_second = scale == 2;
    let is_rotated = scene_transform(world, root)?.rotation != Quat::IDENTITY;
    let hidden = [false, !is_second, is_second];
    let has_second_gun = attached::attachment(world, root, "Quad 2").is_some();
    let gun = attached::attachment(world, root, BONE);
    let has_skin = |gun| mdl::has_skin(world, gun, usize::from(!is_second)) == Some(true);
    let is_consistent = is_rotated == is_second
        && lgw::hidden(world, root)? == hidden
        && has_second_gun == (is_second && gun.is_some())
        && gun.is_none_or(has_skin);
    is_consistent.then_some(scale)
}
