//! A Quake model between two poses, with its second skin and player colors.

use super::{Kind, Subject, check, spawn_scene};
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
        check(has_skin(world, root, SKIN) == Some(true), "with its skin")?;
        let colors = world.get::<PlayerColors>(root);
        check(colors == Some(&COLORS), "with its colors")
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
    Some(world.get::<MdlInstance>(root)?.model().palette.0[0][0])
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

/// Whether a model has a skin of its file, with its player colors.
pub fn has_skin(world: &World, root: Entity, skin: usize) -> Option<bool> {
    let model = world.get::<MdlInstance>(root)?.model();
    let colors = world.get::<PlayerColors>(root);
    let in_row = |row: u8, column: u8| 16 * row + if row < 8 { column } else { 15 - column };
    let color = |index: &u8| match (index / 16, colors) {
        (14.., _) => [0; 3],
        (1, Some(colors)) => model.palette.color(in_row(colors.shirt, index % 16)),
        (6, Some(colors)) => model.palette.color(in_row(colors.pants, index % 16)),
        _ => model.palette.color(*index),
    };
    let indices = &model.skins.get(skin)?.images[0].indices;
    let image = world
        .resource::<Assets<Image>>()
        .get(texture(world, root)?)?;
    let texels = image
        .data
        .as_ref()?
        .as_chunks()
        .0
        .iter()
        .take(indices.len());
    let colors = texels.map(|[r, g, b, _]| [*r, *g, *b]);
    Some(colors.eq(indices.iter().map(color)))
}
