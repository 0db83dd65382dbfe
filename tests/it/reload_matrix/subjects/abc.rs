//! A LithTech model in the middle of an animation, in one of its skins and at a coarser level of detail.

use super::{Kind, Subject, check, spawn_scene, standard, standard_image};
use crate::support::abc::{bytes, figure};
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcMesh;
use bevy_classic_models::lithtech::abc::write::AbcDocument;
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::prelude::*;

pub struct Unit;

pub const LOADER: &str = "bevy_classic_models::lithtech::loader::AbcLoader";

/// The first byte of the plain skin, which it wears where there is no other.
const PLAIN: u8 = 7;

const TIME: f32 = 0.05;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        use Kind::{Meta, Model, Picture, PictureMeta};
        &[Model, Meta, Picture, PictureMeta]
    }

    fn model_file(&self) -> &'static str {
        "unit.abc"
    }

    fn picture_file(&self) -> &'static str {
        "worn.dtx"
    }

    fn loader(&self) -> &'static str {
        LOADER
    }

    fn model(&self, version: u8) -> Vec<u8> {
        bytes(&document(version))
    }

    fn shown_without(&self, kind: Kind) -> u8 {
        match kind {
            Kind::Picture => PLAIN,
            _ => 1,
        }
    }

    fn load(&self, server: &AssetServer, path: String) -> UntypedHandle {
        let set = |settings: &mut AbcLoaderSettings| {
            settings.skins = ["plain.dtx", "worn.dtx"].map(String::from).into();
        };
        let builder = server.load_builder().with_settings(set);
        builder.load::<Abc>(path).untyped()
    }

    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        let clip = PlayClip::looping(0_usize).starting_at(TIME);
        spawn_scene(world, path, (clip, ModelSkin::Index(1), ModelLod(2)))
    }

    fn keeps(&self, world: &World, root: Entity) -> Result<(), String> {
        let instance = world.get::<AbcInstance>(root).ok_or("no model")?;
        let model = instance.model();
        let time = world.get::<Playback>(root).ok_or("no clip")?.time;
        check(time == TIME, "at the clip's time")?;
        let level = model.level(2).ok_or("no level")?;
        let skin = model.skins.last().ok_or("no skin")?;
        for mesh in instance.meshes() {
            let node = world.get::<AbcMesh>(*mesh);
            let expected = node.and_then(|of| level.mesh(of.node)).map(|of| &of.mesh);
            let shown = world.get::<Mesh3d>(*mesh).map(|mesh| &mesh.0);
            check(shown == expected, "of its level of detail")?;
            check(standard(world, *mesh) == Some(&skin.image), "in its skin")?;
        }
        // The arm is nowhere at rest, nor at the beginning of the clip.
        let arm = instance
            .nodes()
            .get(1)
            .and_then(|node| world.get::<Transform>(*node));
        let rest = &model.nodes[1].transform;
        check(arm.is_some_and(|arm| arm != rest), "in its pose")
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        shown(world, root)
    }

    fn picture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        standard_image(world, *world.get::<AbcInstance>(root)?.meshes().first()?)
    }
}

/// A version of the file.
pub fn document(version: u8) -> AbcDocument {
    let mut document = figure();
    document.command_string = version.to_string();
    for vertex in &mut document.geometry.vertices {
        vertex.position[0] = (vertex.position[0].get() + f32::from(version)).into();
    }
    document
}

/// Which version of the file a model is of.
pub fn shown(world: &World, root: Entity) -> Option<u8> {
    let model = world.get::<AbcInstance>(root)?.model();
    model.command_string.parse().ok()
}
