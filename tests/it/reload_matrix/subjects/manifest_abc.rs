//! A manifest of a LithTech model that plays a part of one of its animations, wears a picture that only the
//! manifest names, is drawn at a level of detail for its distance, and holds another of its kind that wears its own
//! skin.

use super::{
    Kind, Subject, abc, check, first_byte, held, scale, spawn_manifest, standard, standard_image,
};
use crate::support::abc::{ARM, BODY, bytes};
use bevy::prelude::*;
use bevy_classic_models::lithtech::AbcInstance;
use bevy_classic_models::lithtech::AbcMesh;
use bevy_classic_models::lithtech::abc::node_flags;
use bevy_classic_models::prelude::*;
use std::sync::Arc;

pub struct Unit;

/// Where the other one hangs.
const BONE: &str = "Arm";

/// In the middle of the clip's part.
const TIME: f32 = 0.1;

/// How far it is from the camera.
const DISTANCE: f32 = 100.0;

/// On a root whose hidden parts a game has changed.
#[derive(Component)]
struct IsChanged;

impl Subject for Unit {
    fn kinds(&self) -> &'static [Kind] {
        &[
            Kind::Model,
            Kind::Meta,
            Kind::Picture,
            Kind::PictureMeta,
            Kind::Manifest,
            Kind::Skin,
        ]
    }

    fn model_file(&self) -> &'static str {
        abc::Unit.model_file()
    }

    /// Called as the model, so that it is found without settings.
    fn picture_file(&self) -> &'static str {
        "unit.dtx"
    }

    fn loader(&self) -> &'static str {
        abc::LOADER
    }

    /// Its nodes have meshes of their own, because their surfaces are not plain.
    fn model(&self, version: u8) -> Vec<u8> {
        let mut document = abc::document(version);
        for node in [BODY, ARM] {
            document.nodes[node].flags |= node_flags::ENVIRONMENT_MAP;
        }
        bytes(&document)
    }

    /// The second version also has another clip and another skin, and states otherwise what is chosen otherwise.
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
                skins: {{\"worn\": \"skin.tga\", {skin}}},
                skin: \"worn\",
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

    /// A skin that is nowhere has no name.
    fn needs(&self, kind: Kind, other: Kind) -> bool {
        match other {
            Kind::Skin => kind == Kind::Manifest,
            Kind::Picture => kind == Kind::PictureMeta,
            _ => false,
        }
    }

    fn shown_without(&self, kind: Kind) -> u8 {
        match kind {
            // The model has no skins then, and the one that is held wears no picture.
            Kind::Picture => 0,
            _ => 1,
        }
    }

    fn second_folder(&self) -> &'static str {
        "Models/more"
    }

    /// A clip is chosen by a name that the manifest gives to it.
    fn spawn(&self, world: &mut World, path: &str) -> Entity {
        if world.query::<&Camera3d>().iter(world).next().is_none() {
            world.spawn(Camera3d::default());
        }
        let clip = PlayClip::from_manifest("part").starting_at(TIME);
        let place = Transform::from_xyz(DISTANCE, 0.0, 0.0);
        spawn_manifest(world, path, (clip, place))
    }

    /// Hides another part than the manifest.
    fn change(&self, world: &mut World, root: Entity) {
        held::know(world, root, BONE);
        let hidden = PartVisibility::new(["arm"]);
        world.entity_mut(root).insert((hidden, IsChanged));
    }

    fn keeps(&self, world: &World, root: Entity) -> Result<(), String> {
        let instance = world.get::<AbcInstance>(root).ok_or("no model")?;
        let time = world.get::<Playback>(root).ok_or("no clip")?.time;
        check(time == TIME, "at the clip's time")?;
        // Between the second keyframe and the third it goes up to 20.
        check(is_at(world, instance, [10.0, 10.0]), "in its pose")?;
        let hidden = match world.get::<IsChanged>(root) {
            Some(IsChanged) => ARM,
            None => BODY,
        };
        for mesh in instance.meshes() {
            let node = world.get::<AbcMesh>(*mesh).and_then(|of| of.node);
            let visibility = world.get::<Visibility>(*mesh);
            let is_hidden = visibility == Some(&Visibility::Hidden);
            check(is_hidden == (node == Some(hidden)), "of those parts")?;
        }
        match held::keeps(world, root, BONE, instance.nodes()[ARM])? {
            Some(other) => keeps_other(world, instance, other),
            None => Ok(()),
        }
    }

    fn shown_model(&self, world: &World, root: Entity) -> Option<u8> {
        abc::shown(world, root)
    }

    /// That of the other one: it wears its own, which the manifest says nothing about.
    fn picture<'w>(&self, world: &'w World, root: Entity) -> Option<&'w Image> {
        abc::Unit.picture(world, held::on(world, root, BONE)?)
    }

    fn shown_picture(&self, world: &World, root: Entity) -> Option<u8> {
        let other = world.get::<AbcInstance>(held::on(world, root, BONE)?)?;
        match other.model().skins.is_empty() {
            true => Some(self.shown_without(Kind::Picture)),
            false => first_byte(self.picture(world, root)?),
        }
    }

    fn shown_other(&self, world: &World, root: Entity, kind: Kind) -> Option<u8> {
        match kind {
            Kind::Manifest => shown_manifest(world, root),
            _ => first_byte(standard_image(world, body(world, root)?)?),
        }
    }
}

/// Whether the body of a model is in a place, as far as X and Y go.
fn is_at(world: &World, instance: &AbcInstance, place: [f32; 2]) -> bool {
    let body = world.get::<Transform>(instance.nodes()[BODY]);
    body.is_some_and(|body| body.translation.xy().distance(place.into()) < 1e-3)
}

/// Fails unless the other one is of the same model, in the pose and the skin that the manifest states.
fn keeps_other(world: &World, instance: &AbcInstance, other: Entity) -> Result<(), String> {
    let other = world.get::<AbcInstance>(other).ok_or("without the other")?;
    let model = other.model();
    check(
        Arc::ptr_eq(model, instance.model()),
        "of the other's version",
    )?;
    check(
        is_at(world, other, [5.0, 0.0]),
        "with the other in its pose",
    )?;
    let skin = model.skins.first().map(|skin| &skin.image);
    let mut worn = other.meshes().iter().map(|mesh| standard(world, *mesh));
    check(worn.all(|worn| worn == skin), "with the other in its skin")
}

/// The mesh of the body.
fn body(world: &World, root: Entity) -> Option<Entity> {
    let mut meshes = world.get::<AbcInstance>(root)?.meshes().iter().copied();
    let is_of_body = |mesh: &Entity| world.get::<AbcMesh>(*mesh).map(|of| of.node);
    meshes.find(|mesh| is_of_body(mesh) == Some(Some(BODY)))
}

/// Everything that a manifest states is of the same version.
fn shown_manifest(world: &World, root: Entity) -> Option<u8> {
    let scale = scale(world, root)?;
    let things = usize::from(scale);
    let other = held::on(world, root, BONE)?;
    let place = world.get::<Transform>(other)?.translation.x as u8;
    let clips = &world.get::<ModelClips>(root)?.0;
    let player = world.get::<AnimationPlayer>(root)?;
    let (_, playing) = player.playing_animations().next()?;
    let skins = world.get::<ModelSkins>(root)?;
    // It is nearer than where the level after the finest begins, or farther away.
    let levels = &world.get::<AbcInstance>(root)?.model().levels;
    let Mesh3d(mesh) = world.get(body(world, root)?)?;
    let mut meshes = levels.iter().map(|level| level.mesh(Some(BODY)));
    let level = meshes.position(|info| info.is_some_and(|info| info.mesh == *mesh))?;
    let is_one = place == scale
        && clips.len() == things
        && playing.speed() == f32::from(scale)
        && skins.names().count() == things
        && level + 1 == things;
    is_one.then_some(scale)
}
