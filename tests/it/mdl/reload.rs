//! MDL files that change while they are in use, in a folder with Bevy's file watcher.

use crate::support::mdl::figure;
use crate::support::prelude::*;

const FILE: &str = "watched.mdl";
const COLORS: PlayerColors = PlayerColors {
    shirt: 4,
    pants: 13,
};

/// The figure with its frames in another order, so that every clip has other poses, and with another skin.
fn edited() -> MdlDocument {
    let mut document = figure(Precision::Bits8);
    document.frames.rotate_left(4);
    document.frames.push(document.frames[4].clone());
    if let Some(FrameDocument::Single(pose)) = document.frames.last_mut() {
        pose.name[3] = b'5';
    }
    document.skins.swap(0, 1);
    document
}

fn model(stage: &mut Stage, root: Entity) -> Arc<MdlModel> {
    let animator = stage.get::<MdlInstance>(root);
    animator.model().clone()
}

fn wait_for_another(stage: &mut Stage, root: Entity, old: &Arc<MdlModel>) {
    stage.wait_for("the edit is applied", |world| {
        !Arc::ptr_eq(world.get::<MdlInstance>(root).unwrap().model(), old)
    });
}

fn errors_about_the_file() -> usize {
    let errors = log::errors_of(&["bevy_asset"]);
    errors.iter().filter(|text| text.contains(FILE)).count()
}

#[test]
fn an_edit_applies_and_a_broken_file_keeps_the_model() {
    let before: &MdlDocument = Box::leak(Box::new(figure(Precision::Bits8)));
    let after: &MdlDocument = Box::leak(Box::new(edited()));
    let mut stage = Stage::watching(&[(FILE, before.to_bytes())]);
    let path = stage.folder().join(FILE);
    let bundle = || (PlayClip::looping("run"), ModelSkin::Index(1), COLORS);
    let root = stage.spawn("watched.mdl#Scene", bundle());
    let other = stage.spawn("watched.mdl#Scene", PlayClip::looping("die"));
    stage.insert(other, Visibility::Hidden);
    for _ in 0..5 {
        stage.headless.step(0.07);
    }
    let control = |document: &'static MdlDocument, a: u32, b: u32, towards_b: f32| Control {
        skin_image: (1, 0),
        colors: Some(COLORS),
        ..Control::new(document, pose_blend(a, b, towards_b))
    };
    let shown = stage.capture();
    let expected = stage.capture_control(root, control(before, 3, 0, 0.5));
    shown.assert_matches(&expected, "before the edit");

    // A valid edit: the time of the clip continues, and the other components are unchanged.
    let old = model(&mut stage, root);
    std::fs::write(&path, after.to_bytes()).unwrap();
    wait_for_another(&mut stage, root, &old);
    let time = stage.get::<Playback>(root).time;
    assert!((time - 0.35).abs() < 1e-4, "{time}");
    let shown = stage.capture();
    // The clip now begins at pose 5 of the new file and is one pose longer.
    let expected = stage.capture_control(root, control(after, 8, 9, 0.5));
    shown.assert_matches(&expected, "after the edit");
    stage.headless.step(0.1);
    let time = stage.get::<Playback>(root).time;
    assert!((time - 0.45).abs() < 1e-4, "{time}");

    // A broken file: one error, and the model is unchanged.
    let old = model(&mut stage, root);
    let shown = stage.capture();
    assert_eq!(errors_about_the_file(), 0);
    std::fs::write(&path, &after.to_bytes()[..2000]).unwrap();
    stage.wait_for("the error is logged", |_| errors_about_the_file() > 0);
    stage.wait_until_idle();
    assert_eq!(
        errors_about_the_file(),
        1,
        "{:?}",
        log::errors_of(&["bevy_asset"])
    );
    assert!(Arc::ptr_eq(&old, &model(&mut stage, root)));
    stage.assert_shows(&shown, "while the file is broken");
    stage.headless.step(0.05);
    stage.capture().assert_differs(&shown, "the clip continues");

    // Models spawned now have the last valid version.
    let late = stage.spawn("watched.mdl#Scene", ());
    assert!(Arc::ptr_eq(&old, &model(&mut stage, late)));
    stage.despawn(late);

    // The next valid version applies.
    std::fs::write(&path, before.to_bytes()).unwrap();
    wait_for_another(&mut stage, root, &old);
    stage.get_mut::<PlayClip>(root).paused = true;
    stage.get_mut::<Playback>(root).time = 0.05;
    let shown = stage.capture();
    let expected = stage.capture_control(root, control(before, 0, 1, 0.5));
    shown.assert_matches(&expected, "after the repair");
    assert_eq!(model(&mut stage, root).poses.pose_count(), 9);
    assert!(Arc::ptr_eq(
        &model(&mut stage, root),
        &model(&mut stage, other)
    ));
}
