//! A model of each format with all files that it refers to: textures, a clip, a proxy's model, a skin, a palette.

use super::abc::{bytes, figure};
use crate::support::prelude::*;
use bevy::asset::meta::Settings;
use bevy_classic_models::alamo::ala::write as ala;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Proxy, parse};
use bevy_classic_models::lithtech::dtx::write as dtx;

/// The paths of the models: Alamo, LithTech, UFO: Aftermath, and Quake.
pub const MODELS: [&str; 4] = [
    "art/Models/Unit.alo",
    "rez/MODELS/Hero.abc",
    "tactical/wall.lgw",
    "progs/ogre.mdl",
];

/// The files that the models refer to: the name in the model, and the path of the file.
pub const REFERENCES: [(&str, &str); 6] = [
    (r"W:\Work\HULL.dds", "art/TEXTURES/Hull.TGA"),
    ("MOVE_00", "art/Models/unit_Move_00.ALA"),
    ("Turret", "art/Models/TURRET.Alo"),
    ("", "rez/Skins/hero.DTX"),
    (r"Textures\Paint.tga", "TEXTURES/paint.TGA"),
    ("GFX/Palette.lmp", "gfx/PALETTE.lmp"),
];

/// All colors of the palette.
const COLOR: [u8; 3] = [10, 200, 30];

/// All files with their paths.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let image = tga(&quarters([255; 4]));
    let skin = DtxDocument::indexed(8, 8, &[[255, 0, 0]], &[0; 64]);
    let contents = [
        image.clone(),
        clip(),
        minimal(),
        dtx::write(&skin).unwrap(),
        image,
        [COLOR; 256].as_flattened().to_vec(),
    ];
    let models = [
        unit(REFERENCES[0].0, REFERENCES[2].0),
        bytes(&figure()),
        wall(REFERENCES[4].0).into(),
        tetrahedron().to_bytes(),
    ];
    let models = MODELS.into_iter().zip(models);
    let references = REFERENCES.into_iter().map(|(_, path)| path).zip(contents);
    let all = models.chain(references);
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

/// A clip that moves the root bone along X.
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

/// An LGW model with a texture.
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

/// Loads and spawns all models of a source (`""`, or such as `mods://`). Asserts that the clip plays and the palette is
/// used. Returns the paths of the found files without the source.
///
/// # Panics
/// If a model or a file that it refers to is not found.
pub fn spawn_all(app: &mut TestApp, source: &str) -> Vec<String> {
    let mut found = alamo(app, source);
    found.extend(lithtech(app, source));
    found.extend(aftermath(app, source));
    quake(app, source);
    let local = |path: String| path.strip_prefix(source).map(str::to_owned);
    found
        .into_iter()
        .map(|path| local(path).expect("a path in the model's source"))
        .collect()
}

/// The expected result of [`spawn_all`]. No API returns the path of the palette.
pub fn expected() -> [String; 5] {
    [0, 1, 2, 3, 4].map(|index| REFERENCES[index].1.to_owned())
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

/// Spawns the scene of a model, and waits for a condition on the root.
fn spawn(
    app: &mut TestApp,
    scene: Handle<bevy::world_serialization::WorldAsset>,
    bundle: impl Bundle,
    is_ready: impl Fn(&World, Entity) -> bool,
) -> Entity {
    let root = app.world().spawn((WorldAssetRoot(scene), bundle)).id();
    let ready = crate::gpuless::wait_until(&mut app.app, |world| is_ready(world, root));
    assert!(ready, "the model was not spawned");
    root
}

fn get<A: Asset + Clone>(app: &mut TestApp, handle: &Handle<A>) -> A {
    let assets = app.world().resource::<Assets<A>>();
    assets.get(handle).expect("a loaded asset").clone()
}

fn alamo(app: &mut TestApp, source: &str) -> Vec<String> {
    let path = format!("{source}{}", MODELS[0]);
    let set = |settings: &mut AloLoaderSettings| settings.load_proxies = true;
    let alo: Handle<Alo> = load(app, path, set);
    let Alo { scene, model, .. } = get(app, &alo);
    let material = model.meshes[0].submeshes[0].material.clone().unwrap();
    let material: AloMaterial = get(app, &material);
    let texture = material.base.base_color_texture.unwrap();
    let clip = model.animation(REFERENCES[1].0).expect("a clip");
    let turret = model.proxies[0]
        .model
        .clone()
        .expect("the model of the proxy");

    // The clip plays, and the proxy's model is spawned.
    let play = PlayClip::once(REFERENCES[1].0).starting_at(0.5).paused();
    let root = spawn(app, scene, play, |world, root| {
        let instance = world.get::<AloInstance>(root);
        let bone = instance.and_then(|instance| instance.bone("root"));
        let transform = bone.and_then(|bone| world.get::<Transform>(bone));
        transform.is_some_and(|transform| (transform.translation.x - 0.5).abs() < 1e-4)
    });
    let has_proxy_model = crate::gpuless::wait_until(&mut app.app, |world| {
        let mut proxies = world.query::<(&AloProxy, Has<AloInstance>)>();
        proxies.iter(world).any(|(_, has_model)| has_model)
    });
    assert!(has_proxy_model, "the proxy's model was not spawned");
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
    let Abc { scene, model, .. } = get(app, &abc);
    let image = model.skins[0].image.clone();
    let texels = get(app, &image).data.unwrap();
    assert_eq!(texels[..3], [255, 0, 0]);
    let is_spawned = |world: &World, root| world.get::<AbcInstance>(root).is_some();
    spawn(app, scene, (), is_spawned);
    vec![image.path().unwrap().to_string()]
}

fn aftermath(app: &mut TestApp, source: &str) -> Vec<String> {
    let path = format!("{source}{}", MODELS[2]);
    let lgw: Handle<Lgw> = load(app, path, |_: &mut LgwLoaderSettings| {});
    let Lgw { scene, model, .. } = get(app, &lgw);
    let material = get(app, &model.materials[0].material);
    let texture = material.textures[0].as_ref().unwrap();
    let texture = texture.path().expect("a texture with a path").clone();
    let is_spawned = |world: &World, root| world.get::<LgwInstance>(root).is_some();
    spawn(app, scene, (), is_spawned);
    vec![texture.without_label().to_string()]
}

fn quake(app: &mut TestApp, source: &str) {
    let path = format!("{source}{}", MODELS[3]);
    // A game may be in a folder of its source.
    let folder = source.split_once("://").map_or("", |(_, folder)| folder);
    let folder = folder.to_owned();
    let set = move |settings: &mut MdlLoaderSettings| {
        settings.palette = Some(REFERENCES[5].0.into());
        settings.texture_folders = vec![folder.clone()];
    };
    let mdl: Handle<Mdl> = load(app, path, set);
    let Mdl { scene, model, .. } = get(app, &mdl);
    let texels = get(app, &model.skins[0].images[0].image).data.unwrap();
    assert_eq!(texels[..3], COLOR, "the palette is found");
    let is_spawned = |world: &World, root| world.get::<MdlInstance>(root).is_some();
    spawn(app, scene, (), is_spawned);
}
