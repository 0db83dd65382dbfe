//! A manifest of a LithTech model. It has a clip of a part of an animation, a skin, and distances of levels of detail. Its
//! attachment is the same model with the skin of the file.

use super::{
    Kind, Subject, abc, attached, check, first_byte, scale, spawn_manifest, standard,
    standard_image,
};
use crate::support::abc::{ARM, BODY, bytes};
use crate::support::prelude::*;

pub struct Unit;

/// The bone of the attachment.
const BONE: &str = "Arm";

/// A time in the middle of the clip.
const TIME: f32 = 0.1;

/// The distance from the camera.
const DISTANCE: f32 = 100.0;

/// On a root whose `PartVisibility` a game has changed.
#[derive(Component)]
struct IsChanged;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        &[
            Kind::Model,
            Kind::Meta,
            Kind::Texture,
            Kind::TextureMeta,
            Kind::Manifest,
            Kind::Skin,
        ]
    }

    fn model_file(&self) -> &'static str {
        abc::Unit.model_file()
    }

    /// Named like the model, so that it is found without settings.
    fn texture_file(&self) -> &'static str {
        "unit.dtx"
    }

    fn loader(&self) -> &'static str {
        abc::LOADER
    }

    /// Its nodes have separate meshes, because of the flag for environment maps.
    fn model(&self, version: u8) -> Vec<u8> {
        let mut document = abc::document(version);
        for node in [BODY, ARM] {
            document.nodes[node].flags |= node_flags::ENVIRONMENT_MAP;
        }
        bytes(&document)
    }

    /// The second version also has another clip, another skin, and other values for what components override.
    fn manifest(&self, version: u8) -> String {
        let (clip, play, skin, distance, hidden) = match version {
            2 => (
                "(name: \"more\", clip: \"Stand\"),",
                "more",
                "\"more\": \"unit.dtx\",",
                DISTANCE / 2.0,
                "\"Arm\",",
            ),
            _ => ("", "Stand", "", DISTANCE * 2.0, ""),
        };
        format!(
            "(
                model: \"unit.abc\",
                scale: {version},
                texture_folders: [\"more\"],
                clips: [(name: \"part\", clip: \"Walk\", frames: (1, 2), speed: {version}), {clip}],
                play: {play:?},
                skins: {{\"main\": \"skin.tga\", {skin}}},
                skin: \"main\",
                lod_distances: [{distance:?}],
                hidden: [\"Body\", {hidden}],
                attachments: [(
                    bone: {BONE:?},
                    model: \"unit.abc\",
                    translation: ({version}, 0, 0),
                    play: 1,
                    skin: 0,
                )],
            )"
        )
    }

    /// A missing skin has no name in `ModelSkins`.
    fn needs(&self, kind: Kind, other: Kind) -> bool {
        match other {
            Kind::Skin => kind == Kind::Manifest,
            Kind::Texture => kind == Kind::TextureMeta,
            _ => false,
        }
    }

    fn shown_without(&self, kind: Kind) -> u8 {
        match kind {
            // Without the file the model has no skins, and the attachment has no texture.
            Kind::Texture => 0,
            _ => 1,
        }
    }

    fn second_folder(&self) -> &'static str {
        "Models/more"
    }

    /// Plays a clip by its name in the manifest.
    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        if world.query::<&Camera3d>().iter(world).next().is_none() {
            world.spawn(Camera3d::default());
        }
        let clip = PlayClip::from_manifest("part").starting_at(TIME);
        let transform = Transform::from_xyz(DISTANCE, 0.0, 0.0);
        spawn_manifest(world, path, (clip, transform))
    }

    /// Hides another part than the manifest.
    fn change(&self, world: &mut World, root: Entity) {
        attached::remember(world, root, BONE);
        let hidden = PartVisibility::hidden(["arm"]);
        world.entity_mut(root).insert((hidden, IsChanged));
    }

    fn check_state(&self, world: &World, root: Entity) -> Result<(), String> {
        let instance = world.get::<AbcInstance>(root).ok_or("no model")?;
        let time = world.get::<Playback>(root).ok_or("no clip")?.time;
        check(time == TIME, "at the time of the clip")?;
        // Between the second keyframe and the third, Y goes from 0 to 20.
        check(is_body_at(world, instance, [10.0, 10.0]), "in its pose")?;
        let hidden = match world.get::<IsChanged>(root) {
            Some(IsChanged) => ARM,
            None => BODY,
        };
        for mesh in instance.meshes() {
            let node = world.get::<AbcMesh>(*mesh).and_then(|mesh| mesh.node);
            let visibility = world.get::<Visibility>(*mesh);
            let is_hidden = visibility == Some(&Visibility::Hidden);
            check(
                is_hidden == (node == Some(hidden)),
                "with those visible parts",
            )?;
        }
        match attached::check_state(world, root, BONE, instance.nodes()[ARM])? {
            Some(attachment) => check_attachment(world, instance, attachment),
            None => Ok(()),
        }
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        abc::shown(world, root)
    }

    /// The texture of the attachment, which has the skin of the file.
    fn texture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        abc::Unit.texture(world, attached::attachment(world, root, BONE)?)
    }

    fn shown_texture(&self, world: &World, root: Entity) -> Option<u8> {
        let other = world.get::<AbcInstance>(attached::attachment(world, root, BONE)?)?;
        match other.model().skins.is_empty() {
            true => Some(self.shown_without(Kind::Texture)),
            false => first_byte(self.texture(world, root)?),
        }
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Manifest => shown_manifest(world, root),
            _ => first_byte(standard_image(world, body(world, root)?)?),
        }
    }
}

/// Whether the translation of the body has these X and Y.
fn is_body_at(world: &World, instance: &AbcInstance, expected: [f32; 2]) -> bool {
    let body = world.get::<Transform>(instance.nodes()[BODY]);
    body.is_some_and(|body| body.translation.xy().distance(expected.into()) < 1e-3)
}

/// Checks that the attachment has the same model, and the pose and skin of the manifest.
fn check_attachment(
    world: &World,
    instance: &AbcInstance,
    attachment: Entity,
) -> Result<(), String> {
    let other = world
        .get::<AbcInstance>(attachment)
        .ok_or("the attachment has no model")?;
    let model = other.model();
    check(
        Arc::ptr_eq(model, instance.model()),
        "with the same model as the attachment",
    )?;
    check(
        is_body_at(world, other, [5.0, 0.0]),
        "with the attachment in its pose",
    )?;
    let skin = model.skins.first().map(|skin| &skin.image);
    let mut textures = other.meshes().iter().map(|mesh| standard(world, *mesh));
    check(
        textures.all(|texture| texture == skin),
        "with the skin of the attachment",
    )
}

/// The mesh of the body.
fn body(world: &World, root: Entity) -> Option<Entity> {
    let mut meshes = world.get::<AbcInstance>(root)?.meshes().iter().copied();
    let node = |mesh: &Entity| world.get::<AbcMesh>(*mesh).map(|mesh| mesh.node);
    meshes.find(|mesh| node(mesh) == Some(Some(BODY)))
}

/// The version of the manifest, if everything that it sets has the same version.
fn shown_manifest(world: &World, root: Entity) -> Option<u8> {
    let scale = scale(world, root)?;
    let count = usize::from(scale);
    let other = attached::attachment(world, root, BONE)?;
    let translation = world.get::<Transform>(other)?.translation.x as u8;
    let clips = &world.get::<ModelClips>(root)?.0;
    let playing = clips.first()?;
    let skins = world.get::<ModelSkins>(root)?;
    // In version 1 it is nearer than the first distance, in version 2 farther away.
    let levels = &world.get::<AbcInstance>(root)?.model().levels;
    let Mesh3d(mesh) = world.get(body(world, root)?)?;
    let mut meshes = levels.iter().map(|level| level.mesh(Some(BODY)));
    let level = meshes.position(|info| info.is_some_and(|info| info.mesh == *mesh))?;
    let is_consistent = translation == scale
        && clips.len() == count
        && playing.speed == f32::from(scale)
        && skins.names().count() == count
        && level + 1 == count;
    is_consistent.then_some(scale)
}
