//! What is to be seen of a model, in words.

use crate::row::Row;
use bevy::asset::AssetPath;
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

/// Says something of a model that a step is to change; `None` until the model is there.
pub type Look = fn(&World, &Row) -> Option<Sight>;

/// What is seen of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sight {
    pub words: String,
    /// A number that another picture does not have, if the look is at one.
    picture: u32,
}

impl Sight {
    fn of(words: String) -> Self {
        Self { words, picture: 0 }
    }

    /// What is other than before.
    pub fn since(&self, before: &Self) -> String {
        if self.words == before.words {
            return format!("{}: another picture than before", self.words);
        }
        format!("{} -> {}", before.words, self.words)
    }
}

/// The picture that the walker wears.
pub fn walker_texture(world: &World, _: &Row) -> Option<Sight> {
    let path = AssetPath::from("textures/walker.dds");
    let image = world.resource::<AssetServer>().get_handle(path)?;
    Some(Sight {
        words: "wears walker.dds".to_owned(),
        picture: picture(world, &image)?,
    })
}

/// The picture that the warden wears.
pub fn warden_skin(world: &World, row: &Row) -> Option<Sight> {
    let worn = warden_picture(world, row)?;
    let name = worn.path()?.path().file_name()?.to_string_lossy();
    Some(Sight {
        words: format!("wears {name}"),
        picture: picture(world, &worn)?,
    })
}

fn warden_picture(world: &World, row: &Row) -> Option<Handle<Image>> {
    let instance = world.get::<AbcInstance>(row.warden)?;
    let mut meshes = instance.meshes().iter();
    let material = meshes.find_map(|mesh| world.get::<MeshMaterial3d<StandardMaterial>>(*mesh))?;
    let materials = world.resource::<Assets<StandardMaterial>>();
    materials.get(&material.0)?.base_color_texture.clone()
}

/// How tall the sentry is.
pub fn sentry_height(world: &World, row: &Row) -> Option<Sight> {
    let (low, high) = world.get::<MdlAnimator>(row.sentry)?.model().poses.bounds();
    let words = format!("{:.0} units tall", high.z - low.z);
    Some(Sight::of(words))
}

/// The colours of the sentry.
pub fn sentry_colours(world: &World, row: &Row) -> Option<Sight> {
    let model = world.get::<MdlAnimator>(row.sentry)?.model();
    let image = &model.skins.first()?.pictures.first()?.image;
    Some(Sight {
        words: "wears its own skin in the palette's colours".to_owned(),
        picture: picture(world, image)?,
    })
}

/// How many meshes the courier has.
pub fn courier_meshes(world: &World, row: &Row) -> Option<Sight> {
    let instance = world.get::<LgwInstance>(row.courier)?;
    let words = format!("{} meshes", instance.meshes().len());
    Some(Sight::of(words))
}

/// What the walker plays.
pub fn walker_clip(world: &World, row: &Row) -> Option<Sight> {
    let clip = world.get::<AloAnimator>(row.walker)?.clip()?;
    let clip = world.resource::<Assets<AnimationClip>>().get(clip)?;
    let play = world.get::<PlayClip>(row.walker)?;
    let ClipRef::Name(name) = &play.clip else {
        return None;
    };
    let words = format!("{name}: {:.2} s", clip.duration());
    Some(Sight::of(words))
}

/// What the walker plays, and in which colour.
pub fn walker_orders(world: &World, row: &Row) -> Option<Sight> {
    let TeamColor(color) = world.get(row.walker)?;
    let color = color.to_srgba().to_hex();
    let clip = walker_clip(world, row)?.words;
    Some(Sight::of(format!("{clip}, {color}")))
}

/// How large the warden is.
pub fn warden_size(world: &World, row: &Row) -> Option<Sight> {
    let instance = world.get::<AbcInstance>(row.warden)?;
    let place = world.get::<GlobalTransform>(*instance.nodes().first()?)?;
    Some(Sight::of(format!("size {:.4}", place.scale().x)))
}

/// What the warden wears and carries.
pub fn warden_outfit(world: &World, row: &Row) -> Option<Sight> {
    let skin = warden_skin(world, row)?;
    let hand = world.get::<AbcInstance>(row.warden)?.node("L_Hand")?;
    let things = world.get::<Children>(hand).into_iter().flatten();
    let mut things = things.filter_map(|thing| carried(world, *thing));
    let thing = things.next().unwrap_or_else(|| "nothing".to_owned());
    Some(Sight {
        words: format!("{}, carries {thing}", skin.words),
        ..skin
    })
}

/// The file of a model that hangs on another and is there.
fn carried(world: &World, thing: Entity) -> Option<String> {
    world.get::<MdlAnimator>(thing)?;
    Some(world.get::<Name>(thing)?.to_string())
}

/// A number that another picture does not have.
fn picture(world: &World, image: &Handle<Image>) -> Option<u32> {
    let image = world.resource::<Assets<Image>>().get(image)?;
    let texels = image.data.as_ref()?;
    // Some of the bytes will do.
    let mix = |sum: u32, byte: &u8| sum.rotate_left(5) ^ u32::from(*byte);
    Some(texels.iter().step_by(13).fold(0, mix))
}
