//! Renders of attachments on the sample models, compared with unattached entities at the same global transform.

use crate::support::prelude::*;
use crate::support::stage::Picture;

/// A sample file under its name without folders.
fn sample(path: &str) -> (&str, Vec<u8>) {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let (_, name) = path.rsplit_once('/').unwrap();
    (name, std::fs::read(assets.join(path)).unwrap())
}

/// A model with a brazier that is attached to one of its bones.
struct Bearer {
    stage: Stage,
    root: Entity,
    brazier: Entity,
}

impl Bearer {
    fn new(mut stage: Stage, root: Entity, bone: &str, transform: Transform) -> Self {
        let attached = (on(root, bone), transform);
        let brazier = stage.spawn("brazier.mdl#Scene", attached);
        Self {
            stage,
            root,
            brazier,
        }
    }

    fn render(&mut self, from: Vec3, at: Vec3) -> Picture {
        let view = Transform::from_translation(from).looking_at(at, Vec3::Y);
        self.stage.camera().insert(view);
        self.stage.capture()
    }

    /// Compares renders from two sides at several times with those of the unattached brazier.
    fn check(&mut self, name: &str, (distance, height): (f32, f32), bone: (Entity, Transform)) {
        let at = Vec3::Y * height;
        for (moment, seconds) in [0.0, 0.21, 0.4].into_iter().enumerate() {
            self.stage.headless.step(seconds);
            for (side, direction) in [Vec3::new(-0.6, 0.25, -0.8), Vec3::new(-0.9, 0.3, 0.5)]
                .into_iter()
                .enumerate()
            {
                let what = format!("{name} at moment {moment} from side {side}");
                let from = at + direction * distance;
                let attached = self.render(from, at);
                let control = self.without_parent(from, at, bone);
                attached.assert_matches(&control, &what);
                let without = self.without(from, at);
                let covered = attached.different(&without);
                assert!(covered > 300, "{what}: the brazier covers {covered} pixels");
            }
        }
    }

    /// Renders the brazier without a parent, at its attached global transform.
    fn without_parent(
        &mut self,
        from: Vec3,
        at: Vec3,
        (bone, transform): (Entity, Transform),
    ) -> Picture {
        let bone = *self.stage.get::<GlobalTransform>(bone);
        let attached = self.stage.find::<AttachedToBone>(self.brazier).cloned();
        let mut brazier = self.stage.world().entity_mut(self.brazier);
        brazier.remove::<AttachedToBone>();
        brazier.insert((bone * transform).compute_transform());
        let picture = self.render(from, at);
        let mut brazier = self.stage.world().entity_mut(self.brazier);
        brazier.insert((attached.unwrap(), transform));
        picture
    }

    fn without(&mut self, from: Vec3, at: Vec3) -> Picture {
        let set_visibility = |stage: &mut Stage, visibility: Visibility, brazier: Entity| {
            stage.insert(brazier, visibility);
        };
        set_visibility(&mut self.stage, Visibility::Hidden, self.brazier);
        let picture = self.render(from, at);
        set_visibility(&mut self.stage, Visibility::Inherited, self.brazier);
        picture
    }
}

#[test]
fn brazier_on_a_bone_of_a_lithtech_model_is_drawn() {
    let files = [
        "models/warden.abc",
        "skins/warden.dtx",
        "models/brazier.mdl",
    ];
    let mut stage = Stage::new(&files.map(sample));
    let play = PlayClip::looping("walk");
    let root = stage.spawn_abc("warden.abc", AbcLoaderSettings::default(), play);
    let hand = stage.get::<AbcInstance>(root);
    let hand = hand.node("L_Hand").unwrap();
    let transform = Transform::from_xyz(0.0, -4.0, 0.0).with_scale(Vec3::splat(0.6));
    let mut bearer = Bearer::new(stage, root, "l_hand", transform);
    assert!(bearer.stage.find::<MdlInstance>(bearer.brazier).is_some());
    bearer.check("a warden", (110.0, 38.0), (hand, transform));
    assert!(bearer.stage.exists(bearer.root));
}

#[test]
fn brazier_on_a_bone_of_an_alamo_model_is_drawn() {
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
    let bone = stage.get::<AloInstance>(root);
    let bone = bone.bone("HP_TURRET").unwrap();
    // The up axis of the model is Z, and that of the brazier is Y.
    let up = Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
    let transform = Transform::from_rotation(up).with_scale(Vec3::splat(0.12));
    let mut bearer = Bearer::new(stage, root, "hp_turret", transform);
    bearer.check("a walker", (24.0, 7.0), (bone, transform));
}
