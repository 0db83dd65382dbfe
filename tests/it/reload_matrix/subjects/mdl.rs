//! A Quake model between two poses, with its second skin and player colors.

use super::{Kind, Subject, check, first_byte, spawn_scene};
use crate::support::mdl::figure;
use crate::support::prelude::*;

pub struct Unit;

/// The index of its skin.
const SKIN: usize = 1;

/// The colors that a game gives to models.
pub const COLORS: PlayerColors = PlayerColors {
    shirt: 4,
    pants: 13,
};

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model, Kind::Meta, Kind::Palette]
    }

    fn model_file(&self) -> &'static str {
        "unit.mdl"
    }

    fn loader(&self) -> &'static str {
        "bevy_classic_models::quake::loader::MdlLoader"
    }

    fn model(&self, version: u8) -> Vec<u8> {
        model(version)
    }

    fn load(&self, server: &AssetServer, path: String) -> UntypedHandle {
        let set = |settings: &mut MdlLoaderSettings| {
            settings.palette = Some("colors.lmp".into());
        };
        let builder = server.load_builder().with_settings(set);
        builder.load::<Mdl>(path).untyped()
    }

    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        let clip = PlayClip::looping("run").starting_at(0.25);
        spawn_scene(world, path, (clip, ModelSkin::Index(SKIN), COLORS))
    }

    fn check_state(&self, world: &World, root: Entity) -> Result<(), String> {
        let animator = world.get::<MdlInstance>(root).ok_or("no model")?;
        let time = world.get::<Playback>(root).ok_or("no clip")?.time;
        check(time == 0.25, "at the time of the clip")?;
        let poses = animator.shown().to;
        // Halfway from the third pose of the clip to the fourth.
        check(
            poses.b == poses.a + 1 && poses.towards_b == 0.5,
            "in its pose",
        )?;
        check(has_skin(world, root, SKIN), "with its skin")?;
        let material = material(world, root).ok_or("no material")?;
        let uniform = &material.extension.uniform;
        let has_shirt = uniform.shirt == u32::from(COLORS.shirt);
        let has_pants = uniform.pants == u32::from(COLORS.pants);
        let is_colored = material.extension.recolor && has_shirt && has_pants;
        check(is_colored, "with its colors")
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        shown(world, root)
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        (kind == Kind::Palette).then(|| palette(world, root))?
    }
}

/// A version of the file.
pub fn model(version: u8) -> Vec<u8> {
    let mut document = figure(Precision::Bits8);
    document.header.radius = version.into();
    document.to_bytes()
}

/// The version of the file that a model was loaded from.
pub fn shown(world: &World, root: Entity) -> Option<u8> {
    Some(world.get::<MdlInstance>(root)?.model().radius as u8)
}

/// The first byte of a model's palette.
pub fn palette(world: &World, root: Entity) -> Option<u8> {
    let model = world.get::<MdlInstance>(root)?.model();
    first_byte(world.resource::<Assets<Image>>().get(&model.palette)?)
}

fn material(world: &World, root: Entity) -> Option<&MdlMaterial> {
    let mesh = world.get::<MdlInstance>(root)?.mesh();
    let material = world.get::<MeshMaterial3d<MdlMaterial>>(mesh)?;
    world.resource::<Assets<MdlMaterial>>().get(&material.0)
}

/// The base color texture of a model.
pub fn texture(world: &World, root: Entity) -> Option<&Handle<Image>> {
    material(world, root)?.base.base_color_texture.as_ref()
}

/// Whether a model has a skin of its file.
pub fn has_skin(world: &World, root: Entity, skin: usize) -> bool {
    let animator = world.get::<MdlInstance>(root);
    let skin = animator.and_then(|animator| animator.model().skins.get(skin));
    skin.is_some_and(|skin| texture(world, root) == Some(&skin.images[0].image))
}
