//! Pictures of Alamo models: each beside a control that Bevy draws from what the CPU computed.

use crate::support::alo::between_rings;
use crate::support::alo_stage::{
    IDENTITY, Matrix, apply, control_mesh, cuboid, matte, quarters, stored, texels, tga, times,
    transform, turned, undo,
};
use crate::support::stage::{Stage, VIEWS};
use bevy::prelude::*;
use bevy_classic_models::alamo::FULL_LIGHT;
use bevy_classic_models::alamo::alo::write::{SubmeshBuffers, write};
use bevy_classic_models::alamo::alo::{AloFile, Bone, Light, Mesh as AloMesh, Parameter, Vertex};
use bevy_classic_models::alamo::{Alo, AloAssetLabel, AloInstance};
use bevy_classic_models::prelude::*;
use bevy_classic_models::scene::Wind;

pub const FILE: &str = "subject.alo";
const SIZE: UVec2 = UVec2::new(320, 240);

/// Where a test's bones are: each turned and moved away from its parent.
fn bone_matrices() -> [Matrix; 3] {
    [
        IDENTITY,
        turned(2, 30.0, [-10.0, 0.0, 4.0]),
        turned(0, -40.0, [24.0, 2.0, 3.0]),
    ]
}

/// From each bone's space to the model's; the parent of each is the one before it.
pub fn in_model(matrices: &[Matrix]) -> Vec<Matrix> {
    let mut all: Vec<Matrix> = Vec::new();
    for matrix in matrices {
        let parent = all.last().copied().unwrap_or(IDENTITY);
        all.push(times(&parent, matrix));
    }
    all
}

pub fn bones(matrices: &[Matrix]) -> Vec<Bone<'static>> {
    let bones = matrices.iter().enumerate();
    bones
        .map(|(index, matrix)| Bone {
            matrix: stored(matrix),
            ..Bone::new(
                format!("Bone{index}"),
                index.checked_sub(1).map(|parent| parent as u32),
                [0.0; 3],
            )
        })
        .collect()
}

pub fn dull(texture: &str) -> Vec<Parameter<'_>> {
    vec![
        Parameter::float4("Diffuse", [1.0, 1.0, 1.0, 0.0]),
        Parameter::float4("Specular", [0.0; 4]),
        Parameter::float4("Emissive", [0.0; 4]),
        Parameter::texture("BaseTexture", texture.to_owned()),
    ]
}

/// A model of one box on each of the last two bones.
fn rigid() -> Vec<u8> {
    let (a, triangles) = cuboid([11.0, 9.0, 10.0], [0.0, 0.0, 0.0]);
    let (b, _) = cuboid([8.0, 12.0, 7.0], [0.0, 3.0, 0.0]);
    let (a, b) = (
        SubmeshBuffers::new(&a, &triangles),
        SubmeshBuffers::new(&b, &triangles).with_v1_vertices(),
    );
    let mut file = AloFile::new(bones(&bone_matrices()));
    let part = |buffers| {
        SubmeshBuffers::submesh(buffers, "MeshGloss.fx", "alD3dVertNU2", dull("colors.tga"))
    };
    file.meshes = vec![
        AloMesh::new("First", 1, vec![part(&a)]),
        AloMesh::new("Second", 2, vec![part(&b)]),
    ];
    write(&file).unwrap()
}

fn rigid_controls(
    stage: &mut Stage,
    shown: &[usize],
) -> Vec<(Mesh, MeshMaterial3d<StandardMaterial>)> {
    let places = in_model(&bone_matrices());
    let texture = stage.add_image(&quarters([255; 4]));
    let (a, triangles) = cuboid([11.0, 9.0, 10.0], [0.0, 0.0, 0.0]);
    let (b, _) = cuboid([8.0, 12.0, 7.0], [0.0, 3.0, 0.0]);
    let parts = [(a, places[1]), (b, places[2])];
    let mut controls = Vec::new();
    for index in shown {
        let (vertices, place) = &parts[*index];
        let material = stage.add_material(matte(Some(texture.clone())));
        controls.push((control_mesh(vertices, &triangles, |_| *place), material));
    }
    controls
}

#[track_caller]
pub fn compare(
    stage: &mut Stage,
    root: Entity,
    what: &str,
    control: impl Fn(&mut Stage) -> Vec<(Mesh, MeshMaterial3d<StandardMaterial>)>,
) {
    for view in VIEWS {
        stage.look_from(view);
        let subject = stage.capture();
        let controls = control(stage);
        let control = stage.capture_instead(root, controls);
        subject.assert_is(&control, &format!("{what} from {view}"));
    }
}

#[test]
fn rigid_meshes_are_where_their_bones_are() {
    // Another case and another extension than the model says.
    let mut stage = Stage::new(&[(FILE, rigid()), ("Colors.TGA", tga(&quarters([255; 4])))]);
    let root = stage.spawn_alo(FILE, ());
    compare(&mut stage, root, "rigid meshes", |stage| {
        rigid_controls(stage, &[0, 1])
    });
}

#[test]
fn a_hidden_bone_hides_what_hangs_on_it_and_on_its_children() {
    let mut stage = Stage::new(&[(FILE, rigid()), ("colors.tga", tga(&quarters([255; 4])))]);
    let root = stage.spawn_alo(FILE, ());
    let both = stage.capture();
    for (bone, shown) in [(2, &[0][..]), (1, &[])] {
        let entity = stage.bone(root, bone);
        stage.world().entity_mut(entity).insert(Visibility::Hidden);
        if shown.is_empty() {
            assert_eq!(stage.capture().covered(), 0, "bone {bone} is hidden");
        } else {
            compare(&mut stage, root, &format!("without bone {bone}"), |stage| {
                rigid_controls(stage, shown)
            });
        }
        stage
            .world()
            .entity_mut(entity)
            .insert(Visibility::Inherited);
    }
    stage.look_from(VIEWS[0]);
    stage.capture().assert_is(&both, "all bones again");
}

/// A column of rings around Z: the lower end follows the first bone of the palette, the upper end
/// the second; between them the weights go from one to the other.
fn column(weighted: bool) -> (Vec<Vertex>, Vec<[u16; 3]>) {
    let mut vertices = Vec::new();
    const RINGS: u16 = 8;
    const SIDES: u16 = 12;
    for ring in 0..=RINGS {
        let way = f32::from(ring) / f32::from(RINGS);
        for side in 0..=SIDES {
            let u = f32::from(side) / f32::from(SIDES);
            let (sin, cos) = (u * core::f32::consts::TAU).sin_cos();
            let (indices, weights) = if weighted {
                // A sum of 2: it must not matter. The slots that weigh nothing name nothing.
                ([1, 0, 77, 99], [2.0 * way, 2.0 - 2.0 * way, 0.0, 0.0])
            } else {
                ([u32::from(way > 0.5), 88, 0, 0], [1.0, 0.0, 0.0, 0.0])
            };
            vertices.push(Vertex {
                position: [11.0 * cos, 11.0 * sin, 40.0 * way - 16.0],
                normal: [cos, sin, 0.0],
                tex_coords: [[u, way], [0.0; 2], [0.0; 2], [0.0; 2]],
                color: [1.0; 4],
                bone_indices: indices,
                bone_weights: weights,
                ..default()
            });
        }
    }
    (vertices, between_rings(RINGS, SIDES))
}

#[test]
fn skinned_vertices_follow_their_palette_by_weights() {
    let mut stage = Stage::new(&[]);
    for (weighted, format) in [(false, "alD3dVertRSkinNU2"), (true, "alD3dVertB4I4NU2")] {
        let (vertices, triangles) = column(weighted);
        // The first entry of the palette is the last bone.
        let buffers = SubmeshBuffers::new(&vertices, &triangles).with_palette(&[2, 1]);
        let mut file = AloFile::new(bones(&bone_matrices()));
        let submesh = buffers.submesh("RSkinGloss.fx", format, dull("colors.tga"));
        // Skinned vertices are in the model's space: the bone that the mesh hangs on is no matter.
        file.meshes = vec![AloMesh::new("Column", 2, vec![submesh])];
        let bytes = write(&file).unwrap();
        let file = stage.put(&[(FILE, bytes), ("colors.tga", tga(&quarters([255; 4])))]);
        let root = stage.spawn_alo(file, ());
        let rest = in_model(&bone_matrices());
        let mut posed = bone_matrices();
        let mut last = None;
        for pose in 0..3 {
            if pose == 1 {
                posed[1] = turned(0, 35.0, [-6.0, 0.0, 2.0]);
            } else if pose == 2 {
                posed[2] = turned(1, 50.0, [10.0, -4.0, 9.0]);
            }
            for (index, matrix) in posed.iter().enumerate() {
                let bone = stage.bone(root, index);
                stage.world().entity_mut(bone).insert(transform(matrix));
            }
            let now = in_model(&posed);
            let matrix = |vertex: &Vertex| {
                let of = |slot: usize| {
                    let bone = [2, 1][vertex.bone_indices[slot] as usize];
                    times(&now[bone], &undo(&rest[bone]))
                };
                if !weighted {
                    return of(0);
                }
                let (a, b) = (of(0), of(1));
                let way = f64::from(vertex.bone_weights[0]) / 2.0;
                let mut blended = IDENTITY;
                for (row, blended) in blended.iter_mut().enumerate() {
                    for (column, value) in blended.iter_mut().enumerate() {
                        *value = a[row][column] * way + b[row][column] * (1.0 - way);
                    }
                }
                blended
            };
            let what = format!("{format} in pose {pose}");
            compare(&mut stage, root, &what, |stage| {
                let texture = stage.add_image(&quarters([255; 4]));
                let material = stage.add_material(matte(Some(texture)));
                vec![(control_mesh(&vertices, &triangles, matrix), material)]
            });
            let picture = stage.capture();
            if let Some(last) = last.replace(picture) {
                stage.capture().assert_is_not(&last, &what);
            }
        }
        // A joint that is hidden hides no vertex.
        let bone = stage.bone(root, 1);
        let before = stage.capture();
        stage.world().entity_mut(bone).insert(Visibility::Hidden);
        // The mesh hangs on bone 2, a child of bone 1, which hides it.
        assert_eq!(stage.capture().covered(), 0);
        stage.world().entity_mut(bone).insert(Visibility::Inherited);
        stage.capture().assert_is(&before, "shown again");
        stage.world().entity_mut(root).despawn();
    }
}

/// A box of one shader with these parameters.
pub fn one_box(shader: &str, format: &str, parameters: Vec<Parameter<'_>>) -> Vec<u8> {
    let (vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let mut file = AloFile::new(bones(&[IDENTITY]));
    file.meshes = vec![AloMesh::new(
        "Box",
        0,
        vec![buffers.submesh(shader, format, parameters)],
    )];
    write(&file).unwrap()
}

pub fn box_control(
    stage: &mut Stage,
    material: StandardMaterial,
) -> Vec<(Mesh, MeshMaterial3d<StandardMaterial>)> {
    let (vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY);
    vec![(mesh, stage.add_material(material))]
}

/// A texel with the team's colour by its alpha, computed with light and not with screen colours.
pub fn in_team_color([r, g, b, a]: [u8; 4], team: Color) -> [u8; 4] {
    let base = Color::srgb_u8(r, g, b).to_linear();
    let team = team.to_linear();
    let mask = f32::from(a) / 255.0;
    let mix = |base: f32, team: f32| base + (team * base - base) * mask;
    let mixed = LinearRgba::rgb(
        mix(base.red, team.red),
        mix(base.green, team.green),
        mix(base.blue, team.blue),
    );
    let [r, g, b, _] = Srgba::from(mixed).to_u8_array();
    [r, g, b, 255]
}

#[test]
fn the_teams_colour_comes_through_the_base_textures_alpha() {
    let green = Color::srgb(0.0, 1.0, 0.0);
    let (red, blue) = (Color::srgb_u8(230, 30, 20), Color::srgb(0.2, 0.4, 1.0));
    let mut stage = Stage::new(&[]);
    for alpha in [255, 128, 0] {
        // Of one colour: colours that are mixed before they are filtered differ where they meet.
        let base = [[240, 220, 210, alpha]; 4];
        let mut parameters = dull("base.tga");
        parameters.push(Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]));
        let bytes = one_box("MeshBumpColorize.fx", "alD3dVertNU2", parameters);
        let file = stage.put(&[(FILE, bytes), ("base.tga", tga(&base))]);
        let root = stage.spawn_alo(file, ());
        // Another instance of the same mesh and material has a colour of its own.
        let other = stage.spawn_alo(file, TeamColor(blue));
        let far = Transform::from_xyz(0.0, 5000.0, 0.0);
        stage.world().entity_mut(other).insert(far);
        let mut pictures = Vec::new();
        for (given, expected) in [
            (None, green),
            (Some(red), red),
            (Some(blue), blue),
            (None, green),
        ] {
            match given {
                Some(color) => stage.world().entity_mut(root).insert(TeamColor(color)),
                None => stage.world().entity_mut(root).remove::<TeamColor>(),
            };
            compare(
                &mut stage,
                root,
                &format!("alpha {alpha}, {given:?}"),
                |stage| {
                    let texture =
                        stage.add_image(&base.map(|texel| in_team_color(texel, expected)));
                    box_control(stage, matte(Some(texture)))
                },
            );
            pictures.push(stage.capture());
        }
        if alpha > 0 {
            pictures[0].assert_is_not(&pictures[1], "red and green");
            pictures[1].assert_is_not(&pictures[2], "blue and red");
        }
        pictures[0].assert_is(&pictures[3], "the file's own again");
        for entity in [root, other] {
            stage.world().entity_mut(entity).despawn();
        }
    }
}

#[test]
fn what_is_added_is_added_whatever_its_alpha() {
    // Grey behind, and before it a colour whose texture has an alpha of 50.
    let texel = [200, 100, 40, 50];
    let (wall, triangles) = cuboid([40.0, 1.0, 40.0], [0.0, 12.0, 4.0]);
    let (pane, _) = cuboid([12.0, 1.0, 12.0], [0.0, -12.0, 4.0]);
    let (wall, pane) = (
        SubmeshBuffers::new(&wall, &triangles),
        SubmeshBuffers::new(&pane, &triangles[4..8]),
    );
    let color = vec![Parameter::float4("Color", [0.3, 0.3, 0.35, 1.0])];
    let glow = vec![
        Parameter::texture("BaseTexture", "glow.tga"),
        Parameter::float4("Color", [0.5, 1.0, 1.0, 0.0]),
    ];
    let mut file = AloFile::new(bones(&[IDENTITY]));
    file.meshes = vec![
        AloMesh::new(
            "Wall",
            0,
            vec![wall.submesh("MeshSolidColor.fx", "alD3dVertN", color)],
        ),
        AloMesh::new(
            "Glow",
            0,
            vec![pane.submesh("MeshAdditive.fx", "alD3dVertNU2", glow)],
        ),
    ];
    let bytes = write(&file).unwrap();
    let mut stage = Stage::dark(&[(FILE, bytes), ("glow.tga", tga(&[texel; 4]))]);
    stage.spawn_alo(FILE, ());
    stage.look_from(Vec3::new(0.0, 4.0, 90.0));
    let picture = stage.capture();
    let behind = Color::srgb(0.3, 0.3, 0.35).to_linear();
    let tint = Color::srgb(0.5, 1.0, 1.0).to_linear();
    let added = Color::srgb_u8(200, 100, 40).to_linear();
    let sum = LinearRgba::rgb(
        behind.red + tint.red * added.red,
        behind.green + tint.green * added.green,
        behind.blue + tint.blue * added.blue,
    );
    // Both sides of the pane are there, but only the front is drawn.
    for (place, expected) in [((0.5, 0.5), sum), ((0.25, 0.5), behind)] {
        let expected = Srgba::from(expected).to_u8_array();
        let found = picture.at(SIZE, place.0, place.1);
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - f32::from(expected)).abs() < 3.0,
                "{place:?}: {found} is not {expected}"
            );
        }
    }
}

#[test]
fn holes_are_where_alpha_is_below_a_half() {
    let base = texels(16, |x, y| match (x / 4 + y / 4) % 2 {
        0 => [200, 180, 60, 129],
        _ => [40, 200, 60, 120],
    });
    let bytes = one_box("Tree.fx", "alD3dVertNU2", dull("leaves.tga"));
    let mut stage = Stage::new(&[(FILE, bytes), ("leaves.tga", tga(&base))]);
    let root = stage.spawn_alo(FILE, ());
    compare(&mut stage, root, "a tree", |stage| {
        let texture = stage.add_image(&base);
        let material = StandardMaterial {
            alpha_mode: AlphaMode::Mask(128.0 / 255.0),
            ..matte(Some(texture))
        };
        box_control(stage, material)
    });
    let solid = box_control(&mut stage, matte(None));
    let subject = stage.capture();
    let control = stage.capture_instead(root, solid);
    assert!(
        10 * subject.covered() < 9 * control.covered(),
        "there are no holes"
    );
}

#[test]
fn opaque_shaders_ignore_alpha_and_alpha_shaders_do_not() {
    let base = quarters([40; 4]);
    let half = |_: &()| {
        vec![
            Parameter::float4("Diffuse", [1.0, 1.0, 1.0, 0.5]),
            Parameter::float4("Specular", [0.0; 4]),
            Parameter::texture("BaseTexture", "base.tga"),
        ]
    };
    let mut stage = Stage::new(&[]);
    for (shader, alpha_mode, alpha) in [
        ("MeshGloss.fx", AlphaMode::Opaque, 1.0),
        ("MeshAlpha.fx", AlphaMode::Blend, 0.5),
        ("MeshNeverHeardOf.fx", AlphaMode::Opaque, 1.0),
    ] {
        let bytes = one_box(shader, "alD3dVertNU2", half(&()));
        let file = stage.put(&[(FILE, bytes), ("base.tga", tga(&base))]);
        let root = stage.spawn_alo(file, ());
        compare(&mut stage, root, shader, |stage| {
            let texture = stage.add_image(&base);
            let material = StandardMaterial {
                alpha_mode,
                base_color: Color::WHITE.with_alpha(alpha),
                ..matte(Some(texture))
            };
            box_control(stage, material)
        });
        stage.world().entity_mut(root).despawn();
    }
}

#[test]
fn normal_maps_point_up_where_green_is_bright() {
    // Normals that lean by 40° towards the top of the texture, and to its right.
    let lean = Vec3::new(0.3, 0.5, 0.8).normalize();
    let texel = (lean * 127.5 + 127.5)
        .to_array()
        .map(|value| value.round() as u8);
    let map = tga(&[[texel[0], texel[1], texel[2], 0]; 4]);
    let mut stage = Stage::new(&[]);
    // As it is, and with U running the other way, so that the frame is mirrored.
    for mirrored in [false, true] {
        let (mut vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
        if mirrored {
            for vertex in &mut vertices {
                vertex.tex_coords[0][0] = 1.0 - vertex.tex_coords[0][0];
                vertex.tangent = vertex.tangent.map(|value| -value);
            }
        }
        let buffers = SubmeshBuffers::new(&vertices, &triangles);
        let mut parameters = dull("base.tga");
        parameters.push(Parameter::texture("NormalTexture", "bumps.tga"));
        let mut file = AloFile::new(bones(&[IDENTITY]));
        let submesh = buffers.submesh("TerrainMeshBump.fx", "alD3dVertNU2U3U3", parameters);
        file.meshes = vec![AloMesh::new("Box", 0, vec![submesh])];
        let files = [
            (FILE, write(&file).unwrap()),
            ("base.tga", tga(&quarters([255; 4]))),
            ("bumps.tga", map.clone()),
        ];
        let file = stage.put(&files);
        let root = stage.spawn_alo(file, ());
        let leaning: Vec<Vertex> = vertices
            .iter()
            .map(|vertex| {
                let [t, b, n] =
                    [vertex.tangent, vertex.binormal, vertex.normal].map(Vec3::from_array);
                Vertex {
                    normal: (t * lean.x + b * lean.y + n * lean.z).to_array(),
                    ..*vertex
                }
            })
            .collect();
        let what = format!("a normal map, mirrored: {mirrored}");
        compare(&mut stage, root, &what, |stage| {
            let texture = stage.add_image(&quarters([255; 4]));
            let mesh = control_mesh(&leaning, &triangles, |_| IDENTITY);
            vec![(mesh, stage.add_material(matte(Some(texture))))]
        });
        let flat = stage.add_image(&quarters([255; 4]));
        let flat = box_control(&mut stage, matte(Some(flat)));
        let subject = stage.capture();
        let flat = stage.capture_instead(root, flat);
        subject.assert_is_not(&flat, "bumps are seen");
        stage.world().entity_mut(root).despawn();
    }
}

#[test]
fn textures_scroll_by_the_clock() {
    let base = quarters([255; 4]);
    let parameters = vec![
        Parameter::texture("BaseTexture", "base.tga"),
        Parameter::float4("UVScrollRate", [0.25, -0.5, 0.0, 0.0]),
    ];
    let bytes = one_box("MeshAdditive.fx", "alD3dVertNU2", parameters);
    let mut stage = Stage::dark(&[(FILE, bytes), ("base.tga", tga(&base))]);
    let root = stage.spawn_alo(FILE, ());
    for step in [0.0, 0.7, 0.9] {
        stage.headless.step(step);
        let seconds = stage.world().resource::<Time>().elapsed_secs();
        compare(&mut stage, root, &format!("at {seconds}"), |stage| {
            let texture = stage.add_image(&base);
            let (mut vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
            for vertex in &mut vertices {
                vertex.tex_coords[0][0] += 0.25 * seconds;
                vertex.tex_coords[0][1] -= 0.5 * seconds;
            }
            let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY);
            let material = StandardMaterial {
                unlit: true,
                alpha_mode: AlphaMode::Add,
                ..matte(Some(texture))
            };
            vec![(mesh, stage.add_material(material))]
        });
    }
}

#[test]
fn light_of_its_own_is_doubled_and_coloured_by_the_texture() {
    let base = quarters([255; 4]);
    let mut parameters = dull("base.tga");
    parameters[2] = Parameter::float4("Emissive", [0.2, 0.3, 0.1, 0.0]);
    let bytes = one_box("MeshGloss.fx", "alD3dVertNU2", parameters);
    let mut stage = Stage::dark(&[(FILE, bytes), ("base.tga", tga(&base))]);
    let root = stage.spawn_alo(FILE, ());
    compare(&mut stage, root, "in the dark", |stage| {
        let texture = stage.add_image(&base);
        let material = StandardMaterial {
            emissive: Color::srgb(0.4, 0.6, 0.2).to_linear(),
            emissive_texture: Some(texture.clone()),
            ..matte(Some(texture))
        };
        box_control(stage, material)
    });
}

/// Two skinned boxes behind each other, the nearer on the root and the other on a bone.
#[test]
fn skinned_blended_meshes_are_sorted_where_they_are_seen() {
    // In the model's axes, from what the camera looks at towards the camera.
    let [x, y, z] = [0.546, 0.765, 0.339];
    let towards = |way: f32| [x * way, y * way, z * way];
    let boxes = [
        cuboid([7.0; 3], towards(26.0)),
        cuboid([12.0; 3], towards(14.0)),
    ];
    let [near, far] = &boxes;
    let near = SubmeshBuffers::new(&near.0, &near.1).with_palette(&[0]);
    let far = SubmeshBuffers::new(&far.0, &far.1).with_palette(&[1]);
    let bone = turned(2, 70.0, towards(14.0).map(f64::from));
    // Of what is blended, the alpha of `Diffuse` counts too.
    let opaque = |texture: &'static str| {
        let diffuse = Parameter::float4("Diffuse", [1.0; 4]);
        let others = dull(texture).into_iter().skip(1);
        core::iter::once(diffuse).chain(others).collect()
    };
    let mut file = AloFile::new(bones(&[IDENTITY, bone]));
    let parts = [("Near", 0, near, "near.tga"), ("Far", 1, far, "far.tga")];
    file.meshes = parts
        .iter()
        .map(|(name, bone, buffers, texture)| {
            let submesh = buffers.submesh("RSkinAlpha.fx", "alD3dVertRSkinNU2", opaque(texture));
            AloMesh::new(*name, *bone, vec![submesh])
        })
        .collect();
    let colors = [[[230, 40, 30, 200]; 4], [[30, 60, 230, 200]; 4]];
    let mut stage = Stage::new(&[
        (FILE, write(&file).unwrap()),
        ("near.tga", tga(&colors[0])),
        ("far.tga", tga(&colors[1])),
    ]);
    let root = stage.spawn_alo(FILE, ());
    let control = |stage: &mut Stage, order: [usize; 2]| {
        let material = |stage: &mut Stage, part: usize, bias: f32| {
            let texture = stage.add_image(&colors[part]);
            stage.add_material(StandardMaterial {
                alpha_mode: AlphaMode::Blend,
                depth_bias: bias,
                ..matte(Some(texture))
            })
        };
        // What has the greater bias is drawn later.
        let parts = order.into_iter().zip([0.0, 1000.0]);
        parts
            .map(|(part, bias)| {
                let (vertices, triangles) = &boxes[part];
                let mesh = control_mesh(vertices, triangles, |_| IDENTITY);
                (mesh, material(stage, part, bias))
            })
            .collect::<Vec<_>>()
    };
    let subject = stage.capture();
    let right = control(&mut stage, [1, 0]);
    let right = stage.capture_instead(root, right);
    subject.assert_is(&right, "the far one first");
    let wrong = control(&mut stage, [0, 1]);
    let wrong = stage.capture_instead(root, wrong);
    subject.assert_is_not(&wrong, "the near one first");
}

/// A model without meshes but with one light, 5 above its origin.
fn lamp() -> Vec<u8> {
    let mut file = AloFile::new(vec![
        Bone::new("Root", None, [0.0; 3]),
        Bone::new("Lamp", Some(0), [0.0, 0.0, 5.0]),
    ]);
    file.lights = vec![Light {
        name: "Lamp".into(),
        bone: Some(1),
        kind: 0,
        color: [1.0, 0.6, 0.3],
        intensity: 1.5,
        far_attenuation_end: 30.0,
        far_attenuation_start: 6.0,
        hotspot: 0.0,
        falloff: 0.0,
    }];
    write(&file).unwrap()
}

#[test]
fn a_scaled_model_lights_its_surroundings_as_far_as_it_is_large() {
    const SCALE: f32 = 3.0;
    let manifest = format!("(model: \"{FILE}\", scale: {SCALE})");
    let files = [(FILE, lamp()), ("lamp.model.ron", manifest.into_bytes())];
    let mut stage = Stage::dark(&files);
    let floor = Plane3d::new(Vec3::Y, Vec2::splat(200.0)).mesh().build();
    let floor = stage.world().resource_mut::<Assets<Mesh>>().add(floor);
    let material = stage.add_material(matte(None));
    stage.world().spawn((Mesh3d(floor), material));
    let server = stage.world().resource::<AssetServer>().clone();
    let model = ClassicModel(server.load("lamp.model.ron"));
    let root = stage.world().spawn(model).id();
    stage.headless.wait_until("the model is there", |world| {
        world.get::<AloInstance>(root).is_some()
    });
    let subject = stage.capture();
    stage.world().entity_mut(root).insert(Visibility::Hidden);
    // Both begin to fade half way: at 15 units of the file.
    let distance = 15.0 * SCALE;
    let control = |distance: f32| PointLight {
        color: Color::srgb(1.0, 0.6, 0.3),
        intensity: 1.5 * FULL_LIGHT * 4.0 * core::f32::consts::PI * distance * distance,
        range: 2.0 * distance,
        ..default()
    };
    let above = Transform::from_xyz(0.0, 5.0 * SCALE, 0.0);
    let light = stage.world().spawn((control(distance), above)).id();
    subject.assert_is(&stage.capture(), "a scaled lamp");
    // As it was at every scale.
    stage.world().entity_mut(light).insert(control(15.0));
    subject.assert_is_not(&stage.capture(), "a lamp that is not scaled");
}

/// The matrices of this file's tests are right: a turn undone is none.
#[test]
fn the_tests_own_matrices_hold() {
    for matrix in in_model(&bone_matrices()) {
        let product = times(&matrix, &undo(&matrix));
        for (row, expected) in product.iter().zip(IDENTITY) {
            for (value, expected) in row.iter().zip(expected) {
                assert!((value - expected).abs() < 1e-12);
            }
        }
    }
    let quarter = turned(2, 90.0, [1.0, 0.0, 0.0]);
    let [x, y, z] = apply(&quarter, [1.0, 0.0, 5.0], 1.0);
    assert!((x - 1.0).abs() < 1e-12 && (y - 1.0).abs() < 1e-12 && (z - 5.0).abs() < 1e-12);
}

/// From Bevy's axes to the model's.
fn into_model([x, y, z]: [f64; 3]) -> [f64; 3] {
    [x, -z, y]
}

fn vector(v: Vec3) -> [f64; 3] {
    v.to_array().map(f64::from)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn unit(v: [f64; 3]) -> [f64; 3] {
    let length = v.iter().map(|value| value * value).sum::<f64>().sqrt();
    v.map(|value| value / length)
}

/// A direction, seen from a space that is turned and moved.
fn seen_from(space: &Matrix, v: [f64; 3], w: f64) -> [f64; 3] {
    let undone = undo(space);
    undone.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2] + row[3] * w)
}

/// How a camera is turned, in the model's axes, and then by a quarter so that −Y looks out of it.
fn facing(eye: Vec3) -> Matrix {
    let back = unit(vector(eye - Vec3::Y * 4.0));
    let right = unit(cross([0.0, 1.0, 0.0], back));
    let up = cross(back, right);
    // The turn by −90° about X takes Y to −Z and Z to Y.
    let columns = [right, back.map(|value| -value), up].map(into_model);
    let mut matrix = IDENTITY;
    for (row, matrix) in matrix.iter_mut().enumerate() {
        for (column, value) in matrix.iter_mut().take(3).enumerate() {
            *value = columns[column][row];
        }
    }
    matrix
}

/// Where a billboard bone is, by the formulas of the format: from its space to the model's.
fn billboard(mode: u32, rest: &Matrix, eye: Vec3, light: Vec3, wind: Vec3) -> Matrix {
    let heading = |v: [f64; 3]| v[1].atan2(v[0]).to_degrees() - 90.0;
    let about_z = |degrees: f64| times(rest, &turned(2, degrees, [0.0; 3]));
    let mut face = facing(eye);
    for (row, rest) in face.iter_mut().zip(rest) {
        row[3] = rest[3];
    }
    match mode {
        1 | 2 => face,
        3 => {
            let camera = seen_from(rest, into_model(vector(eye)), 1.0);
            about_z(heading(camera.map(|value| -value)))
        }
        4 => about_z(heading(seen_from(rest, into_model(vector(light)), 0.0))),
        5 => about_z(heading(seen_from(rest, into_model(vector(wind)), 0.0))),
        _ => {
            let from = unit(into_model(vector(-light)));
            let azimuth = from[1].atan2(from[0]).to_degrees();
            let tilt = from[2].asin().to_degrees();
            let carry = times(&turned(2, azimuth, [0.0; 3]), &turned(1, -tilt, [0.0; 3]));
            let place = [rest[0][3] as f32, rest[1][3] as f32, rest[2][3] as f32];
            for (row, place) in face.iter_mut().zip(apply(&carry, place, 1.0)) {
                row[3] = place;
            }
            face
        }
    }
}

#[test]
fn billboards_of_every_mode_are_where_their_formulas_put_them() {
    let wind = Vec3::new(0.4, 0.0, -1.0);
    let light = Vec3::new(-40.0, -80.0, 60.0);
    let matrices = [
        IDENTITY,
        turned(2, 35.0, [4.0, -6.0, 2.0]),
        turned(0, 20.0, [8.0, 5.0, 3.0]),
    ];
    let rest = in_model(&matrices)[2];
    let (vertices, triangles) = cuboid([12.0, 8.0, 14.0], [0.0; 3]);
    let mut stage = Stage::new(&[]);
    stage.world().resource_mut::<Wind>().direction = wind;
    for mode in 1..=7 {
        let buffers = SubmeshBuffers::new(&vertices, &triangles);
        let submesh = buffers.submesh("MeshGloss.fx", "alD3dVertNU2", dull("colors.tga"));
        let mut file = AloFile::new(bones(&matrices));
        file.bones[2].billboard = mode;
        file.meshes = vec![AloMesh::new("Sign", 2, vec![submesh])];
        let bytes = write(&file).unwrap();
        let file = stage.put(&[(FILE, bytes), ("colors.tga", tga(&quarters([255; 4])))]);
        let root = stage.spawn_alo(file, ());
        for view in VIEWS {
            stage.look_from(view);
            let subject = stage.capture();
            let place = billboard(mode, &rest, view, light, wind);
            let texture = stage.add_image(&quarters([255; 4]));
            let material = stage.add_material(matte(Some(texture)));
            let mesh = control_mesh(&vertices, &triangles, |_| place);
            let control = stage.capture_instead(root, vec![(mesh, material)]);
            subject.assert_is(&control, &format!("billboard mode {mode} from {view}"));
        }
        stage.world().entity_mut(root).despawn();
    }
}

#[test]
fn gloss_comes_from_where_the_shader_has_it() {
    let white = |alpha: u8| tga(&[[255, 255, 255, alpha]; 4]);
    let mut stage = Stage::new(&[]);
    // Shader and format, alpha of base and normal map, red of the gloss map; how glossy it is.
    for (shader, base, normal, gloss, expected) in [
        ("MeshGloss.fx", 255, 0, 0, 1.0),
        ("MeshGloss.fx", 0, 255, 255, 0.0),
        ("TerrainMeshBump.fx", 255, 0, 0, 1.0),
        ("TerrainMeshBump.fx", 0, 255, 255, 0.0),
        ("MeshBumpColorize.fx", 0, 255, 0, 1.0),
        ("MeshBumpColorize.fx", 0, 0, 255, 0.0),
        ("MeshGlossColorize.fx", 0, 0, 255, 1.0),
        ("MeshGlossColorize.fx", 0, 255, 0, 0.0),
    ] {
        let parameters = vec![
            Parameter::float4("Specular", [1.0; 4]),
            Parameter::texture("BaseTexture", "base.tga"),
            Parameter::texture("NormalTexture", "normal.tga"),
            Parameter::texture("GlossTexture", "gloss.tga"),
        ];
        let files = [
            (FILE, one_box(shader, "alD3dVertNU2U3U3", parameters)),
            ("base.tga", white(base)),
            ("normal.tga", tga(&[[128, 128, 255, normal]; 4])),
            ("gloss.tga", tga(&[[gloss, 0, 0, 255]; 4])),
        ];
        let file = stage.put(&files);
        let root = stage.spawn_alo(file, ());
        let what = format!("{shader} of gloss {expected}");
        // The width of a highlight of exponent 16, as strong as Bevy's usual one.
        let glossy = StandardMaterial {
            perceptual_roughness: 0.577,
            reflectance: 0.5,
            ..default()
        };
        let control = if expected > 0.0 { glossy } else { matte(None) };
        compare(&mut stage, root, &what, |stage| {
            box_control(stage, control.clone())
        });
        stage.world().entity_mut(root).despawn();
    }
}

#[test]
fn dazzles_of_a_model_shine_where_its_bone_is() {
    let mut file = AloFile::new(bones(&bone_matrices()));
    file.version = 2;
    file.dazzles = vec![bevy_classic_models::alamo::alo::Dazzle {
        color: [0.9, 0.6, 0.3],
        position: [1.0, -2.0, 3.0],
        radius: 16.0,
        slot_x: 0,
        slot_y: 0,
        num_slots: 1,
        texture: "star.dds".into(),
        frequency: 0.0,
        phase: 0.0,
        night_only: false,
        bone: 2,
        name: "Star".into(),
        is_hidden: false,
        bias: None,
    }];
    let picture = quarters([255; 4]);
    let mut stage = Stage::dark(&[(FILE, write(&file).unwrap()), ("Star.TGA", tga(&picture))]);
    let root = stage.spawn_alo(FILE, ());
    let at = apply(&in_model(&bone_matrices())[2], [1.0, -2.0, 3.0], 1.0);
    for view in VIEWS {
        stage.look_from(view);
        let subject = stage.capture();
        let mut place = facing(view);
        for (row, at) in place.iter_mut().zip(at) {
            row[3] = at;
        }
        // The front of a thin box.
        let (vertices, triangles) = cuboid([16.0, 0.001, 16.0], [0.0; 3]);
        let mesh = control_mesh(&vertices, &triangles[6..8], |_| place);
        let texture = stage.add_image(&picture);
        let material = stage.add_material(StandardMaterial {
            base_color: Color::srgb(0.9, 0.6, 0.3),
            unlit: true,
            alpha_mode: AlphaMode::Add,
            ..matte(Some(texture))
        });
        let control = stage.capture_instead(root, vec![(mesh, material)]);
        subject.assert_is(&control, &format!("a dazzle from {view}"));
    }
    let bone = stage.bone(root, 1);
    stage.world().entity_mut(bone).insert(Visibility::Hidden);
    assert_eq!(stage.capture().covered(), 0, "its bone's parent is hidden");
}

#[test]
fn meshes_of_the_faction_have_their_colour_replaced() {
    let (vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let color = vec![Parameter::float4("Color", [1.0, 0.0, 0.0, 1.0])];
    let mut file = AloFile::new(bones(&[IDENTITY]));
    let submesh = buffers.submesh("MeshSolidColor.fx", "alD3dVertN", color);
    file.meshes = vec![AloMesh::new("FC_Banner", 0, vec![submesh])];
    let mut stage = Stage::dark(&[(FILE, write(&file).unwrap())]);
    let root = stage.spawn_alo(FILE, ());
    for (team, expected) in [(None, [255_u8, 0, 0]), (Some([0, 0, 255]), [0, 0, 255])] {
        if let Some([r, g, b]) = team {
            let team = TeamColor(Color::srgb_u8(r, g, b));
            stage.world().entity_mut(root).insert(team);
        }
        let found = stage.capture().at(SIZE, 0.5, 0.5);
        for (found, expected) in found.iter().zip(expected.map(f32::from)) {
            assert!((found - expected).abs() < 1.0, "team {team:?}: {found}");
        }
    }
}

#[test]
fn a_mask_without_a_texture_masks_nothing() {
    let mut parameters = dull("None");
    parameters.push(Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]));
    let bytes = one_box("MeshBumpColorize.fx", "alD3dVertNU2", parameters);
    let mut stage = Stage::new(&[(FILE, bytes)]);
    let root = stage.spawn_alo(FILE, TeamColor(Color::srgb(0.0, 0.0, 1.0)));
    compare(&mut stage, root, "without a texture", |stage| {
        box_control(stage, matte(None))
    });
}

#[test]
fn textures_that_cannot_be_loaded_leave_the_model_to_be_seen() {
    // A broken PNG, a broken TGA, none at all: colours where they are missed, nothing where they are
    // a measure, and for Bevy's own loader, which fails, as for ours.
    let mut stage = Stage::new(&[]);
    let broken_png = || Some(b"\x89PNG\r\n\x1a\nbroken".to_vec());
    for (shader, name, file) in [
        ("MeshBumpColorize.fx", "colors.png", broken_png()),
        ("MeshBumpColorize.fx", "colors.tga", Some(vec![0, 0, 2, 0])),
        ("MeshBumpColorize.fx", "colors.tga", None),
        // Alpha is opacity here, and a measure of gloss as well.
        ("Tree.fx", "colors.png", broken_png()),
        ("Tree.fx", "colors.tga", Some(vec![0, 0, 2, 0])),
    ] {
        let mut parameters = dull(name);
        parameters.push(Parameter::texture("NormalTexture", "bumps.png"));
        parameters.push(Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]));
        let mut files = vec![
            (FILE, one_box(shader, "alD3dVertNU2U3U3", parameters)),
            ("bumps.png", b"\x89PNG\r\n\x1a\nbroken".to_vec()),
        ];
        files.extend(file.clone().map(|file| (name, file)));
        let path = stage.put(&files);
        let server = stage.world().resource::<AssetServer>().clone();
        let model: Handle<Alo> = server.load(path);
        let scene = server.load(AloAssetLabel::Scene.from_asset(path));
        let root = stage.world().spawn(WorldAssetRoot(scene)).id();
        stage.headless.wait_until("the model is there", |world| {
            world.get::<AloInstance>(root).is_some()
        });
        stage.wait_until_idle();
        let checkers: Vec<_> = (0..64)
            .map(|at| match (at % 8 + at / 8) % 2 {
                0 => [255, 0, 255, 255],
                _ => [0, 0, 0, 255],
            })
            .collect();
        let mut image = crate::support::alo_stage::image(&checkers, true);
        image.sampler = bevy::image::ImageSampler::nearest();
        let texture = stage.world().resource_mut::<Assets<Image>>().add(image);
        let what = format!("{shader}, {name}, there: {}", file.is_some());
        compare(&mut stage, root, &what, |stage| {
            box_control(stage, matte(Some(texture.clone())))
        });
        drop(model);
        stage.world().entity_mut(root).despawn();
    }
}
