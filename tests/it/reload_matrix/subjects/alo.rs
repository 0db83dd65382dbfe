//! An Alamo model in the middle of an animation, damaged, in the colour of a team and without one of its parts.

use super::{Kind, Subject, check, spawn_scene};
use crate::ala::play::{ala, document};
use crate::support::alo_stage::cuboid;
use bevy::prelude::*;
use bevy_classic_models::alamo::ala::write::{BoneTracks, Vectors};
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as AloMesh, Parameter};
use bevy_classic_models::alamo::{Alo, AloInstance};
use bevy_classic_models::alamo::{AloMaterial, AloPart};
use bevy_classic_models::prelude::*;

pub struct Unit;

/// The index of the bone that the animation moves.
pub const HULL: usize = 1;

const TIME: f32 = 0.25;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        use Kind::{Animation, Meta, Model, Picture, PictureMeta};
        &[Model, Meta, Animation, Picture, PictureMeta]
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
        spawn_scene(world, path, chosen("HOLD_00", TIME))
    }

    fn keeps(&self, world: &World, root: Entity) -> Result<(), String> {
        keeps(world, root, TIME)
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        shown(world, root)
    }

    fn picture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        picture(world, root)
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        (kind == Kind::Animation).then(|| shown_animation(world, root))?
    }
}

/// A version of the file: a box that is whole, one that is damaged, and one to hide; a bone without anything says
/// the version.
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
            Parameter::texture("BaseTexture", "worn.tga"),
        ];
        let submesh = buffers.submesh("MeshBumpColorize.fx", "alD3dVertNU2", parameters);
        AloMesh::new(name, HULL as u32, vec![submesh])
    });
    file.meshes = parts.collect();
    write(&file).unwrap()
}

/// A version of its animation.
pub fn animation(version: u8) -> Vec<u8> {
    let mut hull = BoneTracks::new("Hull", HULL as u32, [0.0; 3]);
    hull.translation = Vectors::constant([version.into(), 0.0, 1.0]);
    ala(&document(5, vec![hull]))
}

/// What is chosen about it.
pub fn chosen(clip: &str, time: f32) -> impl Bundle {
    let clip = PlayClip::looping(clip).starting_at(time);
    let hidden = PartVisibility::new(["extra"]);
    (clip, DamageStage(1), TeamColor(Color::WHITE), hidden)
}

/// Fails unless it is in the middle of its clip and shows what was chosen.
pub fn keeps(world: &World, root: Entity, time: f32) -> Result<(), String> {
    let instance = world.get::<AloInstance>(root).ok_or("no model")?;
    let playback = world.get::<Playback>(root).ok_or("no clip")?;
    let hull = world
        .get::<Transform>(instance.bones()[HULL])
        .ok_or("no bone")?;
    if hull.translation.x != 0.0 {
        check(playback.time == time, "at the clip's time")?;
    }
    for part in instance.parts() {
        let (of, visibility) = (world.get::<AloPart>(*part), world.get::<Visibility>(*part));
        let of = of.ok_or("no part")?;
        let shows = visibility == Some(&Visibility::Inherited);
        check(shows == (of.name == "Hull_ALT1"), "of those parts")?;
        for mesh in world.get::<Children>(*part).into_iter().flatten() {
            let tag = world.get::<bevy::mesh::MeshTag>(*mesh);
            check(tag.is_some_and(|tag| tag.0 != 0), "in the team's colour")?;
        }
    }
    Ok(())
}

/// Which version of the file it is of.
pub fn shown(world: &World, root: Entity) -> Option<u8> {
    let model = world.get::<AloInstance>(root)?.model();
    Some(model.bones.get(2)?.transform.translation.z as u8)
}

/// Which version of its animation it plays; 0 if none.
pub fn shown_animation(world: &World, root: Entity) -> Option<u8> {
    let bone = *world.get::<AloInstance>(root)?.bones().get(HULL)?;
    Some(world.get::<Transform>(bone)?.translation.x as u8)
}

/// The picture that one of its sub-meshes wears.
pub fn picture(world: &World, root: Entity) -> Option<&Image> {
    let parts = world.get::<AloInstance>(root)?.parts().iter();
    let mut drawn = parts.flat_map(|part| world.get::<Children>(*part).into_iter());
    let mesh = drawn.next()?.first()?;
    let material = world.get::<MeshMaterial3d<AloMaterial>>(*mesh)?;
    let material = world.resource::<Assets<AloMaterial>>().get(&material.0)?;
    let image = material.base.base_color_texture.as_ref()?;
    world.resource::<Assets<Image>>().get(image)
}
