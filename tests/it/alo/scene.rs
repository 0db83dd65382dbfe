//! Spawned Alamo models: entities, meshes, lights, textures, proxies, and which parts are visible.

use crate::support::alo::{clean, edited, flawed, minimal};
use crate::support::alo_stage::{cuboid, quarters, tga};
use crate::support::app::TestApp;
use crate::support::{corpus, log};
use bevy::animation::AnimationTargetId;
use bevy::asset::LoadState;
use bevy::camera::visibility::DynamicSkinnedMeshBounds;
use bevy::light::NotShadowCaster;
use bevy::math::Vec3A;
use bevy::mesh::VertexAttributeValues;
use bevy::mesh::skinning::{SkinnedMesh, SkinnedMeshInverseBindposes};
use bevy::prelude::*;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Mesh as FileMesh, Parameter, Vertex, parse};
use bevy_classic_models::alamo::{
    Alo, AloBone, AloInstance, AloLoaderSettings, AloProxy, BoneVisibility,
};
use bevy_classic_models::alamo::{
    AloBillboard, AloCollider, AloLight, AloMaterial, AloModel, AloPart, AloSubmeshIndex,
    Billboard, FULL_LIGHT, TeamColored, bone_target,
};
use bevy_classic_models::load::ModelLoadError;
use bevy_classic_models::prelude::*;
use bevy_classic_models::root::NightTime;
use std::sync::Arc;

const SCENE: &str = "model.alo#Scene";

fn app(bytes: Vec<u8>) -> (TestApp, Entity) {
    log::listen();
    let mut app = TestApp::new(&[("model.alo", bytes)]);
    let root = app.spawn_ready(SCENE, ());
    app.step(0.0);
    (app, root)
}

fn instance(app: &mut TestApp, root: Entity) -> &AloInstance {
    app.world().get::<AloInstance>(root).unwrap()
}

fn model(app: &mut TestApp, root: Entity) -> Arc<AloModel> {
    instance(app, root).model().clone()
}

fn bone(app: &mut TestApp, root: Entity, index: usize) -> Entity {
    instance(app, root).bones()[index]
}

/// The entity of the part with a name.
fn part(app: &mut TestApp, root: Entity, name: &str) -> Entity {
    let parts = instance(app, root).parts().to_vec();
    let found = parts
        .iter()
        .find(|part| app.app.world().get::<AloPart>(**part).unwrap().name == name);
    *found.unwrap_or_else(|| panic!("no part {name}"))
}

fn get<C: Component + Clone>(app: &mut TestApp, entity: Entity) -> C {
    app.world().get::<C>(entity).unwrap().clone()
}

fn parent(app: &mut TestApp, entity: Entity) -> Entity {
    app.world().get::<ChildOf>(entity).unwrap().parent()
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

/// The names of parts that nothing but their bones can hide.
fn shown_parts(app: &mut TestApp, root: Entity) -> Vec<String> {
    app.step(0.0);
    let parts = instance(app, root).parts().to_vec();
    let world = app.app.world();
    let mut names = Vec::new();
    for entity in parts {
        let part = world.get::<AloPart>(entity).unwrap();
        let bone = world.get::<ChildOf>(entity).unwrap().parent();
        let bone = world.get::<BoneVisibility>(bone).unwrap();
        let is_hidden = *world.get::<Visibility>(entity).unwrap() == Visibility::Hidden;
        assert_eq!(is_hidden, !part.shown || !bone.is_visible(), "{part:?}");
        names.extend(part.shown.then(|| part.name.clone()));
    }
    names.sort();
    names
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
            .world()
            .get::<AloBillboard>(entity)
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
        let poses = app
            .world()
            .resource::<Assets<SkinnedMeshInverseBindposes>>();
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

fn attribute(
    mesh: &Mesh,
    attribute: bevy::mesh::MeshVertexAttribute,
) -> Option<&VertexAttributeValues> {
    mesh.attribute(attribute)
}

#[test]
fn vertices_keep_the_attributes_of_their_format() {
    let (mut app, root) = app(clean());
    let model = model(&mut app, root);
    let meshes = app.world().resource::<Assets<Mesh>>();
    let mesh = |mesh: usize, part: usize| {
        meshes
            .get(model.meshes[mesh].submeshes[part].mesh.as_ref().unwrap())
            .unwrap()
    };
    // NU2U3U3: the sign of the tangent encodes whether the stored binormal is cross(N, T) or its negative.
    let hull = mesh(0, 0);
    let Some(VertexAttributeValues::Float32x4(tangents)) = attribute(hull, Mesh::ATTRIBUTE_TANGENT)
    else {
        panic!("no tangents");
    };
    // Normal −Y and tangent +X: the cross product is +Z, like the binormal.
    assert_eq!(tangents[0], [1.0, 0.0, 0.0, 1.0]);
    assert!(attribute(hull, Mesh::ATTRIBUTE_COLOR).is_none());
    assert!(attribute(hull, Mesh::ATTRIBUTE_UV_1).is_none());
    // NU2C.
    let wing = mesh(0, 1);
    assert!(attribute(wing, Mesh::ATTRIBUTE_TANGENT).is_none());
    let Some(VertexAttributeValues::Float32x4(colors)) = attribute(wing, Mesh::ATTRIBUTE_COLOR)
    else {
        panic!("no colors");
    };
    // The file has sRGB colors, and Bevy uses linear colors.
    assert_eq!(
        colors[0],
        Color::srgb(1.0, 0.5, 0.25).to_linear().to_f32_array()
    );
    // Four weights, and one.
    for (part, expected) in [(0, [0.4, 0.3, 0.2, 0.1]), (1, [1.0, 0.0, 0.0, 0.0])] {
        let Some(VertexAttributeValues::Float32x4(weights)) =
            attribute(mesh(1, part), Mesh::ATTRIBUTE_JOINT_WEIGHT)
        else {
            panic!("no weights");
        };
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
    let meshes = app.world().resource::<Assets<Mesh>>();
    let mesh = meshes
        .get(model.meshes[0].submeshes[0].mesh.as_ref().unwrap())
        .unwrap();
    let Some(VertexAttributeValues::Float32x2(uvs)) = attribute(mesh, Mesh::ATTRIBUTE_UV_1) else {
        panic!("no second texture coordinates");
    };
    assert_eq!(uvs[1], [2.0, 3.0]);
    let Some(VertexAttributeValues::Float32x4(tangents)) = attribute(mesh, Mesh::ATTRIBUTE_TANGENT)
    else {
        panic!("no tangents");
    };
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
    let meshes = app.world().resource::<Assets<Mesh>>();
    let mesh = meshes
        .get(model.meshes[0].submeshes[0].mesh.as_ref().unwrap())
        .unwrap();
    let Some(VertexAttributeValues::Float32x3(normals)) = attribute(mesh, Mesh::ATTRIBUTE_NORMAL)
    else {
        panic!("no normals");
    };
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
    let vertices = crate::support::alo::span(&bytes, "400/10000/10007").body;
    let bytes = crate::support::alo::patched(&bytes, vertices + 144 + 4, &f32::NAN.to_le_bytes());
    let (mut app, root) = app(bytes);
    let warnings = model(&mut app, root).warnings.clone();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert_eq!(warnings[0].offset, vertices + 144);
}

#[test]
fn lights_become_bevy_lights() {
    let (mut app, root) = app(clean());
    let omni = part(&mut app, root, "Omni");
    let light: PointLight = get(&mut app, omni);
    assert_eq!(light.range, 40.0);
    // Twice the full light at distance 20, half of the range.
    let illuminance = light.intensity / (4.0 * core::f32::consts::PI * 20.0 * 20.0);
    assert!((illuminance / (2.0 * FULL_LIGHT) - 1.0).abs() < 1e-5);
    let sun = part(&mut app, root, "Sun");
    let light: DirectionalLight = get(&mut app, sun);
    assert_eq!(light.illuminance, 2.0 * FULL_LIGHT);
    assert_eq!(light.color, Color::srgb(1.0, 0.9, 0.8));
    let lamp = part(&mut app, root, "Lamp");
    let light: SpotLight = get(&mut app, lamp);
    assert_eq!((light.inner_angle, light.outer_angle), (0.375, 0.3925));
    let light: AloLight = get(&mut app, lamp);
    assert_eq!((light.index, light.far_attenuation_start), (2, 10.0));
    // Lights point along −Z of their bone, as in Bevy. A bone without a rotation points down.
    app.step(0.0);
    let direction = get::<GlobalTransform>(&mut app, omni).forward();
    assert!(direction.abs_diff_eq(Vec3::NEG_Y, 1e-5), "{direction:?}");
}

/// The range of the light `Omni` of [`clean`], and its intensity relative to scale 1.
fn omni(app: &mut TestApp, root: Entity) -> [f32; 2] {
    let omni = part(app, root, "Omni");
    let light: PointLight = get(app, omni);
    let unscaled = 2.0 * FULL_LIGHT * 4.0 * core::f32::consts::PI * 20.0 * 20.0;
    [light.range, light.intensity / unscaled]
}

#[track_caller]
fn assert_near(found: [f32; 2], expected: [f32; 2]) {
    let is_near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-3 * b.abs();
    assert!(
        found.iter().zip(&expected).all(is_near),
        "{found:?}, expected {expected:?}"
    );
}

#[test]
fn lights_scale_with_their_root() {
    let mut app = TestApp::new(&[("model.alo", clean())]);
    let scale = |scale: f32| Transform::from_scale(Vec3::splat(scale));
    let root = app.spawn_ready(SCENE, scale(0.05));
    app.step(0.0);
    assert_near(omni(&mut app, root), [2.0, 0.0025]);
    let lamp = part(&mut app, root, "Lamp");
    let small: SpotLight = get(&mut app, lamp);
    app.world().entity_mut(root).insert(scale(1.0));
    app.step(0.0);
    assert_near(omni(&mut app, root), [40.0, 1.0]);
    let unscaled: SpotLight = get(&mut app, lamp);
    assert_near(
        [small.range, small.intensity],
        [0.05 * unscaled.range, 0.0025 * unscaled.intensity],
    );
    // Signs are ignored, and the geometric mean of an uneven scale applies.
    let mirrored = Transform::from_scale(Vec3::new(-2.0, 4.0, 1.0));
    app.world().entity_mut(root).insert(mirrored);
    app.step(0.0);
    assert_near(omni(&mut app, root), [80.0, 4.0]);
    // The illuminance of a sun does not depend on scale.
    let sun = part(&mut app, root, "Sun");
    let sun: DirectionalLight = get(&mut app, sun);
    assert_eq!(sun.illuminance, 2.0 * FULL_LIGHT);
}

#[test]
fn lights_follow_alo_light_and_keep_user_changes() {
    let (mut app, root) = app(clean());
    let (lamp, sun) = (part(&mut app, root, "Omni"), part(&mut app, root, "Sun"));
    app.world().get_mut::<PointLight>(lamp).unwrap().intensity = 7.0;
    for step in 0..20 {
        let transform = Transform::from_xyz(step as f32, 0.0, 0.0)
            .with_rotation(Quat::from_rotation_y(0.3 * step as f32));
        app.world().entity_mut(root).insert(transform);
        app.step(0.0);
    }
    assert_eq!(get::<PointLight>(&mut app, lamp).intensity, 7.0);
    for light in [lamp, sun] {
        app.world().get_mut::<AloLight>(light).unwrap().intensity = 0.5;
    }
    app.step(0.0);
    assert_near(omni(&mut app, root), [40.0, 0.25]);
    let sun: DirectionalLight = get(&mut app, sun);
    assert_eq!(sun.illuminance, 0.5 * FULL_LIGHT);
    // A model with scale 0 has no light. The light returns with the scale.
    for (scale, expected) in [(0.0, [0.0, 0.0]), (2.0, [80.0, 1.0])] {
        let scale = Transform::from_scale(Vec3::splat(scale));
        app.world().entity_mut(root).insert(scale);
        app.step(0.0);
        assert_near(omni(&mut app, root), expected);
    }
}

#[test]
fn removed_components_apply_to_all_models_in_the_frame() {
    let mut app = TestApp::new(&[("model.alo", clean())]);
    let components = || (ModelLod(1), PartVisibility::hidden(["Lamp"]));
    let roots = [(); 5].map(|()| app.spawn_ready(SCENE, components()));
    let before = roots.map(|root| shown_parts(&mut app, root));
    for root in roots {
        app.world()
            .entity_mut(root)
            .remove::<(ModelLod, PartVisibility)>();
    }
    let after = roots.map(|root| shown_parts(&mut app, root));
    assert!(
        before
            .iter()
            .all(|names| !names.contains(&"Lamp".to_owned()))
    );
    assert!(after.iter().all(|names| names.contains(&"Lamp".to_owned())));
    assert!(after.iter().all(|names| *names == after[0]));
}

/// A model with one mesh per shader.
fn model_with_shaders(shaders: &[&'static str]) -> Vec<u8> {
    let (vertices, triangles) = cuboid([1.0; 3], [0.0; 3]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let mut file = AloFile::new(vec![Bone::new("Root", None, [0.0; 3])]);
    let mesh = |shader: &&'static str| {
        FileMesh::new(
            *shader,
            0,
            vec![buffers.submesh(*shader, "alD3dVertNU2", vec![])],
        )
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
            app.world().get::<NotShadowCaster>(entity).is_none()
        };
        (0..SHADERS.len()).map(cast).collect::<Vec<_>>()
    };
    let (mut app, _) = app(model_with_shaders(&SHADERS));
    let solid = [true, true, true, true];
    assert_eq!(cast(&mut app), [&solid[..], &[false; 6]].concat());
    // With the setting, only additive meshes cast no shadows.
    let mut app = TestApp::new(&[("model.alo", model_with_shaders(&SHADERS))]);
    let server = app.world().resource::<AssetServer>().clone();
    let settings = |settings: &mut AloLoaderSettings| settings.blended_shadows = true;
    let builder = server.load_builder().with_settings(settings);
    let alo: Handle<Alo> = builder.load("model.alo");
    app.wait_loaded(&alo);
    app.spawn_ready(SCENE, ());
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
fn lod_damage_stage_and_part_visibility_combine() {
    // The file hides Wreck_ALT1, Collision, p_fire_ALT1 and Blink. By day both dazzles are hidden.
    let (mut app, root) = app(clean());
    let assert_shown = |app: &mut TestApp, context: &str, names: &[&str]| {
        let mut names: Vec<_> = names.iter().map(ToString::to_string).collect();
        names.sort();
        assert_eq!(shown_parts(app, root), names, "{context}");
    };
    let always = ["Crew", "Omni", "Sun", "Lamp", "pe_engine", "lensflare0"];
    let with = |more: &[&'static str]| [&always[..], more].concat();
    assert_shown(&mut app, "initially", &with(&["Hull_LOD1"]));
    app.world().entity_mut(root).insert(ModelLod(1));
    assert_shown(&mut app, "coarser", &with(&["p_smoke_LOD0"]));
    app.world().entity_mut(root).insert(ModelLod(99));
    assert_shown(&mut app, "beyond the coarsest", &with(&["p_smoke_LOD0"]));
    app.world().entity_mut(root).remove::<ModelLod>();
    assert_shown(&mut app, "the finest again", &with(&["Hull_LOD1"]));
    // A damage stage alone does not show what the file hides.
    app.world().entity_mut(root).insert(DamageStage(1));
    assert_shown(&mut app, "damaged", &with(&["Hull_LOD1"]));
    let mut parts = PartVisibility::hidden(["crew", "SUN"]);
    parts
        .show("wreck_alt1")
        .show("Collision")
        .show("P_FIRE_ALT1");
    app.world().entity_mut(root).insert(parts);
    let expected: Vec<_> = with(&["Hull_LOD1", "Wreck_ALT1", "Collision", "p_fire_ALT1"]);
    let expected: Vec<_> = expected
        .into_iter()
        .filter(|name| *name != "Crew" && *name != "Sun")
        .collect();
    assert_shown(&mut app, "some shown, some hidden", &expected);
    // Parts shown by the user stay hidden in another damage stage.
    app.world().entity_mut(root).insert(DamageStage(0));
    let undamaged: Vec<_> = expected
        .iter()
        .copied()
        .filter(|name| !name.ends_with("ALT1"))
        .collect();
    assert_shown(&mut app, "undamaged again", &undamaged);
    app.world()
        .get_mut::<PartVisibility>(root)
        .unwrap()
        .reset("Crew");
    assert_shown(
        &mut app,
        "one part reset to the file's default",
        &[&undamaged[..], &["Crew"]].concat(),
    );
    app.world()
        .entity_mut(root)
        .remove::<(PartVisibility, DamageStage)>();
    assert_shown(&mut app, "as initially", &with(&["Hull_LOD1"]));
    app.world().resource_mut::<NightTime>().0 = true;
    assert_shown(&mut app, "at night", &with(&["Hull_LOD1", "FC_Glow"]));
    app.world()
        .entity_mut(root)
        .insert(PartVisibility::hidden(["fc_glow"]));
    assert_shown(&mut app, "a hidden dazzle", &with(&["Hull_LOD1"]));
}

#[test]
fn part_visibility_applies_in_the_spawn_frame() {
    let mut app = TestApp::new(&[("model.alo", clean())]);
    let mut visibility = PartVisibility::default();
    visibility.show("Wreck_ALT1");
    let root = app.spawn_ready(SCENE, (DamageStage(1), visibility));
    assert!(shown_parts(&mut app, root).contains(&"Wreck_ALT1".to_owned()));
}

#[test]
fn effects_with_the_flag_stay_hidden_until_damage_increases() {
    // The file keeps p_fire_ALT1 hidden when the stage decreases to 1. Show it, and add a stage 2.
    let bytes = edited(&clean(), |file| {
        file.proxies[0].hidden = None;
        file.proxies[3].name = "p_smoke_ALT2".into();
        // Another proxy of the same name, without the flag.
        file.proxies[1].name = "p_fire_ALT1".into();
    });
    let (mut app, root) = app(bytes);
    let fire_count = |app: &mut TestApp, stage: u32| {
        app.world().entity_mut(root).insert(DamageStage(stage));
        let shown = shown_parts(app, root);
        shown.iter().filter(|name| *name == "p_fire_ALT1").count()
    };
    assert_eq!(fire_count(&mut app, 0), 0);
    assert_eq!(fire_count(&mut app, 1), 2, "damage increases");
    assert_eq!(fire_count(&mut app, 2), 0);
    assert_eq!(
        fire_count(&mut app, 1),
        1,
        "damage decreases: one stays hidden"
    );
    assert_eq!(fire_count(&mut app, 0), 0);
    assert_eq!(fire_count(&mut app, 1), 2, "damage increases again");
}

#[test]
fn settings_apply() {
    log::listen();
    let mut app = TestApp::new(&[("model.alo", clean())]);
    let server = app.world().resource::<AssetServer>().clone();
    let settings = |settings: &mut AloLoaderSettings| {
        settings.scale = 0.5;
        settings.convert_axes = false;
        settings.load_lights = false;
        settings.load_textures = false;
    };
    let handle: Handle<Alo> = server
        .load_builder()
        .with_settings(settings)
        .load("model.alo");
    app.wait_loaded(&handle);
    let scene = app
        .world()
        .resource::<Assets<Alo>>()
        .get(&handle)
        .unwrap()
        .scene
        .clone();
    let root = app.world().spawn(WorldAssetRoot(scene)).id();
    app.wait_for(&[root]);
    let first = bone(&mut app, root, 0);
    let scene_root = parent(&mut app, first);
    let transform: Transform = get(&mut app, scene_root);
    assert_eq!(transform, Transform::from_scale(Vec3::splat(0.5)));
    let mut lights = app.world().query::<&AloLight>();
    assert_eq!(lights.iter(app.app.world()).count(), 0);

    for scale in [0.0, -1.0, f32::NAN] {
        let settings = move |settings: &mut AloLoaderSettings| settings.scale = scale;
        let mut app = TestApp::new(&[("model.alo", clean())]);
        let server = app.world().resource::<AssetServer>().clone();
        let handle: Handle<Alo> = server
            .load_builder()
            .with_settings(settings)
            .load("model.alo");
        assert!(
            matches!(app.finish_load(&handle), LoadState::Failed(_)),
            "scale {scale}"
        );
    }
}

#[test]
fn particle_systems_of_version_2_are_rejected_by_name() {
    let mut bytes = 0x1500_u32.to_le_bytes().to_vec();
    bytes.extend([0; 60]);
    let mut app = TestApp::new(&[("P_SMOKE.ALO", bytes)]);
    let handle: Handle<Alo> = app.load("P_SMOKE.ALO");
    let LoadState::Failed(error) = app.finish_load(&handle) else {
        panic!("loaded without an error");
    };
    let bevy::asset::AssetLoadError::AssetLoaderError(error) = &*error else {
        panic!("{error}");
    };
    let error = error.error().downcast_ref::<ModelLoadError>().unwrap();
    let text = error.to_string();
    assert!(text.starts_with("P_SMOKE.ALO: "), "{text}");
    assert!(text.contains("particle system (version 2)"), "{text}");
}

/// A model with this base texture and an unknown shader.
fn model_with_texture(file: &'static str) -> Vec<u8> {
    edited(&minimal(), |model| {
        let parameters = vec![Parameter::texture("BaseTexture", file)];
        model.meshes[0].submeshes[0].parameters = parameters;
        model.meshes[0].submeshes[0].shader = "MeshUnknown.fx".into();
    })
}

fn base_texture(app: &mut TestApp, root: Entity) -> Option<Handle<Image>> {
    let model = model(app, root);
    let material = model.meshes[0].submeshes[0].material.clone().unwrap();
    let materials = app.world().resource::<Assets<AloMaterial>>();
    materials
        .get(&material)
        .unwrap()
        .base
        .base_color_texture
        .clone()
}

#[test]
fn textures_are_found_in_any_case_and_in_texture_folders() {
    log::listen();
    // Windows paths, another case and another extension, in the sibling folder or a configured one.
    for (index, name, disk_path) in [
        (0, "EV_Hull.tga", "Art/TEXTURES/ev_hull.TGA"),
        (1, "D:\\work\\..\\EV_HULL.DDS", "Art/Models/Ev_Hull.tga"),
        (2, "ev_hull", "Shared/ev_HULL.tga"),
    ] {
        let path: &'static str = format!("Art/Models/m{index}.alo").leak();
        let mut app = TestApp::new(&[
            (path, model_with_texture(name)),
            (disk_path, tga(&quarters([255; 4]))),
        ]);
        let server = app.world().resource::<AssetServer>().clone();
        let settings =
            |settings: &mut AloLoaderSettings| settings.texture_folders = vec!["shared".into()];
        let handle: Handle<Alo> = server.load_builder().with_settings(settings).load(path);
        assert!(!matches!(app.finish_load(&handle), LoadState::Failed(_)));
        let scene = app
            .world()
            .resource::<Assets<Alo>>()
            .get(&handle)
            .unwrap()
            .scene
            .clone();
        let root = app.world().spawn(WorldAssetRoot(scene)).id();
        app.wait_for(&[root]);
        let texture = base_texture(&mut app, root).unwrap();
        assert_eq!(
            server.get_path(texture.id()).unwrap().to_string(),
            disk_path
        );
        let image = app
            .world()
            .resource::<Assets<Image>>()
            .get(&texture)
            .unwrap();
        assert_eq!(image.width(), 16);
        let unknown = log::warnings_with("MeshUnknown.fx");
        assert!(!unknown.is_empty());
    }
}

#[test]
fn model_with_missing_or_broken_texture_loads() {
    log::listen();
    let mut app = TestApp::new(&[("untextured.alo", model_with_texture("missing_alo_base.tga"))]);
    let root = app.spawn_ready("untextured.alo#Scene", ());
    let placeholder = base_texture(&mut app, root).unwrap();
    assert_eq!(placeholder, bevy_classic_models::texture::PLACEHOLDER_IMAGE);
    let warnings = log::warnings_with("missing_alo_base");
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("missing_alo_base.dds"), "{warnings:?}");

    let broken = tga(&quarters([255; 4]))[..40].to_vec();
    let mut app = TestApp::new(&[
        ("textured.alo", model_with_texture("broken_alo_base.tga")),
        ("broken_alo_base.tga", broken),
    ]);
    let handle: Handle<Alo> = app.load("textured.alo");
    assert!(!matches!(app.finish_load(&handle), LoadState::Failed(_)));
    let root = app.spawn_ready("textured.alo#Scene", ());
    let texture = base_texture(&mut app, root).unwrap();
    let image = app
        .world()
        .resource::<Assets<Image>>()
        .get(&texture)
        .unwrap();
    assert_eq!(image.width(), 8, "the placeholder's width");
    let errors = log::errors_of(&["bevy_classic_models"]);
    assert_eq!(
        errors
            .iter()
            .filter(|error| error.contains("broken_alo_base.tga"))
            .count(),
        1
    );
}

#[test]
fn equal_sub_meshes_share_a_material() {
    let (vertices, triangles) = crate::support::alo_stage::cuboid([1.0; 3], [0.0; 3]);
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
    let server = app.world().resource::<AssetServer>().clone();
    let spawn = |app: &mut TestApp, path: &'static str, load_proxies: bool| {
        let settings = move |settings: &mut AloLoaderSettings| settings.load_proxies = load_proxies;
        let handle: Handle<Alo> = server.load_builder().with_settings(settings).load(path);
        app.wait_loaded(&handle);
        let scene = app
            .world()
            .resource::<Assets<Alo>>()
            .get(&handle)
            .unwrap()
            .scene
            .clone();
        let root = app.world().spawn(WorldAssetRoot(scene)).id();
        app.wait_for(&[root]);
        app.wait_until_idle();
        (root, handle)
    };
    let (root, _outer) = spawn(&mut app, "Models/outer.alo", true);
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
    app.world().entity_mut(root).insert((red, DamageStage(1)));
    app.step(0.0);
    app.step(0.0);
    assert_eq!(get::<TeamColor>(&mut app, proxy).0, red.0);
    assert_eq!(get::<DamageStage>(&mut app, proxy), DamageStage(1));
    app.world().entity_mut(root).remove::<TeamColor>();
    app.step(0.0);
    app.step(0.0);
    assert!(app.world().get::<TeamColor>(proxy).is_none());
    let smoke = part(&mut app, root, "p_smoke");
    assert!(
        app.world().get::<AloInstance>(smoke).is_none(),
        "particle systems are not spawned"
    );
    // A model that contains itself is not followed again.
    let (root, ring_model) = spawn(&mut app, "Models/ring.alo", true);
    let proxy = part(&mut app, root, "ring");
    assert!(app.world().get::<AloInstance>(proxy).is_none());
    // Another instance does not repeat the warning, even if all others were despawned.
    let ring = "has a recursive proxy for Models/ring.alo; it is skipped";
    assert_eq!(log::warnings_with(ring).len(), 1);
    spawn(&mut app, "Models/ring.alo", true);
    app.world().entity_mut(root).despawn();
    drop(ring_model);
    spawn(&mut app, "Models/ring.alo", true);
    assert_eq!(log::warnings_with(ring).len(), 1);
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
