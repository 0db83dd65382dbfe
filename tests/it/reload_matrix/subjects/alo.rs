//! An Alamo model in the middle of an animation, with a damage stage, a team color, and a hidden part.

use super::{Kind, Subject, check, spawn_scene};
use crate::ala::play::{ala, document};
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as AloMesh};

pub struct Unit;

/// The index of the bone that the animation moves.
pub const HULL: usize = 1;

const TIME: f32 = 0.25;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        use Kind::{Animation, Meta, Model, Texture, TextureMeta};
        &[Model, Meta, Animation, Texture, TextureMeta]
    }

    fn model_file(&self) -> &'static str {
        "unit.alo"
    }

    fn loader(&self) -> &'static str {
        "bevy_classic_models::alamo::loader::AloLoader"
    }

    fn model(&self, version: u8) -> Vec<u8> {
        model(version)
    }

    fn load(&self, server: &AssetServer, path: String) -> UntypedHandle {
        server.load::<Alo>(path).untyped()
    }

    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        spawn_scene(world, path, components("HOLD_00", TIME))
    }

    fn check_state(&self, world: &World, root: Entity) -> Result<(), String> {
        check_state(world, root, TIME)
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        shown(world, root)
    }

    fn texture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        texture(world, root)
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        (kind == Kind::Animation).then(|| shown_animation(world, root))?
    }
}

/// A version of the file: an intact box, a damaged one, and one to hide. The position of a bone without meshes is the
/// version.
pub fn model(version: u8) -> Vec<u8> {
    let (vertices, triangles) = cuboid([9.0; 3], [0.0, 0.0, f32::from(version)]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Hull", Some(0), [0.0, 0.0, 1.0]),
        Bone::new("Version", Some(HULL as u32), [0.0, 0.0, version.into()]),
    ]);
    let names = ["Hull_ALT0", "Hull_ALT1", "Extra"].into_iter();
    let parts = names.map(|name| {
        let parameters = vec![
            Parameter::float4("Specular", [0.0; 4]),
            Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]),
            Parameter::texture("BaseTexture", "base.tga"),
        ];
        let submesh = buffers.submesh("MeshBumpColorize.fx", "alD3dVertNU2", parameters);
        AloMesh::new(name, HULL as u32, vec![submesh])
    });
    file.meshes = parts.collect();
    write(&file).unwrap()
}

/// A version of the animation.
pub fn animation(version: u8) -> Vec<u8> {
    let mut hull = BoneTracks::new("Hull", HULL as u32, [0.0; 3]);
    hull.translation = Vectors::constant([version.into(), 0.0, 1.0]);
    ala(&document(5, vec![hull]))
}

/// The components of the root.
pub fn components(clip: &str, time: f32) -> impl Bundle {
    let clip = PlayClip::looping(clip).starting_at(time);
    let hidden = PartVisibility::hidden(["extra"]);
    (clip, DamageStage(1), TeamColor(Color::WHITE), hidden)
}

/// Checks that the model is at the time of its clip and has its damage stage, team color, and hidden part.
pub fn check_state(world: &World, root: Entity, time: f32) -> Result<(), String> {
    let instance = world.get::<AloInstance>(root).ok_or("no model")?;
    let playback = world.get::<Playback>(root).ok_or("no clip")?;
    let hull = world
        .get::<Transform>(instance.bones()[HULL])
        .ok_or("no bone")?;
    if hull.translation.x != 0.0 {
        check(playback.time == time, "at the time of the clip")?;
    }
    for entity in instance.parts() {
        let (part, visibility) = (
            world.get::<AloPart>(*entity),
            world.get::<Visibility>(*entity),
        );
        let part = part.ok_or("no part")?;
        let shows = visibility == Some(&Visibility::Inherited);
        check(
            shows == (part.name == "Hull_ALT1"),
            "with those visible parts",
        )?;
        for mesh in world.get::<Children>(*entity).into_iter().flatten() {
            let tag = world.get::<bevy::mesh::MeshTag>(*mesh);
            check(tag.is_some_and(|tag| tag.0 != 0), "with the team color")?;
        }
    }
    Ok(())
}

/// The version of the file that a model was loaded from.
pub fn shown(world: &World, root: Entity) -> Option<u8> {
    let model = world.get::<AloInstance>(root)?.model();
    Some(model.bones.get(2)?.transform.translation.z as u8)
}

/// The version of the animation that a model plays; 0 if none.
pub fn shown_animation(world: &World, root: Entity) -> Option<u8> {
    let bone = *world.get::<AloInstance>(root)?.bones().get(HULL)?;
    Some(world.get::<Transform>(bone)?.translation.x as u8)
}

/// The base color texture of one of its sub-meshes.
pub fn texture(world: &World, root: Entity) -> Option<&Image> {
    let parts = world.get::<AloInstance>(root)?.parts().iter();
    let mut drawn = parts.flat_map(|part| world.get::<Children>(*part).into_iter());
    let mesh = drawn.next()?.first()?;
    let material = world.get::<MeshMaterial3d<AloMaterial>>(*mesh)?;
    let material = world.resource::<Assets<AloMaterial>>().get(&material.0)?;
    let image = material.base.base_color_texture.as_ref()?;
    world.resource::<Assets<Image>>().get(image)
}
