//! What is to be seen of a model, in words.

use crate::row::Row;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

/// Says something of a model that a step is to change; `None` until the model is there.
pub type Look = fn(&World, &Row) -> Option<String>;

/// The picture that the walker wears.
pub fn walker_texture(world: &World, _: &Row) -> Option<String> {
    let path = AssetPath::from("textures/walker.dds");
    picture(world, &world.resource::<AssetServer>().get_handle(path)?)
}

/// The picture that the warden wears.
pub fn warden_skin(world: &World, row: &Row) -> Option<String> {
    let worn = warden_picture(world, row)?;
    let name = worn.path()?.path().file_stem()?.to_string_lossy();
    Some(format!("{name}: {}", picture(world, &worn)?))
}

fn warden_picture(world: &World, row: &Row) -> Option<Handle<Image>> {
    let instance = world.get::<AbcInstance>(row.warden)?;
    let mut meshes = instance.meshes().iter();
    let material = meshes.find_map(|mesh| world.get::<MeshMaterial3d<StandardMaterial>>(*mesh))?;
    let materials = world.resource::<Assets<StandardMaterial>>();
    materials.get(&material.0)?.base_color_texture.clone()
}

/// How tall the sentry is.
pub fn sentry_height(world: &World, row: &Row) -> Option<String> {
    let (low, high) = world.get::<MdlAnimator>(row.sentry)?.model().poses.bounds();
    Some(format!("{:.0} units tall", high.z - low.z))
}

/// The colours of the sentry.
pub fn sentry_colours(world: &World, row: &Row) -> Option<String> {
    let model = world.get::<MdlAnimator>(row.sentry)?.model();
    picture(world, &model.skins.first()?.pictures.first()?.image)
}

/// How many meshes the courier has.
pub fn courier_meshes(world: &World, row: &Row) -> Option<String> {
    let instance = world.get::<LgwInstance>(row.courier)?;
    Some(format!("{} meshes", instance.meshes().len()))
}

/// What the walker plays.
pub fn walker_clip(world: &World, row: &Row) -> Option<String> {
    let clip = world.get::<AloAnimator>(row.walker)?.clip()?;
    let clip = world.resource::<Assets<AnimationClip>>().get(clip)?;
    let play = world.get::<PlayClip>(row.walker)?;
    let ClipRef::Name(name) = &play.clip else {
        return None;
    };
    Some(format!("{name}: {:.2} s", clip.duration()))
}

/// What the walker plays, and in which colour.
pub fn walker_orders(world: &World, row: &Row) -> Option<String> {
    let TeamColor(color) = world.get(row.walker)?;
    let color = color.to_srgba().to_hex();
    Some(format!("{}, {color}", walker_clip(world, row)?))
}

/// How large the warden is.
pub fn warden_size(world: &World, row: &Row) -> Option<String> {
    let instance = world.get::<AbcInstance>(row.warden)?;
    let place = world.get::<GlobalTransform>(*instance.nodes().first()?)?;
    Some(format!("size {:.4}", place.scale().x))
}

/// What the warden wears and carries.
pub fn warden_outfit(world: &World, row: &Row) -> Option<String> {
    let skin = warden_skin(world, row)?;
    let hand = world.get::<AbcInstance>(row.warden)?.node("L_Hand")?;
    let things = world.get::<Children>(hand).map_or(0, |children| {
        let is_model = |child: &Entity| world.get::<MdlAnimator>(*child).is_some();
        children.iter().filter(is_model).count()
    });
    Some(format!("{skin}, carries {things}"))
}

/// A picture's size and a number that another one does not have.
fn picture(world: &World, image: &Handle<Image>) -> Option<String> {
    let image = world.resource::<Assets<Image>>().get(image)?;
    let texels = image.data.as_ref()?;
    // Some of the bytes will do.
    let mix = |sum: u32, byte: &u8| sum.rotate_left(5) ^ u32::from(*byte);
    let sum = texels.iter().step_by(13).fold(0, mix);
    Some(format!("picture {sum:08x}"))
}
