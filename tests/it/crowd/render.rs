//! Rendered members of crowds, compared with the same models as scenes.
//!
//! Blended parts are hidden: a crowd sorts those of one material as one mesh, so their order may differ. Lights, proxies
//! and dazzles are hidden because a crowd has none.

use crate::crowd::abc_render::WARDEN;
use crate::crowd::stage_pair::{StagePair, add_shadows, sample_files, set_shadows};
use crate::support::prelude::*;
use crate::support::stage::VIEWS;
use bevy::core_pipeline::prepass::{
    DeferredPrepass, DepthPrepass, MotionVectorPrepass, NormalPrepass,
};
use bevy::pbr::DefaultOpaqueRendererMethod;
use bevy_classic_models::alamo::AloModel;

const RED: TeamColor = TeamColor(Color::srgb(0.9, 0.1, 0.1));

/// The transform of a walker that fills the view.
const WALKER: Transform = Transform {
    translation: Vec3::new(0.0, -20.0, 0.0),
    rotation: Quat::IDENTITY,
    scale: Vec3::splat(3.5),
};

/// The same of a crate.
const CRATE: Transform = Transform {
    translation: Vec3::new(0.0, -4.0, 0.0),
    rotation: Quat::IDENTITY,
    scale: Vec3::splat(6.0),
};

/// A model whose blended parts, lights, proxies and dazzles are hidden.
struct Compared {
    pair: StagePair,
    model: Arc<AloModel>,
    /// Hides everything that is not compared.
    hidden: PartVisibility,
}

impl Compared {
    fn spawn(stage: &mut Stage, path: &'static str, placed: Transform) -> Self {
        let pair = StagePair::spawn(stage, path, placed);
        let instance = stage.get::<AloInstance>(pair.scene);
        let model = instance.model().clone();
        let hidden = not_compared(stage.world(), &model);
        pair.insert(stage, hidden.clone());
        Self {
            pair,
            model,
            hidden,
        }
    }
}

/// Hides blended meshes, lights, proxies and dazzles.
fn not_compared(world: &World, model: &AloModel) -> PartVisibility {
    let materials = world.resource::<Assets<AloMaterial>>();
    let mut hidden = PartVisibility::default();
    for mesh in &model.meshes {
        let mut materials = mesh.submeshes.iter().filter_map(|submesh| {
            let material = materials.get(submesh.material.as_ref()?)?;
            Some(material.base.alpha_mode)
        });
        let is_blended =
            materials.any(|mode| !matches!(mode, AlphaMode::Opaque | AlphaMode::Mask(_)));
        if is_blended {
            hidden.hide(&mesh.name);
        }
    }
    for light in &model.lights {
        hidden.hide(&light.name);
    }
    for proxy in &model.proxies {
        hidden.hide(&proxy.proxy.name);
    }
    for dazzle in &model.dazzles {
        hidden.hide(&dazzle.name);
    }
    hidden
}

#[test]
fn crowd_is_drawn_as_its_scene() {
    let mut stage = Stage::new(&sample_files());
    let Compared {
        pair: walker,
        model,
        hidden: not_compared,
    } = Compared::spawn(&mut stage, "walker.alo", WALKER);
    let rest = walker.compare(&mut stage, "walker at rest");
    let mut pictures = Vec::new();
    for (clip, seconds) in [("MOVE_00", 0.2), ("MOVE_00", 0.4567), ("ATTACK_00", 0.71)] {
        walker.show(&mut stage, clip, seconds);
        let what = format!("walker {clip} at {seconds}");
        pictures.push(walker.compare(&mut stage, &what));
    }
    rest.assert_differs(&pictures[0], "the clip moves it");
    pictures[0].assert_differs(&pictures[1], "two times of a clip");
    stage.move_camera(VIEWS[1]);
    walker.compare(&mut stage, "from another side");
    stage.move_camera(VIEWS[0]);

    // Components of the root.
    walker.insert(&mut stage, RED);
    let red = walker.compare(&mut stage, "in a team color");
    assert!(red.different(&pictures[2]) > 100, "the team color is shown");
    for lod in 0..model.lods.len() as u32 {
        for damage in 0..=model.max_damage_stage {
            walker.insert(&mut stage, (ModelLod(lod), DamageStage(damage)));
            walker.compare(&mut stage, &format!("lod {lod}, damage {damage}"));
        }
    }
    walker.insert(&mut stage, (ModelLod(0), DamageStage(0)));
    let mut hidden = not_compared.clone();
    let hulls = model.meshes.iter().map(|mesh| &*mesh.name);
    hulls
        .filter(|name| name.starts_with("Hull"))
        .for_each(|name| {
            hidden.hide(name);
        });
    walker.insert(&mut stage, hidden);
    let without = walker.compare(&mut stage, "without its hull");
    assert!(without.different(&red) > 100, "a part is hidden");
    walker.insert(&mut stage, not_compared.clone());

    // A cross-fade between poses that are near each other: blends of matrices and of rotations then agree.
    walker.show(&mut stage, "MOVE_00", 0.2);
    let before = walker.compare(&mut stage, "before a cross-fade");
    let fade = PlayClip::once("MOVE_00").starting_at(0.25).with_speed(0.0);
    walker.insert(&mut stage, fade.with_fade(1.0));
    stage.headless.step(0.0);
    stage.headless.step(0.6);
    let during = walker.compare(&mut stage, "in a cross-fade");
    stage.headless.step(0.6);
    let after = walker.compare(&mut stage, "after a cross-fade");
    assert!(during.different(&before) > 100 && during.different(&after) > 100);

    // Shadows and prepasses.
    let light = add_shadows(&mut stage);
    walker.show(&mut stage, "MOVE_00", 0.5);
    let shadow = walker.compare(&mut stage, "with shadows");
    set_shadows(&mut stage, light, false);
    let flat = walker.compare(&mut stage, "without shadows");
    assert!(shadow.different(&flat) > 1000, "it casts a shadow");
    set_shadows(&mut stage, light, true);
    let prepasses = (DepthPrepass, NormalPrepass, MotionVectorPrepass);
    stage.camera().insert(prepasses);
    walker.compare(&mut stage, "with prepasses");
    walker.insert(&mut stage, Transform::from_scale(Vec3::ZERO));
    let crates = Compared::spawn(&mut stage, "crate.alo", CRATE).pair;
    crates.compare(&mut stage, "crate with shadows and prepasses");
}

#[test]
fn crowds_are_drawn_as_their_scenes_by_the_deferred_renderer() {
    let mut stage = Stage::new(&sample_files());
    let world = stage.world();
    world.insert_resource(DefaultOpaqueRendererMethod::deferred());
    stage.camera().insert((DepthPrepass, DeferredPrepass));
    let walker = Compared::spawn(&mut stage, "walker.alo", WALKER).pair;
    walker.insert(&mut stage, RED);
    walker.show(&mut stage, "ATTACK_00", 0.6);
    walker.compare(&mut stage, "walker, deferred");
    walker.insert(&mut stage, Transform::from_scale(Vec3::ZERO));
    let warden = StagePair::spawn(&mut stage, "warden.abc", WARDEN);
    warden.show(&mut stage, "attack", 0.6);
    warden.compare(&mut stage, "warden, deferred");
}
