//! The attachment of a manifest: usually a gun, which is a Quake model with or without its own manifest. Its entity and the
//! changes by a game must survive every edit.

use super::mdl::{COLORS, palette, shown as shown_model, texture};
use super::{Kind, check, first_byte, scale};
use crate::attach::scene::parent_of;
use crate::support::prelude::*;

/// The text of the gun's manifest. The second version also has another clip, another skin, and other player colors.
pub fn gun(version: u8) -> String {
    let (clip, skin) = match version {
        2 => (
            "(name: \"more\", clip: \"die\"),",
            "\"more\": \"base.tga\",",
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
            skins: {{\"main\": \"skin.tga\", {skin}}},
            skin: \"main\",
            player_colors: (shirt: {version}, pants: 2),
        )"
    )
}

/// On a root: the attachment of a bone when a game changed it.
#[derive(Component)]
struct RememberedAttachment {
    attachment: Entity,
    had_model: bool,
}

/// The attachment of a bone.
pub fn attachment(world: &World, root: Entity, bone: &str) -> Option<Entity> {
    let mut attached = world.try_query::<(Entity, &AttachedToBone)>()?;
    let mut attached = attached.iter(world);
    let is_on_bone = |attached: &AttachedToBone| attached.to == root && attached.bone == bone;
    attached.find_map(|(entity, attached)| is_on_bone(attached).then_some(entity))
}

fn has_model(world: &World, attachment: Entity) -> bool {
    let attachment = world.entity(attachment);
    attachment.contains::<MdlInstance>() || attachment.contains::<AbcInstance>()
}

/// Remembers and returns the attachment of a bone, if there is one.
pub fn remember(world: &mut World, root: Entity, bone: &str) -> Option<Entity> {
    let attachment = attachment(world, root, bone)?;
    let had_model = has_model(world, attachment);
    world.entity_mut(root).insert(RememberedAttachment {
        attachment,
        had_model,
    });
    Some(attachment)
}

/// Gives the gun on a bone other player colors than its manifest, as a game does. Returns the gun, if there is one.
pub fn recolor(world: &mut World, root: Entity, bone: &str) -> Option<Entity> {
    let gun = remember(world, root, bone)?;
    world.entity_mut(gun).insert(COLORS);
    Some(gun)
}

/// Checks that the remembered attachment is still on its bone, whose entity changes with every reload of its model. Returns
/// the attachment, if there was one.
pub fn check_state(
    world: &World,
    root: Entity,
    bone: &str,
    entity: Entity,
) -> Result<Option<Entity>, String> {
    let Some(RememberedAttachment {
        attachment: expected,
        had_model,
    }) = world.get(root)
    else {
        return Ok(None);
    };
    let found = attachment(world, root, bone);
    check(found == Some(*expected), "with the same attachment")?;
    let parent = parent_of(world, *expected);
    check(parent == Some(entity), "with the attachment on its bone")?;
    let visibility = world.get::<InheritedVisibility>(*expected);
    let is_visible = visibility.is_some_and(|visibility| visibility.get());
    check(is_visible, "with a visible attachment")?;
    let keeps_model = has_model(world, *expected) || !had_model;
    check(keeps_model, "with the model of the attachment")?;
    Ok(Some(*expected))
}

/// Checks that a recolored gun keeps its colors, and that it is in a pose.
pub fn check_gun(world: &World, gun: Entity, pose: u32) -> Result<(), String> {
    let colors = world.get::<PlayerColors>(gun);
    check(colors == Some(&COLORS), "with the colors of the gun")?;
    let animator = world.get::<MdlInstance>(gun);
    let is_posed = animator.is_none_or(|animator| animator.shown().to.a == pose);
    check(is_posed, "with the pose of the gun")
}

/// The version of a file that the gun on a bone shows; 0 without a gun.
pub fn shown(world: &World, root: Entity, bone: &str, kind: Kind) -> Option<u8> {
    let gun = attachment(world, root, bone).filter(|gun| has_model(world, *gun));
    let Some(gun) = gun else {
        return Some(0);
    };
    match kind {
        Kind::AttachedManifest => scale(world, gun),
        Kind::AttachedModel => shown_model(world, gun),
        Kind::Palette => palette(world, gun),
        _ => {
            let images = world.resource::<Assets<Image>>();
            first_byte(images.get(texture(world, gun)?)?)
        }
    }
}
