//! Rendered materials of Alamo models, compared with controls whose colors come from the formulas of the games'
//! shaders.

use crate::alo::render::{
    FILE, box_control, compare, compare_box, matte_parameters, of_root, one_box, with_team_color,
};
use crate::support::alo_stage::control_mesh;
use crate::support::prelude::*;
use bevy_classic_models::alamo::alo::{Mesh as AloMesh, ParameterValue};
use bevy_classic_models::alamo::{AloShading, AloUniform};

type Controls = Vec<(Mesh, MeshMaterial3d<StandardMaterial>)>;

/// The box of [`one_box`] with changed vertices.
fn changed_box(change: impl Fn(&mut Vertex)) -> (Vec<Vertex>, Vec<[u16; 3]>) {
    let (mut vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    vertices.iter_mut().for_each(change);
    (vertices, triangles)
}

/// A file with [`changed_box`] as its only mesh.
fn file_with_box(
    name: &str,
    shader: &str,
    parameters: Vec<Parameter<'_>>,
    change: impl Fn(&mut Vertex),
) -> Vec<u8> {
    let (vertices, triangles) = changed_box(change);
    let buffers = SubmeshBuffers::new(&vertices, &triangles);
    let submesh = buffers.submesh(shader, "alD3dVertNU2C", parameters);
    of_root(vec![AloMesh::new(name, 0, vec![submesh])])
}

/// A control of the box with vertex colors.
fn vertex_color_control(
    stage: &mut Stage,
    material: StandardMaterial,
    color: impl Fn(&Vertex) -> LinearRgba,
) -> Controls {
    let (vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    let colors: Vec<[f32; 4]> = vertices.iter().map(|v| color(v).to_f32_array()).collect();
    let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors);
    vec![(mesh, stage.add_material(material))]
}

/// An unlit material of one color, without fog.
fn unlit(color: LinearRgba) -> StandardMaterial {
    StandardMaterial {
        base_color: color.into(),
        unlit: true,
        fog_enabled: false,
        ..default()
    }
}

fn linear([r, g, b]: [f32; 3]) -> Vec3 {
    let color = Color::srgb(r, g, b).to_linear();
    Vec3::new(color.red, color.green, color.blue)
}

fn linear_u8([r, g, b, _]: [u8; 4]) -> Vec3 {
    linear([r, g, b].map(|channel| f32::from(channel) / 255.0))
}

fn rgb(color: Vec3) -> LinearRgba {
    LinearRgba::rgb(color.x, color.y, color.z)
}

/// Fog that absorbs the same part of the light at all distances of a stage.
fn even_fog(part: f32) -> DistanceFog {
    const DISTANCE: f32 = 1.0e7;
    DistanceFog {
        color: Color::WHITE,
        falloff: FogFalloff::Linear {
            start: -DISTANCE * part,
            end: DISTANCE * (1.0 - part),
        },
        ..default()
    }
}

/// Draws opaque meshes with the deferred renderer, unless their material selects another method.
fn draw_deferred(stage: &mut Stage) {
    stage.insert_resource(DefaultOpaqueRendererMethod::deferred());
    stage.camera().insert((DepthPrepass, DeferredPrepass));
}

/// A material with a highlight of exponent 16, at Bevy's default strength.
fn glossy() -> StandardMaterial {
    StandardMaterial {
        perceptual_roughness: 0.577,
        reflectance: 0.5,
        ..default()
    }
}

#[test]
fn emissive_is_not_multiplied_by_diffuse_or_vertex_colors() {
    let base = quarters([255; 4]);
    let mut stage = Stage::new(&[]);
    for (diffuse, vertex) in [
        ([0.0; 3], [1.0; 3]),
        ([0.6, 0.2, 0.9], [1.0; 3]),
        ([0.9, 0.8, 0.7], [0.5, 0.25, 0.75]),
    ] {
        let [r, g, b] = diffuse;
        let mut parameters = matte_parameters("base.tga");
        parameters[0] = Parameter::float4("Diffuse", [r, g, b, 0.0]);
        parameters[2] = Parameter::float4("Emissive", [0.2, 0.3, 0.1, 0.0]);
        let bytes = file_with_box("Box", "MeshGloss.fx", parameters, |v| {
            v.color = [vertex[0], vertex[1], vertex[2], 1.0];
        });
        let file = stage.add_files(&[(FILE, bytes), ("base.tga", tga(&base))]);
        let root = stage.spawn_alo(file, ());
        let context = format!("Diffuse {diffuse:?}, vertices {vertex:?}");
        compare_box(&mut stage, root, &context, &base, |texture| {
            StandardMaterial {
                base_color: rgb(linear(diffuse) * linear(vertex)).into(),
                emissive: rgb(linear([0.4, 0.6, 0.2])),
                emissive_texture: Some(texture.clone()),
                ..matte(Some(texture))
            }
        });
        stage.despawn(root);
    }
}

#[test]
fn emissive_of_blended_meshes_is_multiplied_by_alpha_once() {
    let base = quarters([255; 4]);
    let mut parameters = matte_parameters("base.tga");
    parameters[0] = Parameter::float4("Diffuse", [0.6, 0.2, 0.9, 0.5]);
    parameters[2] = Parameter::float4("Emissive", [0.2, 0.3, 0.1, 0.0]);
    let bytes = file_with_box("Box", "MeshAlpha.fx", parameters, |_| ());
    let mut stage = Stage::new(&[(FILE, bytes), ("base.tga", tga(&base))]);
    let root = stage.spawn_alo(FILE, ());
    compare_box(&mut stage, root, "half transparent", &base, |texture| {
        StandardMaterial {
            base_color: rgb(linear([0.6, 0.2, 0.9])).with_alpha(0.5).into(),
            // Bevy multiplies emissive by alpha, and blending does so again.
            emissive: rgb(linear([0.4, 0.6, 0.2]) / 0.5),
            emissive_texture: Some(texture.clone()),
            alpha_mode: AlphaMode::Blend,
            ..matte(Some(texture))
        }
    });
}

/// A game can create a material with default values of the extension.
#[test]
fn default_extension_matches_standard_material() {
    let mut stage = Stage::new(&[]);
    let base = quarters([255; 4]);
    let texture = stage.add_image(&base);
    let material = AloMaterial {
        base: matte(Some(texture)),
        extension: AloShading {
            uniform: AloUniform::default(),
            extra_texture: None,
        },
    };
    let (vertices, triangles) = cuboid([14.0; 3], [0.0, 0.0, 4.0]);
    let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY);
    let mesh = stage.add_asset(mesh);
    let material = stage.add_asset(material);
    let subject = (Mesh3d(mesh), MeshMaterial3d(material));
    let subject = stage.spawn_entity(subject);
    compare_box(&mut stage, subject, "default values", &base, |texture| {
        matte(Some(texture))
    });
}

#[test]
fn emissive_uses_the_team_color_of_the_base_texture() {
    let team = Color::srgb(1.0, 0.5, 0.1);
    let texel = [240, 220, 210, 255];
    let mut parameters = matte_parameters("base.tga");
    parameters[0] = Parameter::float4("Diffuse", [0.2, 0.4, 0.1, 0.0]);
    parameters[2] = Parameter::float4("Emissive", [0.3, 0.3, 0.3, 0.0]);
    let mut stage = Stage::new(&[]);
    // In a faction's mesh the team color replaces `Diffuse`.
    for (name, shader, albedo, glow) in [
        (
            "Box",
            "MeshGlossColorize.fx",
            linear_u8(with_team_color(texel, team)) * linear([0.2, 0.4, 0.1]),
            linear_u8(with_team_color(texel, team)),
        ),
        (
            "FC_Box",
            "MeshGloss.fx",
            linear_u8(with_team_color(texel, team)),
            linear_u8(texel),
        ),
    ] {
        let bytes = file_with_box(name, shader, parameters.clone(), |_| ());
        let file = stage.add_files(&[(FILE, bytes), ("base.tga", tga(&[texel; 4]))]);
        let root = stage.spawn_alo(file, TeamColor(team));
        compare(&mut stage, root, name, |stage| {
            let material = StandardMaterial {
                base_color: rgb(albedo).into(),
                emissive: rgb(glow * linear([0.6; 3])),
                ..matte(None)
            };
            box_control(stage, material)
        });
        stage.despawn(root);
    }
}

#[test]
fn emissive_is_doubled_and_multiplied_before_clamping() {
    // The product is below 1 for red and above 1 for blue.
    let texel = [120, 60, 235, 255];
    let mut parameters = matte_parameters("base.tga");
    parameters[0] = Parameter::float4("Diffuse", [0.0; 4]);
    parameters[2] = Parameter::float4("Emissive", [1.0, 0.75, 0.6, 0.0]);
    let bytes = one_box("MeshGloss.fx", "alD3dVertNU2", parameters);
    let mut stage = Stage::dark(&[(FILE, bytes), ("base.tga", tga(&[texel; 4]))]);
    let root = stage.spawn_alo(FILE, ());
    let product = linear([2.0, 1.5, 1.2]) * linear_u8(texel);
    assert!(product.x < 1.0 && product.z > 1.0, "{product}");
    compare(&mut stage, root, "bright", |stage| {
        box_control(stage, unlit(rgb(product.min(Vec3::ONE))))
    });
    // The color is clamped before fog applies: half of it is half of 1.
    stage.camera().insert(even_fog(0.5));
    compare(&mut stage, root, "bright in fog", |stage| {
        let half = product.min(Vec3::ONE).lerp(Vec3::ONE, 0.5);
        box_control(stage, unlit(rgb(half)))
    });
}

#[test]
fn fog_dims_additive_meshes_and_adds_no_color() {
    let texel = [200, 100, 40, 50];
    let mut stage = Stage::dark(&[]);
    for (shader, double_sided) in [
        ("MeshAdditive.fx", false),
        ("RSkinAdditiveVColor.fx", false),
        ("MeshShield.fx", true),
        ("Nebula.fx", true),
    ] {
        let parameters = vec![Parameter::texture("BaseTexture", "glow.tga")];
        let bytes = file_with_box("Box", shader, parameters, |_| ());
        let file = stage.add_files(&[(FILE, bytes), ("glow.tga", tga(&[texel; 4]))]);
        let root = stage.spawn_alo(file, ());
        for part in [0.25, 0.75] {
            stage.camera().insert(even_fog(part));
            compare(
                &mut stage,
                root,
                &format!("{shader} in fog of {part}"),
                |stage| {
                    let material = StandardMaterial {
                        alpha_mode: AlphaMode::Add,
                        double_sided,
                        cull_mode: (!double_sided)
                            .then_some(bevy::render::render_resource::Face::Back),
                        ..unlit(rgb(linear_u8(texel) * (1.0 - part)))
                    };
                    box_control(stage, material)
                },
            );
        }
        stage.camera().insert(even_fog(1.0));
        assert_eq!(stage.capture().covered(), 0, "{shader} in full fog");
        stage.despawn(root);
    }
}

#[test]
fn sky_domes_ignore_fog_and_lit_meshes_do_not() {
    let base = quarters([255; 4]);
    for deferred in [false, true] {
        let mut stage = Stage::new(&[]);
        stage.camera().insert(even_fog(0.6));
        if deferred {
            draw_deferred(&mut stage);
        }
        for (shader, has_fog) in [("Skydome.fx", false), ("MeshGloss.fx", true)] {
            let bytes = one_box(shader, "alD3dVertNU2", matte_parameters("base.tga"));
            let file = stage.add_files(&[(FILE, bytes), ("base.tga", tga(&base))]);
            let root = stage.spawn_alo(file, ());
            let context = format!("{shader}, deferred: {deferred}");
            compare_box(&mut stage, root, &context, &base, |texture| {
                StandardMaterial {
                    unlit: !has_fog,
                    fog_enabled: has_fog,
                    ..matte(Some(texture))
                }
            });
            stage.despawn(root);
        }
    }
}

#[test]
fn missing_gloss_map_gives_no_highlight() {
    let missing = |name| Parameter::texture(name, "missing.tga");
    let mut stage = Stage::new(&[]);
    // Without a parameter for the map, the highlight is unchanged.
    for (shader, map, is_glossy) in [
        ("MeshBumpColorize.fx", Some("NormalTexture"), false),
        ("MeshBumpColorize.fx", None, true),
        ("MeshGlossColorize.fx", Some("GlossTexture"), false),
        ("MeshGlossColorize.fx", None, true),
    ] {
        for broken in [false, true] {
            let mut parameters = vec![Parameter::texture("BaseTexture", "base.tga")];
            parameters.extend(map.map(missing));
            let bytes = one_box(shader, "alD3dVertNU2U3U3", parameters);
            let mut files = vec![(FILE, bytes), ("base.tga", tga(&[[255, 255, 255, 0]; 4]))];
            if broken {
                files.push(("missing.tga", vec![0, 0, 2, 0]));
            }
            let file = stage.add_files(&files);
            let root = stage.spawn_alo(file, ());
            let context = format!("{shader} with {map:?}, broken: {broken}");
            compare(&mut stage, root, &context, |stage| {
                box_control(stage, if is_glossy { glossy() } else { matte(None) })
            });
            stage.despawn(root);
        }
    }
}

#[test]
fn unloadable_clouds_are_transparent() {
    let texel = [90, 140, 200, 255];
    let mut stage = Stage::new(&[]);
    for (shader, control) in [
        ("Planet.fx", matte(None)),
        ("Skydome.fx", unlit(LinearRgba::WHITE)),
    ] {
        for broken in [false, true] {
            let mut parameters = matte_parameters("base.tga");
            parameters.push(Parameter::texture("CloudTexture", "missing.tga"));
            parameters.push(Parameter::float4("CityColor", [0.0; 4]));
            let bytes = one_box(shader, "alD3dVertNU2", parameters);
            let mut files = vec![(FILE, bytes), ("base.tga", tga(&[texel; 4]))];
            if broken {
                files.push(("missing.tga", vec![0, 0, 2, 0]));
            }
            let file = stage.add_files(&files);
            let root = stage.spawn_alo(file, ());
            let context = format!("{shader}, broken: {broken}");
            compare(&mut stage, root, &context, |stage| {
                let material = StandardMaterial {
                    base_color: rgb(linear_u8(texel)).into(),
                    ..control.clone()
                };
                box_control(stage, material)
            });
            stage.despawn(root);
        }
    }
}

#[test]
fn shield_adds_base_times_wave_and_an_outline_without_wave() {
    let (base, wave) = ([200, 250, 120, 255], [250, 120, 200, 255]);
    let mut stage = Stage::dark(&[]);
    for (context, file) in [
        ("valid", Some(tga(&[wave; 4]))),
        ("missing", None),
        ("broken", Some(vec![0, 0, 2, 0])),
    ] {
        let parameters = vec![
            Parameter::texture("BaseTexture", "base.tga"),
            Parameter::texture("WaveTexture", "wave.tga"),
        ];
        let bytes = one_box("MeshShield.fx", "alD3dVertNU2", parameters);
        let mut files = vec![(FILE, bytes), ("base.tga", tga(&[base; 4]))];
        files.extend(file.map(|bytes| ("wave.tga", bytes)));
        let file = stage.add_files(&files);
        let root = stage.spawn_alo(file, ());
        if context == "valid" {
            compare(&mut stage, root, "a shield with its wave", |stage| {
                let material = StandardMaterial {
                    alpha_mode: AlphaMode::Add,
                    double_sided: true,
                    cull_mode: None,
                    ..unlit(rgb(linear_u8(base) * linear_u8(wave)))
                };
                box_control(stage, material)
            });
        } else {
            let covered = stage.capture().covered();
            assert!(
                (200..4000).contains(&covered),
                "a shield with a {context} wave: {covered}"
            );
        }
        stage.despawn(root);
    }
}

#[test]
fn blended_gloss_comes_from_the_gloss_texture() {
    let mut stage = Stage::new(&[]);
    for (alpha, gloss) in [(128, 255), (255, 0)] {
        let parameters = vec![
            Parameter::texture("BaseTexture", "base.tga"),
            Parameter::texture("GlossTexture", "gloss.tga"),
        ];
        let files = [
            (
                FILE,
                one_box("MeshAlphaGloss.fx", "alD3dVertNU2", parameters),
            ),
            ("base.tga", tga(&[[255, 255, 255, alpha]; 4])),
            ("gloss.tga", tga(&[[gloss, 0, 0, 255]; 4])),
        ];
        let file = stage.add_files(&files);
        let root = stage.spawn_alo(file, ());
        let context = format!("alpha {alpha}, gloss {gloss}");
        compare(&mut stage, root, &context, |stage| {
            let material = StandardMaterial {
                base_color: Color::srgba_u8(255, 255, 255, alpha),
                alpha_mode: AlphaMode::Blend,
                ..if gloss > 0 { glossy() } else { matte(None) }
            };
            box_control(stage, material)
        });
        stage.despawn(root);
    }
}

#[test]
fn clouds_fade_with_vertex_alpha() {
    let (ground, cloud) = ([30, 60, 160, 255], [240, 230, 220, 200]);
    // The lower half of the dome is at the horizon, and the upper half at the top.
    let fade = |vertex: &Vertex| {
        if vertex.position[2] > 4.0 { 1.0 } else { 0.0 }
    };
    let parameters = vec![
        Parameter::texture("BaseTexture", "base.tga"),
        Parameter::texture("CloudTexture", "cloud.tga"),
    ];
    let bytes = file_with_box("Dome", "Skydome.fx", parameters, |vertex| {
        vertex.color = [1.0, 1.0, 1.0, fade(vertex)];
    });
    let files = [
        (FILE, bytes),
        ("base.tga", tga(&[ground; 4])),
        ("cloud.tga", tga(&[cloud; 4])),
    ];
    let mut stage = Stage::dark(&files);
    let root = stage.spawn_alo(FILE, ());
    compare(&mut stage, root, "clouds", |stage| {
        vertex_color_control(stage, unlit(LinearRgba::WHITE), |vertex| {
            let coverage = 200.0 / 255.0 * fade(vertex);
            rgb(linear_u8(ground).lerp(linear_u8(cloud), coverage))
        })
    });
}

#[test]
fn textures_with_fractional_scale_scroll_without_jumps() {
    let base = quarters([255; 4]);
    let (scale, rate) = (1.25, 1.0);
    let float = |name, value| Parameter {
        name: std::borrow::Cow::Borrowed(name),
        value: bevy_classic_models::alamo::alo::ParameterValue::Float(value),
    };
    let parameters = vec![
        Parameter::texture("BaseTexture", "base.tga"),
        float("BaseUVScale", scale),
        float("BaseUVScrollRate", rate),
    ];
    let bytes = one_box("MeshShield.fx", "alD3dVertNU2", parameters);
    let mut stage = Stage::dark(&[(FILE, bytes), ("base.tga", tga(&base))]);
    let root = stage.spawn_alo(FILE, ());
    // The last step exceeds a full period of the unscaled coordinates.
    for step in [0.4, 0.7, 0.5] {
        stage.headless.step(step);
        let seconds = stage.world().resource::<Time>().elapsed_secs();
        compare(&mut stage, root, &format!("at {seconds}"), |stage| {
            let texture = stage.add_image(&base);
            let (vertices, triangles) = changed_box(|vertex| {
                let [u, v] = vertex.tex_coords[0];
                vertex.tex_coords[0] = [scale * u, scale * v + rate * seconds];
            });
            let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY);
            let material = StandardMaterial {
                base_color_texture: Some(texture),
                alpha_mode: AlphaMode::Add,
                double_sided: true,
                cull_mode: None,
                ..unlit(LinearRgba::WHITE)
            };
            vec![(mesh, stage.add_material(material))]
        });
    }
}

#[test]
fn city_lights_are_on_the_side_away_from_the_brightest_sun() {
    // No side is nearly parallel to the sun's rays, because such sides are lit in part.
    let (sun, lamp) = (Vec3::new(0.5, 0.7, -0.4), Vec3::new(-0.5, -0.3, 0.6));
    let mut parameters = matte_parameters("base.tga");
    parameters.push(Parameter::float4("CityColor", [0.9, 0.6, 0.3, 1.0]));
    let bytes = one_box("Planet.fx", "alD3dVertNU2", parameters);
    for deferred in [false, true] {
        let mut stage = Stage::dark(&[]);
        if deferred {
            draw_deferred(&mut stage);
        }
        for order in [
            [(sun, 5_000.0), (lamp, 50.0)],
            [(lamp, 50.0), (sun, 5_000.0)],
        ] {
            let files = [
                (FILE, bytes.clone()),
                // Black ground with cities everywhere.
                ("base.tga", tga(&[[0, 0, 0, 255]; 4])),
            ];
            let file = stage.add_files(&files);
            let lights = order.map(|(from, illuminance)| {
                let light = DirectionalLight {
                    illuminance,
                    ..default()
                };
                let transform = Transform::from_translation(from).looking_at(Vec3::ZERO, Vec3::Y);
                stage.spawn_entity((light, transform))
            });
            let root = stage.spawn_alo(file, ());
            let context = format!("{order:?}, deferred: {deferred}");
            compare(&mut stage, root, &context, |stage| {
                vertex_color_control(stage, unlit(LinearRgba::WHITE), |vertex| {
                    let [x, y, z] = vertex.normal;
                    let is_night = Vec3::new(x, z, -y).dot(sun) < 0.0;
                    rgb(linear([0.9, 0.6, 0.3]) * f32::from(u8::from(is_night)))
                })
            });
            for entity in lights.into_iter().chain([root]) {
                stage.despawn(entity);
            }
        }
    }
}

#[test]
fn grass_has_an_alpha_cutoff_of_half() {
    // Soft edges: alpha in the quarters is opaque, above half, below half, and nearly 0.
    let base = texels(16, |x, y| match (x / 8, y / 8) {
        (0, 0) => [200, 180, 60, 255],
        (1, 0) => [40, 200, 60, 150],
        (0, _) => [220, 60, 50, 100],
        _ => [250, 250, 250, 20],
    });
    let grass = Grass {
        bend_scale: 1.0,
        colors: [[1.0; 3]; 2],
        scale: 2.0,
    };
    let mut stage = Stage::new(&grass.files(&base));
    let root = grass.spawn(&mut stage);
    for pass in ["forward", "prepass", "deferred", "shadows"] {
        match pass {
            "prepass" => {
                stage.camera().insert((DepthPrepass, MotionVectorPrepass));
            }
            "deferred" => draw_deferred(&mut stage),
            "shadows" => {
                let world = stage.world();
                let mut lights = world.query::<&mut DirectionalLight>();
                lights.single_mut(world).unwrap().shadow_maps_enabled = true;
                // Cards turn to the light in its shadow map, so shadows differ from those of the control.
                stage.capture();
                continue;
            }
            _ => {}
        }
        for view in VIEWS {
            stage.move_camera(view);
            let context = format!("{pass}, from {view}");
            grass.compare(&mut stage, root, &base, &context);
        }
    }
}

/// The views of these tests show lit and unlit sides of a box.
#[test]
fn views_show_lit_and_unlit_sides() {
    let sun = Vec3::new(0.5, 0.7, -0.4);
    for view in VIEWS {
        let visible = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * view.signum());
        assert!(visible.iter().any(|normal| normal.dot(sun) > 0.1));
    }
    let [_, second] = VIEWS;
    assert!((Vec3::X * second.signum()).dot(sun) < -0.1);
}

/// Two cards of grass in the X–Z plane, 12 high. The upper edge of the texture bends.
fn cards() -> (Vec<Vertex>, Vec<[u16; 3]>) {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for (card, center) in CENTERS.iter().enumerate() {
        for (x, v) in [(-9.0, 0.0), (-9.0, 1.0), (9.0, 1.0), (9.0, 0.0)] {
            vertices.push(Vertex {
                position: [center[0] + x, center[1], 12.0 * (1.0 - v)],
                // The shader takes (0, 0, 1).
                normal: [0.0, -1.0, 0.0],
                tex_coords: [[0.5 + x / 18.0, v], [7.0, 7.0], [0.0; 2], [0.0; 2]],
                color: [1.0; 4],
                bone_weights: [1.0, 0.0, 0.0, 0.0],
                ..Vertex::default()
            });
        }
        let first = 4 * card as u16;
        triangles.push([first, first + 1, first + 2]);
        triangles.push([first, first + 2, first + 3]);
    }
    (vertices, triangles)
}

/// The X and Y of the cards.
const CENTERS: [[f32; 2]; 2] = [[-14.0, -4.0], [12.0, 9.0]];

/// The parameters of [`cards`].
struct Grass {
    bend_scale: f32,
    /// `Diffuse` and `Diffuse1`.
    colors: [[f32; 3]; 2],
    /// The scale of the root.
    scale: f32,
}

impl Grass {
    fn files(&self, base: &[[u8; 4]]) -> [(&'static str, Vec<u8>); 2] {
        let (vertices, triangles) = cards();
        let [diffuse, diffuse_1] = self.colors.map(|[r, g, b]| [r, g, b, 1.0]);
        let parameters = vec![
            Parameter::texture("BaseTexture", "base.tga"),
            Parameter::float4("Diffuse", diffuse),
            Parameter::float4("Diffuse1", diffuse_1),
            Parameter {
                name: "BendScale".into(),
                value: ParameterValue::Float(self.bend_scale),
            },
        ];
        let buffers = SubmeshBuffers::new(&vertices, &triangles);
        let submesh = buffers.submesh("Grass.fx", "alD3dVertGrass", parameters);
        let bytes = of_root(vec![AloMesh::new("Grass", 0, vec![submesh])]);
        [(FILE, bytes), ("base.tga", tga(base))]
    }

    fn spawn(&self, stage: &mut Stage) -> Entity {
        stage.spawn_alo(FILE, Transform::from_scale(Vec3::splat(self.scale)))
    }

    /// Compares an image with cards that the CPU has turned and bent, by the formulas of the games.
    #[track_caller]
    fn compare(&self, stage: &mut Stage, root: Entity, base: &[[u8; 4]], context: &str) {
        let subject = stage.capture();
        let time = stage.world().resource::<Time>().elapsed_secs();
        let wind = *stage.world().resource::<Wind>();
        // Bevy's (x, y, z) is (x, −z, y) in the file.
        let direction = wind.velocity().normalize_or_zero();
        let direction = Vec3::new(direction.x, -direction.z, direction.y);
        let strength = self.bend_scale * wind.speed / self.scale / 10.0;
        let to_camera = stage.camera().get::<Transform>().unwrap().back();
        let right = Vec2::new(to_camera.z, to_camera.x).normalize();
        let [diffuse, diffuse_1] = self.colors.map(linear);
        let (mut vertices, triangles) = cards();
        let mut colors = Vec::new();
        for (index, vertex) in vertices.iter_mut().enumerate() {
            let [x, y, z] = vertex.position;
            let cycles = (0.125 + 0.875 * strength) * time + (x + y) / 20.0;
            let wave = 0.5 + 0.5 * (core::f32::consts::TAU * cycles).sin();
            let distance = 10.0 * strength + (10.0 + 10.5 * strength) * wave;
            let bend = (1.0 - vertex.tex_coords[0][1]) * distance * direction;
            let center = Vec2::from_array(CENTERS[index / 4]);
            let at = (center + (x - center.x) * right).extend(z) + bend;
            vertex.position = (self.scale * at).to_array();
            vertex.normal = [0.0, 0.0, 1.0];
            colors.push(diffuse.lerp(diffuse_1, wave).extend(1.0).to_array());
        }
        let mesh = control_mesh(&vertices, &triangles, |_| IDENTITY)
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors);
        let texture = stage.add_image(base);
        let material = stage.add_material(StandardMaterial {
            alpha_mode: AlphaMode::Mask(0.5),
            ..matte(Some(texture))
        });
        let control = stage.capture_controls(root, vec![(mesh, material)]);
        subject.assert_matches(&control, &format!("grass, {context}"));
    }
}

#[test]
fn grass_turns_to_the_camera_and_bends_in_the_wind() {
    let base = quarters([255; 4]);
    let grass = Grass {
        bend_scale: 0.6,
        colors: [[0.5, 0.6, 0.4], [0.9, 0.7, 0.8]],
        scale: 1.5,
    };
    let mut stage = Stage::new(&grass.files(&base));
    let root = grass.spawn(&mut stage);
    let mut last: Option<Picture> = None;
    for (direction, speed) in [
        (Vec3::X, 0.0),
        (Vec3::new(1.0, 0.0, -2.0), 6.0),
        (Vec3::NEG_X, 12.0),
    ] {
        stage.world().insert_resource(Wind { direction, speed });
        for (view, seconds) in VIEWS.into_iter().zip([0.7, 1.9]) {
            stage.move_camera(view);
            stage.headless.step(seconds);
            let context = format!("wind of {speed}, from {view}");
            grass.compare(&mut stage, root, &base, &context);
        }
        let picture = stage.capture();
        if let Some(last) = last.replace(Picture(picture.0.clone())) {
            picture.assert_differs(&last, "another wind");
        }
    }
}
