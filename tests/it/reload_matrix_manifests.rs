//! A manifest of an Alamo model that plays a part of an animation found by a pattern, and holds what another
//! manifest says: an MDL model with a palette and a skin by name.

use crate::reload_subjects::{Kind, check, keeps_alo, palette};
use bevy::prelude::*;
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::{MdlAnimator, MdlMaterial};

pub const KINDS: &[Kind] = &[
    Kind::Model,
    Kind::Meta,
    Kind::Picture,
    Kind::PictureMeta,
    Kind::Animation,
    Kind::Palette,
    Kind::Manifest,
    Kind::Held,
    Kind::HeldModel,
    Kind::Skin,
];

/// Called otherwise than the model, so that only the manifest finds it.
pub const ANIMATION: &str = "any_HOLD_00.ala";

/// Where what hangs on a model hangs.
const BONE: &str = "Hull";

/// In the middle of the clip's part.
const TIME: f32 = 0.05;

/// The text of the manifest: the second version also has another clip, and another thing on another bone.
pub fn unit(version: u8) -> String {
    let (clip, thing) = match version {
        2 => (
            format!("(name: \"more\", file: {ANIMATION:?}, frames: (0, 2)),"),
            "(bone: \"Version\", model: \"gun.model.ron\", play: \"run\", skin: 2),",
        ),
        _ => (String::new(), ""),
    };
    format!(
        "(
            model: \"unit.alo\",
            scale: {version},
            clips: [(file: \"any_*.ala\", frames: (1, 3), speed: {version}), {clip}],
            team_color: \"#000000\",
            hidden: [\"Hull\"],
            alt: 0,
            attachments: [
                (bone: {BONE:?}, model: \"gun.model.ron\", translation: ({version}, 0, 0)),
                {thing}
            ],
        )"
    )
}

/// The text of what hangs on it.
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
            player_colors: (shirt: 1, pants: 2),
        )"
    )
}

/// Spawns a model with some things chosen that its manifest states otherwise.
pub fn spawn(world: &mut World, path: &str) -> Entity {
    let model = ClassicModel(world.resource::<AssetServer>().load(path.to_owned()));
    let chosen = (ModelAlt(1), TeamColor(Color::WHITE));
    let clip = PlayClip::looping("any_HOLD_00").starting_at(TIME);
    let hidden = HiddenParts::new(["extra"]);
    world.spawn((model, clip, chosen, hidden)).id()
}

/// The colours that a game gives to what hangs there.
const CHANGED: PlayerColors = PlayerColors {
    shirt: 4,
    pants: 13,
};

/// What hung on a model's bone when a game changed it.
#[derive(Component)]
struct Known {
    gun: Entity,
    had_model: bool,
}

/// Gives what hangs there other colours than its manifest.
pub fn change(world: &mut World, root: Entity) {
    let Some(gun) = held(world, root) else {
        return;
    };
    let had_model = world.get::<MdlAnimator>(gun).is_some();
    world.entity_mut(gun).insert(CHANGED);
    world.entity_mut(root).insert(Known { gun, had_model });
}

fn held(world: &World, root: Entity) -> Option<Entity> {
    let mut attached = world.try_query::<(Entity, &Attached)>()?;
    let mut attached = attached.iter(world);
    let is_meant = |of: &Attached| of.to == root && of.bone == BONE;
    attached.find_map(|(entity, of)| is_meant(of).then_some(entity))
}

/// Fails unless what was chosen shows, and the same thing as ever hangs on the bone.
pub fn keeps(world: &World, root: Entity) -> Result<(), String> {
    keeps_alo(world, root, TIME)?;
    let Some(Known { gun, had_model }) = world.get(root) else {
        return Ok(());
    };
    check(held(world, root) == Some(*gun), "with what it held")?;
    let instance = world.get::<AloInstance>(root).ok_or("no model")?;
    let parent = world.get::<ChildOf>(*gun).map(ChildOf::parent);
    check(parent == Some(instance.bones()[1]), "with it on its bone")?;
    let visible = world.get::<InheritedVisibility>(*gun);
    check(visible.is_some_and(|of| of.get()), "with it to be seen")?;
    let colors = world.get::<PlayerColors>(*gun);
    check(colors == Some(&CHANGED), "with it in its colours")?;
    match world.get::<MdlAnimator>(*gun) {
        // The clip begins with the second pose of the model.
        Some(animator) => check(animator.shown().to.a == 1, "with it in its pose"),
        None => check(!had_model, "with its model"),
    }
}

fn material(world: &World, gun: Entity) -> Option<&MdlMaterial> {
    let mesh = world.get::<MdlAnimator>(gun)?.mesh();
    let material = world.get::<MeshMaterial3d<MdlMaterial>>(mesh)?;
    world.resource::<Assets<MdlMaterial>>().get(&material.0)
}

/// Which version of a file shows; 0 where what it is about is nowhere.
pub fn shown(world: &World, root: Entity, kind: Kind) -> Option<u8> {
    if kind == Kind::Manifest {
        return shown_manifest(world, root);
    }
    let Some(gun) = held(world, root).filter(|gun| world.get::<MdlAnimator>(*gun).is_some()) else {
        return Some(0);
    };
    match kind {
        Kind::Held => scale(world, gun),
        Kind::HeldModel => Some(world.get::<MdlAnimator>(gun)?.model().radius as u8),
        Kind::Palette => palette(world, gun),
        _ => {
            let image = material(world, gun)?.base.base_color_texture.as_ref()?;
            let image = world.resource::<Assets<Image>>().get(image)?;
            image.data.as_ref()?.first().copied()
        }
    }
}

/// Everything that a manifest states is of the same version.
fn shown_manifest(world: &World, root: Entity) -> Option<u8> {
    let scale = scale(world, root)?;
    if let Some(gun) = held(world, root) {
        let place = world.get::<Transform>(gun)?.translation.x as u8;
        (place == scale).then_some(())?;
    }
    let things = usize::from(scale == 2) + 1;
    let clips = world.get::<ModelClips>(root).map(|clips| &clips.0);
    if let Some(clip) = clips.and_then(|clips| clips.first()) {
        (clip.speed as u8 == scale && clips?.len() == things).then_some(())?;
    }
    Some(scale)
}

fn scale(world: &World, root: Entity) -> Option<u8> {
    let mut children = world.get::<Children>(root)?.iter();
    let scene = children.find(|child| world.get::<Attached>(*child).is_none())?;
    Some(world.get::<Transform>(scene)?.scale.x as u8)
}
