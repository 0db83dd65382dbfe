//! Pictures of things that hang on the sample models, beside the same things put there by hand.

use crate::support::stage::{Picture, Stage};
use bevy::prelude::*;
use bevy_classic_models::alamo::AloInstance;
use bevy_classic_models::lithtech::{AbcInstance, AbcLoaderSettings};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;
use std::path::Path;

/// A sample by its name alone.
fn sample(path: &str) -> (&str, Vec<u8>) {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let (_, name) = path.rsplit_once('/').unwrap();
    (name, std::fs::read(assets.join(path)).unwrap())
}

/// A model with a brazier on one of its bones, as [`AttachedToBone`] has it.
struct Bearer {
    stage: Stage,
    root: Entity,
    brazier: Entity,
}

impl Bearer {
    fn new(mut stage: Stage, root: Entity, bone: &str, place: Transform) -> Self {
        let bone = bone.to_owned();
        let hung = (AttachedToBone { to: root, bone }, place);
        let brazier = stage.spawn("brazier.mdl#Scene", hung);
        Self {
            stage,
            root,
            brazier,
        }
    }

    fn look(&mut self, from: Vec3, at: Vec3) -> Picture {
        let place = Transform::from_translation(from).looking_at(at, Vec3::Y);
        self.stage.camera().insert(place);
        self.stage.capture()
    }

    /// Looks from two sides at moments of what plays, and at the same put there by hand.
    fn check(&mut self, name: &str, (distance, height): (f32, f32), bone: (Entity, Transform)) {
        let at = Vec3::Y * height;
        for (moment, seconds) in [0.0, 0.21, 0.4].into_iter().enumerate() {
            self.stage.headless.step(seconds);
            for (side, way) in [Vec3::new(-0.6, 0.25, -0.8), Vec3::new(-0.9, 0.3, 0.5)]
                .into_iter()
                .enumerate()
            {
                let what = format!("{name} at moment {moment} from side {side}");
                let from = at + way * distance;
                let shown = self.look(from, at);
                let control = self.by_hand(from, at, bone);
                shown.assert_is(&control, &what);
                let without = self.without(from, at);
                let covered = shown.different(&without);
                assert!(covered > 300, "{what}: the thing is {covered} pixels");
            }
        }
    }

    /// The brazier without a parent, where the bone is.
    fn by_hand(&mut self, from: Vec3, at: Vec3, (bone, place): (Entity, Transform)) -> Picture {
        let bone = *self.stage.world().get::<GlobalTransform>(bone).unwrap();
        let attached = self
            .stage
            .world()
            .get::<AttachedToBone>(self.brazier)
            .cloned();
        let mut brazier = self.stage.world().entity_mut(self.brazier);
        brazier.remove::<AttachedToBone>();
        brazier.insert((bone * place).compute_transform());
        let picture = self.look(from, at);
        let mut brazier = self.stage.world().entity_mut(self.brazier);
        brazier.insert((attached.unwrap(), place));
        picture
    }

    fn without(&mut self, from: Vec3, at: Vec3) -> Picture {
        let hidden = |stage: &mut Stage, visibility: Visibility, brazier: Entity| {
            stage.world().entity_mut(brazier).insert(visibility);
        };
        hidden(&mut self.stage, Visibility::Hidden, self.brazier);
        let picture = self.look(from, at);
        hidden(&mut self.stage, Visibility::Inherited, self.brazier);
        picture
    }
}

#[test]
fn a_warden_holds_a_brazier() {
    let files = [
        "models/warden.abc",
        "skins/warden.dtx",
        "models/brazier.mdl",
    ];
    let mut stage = Stage::new(&files.map(sample));
    let play = PlayClip::looping("walk");
    let root = stage.spawn_abc("warden.abc", AbcLoaderSettings::default(), play);
    let hand = stage.world().get::<AbcInstance>(root).unwrap();
    let hand = hand.node("L_Hand").unwrap();
    let place = Transform::from_xyz(0.0, -4.0, 0.0).with_scale(Vec3::splat(0.6));
    let mut bearer = Bearer::new(stage, root, "l_hand", place);
    assert!(
        bearer
            .stage
            .world()
            .get::<MdlAnimator>(bearer.brazier)
            .is_some()
    );
    bearer.check("a warden", (110.0, 38.0), (hand, place));
    assert!(bearer.stage.world().get_entity(bearer.root).is_ok());
}

#[test]
fn a_walker_carries_a_brazier_on_its_hardpoint() {
    let files = [
        "models/walker.alo",
        "models/walker_MOVE_00.ala",
        "models/brazier.mdl",
        "textures/walker.dds",
        "textures/walker_bump.dds",
        "textures/walker_glass.tga",
        "textures/walker_metal.tga",
        "textures/dazzles.tga",
    ];
    let mut stage = Stage::new(&files.map(sample));
    let root = stage.spawn_alo("walker.alo", PlayClip::looping("MOVE_00"));
    let bone = stage.world().get::<AloInstance>(root).unwrap();
    let bone = bone.bone("HP_TURRET").unwrap();
    // The file's Z is up, the brazier's Y.
    let up = Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
    let place = Transform::from_rotation(up).with_scale(Vec3::splat(0.12));
    let mut bearer = Bearer::new(stage, root, "hp_turret", place);
    bearer.check("a walker", (24.0, 7.0), (bone, place));
}
