//! A LithTech model in the middle of an animation, with its second skin, at the coarsest level of detail.

use super::{Kind, Subject, check, spawn_scene, standard, standard_image};
use crate::support::abc::{bytes, figure};
use crate::support::prelude::*;

pub struct Unit;

pub const LOADER: &str = "bevy_classic_models::lithtech::loader::AbcLoader";

/// The first byte of the first skin, which is used if the second one is missing.
const PLAIN: u8 = 7;

const TIME: f32 = 0.05;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        use Kind::{Meta, Model, Texture, TextureMeta};
        &[Model, Meta, Texture, TextureMeta]
    }

    fn model_file(&self) -> &'static str {
        "unit.abc"
    }

    fn texture_file(&self) -> &'static str {
        "second.dtx"
    }

    fn loader(&self) -> &'static str {
        LOADER
    }

    fn model(&self, version: u8) -> Vec<u8> {
        bytes(&document(version))
    }

    fn shown_without(&self, kind: Kind) -> u8 {
        match kind {
            Kind::Texture => PLAIN,
            _ => 1,
        }
    }

    fn load(&self, server: &AssetServer, path: String) -> UntypedHandle {
        let set = |settings: &mut AbcLoaderSettings| {
            settings.skins = ["plain.dtx", "second.dtx"].map(String::from).into();
        };
        let builder = server.load_builder().with_settings(set);
        builder.load::<Abc>(path).untyped()
    }

    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        let clip = PlayClip::looping(0_usize).starting_at(TIME);
        spawn_scene(world, path, (clip, ModelSkin::Index(1), ModelLod(2)))
    }

    fn check_state(&self, world: &World, root: Entity) -> Result<(), String> {
        let instance = world.get::<AbcInstance>(root).ok_or("no model")?;
        let model = instance.model();
        let time = world.get::<Playback>(root).ok_or("no clip")?.time;
        check(time == TIME, "at the time of the clip")?;
        let level = model.level(2).ok_or("no level")?;
        let skin = model.skins.last().ok_or("no skin")?;
        for mesh in instance.meshes() {
            let node = world.get::<AbcMesh>(*mesh);
            let expected = node
                .and_then(|mesh| level.mesh(mesh.node))
                .map(|info| &info.mesh);
            let shown = world.get::<Mesh3d>(*mesh).map(|mesh| &mesh.0);
            check(shown == expected, "at its level of detail")?;
            check(standard(world, *mesh) == Some(&skin.image), "with its skin")?;
        }
        // The pose of the arm at `TIME` differs from its rest pose.
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

    fn texture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
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

/// The version of the file that a model was loaded from.
pub fn shown(world: &World, root: Entity) -> Option<u8> {
    let model = world.get::<AbcInstance>(root)?.model();
    model.command_string.parse().ok()
}
