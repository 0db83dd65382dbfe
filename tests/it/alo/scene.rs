//! Spawned Alamo models: entities, meshes, proxies and settings.

use crate::support::alo::{clean, edited, flawed, span};
use crate::support::prelude::*;
use bevy::camera::visibility::DynamicSkinnedMeshBounds;
use bevy_classic_models::alamo::TeamColored;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Mesh as FileMesh, parse};

pub const FILE: &str = "model.alo";
pub const SCENE: &str = "model.alo#Scene";

/// Spawns a model that is loaded with changed settings.
pub fn spawn_with(
    app: &mut TestApp,
    path: &'static str,
    set: fn(&mut AloLoaderSettings),
) -> (Entity, Handle<Alo>) {
    let alo: Handle<Alo> = app.load_with(path, set);
    app.wait_loaded(&alo);
    let scene = app.asset(&alo).scene.clone();
    let root = app.spawn_entity(WorldAssetRoot(scene));
    app.wait_for(&[root]);
    (root, alo)
}

pub fn app(bytes: Vec<u8>) -> (TestApp, Entity) {
    log::listen();
    let mut app = TestApp::new(&[(FILE, bytes)]);
    let root = app.spawn_ready(SCENE, ());
    app.step(0.0);
    (app, root)
}

pub fn instance(app: &mut TestApp, root: Entity) -> &AloInstance {
    app.get::<AloInstance>(root)
}

pub fn model(app: &mut TestApp, root: Entity) -> Arc<AloModel> {
    instance(app, root).model().clone()
}

pub fn bone(app: &mut TestApp, root: Entity, index: usize) -> Entity {
    instance(app, root).bones()[index]
}

/// The entity of the part with a name.
pub fn part(app: &mut TestApp, root: Entity, name: &str) -> Entity {
    let parts = instance(app, root).parts().to_vec();
    let found = parts
        .iter()
        .find(|part| app.get::<AloPart>(**part).name == name);
    *found.unwrap_or_else(|| panic!("no part {name}"))
}

pub fn get<C: Component + Clone>(app: &mut TestApp, entity: Entity) -> C {
    app.get::<C>(entity).clone()
}

fn parent(app: &mut TestApp, entity: Entity) -> Entity {
    app.get::<ChildOf>(entity).parent()
}

/// The entities of a mesh's sub-meshes.
fn submeshes(app: &mut TestApp, mesh: usize) -> Vec<(usize, Entity)> {
    let mut query = app.world().query::<(Entity, &AloSubmeshIndex)>();
    let matching = query
        .iter(app.app.world())
        .filter(|(_, index)| index.mesh == mesh);
    let mut found: Vec<_> = matching
        .map(|(entity, index)| (index.submesh, entity))
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn each_bone_is_an_entity_with_the_transform_of_the_file() {
    let bytes = clean();
    let file = parse(&bytes).unwrap();
    let (mut app, root) = app(bytes.clone());
    let first = bone(&mut app, root, 0);
    let scene_root = parent(&mut app, first);
    assert_eq!(parent(&mut app, scene_root), root);
    for (index, expected) in file.bones.iter().enumerate() {
        let entity = bone(&mut app, root, index);
        let name: Name = get(&mut app, entity);
        assert_eq!(name.as_str(), expected.name);
        let found: AloBone = get(&mut app, entity);
        assert_eq!(found.index, index);
        assert_eq!(
            (found.billboard, found.visible),
            (expected.billboard, expected.visible)
        );
        let expected_parent = expected
            .parent
            .map_or(scene_root, |parent| bone(&mut app, root, parent as usize));
        assert_eq!(parent(&mut app, entity), expected_parent);
        let own: BoneVisibility = get(&mut app, entity);
        assert_eq!(own.is_visible(), expected.visible);
        let visibility: Visibility = get(&mut app, entity);
        assert_eq!(visibility, Visibility::Inherited);
        let target: AnimationTargetId = get(&mut app, entity);
        assert_eq!(
            target,
            AnimationTargetId::from_iter(["alamo", &index.to_string()])
        );
        assert_eq!(target, bone_target(index));
        let matrix = get::<Transform>(&mut app, entity)
            .to_matrix()
            .transpose()
            .to_cols_array_2d();
        let billboard = app
            .find::<AloBillboard>(entity)
            .map(|billboard| billboard.mode);
        let mode = Billboard::from_raw(expected.billboard).filter(|mode| *mode != Billboard::None);
        assert_eq!(billboard, mode);
        if mode.is_some() {
            continue;
        }
        for (row, expected) in matrix.iter().zip(&expected.matrix) {
            for (value, expected) in row.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-5, "{name}: {matrix:?}");
            }
        }
    }
    // Z up becomes Y up, and the front −Y becomes +Z.
    let transform: Transform = get(&mut app, scene_root);
    let converted = transform.transform_point(Vec3::new(1.0, 2.0, 3.0));
    assert!(converted.abs_diff_eq(Vec3::new(1.0, 3.0, -2.0), 1e-5));
}

#[test]
fn meshes_are_children_of_bones_and_parents_of_sub_meshes() {
    let (mut app, root) = app(clean());
    let model = model(&mut app, root);
    for mesh in &model.meshes {
        let entity = part(&mut app, root, &mesh.name);
        assert_eq!(parent(&mut app, entity), bone(&mut app, root, mesh.bone));
    }
    let hull = part(&mut app, root, "Hull_LOD1");
    let drawn = submeshes(&mut app, 0);
    assert_eq!(drawn.len(), 2);
    for (index, entity) in drawn {
        assert_eq!(parent(&mut app, entity), hull);
        let mesh: Mesh3d = get(&mut app, entity);
        assert_eq!(Some(mesh.0), model.meshes[0].submeshes[index].mesh.clone());
        let material: MeshMaterial3d<AloMaterial> = get(&mut app, entity);
        assert_eq!(
            Some(material.0),
            model.meshes[0].submeshes[index].material.clone()
        );
        assert_eq!(
            app.world().entity(entity).contains::<TeamColored>(),
            index == 0
        );
    }
    // A sub-mesh that is not drawn has an entity only if it has a collision tree.
    let hulls = submeshes(&mut app, 3);
    assert_eq!(hulls.len(), 1);
    for (_, hull) in hulls {
        let hull = app.world().entity(hull);
        assert!(hull.contains::<AloCollider>());
        assert!(!hull.contains::<Mesh3d>());
        assert!(!hull.contains::<MeshMaterial3d<AloMaterial>>());
    }
    assert_eq!(
        submeshes(&mut app, 2).len(),
        0,
        "an empty mesh has no entity"
    );
    for mesh in [2, 3] {
        assert!(model.meshes[mesh].submeshes[0].material.is_none());
    }
    assert!(model.meshes[2].submeshes[0].mesh.is_none());
    assert!(model.meshes[3].submeshes[0].mesh.is_some());
    let tree = model.meshes[0].submeshes[0].tree.as_ref().unwrap();
    assert_eq!(tree.triangle_count(), 10);
    // A strip of five squares, 4 units apart.
    let bounds = tree.bounds().unwrap();
    assert!(bounds.min.abs_diff_eq(Vec3A::new(-2.0, 0.5, 0.0), 1e-4));
    assert!(bounds.max.abs_diff_eq(Vec3A::new(2.0, 0.5, 19.0), 1e-4));
}

#[test]
fn undrawn_mesh_without_a_collider_has_no_entity() {
    let bytes = edited(&clean(), |file| file.meshes[3].submeshes[0].tree = None);
    let (mut app, root) = app(bytes);
    assert_eq!(submeshes(&mut app, 3).len(), 0);
    assert!(model(&mut app, root).meshes[3].submeshes[0].mesh.is_some());
}

#[test]
fn skinned_sub_meshes_have_their_own_palette() {
    let (mut app, root) = app(clean());
    let model = model(&mut app, root);
    let skinned = submeshes(&mut app, 1);
    for ((_, entity), palette) in skinned.into_iter().zip([&[1, 2, 3, 4][..], &[2, 1]]) {
        let skin: SkinnedMesh = get(&mut app, entity);
        let joints: Vec<_> = palette
            .iter()
            .map(|index| bone(&mut app, root, *index))
            .collect();
        assert_eq!(skin.joints, joints);
        let poses = app.assets::<SkinnedMeshInverseBindposes>();
        let poses = poses.get(&skin.inverse_bindposes).unwrap();
        for (pose, index) in poses.iter().zip(palette) {
            let product = *pose * Mat4::from(model.bones[*index].bind_pose);
            assert!(product.abs_diff_eq(Mat4::IDENTITY, 1e-5));
        }
        assert!(
            app.world()
                .entity(entity)
                .contains::<DynamicSkinnedMeshBounds>()
        );
    }
}

/// The values of an attribute with four components.
#[track_caller]
fn float4(mesh: &Mesh, attribute: MeshVertexAttribute) -> &[[f32; 4]] {
    match mesh.attribute(attribute) {
        Some(VertexAttributeValues::Float32x4(values)) => values,
        other => panic!("{}: {other:?}", attribute.name),
    }
}

#[test]
fn vertices_keep_the_attributes_of_their_format() {
    let (mut app, root) = app(clean());
    let model = model(&mut app, root);
    let mesh = |mesh: usize, part: usize| {
        app.asset(model.meshes[mesh].submeshes[part].mesh.as_ref().unwrap())
    };
    // NU2U3U3: the sign of the tangent encodes whether the stored binormal is cross(N, T) or its negative.
    let hull = mesh(0, 0);
    let tangents = float4(hull, Mesh::ATTRIBUTE_TANGENT);
    // Normal −Y and tangent +X: the cross product is +Z, like the binormal.
    assert_eq!(tangents[0], [1.0, 0.0, 0.0, 1.0]);
    assert!(hull.attribute(Mesh::ATTRIBUTE_COLOR).is_none());
    assert!(hull.attribute(Mesh::ATTRIBUTE_UV_1).is_none());
    // NU2C.
    let wing = mesh(0, 1);
    assert!(wing.attribute(Mesh::ATTRIBUTE_TANGENT).is_none());
    let colors = float4(wing, Mesh::ATTRIBUTE_COLOR);
    // The file has sRGB colors, and Bevy uses linear colors.
    assert_eq!(
        colors[0],
        Color::srgb(1.0, 0.5, 0.25).to_linear().to_f32_array()
    );
    // Four weights, and one.
    for (part, expected) in [(0, [0.4, 0.3, 0.2, 0.1]), (1, [1.0, 0.0, 0.0, 0.0])] {
        let weights = float4(mesh(1, part), Mesh::ATTRIBUTE_JOINT_WEIGHT);
        for (weight, expected) in weights[0].iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-6);
        }
    }
}

#[test]
fn second_texture_coordinates_and_mirrored_tangents_are_kept() {
    let corner = |u: f32, v: f32| Vertex {
        position: [u, 0.0, v],
        normal: [0.0, -1.0, 0.0],
        tex_coords: [[u, v], [2.0 * u, 3.0], [0.0; 2], [0.0; 2]],
        tangent: [-1.0, 0.0, 0.0],
        binormal: [0.0, 0.0, 1.0],
        color: [1.0; 4],
        ..default()
    };
    let vertices = [corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0)];
    let buffers = SubmeshBuffers::new(&vertices, &[[0, 1, 2]]);
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    file.meshes = vec![FileMesh::new(
        "M",
        0,
        vec![buffers.submesh("MeshBumpColorize.fx", "alD3dVertNU2U3U3", vec![])],
    )];
    let (mut app, root) = app(write(&file).unwrap());
    let model = model(&mut app, root);
    let mesh = app.asset(model.meshes[0].submeshes[0].mesh.as_ref().unwrap());
    let uvs = mesh.attribute(Mesh::ATTRIBUTE_UV_1);
    let Some(VertexAttributeValues::Float32x2(uvs)) = uvs else {
        panic!("no second texture coordinates");
    };
    assert_eq!(uvs[1], [2.0, 3.0]);
    let tangents = float4(mesh, Mesh::ATTRIBUTE_TANGENT);
    assert_eq!(tangents[0], [-1.0, 0.0, 0.0, -1.0]);
}

#[test]
fn nan_becomes_zero_and_normals_are_repaired() {
    let (mut app, root) = app(flawed());
    let model = model(&mut app, root);
    let names = model.bones_named("HULL");
    assert_eq!(names, [1, 4], "both bones of the name");
    assert_eq!(
        instance(&mut app, root).bone("hull"),
        Some(bone(&mut app, root, 1))
    );
    // A mesh without a connection is attached to the root bone.
    assert_eq!(model.meshes[3].bone, 0);
    let mesh = app.asset(model.meshes[0].submeshes[0].mesh.as_ref().unwrap());
    let normals = mesh.attribute(Mesh::ATTRIBUTE_NORMAL).unwrap();
    let normals = normals.as_float3().unwrap();
    assert!(
        Vec3::from_array(normals[1]).abs_diff_eq(Vec3::NEG_Y, 1e-5),
        "{:?}",
        normals[1]
    );
    assert!(
        model
            .warnings
            .iter()
            .any(|warning| warning.message.contains("more than once"))
    );
}

#[test]
fn nan_position_warns_with_its_offset() {
    let bytes = minimal();
    let vertices = span(&bytes, "400/10000/10007").body;
    let bytes = patched(&bytes, vertices + 144 + 4, &f32::NAN.to_le_bytes());
    let (mut app, root) = app(bytes);
    let warnings = model(&mut app, root).warnings.clone();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0].offset, vertices + 144);
}

/// A model with one mesh per shader.
fn model_with_shaders(shaders: &[&'static str]) -> Vec<u8> {
    let (vertices, triangles) = cuboid([1.0; 3], [0.0; 3]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    let mesh = |shader: &&'static str| {
        let submesh = buffers.submesh(*shader, "alD3dVertNU2", vec![]);
        FileMesh::new(*shader, 0, vec![submesh])
    };
    file.meshes = shaders.iter().map(mesh).collect();
    write(&file).unwrap()
}

#[test]
fn blended_meshes_and_sky_domes_cast_no_shadows() {
    const SHADERS: [&str; 10] = [
        "MeshGloss.fx",
        "MeshBumpColorize.fx",
        "Tree.fx",
        "Planet.fx",
        "MeshAlpha.fx",
        "RSkinAlphaGloss.fx",
        "Skydome.fx",
        "MeshAdditive.fx",
        "MeshShield.fx",
        "Nebula.fx",
    ];
    let cast = |app: &mut TestApp| {
        let cast = |mesh: usize| {
            let entity = submeshes(app, mesh)[0].1;
            app.find::<NotShadowCaster>(entity).is_none()
        };
        (0..SHADERS.len()).map(cast).collect::<Vec<_>>()
    };
    let (mut app, _) = app(model_with_shaders(&SHADERS));
    let solid = [true, true, true, true];
    assert_eq!(cast(&mut app), [&solid[..], &[false; 6]].concat());
    // With the setting, only additive meshes cast no shadows.
    let mut app = TestApp::new(&[(FILE, model_with_shaders(&SHADERS))]);
    spawn_with(&mut app, FILE, |settings| settings.blended_shadows = true);
    assert_eq!(cast(&mut app), [[true; 7].as_slice(), &[false; 3]].concat());
}

#[test]
fn proxies_are_children_of_their_bones() {
    let (mut app, root) = app(clean());
    let fire = part(&mut app, root, "p_fire_ALT1");
    let proxy: AloProxy = get(&mut app, fire);
    assert_eq!(
        (proxy.name.as_str(), proxy.index, proxy.model),
        ("p_fire", 0, None)
    );
    assert_eq!(parent(&mut app, fire), bone(&mut app, root, 2));
    let info = &model(&mut app, root).proxies[0];
    assert_eq!((info.tags.alt, info.proxy.hidden), (Some(1), Some(true)));
}

#[test]
fn settings_apply() {
    log::listen();
    let mut app = TestApp::new(&[(FILE, clean())]);
    let (root, _alo) = spawn_with(&mut app, FILE, |settings| {
        settings.scale = 0.5;
        settings.convert_axes = false;
        settings.load_lights = false;
        settings.load_textures = false;
    });
    let first = bone(&mut app, root, 0);
    let scene_root = parent(&mut app, first);
    let transform: Transform = get(&mut app, scene_root);
    assert_eq!(transform, Transform::from_scale(Vec3::splat(0.5)));
    assert_eq!(app.count::<AloLight>(), 0);

    for scale in [0.0, -1.0, f32::NAN] {
        let mut app = TestApp::new(&[(FILE, clean())]);
        let set = move |settings: &mut AloLoaderSettings| settings.scale = scale;
        let handle: Handle<Alo> = app.load_with(FILE, set);
        let is_failed = matches!(app.finish_load(&handle), LoadState::Failed(_));
        assert!(is_failed, "scale {scale}");
    }
}

#[test]
fn equal_sub_meshes_share_a_material() {
    let (vertices, triangles) = cuboid([1.0; 3], [0.0; 3]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let part = |shader: &'static str| buffers.submesh(shader, "alD3dVertNU2", vec![]);
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    file.meshes = vec![
        FileMesh::new("A", 0, vec![part("MeshGloss.fx"), part("MeshAdditive.fx")]),
        FileMesh::new("B", 0, vec![part("MESHGLOSS.FXO")]),
    ];
    let (mut app, root) = app(write(&file).unwrap());
    let model = model(&mut app, root);
    let material = |mesh: usize, part: usize| model.meshes[mesh].submeshes[part].material.clone();
    assert_eq!(material(0, 0), material(1, 0));
    assert_ne!(material(0, 0), material(0, 1));
    let casts = |app: &mut TestApp, part: usize| {
        let (_, entity) = submeshes(app, 0)[part];
        !app.world().entity(entity).contains::<NotShadowCaster>()
    };
    assert!(casts(&mut app, 0));
    assert!(!casts(&mut app, 1), "additive meshes cast no shadow");
}

#[test]
fn proxies_can_spawn_the_named_models() {
    log::listen();
    let proxy = |name: &'static str| {
        edited(&clean(), move |file| {
            file.proxies.truncate(2);
            file.proxies[0].name = name.into();
            file.proxies[0].hidden = None;
            file.proxies[1].name = "p_smoke".into();
        })
    };
    let mut particles = 0x900_u32.to_le_bytes().to_vec();
    particles.extend([0; 60]);
    let files = [
        ("Models/outer.alo", proxy("inner_LOD1")),
        ("Models/Inner.ALO", minimal()),
        ("Models/p_smoke.alo", particles),
        ("Models/ring.alo", proxy("ring")),
    ];
    let mut app = TestApp::new(&files);
    let spawn = |app: &mut TestApp, path: &'static str| {
        let spawned = spawn_with(app, path, |settings| settings.load_proxies = true);
        app.wait_until_idle();
        spawned
    };
    let (root, _outer) = spawn(&mut app, "Models/outer.alo");
    let proxy = part(&mut app, root, "inner_LOD1");
    let inner = model(&mut app, proxy);
    assert_eq!(&*inner.meshes[0].name, "Hull");
    // The proxy's model has no second axis conversion, and the root's components propagate to it.
    let proxy_transform: GlobalTransform = get(&mut app, proxy);
    let inner_bone = bone(&mut app, proxy, 0);
    let inner_transform: GlobalTransform = get(&mut app, inner_bone);
    let expected = proxy_transform.transform_point(Vec3::new(1.0, 2.0, 3.0));
    assert!(
        inner_transform
            .transform_point(Vec3::new(1.0, 2.0, 3.0))
            .abs_diff_eq(expected, 1e-4)
    );
    let red = TeamColor(Color::srgb(1.0, 0.0, 0.0));
    app.apply(root, (red, DamageStage(1)));
    app.step(0.0);
    assert_eq!(get::<TeamColor>(&mut app, proxy).0, red.0);
    assert_eq!(get::<DamageStage>(&mut app, proxy), DamageStage(1));
    app.remove::<TeamColor>(root);
    app.steps(2, 0.0);
    assert!(app.find::<TeamColor>(proxy).is_none());
    let smoke = part(&mut app, root, "p_smoke");
    assert!(
        app.find::<AloInstance>(smoke).is_none(),
        "particle systems are not spawned"
    );
    // A model that contains itself is not followed again.
    let (root, ring_model) = spawn(&mut app, "Models/ring.alo");
    let proxy = part(&mut app, root, "ring");
    assert!(app.find::<AloInstance>(proxy).is_none());
    // Another instance does not repeat the warning, even if all others were despawned.
    let ring = "has a recursive proxy for Models/ring.alo; it is skipped";
    log::expect_warnings(ring, 1);
    spawn(&mut app, "Models/ring.alo");
    app.despawn(root);
    drop(ring_model);
    spawn(&mut app, "Models/ring.alo");
    log::expect_warnings(ring, 1);
}

#[test]
fn real_models_load_and_spawn() {
    let Some(folder) = corpus("real_models_load_and_spawn") else {
        return;
    };
    log::listen();
    let mut count = 0;
    for (name, bytes) in crate::support::files_of(&folder, "alo") {
        if bytes.get(..4) != Some(&0x200_u32.to_le_bytes()[..]) {
            continue;
        }
        let file = parse(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let drawn =
            |submesh: &bevy_classic_models::alamo::alo::Submesh<'_>| !submesh.indices.is_empty();
        let (mut app, root) = app(bytes.clone());
        let model = model(&mut app, root);
        for (mesh, expected) in model.meshes.iter().zip(&file.meshes) {
            for (submesh, expected) in mesh.submeshes.iter().zip(&expected.submeshes) {
                assert_eq!(
                    submesh.mesh.is_some(),
                    drawn(expected),
                    "{name}: {}",
                    mesh.name
                );
            }
        }
        assert_eq!(instance(&mut app, root).bones().len(), file.bones.len());
        count += 1;
    }
    println!("{count} real models spawned");
}

#[test]
fn file_with_too_many_proxies_is_rejected() {
    let bytes = edited(&minimal(), |file| {
        let proxy = bevy_classic_models::alamo::alo::Proxy {
            name: "p".into(),
            bone: 0,
            hidden: None,
            alt_decrease_stay_hidden: None,
        };
        file.proxies = vec![proxy; 2000];
    });
    let error = bevy_classic_models::alamo::ConvertedAlo::load(&bytes, default()).unwrap_err();
    assert!(error.to_string().contains("512 proxies"), "{error}");
}

#[test]
fn bone_depth_is_limited_to_256() {
    let chain = |count: u32| {
        let bone = |index: u32| Bone::new("B", index.checked_sub(1), [0.0, 0.0, 0.1]);
        write(&AloFile::new((0..count).map(bone).collect()))
    };
    let (mut app, root) = app(chain(256).unwrap());
    assert_eq!(instance(&mut app, root).bones().len(), 256);
    let error = chain(257).unwrap_err();
    let deep = bevy_classic_models::read::ErrorKind::TooDeep { limit: 256 };
    assert_eq!(error.kind, deep, "{error}");
}

#[test]
fn infinite_bone_transforms_are_rejected() {
    let huge = |parent: Option<u32>| Bone {
        matrix: [
            [1e30, 0.0, 0.0, 0.0],
            [0.0, 1e30, 0.0, 0.0],
            [0.0, 0.0, 1e30, 0.0],
        ],
        ..Bone::new("Huge", parent, [0.0; 3])
    };
    let bytes = write(&AloFile::new(vec![huge(None), huge(Some(0))])).unwrap();
    let error = bevy_classic_models::alamo::ConvertedAlo::load(&bytes, default()).unwrap_err();
    assert!(error.to_string().contains("bind pose of bone 1"), "{error}");
}
