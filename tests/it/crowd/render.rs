//! Rendered members of crowds, compared with the same models as scenes.
//!
//! Blended parts are hidden: a crowd sorts those of one material as one mesh, so their order may differ. Lights, proxies
//! and dazzles are hidden because a crowd has none.

use crate::support::crowd::is_baking;
use crate::support::stage::{Picture, Stage, VIEWS};
use bevy::core_pipeline::prepass::{
    DeferredPrepass, DepthPrepass, MotionVectorPrepass, NormalPrepass,
};
use bevy::pbr::DefaultOpaqueRendererMethod;
use bevy::prelude::*;
use bevy_classic_models::alamo::{Alo, AloInstance, AloMaterial, AloModel};
use bevy_classic_models::prelude::*;
use std::path::Path;
use std::sync::Arc;

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

/// The sample models with their animations and textures, in one folder.
fn sample_files() -> Vec<(&'static str, Vec<u8>)> {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let folders = ["models", "textures"].map(|folder| assets.join(folder));
    let entries = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let mut files: Vec<_> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            let extension = path.extension().unwrap_or_default();
            ["alo", "ala", "dds", "tga"]
                .iter()
                .any(|known| extension == *known)
        })
        .map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (&*name.leak(), std::fs::read(path).unwrap())
        })
        .collect();
    files.sort();
    files
}

/// The same model as a scene and as a member of a crowd, at one place.
struct Pair {
    scene: Entity,
    crowd: Entity,
    model: Arc<AloModel>,
    /// Hides everything that is not compared.
    hidden: PartVisibility,
}

impl Pair {
    fn spawn(stage: &mut Stage, path: &'static str, placed: Transform) -> Self {
        let server = stage.world().resource::<AssetServer>().clone();
        let alo: Handle<Alo> = server.load(path);
        stage.headless.wait_until("the model is loaded", |_| {
            server.is_loaded_with_dependencies(&alo)
        });
        let models = stage.world().resource::<Assets<Alo>>();
        let model = models.get(&alo).unwrap().model.clone();
        let hidden = not_compared(stage.world(), &model);
        let mut spawn = |label: &str| {
            let scene = server.load::<WorldAsset>(format!("{path}#{label}"));
            let bundle = (
                WorldAssetRoot(scene),
                placed,
                hidden.clone(),
                Visibility::Hidden,
            );
            stage.world().spawn(bundle).id()
        };
        let (scene, crowd) = (spawn("Scene"), spawn("Crowd"));
        stage.headless.wait_until("both are spawned", |world| {
            let is_spawned = |root| world.get::<AloInstance>(root).is_some();
            is_spawned(scene) && is_spawned(crowd)
        });
        Self {
            scene,
            crowd,
            model,
            hidden,
        }
    }

    fn insert<B: Bundle + Clone>(&self, stage: &mut Stage, bundle: B) {
        for root in [self.scene, self.crowd] {
            stage.world().entity_mut(root).insert(bundle.clone());
        }
    }

    /// Shows a clip at a time in seconds, and waits until it is baked.
    fn show(&self, stage: &mut Stage, clip: &str, seconds: f32) {
        let play = PlayClip::once(clip).starting_at(seconds).with_speed(0.0);
        self.insert(stage, play);
        self.wait(stage);
    }

    fn wait(&self, stage: &mut Stage) {
        let crowd = self.crowd;
        stage.headless.step(0.0);
        stage
            .headless
            .wait_until("the clip is baked", |world| !is_baking(world, crowd));
    }

    /// Captures the scene and the crowd.
    fn capture(&self, stage: &mut Stage) -> [Picture; 2] {
        [self.scene, self.crowd].map(|root| {
            stage.world().entity_mut(root).insert(Visibility::Inherited);
            let picture = stage.capture();
            stage.world().entity_mut(root).insert(Visibility::Hidden);
            picture
        })
    }

    /// Asserts that both are drawn in the same way. Returns the picture.
    #[track_caller]
    fn compare(&self, stage: &mut Stage, what: &str) -> Picture {
        let [scene, crowd] = self.capture(stage);
        crowd.assert_matches(&scene, what);
        crowd
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

/// Adds a ground that receives shadows, and a light that casts them. Returns the light.
fn add_shadows(stage: &mut Stage) -> Entity {
    let ground = Plane3d::default().mesh().size(300.0, 300.0).build();
    let ground = stage.world().resource_mut::<Assets<Mesh>>().add(ground);
    let gray = StandardMaterial::from_color(Color::srgb(0.7, 0.7, 0.7));
    let gray = stage.add_material(gray);
    stage
        .world()
        .spawn((Mesh3d(ground), gray, Transform::from_xyz(0.0, -5.0, 0.0)));
    let light = (
        DirectionalLight {
            illuminance: 8_000.0,
            shadow_maps_enabled: true,
            ..default()
        },
        Transform::from_xyz(70.0, 60.0, 10.0).looking_at(Vec3::ZERO, Vec3::Y),
    );
    stage.world().spawn(light).id()
}

fn set_shadows(stage: &mut Stage, light: Entity, is_enabled: bool) {
    let mut light = stage.world().get_mut::<DirectionalLight>(light).unwrap();
    light.shadow_maps_enabled = is_enabled;
}

#[test]
fn crowd_is_drawn_as_its_scene() {
    let mut stage = Stage::new(&sample_files());
    let walker = Pair::spawn(&mut stage, "walker.alo", WALKER);
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
    for lod in 0..walker.model.lods.len() as u32 {
        for damage in 0..=walker.model.max_damage_stage {
            walker.insert(&mut stage, (ModelLod(lod), DamageStage(damage)));
            walker.compare(&mut stage, &format!("lod {lod}, damage {damage}"));
        }
    }
    walker.insert(&mut stage, (ModelLod(0), DamageStage(0)));
    let mut hidden = walker.hidden.clone();
    let hulls = walker.model.meshes.iter().map(|mesh| &*mesh.name);
    hulls
        .filter(|name| name.starts_with("Hull"))
        .for_each(|name| {
            hidden.hide(name);
        });
    walker.insert(&mut stage, hidden);
    let without = walker.compare(&mut stage, "without its hull");
    assert!(without.different(&red) > 100, "a part is hidden");
    walker.insert(&mut stage, walker.hidden.clone());

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
    let crates = Pair::spawn(&mut stage, "crate.alo", CRATE);
    crates.compare(&mut stage, "crate with shadows and prepasses");
}

#[test]
fn crowd_is_drawn_as_its_scene_by_the_deferred_renderer() {
    let mut stage = Stage::new(&sample_files());
    stage
        .world()
        .insert_resource(DefaultOpaqueRendererMethod::deferred());
    stage.camera().insert((DepthPrepass, DeferredPrepass));
    let walker = Pair::spawn(&mut stage, "walker.alo", WALKER);
    walker.insert(&mut stage, RED);
    walker.show(&mut stage, "ATTACK_00", 0.6);
    walker.compare(&mut stage, "deferred");
}
