//! Rendering of MDL models, compared with controls that Bevy draws from CPU-computed meshes and textures.

use crate::support::app::KeepLoaded;
use crate::support::entities::pose_blend as at;
use crate::support::mdl::figure;
use crate::support::prelude::*;
use bevy_classic_models::quake::{MdlCutout, SkinFilter};

const SCENE: &str = "figure.mdl#Scene";

fn stage(document: &MdlDocument) -> Stage {
    Stage::new(&[("figure.mdl", document.to_bytes())])
}

/// Adds the file of another case. Returns its path.
fn add(stage: &mut Stage, document: &MdlDocument) -> &'static str {
    stage.add_files(&[("figure.mdl", document.to_bytes())])
}

/// Spawns a model that shows the start of a clip.
fn spawn(stage: &mut Stage, path: &str) -> Entity {
    let clip = PlayClip::looping("run").paused();
    stage.spawn(&format!("{path}#Scene"), clip)
}

/// Compares subject and control from all views.
#[track_caller]
fn compare(stage: &mut Stage, root: Entity, what: &str, control: impl Fn() -> Control<'static>) {
    for view in VIEWS {
        stage.move_camera(view);
        let subject = stage.capture();
        let control = stage.capture_control(root, control());
        subject.assert_matches(&control, &format!("{what} from {view}"));
    }
}

fn leaked(document: MdlDocument) -> &'static MdlDocument {
    Box::leak(Box::new(document))
}

#[test]
fn morphed_meshes_match_the_cpu() {
    let mut stage = Stage::new(&[]);
    for precision in [Precision::Bits8, Precision::Bits16] {
        let document = leaked(figure(precision));
        let path = add(&mut stage, document);
        let root = spawn(&mut stage, path);
        let mut last = None;
        for (time, blend) in [
            (0.0, at(0, 1, 0.0)),
            (0.05, at(0, 1, 0.5)),
            (0.23, at(2, 3, 0.3)),
            (0.39, at(3, 0, 0.9)),
        ] {
            stage.get_mut::<Playback>(root).time = time;
            let what = format!("{precision:?} at {time}");
            compare(&mut stage, root, &what, || Control::new(document, blend));
            let picture = stage.capture();
            if let Some(last) = last.replace(picture) {
                stage.capture().assert_differs(&last, &what);
            }
        }
        stage.despawn(root);
    }
}

#[test]
fn a_cross_fade_blends_both_clips() {
    let document = leaked(figure(Precision::Bits8));
    let mut stage = stage(document);
    let root = stage.spawn(SCENE, PlayClip::looping("run").starting_at(0.05));
    let die = PlayClip::once("die").with_fade(0.2);
    stage.insert(root, die);
    stage.headless.step(0.0);
    stage.headless.step(0.05);
    stage.get_mut::<PlayClip>(root).paused = true;
    let blend = PoseBlend {
        from: at(0, 1, 0.5).to,
        from_weight: 0.75,
        ..at(4, 5, 0.5)
    };
    compare(&mut stage, root, "cross-fade", || {
        Control::new(document, blend)
    });
}

#[test]
fn skins_match_the_file() {
    let document = leaked(figure(Precision::Bits8));
    let mut stage = stage(document);
    let root = stage.spawn(SCENE, PlayClip::looping("run").paused());
    let mut pictures = Vec::new();
    for (skin, image) in [(0, 0), (1, 0), (2, 0), (2, 1)] {
        stage.insert(root, ModelSkin::Index(skin));
        if image == 1 {
            // The second image of the group is drawn from 0.2 s to 0.5 s of game time.
            stage.headless.step(0.22);
        }
        let what = format!("image {image} of skin {skin}");
        compare(&mut stage, root, &what, || Control {
            skin_image: (skin, image),
            ..Control::new(document, at(0, 0, 0.0))
        });
        pictures.push(stage.capture());
    }
    for pair in pictures.windows(2) {
        pair[0].assert_differs(&pair[1], "another skin");
    }
}

/// The figure with a skin of 24 × 12 texels, and coordinates of −29 to 61 and −9 to 23.
fn tiled() -> MdlDocument {
    let mut document = figure(Precision::Bits8);
    let (width, height) = (24, 12);
    for skin in &mut document.skins {
        let images = match skin {
            SkinDocument::Single(image) => core::slice::from_mut(image),
            SkinDocument::Group { images, .. } => images,
        };
        for image in images {
            let rows = image
                .chunks(document.header.skin_width as usize)
                .take(height);
            *image = rows.flat_map(|row| row[..width].to_vec()).collect();
        }
    }
    document.header.skin_width = width as u32;
    document.header.skin_height = height as u32;
    for st in &mut document.st_vertices {
        st.on_seam = 0.into();
        st.s = (st.s.get() - 30).into();
        st.t = (st.t.get() - 10).into();
    }
    document
}

/// The model of [`tiled`] with 5 × 3 copies of the skin in one, and all coordinates inside.
fn untiled() -> MdlDocument {
    let mut document = tiled();
    let header = &mut document.header;
    let (width, height) = (header.skin_width as usize, header.skin_height as usize);
    for st in &mut document.st_vertices {
        st.s = (st.s.get() + 2 * width as i32).into();
        st.t = (st.t.get() + height as i32).into();
    }
    header.skin_width *= 5;
    header.skin_height *= 3;
    if let SkinDocument::Single(image) = &mut document.skins[0] {
        let row = |y: usize| image[y % height * width..][..width].repeat(5);
        *image = (0..3 * height).flat_map(row).collect();
    }
    document
}

#[test]
fn skins_repeat() {
    let control = leaked(untiled());
    let mut stage = Stage::new(&[]);
    for linear in [false, true] {
        let path = add(&mut stage, &tiled());
        load_filtered(&mut stage, path, linear);
        let root = spawn(&mut stage, path);
        for colors in [None, Some(player_colors(4, 13))] {
            if let Some(colors) = colors {
                stage.insert(root, colors);
            }
            let what = format!("tiled, {colors:?}, linear: {linear}");
            compare(&mut stage, root, &what, || Control {
                colors,
                linear,
                ..Control::new(control, at(0, 0, 0.0))
            });
        }
        stage.despawn(root);
    }
}

fn player_colors(shirt: u8, pants: u8) -> PlayerColors {
    PlayerColors { shirt, pants }
}

/// Loads a file with settings, and keeps it loaded until the scene has a handle.
fn load_with(stage: &mut Stage, path: &'static str, settings: fn(&mut MdlLoaderSettings)) {
    let handle: Handle<Mdl> = stage.load_with(path, settings);
    let server = stage.server();
    stage.wait_for("the model is loaded", |_| {
        server.is_loaded_with_dependencies(&handle)
    });
    stage.spawn_entity(KeepLoaded(handle.untyped()));
}

fn load_filtered(stage: &mut Stage, path: &'static str, linear: bool) {
    match linear {
        true => load_with(stage, path, |settings| settings.filter = SkinFilter::Linear),
        false => load_with(stage, path, |_| {}),
    }
}

#[test]
fn player_colors_replace_two_rows_of_the_palette() {
    let document = leaked(figure(Precision::Bits8));
    let mut stage = Stage::new(&[]);
    for linear in [false, true] {
        let path = add(&mut stage, document);
        load_filtered(&mut stage, path, linear);
        let root = spawn(&mut stage, path);
        let plain = stage.capture();
        for colors in [player_colors(4, 13), player_colors(12, 3)] {
            stage.insert(root, colors);
            let what = format!("{colors:?}, linear: {linear}");
            compare(&mut stage, root, &what, || Control {
                colors: Some(colors),
                linear,
                ..Control::new(document, at(0, 0, 0.0))
            });
            stage.move_camera(VIEWS[0]);
            stage.capture().assert_differs(&plain, &what);
        }
        stage.remove::<PlayerColors>(root);
        stage.move_camera(VIEWS[0]);
        stage.assert_shows(&plain, "colors removed");
        stage.despawn(root);
    }
}

#[test]
fn only_fullbright_texels_are_visible_in_the_dark() {
    let document = leaked(figure(Precision::Bits8));
    let mut dark = Stage::dark(&[("figure.mdl", document.to_bytes())]);
    let root = dark.spawn(SCENE, PlayClip::looping("run").paused());
    compare(&mut dark, root, "in the dark", || {
        Control::new(document, at(0, 0, 0.0))
    });
    dark.move_camera(VIEWS[0]);
    let picture = dark.capture();
    let glowing = |pixel: &&[u8; 4]| pixel[..3].iter().any(|channel| *channel > 60);
    let black = |pixel: &&[u8; 4]| pixel[..3] == [0, 0, 0];
    let glowing = picture.0.iter().filter(glowing).count();
    let black = picture.0.iter().filter(black).count();
    assert!(
        glowing > 300 && black > 2 * glowing,
        "{glowing} glow, {black} are black"
    );
}

#[test]
fn one_color_is_cut_out_by_flag() {
    let mut stage = Stage::new(&[]);
    for (hole_index, is_default) in [(255, true), (0, false)] {
        let mut document = figure(Precision::Bits8);
        if let SkinDocument::Single(image) = &mut document.skins[0] {
            for (index, texel) in image.iter_mut().enumerate() {
                if index / 96 % 12 < 4 {
                    *texel = hole_index;
                }
            }
        }
        document.header.flags = 1 << 14;
        let document = leaked(document);
        for cutout in [MdlCutout::ByFlag, MdlCutout::Off] {
            let path = add(&mut stage, document);
            let settings: fn(&mut MdlLoaderSettings) = match (cutout, is_default) {
                (MdlCutout::Off, _) => |settings| settings.cutout = MdlCutout::Off,
                (_, true) => |_| {},
                (_, false) => |settings| settings.hole_index = 0,
            };
            load_with(&mut stage, path, settings);
            let root = spawn(&mut stage, path);
            let what = format!("{cutout:?}, index {hole_index}");
            compare(&mut stage, root, &what, || Control {
                holes: (cutout == MdlCutout::ByFlag).then_some(hole_index),
                ..Control::new(document, at(0, 0, 0.0))
            });
            stage.despawn(root);
        }
    }
}

#[test]
fn shadows_match_the_morphed_pose() {
    let document = leaked(figure(Precision::Bits8));
    let mut stage = Stage::dark(&[("figure.mdl", document.to_bytes())]);
    let ground = Plane3d::default().mesh().size(300.0, 300.0).build();
    let ground = stage.add_asset(ground);
    let gray = StandardMaterial::from_color(Color::srgb(0.7, 0.7, 0.7));
    let gray = stage.add_asset(gray);
    stage.world().spawn((
        Mesh3d(ground),
        MeshMaterial3d(gray),
        Transform::from_xyz(0.0, -25.0, 0.0),
    ));
    stage.world().spawn((
        DirectionalLight {
            illuminance: 8_000.0,
            shadow_maps_enabled: true,
            ..default()
        },
        Transform::from_xyz(70.0, 60.0, 10.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    let root = stage.spawn(SCENE, PlayClip::looping("spin").paused().starting_at(0.3));
    let blend = at(7, 8, 0.8);
    compare(&mut stage, root, "shadow", || Control::new(document, blend));
    // Another pose must change the image.
    stage.move_camera(VIEWS[1]);
    let one = stage.capture();
    stage.insert(root, PlayClip::looping("run").paused());
    let two = stage.capture();
    let different = one.different(&two);
    assert!(different > 500, "{different} pixels differ between poses");
}

#[test]
fn prepasses_match_the_main_pass() {
    let document = leaked(figure(Precision::Bits8));
    let mut stage = stage(document);
    let clip = PlayClip::looping("run").paused().starting_at(0.13);
    let root = stage.spawn(SCENE, (clip, player_colors(4, 2)));
    stage
        .camera()
        .insert((DepthPrepass, NormalPrepass, MotionVectorPrepass));
    compare(&mut stage, root, "with prepasses", || Control {
        colors: Some(player_colors(4, 2)),
        ..Control::new(document, at(1, 2, 0.3))
    });
}

#[test]
fn deferred_rendering_matches() {
    let document = leaked(figure(Precision::Bits8));
    let mut stage = stage(document);
    stage.insert_resource(DefaultOpaqueRendererMethod::deferred());
    stage.camera().insert((DepthPrepass, DeferredPrepass));
    let colors = player_colors(4, 2);
    let clip = PlayClip::looping("run").paused().starting_at(0.13);
    let root = stage.spawn(SCENE, (clip, colors));
    compare(&mut stage, root, "deferred", || Control {
        colors: Some(colors),
        ..Control::new(document, at(1, 2, 0.3))
    });
}

#[test]
fn instances_with_one_mesh_and_skin_are_one_draw_call() {
    use crate::draws::{DrawCount, DrawCountPlugin};
    let files = ["figure.mdl", "other.mdl"];
    let bytes = figure(Precision::Bits8).to_bytes();
    let mut stage = Stage::with_plugins(&files.map(|file| (file, bytes.clone())), DrawCountPlugin);
    let mut spawned = 0;
    for (scene, skin, count) in [(SCENE, 0, 30), (SCENE, 1, 20), ("other.mdl#Scene", 0, 10)] {
        for index in 0..count {
            let clip = ["run", "die", "spin"][index % 3];
            let start = 0.013 * index as f32;
            let bundle = (
                PlayClip::looping(clip).starting_at(start),
                ModelSkin::Index(skin),
                Transform::from_xyz(index as f32 - 15.0, 0.0, 5.0 * skin as f32),
            );
            let root = stage.spawn(scene, bundle);
            spawned += 1;
            if index % 10 == 9 {
                stage.insert(root, player_colors(4, 4));
            }
        }
    }
    assert_eq!(spawned, 60);
    for view in VIEWS {
        stage.move_camera(3.0 * view);
        for _ in 0..5 {
            stage.headless.step(0.03);
        }
        // Two skins of one model, the other model, and each of these three with player colors.
        assert_eq!(
            stage.world().resource::<DrawCount>().get(),
            6,
            "from {view}"
        );
    }
}
