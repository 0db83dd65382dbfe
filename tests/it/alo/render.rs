//! Rendered Alamo models, each compared with a control mesh whose vertices the CPU computed.

use crate::support::alo_stage::{control_mesh, times, transform};
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::write::write;
use bevy_classic_models::alamo::alo::{Bone, Light, Mesh as AloMesh};

pub const FILE: &str = "subject.alo";
const SIZE: UVec2 = UVec2::new(320, 240);

/// The local matrices of a test's bones: each is rotated and moved relative to its parent.
pub fn bone_matrices() -> [Matrix; 3] {
    [
        IDENTITY,
        turned(2, 30.0, [-10.0, 0.0, 4.0]),
        turned(0, -40.0, [24.0, 2.0, 3.0]),
    ]
}

/// Matrices from the space of each bone to model space. Each bone is the child of the previous one.
pub fn model_matrices(matrices: &[Matrix]) -> Vec<Matrix> {
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

pub fn matte_parameters(texture: &str) -> Vec<Parameter<'_>> {
    vec![
        Parameter::float4("Diffuse", [1.0, 1.0, 1.0, 0.0]),
        Parameter::float4("Specular", [0.0; 4]),
        Parameter::float4("Emissive", [0.0; 4]),
        Parameter::texture("BaseTexture", texture.to_owned()),
    ]
}

/// A model with one box on each of the last two bones.
fn rigid() -> Vec<u8> {
    let (a, triangles) = cuboid([11.0, 9.0, 10.0], [0.0, 0.0, 0.0]);
    let (b, _) = cuboid([8.0, 12.0, 7.0], [0.0, 3.0, 0.0]);
    let (a, b) = (
        SubmeshBuffers::new(&a, &triangles),
        SubmeshBuffers::new(&b, &triangles).with_v1_vertices(),
    );
    let mut file = AloFile::new(bones(&bone_matrices()));
    let part = |buffers| {
        SubmeshBuffers::submesh(
            buffers,
            "MeshGloss.fx",
            "alD3dVertNU2",
            matte_parameters("colors.tga"),
        )
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
    let matrices = model_matrices(&bone_matrices());
    let texture = stage.add_image(&quarters([255; 4]));
    let (a, triangles) = cuboid([11.0, 9.0, 10.0], [0.0, 0.0, 0.0]);
    let (b, _) = cuboid([8.0, 12.0, 7.0], [0.0, 3.0, 0.0]);
    let parts = [(a, matrices[1]), (b, matrices[2])];
    let mut controls = Vec::new();
    for index in shown {
        let (vertices, matrix) = &parts[*index];
        let material = stage.add_material(matte(Some(texture.clone())));
        controls.push((control_mesh(vertices, &triangles, |_| *matrix), material));
    }
    controls
}

/// Compares the box of [`one_box`] with a control, whose material gets the base texture.
#[track_caller]
pub fn compare_box(
    stage: &mut Stage,
    root: Entity,
    context: &str,
    base: &[[u8; 4]],
    material: impl Fn(Handle<Image>) -> StandardMaterial,
) {
    compare(stage, root, context, |stage| {
        let texture = stage.add_image(base);
        box_control(stage, material(texture))
    });
}

#[track_caller]
pub fn compare(
    stage: &mut Stage,
    root: Entity,
    context: &str,
    control: impl Fn(&mut Stage) -> Vec<(Mesh, MeshMaterial3d<StandardMaterial>)>,
) {
    for view in VIEWS {
        stage.move_camera(view);
        let subject = stage.capture();
        let controls = control(stage);
        let control = stage.capture_controls(root, controls);
        subject.assert_matches(&control, &format!("{context} from {view}"));
    }
}

#[test]
fn rigid_meshes_follow_their_bones() {
    // The file's name differs in case from the name in the model.
    let mut stage = Stage::new(&[(FILE, rigid()), ("Colors.TGA", tga(&quarters([255; 4])))]);
    let root = stage.spawn_alo(FILE, ());
    compare(&mut stage, root, "rigid meshes", |stage| {
        rigid_controls(stage, &[0, 1])
    });
}

#[test]
fn hidden_bone_hides_its_meshes_and_those_of_its_children() {
    let mut stage = Stage::new(&[(FILE, rigid()), ("colors.tga", tga(&quarters([255; 4])))]);
    let root = stage.spawn_alo(FILE, ());
    let both = stage.capture();
    for (bone, shown) in [(2, &[0][..]), (1, &[])] {
        let entity = stage.bone(root, bone);
        stage.insert(entity, Visibility::Hidden);
        if shown.is_empty() {
            assert_eq!(stage.capture().covered(), 0, "bone {bone} is hidden");
        } else {
            compare(&mut stage, root, &format!("without bone {bone}"), |stage| {
                rigid_controls(stage, shown)
            });
        }
        stage.insert(entity, Visibility::Inherited);
    }
    stage.move_camera(VIEWS[0]);
    stage.capture().assert_matches(&both, "all bones again");
}

/// A column of rings around Z. The lower end follows the first bone of the palette, the upper end the second. The
/// weights are interpolated between them.
fn column(weighted: bool) -> (Vec<Vertex>, Vec<[u16; 3]>) {
    let mut vertices = Vec::new();
    const RINGS: u16 = 8;
    const SIDES: u16 = 12;
    for ring in 0..=RINGS {
        let height = f32::from(ring) / f32::from(RINGS);
        for side in 0..=SIDES {
            let u = f32::from(side) / f32::from(SIDES);
            let (sin, cos) = (u * core::f32::consts::TAU).sin_cos();
            let (indices, weights) = if weighted {
                // Weights are normalized, so a sum of 2 is valid. Bone indices with weight 0 may be invalid.
                ([1, 0, 77, 99], [2.0 * height, 2.0 - 2.0 * height, 0.0, 0.0])
            } else {
                ([u32::from(height > 0.5), 88, 0, 0], [1.0, 0.0, 0.0, 0.0])
            };
            vertices.push(Vertex {
                position: [11.0 * cos, 11.0 * sin, 40.0 * height - 16.0],
                normal: [cos, sin, 0.0],
                tex_coords: [[u, height], [0.0; 2], [0.0; 2], [0.0; 2]],
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
fn skinned_vertices_follow_the_palette_by_weights() {
    let mut stage = Stage::new(&[]);
    for (weighted, format) in [(false, "alD3dVertRSkinNU2"), (true, "alD3dVertB4I4NU2")] {
        let (vertices, triangles) = column(weighted);
        // The first entry of the palette is the last bone.
        let buffers = SubmeshBuffers::new(&vertices, &triangles).with_palette(&[2, 1]);
        let mut file = AloFile::new(bones(&bone_matrices()));
        let submesh = buffers.submesh("RSkinGloss.fx", format, matte_parameters("colors.tga"));
        // Skinned vertices are in model space, so the mesh's own bone has no effect.
        file.meshes = vec![AloMesh::new("Column", 2, vec![submesh])];
        let bytes = write(&file).unwrap();
        let file = stage.add_files(&[(FILE, bytes), ("colors.tga", tga(&quarters([255; 4])))]);
        let root = stage.spawn_alo(file, ());
        let rest = model_matrices(&bone_matrices());
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
                stage.insert(bone, transform(matrix));
            }
            let now = model_matrices(&posed);
            let matrix = |vertex: &Vertex| {
                let bone_matrix = |slot: usize| {
                    let bone = [2, 1][vertex.bone_indices[slot] as usize];
                    times(&now[bone], &inverse(&rest[bone]))
                };
                if !weighted {
                    return bone_matrix(0);
                }
                let (a, b) = (bone_matrix(0), bone_matrix(1));
                let weight = f64::from(vertex.bone_weights[0]) / 2.0;
                let mut blended = IDENTITY;
                for (row, blended) in blended.iter_mut().enumerate() {
                    for (column, value) in blended.iter_mut().enumerate() {
                        *value = a[row][column] * weight + b[row][column] * (1.0 - weight);
                    }
                }
                blended
            };
            let context = format!("{format} in pose {pose}");
            compare(&mut stage, root, &context, |stage| {
                let texture = stage.add_image(&quarters([255; 4]));
                let material = stage.add_material(matte(Some(texture)));
                vec![(control_mesh(&vertices, &triangles, matrix), material)]
            });
            let image = stage.capture();
            if let Some(last) = last.replace(image) {
                stage.capture().assert_differs(&last, &context);
            }
        }
        // A hidden joint hides no vertices.
        let bone = stage.bone(root, 1);
        let before = stage.capture();
        stage.insert(bone, Visibility::Hidden);
        // The mesh is attached to bone 2, a child of the hidden bone 1.
        assert_eq!(stage.capture().covered(), 0);
        stage.insert(bone, Visibility::Inherited);
        stage.capture().assert_matches(&before, "shown again");
        stage.despawn(root);
    }
}

/// A model with meshes on its only bone.
pub fn of_root(meshes: Vec<AloMesh<'_>>) -> Vec<u8> {
    let mut file = AloFile::new(bones(&[IDENTITY]));
    file.meshes = meshes;
    write(&file).unwrap()
}

/// A model of one box with a shader and parameters.
pub fn one_box(shader: &str, format: &str, parameters: Vec<Parameter<'_>>) -> Vec<u8> {
    let (vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let submesh = buffers.submesh(shader, format, parameters);
    of_root(vec![AloMesh::new("Box", 0, vec![submesh])])
}

pub fn box_control(
    stage: &mut Stage,
    material: StandardMaterial,
) -> Vec<(Mesh, MeshMaterial3d<StandardMaterial>)> {
    let (vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY);
    vec![(mesh, stage.add_material(material))]
}

/// A texel blended with the team color by its alpha, in linear color space.
pub fn with_team_color([r, g, b, a]: [u8; 4], team: Color) -> [u8; 4] {
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
fn base_texture_alpha_applies_the_team_color() {
    let green = Color::srgb(0.0, 1.0, 0.0);
    let (red, blue) = (Color::srgb_u8(230, 30, 20), Color::srgb(0.2, 0.4, 1.0));
    let mut stage = Stage::new(&[]);
    for alpha in [255, 128, 0] {
        // A single color, because blending before filtering differs at color borders.
        let base = [[240, 220, 210, alpha]; 4];
        let mut parameters = matte_parameters("base.tga");
        parameters.push(Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]));
        let bytes = one_box("MeshBumpColorize.fx", "alD3dVertNU2", parameters);
        let file = stage.add_files(&[(FILE, bytes), ("base.tga", tga(&base))]);
        let root = stage.spawn_alo(file, ());
        // Another instance of the same mesh and material has its own color.
        let other = stage.spawn_alo(file, TeamColor(blue));
        let out_of_view = Transform::from_xyz(0.0, 5000.0, 0.0);
        stage.insert(other, out_of_view);
        let mut captures = Vec::new();
        for (team, expected) in [
            (None, green),
            (Some(red), red),
            (Some(blue), blue),
            (None, green),
        ] {
            match team {
                Some(color) => stage.insert(root, TeamColor(color)),
                None => stage.remove::<TeamColor>(root),
            }
            compare(
                &mut stage,
                root,
                &format!("alpha {alpha}, {team:?}"),
                |stage| {
                    let texture =
                        stage.add_image(&base.map(|texel| with_team_color(texel, expected)));
                    box_control(stage, matte(Some(texture)))
                },
            );
            captures.push(stage.capture());
        }
        if alpha > 0 {
            captures[0].assert_differs(&captures[1], "red and green");
            captures[1].assert_differs(&captures[2], "blue and red");
        }
        captures[0].assert_matches(&captures[3], "the file's color again");
        for entity in [root, other] {
            stage.despawn(entity);
        }
    }
}

#[test]
fn additive_blending_ignores_alpha() {
    // A gray wall, and in front of it a pane whose texture has alpha 50.
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
    let wall = wall.submesh("MeshSolidColor.fx", "alD3dVertN", color);
    let pane = pane.submesh("MeshAdditive.fx", "alD3dVertNU2", glow);
    let bytes = of_root(vec![
        AloMesh::new("Wall", 0, vec![wall]),
        AloMesh::new("Glow", 0, vec![pane]),
    ]);
    let mut stage = Stage::dark(&[(FILE, bytes), ("glow.tga", tga(&[texel; 4]))]);
    stage.spawn_alo(FILE, ());
    stage.move_camera(Vec3::new(0.0, 4.0, 90.0));
    let image = stage.capture();
    let behind = Color::srgb(0.3, 0.3, 0.35).to_linear();
    let tint = Color::srgb(0.5, 1.0, 1.0).to_linear();
    let added = Color::srgb_u8(200, 100, 40).to_linear();
    let sum = LinearRgba::rgb(
        behind.red + tint.red * added.red,
        behind.green + tint.green * added.green,
        behind.blue + tint.blue * added.blue,
    );
    // The pane has both sides, but only the front is drawn.
    for (position, expected) in [((0.5, 0.5), sum), ((0.25, 0.5), behind)] {
        let expected = Srgba::from(expected).to_u8_array();
        let found = image.at(SIZE, position.0, position.1);
        for (found, expected) in found.iter().zip(expected) {
            assert!(
                (found - f32::from(expected)).abs() < 3.0,
                "{position:?}: {found}, expected {expected}"
            );
        }
    }
}

#[test]
fn texels_with_alpha_below_half_are_holes() {
    let base = texels(16, |x, y| match (x / 4 + y / 4) % 2 {
        0 => [200, 180, 60, 129],
        _ => [40, 200, 60, 120],
    });
    let bytes = one_box("Tree.fx", "alD3dVertNU2", matte_parameters("leaves.tga"));
    let mut stage = Stage::new(&[(FILE, bytes), ("leaves.tga", tga(&base))]);
    let root = stage.spawn_alo(FILE, ());
    compare_box(&mut stage, root, "a tree", &base, |texture| {
        StandardMaterial {
            alpha_mode: AlphaMode::Mask(128.0 / 255.0),
            ..matte(Some(texture))
        }
    });
    let solid = box_control(&mut stage, matte(None));
    let subject = stage.capture();
    let control = stage.capture_controls(root, solid);
    assert!(
        10 * subject.covered() < 9 * control.covered(),
        "there are no holes"
    );
}

#[test]
fn opaque_shaders_ignore_alpha_and_alpha_shaders_do_not() {
    let base = quarters([40; 4]);
    let half_opaque = || {
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
        ("MeshUnknown.fx", AlphaMode::Opaque, 1.0),
    ] {
        let bytes = one_box(shader, "alD3dVertNU2", half_opaque());
        let file = stage.add_files(&[(FILE, bytes), ("base.tga", tga(&base))]);
        let root = stage.spawn_alo(file, ());
        compare_box(&mut stage, root, shader, &base, |texture| {
            StandardMaterial {
                alpha_mode,
                base_color: Color::WHITE.with_alpha(alpha),
                ..matte(Some(texture))
            }
        });
        stage.despawn(root);
    }
}

#[test]
fn bright_green_in_normal_maps_points_up() {
    // Normals tilted by about 36° toward the top and right of the texture.
    let tilt = Vec3::new(0.3, 0.5, 0.8).normalize();
    let texel = (tilt * 127.5 + 127.5)
        .to_array()
        .map(|value| value.round() as u8);
    let map = tga(&[[texel[0], texel[1], texel[2], 0]; 4]);
    let mut stage = Stage::new(&[]);
    // With U unchanged and reversed. Reversed U mirrors the tangent space.
    for mirrored in [false, true] {
        let (mut vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
        if mirrored {
            for vertex in &mut vertices {
                vertex.tex_coords[0][0] = 1.0 - vertex.tex_coords[0][0];
                vertex.tangent = vertex.tangent.map(|value| -value);
            }
        }
        let buffers = SubmeshBuffers::new(&vertices, &triangles);
        let mut parameters = matte_parameters("base.tga");
        parameters.push(Parameter::texture("NormalTexture", "bumps.tga"));
        let submesh = buffers.submesh("TerrainMeshBump.fx", "alD3dVertNU2U3U3", parameters);
        let files = [
            (FILE, of_root(vec![AloMesh::new("Box", 0, vec![submesh])])),
            ("base.tga", tga(&quarters([255; 4]))),
            ("bumps.tga", map.clone()),
        ];
        let file = stage.add_files(&files);
        let root = stage.spawn_alo(file, ());
        let tilted: Vec<Vertex> = vertices
            .iter()
            .map(|vertex| {
                let [t, b, n] =
                    [vertex.tangent, vertex.binormal, vertex.normal].map(Vec3::from_array);
                Vertex {
                    normal: (t * tilt.x + b * tilt.y + n * tilt.z).to_array(),
                    ..*vertex
                }
            })
            .collect();
        let context = format!("a normal map, mirrored: {mirrored}");
        compare(&mut stage, root, &context, |stage| {
            let texture = stage.add_image(&quarters([255; 4]));
            let mesh = control_mesh(&tilted, &triangles, |_| IDENTITY);
            vec![(mesh, stage.add_material(matte(Some(texture))))]
        });
        let flat = stage.add_image(&quarters([255; 4]));
        let flat = box_control(&mut stage, matte(Some(flat)));
        let subject = stage.capture();
        let flat = stage.capture_controls(root, flat);
        subject.assert_differs(&flat, "without the normal map");
        stage.despawn(root);
    }
}

#[test]
fn textures_scroll_with_time() {
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
fn emissive_is_doubled_and_multiplied_by_the_texture() {
    let base = quarters([255; 4]);
    let mut parameters = matte_parameters("base.tga");
    parameters[2] = Parameter::float4("Emissive", [0.2, 0.3, 0.1, 0.0]);
    let bytes = one_box("MeshGloss.fx", "alD3dVertNU2", parameters);
    let mut stage = Stage::dark(&[(FILE, bytes), ("base.tga", tga(&base))]);
    let root = stage.spawn_alo(FILE, ());
    compare_box(&mut stage, root, "in the dark", &base, |texture| {
        StandardMaterial {
            emissive: Color::srgb(0.4, 0.6, 0.2).to_linear(),
            emissive_texture: Some(texture.clone()),
            ..matte(Some(texture))
        }
    });
}

/// Two skinned boxes, one behind the other. The nearer is attached to the root bone, the other to a second bone.
#[test]
fn skinned_blended_meshes_are_sorted_by_vertex_position() {
    // Offsets toward the camera, in the model's axes.
    let [x, y, z] = [0.546, 0.765, 0.339];
    let toward_camera = |distance: f32| [x * distance, y * distance, z * distance];
    let boxes = [
        cuboid([7.0; 3], toward_camera(26.0)),
        cuboid([12.0; 3], toward_camera(14.0)),
    ];
    let [near, far] = &boxes;
    let near = SubmeshBuffers::new(&near.0, &near.1).with_palette(&[0]);
    let far = SubmeshBuffers::new(&far.0, &far.1).with_palette(&[1]);
    let bone = turned(2, 70.0, toward_camera(14.0).map(f64::from));
    // The alpha of `Diffuse` also applies to blended meshes.
    let opaque = |texture: &'static str| {
        let diffuse = Parameter::float4("Diffuse", [1.0; 4]);
        let others = matte_parameters(texture).into_iter().skip(1);
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
        // Meshes with greater bias are drawn later.
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
    let correct = control(&mut stage, [1, 0]);
    let correct = stage.capture_controls(root, correct);
    subject.assert_matches(&correct, "far before near");
    let reversed = control(&mut stage, [0, 1]);
    let reversed = stage.capture_controls(root, reversed);
    subject.assert_differs(&reversed, "near before far");
}

/// A model with one light 5 units above its origin, and no meshes.
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
fn light_range_scales_with_the_model() {
    const SCALE: f32 = 3.0;
    let manifest = format!("(model: \"{FILE}\", scale: {SCALE})");
    let files = [(FILE, lamp()), ("lamp.model.ron", manifest.into_bytes())];
    let mut stage = Stage::dark(&files);
    let floor = Plane3d::new(Vec3::Y, Vec2::splat(200.0)).mesh().build();
    let floor = stage.add_asset(floor);
    let material = stage.add_material(matte(None));
    stage.world().spawn((Mesh3d(floor), material));
    let root = stage.spawn_entity(ClassicModel::new("lamp.model.ron"));
    stage.wait_for("the model is spawned", |world| {
        world.get::<AloInstance>(root).is_some()
    });
    let subject = stage.capture();
    stage.insert(root, Visibility::Hidden);
    // Both lights start to fade at half of their range: at 15 units of the file.
    let distance = 15.0 * SCALE;
    let control = |distance: f32| PointLight {
        color: Color::srgb(1.0, 0.6, 0.3),
        intensity: 1.5 * FULL_LIGHT * 4.0 * core::f32::consts::PI * distance * distance,
        range: 2.0 * distance,
        ..default()
    };
    let above = Transform::from_xyz(0.0, 5.0 * SCALE, 0.0);
    let light = stage.spawn_entity((control(distance), above));
    subject.assert_matches(&stage.capture(), "a scaled lamp");
    // An unscaled light must differ.
    stage.insert(light, control(15.0));
    subject.assert_differs(&stage.capture(), "a lamp that is not scaled");
}

#[test]
fn each_shader_reads_gloss_from_its_own_channel() {
    let white = |alpha: u8| tga(&[[255, 255, 255, alpha]; 4]);
    let mut stage = Stage::new(&[]);
    // The shader, the alpha of the base and normal map, the red of the gloss map, and the expected gloss.
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
        let file = stage.add_files(&files);
        let root = stage.spawn_alo(file, ());
        let context = format!("{shader} with gloss {expected}");
        // The roughness of a highlight with exponent 16, at Bevy's default strength.
        let glossy = StandardMaterial {
            perceptual_roughness: 0.577,
            reflectance: 0.5,
            ..default()
        };
        let control = if expected > 0.0 { glossy } else { matte(None) };
        compare(&mut stage, root, &context, |stage| {
            box_control(stage, control.clone())
        });
        stage.despawn(root);
    }
}

#[test]
fn team_color_replaces_the_color_of_faction_meshes() {
    let (vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let color = vec![Parameter::float4("Color", [1.0, 0.0, 0.0, 1.0])];
    let submesh = buffers.submesh("MeshSolidColor.fx", "alD3dVertN", color);
    let bytes = of_root(vec![AloMesh::new("FC_Banner", 0, vec![submesh])]);
    let mut stage = Stage::dark(&[(FILE, bytes)]);
    let root = stage.spawn_alo(FILE, ());
    for (team, expected) in [(None, [255_u8, 0, 0]), (Some([0, 0, 255]), [0, 0, 255])] {
        if let Some([r, g, b]) = team {
            let team = TeamColor(Color::srgb_u8(r, g, b));
            stage.insert(root, team);
        }
        let found = stage.capture().at(SIZE, 0.5, 0.5);
        for (found, expected) in found.iter().zip(expected.map(f32::from)) {
            assert!((found - expected).abs() < 1.0, "team {team:?}: {found}");
        }
    }
}

#[test]
fn team_color_without_a_base_texture_has_no_effect() {
    let mut parameters = matte_parameters("None");
    parameters.push(Parameter::float4("Colorization", [0.0, 1.0, 0.0, 1.0]));
    let bytes = one_box("MeshBumpColorize.fx", "alD3dVertNU2", parameters);
    let mut stage = Stage::new(&[(FILE, bytes)]);
    let root = stage.spawn_alo(FILE, TeamColor(Color::srgb(0.0, 0.0, 1.0)));
    compare(&mut stage, root, "without a texture", |stage| {
        box_control(stage, matte(None))
    });
}
