//! The assets, entities and components of a spawned LGW model, and the effects of the loader settings.

use crate::support::prelude::*;
use bevy_classic_models::lgw::lgw::parse;
use bevy_classic_models::lgw::{LgwMaterialHandle, LgwMesh, LgwUpAxis, LgwWinding};

const FILE: &str = "model.lgw";

struct Spawned {
    app: TestApp,
    root: Entity,
    /// Keeps the asset loaded.
    asset: Handle<Lgw>,
}

impl Spawned {
    fn new(text: &str, set: impl Fn(&mut LgwLoaderSettings) + Send + Sync + 'static) -> Self {
        log::listen();
        let mut app = TestApp::new(&[(FILE, text.into())]);
        let asset = app.load_with(FILE, set);
        app.wait_loaded(&asset);
        let assets = app.assets::<Lgw>();
        let scene = assets.get(&asset).expect("a loaded asset").scene.clone();
        let root = app.spawn_entity(WorldAssetRoot(scene));
        let is_spawned = |world: &mut World| world.get::<LgwInstance>(root).is_some();
        app.wait_until(is_spawned);
        Self { app, root, asset }
    }

    fn instance(&mut self) -> &LgwInstance {
        self.app.get(self.root)
    }

    fn model(&mut self) -> Arc<LgwModel> {
        self.instance().model().clone()
    }

    fn get<C: Component + Clone>(&mut self, entity: Entity) -> Option<C> {
        self.app.find::<C>(entity).cloned()
    }

    /// The mesh asset of an index.
    fn mesh(&mut self, index: usize) -> Mesh {
        let handle = self.model().meshes[index].mesh.clone().unwrap();
        let meshes = self.app.assets::<Mesh>();
        meshes.get(&handle).unwrap().clone()
    }

    /// The corners of all drawn triangles, in world space.
    fn drawn(&mut self) -> Vec<[Vec3; 3]> {
        self.app.step(0.0);
        let entities = self.instance().meshes().to_vec();
        let mut drawn = Vec::new();
        for entity in entities {
            let Some(Mesh3d(handle)) = self.get::<Mesh3d>(entity) else {
                continue;
            };
            let transform: GlobalTransform = self.get(entity).unwrap();
            let mesh = self.app.asset(&handle);
            let positions = floats3(mesh, Mesh::ATTRIBUTE_POSITION.id);
            let indices: Vec<usize> = mesh.indices().unwrap().iter().collect();
            drawn.extend(indices.chunks(3).map(|triangle| {
                let corner = |at: usize| transform.transform_point(positions[triangle[at]]);
                [corner(0), corner(1), corner(2)]
            }));
        }
        drawn
    }
}

fn floats3(mesh: &Mesh, attribute: bevy::mesh::MeshVertexAttributeId) -> Vec<Vec3> {
    match mesh.attribute(attribute) {
        Some(VertexAttributeValues::Float32x3(values)) => values
            .iter()
            .map(|value| Vec3::from_array(*value))
            .collect(),
        other => panic!("{other:?}"),
    }
}

fn uvs(mesh: &Mesh) -> Vec<[f32; 2]> {
    match mesh.attribute(Mesh::ATTRIBUTE_UV_0) {
        Some(VertexAttributeValues::Float32x2(values)) => values.clone(),
        other => panic!("{other:?}"),
    }
}

/// The unit normal of a triangle's front, from which it is counter-clockwise.
fn front([a, b, c]: [Vec3; 3]) -> Vec3 {
    (b - a).cross(c - a).normalize()
}

/// The text of a model with one mesh.
fn mesh_text(vertices: &[[f32; 8]], groups: &str) -> String {
    let mut text = format!(
        "MODEL \"one\" EXPORT_VERSION 4 MESH \"a\" VERTS {}\n",
        vertices.len()
    );
    for vertex in vertices {
        text.push_str(&vertex.map(|number| number.to_string()).join(" "));
        text.push('\n');
    }
    text + "PRIMITIVE_GEOMETRY_GROUPS 1 " + groups + " END_OF_MESH \"a\" END_OF_MODEL"
}

/// A triangle in the plane Z = 0, counter-clockwise as seen from +Z, with these normals.
fn triangle(normals: [[f32; 3]; 3]) -> String {
    let positions = [[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]];
    let vertex = |at: usize| {
        let ([x, y], [nx, ny, nz]) = (positions[at], normals[at]);
        [x, y, 0.0, 0.25, 0.75, nx, ny, nz]
    };
    let vertices = [vertex(0), vertex(1), vertex(2)];
    mesh_text(&vertices, "GROUP 0 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 0")
}

#[test]
fn each_mesh_is_an_entity_with_its_material() {
    let mut spawned = Spawned::new(EVERYTHING, |_| {});
    let (root, model) = (spawned.root, spawned.model());
    let meshes = spawned.instance().meshes().to_vec();
    assert_eq!(meshes.len(), 2);
    assert_eq!(spawned.instance().mesh("TWO SIDES"), Some(meshes[0]));
    let scene_root = spawned.get::<ChildOf>(meshes[0]).unwrap().parent();
    assert_eq!(spawned.get::<ChildOf>(scene_root).unwrap().parent(), root);
    for (index, entity) in meshes.iter().enumerate() {
        assert_eq!(spawned.get::<LgwMesh>(*entity).unwrap().index, index);
        let name: Name = spawned.get(*entity).unwrap();
        assert_eq!(name.as_str(), &*model.meshes[index].name);
    }
    let LgwMaterialHandle::TexEnv(material) = &model.material(7).unwrap().render_material else {
        panic!("not a `TexEnv` material, despite two textures");
    };
    let drawn: MeshMaterial3d<LgwTexEnvMaterial> = spawned.get(meshes[0]).unwrap();
    assert_eq!(drawn.0, *material);
    let aabb: Aabb = spawned.get(meshes[0]).unwrap();
    let [min, max] = [Vec3::new(-0.5, 0.0, 0.0), Vec3::new(1.0, 1.0, 2.0)];
    assert_eq!(aabb, Aabb::from_min_max(min, max));
    // A mesh without triangles has no `Mesh3d`.
    assert!(spawned.get::<Mesh3d>(meshes[1]).is_none());
    assert!(model.meshes[1].mesh.is_none() && model.meshes[1].bounds.is_none());
}

#[test]
fn the_asset_has_all_data_by_name_and_id() {
    let mut spawned = Spawned::new(EVERYTHING, |_| {});
    let model = spawned.model();
    assert_eq!((&*model.name, model.version), ("all of it", Some(4)));
    assert_eq!(model.source.as_deref(), Some("C:\\kola čaj.max"));
    assert_eq!(model.material(-2).unwrap().name.as_ref(), "two sides");
    assert!(model.material(0).is_none());
    assert_eq!(model.materials_named("TWO sides"), [1]);
    assert_eq!(model.meshes_named("two Sides"), [0]);
    let mesh = &model.meshes[0];
    assert_eq!((mesh.material_ref, mesh.material), (Some(7), Some(0)));
    assert_eq!((mesh.vertices, mesh.groups), (5, 3));
    let file = parse(EVERYTHING.as_bytes(), Tolerance::Normal).unwrap();
    assert_eq!(mesh.triangles, file.meshes[0].triangles().count());
    let world = spawned.app.world();
    let assets = world.resource::<Assets<Lgw>>();
    assert!(Arc::ptr_eq(
        &assets.get(&spawned.asset).unwrap().model,
        &model
    ));
    let materials = world.resource::<Assets<LgwMaterial>>();
    let material = materials.get(&model.material(7).unwrap().material).unwrap();
    assert_eq!(material.source, file.materials[0].clone().into_owned());
    assert!(
        material.textures.iter().all(Option::is_some),
        "placeholders"
    );
    let label = LgwAssetLabel::Material(0).from_asset(FILE);
    let by_label: Handle<LgwMaterial> = world.resource::<AssetServer>().load(label);
    assert_eq!(by_label, model.materials[0].material);
}

#[test]
fn a_single_lit_texture_uses_standard_material() {
    let mut spawned = Spawned::new(BICYCLE, |_| {});
    let model = spawned.model();
    let entity = spawned.instance().meshes()[0];
    let drawn: MeshMaterial3d<StandardMaterial> = spawned.get(entity).unwrap();
    assert_eq!(
        model.material(0).unwrap().render_material,
        LgwMaterialHandle::Standard(drawn.0.clone())
    );
    let material = spawned.app.asset(&drawn.0);
    assert_eq!(material.alpha_mode, AlphaMode::Mask(0.5));
    assert!(material.base_color_texture.is_some());
    assert!(!material.unlit && !material.double_sided);
}

#[test]
fn meshes_with_a_missing_material_share_a_white_one() {
    let text = triangle([[0.0, 0.0, 1.0]; 3]);
    let mesh = &text[text.find("MESH").unwrap()..text.find("END_OF_MODEL").unwrap()];
    let other = mesh.replace("MESH \"a\" VERTS", "MESH \"a\" MATERIAL_REF 5 VERTS");
    let text = text.replace("END_OF_MODEL", &(other + " END_OF_MODEL"));
    let mut spawned = Spawned::new(&text, |_| {});
    let model = spawned.model();
    assert_eq!(model.meshes.len(), 2);
    let expected = model.default_material.clone().unwrap();
    for entity in spawned.instance().meshes().to_vec() {
        let drawn: MeshMaterial3d<StandardMaterial> = spawned.get(entity).unwrap();
        assert_eq!(drawn.0, expected);
    }
    assert_eq!(model.meshes[1].material_ref, Some(5));
    let bicycle = Spawned::new(BICYCLE, |_| {}).model();
    assert!(bicycle.default_material.is_none(), "no mesh needs one");
}

#[test]
fn the_front_is_on_the_side_of_most_normals() {
    let up = [0.0, 0.0, 1.0];
    let down = [0.0, 0.0, -1.0];
    for (normals, winding, expected) in [
        ([up, up, up], LgwWinding::Auto, Vec3::Z),
        ([down, down, down], LgwWinding::Auto, Vec3::NEG_Z),
        ([down, down, down], LgwWinding::Keep, Vec3::Z),
        ([up, up, up], LgwWinding::Flip, Vec3::NEG_Z),
        // Zero normals keep the winding.
        ([[0.0; 3]; 3], LgwWinding::Auto, Vec3::Z),
    ] {
        let mut spawned = Spawned::new(&triangle(normals), move |it| it.winding = winding);
        assert_eq!(
            front(spawned.drawn()[0]),
            expected,
            "{normals:?} {winding:?}"
        );
    }
}

#[test]
fn a_few_wrong_normals_do_not_flip_a_mesh() {
    let vertices: Vec<[f32; 8]> = (0..10)
        .map(|at| {
            let nz = if at == 3 { -1.0 } else { 1.0 };
            [at as f32, (at % 2) as f32, 0.0, 0.0, 0.0, 0.0, 0.0, nz]
        })
        .collect();
    let strip = "GROUP 0 TYPE_STRIP COUNT 10 0 1 2 3 4 5 6 7 8 9 END_OF_GROUP 0";
    let mut spawned = Spawned::new(&mesh_text(&vertices, strip), |_| {});
    let drawn = spawned.drawn();
    assert_eq!(drawn.len(), 8);
    // 0 1 2 is clockwise as seen from +Z, the side of the normals, so all triangles are flipped.
    assert!(drawn.iter().all(|triangle| front(*triangle) == Vec3::Z));
}

#[test]
fn settings_change_scale_up_axis_and_handedness() {
    let text = mesh_text(
        &[
            [1.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [2.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [1.0, 4.0, 3.5, 0.0, 0.0, 0.0, 0.0, 1.0],
        ],
        "GROUP 0 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 0",
    );
    fn spawn(
        text: &str,
        set: impl Fn(&mut LgwLoaderSettings) + Send + Sync + 'static,
    ) -> (Vec3, Vec3) {
        let triangle = Spawned::new(text, set).drawn()[0];
        (triangle[0], front(triangle))
    }
    let plain = Vec3::new(1.0, 2.0, 3.0);
    assert_eq!(spawn(&text, |_| {}).0, plain);
    let (found, _) = spawn(&text, |it| it.scale = 0.01);
    assert!(found.abs_diff_eq(plain * 0.01, 1e-6));
    let (found, _) = spawn(&text, |it| it.up_axis = LgwUpAxis::Z);
    assert!(found.abs_diff_eq(Vec3::new(1.0, 3.0, -2.0), 1e-6));
    for winding in [LgwWinding::Auto, LgwWinding::Keep] {
        let mirror =
            move |it: &mut LgwLoaderSettings| (it.left_handed, it.winding) = (true, winding);
        let (found, front) = spawn(&text, mirror);
        assert_eq!(found, Vec3::new(1.0, 2.0, -3.0));
        assert!(front.z < 0.0, "the front is mirrored, {winding:?}");
        let turn = move |it: &mut LgwLoaderSettings| {
            mirror(it);
            it.up_axis = LgwUpAxis::Z;
        };
        let (found, _) = spawn(&text, turn);
        assert!(found.abs_diff_eq(Vec3::new(1.0, 3.0, 2.0), 1e-6));
        // Without the conversion, the axes of the file are kept.
        let found = spawn(&text, move |it| {
            turn(it);
            it.convert_axes = false;
        });
        assert_eq!(found, spawn(&text, move |it| it.winding = winding));
        assert_eq!(found.0, plain);
    }
}

#[test]
fn mirrored_meshes_without_a_majority_of_normals_keep_their_front() {
    let corners = [[1.0, 2.0, 3.0], [2.0, 2.0, 3.0], [1.0, 4.0, 3.5]];
    let fronts = |normals: [[f32; 3]; 2], left_handed, up, winding| {
        // The same triangle twice, each with its own normals.
        let vertices =
            normals.map(|[nx, ny, nz]| corners.map(|[x, y, z]| [x, y, z, 0.0, 0.0, nx, ny, nz]));
        let text = mesh_text(
            vertices.as_flattened(),
            "GROUP 0 TYPE_LIST COUNT 6 0 1 2 3 4 5 END_OF_GROUP 0",
        );
        let mut spawned = Spawned::new(&text, move |it| {
            (it.left_handed, it.up_axis, it.winding) = (left_handed, up, winding);
        });
        spawned.drawn().into_iter().map(front).collect::<Vec<_>>()
    };
    let none = [[0.0; 3]; 2];
    let opposite = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    for normals in [none, opposite] {
        for left_handed in [false, true] {
            for up in [LgwUpAxis::Y, LgwUpAxis::Z] {
                let auto = fronts(normals, left_handed, up, LgwWinding::Auto);
                let keep = fronts(normals, left_handed, up, LgwWinding::Keep);
                assert_eq!(auto.len(), 2);
                assert_eq!(auto, keep, "{normals:?} {left_handed} {up:?}");
            }
        }
    }
    let mirrored = fronts(none, true, LgwUpAxis::Y, LgwWinding::Auto);
    assert!(mirrored.iter().all(|front| front.z < 0.0), "{mirrored:?}");
}

#[test]
fn v_is_flipped_unless_flip_v_is_false() {
    let text = triangle([[0.0, 0.0, 1.0]; 3]);
    for (flip_v, expected) in [(true, [0.25, 0.25]), (false, [0.25, 0.75])] {
        let mesh = Spawned::new(&text, move |it| it.flip_v = flip_v).mesh(0);
        assert_eq!(uvs(&mesh), [expected; 3]);
    }
}

#[test]
fn normals_are_normalized_and_zero_normals_are_computed() {
    let text = triangle([[0.0, 0.0, 1e30], [0.0, 3.0, 4.0], [0.0; 3]]);
    let mesh = Spawned::new(&text, |_| {}).mesh(0);
    let expected = [Vec3::Z, Vec3::new(0.0, 0.6, 0.8), Vec3::Z];
    let found = floats3(&mesh, Mesh::ATTRIBUTE_NORMAL.id);
    for (found, expected) in found.iter().zip(expected) {
        assert!(found.abs_diff_eq(expected, 1e-6), "{found}");
    }
}

#[test]
fn vertices_too_far_away_are_moved_to_the_origin_with_a_warning() {
    let text = mesh_text(
        &[
            [1e19, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0, 1.0],
            [2.0, 2.0, 3.0, 3e38, -3e38, 0.0, 0.0, 1.0],
            [1.0, 4.0, -3e38, 0.0, 0.0, 0.0, 0.0, 1.0],
        ],
        "GROUP 0 TYPE_LIST COUNT 3 0 1 2 END_OF_GROUP 0",
    );
    let mut spawned = Spawned::new(&text, |_| {});
    let expected = [Vec3::ZERO, Vec3::new(2.0, 2.0, 3.0), Vec3::ZERO];
    assert_eq!(spawned.drawn()[0], expected);
    let warnings = spawned.model().warnings.clone();
    let is_expected = |warning: &bevy_classic_models::read::Warning| {
        warning.message.contains("2 of 3 vertices are too far away")
    };
    assert!(warnings.iter().any(is_expected), "{warnings:?}");
}

#[test]
fn indices_have_32_bits_if_16_do_not_suffice() {
    for (count, is_long) in [(65_535, false), (65_536, true)] {
        let vertices = vec![[0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0]; count];
        let last = count - 1;
        let group = format!("GROUP 0 TYPE_LIST COUNT 3 0 1 {last} END_OF_GROUP 0");
        let mesh = Spawned::new(&mesh_text(&vertices, &group), |_| {}).mesh(0);
        let indices = mesh.indices().unwrap();
        assert_eq!(matches!(indices, Indices::U32(_)), is_long);
        assert_eq!(indices.iter().collect::<Vec<_>>(), [0, 1, last]);
    }
}

#[test]
fn strips_and_fans_draw_the_same_as_lists() {
    let vertices: Vec<[f32; 8]> = (0..7)
        .map(|at| {
            let angle = at as f32 * 0.8;
            [
                angle.cos(),
                angle.sin(),
                0.1 * at as f32,
                0.0,
                0.0,
                0.0,
                0.0,
                1.0,
            ]
        })
        .collect();
    let drawn = |groups: &str| {
        let text = mesh_text(&vertices, groups);
        Spawned::new(&text, |_| {}).drawn()
    };
    let strip = drawn("GROUP 0 TYPE_STRIP COUNT 8 0 1 2 3 3 4 5 6 END_OF_GROUP 0");
    // The degenerate triangles 2 3 3 and 3 3 4 are dropped, but count for the alternating winding.
    let list = "GROUP 0 TYPE_LIST COUNT 12 0 1 2 2 1 3 3 4 5 5 4 6 END_OF_GROUP 0";
    assert_eq!(strip, drawn(list));
    let fan = drawn("GROUP 0 TYPE_FAN COUNT 5 6 0 2 4 5 END_OF_GROUP 0");
    assert_eq!(
        fan,
        drawn("GROUP 0 TYPE_LIST COUNT 9 6 0 2 6 2 4 6 4 5 END_OF_GROUP 0")
    );
}

#[test]
fn meshes_are_hidden_by_name() {
    let mut spawned = Spawned::new(BICYCLE, |_| {});
    let root = spawned.root;
    let meshes = spawned.instance().meshes().to_vec();
    let visibilities = |spawned: &mut Spawned| {
        spawned.app.step(0.0);
        let meshes = meshes.iter();
        let visibility = meshes.map(|mesh| spawned.get::<Visibility>(*mesh).unwrap());
        visibility.collect::<Vec<_>>()
    };
    use Visibility::{Hidden, Inherited};
    assert_eq!(visibilities(&mut spawned), [Inherited, Inherited]);
    spawned.app.insert(root, PartVisibility::hidden(["mesh01"]));
    assert_eq!(visibilities(&mut spawned), [Hidden, Inherited]);
    let mut hidden = spawned.app.get_mut::<PartVisibility>(root);
    hidden.reset("Mesh01").hide("MESH02");
    assert_eq!(visibilities(&mut spawned), [Inherited, Hidden]);
    spawned.app.remove::<PartVisibility>(root);
    assert_eq!(visibilities(&mut spawned), [Inherited, Inherited]);
}

#[test]
fn removing_world_asset_root_removes_the_instance() {
    let mut spawned = Spawned::new(BICYCLE, |_| {});
    let root = spawned.root;
    spawned.app.remove::<WorldAssetRoot>(root);
    spawned.app.step(0.0);
    assert!(spawned.app.find::<LgwInstance>(root).is_none());
}

#[test]
fn invalid_settings_are_an_error() {
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut app = TestApp::new(&[(FILE, BICYCLE.into())]);
        let set = move |to: &mut LgwLoaderSettings| to.scale = scale;
        let asset: Handle<Lgw> = app.load_with(FILE, set);
        let error = app.load_error(&asset);
        assert!(error.contains("loader setting scale"), "{error}");
    }
}
