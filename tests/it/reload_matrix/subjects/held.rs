//! What hangs on a bone because a manifest says so, and stays the same whatever is edited: often a gun, which is a
//! Quake model, bare or by a manifest of its own.

use super::mdl::{COLORS, palette, picture, shown as shown_model};
use super::{Kind, check, first_byte, scale};
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

/// The text of the gun's manifest: the second version has another clip, another skin and other colours
/// too.
pub fn gun(version: u8) -> String {
    let (clip, skin) = match version {
        2 => (
            "(name: \"more\", clip: \"die\"),",
            "\"more\": \"worn.tga\",",
        ),
        _ => ("", ""),
    };
    format!(
        "(
            model: \"gun.mdl\",
            scale: {version},
            palette: \"colors.lmp\",
            clips: [(name: \"part\", clip: \"run\", frames: (1, 3)), {clip}],
            play: \"part\",
            skins: {{\"worn\": \"skin.tga\", {skin}}},
            skin: \"worn\",
            player_colors: (shirt: {version}, pants: 2),
        )"
    )
}

/// What hung on a model's bone when a game changed it.
#[derive(Component)]
struct Known {
    thing: Entity,
    had_model: bool,
}

/// What hangs on a bone.
pub fn on(world: &World, root: Entity, bone: &str) -> Option<Entity> {
    let mut attached = world.try_query::<(Entity, &AttachedToBone)>()?;
    let mut attached = attached.iter(world);
    let is_meant = |of: &AttachedToBone| of.to == root && of.bone == bone;
    attached.find_map(|(entity, of)| is_meant(of).then_some(entity))
}

fn has_model(world: &World, thing: Entity) -> bool {
    let thing = world.entity(thing);
    thing.contains::<MdlAnimator>() || thing.contains::<AbcInstance>()
}

/// Remembers what hangs on a bone; none where nothing does.
pub fn know(world: &mut World, root: Entity, bone: &str) -> Option<Entity> {
    let thing = on(world, root, bone)?;
    let had_model = has_model(world, thing);
    world.entity_mut(root).insert(Known { thing, had_model });
    Some(thing)
}

/// Gives the gun on a bone other colours than its manifest, as a game does; the gun if there is one.
pub fn paint(world: &mut World, root: Entity, bone: &str) -> Option<Entity> {
    let gun = know(world, root, bone)?;
    world.entity_mut(gun).insert(COLORS);
    Some(gun)
}

/// Fails unless the same thing as ever hangs on a bone, whose entity is another one after each change of its model.
/// It is that thing, if there was one.
pub fn keeps(
    world: &World,
    root: Entity,
    bone: &str,
    entity: Entity,
) -> Result<Option<Entity>, String> {
    let Some(Known { thing, had_model }) = world.get(root) else {
        return Ok(None);
    };
    check(on(world, root, bone) == Some(*thing), "with what it held")?;
    let parent = world.get::<ChildOf>(*thing).map(ChildOf::parent);
    check(parent == Some(entity), "with it on its bone")?;
    let visible = world.get::<InheritedVisibility>(*thing);
    check(visible.is_some_and(|of| of.get()), "with it to be seen")?;
    check(has_model(world, *thing) || !had_model, "with its model")?;
    Ok(Some(*thing))
}

/// Fails unless a gun that a game has painted is still so, and at the first of its clip's poses.
pub fn keeps_gun(world: &World, gun: Entity, pose: u32) -> Result<(), String> {
    let colors = world.get::<PlayerColors>(gun);
    check(colors == Some(&COLORS), "with it in its colours")?;
    let animator = world.get::<MdlAnimator>(gun);
    let is_posed = animator.is_none_or(|animator| animator.shown().to.a == pose);
    check(is_posed, "with it in its pose")
}

/// Which version of a file the gun on a bone shows; 0 where there is none.
pub fn shown(world: &World, root: Entity, bone: &str, kind: Kind) -> Option<u8> {
    let gun = on(world, root, bone).filter(|gun| has_model(world, *gun));
    let Some(gun) = gun else {
        return Some(0);
    };
    match kind {
        Kind::Held => scale(world, gun),
        Kind::HeldModel => shown_model(world, gun),
        Kind::Palette => palette(world, gun),
        _ => {
            let images = world.resource::<Assets<Image>>();
            first_byte(images.get(picture(world, gun)?)?)
        }
    }
}
