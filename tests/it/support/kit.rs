//! A model of each format with all that it names: textures, a clip, a proxy's model, a skin, a palette.

use super::abc::{bytes, figure};
use super::alo::minimal;
use super::alo_stage::{quarters, tga};
use super::app::TestApp;
use super::fixtures::tetrahedron;
use bevy::asset::LoadState;
use bevy::asset::meta::Settings;
use bevy::prelude::*;
use bevy_classic_models::alamo::AloMaterial;
use bevy_classic_models::alamo::ala::write::{self as ala, AlaDocument, BoneTracks, Vectors};
use bevy_classic_models::alamo::alo::{Parameter, Proxy, parse, write::write};
use bevy_classic_models::alamo::{Alo, AloInstance, AloLoaderSettings, AloProxy};
use bevy_classic_models::lgw::{Lgw, LgwInstance, LgwLoaderSettings};
use bevy_classic_models::lithtech::dtx::write::{self as dtx, DtxDocument};
use bevy_classic_models::lithtech::{Abc, AbcInstance, AbcLoaderSettings};
use bevy_classic_models::prelude::*;
use bevy_classic_models::quake::MdlAnimator;

/// The models' paths: an Alamo model, and one of LithTech, of UFO: Aftermath and of Quake.
pub const MODELS: [&str; 4] = [
    "art/Models/Unit.alo",
    "rez/MODELS/Hero.abc",
    "tactical/wall.lgw",
    "progs/ogre.mdl",
];

/// What the models name, as they name it, under the names that the disk has.
pub const NAMED: [(&str, &str); 6] = [
    (r"W:\Work\HULL.dds", "art/TEXTURES/Hull.TGA"),
    ("MOVE_00", "art/Models/unit_Move_00.ALA"),
    ("Turret", "art/Models/TURRET.Alo"),
    ("", "rez/Skins/hero.DTX"),
    (r"Textures\Paint.tga", "TEXTURES/paint.TGA"),
    ("GFX/Palette.lmp", "gfx/PALETTE.lmp"),
];

/// The colour of index 14 in the palette.
const COLOR: [u8; 3] = [10, 200, 30];

/// All files, by path.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let picture = tga(&quarters([255; 4]));
    let skin = DtxDocument::indexed(8, 8, &[[255, 0, 0]], &[0; 64]);
    let contents = [
        picture.clone(),
        clip(),
        minimal(),
        dtx::write(&skin).unwrap(),
        picture,
        [COLOR; 256].as_flattened().to_vec(),
    ];
    let models = [
        unit(NAMED[0].0, NAMED[2].0),
        bytes(&figure()),
        wall(NAMED[4].0).into(),
        tetrahedron().to_bytes(),
    ];
    let models = MODELS.into_iter().zip(models);
    let named = NAMED.into_iter().map(|(_, path)| path).zip(contents);
    let all = models.chain(named);
    all.map(|(path, bytes)| (path.to_owned(), bytes)).collect()
}

/// An Alamo model with a texture and a proxy.
pub fn unit(texture: &str, proxy: &str) -> Vec<u8> {
    let bytes = minimal();
    let mut file = parse(&bytes).unwrap();
    let submesh = &mut file.meshes[0].submeshes[0];
    submesh.parameters = vec![Parameter::texture("BaseTexture", texture)];
    submesh.shader = "MeshOfTomorrow.fx".into();
    file.proxies = vec![Proxy {
        name: proxy.into(),
        bone: 0,
        hidden: None,
        alt_decrease_stay_hidden: None,
    }];
    write(&file).unwrap()
}

/// The root goes along X.
pub fn clip() -> Vec<u8> {
    let mut root = BoneTracks::new("Root", 0, [0.0; 3]);
    root.translation = Vectors::from_frames(&[[0.0; 3], [1.0, 0.0, 0.0]]);
    let document = AlaDocument {
        version: 2,
        frames: 2,
        fps: 1.0,
        bones: vec![root],
    };
    ala::write(&document).unwrap()
}

/// A text model that wears a picture.
pub fn wall(texture: &str) -> String {
    format!(
        r#"MODEL "wall"
  EXPORT_VERSION 4
  MATERIAL_LIST
    MATERIAL 0 "paint"
      TEXTURE 0 FILE_NAME "{texture}" U_WRAP V_WRAP END_OF_TEXTURE
    END_OF_MATERIAL
  END_OF_MATERIAL_LIST
  MESH "wall"
    MATERIAL_REF 0
    VERTS 3
      0 0 0 0 0 0 0 1
      1 0 0 1 0 0 0 1
      0 1 0 0 1 0 0 1
    PRIMITIVE_GEOMETRY_GROUPS 1
      GROUP 0 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 0
  END_OF_MESH "wall"
END_OF_MODEL
"#
    )
}

/// Loads and spawns all models of a source (`""`, or as `mods://`), and lists the asset paths of all that
/// was found, without the source. The clip has to play and the palette to colour.
///
/// # Panics
/// If a model or what it names is not there.
pub fn spawn_all(app: &mut TestApp, source: &str) -> Vec<String> {
    let mut found = alamo(app, source);
    found.extend(lithtech(app, source));
    found.extend(aftermath(app, source));
    quake(app, source);
    let local = |path: String| path.strip_prefix(source).map(str::to_owned);
    found
        .into_iter()
        .map(|path| local(path).expect("it is of the model's source"))
        .collect()
}

/// Where all that the models name is, as [`spawn_all`] lists it. The palette's path is told nowhere.
pub fn expected() -> Vec<String> {
    let paths = NAMED[..5].iter().map(|(_, path)| (*path).to_owned());
    paths.collect()
}

/// Loads a model with settings.
fn load<A: Asset, S: Settings + Default>(
    app: &mut TestApp,
    path: String,
    settings: impl Fn(&mut S) + Send + Sync + 'static,
) -> Handle<A> {
    let server = app.world().resource::<AssetServer>();
    let model = server.load_builder().with_settings(settings).load(&path);
    let state = app.finish_load(&model);
    assert!(matches!(state, LoadState::Loaded), "{path}: {state:?}");
    model
}

/// Spawns the scene of a model, and waits until something is true of the root.
fn spawn(
    app: &mut TestApp,
    scene: Handle<bevy::world_serialization::WorldAsset>,
    bundle: impl Bundle,
    is_there: impl Fn(&World, Entity) -> bool,
) -> Entity {
    let root = app.world().spawn((WorldAssetRoot(scene), bundle)).id();
    let there = crate::gpuless::wait_until(&mut app.app, |world| is_there(world, root));
    assert!(there, "it was not spawned");
    root
}

fn get<A: Asset + Clone>(app: &mut TestApp, handle: &Handle<A>) -> A {
    let assets = app.world().resource::<Assets<A>>();
    assets.get(handle).expect("it is loaded").clone()
}

fn alamo(app: &mut TestApp, source: &str) -> Vec<String> {
    let path = format!("{source}{}", MODELS[0]);
    let set = |settings: &mut AloLoaderSettings| settings.load_proxies = true;
    let alo: Handle<Alo> = load(app, path, set);
    let Alo { scene, model } = get(app, &alo);
    let material = model.meshes[0].submeshes[0].material.clone().unwrap();
    let material: AloMaterial = get(app, &material);
    let texture = material.base.base_color_texture.unwrap();
    let clip = model.animation(NAMED[1].0).expect("the clip is found");
    let turret = model.proxies[0].model.clone().expect("the proxy's model");

    // Its clip plays, and its proxy's model stands on it.
    let play = PlayClip::once(NAMED[1].0).starting_at(0.5).paused();
    let root = spawn(app, scene, play, |world, root| {
        let instance = world.get::<AloInstance>(root);
        let bone = instance.and_then(|instance| instance.bone("root"));
        let place = bone.and_then(|bone| world.get::<Transform>(bone));
        place.is_some_and(|place| (place.translation.x - 0.5).abs() < 1e-4)
    });
    let brought = crate::gpuless::wait_until(&mut app.app, |world| {
        let mut proxies = world.query::<(&AloProxy, Has<AloInstance>)>();
        proxies.iter(world).any(|(_, has_model)| has_model)
    });
    assert!(brought, "the proxy's model stands");
    app.world().entity_mut(root).despawn();
    let texture = texture.path().unwrap().to_string();
    vec![
        texture,
        clip.ala.path().unwrap().to_string(),
        turret.to_string(),
    ]
}

fn lithtech(app: &mut TestApp, source: &str) -> Vec<String> {
    let path = format!("{source}{}", MODELS[1]);
    let abc: Handle<Abc> = load(app, path, |_: &mut AbcLoaderSettings| {});
    let Abc { scene, model } = get(app, &abc);
    let image = model.skins[0].image.clone();
    let texels = get(app, &image).data.unwrap();
    assert_eq!(texels[..3], [255, 0, 0]);
    let is_there = |world: &World, root| world.get::<AbcInstance>(root).is_some();
    spawn(app, scene, (), is_there);
    vec![image.path().unwrap().to_string()]
}

fn aftermath(app: &mut TestApp, source: &str) -> Vec<String> {
    let path = format!("{source}{}", MODELS[2]);
    let lgw: Handle<Lgw> = load(app, path, |_: &mut LgwLoaderSettings| {});
    let Lgw { scene, model } = get(app, &lgw);
    let material = get(app, &model.materials[0].material);
    let picture = material.pictures[0].as_ref().unwrap();
    let picture = picture.path().expect("the picture is found").clone();
    let is_there = |world: &World, root| world.get::<LgwInstance>(root).is_some();
    spawn(app, scene, (), is_there);
    vec![picture.without_label().to_string()]
}

fn quake(app: &mut TestApp, source: &str) {
    let path = format!("{source}{}", MODELS[3]);
    // Games may lie in a folder of their source.
    let folder = source.split_once("://").map_or("", |(_, folder)| folder);
    let folder = folder.to_owned();
    let set = move |settings: &mut MdlLoaderSettings| {
        settings.palette = Some(NAMED[5].0.into());
        settings.texture_folders = vec![folder.clone()];
    };
    let mdl: Handle<Mdl> = load(app, path, set);
    let Mdl { scene, model } = get(app, &mdl);
    let texels = get(app, &model.skins[0].pictures[0].image).data.unwrap();
    assert_eq!(texels[..3], COLOR, "the palette is found");
    let is_there = |world: &World, root| world.get::<MdlAnimator>(root).is_some();
    spawn(app, scene, (), is_there);
}
