//! Rendered members of crowds, compared with the same models as scenes.
//!
//! Blended parts are hidden: a crowd sorts those of one material as one mesh, so their order may differ. Lights, proxies
//! and dazzles are hidden because a crowd has none.

use crate::crowd::abc_render::WARDEN;
use crate::crowd::stage_pair::{StagePair, sample_files};
use crate::support::prelude::*;

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
    let clips = [("MOVE_00", 0.2), ("MOVE_00", 0.4567), ("ATTACK_00", 0.71)];
    let pictures = walker.compare_clips(&mut stage, &clips);
    pictures[0].assert_differs(&pictures[1], "two times of a clip");
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
    for name in hulls.filter(|name| name.starts_with("Hull")) {
        hidden.hide(name);
    }
    walker.insert(&mut stage, hidden);
    let without = walker.compare(&mut stage, "without its hull");
    assert!(without.different(&red) > 100, "a part is hidden");
    walker.insert(&mut stage, not_compared.clone());

    walker.compare_fade(&mut stage, "MOVE_00", [0.2, 0.25], 100);
    walker.show(&mut stage, "MOVE_00", 0.5);
    let unlayered = walker.compare(&mut stage, "without a layer");
    let layer = PlayClip::once("ATTACK_00")
        .starting_at(0.71)
        .with_speed(0.0);
    let layers = ClipLayers::new([ClipLayer::new(layer).with_mask(BoneMask::subtrees(["Turret"]))]);
    walker.insert(&mut stage, layers);
    let layered = walker.compare(&mut stage, "with a layer");
    assert!(layered.different(&unlayered) > 100, "the layer is shown");
    walker.insert(&mut stage, ClipLayers::default());
    walker.compare_shadows(&mut stage, 1000);
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
