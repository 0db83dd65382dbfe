//! A model of UFO: Aftermath with a hidden mesh.

use super::{Kind, Subject, check, spawn_scene, standard_image};
use crate::support::lgw_stage::Quad;
use crate::support::lgw_stage::{model as wall, texture as lgw_texture};
use crate::support::prelude::*;
use bevy_classic_models::lgw::lgw::{parse, write};

pub struct Unit;

pub const LOADER: &str = "bevy_classic_models::lgw::loader::LgwLoader";

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        &[Kind::Model, Kind::Meta, Kind::Texture]
    }

    fn model_file(&self) -> &'static str {
        "unit.lgw"
    }

    fn loader(&self) -> &'static str {
        LOADER
    }

    fn model(&self, version: u8) -> Vec<u8> {
        model(version)
    }

    fn load(&self, server: &AssetServer, path: String) -> UntypedHandle {
        server.load::<Lgw>(path).untyped()
    }

    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        spawn_scene(world, path, PartVisibility::hidden(["quad 1"]))
    }

    fn check_state(&self, world: &World, root: Entity) -> Result<(), String> {
        let hidden = hidden(world, root).ok_or("no model")?;
        check(hidden == [false, true, false], "with those visible parts")
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        shown(world, root)
    }

    fn texture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        texture(world, root)
    }
}

/// A version of the file: three meshes in a row, `Quad 0` to `Quad 2`.
pub fn model(version: u8) -> Vec<u8> {
    let materials = [0, 1, 2].map(|id| {
        let texture = lgw_texture("base.tga", TextureMode::Modulate);
        material(id, vec![texture])
    });
    let quads = [0, 1, 2].map(|index| Quad::in_grid(index, 3));
    let bytes = wall(&materials, &quads);
    let mut file = parse(&bytes, Default::default()).unwrap();
    file.name = version.to_string().into();
    write(&file).unwrap()
}

/// The version of the file that a model was loaded from.
pub fn shown(world: &World, root: Entity) -> Option<u8> {
    world.get::<LgwInstance>(root)?.model().name.parse().ok()
}

/// Whether each of its meshes is hidden.
pub fn hidden(world: &World, root: Entity) -> Option<Vec<bool>> {
    let meshes = world.get::<LgwInstance>(root)?.meshes().iter();
    let is_hidden = |mesh: &Entity| Some(*world.get::<Visibility>(*mesh)? == Visibility::Hidden);
    meshes.map(is_hidden).collect()
}

/// The texture of its first mesh.
pub fn texture(world: &World, root: Entity) -> Option<&Image> {
    standard_image(world, *world.get::<LgwInstance>(root)?.meshes().first()?)
}
